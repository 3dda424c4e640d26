"""A memory as somebody has it after some weeks of work: what the tests of the page show."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from scrubjay import Scrubjay
from scrubjay.files.user_folders import hooks_log

__all__ = ["HOSTILE", "fill", "hostile"]

HOSTILE = "<script>window.ran = true</script><img src=x onerror='window.ran = true'>\"'>{{ 7 * 7 }}"
FACTS = (
    ("Deploys run from the main branch, after 4 pm", "deploy pipeline", "convention"),
    ("The staging database is called heron and runs PostgreSQL 16", "staging", "fact"),
    ("User prefers dark mode in every editor", "user", "preference"),
    ("User answers e-mail before nine and not at all on Fridays", "user", "preference"),
    ("We decided to keep sessions in Redis, because restarts lost them", "sessions", "decision"),
    ("Invoices are numbered by year and month, e.g. 2026-11-0042", "invoices", "convention"),
    ("The flaky test is test_checkout_retry; it needs the clock to be set", "tests", "failure_mode"),
    ("Ann Meyer leads the billing team and knows the ledger best", "Ann Meyer", "relationship"),
)
TALK = (
    ("user", "Which port does the staging server listen at?"),
    ("assistant", "It listens at port 8443. The old port 8080 is closed since the move."),
    ("user", "Good. Please remember that for the smoke tests."),
    ("assistant", "I have remembered it, and changed smoke.toml accordingly."),
)


def fill(jay: Scrubjay, folder: Path) -> None:
    """Facts, a correction, a conflict, tasks, a conversation, notes, records, and what a hook did."""
    now = jay.view.clock()
    for days, (text, subject, kind) in enumerate(FACTS):
        jay.add(text, kind=kind, subject=subject, happened_at=now - timedelta(days=3 * days + 1), project="acme/shop")
    old = jay.add("The release day is Tuesday", kind="fact", subject="release", tags=["team"])
    jay.supersede(old.memory.id, "The release day is Thursday", reason="the team voted")
    jay.add("The staging port is 8080", kind="fact", subject="staging port")
    jay.add("The staging port is 8443", kind="fact", subject="staging port")
    jay.add("اجتماع الفريق كل يوم اثنين في العاشرة", kind="fact", subject="team")
    jay.tasks.create("Renew the certificate of the shop", due=now + timedelta(hours=5), priority="high")
    jay.tasks.update(jay.tasks.create("Write the release notes").memory.id, status="in_progress")
    jay.tasks.update(jay.tasks.create("Order new badges").memory.id, status="completed")
    jay.add_turns("8f2c1a90", [{"speaker": speaker, "text": text} for speaker, text in TALK])
    jay.contacts.create(name="Ann Meyer", email="ann@example.org", role="Lead", company="Acme")
    jay.projects.create(name="Shop", repository="acme/shop", description="The shop and its ledger")
    jay.skills.create(name="Weekly report", instructions="Collect what was released", schedule="0 9 * * 1")
    jay.profile.set("user_info.name", "Robin")
    (folder / "notes").mkdir()
    (folder / "notes/deploy.md").write_text(
        "# Deploying\n\nFirst run the migrations.\n\n## Rollback\n\nUse the blue stack.\n"
    )
    jay.sources.add(folder / "notes")
    jay.sync()
    _note_activity(jay)


def _note_activity(jay: Scrubjay) -> None:
    entry = {
        "at": jay.view.clock().isoformat(), "client": "claude-code", "event": "UserPromptSubmit", "outcome": "told",
        "reason": "", "ms": 41, "session": "8f2c1a90", "project": "acme/shop", "space": jay.space,
        "store": jay.address, "memories": [1, 2], "tokens": 64,
    }  # fmt: skip
    log = Path(hooks_log())
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(json.dumps(entry) + "\n")


def hostile(jay: Scrubjay, folder: Path) -> int:
    """A memory whose every text would like to run as a script; and a source of such a name."""
    notes = folder / "<img src=x onerror=ran()>"
    notes.mkdir()
    (notes / "a.md").write_text(f"# {HOSTILE}\n\n{HOSTILE}\n")
    jay.sources.add(notes)
    jay.sync()
    jay.tasks.create(f"Do {HOSTILE}", due=jay.view.clock())
    jay.add_turns("hostile", [{"speaker": HOSTILE[:60], "text": HOSTILE}])
    jay.contacts.create(name=HOSTILE[:80])
    return jay.add(
        HOSTILE, title=f"title {HOSTILE}", tags=[HOSTILE[:90]], subject=HOSTILE[:90], context=HOSTILE,
        source=f"file:{HOSTILE}", metadata={HOSTILE: HOSTILE}, project=HOSTILE[:90],
    ).memory.id  # fmt: skip

"""Skills: when they are due, how the last run went, and as files that other programs read."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrubjay import Invalid, NotFound, Scrubjay
from scrubjay.records import skill_files
from tests.support.clock import Clock

SECRET = "ghp_" + "a1B2c3D4e5" * 4  # of the right form, and nobody's
PLAN: Any = [
    {"id": "fetch", "tool": "github", "parameters": {"since": "monday"}},
    {"id": "send", "tool": "mail", "depends_on": ["fetch"]},
]


def due(jay: Scrubjay) -> list[str]:
    return [one.name for one in jay.skills.due()]


def test_every_field_that_is_given_comes_back(jay: Scrubjay) -> None:
    fields: Any = {
        "name": "digest", "description": "A digest", "instructions": "Collect.\n\nSend.", "trigger": "cron",
        "schedule": "0 9 * * 1", "timezone": "Europe/Berlin", "required_tools": ("github", "mail"), "max_steps": 5,
        "notify_on_completion": False, "notify_interval_minutes": 60, "enabled": False,
    }  # fmt: skip
    made = jay.skills.create(**fields, plan=PLAN)
    assert {name: getattr(made, name) for name in fields} == fields
    assert [step["depends_on"] for step in made.plan] == [[], ["fetch"]] and made.plan[1]["parameters"] == {}
    assert jay.skills.get("Digest") == made
    least = jay.skills.create(name="look", instructions="Look")
    assert (least.trigger, least.max_steps, least.enabled, least.notify_on_completion) == ("manual", 10, True, True)


def test_the_same_name_again_returns_the_known_one(jay: Scrubjay) -> None:
    made = jay.skills.create(name="digest", instructions="Collect")
    again = jay.skills.create(name="Digest", instructions="Something else")
    assert (again.id, again.instructions, again.version) == (made.id, "Collect", 1)
    assert again.remarks == (f"Skill {made.id} was known; it stays as it is: `skills update {made.id}` changes it.",)


def test_a_skill_is_found_by_what_it_does(jay: Scrubjay) -> None:
    made = jay.skills.create(name="digest", instructions="Collect what was merged", schedule="0 9 * * 1", plan=PLAN)
    (hit,) = jay.search("collect merged changes", kinds=["skill"])
    assert hit.memory.text == (
        "digest: skill (cron 0 9 * * 1).\nCollect what was merged\nStep fetch: github.\nStep send: mail."
    )
    found = jay.skills.get(hit.memory.id)
    assert found is not None and found.id == made.id


def test_a_cron_schedule_is_due_once_after_each_of_its_times(jay: Scrubjay, clock: Clock) -> None:
    jay.skills.create(name="digest", instructions="Collect", schedule="0 9 * * *")  # at noon of the first of May
    assert due(jay) == []
    clock.now = datetime(2026, 5, 2, 9, 0, tzinfo=UTC)
    (one,) = jay.skills.due()
    assert one.due_at == clock.now
    clock.pass_(minutes=1)
    ran = jay.skills.ran("digest", summary="12 changes")
    assert (ran.last_run_status, ran.last_run_summary, ran.last_run_at) == ("ok", "12 changes", clock.now)
    assert due(jay) == []
    clock.pass_(days=3)
    (one,) = jay.skills.due()
    assert one.due_at == datetime(2026, 5, 3, 9, 0, tzinfo=UTC)


def test_a_schedule_in_a_time_zone_follows_its_clocks(jay: Scrubjay, clock: Clock) -> None:
    jay.skills.create(name="digest", instructions="x", schedule="0 9 * * *", timezone="Europe/Berlin")
    clock.now = datetime(2026, 5, 2, 7, 0, tzinfo=UTC)  # summer: two hours ahead
    assert due(jay) == ["digest"]
    jay.skills.ran("digest")
    clock.now = datetime(2026, 12, 2, 7, 59, tzinfo=UTC)
    jay.skills.ran("digest")
    assert due(jay) == []
    clock.pass_(minutes=1)
    assert due(jay) == ["digest"]


def test_an_interval_a_time_and_minutes_from_now_are_due_as_they_say(jay: Scrubjay, clock: Clock) -> None:
    jay.skills.create(name="often", instructions="x", interval_minutes=30)
    jay.skills.create(name="once", instructions="x", at=clock.now + timedelta(hours=1))
    soon = jay.skills.create(name="soon", instructions="x", in_minutes=10)
    assert soon.at == clock.now + timedelta(minutes=10) and due(jay) == ["often"]
    jay.skills.ran("often")
    clock.pass_(hours=1)
    assert due(jay) == ["soon", "often", "once"]
    for name in due(jay):
        jay.skills.ran(name)
    assert due(jay) == []
    clock.pass_(hours=1)
    assert due(jay) == ["often"]
    jay.skills.update("often", enabled=False)
    assert due(jay) == []


def test_what_starts_by_hand_or_by_an_event_is_never_due(jay: Scrubjay, clock: Clock) -> None:
    jay.skills.create(name="hand", instructions="x")
    event = jay.skills.create(name="mail", instructions="x", event="new mail")
    clock.pass_(days=400)
    assert event.trigger == "event" and due(jay) == []


def test_another_time_takes_the_place_of_the_one_before(jay: Scrubjay) -> None:
    made = jay.skills.create(name="digest", instructions="x", schedule="0 9 * * *", timezone="Europe/Berlin")
    later = jay.skills.update(made.id, schedule="0 10 * * *")
    assert (later.schedule, later.timezone) == ("0 10 * * *", "Europe/Berlin")
    changed = jay.skills.update(made.id, interval_minutes=5)
    assert (changed.schedule, changed.timezone, changed.interval_minutes) == (None, None, 5)
    event = jay.skills.update(made.id, event="merge")
    assert (event.trigger, event.interval_minutes) == ("event", None)
    assert jay.skills.update(made.id, trigger="manual").event is None


def test_a_run_is_no_version_and_is_told_on_the_timeline(jay: Scrubjay, clock: Clock) -> None:
    made = jay.skills.create(name="digest", instructions="x")
    clock.pass_(hours=1)
    jay.skills.ran(made.id, "error", summary="no network", notified=True)
    found = jay.skills.get(made.id)
    assert found is not None and (found.version, found.last_notified_at) == (1, clock.now)
    assert [(event.what, event.detail) for event in jay.timeline()] == [("skill ran", "error"), ("skill created", "")]
    jay.skills.update(made.id, instructions="y")
    found = jay.skills.get(made.id)
    assert found is not None and found.last_run_summary == "no network"


def test_skills_are_listed_by_name_and_filtered(jay: Scrubjay) -> None:
    jay.skills.create(name="b", instructions="x", interval_minutes=5)
    jay.skills.create(name="A", instructions="x", enabled=False)
    assert [one.name for one in jay.skills.list()] == ["A", "b"]
    assert (
        [one.name for one in jay.skills.list(enabled=True)]
        == ["b"]
        == [s.name for s in jay.skills.list(trigger="cron")]
    )


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"schedule": "9 o'clock"}, r"is no cron expression \("),
        ({"schedule": "61 * * * *"}, "is no cron expression"),
        ({"schedule": "0 0 30 2 *"}, "is no cron expression"),
        ({"trigger": "cron"}, "one of schedule, interval_minutes, at and in_minutes"),
        ({"schedule": "0 9 * * *", "interval_minutes": 5}, "one of schedule, interval_minutes"),
        ({"at": "2026-06-01", "in_minutes": 5}, "one of schedule, interval_minutes"),
        ({"trigger": "manual", "schedule": "0 9 * * *"}, "has no schedule; make the trigger cron"),
        ({"trigger": "event"}, "names the event"),
        ({"timezone": "Europe/Berlin"}, "timezone goes with a schedule|Nothing"),
        ({"schedule": "0 9 * * *", "timezone": "Mars/Base"}, "no time zone known here"),
        ({"schedule": "0 9 * * *", "timezone": "../../etc/passwd"}, "no time zone known here"),
        ({"at": "someday"}, "at is not a date or time"),
        ({"interval_minutes": 0}, "interval_minutes must be a whole number from 1"),
        ({"max_steps": 0}, "max_steps must be a whole number from 1"),
        ({"enabled": "yes"}, "enabled must be true or false"),
        ({"required_tools": "github"}, "required_tools must be a list"),
        ({"plan": [{"id": "a", "tool": "t", "depends_on": ["a"]}]}, "in a circle: a → a"),
        (
            {"plan": [{"id": "a", "tool": "t", "depends_on": ["b"]}, {"id": "b", "tool": "t", "depends_on": ["a"]}]},
            "in a circle",
        ),
        ({"plan": [{"id": "a", "tool": "t", "depends_on": ["z"]}]}, "depends on 'z', which is no step"),
        ({"plan": [{"id": "a", "tool": "t"}, {"id": "a", "tool": "t"}]}, "two steps 'a'"),
        ({"plan": [{"id": "a"}]}, "A step is an object with id, tool"),
        ({"plan": [{"id": "a", "tool": "t", "extra": 1}]}, "A step is an object with id, tool"),
        ({"plan": {"id": "a"}}, "plan must be a list"),
        ({"plan": [{"id": "a", "tool": "t", "parameters": {"token": SECRET}}]}, "looks like a secret"),
        ({"instructions": SECRET}, "looks like a secret"),
        ({"instructions": " "}, "instructions is empty"),
        ({"instructions": None}, "cannot be empty"),
    ],
)
def test_bad_input_is_one_sentence_and_changes_nothing(jay: Scrubjay, fields: Any, sentence: str) -> None:
    with pytest.raises(Invalid, match=sentence) as refused:
        jay.skills.create(**{"name": "new", "instructions": "x", **fields})
    assert "\n" not in str(refused.value) and SECRET not in str(refused.value)
    assert jay.skills.list() == [] and jay.list() == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda skills: skills.ran("none"), "There is no skill none"),
        (lambda skills: skills.ran("digest", "fine"), "status must be one of ok, warning, error, unknown"),
        (lambda skills: skills.ran("digest", summary=SECRET), "looks like a secret"),
        (lambda skills: skills.ran("digest", at="2027-01-01"), "A run lies in the past"),
        (lambda skills: skills.update("digest"), "Nothing to update"),
    ],
)
def test_so_is_what_is_said_of_a_run(jay: Scrubjay, change: Callable[[Any], object], sentence: str) -> None:
    before = jay.skills.create(name="digest", instructions="x")
    with pytest.raises((Invalid, NotFound), match=sentence):
        change(jay.skills)
    assert jay.skills.get("digest") == before


# As files


def test_a_skill_is_written_and_read_again(jay: Scrubjay, tmp_path: Path) -> None:
    made = jay.skills.create(
        name="digest", description="A digest", instructions="# How\n\nCollect.\n\n---\n\nSend.",
        schedule="0 9 * * 1", required_tools=["github"], plan=PLAN, max_steps=7, enabled=False,
    )  # fmt: skip
    file = jay.skills.write(made.id, tmp_path)
    assert file == tmp_path / "SKILL.md" and file.read_text().startswith("---\nname: digest\ndescription: A digest\n")
    assert jay.skills.read(file).version == 1, "nothing differs"
    assert jay.skills.write(made.id, tmp_path / "skills/digest/SKILL.md").read_text() == file.read_text()
    other = jay.lend(space="other").skills.read(tmp_path)
    own = {
        "name",
        "instructions",
        "description",
        "schedule",
        "plan",
        "required_tools",
        "max_steps",
        "enabled",
        "trigger",
    }
    assert {name: getattr(other, name) for name in own} == {name: getattr(made, name) for name in own}
    assert other.trust == "external"


def test_an_edited_file_is_the_next_version_and_the_user_is_told(jay: Scrubjay, tmp_path: Path) -> None:
    jay.skills.create(name="digest", instructions="Collect")
    file = jay.skills.write("digest", tmp_path / "digest.md")
    file.write_text(file.read_text().replace("Collect", "Gather"))
    changed = jay.skills.read(file)
    assert (changed.version, changed.instructions, changed.trust) == (2, "Gather", "external")
    assert changed.remarks == (f"Version 1 came from the user; `skills rollback {changed.id} 1` undoes this change.",)


def test_a_file_of_another_program_is_read(jay: Scrubjay, tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(
        "---\nname: pdf\ndescription: Reads PDFs\nlicense: MIT\nallowed-tools: Bash, Read\n---\n# PDF\n\nRead them.\n"
    )
    read = jay.skills.read(tmp_path)
    assert (read.name, read.description, read.trigger) == ("pdf", "Reads PDFs", "manual")
    assert read.required_tools == ("Bash", "Read") and read.instructions == "# PDF\n\nRead them."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"Just text", "is no SKILL.md"),
        (b"---\nname: x\n---\n", "is no SKILL.md"),
        (b"---\ndescription: x\n---\nText", "is no SKILL.md"),
        (b"---\nname: [x]\n---\nText", "is no SKILL.md"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"---\nname: x\nmetadata:\n  scrubjay-plan: '['\n---\nText", "scrubjay-plan in SKILL.md is no JSON"),
        (b"---\nname: x\nmetadata:\n  scrubjay-schedule: never\n---\nText", "is no cron expression"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_skill_is_said_in_one_sentence(
    jay: Scrubjay, tmp_path: Path, content: bytes | None, sentence: str
) -> None:
    if content is not None:
        (tmp_path / "SKILL.md").write_bytes(content)
    with pytest.raises(Invalid, match=sentence) as refused:
        jay.skills.read(tmp_path / "SKILL.md")
    assert "\n" not in str(refused.value) and jay.skills.list() == []


def test_a_file_that_is_there_is_not_overwritten_unless_asked(jay: Scrubjay, tmp_path: Path) -> None:
    jay.skills.create(name="digest", instructions="Collect")
    (tmp_path / "SKILL.md").write_text("mine")
    with pytest.raises(Invalid, match="is there already"):
        jay.skills.write("digest", tmp_path)
    assert (tmp_path / "SKILL.md").read_text() == "mine"
    jay.skills.write("digest", tmp_path, overwrite=True)
    assert "Collect" in (tmp_path / "SKILL.md").read_text()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_skill_on_a_full_disk_leaves_the_file_as_it_was_and_a_new_one_is_private(
    jay: Scrubjay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jay.skills.create(name="digest", instructions="Collect")
    mine = tmp_path / "SKILL.md"
    mine.write_text("mine")
    mine.chmod(0o640)
    before = os.umask(0)
    try:
        assert jay.skills.write("digest", tmp_path / "new" / "SKILL.md").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    with monkeypatch.context() as full, pytest.raises(Invalid, match="No space left"):
        full.setattr(os, "fsync", no_room)
        jay.skills.write("digest", mine, overwrite=True)
    assert mine.read_text() == "mine" and sorted(path.name for path in tmp_path.iterdir() if "SKILL" in path.name) == [
        "SKILL.md"
    ]
    jay.skills.write("digest", mine, overwrite=True)
    assert "Collect" in mine.read_text() and mine.stat().st_mode & 0o777 == 0o640


def no_room(file: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


WORDS = st.text(min_size=1, max_size=20).map(str.strip).filter(bool)


@given(name=WORDS, description=st.none() | WORDS, instructions=WORDS, tools=st.lists(WORDS, max_size=3))
@example(name="a\u2028b", description="c\x85d", instructions="Collect", tools=["e\u2029f"])
def test_every_skill_is_read_as_it_was_written(
    name: str, description: str | None, instructions: str, tools: list[str]
) -> None:
    data = {"name": name, "description": description, "instructions": instructions, "required_tools": tools}
    assert skill_files.parsed(skill_files.page({**data, "plan": [], "enabled": True})) == {**data, "enabled": True}

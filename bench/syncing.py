"""What keeping level with files and transcripts costs: `python -m bench.syncing`, part of `make bench`."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from random import Random
from typing import Any

import scrubjay
from bench import report
from bench.corpus import notes
from bench.report import Row, Table
from bench.timing import seconds, take_turns
from bench.workroom import workroom
from scrubjay.models.embedders import cut, open_embedder
from scrubjay.models.embedding import embedded_text

FILES = 2_000
PARTS = 4
LINES = (2_000, 100_000)
APPENDED = 1_000
SYNCS = Table(
    "A vault of Markdown files, with the bundled model",
    "*First* beside the embedding of the same passages alone, each distinct one once, in turns; the rest is what"
    " keeping level costs after that. *Read* counts documents whose content was looked at.",
)
GROWTH = Table(
    f"{APPENDED:,} lines appended to a transcript",
    "Without an embedder: what reading and storing them costs, whatever the size of the file.",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=FILES, help="how many files the vault has")
    parser.add_argument("--docs", action="store_true", help="write docs/figures/sync.md")
    options = parser.parse_args()
    with workroom() as folder:
        SYNCS.rows.extend(vault_times(folder, options.files))
        GROWTH.rows.extend(growth_times(folder, lines) for lines in LINES)
    page = "\n".join(map(report.markdown, (SYNCS, GROWTH)))
    print(page)
    if options.docs:
        (report.FIGURES / "sync.md").write_text(page, encoding="utf-8")


def vault_times(folder: Path, files: int) -> list[Row]:
    """One vault: synced, synced again, with one line changed, with one file renamed."""
    local = open_embedder("local")
    assert local is not None
    local.embed(["the model is loaded before anything is measured"])
    beside = first_sync_beside_embedding(folder, files // PARTS, local)
    vault = folder / "vault"
    write_vault(vault, files)
    rows: list[Row] = []
    with scrubjay.open(folder / "vault.db", embedder=local) as jay:
        jay.sources.add(vault)

        def synced(what: str) -> None:
            found: list[scrubjay.Synced] = []
            taken = seconds(lambda: found.append(jay.sync()))
            rows.append(row(what, taken, found[0]))

        synced("first")
        rows[0]["/ embedding alone"] = beside
        synced("nothing changed")
        page = vault / "area0" / "page0.md"
        page.write_text(page.read_text().replace("the", "The", 1))
        synced("one line changed")
        page.rename(vault / "renamed.md")
        synced("one file renamed")
    return rows


def first_sync_beside_embedding(folder: Path, files: int, local: Any) -> float:
    """How many times as long a first sync takes as embedding its texts: parts of a vault, in turns."""
    texts: dict[Path, list[str]] = {}
    for part in range(PARTS):
        vault = folder / f"part{part}"
        write_vault(vault, files, seed=part + 20)
        with scrubjay.open(folder / f"part{part}.words.db", embedder="none") as jay:
            jay.sources.add(vault)
            jay.sync()
            passages = jay.list(kinds=["passage"])
        texts[vault] = list(dict.fromkeys(piece for one in passages for piece in cut(local, embedded_text(one))))

    def sync(vault: Path) -> None:
        with scrubjay.open(vault.with_suffix(".db"), embedder=local) as jay:
            jay.sources.add(vault)
            jay.sync()

    taken = take_turns({"embed": lambda vault: local.embed(texts[vault]), "sync": sync}, list(texts))
    return sum(taken["sync"]) / sum(taken["embed"])


def row(what: str, taken: float, done: scrubjay.Synced) -> Row:
    return {
        "sync": what,
        "ms": taken * 1000,
        "read": done.read,
        "added": done.changed.added,
        "removed": done.changed.removed,
        "embedded": done.embedded,
    }


def growth_times(folder: Path, lines: int) -> Row:
    path = folder / f"{lines}" / "talk.jsonl"
    path.parent.mkdir()
    append(path, lines, 0)
    with scrubjay.open(folder / f"{lines}.db", embedder="none") as jay:
        jay.sources.add(path.parent, kind="transcripts", client="claude-code")
        jay.sync()
        append(path, APPENDED, lines)
        size = path.stat().st_size
        found: list[scrubjay.Synced] = []
        taken = seconds(lambda: found.append(jay.sync()))
    done = found[0]
    return {"lines before": lines, "ms": taken * 1000, "added": done.changed.added, "bytes read": done.bytes,
            "bytes in the file": size}  # fmt: skip


def append(path: Path, lines: int, start: int) -> None:
    with path.open("a", encoding="utf-8") as file:
        for number, text in enumerate(notes(lines, seed=start), start=start):
            side = ("user", "assistant")[number % 2]
            at = f"2026-05-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.{number % 1000:03}Z"
            record = {
                "type": side, "uuid": f"{number:032x}", "sessionId": "s", "timestamp": at,
                "message": {"role": side, "content": f"{text} ({number})"},
            }  # fmt: skip
            file.write(json.dumps(record) + "\n")


def write_vault(folder: Path, files: int, seed: int = 9) -> None:
    """Pages with a few sections of a few paragraphs; every tenth ends with the same one."""
    random = Random(5)
    paragraphs = iter(notes(files * 18, seed=seed))
    for number in range(files):
        lines = [f"# Page {number}", ""]
        for section in range(random.randint(1, 3)):
            lines += [f"## Part {section}", ""]
            for _ in range(random.randint(1, 3)):
                lines += [f"{next(paragraphs)} {next(paragraphs)}", ""]
        if number % 10 == 0:
            lines += ["# Licence", "", "Everybody may copy these notes, as long as they say whose they are.", ""]
        path = folder / f"area{number % 20}" / f"page{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines), encoding="utf-8")
        os.utime(path, (1_750_000_000 + number, 1_750_000_000.5 + number))


if __name__ == "__main__":
    main()

"""Ordinary text to measure false alarms: code, pages, locked versions, manuals, logs and chats found on this machine.

Each source is split by package, folder or conversation into a tuning half, which the rules may be adjusted to, and a
judging half, which they may not.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sysconfig
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Literal

from bench.logs_made import make_logs
from bench.sets import FOLDER

__all__ = ["HALVES", "SOURCES", "Half", "Ordinary", "files_not_sampled", "ordinary_texts", "paragraphs", "read_text"]

Half = Literal["tuning", "judging"]
HALVES: tuple[Half, Half] = ("tuning", "judging")

ROOT = Path(__file__).resolve().parent.parent
SEED = 20
FILES = 1200  # read of each source at most
TEXTS = 20_000  # kept of each source and half at most
FILE_CHARACTERS = 100_000
TEXT_CHARACTERS = 4_000
ROOTS = (Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("stdlib")), Path("/usr/lib"), Path("/usr/share"))
DEPTH = 4  # folders below a root that make a group
EXAMPLES_OF_SECRETS = re.compile(r"awscli/examples|detect_secrets|/scrubjay|botocore/data|/tests?(?:/|$)|/man/[a-ln-z]")
ENDINGS: Mapping[str, tuple[str, ...]] = {
    "Python code": (".py", ".pyi"),
    "JavaScript, TypeScript and CSS": (".js", ".ts", ".mjs", ".cjs", ".css"),
    "other code": (".c", ".h", ".cmake", ".sh", ".pl", ".pm", ".rb", ".go", ".rs", ".java", ".el", ".vim"),
    "settings and data": (".json", ".yaml", ".yml", ".toml", ".xml", ".ini", ".cfg", ".conf", ".properties"),
    "digests and locked versions": ("RECORD", "lock.json", ".lock", ".sha256", "md5sums", "Cargo.toml"),
    "pages of packages": (".md", ".rst", "METADATA", ".html"),
    "plain text": (".txt", "README", "copyright", "changelog.gz", "NEWS.gz"),
    "manual pages": (".1.gz", ".3.gz", ".5.gz", ".7.gz", ".8.gz"),
}
CONVERSATIONS = ("locomo", "beam_100K", "knowme_d1", "prefeval_explicit")
PAGES = ("scifact", "xquad_es2en", "xquad_zh2en")


@dataclass(frozen=True, slots=True)
class Ordinary:
    """A paragraph without a secret, and the half that it belongs to."""

    text: str
    half: Half


def ordinary_texts(name: str) -> dict[Half, list[str]]:
    """The paragraphs of a source by half; the same on every run on the same machine."""
    kept: dict[Half, list[str]] = {half: [] for half in HALVES}
    for one in SOURCES[name]():
        if one.text.strip() and len(kept[one.half]) < TEXTS:
            kept[one.half].append(one.text)
    return kept


def half_of(group: str) -> Half:
    return HALVES[zlib.crc32(group.encode()) % 2]


@cache
def _listing() -> tuple[tuple[str, Path], ...]:
    """Every file below the folders, with the package or folder that it belongs to, always in the same order."""
    found = set()
    for root in ROOTS:
        for folder, _, names in os.walk(root):
            if not EXAMPLES_OF_SECRETS.search(folder):
                parts = Path(folder).relative_to(root).parts
                found |= {("/".join([*parts, name][:DEPTH]), Path(folder, name)) for name in names}
    return tuple(sorted(found))


def _ending_with(*endings: str) -> list[tuple[str, Path]]:
    return [(group, path) for group, path in _listing() if path.name.endswith(endings) and path.is_file()]


def _sample(*endings: str) -> list[tuple[str, Path]]:
    paths = _ending_with(*endings)
    return Random(SEED).sample(paths, min(FILES, len(paths)))


def _files(name: str) -> Iterator[Ordinary]:
    """The paragraphs of some of the files whose names end as those of the source do."""
    for group, path in _sample(*ENDINGS[name]):
        yield from (Ordinary(text, half_of(group)) for text in paragraphs(read_text(path)))


def files_not_sampled(*endings: str) -> list[tuple[str, Path]]:
    """Files whose names end so, and that no source here has read, each with its package or folder."""
    return [found for found in _ending_with(*endings) if found[1] not in _all_sampled()]


@cache
def _all_sampled() -> frozenset[Path]:
    return frozenset(path for endings in ENDINGS.values() for _, path in _sample(*endings))


def read_text(path: Path) -> str:
    opened = gzip.open(path) if path.suffix == ".gz" else path.open("rb")
    with opened:
        return opened.read(FILE_CHARACTERS).decode("utf-8", "replace")


def paragraphs(page: str) -> Iterator[str]:
    """Parts between empty lines, the long ones in pieces that end with a line."""
    for part in re.split(r"\n\s*\n", page):
        yield from re.findall(rf"(?s).{{1,{TEXT_CHARACTERS}}}(?:\n|\Z)|.{{{TEXT_CHARACTERS}}}", part)


def _messages(*names: str) -> Iterator[Ordinary]:
    for name in names:
        path = FOLDER / name / "corpus.jsonl.gz"
        for line in gzip.decompress(path.read_bytes()).splitlines() if path.is_file() else ():
            message = json.loads(line)
            half = half_of(str(message.get("scope") or message["_id"]))
            yield from (Ordinary(text, half) for text in paragraphs(message["text"]))


def _questions() -> Iterator[Ordinary]:
    """Also in Chinese and in Spanish."""
    for name in (*CONVERSATIONS, *PAGES):
        path = FOLDER / name / "queries.jsonl.gz"
        for line in gzip.decompress(path.read_bytes()).splitlines() if path.is_file() else ():
            text = json.loads(line)["text"]
            yield Ordinary(text, half_of(text))


def _long_texts() -> Iterator[Ordinary]:
    for path in sorted(FOLDER.glob("chunking/corpora/*.md.gz")):
        for place, text in enumerate(paragraphs(gzip.decompress(path.read_bytes()).decode())):
            yield Ordinary(text, HALVES[place // 50 % 2])


def _own_pages() -> Iterator[Ordinary]:
    for path in [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]:
        yield from (Ordinary(text, half_of(path.name)) for text in paragraphs(read_text(path)))


def _history() -> Iterator[Ordinary]:
    """What git prints of this project: titles, names of files, and changed lines."""
    command = ["git", "-C", str(ROOT), "log", "-p", "--stat", "--no-color", "-n", "150"]
    printed = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout
    for entry in printed.split("\ncommit "):
        if "/test" in entry or "bench/" in entry:  # made to look like secrets
            continue
        yield from (Ordinary(text, half_of(entry[:40])) for text in paragraphs(entry[:FILE_CHARACTERS]))


def _logs() -> Iterator[Ordinary]:
    return (Ordinary(text, half_of(kind)) for kind, text in make_logs(SEED, 6000))


SOURCES: Mapping[str, Callable[[], Iterator[Ordinary]]] = {
    **{name: partial(_files, name) for name in ENDINGS},
    "the project's pages": _own_pages,
    "the project's history": _history,
    "logs made at random": _logs,
    "five long texts": _long_texts,
    "chats": lambda: _messages(*CONVERSATIONS),
    "questions": _questions,
    "pages in English": lambda: _messages(*PAGES),
}

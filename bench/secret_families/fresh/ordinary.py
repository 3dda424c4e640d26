"""Ordinary text that the first sample does not have: made after many templates, and from files that it did not read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

from bench.ordinary_text import files_not_sampled, paragraphs, read_text
from bench.secret_families.fresh.split import is_unseen

__all__ = ["fresh_texts", "templates"]

SEED = 2026
TEXTS_A_TEMPLATE = 20
FILES = 600  # read of each source at most
ALPHABETS = {
    "h": digits + "abcdef",
    "H": digits + "ABCDEF",
    "a": ascii_letters + digits,
    "u": ascii_letters + digits + "-_",
    "b": ascii_letters + digits + "+/",
    "l": ascii_lowercase + digits,
    "A": ascii_uppercase + digits,
    "d": digits,
}
WORDS = (
    "alder bison comet drift ester fjord grove heron inlet jetty koala lotus mocha nickel otter prism quill raft sable "
    "tundra umber vapor wharf yarrow zinc"
).split()
CERTIFICATES = "certificates and public keys"
ENDINGS: Mapping[str, tuple[str, ...]] = {
    "Python code": (".py", ".pyi"),
    "JavaScript, TypeScript and CSS": (".js", ".ts", ".mjs", ".cjs", ".css"),
    "C, shell, Perl and Go": (".c", ".h", ".sh", ".pl", ".pm", ".go", ".rs", ".java"),
    "C++, PHP, Tcl and others": (".hpp", ".cpp", ".php", ".tcl", ".m4", ".awk", ".proto", ".pyx", ".pxd", ".f90"),
    "units, drawings and tables": (".service", ".svg", ".csv", ".desktop", ".rules", ".map", ".xsl", ".dtd"),
    CERTIFICATES: (".pem", ".crt", ".asc", ".pub"),
    "settings and data": (".json", ".yaml", ".yml", ".toml", ".xml", ".ini", ".cfg", ".conf", ".properties"),
    "digests and locked versions": ("RECORD", "lock.json", ".lock", ".sha256", "md5sums", "Cargo.toml"),
    "pages of packages": (".md", ".rst", "METADATA", ".html"),
    "plain text": (".txt", "README", "copyright", "changelog.gz", "NEWS.gz", "changelog.Debian.gz"),
    "manual pages": (".1.gz", ".3.gz", ".5.gz", ".7.gz", ".8.gz"),
}


def fresh_texts() -> Iterator[tuple[str, bool, str]]:
    """The source, whether it is of the unseen half, and the text; the same on every run on the same machine."""
    for name, template in templates().items():
        random = Random(f"{SEED} {name}")
        source = f"made: {name.split(':')[0]}"
        yield from ((source, is_unseen(name), fill(template, random)) for _ in range(TEXTS_A_TEMPLATE))
    for name, endings in ENDINGS.items():
        files = files_not_sampled(*endings)
        for group, path in Random(SEED).sample(files, min(FILES, len(files))):
            page = read_text(path)
            if name != CERTIFICATES or "PRIVATE KEY" not in page:
                yield from ((name, is_unseen(group), text) for text in paragraphs(page) if text.strip())


def templates() -> dict[str, str]:
    page = (Path(__file__).parent / "ordinary.txt").read_text(encoding="utf-8")
    blocks = (block.split("\n", 1) for block in re.split(r"^=== (?=\w+: )", page, flags=re.MULTILINE)[1:])
    return {name: text.rstrip("\n") for name, text in blocks}


def fill(template: str, random: Random) -> str:
    return re.sub(r"\{(?:([hHaublAd])(\d+)|uuid|word|Word|WORD)\}", lambda hole: _fill(hole, random), template)


def _fill(hole: re.Match[str], random: Random) -> str:
    if hole[1]:
        return "".join(random.choices(ALPHABETS[hole[1]], k=int(hole[2])))
    word = random.choice(WORDS)
    made = {"{word}": word, "{Word}": word.capitalize(), "{WORD}": word.upper()}
    return made.get(hole[0]) or fill("{h8}-{h4}-4{h3}-a{h3}-{h12}", random)

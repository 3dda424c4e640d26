"""Families of secrets, and values made after a family's template with a seeded Random."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random

__all__ = ["PUBLIC", "SHAPE", "Family", "Made", "expand", "families", "is_held_out", "password", "read_families"]

SHAPE = "recognised by its shape"
PUBLIC = "public identifiers"

_GROUP = re.compile(
    r"\{(?:(?P<uuid>uuid)|(?P<set>[a-zX]):(?P<low>\d+)(?:-(?P<high>\d+))?|(?P<choice>[^{}]*\|[^{}]*))\}"
)
_MIXED = string.ascii_letters + string.digits
_SETS = {
    "a": _MIXED,
    "b": _MIXED + "+/",
    "c": string.ascii_letters,
    "d": string.digits,
    "e": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "f": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "h": "abcdefgh" + string.digits,
    "i": string.ascii_lowercase + "234567",
    "k": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "l": string.ascii_lowercase + string.digits,
    "n": string.ascii_lowercase,
    "p": _MIXED + "!@#%^*-_+",
    "q": string.ascii_uppercase + "234567",
    "u": string.ascii_uppercase + string.digits,
    "w": _MIXED + "_-",
    "x": "abcdef" + string.digits,
    "X": "ABCDEF" + string.digits,
}
_UUID = "{x:8}-{x:4}-4{x:3}-a{x:3}-{x:12}"


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of secret: how its values look, and what they are called where they stand."""

    name: str
    section: str
    template: str
    identifiers: tuple[tuple[str, ...], ...]  # each a sequence of words


@dataclass(frozen=True, slots=True)
class Made:
    """A text with a secret in it, and under which name it is counted."""

    name: str
    carrier: str
    text: str
    secret: str


@cache
def families() -> tuple[Family, ...]:
    return read_families(Path(__file__).parent / "services.txt")


def read_families(path: Path) -> tuple[Family, ...]:
    lines = path.read_text(encoding="utf-8").splitlines()
    found, section = [], ""
    for line in lines:
        if line.startswith("=="):
            section = line.strip("= ")
        elif " | " in line and not line.startswith("#"):
            found.append(_family(section, *line.split(" | ")))
    return tuple(found)


def _family(section: str, name: str, template: str, identifiers: str) -> Family:
    words = tuple(tuple(one.split()) for one in identifiers.split(", "))
    return Family(name.removesuffix(" +"), section, template, words)


def is_held_out(name: str) -> bool:
    return sha256(name.encode()).digest()[0] % 2 == 1


def expand(template: str, random: Random) -> str:
    """A value: groups filled at random, all other characters as they stand."""
    return _GROUP.sub(lambda group: _fill(group, random), template)


def _fill(group: re.Match[str], random: Random) -> str:
    if group["uuid"]:
        return expand(_UUID, random)
    if group["choice"] is not None:
        return random.choice(str(group["choice"]).split("|"))
    low = int(group["low"])
    length = random.randint(low, int(group["high"] or low))
    return _ends_in_letters("".join(random.choices(_SETS[group["set"]], k=length)), random)


def _ends_in_letters(value: str, random: Random) -> str:
    """A value whose ends are no punctuation, for where a sentence stops there no reader could tell it from its mark."""
    ends = {0, len(value) - 1}
    return "".join(
        random.choice(string.ascii_lowercase) if at in ends and not one.isalnum() else one
        for at, one in enumerate(value)
    )


def password(random: Random) -> str:
    """Twelve to sixteen characters of all classes, as a password safe makes them."""
    return expand("{a:3}{#|%|!|*|+}{a:4}{-|_|@|^}{a:4-6}{d:1}", random)

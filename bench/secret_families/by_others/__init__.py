"""Notes, chats and settings by two authors who had seen neither the rules nor each other's texts.

Sets a and b are by one of them, c and d by the other. Each was scored before a rule was changed because of it; since
then the misses of a, b and c have been looked at, and those of d have not.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.report import Row, Table
from scrubjay.text.secret_scan import find_secrets

__all__ = ["tables_by_others"]

FOLDER = Path(__file__).parent
# Secrets caught and ordinary texts flagged, before a rule was changed because of the set.
FIRST_SIGHT = {"a": (92, 1), "b": (71, 3), "c": (112, 2), "d": (104, 4)}
FORMS = ("prose", "dialogue", "structured")
NOTE = (
    "Caught is: covered from end to end. The misses of d were never looked at, those of the others after they were"
    " scored at first sight. The ordinary texts are hard ones: a quarter of them speak of secrets without giving one."
)


def tables_by_others(show: int) -> Iterator[Table]:
    """`show` misses and false alarms of each set that may be looked at are printed."""
    yield Table("Texts by other authors", NOTE, [_row(name, show if name != "d" else 0) for name in FIRST_SIGHT])


def _row(name: str, show: int) -> Row:
    texts: Mapping[str, Any] = json.loads((FOLDER / f"set_{name}.json").read_text(encoding="utf-8"))
    secrets, ordinary = texts["secrets"], texts["ordinary"]
    missed = [one for one in secrets if not _is_caught(one["text"], one["secret"])]
    flagged = [text for text in ordinary if find_secrets(text)]
    for text in [*(one["text"] for one in missed), *flagged][:show]:
        print(f"set {name}: {text!r}")
    caught, false_alarms = FIRST_SIGHT[name]
    return {
        "set": name,
        "texts": len(secrets),
        "caught": len(secrets) - len(missed),
        "caught at first sight": caught,
        **_by_form(secrets, missed),
        "ordinary texts": len(ordinary),
        "flagged": len(flagged),
        "flagged at first sight": false_alarms,
    }


def _by_form(secrets: Iterable[Mapping[str, str]], missed: Iterable[Mapping[str, str]]) -> dict[str, str | None]:
    every, not_caught = (Counter(one.get("form") for one in some) for some in (secrets, missed))
    return {form: f"{every[form] - not_caught[form]} of {every[form]}" if every[form] else None for form in FORMS}


def _is_caught(text: str, secret: str) -> bool:
    start = text.index(secret)
    covered = {place for found in find_secrets(text) for place in range(found.start, found.end)}
    return all(place in covered or text[place].isspace() for place in range(start, start + len(secret)))

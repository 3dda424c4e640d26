"""Notes, chats and settings by five authors who had seen neither the rules nor each other's texts.

Sets a and b are by one of them, c and d by another, e, f and g by one each. Each was scored before a rule was changed
because of it; since then the misses of all but g have been looked at, and the weights of `access` are fitted to them
(`bench.guard_weights`). Nothing of g has been looked at, so it can judge.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.report import Row, Table
from scrubjay.text.secret_scan import find_secrets

__all__ = ["AUTHORS", "is_caught", "tables_by_others", "texts_of"]

FOLDER = Path(__file__).parent
# Secrets caught and ordinary texts flagged, before a rule was changed because of the set.
FIRST_SIGHT = {"a": (92, 1), "b": (71, 3), "c": (112, 2), "d": (104, 4), "e": (137, 8), "f": (129, 11), "g": (105, 1)}
AUTHORS = {"first": ("a", "b"), "second": ("c", "d"), "third": ("e",), "fourth": ("f",)}
FORMS = ("prose", "dialogue", "structured")
NOTE = (
    "Caught is: covered from end to end. The misses of all but g were looked at after they were scored at first sight,"
    " and the weights of the rule `access` are fitted to them. The ordinary texts are hard ones: a quarter of them"
    " speak of secrets without giving one."
)


def texts_of(name: str) -> Mapping[str, Any]:
    texts: Mapping[str, Any] = json.loads((FOLDER / f"set_{name}.json").read_text(encoding="utf-8"))
    return texts


def tables_by_others(show: int) -> Iterator[Table]:
    """`show` misses and false alarms of each set are printed."""
    yield Table("Texts by other authors", NOTE, [_row(name, show) for name in FIRST_SIGHT])


def _row(name: str, show: int) -> Row:
    texts = texts_of(name)
    secrets, ordinary = texts["secrets"], texts["ordinary"]
    missed = [one for one in secrets if not is_caught(one["text"], one["secret"])]
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


def is_caught(text: str, secret: str) -> bool:
    start = text.index(secret)
    covered = {place for found in find_secrets(text) for place in range(found.start, found.end)}
    return all(place in covered or text[place].isspace() for place in range(start, start + len(secret)))

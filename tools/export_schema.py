"""The published JSON Schema of an export's lines (docs/reference/export.schema.json), and the tables of its page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from scrubjay.portable.lines.json_schema import json_schema
from scrubjay.stores.transfer.tables import BEFORE_MEMORIES, EDIT, LEFT_OUT, MEMORY, STEP, TABLES, Table

__all__ = ["left_out", "table"]

FILE = Path(__file__).parents[1] / "docs/reference/export.schema.json"
OTHERS = (
    (
        "header",
        "`format`, `version`, `spaces`; `part` if made with a filter; `keys` of marks and of uids from other"
        " programs; the model of `vectors`",
    ),
    ("settings", "`space`, `values`: what the user has set for this space; an import shows it and changes nothing"),
)
MORE = {"memory": ", `task` {…}, `vectors` […] (base64 of 32-bit floats, little-endian)"}


def table() -> str:
    """Every type of line, and its fields."""
    lines = [*OTHERS, *((one.line, _fields(one.fields) + MORE.get(one.line, "")) for one in _tables())]
    lines.append(("end", "`lines`, `sha256`, `signature`"))
    return "\n| type | fields |\n|---|---|\n" + "".join(f"| `{name}` | {fields} |\n" for name, fields in lines) + "\n"


def left_out() -> str:
    """The tables of a store that no export has, and why."""
    return (
        "\n| table | why |\n|---|---|\n" + "".join(f"| `{name}` | {why} |\n" for name, why in LEFT_OUT.items()) + "\n"
    )


def _tables() -> tuple[Table, ...]:
    return (*TABLES[:BEFORE_MEMORIES], MEMORY, STEP, EDIT, *TABLES[BEFORE_MEMORIES:])


def _fields(fields: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in fields)


if __name__ == "__main__":
    FILE.write_text(json.dumps(json_schema(), indent=2) + "\n", encoding="utf-8")

"""Tables in Markdown, the record in JSON, and pictures that read on white and on dark pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["FIGURES", "INK", "Row", "Table", "markdown", "new_picture", "save_picture", "write_json"]

Row = dict[str, Any]

FIGURES = Path(__file__).resolve().parent.parent / "docs" / "figures"
INK = "#7d8590"  # grey enough for both backgrounds


@dataclass(frozen=True, slots=True)
class Table:
    """What was measured, and what there is to know to read it."""

    title: str
    note: str
    rows: list[Row] = field(default_factory=list)


def markdown(table: Table) -> str:
    if not table.rows:
        return f"### {table.title}\n\nNot measured in this run.\n"
    columns = list(dict.fromkeys(name for row in table.rows for name in row))
    numeric = {name for name in columns if all(isinstance(row.get(name, 0.0), int | float) for row in table.rows)}
    lines = [f"### {table.title}", "", table.note, "", _line(columns)]
    lines.append(_line(["--:" if name in numeric else "---" for name in columns]))
    lines += [_line([_cell(row.get(name)) for name in columns]) for row in table.rows]
    return "\n".join(lines) + "\n"


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def new_picture(columns: int, width: float, height: float) -> tuple[Any, Sequence[Any]]:
    """A row of empty plots, transparent, in ink that shows on any background."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    pyplot.rcParams.update(
        {
            "text.color": INK,
            "axes.labelcolor": INK,
            "axes.edgecolor": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "svg.fonttype": "none",
            "svg.hashsalt": "scrubjay",  # with no date in it, the file is the same when the figures are
        }
    )
    picture, plots = pyplot.subplots(1, columns, figsize=(width, height), squeeze=False, layout="constrained")
    for plot in plots[0]:
        plot.spines[["top", "right"]].set_visible(False)
        plot.grid(axis="y", color=INK, alpha=0.25, linewidth=0.6)
        plot.set_axisbelow(True)
    return picture, list(plots[0])


def save_picture(picture: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.savefig(path, transparent=True, metadata={"Date": None})


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return str(value)

"""The figures as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench import report
from bench.quality.abilities import REPORTED, WHOLE
from bench.quality.asking import MODES, WAYS
from bench.quality.tables import Record
from bench.report import Row

__all__ = ["draw"]

COLOURS = dict(zip(WAYS, ("#2f81f7", "#86b6f6", "#2fa198", "#d9822b", "#a8804f"), strict=True))
SETS, CONVERSATIONS = "quality.svg", "quality-conversations.svg"
FIRST = ("any@1", "any@5", "any@10")


def draw(record: Record) -> list[str]:
    """Write the pictures; their names."""
    whole = [one for one in record["figures"] if one["part"] == WHOLE]
    _draw_sets(whole)
    talks = [one for one in whole if FIRST[0] in one]
    if not talks:
        return [SETS]
    _draw_conversations(talks, record["separations"])
    return [SETS, CONVERSATIONS]


def _draw_sets(figures: Sequence[Row]) -> None:
    """nDCG@10 by set, a bar for each way."""
    names = list(dict.fromkeys(one["set"] for one in figures))
    picture, (plot,) = report.new_picture(1, 10, 3.6)
    _bars(plot, names, {way: [one["nDCG@10"] for one in figures if one["way"] == way] for way in WAYS})
    plot.set_ylabel("nDCG@10")
    plot.legend(frameon=False, ncols=len(WAYS), loc="upper center", bbox_to_anchor=(0.5, 1.14))
    report.save_picture(picture, report.FIGURES / SETS)


def _draw_conversations(figures: Sequence[Row], separations: Sequence[Row]) -> None:
    """Sessions found, and how well the best score tells questions that nothing answers."""
    picture, (found, told) = report.new_picture(2, 10, 3.6)
    firsts = [f"first {name.removeprefix('any@')}" for name in FIRST]
    _bars(found, firsts, {one["way"]: [one[name] for name in FIRST] for one in figures})
    found.set_title(f"{figures[0]['set']}: a session that answers is among the", fontsize=10)
    found.set_ylabel("share of the questions")
    rows = [row for row in separations if row["part"] == REPORTED]
    names = [f"{row['set']}\n{row['sort']}" for row in rows]
    _bars(told, names, {way: [row[way] for row in rows] for way in WAYS})
    told.axhline(0.5, color=report.INK, linestyle="--", linewidth=1)  # a coin tells as much
    told.tick_params(axis="x", labelsize=7.5)
    told.set_title("the best score tells whether anything answers", fontsize=10)
    told.set_ylabel("AUC")
    handles, labels = told.get_legend_handles_labels()
    picture.legend(handles, labels, frameon=False, ncols=len(WAYS), loc="outside upper center")
    report.save_picture(picture, report.FIGURES / CONVERSATIONS)


def _bars(plot: Any, names: Sequence[str], heights: dict[str, list[float]]) -> None:
    width = 0.8 / len(heights)
    for number, (way, own) in enumerate(heights.items()):
        places = [place + (number - (len(heights) - 1) / 2) * width for place in range(len(names))]
        label = f"Scrubjay, {way}" if way in MODES else f"plain {way}"
        plot.bar(places, own, width * 0.9, color=COLOURS[way], label=label)
    plot.set_xticks(range(len(names)), names)

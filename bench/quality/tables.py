"""The record, laid out as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bench.quality.abilities import CHOSEN, REPORTED, WHOLE
from bench.quality.aims import average_gain, must_show, targets
from bench.quality.asking import BM25, MINILM, WAYS
from bench.quality.parts import PARTS
from bench.report import Row, Table

__all__ = ["Record", "tables"]

Record = Mapping[str, list[Row]]

HALVES = (CHOSEN, REPORTED)
RANKS = ("R@5", "R@10", "nDCG@10", "MRR")
SESSIONS = ("any@1", "any@5", "any@10", "all@1", "all@5", "all@10")
# What the sets' own page gives for the two plain ways, R@10 and nDCG@10.
PUBLISHED = {
    ("locomo", BM25): (0.621, 0.472),
    ("locomo", MINILM): (0.414, 0.272),
    ("prefeval_explicit", BM25): (0.168, 0.095),
    ("prefeval_explicit", MINILM): (0.371, 0.208),
    ("beam_100K", BM25): (0.396, 0.293),
    ("beam_100K", MINILM): (0.538, 0.430),
    ("scifact", BM25): (0.811, 0.684),
    ("scifact", MINILM): (0.792, 0.649),
}


def tables(record: Record) -> list[Table]:
    figures = record["figures"]
    others = [_elsewhere(record), _parts(record), *_abstention(record), _latency(record)]
    return [*_demands(figures), *_rankings(figures), *others]


def _demands(figures: Sequence[Row]) -> list[Table]:
    gain = average_gain(figures)
    return [
        Table(
            "What search must show",
            "nDCG@10 on the reported half; a difference of .002 is none. Averaged over these sets, hybrid search is"
            f" {gain:.1%} above the better of the two plain ways.",
            [_shortened(row) for row in must_show(figures)],
        ),
        Table(
            "What was aimed at",
            "Hybrid search. *any@5*: a session that answers is among the first five. Met or not by the whole set.",
            [_shortened(row) for row in targets(figures)],
        ),
    ]


def _rankings(figures: Sequence[Row]) -> list[Table]:
    with_sessions = [one for one in figures if SESSIONS[0] in one]
    plain = [one for one in figures if one["part"] == WHOLE and (one["set"], one["way"]) in PUBLISHED]
    ranks = " · ".join(RANKS)
    return [
        Table(
            "Whole sets",
            f"{ranks}. Hybrid search, its two legs alone, and two plain ways beside them: SQLite's BM25, and the cosine"
            " of one MiniLM vector per text. Questions that nothing answers are left out, except for locomo's"
            " adversarial ones, which have evidence, if about the wrong person. *ours* is"
            " a set of our own (`tests/data/memories.json`).",
            _wide(figures, (WHOLE,), RANKS),
        ),
        Table(
            "The two halves",
            f"{ranks}. The constants of the ranking were chosen on every other scope (of a single scope, every other"
            " question), the *chosen half*; the *reported half* is the rest.",
            _wide(figures, HALVES, RANKS),
        ),
        Table("By ability", f"{ranks}, over whole sets.", _wide(figures, _abilities(figures), RANKS)),
        Table(
            "Sessions",
            "Whether any, and whether all of the sessions that answer are among the first 1, 5, 10, ranked by their"
            f" best turns: {' · '.join(SESSIONS)}.",
            _wide(with_sessions, (WHOLE, *HALVES, *_abilities(with_sessions)), SESSIONS),
        ),
        Table(
            "The plain ways beside their published figures",
            "R@10 · nDCG@10, as measured here and as the sets' own page gives them.",
            [_compared(one) for one in plain],
        ),
    ]


def _elsewhere(record: Record) -> Table:
    return Table(
        "Other memories",
        "nDCG@10 of the same questions where the memory is another: dealt out at random to spaces of so many documents;"
        " all scopes in one; turns or whole sessions as notes, nothing but text; and passages of the documents of"
        " [chunking](chunking.md), on which no order was chosen, only when to doubt; how the number of memories counts"
        " was chosen with half of the small spaces. Answerable questions of both halves.",
        [_shortened(row) for row in record["elsewhere"]],
    )


def _parts(record: Record) -> Table:
    note = (
        "nDCG@10 of hybrid search on the reported half, and what becomes of it when one part of the ranking is switched"
        " off: reading a turn with those around it, its conversation's best turn, whom it names, the time"
        " that a question names, what many pieces cost a long text, what is held against an assistant's turns."
    )
    rows = [{key: _signed(key, value) for key, value in row.items()} for row in record["parts"]]
    return Table("What each part adds", note, rows)


def _signed(key: str, value: Any) -> Any:
    return f"{value:+.3f}" if key in PARTS else _short(value) if isinstance(value, float) else value


def _abstention(record: Record) -> list[Table]:
    made = [
        Table(
            "Precision",
            "Hybrid search with default settings, questions that something answers: the share of the results that is"
            " relevant, of the first, the first three and all; of the *likely*; of the ten that the plain ways give;"
            " and how much of what is relevant in the first ten is likely. *withheld*: the share of the questions that"
            " got no likely result.",
            _of_halves(record["precision"]),
        ),
        Table(
            "Where nothing answers",
            "The share of these questions that got no likely result (*withheld*), and how many likely ones on average"
            " (the plain ways give ten)."
            " *abstention*, *unanswerable*: about what was never told. *adversarial*: about the wrong one of two"
            " people. *another scope's*, *another set's*: asked in a memory that has nothing to do with them.",
            _of_halves(record["withheld"]),
        ),
        Table(
            "Does the best score tell?",
            "The chance that the best result of a question with an answer scores above that of one without (AUC; .5 is"
            " a coin). *confidence*: that of the best result of hybrid search.",
            _of_halves(record["separations"]),
        ),
    ]
    note = (
        "The results of hybrid search by how sure it said it was: mean confidence → share that is relevant"
        " (results). Over the reported half and what nothing answers, without the adversarial questions."
    )
    made.append(Table("Confidence", note, _calibration(record["calibration"])))
    return made


def _calibration(bins: Sequence[Row]) -> list[Row]:
    """A row for each bin, a column for each set."""
    rows: dict[float, Row] = {}
    for one in sorted(bins, key=lambda one: float(one["from"])):
        row = rows.setdefault(one["from"], {"confidence from": _short(one["from"])})
        row[one["set"]] = f"{_short(one['said'])} → {_short(one['relevant'])} ({one['results']:,})"
    return list(rows.values())


def _of_halves(rows: Iterable[Row]) -> list[Row]:
    return [_shortened(row) for row in rows if row["part"] in HALVES]


def _latency(record: Record) -> Table:
    note = "A single hybrid `search`. Machines differ, and this one had other work to do: read the proportions."
    return Table("Time for a question", note, record["latency"])


def _abilities(figures: Iterable[Row]) -> tuple[str, ...]:
    parts = dict.fromkeys(one["part"] for one in figures)
    return tuple(part for part in parts if part not in (WHOLE, *HALVES))


def _wide(figures: Sequence[Row], parts: Sequence[str], measures: Sequence[str]) -> list[Row]:
    """A row for each of these parts of each set, a column for each way."""
    rows: dict[tuple[str, str], Row] = {}
    for one in figures:
        if one["part"] in parts and measures[0] in one:
            row = rows.setdefault((one["set"], one["part"]), {key: one[key] for key in ("set", "part", "questions")})
            row[one["way"]] = " · ".join(_short(one[measure]) for measure in measures)
    return [row for row in rows.values() if set(WAYS) <= set(row)]


def _compared(one: Row) -> Row:
    recall, ndcg = PUBLISHED[one["set"], one["way"]]
    return {
        "set": one["set"],
        "way": one["way"],
        "here": f"{_short(one['R@10'])} · {_short(one['nDCG@10'])}",
        "published": f"{_short(recall)} · {_short(ndcg)}",
        "apart": f"{one['R@10'] - recall:+.3f} · {one['nDCG@10'] - ndcg:+.3f}",
    }


def _shortened(row: Row) -> Row:
    return {key: _short(value) if isinstance(value, float) else value for key, value in row.items()}


def _short(figure: float) -> str:
    return f"{figure:.3f}".lstrip("0") if figure < 0.9995 else f"{figure:.3g}"

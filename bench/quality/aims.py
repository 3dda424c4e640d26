"""What search must show: that joining the two legs is worth it on every set, and the aims that were set for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from bench.quality.abilities import REPORTED, WHOLE
from bench.quality.asking import BM25, HYBRID, MINILM
from bench.report import Row

__all__ = ["average_gain", "must_show", "targets"]

TOLERANCE = 0.002
MEASURE = "nDCG@10"
# Those of beam's abilities whose evidence can be found from the question.
FINDABLE = (
    "information_extraction",
    "knowledge_update",
    "contradiction_resolution",
    "temporal_reasoning",
    "multi_session_reasoning",
)
AIMS = (
    ("locomo", "R@10", 0.75),
    ("locomo", "any@1", 0.75),
    ("locomo", "any@5", 0.94),
    ("locomo", "any@10", 0.98),
    ("prefeval_explicit", "R@10", 0.42),
    ("scifact", "nDCG@10", 0.75),
)


def must_show(records: Sequence[Row]) -> list[Row]:
    """Hybrid search beside its better leg and the plain ways, on the half on which nothing was chosen."""
    return [_beside(name, _by_way(records, name, REPORTED)) for name in _sets(records)]


def average_gain(records: Sequence[Row]) -> float:
    """By what share hybrid search is above the better plain way, both averaged over the sets."""
    ways = [_by_way(records, name, REPORTED) for name in _sets(records)]
    return fmean(way[HYBRID] for way in ways) / fmean(max(way[BM25], way[MINILM]) for way in ways) - 1


def targets(records: Sequence[Row]) -> list[Row]:
    measured = set(_sets(records))
    rows = [
        _target(
            f"{name} {measure}", aim, *(_by_way(records, name, part, measure)[HYBRID] for part in (WHOLE, REPORTED))
        )
        for name, measure, aim in AIMS
        if name in measured
    ]
    if "beam_100K" in measured:
        rows.append(_target("beam_100K R@10, findable abilities, times BM25's", 1.5, _times_bm25(records), None))
    return rows


def _target(what: str, aim: float, whole: float, reported: float | None) -> Row:
    return {"aim": what, "at least": aim, WHOLE: whole, REPORTED: reported, "met": _yes(whole >= aim)}


def _times_bm25(records: Sequence[Row]) -> float:
    means = {
        way: fmean(_by_way(records, "beam_100K", ability, "R@10")[way] for ability in FINDABLE)
        for way in (HYBRID, BM25)
    }
    return means[HYBRID] / means[BM25]


def _beside(name: str, ways: dict[str, float]) -> Row:
    leg, plain = max(ways["keyword"], ways["vector"]), max(ways[BM25], ways[MINILM])
    least = ways[HYBRID] + TOLERANCE
    return {
        "set": name,
        "hybrid": ways[HYBRID],
        "better leg": leg,
        "plain BM25": ways[BM25],
        "plain MiniLM": ways[MINILM],
        "gain over the better plain way": f"{ways[HYBRID] - plain:+.3f}",
        "not behind its legs": _yes(least >= leg),
        "not behind the plain ways": _yes(least >= plain),
    }


def _by_way(records: Sequence[Row], name: str, part: str, measure: str = MEASURE) -> dict[str, float]:
    return {one["way"]: one[measure] for one in records if (one["set"], one["part"]) == (name, part)}


def _sets(records: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(record["set"] for record in records))


def _yes(met: bool) -> str:
    return "yes" if met else "**no**"

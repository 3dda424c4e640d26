"""How good a ranking is: arithmetic on ids and grades, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import log2

__all__ = ["CUT", "judge", "judge_sessions", "separation"]

CUT = 10
FIRST_SESSIONS = (1, 5, 10)


def judge(ranking: Sequence[str], relevant: Mapping[str, int]) -> dict[str, float]:
    """Of the first ten: the share of what is relevant, its places weighed, and the place of the first."""
    found = [place for place, id in enumerate(ranking[:CUT], start=1) if id in relevant]
    ideal = _gain(sorted(relevant.values(), reverse=True)[:CUT])
    return {
        "R@5": sum(place <= 5 for place in found) / len(relevant),
        "R@10": len(found) / len(relevant),
        "nDCG@10": _gain([relevant.get(id, 0) for id in ranking[:CUT]]) / ideal,
        "MRR": 1 / found[0] if found else 0.0,
    }


def judge_sessions(
    ranking: Sequence[str], relevant: Collection[str], session_of: Mapping[str, str]
) -> dict[str, float]:
    """Whether any and whether all of the sessions that answer are among the first, each ranked by its best turn."""
    sessions = list(dict.fromkeys(session_of[id] for id in ranking if id in session_of))
    gold = {session_of[id] for id in relevant}
    judged: dict[str, float] = {}
    for count in FIRST_SESSIONS:
        judged[f"any@{count}"] = float(not gold.isdisjoint(sessions[:count]))
        judged[f"all@{count}"] = float(gold <= set(sessions[:count]))
    return judged


def separation(above: Sequence[float], below: Sequence[float]) -> float:
    """How often one of the first is above one of the second (AUC); ties count half."""
    wins = sum((one > other) + (one == other) / 2 for one in above for other in below)
    return wins / (len(above) * len(below))


def _gain(grades: Sequence[int]) -> float:
    """What the grades are worth in this order; the linear gain of trec_eval."""
    return sum(grade / log2(place + 1) for place, grade in enumerate(grades, start=1))

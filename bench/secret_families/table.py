"""The tables of these secrets in `python -m bench.guard`: every family of the open half, only totals of the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random

from bench.report import Row, Table
from bench.secret_families.carriers import ALONE, NAMED
from bench.secret_families.files import FORMS, form
from bench.secret_families.prose import SENTENCES, VALUES, sentence
from bench.secret_families.values import PUBLIC, SHAPE, Family, Made, expand, families, is_held_out
from scrubjay.text.secret_scan import find_secrets

__all__ = ["tables"]

SEED = 2025
TEXTS_A_FAMILY = 40
AIM_FAMILIES, AIM_PROSE = 0.95, 0.90

Scores = Mapping[str, Sequence[tuple[Made, bool]]]


def tables(show: int) -> Iterator[Table]:
    """Per family, per form and per sentence; `show` misses of each row of the open half are printed."""
    secret = _judged(_of_family(one) for one in families() if one.section != PUBLIC)
    public = _judged(_of_family(one) for one in families() if one.section == PUBLIC)
    files = _judged(_of_form(name) for name in FORMS)
    prose = _judged(_of_sentence(name) for name in SENTENCES)
    _print_misses([secret, files, prose], show)
    yield _table("Secrets of a public rule list, by family", secret, AIM_FAMILIES)
    yield _table("Files and commands with a secret", files, AIM_FAMILIES)
    yield _table("Secrets in sentences, by shape", prose, AIM_PROSE)
    yield _by_value(prose)
    yield _in_all({"families": secret, "files and commands": files, "sentences": prose, "public identifiers": public})


def _of_family(family: Family) -> Iterator[Made]:
    random = Random(f"{SEED} {family.name}")
    for _ in range(TEXTS_A_FAMILY):
        value = expand(family.template, random)
        alone = family.section == SHAPE and random.random() < 0.3
        carrier = random.choice(list(ALONE if alone else NAMED))
        text = ALONE[carrier](value) if alone else NAMED[carrier](random.choice(family.identifiers), value)
        yield Made(family.name, carrier, text, value)


def _of_form(name: str) -> Iterator[Made]:
    random = Random(f"{SEED} {name}")
    return (form(name, random) for _ in range(TEXTS_A_FAMILY))


def _of_sentence(name: str) -> Iterator[Made]:
    random = Random(f"{SEED} {name}")
    kinds = list(VALUES)
    return (sentence(name, kinds[number % len(kinds)], random) for number in range(TEXTS_A_FAMILY + 2))


def _judged(groups: Iterable[Iterator[Made]]) -> Scores:
    scores: dict[str, list[tuple[Made, bool]]] = defaultdict(list)
    for made in (one for group in groups for one in group):
        scores[made.name].append((made, _is_caught(made)))
    return scores


def _is_caught(made: Made) -> bool:
    """Covered from end to end, by one finding or by several that touch."""
    at, end = made.text.index(made.secret), made.text.index(made.secret) + len(made.secret)
    for found in sorted(find_secrets(made.text), key=lambda finding: finding.start):
        if found.start <= at < found.end:
            at = found.end
    return at >= end


def _rate(judged: Sequence[tuple[Made, bool]]) -> float:
    return sum(caught for _, caught in judged) / len(judged)


def _table(title: str, scores: Scores, aim: float) -> Table:
    """A row for each kind of the open half, and one for each half in all."""
    rows: list[Row] = []
    shown = [name for name in sorted(scores) if not is_held_out(name)]
    for name in shown:
        missed = Counter(made.carrier for made, caught in scores[name] if not caught)
        where = ", ".join(f"{number} {carrier}" for carrier, number in missed.most_common(5))
        rows.append({"name": name, **_figures([name], scores, aim), "missed in": where or None})
    rows.append({"name": "**open half**", **_figures(shown, scores, aim)})
    held_out = [name for name in scores if is_held_out(name)]
    rows.append({"name": "**held-out half**", **_figures(held_out, scores, aim)})
    return Table(title, f"{TEXTS_A_FAMILY} texts or more each; the aim is {aim:.0%}.", rows)


def _figures(names: Sequence[str], scores: Scores, aim: float) -> Row:
    judged = [one for name in names for one in scores[name]]
    return {
        "kinds": len(names),
        "texts": len(judged),
        "caught": sum(caught for _, caught in judged),
        "rate": f"{_rate(judged):.3f}",
        "under the aim": sum(_rate(scores[name]) < aim for name in names),
    }


def _by_value(prose: Scores) -> Table:
    by_kind: dict[str, list[tuple[Made, bool]]] = defaultdict(list)
    for name, judged in prose.items():
        for made, caught in judged if not is_held_out(name) else ():
            by_kind[made.carrier].append((made, caught))
    rows: list[Row] = [
        {"secret": kind, "texts": len(all_), "rate": f"{_rate(all_):.3f}"} for kind, all_ in by_kind.items()
    ]
    return Table("Secrets in sentences, by what the secret is", "The open half of the sentences.", rows)


def _in_all(parts: Mapping[str, Scores]) -> Table:
    rows: list[Row] = []
    for name, scores in parts.items():
        for half, held_out in (("open", False), ("held out", True)):
            names = [one for one in scores if is_held_out(one) == held_out]
            aim = AIM_PROSE if name == "sentences" else AIM_FAMILIES
            rows.append({"part": name, "half": half, **_figures(names, scores, aim)})
    note = (
        "Both halves, in all. Public identifiers (client ids, publishable keys) are on the rule list, "
        "but are no secrets: there is no aim for them."
    )
    return Table("Secrets of a public rule list, in all", note, rows)


def _print_misses(parts: Sequence[Scores], show: int) -> None:
    for scores in parts:
        for name in sorted(scores):
            missed = [made for made, caught in scores[name] if not caught and not is_held_out(name)]
            for made in missed[:show]:
                print(f"missed: {name}: {made.carrier}: {made.text!r}")

"""The tables of these secrets in `python -m bench.guard`: each family of a half to look at, totals of the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from bench.report import Row, Table
from bench.secret_families import carriers, files, prose
from bench.secret_families.fresh import FAMILIES as FRESH_FAMILIES
from bench.secret_families.fresh import FIRST_FALSE_ALARMS, FIRST_SIGHT
from bench.secret_families.fresh import carriers as fresh_carriers
from bench.secret_families.fresh import files as fresh_files
from bench.secret_families.fresh import prose as fresh_prose
from bench.secret_families.fresh.split import is_unseen
from bench.secret_families.third import FAMILIES as THIRD_FAMILIES
from bench.secret_families.third import FIRST_SIGHT as THIRD_FIRST_SIGHT
from bench.secret_families.third import files as third_files
from bench.secret_families.third import prose as third_prose
from bench.secret_families.values import PUBLIC, SHAPE, Family, Made, expand, families, is_held_out
from scrubjay.text.secret_scan import find_secrets

__all__ = ["tables"]

SEED = 2025
TEXTS_A_FAMILY = 40
AIM_FAMILIES, AIM_PROSE = 0.95, 0.90
SENTENCES = "sentences"

T = TypeVar("T")
FirstSight = Mapping[tuple[str, str], tuple[int, int, int, int]]
Scores = Mapping[str, Sequence[tuple[Made, bool]]]


@dataclass(frozen=True, slots=True)
class Part:
    """A list of secrets of one origin, and how it is split: `is_hidden` tells the names whose misses are not shown."""

    title: str
    halves: Sequence[str]  # the shown one, and the hidden one if there is one
    is_hidden: Callable[[str], bool]
    scores: dict[str, Scores] = field(default_factory=dict)  # by what is counted: families, files, sentences

    def names(self, what: str, hidden: bool) -> list[str]:
        return sorted(name for name in self.scores[what] if self.is_hidden(name) == hidden)


def tables(show: int) -> Iterator[Table]:
    """Per family, per form and per sentence; `show` misses of each row that may be seen are printed."""
    for part in (_public_list(), _fresh(), _third()):
        _print_misses(part, show)
        yield _table(part, "families", f"{part.title}, by family")
        yield _table(part, "files and commands", f"{part.title}: files and commands")
        yield _table(part, SENTENCES, f"{part.title}: sentences, by shape")
        yield _by_value(part)
        yield _in_all(part)
    yield _first_sight("Fresh secrets at first sight", FIRST_SIGHT, _first_false_alarms())
    yield _first_sight("Third secrets at first sight", THIRD_FIRST_SIGHT)


def _public_list() -> Part:
    secret = [one for one in families() if one.section != PUBLIC]
    public = [one for one in families() if one.section == PUBLIC]
    part = Part("Secrets of a public rule list", ("open", "held out"), is_held_out)
    part.scores["families"] = _judged(_of_family(one) for one in secret)
    part.scores["files and commands"] = _judged(_of_form(name, files.FORMS[name]) for name in files.FORMS)
    part.scores[SENTENCES] = _judged(_of_sentence(name, prose.VALUES, prose.sentence) for name in prose.SENTENCES)
    part.scores["public identifiers"] = _judged(_of_family(one) for one in public)
    return part


def _fresh() -> Part:
    part = Part("Fresh secrets", ("seen", "unseen"), is_unseen)
    part.scores["families"] = _judged(map(_of_fresh_family, FRESH_FAMILIES))
    forms, shapes = fresh_files.FORMS, fresh_prose.SENTENCES
    part.scores["files and commands"] = _judged(_of_form(name, forms[name]) for name in forms)
    part.scores[SENTENCES] = _judged(_of_sentence(name, fresh_prose.VALUES, fresh_prose.sentence) for name in shapes)
    return part


def _of_fresh_family(family: Family) -> Iterator[Made]:
    named, alone = _same_half(fresh_carriers.NAMED, family.name), _same_half(fresh_carriers.ALONE, family.name)
    return _of_family(family, named, alone)


def _third() -> Part:
    part = Part("Third secrets", ("all",), lambda name: False)
    part.scores["families"] = _judged(map(_of_family, THIRD_FAMILIES))
    forms, shapes = third_files.FORMS, third_prose.SENTENCES
    part.scores["files and commands"] = _judged(_of_form(name, forms[name]) for name in forms)
    part.scores[SENTENCES] = _judged(_of_sentence(name, third_prose.VALUES, third_prose.sentence) for name in shapes)
    return part


def _same_half(all_carriers: Mapping[str, T], family: str) -> Mapping[str, T]:
    """The carriers of the family's own half."""
    return {name: one for name, one in all_carriers.items() if is_unseen(name) == is_unseen(family)}


def _of_family(
    family: Family,
    named: Mapping[str, carriers.Carrier] = carriers.NAMED,
    alone: Mapping[str, Callable[[str], str]] = carriers.ALONE,
) -> Iterator[Made]:
    random = Random(f"{SEED} {family.name}")
    for _ in range(TEXTS_A_FAMILY):
        value = expand(family.template, random)
        is_alone = family.section == SHAPE and random.random() < 0.3
        carrier = random.choice(list(alone if is_alone else named))
        text = alone[carrier](value) if is_alone else named[carrier](random.choice(family.identifiers), value)
        yield Made(family.name, carrier, text, value)


def _of_form(name: str, form: files.Form) -> Iterator[Made]:
    random = Random(f"{SEED} {name}")
    return (Made(name, "file", *form(random)) for _ in range(TEXTS_A_FAMILY))


def _of_sentence(shape: str, values: Iterable[str], sentence: Callable[[str, str, Random], Made]) -> Iterator[Made]:
    random = Random(f"{SEED} {shape}")
    kinds = list(values)
    return (sentence(shape, kinds[number % len(kinds)], random) for number in range(TEXTS_A_FAMILY + 2))


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


def _aim(what: str) -> float:
    return AIM_PROSE if what == SENTENCES else AIM_FAMILIES


def _table(part: Part, what: str, title: str) -> Table:
    """A row for each kind of the half that may be seen, and one for each half in all."""
    rows: list[Row] = []
    for name in part.names(what, hidden=False):
        missed = Counter(made.carrier for made, caught in part.scores[what][name] if not caught)
        where = ", ".join(f"{number} {carrier}" for carrier, number in missed.most_common(5))
        rows.append({"name": name, **_figures(part, what, [name]), "missed in": where or None})
    for half, hidden in zip(part.halves, (False, True), strict=False):
        label = f"**{half} half**" if len(part.halves) > 1 else f"**{half}**"
        rows.append({"name": label, **_figures(part, what, part.names(what, hidden))})
    return Table(title, f"{TEXTS_A_FAMILY} texts or more each; the aim is {_aim(what):.0%}.", rows)


def _figures(part: Part, what: str, names: Sequence[str]) -> Row:
    scores = part.scores[what]
    judged = [one for name in names for one in scores[name]]
    return {
        "kinds": len(names),
        "texts": len(judged),
        "caught": sum(caught for _, caught in judged),
        "rate": f"{_rate(judged):.3f}",
        "under the aim": sum(_rate(scores[name]) < _aim(what) for name in names),
    }


def _by_value(part: Part) -> Table:
    by_kind: dict[str, list[tuple[Made, bool]]] = defaultdict(list)
    for name in part.names(SENTENCES, hidden=False):
        for made, caught in part.scores[SENTENCES][name]:
            by_kind[made.carrier].append((made, caught))
    rows: list[Row] = [
        {"secret": kind, "texts": len(all_), "rate": f"{_rate(all_):.3f}"} for kind, all_ in by_kind.items()
    ]
    title = f"{part.title}: sentences, by what the secret is"
    return Table(title, f"The {part.halves[0]} half of the sentences.", rows)


def _in_all(part: Part) -> Table:
    rows: list[Row] = []
    for what in part.scores:
        for half, hidden in zip(part.halves, (False, True), strict=False):
            rows.append({"part": what, "half": half, **_figures(part, what, part.names(what, hidden))})
    note = "Each half, in all."
    if "public identifiers" in part.scores:
        note += (
            " Public identifiers (client ids, publishable keys) are on the rule list, "
            "but are no secrets: there is no aim for them."
        )
    return Table(f"{part.title}, in all", note, rows)


def _first_sight(title: str, recorded: FirstSight, alarms: str = "") -> Table:
    """A part before any rule was changed because of it, as recorded."""
    rows: list[Row] = []
    for (what, half), (kinds, texts, caught, under) in recorded.items():
        figures = {"kinds": kinds, "texts": texts, "caught": caught, "rate": f"{caught / texts:.3f}"}
        rows.append({"part": what, "half": half, **figures, "under the aim": under})
    return Table(title, f"As recorded, before a rule was changed because of this part.{alarms}", rows)


def _first_false_alarms() -> str:
    alarms = ", ".join(
        f"{flagged} of {texts:,} ordinary texts of the {half} half"
        for half, (texts, flagged) in FIRST_FALSE_ALARMS.items()
    )
    return f" False alarms: {alarms}."


def _print_misses(part: Part, show: int) -> None:
    for what in part.scores if show else ():
        for name in part.names(what, hidden=False):
            for made in [made for made, caught in part.scores[what][name] if not caught][:show]:
                print(f"missed: {name}: {made.carrier}: {made.text!r}")

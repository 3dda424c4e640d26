"""How well the kind of a text is told from its words: `python -m bench.kinds`."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from bench import report
from bench.quality.ours import FILE
from bench.report import Row, Table, markdown
from bench.sets import FOLDER, read_set
from scrubjay.text.kinds import DEFAULT_KIND, KNOWN, kind_of

# What the labels of our own set are called here: its authors labelled it before these rules existed.
SAME = {"bug": ("bugfix", "failure_mode")}
# Kinds beside the labelled one that a person may as well give: this set has no others for them.
NEAR = {
    "fact": ("identity", "background", "relationship", "contact", "event", "pattern"),
    "decision": ("convention", "invariant"),
}
NOTE = """\
Sentences that somebody else labelled before the rules were written: the set of our own, and the stated preferences of
prefeval. The rules were chosen on every other sentence and are reported on the rest; their author had read all of our
own set before, so only prefeval's second half is unseen. `same`: the labelled kind;
`same or near`: also a kind that this set has no label for (an event or a relationship labelled as a fact, a convention
labelled as a decision). Written by `python -m bench.kinds --docs`."""
LABELS = Path(__file__).with_name("kinds_labels.json")
FRESH = Path(__file__).with_name("kinds_labels_fresh.json")
THIRD = Path(__file__).with_name("kinds_labels_third.json")
LABELS_NOTE = """\
548 sentences that were written and labelled by people who had not seen the rules, each with the kinds that are as
right. `precision`: of the sentences that are told to be of this kind, how many are; `recall`: of the sentences labelled
with this kind, how many are told to be of it, or of a kind that is as right. `any but fact` sums the kinds up without
the one that is given when no rule fits. `first` are the 263 of the first author, whose misses were all looked at,
`open` every other one of the 158 that came later, and `rest` the others of these, whose misses were not looked at; but
their author mended the rules, and remembers them. So it is with `third open` and `third rest`, the halves of 127 that
a third author wrote, with more that is tricky: plain facts with the words of other kinds, and few set phrases. At
first sight, any but fact: precision 0.962 and recall 0.517, 0.864 and 0.466 in the halves of `first`, then, after
mending, 0.895 and 0.522 in `open`, 0.906 and 0.485 in `rest`, then, after mending, 0.743 and 0.692 in `third open`,
0.806 and 0.588 in `third rest`. What was mended for `third open` changed nothing in `third rest`: that half shows
best what to expect of sentences that nobody has looked at."""
OTHERS = f"any but {DEFAULT_KIND}"

Labelled = list[tuple[str, str]]  # text and kind


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.kinds", description=__doc__)
    parser.add_argument("--docs", action="store_true", help="write docs/figures/kinds.md")
    options = parser.parse_args()
    told = json.loads(FILE.read_text(encoding="utf-8"))["memories"]
    rows = list(_rows("ours", [(one["text"], one["kind"]) for one in told]))
    if FOLDER.is_dir():
        documents = [one for scope in read_set("prefeval_explicit").documents.values() for one in scope]
        rows += _rows("prefeval", [(one.text, "preference") for one in documents])
    else:
        print("only the set of our own: the public sets are not there (../shared/data beside the project)")
    text = "\n".join(map(markdown, [Table("Kinds told from words", NOTE, rows), by_hand()]))
    print(text)
    if options.docs:
        (report.FIGURES / "kinds.md").write_text(f"# Kinds\n\n{text}", encoding="utf-8")


def by_hand() -> Table:
    first, later, third = (json.loads(file.read_text(encoding="utf-8")) for file in (LABELS, FRESH, THIRD))
    halves = {"open": later[::2], "rest": later[1::2], "third open": third[::2], "third rest": third[1::2]}
    rows = []
    for half, some in {"first": first, **halves}.items():
        told = [(one["kind"], [one["kind"], *one["also"]], kind_of(one["text"])) for one in some]
        kinds = sorted({kind for kind, _, _ in told} - {DEFAULT_KIND})
        rows.append(_by_hand(half, OTHERS, set(KNOWN) - {DEFAULT_KIND}, told))
        rows += [_by_hand(half, one, [one], told) for one in [*kinds, DEFAULT_KIND]]
    return Table("Kinds of sentences labelled by hand", LABELS_NOTE, rows)


def _by_hand(half: str, name: str, kinds: Collection[str], told: Sequence[tuple[str, list[str], str]]) -> Row:
    given = [kind in allowed for _, allowed, kind in told if kind in kinds]
    there = [kind in allowed for label, allowed, kind in told if label in kinds]
    return {"half": half, "kind": name, "sentences": len(there), "told": len(given),
            "precision": sum(given) / len(given) if given else None, "recall": sum(there) / len(there)}  # fmt: skip


def _rows(name: str, labelled: Labelled) -> Iterator[Row]:
    for half, some in (("chosen", labelled[::2]), ("reported", labelled[1::2])):
        by_kind: dict[str, list[str]] = defaultdict(list)
        for text, kind in some:
            by_kind[kind].append(kind_of(text))
        for kind, told in sorted(by_kind.items()):
            yield _row(name, half, kind, told)


def _row(name: str, half: str, kind: str, told: Sequence[str]) -> Row:
    same = sum(one in SAME.get(kind, (kind,)) for one in told)
    near = sum(one in NEAR.get(kind, ()) for one in told)
    return {
        "set": name, "half": half, "labelled": kind, "sentences": len(told), "same": f"{same / len(told):.2f}",
        "same or near": f"{(same + near) / len(told):.2f}",
    }  # fmt: skip


if __name__ == "__main__":
    main()

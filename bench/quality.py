"""How well Scrubjay finds, on public sets, beside two plain ways: `python -m bench.quality`, or `make quality`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import scrubjay
from bench import report
from bench.cache import Cached
from bench.metrics import CUT, Quality, judge, mean
from bench.report import Row, Table
from bench.rivals import by_bm25, by_minilm
from bench.searching import MODES
from bench.sets import FOLDER, NAMES, Document, Question, RetrievalSet, read_set
from bench.workroom import workroom
from scrubjay.embedders import open_embedder

Weights = Mapping[str, float]
Judged = dict[str, list[tuple[Question, Quality]]]

BM25, MINILM = "BM25", "MiniLM"
WAYS = (*MODES, BM25, MINILM)
BY_CATEGORY = ("beam_100K",)
REPORTED = "reported half"
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
COLOURS = ("#2f81f7", "#86b6f6", "#2fa198", "#d9822b", "#a8804f")


def main() -> None:
    options = _options()
    if not FOLDER.is_dir():
        print("skipped: the sets are not there (../shared/data beside the project)")
        return
    embedder = Cached(open_embedder("local")) if options.cache else open_embedder("local")
    records: list[Row] = []
    with workroom() as folder:
        for name in options.sets:
            print(f"{name}: measuring", file=sys.stderr, flush=True)
            given = read_set(name)
            judged = _judge_set(given, folder / f"{name}.db", embedder, options.weights)
            records += _records(name, judged, _reported(given))
    text = "\n".join(report.markdown(table) for table in _tables(records))
    print(text)
    if options.json:
        report.write_json(options.json, {"weights": options.weights, "quality": records})
    if options.docs:
        _draw([record for record in records if not record["category"]])
        (report.FIGURES / "quality.md").write_text(f"# Quality\n\n![](quality.svg)\n\n{text}", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=NAMES, help=f"of {', '.join(NAMES)}")
    parser.add_argument("--weights", type=_weights, help="of keyword and vector in hybrid search, e.g. 0.5,0.5")
    parser.add_argument("--cache", action="store_true", help="keep vectors in the temporary folder for the next run")
    parser.add_argument("--json", type=Path, help="write the record there")
    parser.add_argument("--docs", action="store_true", help="write docs/figures/quality.svg and quality.md")
    return parser.parse_args()


def _weights(text: str) -> Weights:
    keyword, vector = map(float, text.split(","))
    return {"keyword": keyword, "vector": vector}


def _judge_set(given: RetrievalSet, path: Path, embedder: Any, weights: Weights | None) -> Judged:
    judged: Judged = {way: [] for way in WAYS}
    for scope, documents in given.documents.items():
        questions = given.questions.get(scope, [])
        rankings = {BM25: by_bm25(documents, questions), MINILM: by_minilm(embedder, documents, questions)}
        with scrubjay.open(path, space=scope, embedder=embedder) as jay:
            names = _add(jay, documents)
            for mode in MODES:
                answers = jay.search_many([one.text for one in questions], limit=CUT, mode=mode, weights=weights)
                rankings[mode] = [[names[hit.memory.id] for hit in results] for results in answers]
        for way in WAYS:
            pairs = zip(questions, rankings[way], strict=True)
            judged[way] += [(question, judge(ranking, question.relevant)) for question, ranking in pairs]
    return judged


def _add(jay: scrubjay.Scrubjay, documents: Sequence[Document]) -> dict[int, str]:
    """Remember a scope's documents, conversations turn by turn; what they are called, by id."""
    names: dict[int, str] = {}
    for session, group in groupby(documents, key=lambda document: document.session):
        own = list(group)
        if session:
            added = jay.add_turns(
                session, [{"text": one.text, "speaker": one.speaker, "happened_at": one.date} for one in own]
            )
        else:
            added = jay.add_many([{"text": one.text, "title": one.title or None, "kind": "fact"} for one in own])
        names |= {result.memory.id: document.id for result, document in zip(added, own, strict=True)}
    return names


def _reported(given: RetrievalSet) -> set[str]:
    """Every other scope, or of a single one every other question: the half on which nothing was chosen."""
    scopes = [given.questions.get(scope, []) for scope in given.documents]
    chosen = scopes[1::2] if len(scopes) > 1 else [scopes[0][1::2]]
    return {question.id for questions in chosen for question in questions}


def _records(name: str, judged: Judged, reported: set[str]) -> list[Row]:
    """One for each way over the whole set and its reported half, and over each category where those tell something."""
    records = [_record(name, "", way, pairs) for way, pairs in judged.items()]
    for way, pairs in judged.items():
        records.append(_record(name, REPORTED, way, [pair for pair in pairs if pair[0].id in reported]))
    if name in BY_CATEGORY:
        for category in sorted({question.category for question, _ in judged[BM25]}):
            for way, pairs in judged.items():
                records.append(_record(name, category, way, [pair for pair in pairs if pair[0].category == category]))
    return records


def _record(name: str, category: str, way: str, pairs: Sequence[tuple[Question, Quality]]) -> Row:
    quality = mean(quality for _, quality in pairs)
    figures = {"R@10": quality.recall, "nDCG@10": quality.ndcg, "MRR": quality.mrr}
    return {"set": name, "category": category, "questions": len(pairs), "way": way, **figures}


def _tables(records: Sequence[Row]) -> list[Table]:
    whole = [record for record in records if not record["category"]]
    return [
        Table(
            "Quality of search",
            "R@10 · nDCG@10 · MRR. Questions that nothing answers are left out. The constants of the ranking were"
            " fitted on every other scope (of a single scope, every other question); the *reported half* is the rest.",
            _wide(records),
        ),
        Table(
            "The plain ways beside their published figures",
            "R@10 · nDCG@10, as measured here and as the sets' own page gives them.",
            [_compared(record) for record in whole if (record["set"], record["way"]) in PUBLISHED],
        ),
    ]


def _wide(records: Sequence[Row]) -> list[Row]:
    """A row for each set or category, a column for each way."""
    rows: dict[tuple[str, str], Row] = {}
    for record in records:
        name = f"– {record['category']}" if record["category"] else record["set"]
        row = rows.setdefault(
            (record["set"], record["category"]), {"set": name, "questions": record["questions"]}
        )  # fmt: skip
        row[record["way"]] = _figures(record["R@10"], record["nDCG@10"], record["MRR"])
    return list(rows.values())


def _compared(record: Row) -> Row:
    recall, ndcg = PUBLISHED[record["set"], record["way"]]
    return {
        "set": record["set"],
        "way": record["way"],
        "here": _figures(record["R@10"], record["nDCG@10"]),
        "published": _figures(recall, ndcg),
        "apart": f"{record['R@10'] - recall:+.3f} · {record['nDCG@10'] - ndcg:+.3f}",
    }


def _figures(*figures: float) -> str:
    return " · ".join(f"{figure:.3f}".lstrip("0") if figure < 1 else "1" for figure in figures)


def _draw(records: Sequence[Row]) -> None:
    """nDCG@10 by set, a bar for each way."""
    names = list(dict.fromkeys(record["set"] for record in records))
    picture, (plot,) = report.new_picture(1, 10, 3.6)
    width = 0.8 / len(WAYS)
    for number, (way, colour) in enumerate(zip(WAYS, COLOURS, strict=True)):
        heights = [record["nDCG@10"] for record in records if record["way"] == way]
        places = [place + (number - (len(WAYS) - 1) / 2) * width for place in range(len(names))]
        label = f"Scrubjay, {way}" if way in MODES else f"plain {way}"
        plot.bar(places, heights, width * 0.9, color=colour, label=label)
    plot.set_xticks(range(len(names)), names)
    plot.set_ylabel("nDCG@10")
    plot.legend(frameon=False, ncols=len(WAYS), loc="upper center", bbox_to_anchor=(0.5, 1.14))
    report.save_picture(picture, report.FIGURES / "quality.svg")


if __name__ == "__main__":
    main()

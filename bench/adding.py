"""What an add costs beside the embedding it cannot do without, with the bundled model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import scrubjay
from bench.corpus import Memory, notes
from bench.engines import RIVAL, open_engine
from bench.report import Row
from bench.timing import Seconds, milliseconds, ratio, take_turns
from scrubjay.models.embedders import open_embedder

__all__ = ["add_times"]

SINGLE_SHARE = 10  # one note in so many is added singly
KIND = "fact"


def add_times(folder: Path, added: int, rounds: int) -> list[Row]:
    """Bulk and single adds, each beside the embedding of the same texts alone and beside the rival's."""
    local = open_embedder("local")
    texts = notes(added + added // SINGLE_SHARE, seed=3)
    bulk, single = texts[:added], texts[added:]
    assert local is not None
    local.embed(bulk[:8])
    return [
        _row(f"{added:,} at once", added, _bulk(folder, local, bulk, rounds)),
        _row("one at a time", 1, _single(folder, local, single)),
    ]


def _row(way: str, texts: int, taken: dict[str, Seconds]) -> Row:
    return {
        "added": way,
        "embedding alone, ms": milliseconds(taken["embed"]),
        "Scrubjay, ms": milliseconds(taken["ours"]),
        "vec0, ms": milliseconds(taken["rival"]),
        "Scrubjay, adds/s": texts / milliseconds(taken["ours"]) * 1000,
        "vec0, adds/s": texts / milliseconds(taken["rival"]) * 1000,
        "Scrubjay / embedding": ratio(taken["ours"], taken["embed"]),
        "vec0 / embedding": ratio(taken["rival"], taken["embed"]),
    }


def _bulk(folder: Path, local: Any, texts: Sequence[str], rounds: int) -> dict[str, Seconds]:
    fresh = count()

    def ours(round: int) -> None:
        with scrubjay.open(folder / f"bulk-{next(fresh)}.db", embedder=local) as jay:
            jay.add_many([{"text": text, "kind": KIND} for text in texts])

    def rival(round: int) -> None:
        engine = open_engine(RIVAL, folder / f"bulk-{next(fresh)}.db", local)
        engine.add([Memory(text, "large", KIND, None) for text in texts])
        engine.close()

    return take_turns({"embed": lambda round: local.embed(texts), "ours": ours, "rival": rival}, range(rounds))


def _single(folder: Path, local: Any, texts: Sequence[str]) -> dict[str, Seconds]:
    rival = open_engine(RIVAL, folder / "single-rival.db", local)
    with scrubjay.open(folder / "single.db", embedder=local) as jay:
        taken = take_turns(
            {
                "embed": lambda text: local.embed([text]),
                "ours": lambda text: jay.add(text, kind=KIND),
                "rival": lambda text: rival.add([Memory(text, "large", KIND, None)]),
            },
            texts,
        )
    rival.close()
    return taken

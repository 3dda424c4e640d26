"""LangGraph's store (`BaseStore`) over a memory: an item is a memory of the space, its namespace a path in it.

Labels and key are kept one by one, so that no two namespaces are ever taken for the same.
"""

from __future__ import annotations

import asyncio
import json
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Any, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    validate_op_namespace,
)
from langgraph.store.base.batch import AsyncBatchedBaseStore
from langgraph.store.base.embed import EmbeddingsFunc, ensure_embeddings

from scrubjay.adapters.named_texts import NamedTexts, NewText
from scrubjay.api import Scrubjay
from scrubjay.errors import Invalid
from scrubjay.memory.guard import shortened
from scrubjay.models.embedders import Embedder, Matrix
from scrubjay.models.embedding import PAGE_BREAK
from scrubjay.types import Memory
from scrubjay.types.limits import SHORT_CHARACTERS, check_metadata

__all__ = ["AsyncScrubjayStore", "IndexEmbedder", "ScrubjayStore"]

SOURCE = "langgraph"
WHOLE = "$"  # the field that stands for the whole value
REFRESHED = 0.05  # of its time must have passed before an item's expiry is moved again: a read seldom writes
SWEEP_MINUTES = 5
BETWEEN_FIELDS = f"\n{PAGE_BREAK}\n"  # so that each field of an item has its own vectors
FILTER_KEY = re.compile(r"[\w.-]+")
COMPARE = {
    "$eq": operator.eq, "$ne": operator.ne, "$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt,
    "$lte": operator.le,
}  # fmt: skip


class IndexEmbedder:
    """What LangGraph's `index={"dims": …, "embed": …}` embeds with, for `scrubjay.open(embedder=…)`.

    A memory has the vectors of one model, and knows it by its name: `model`, or else that of `embed`.
    """

    def __init__(self, index: IndexConfig, model: str | None = None) -> None:
        self.index = index
        self._embeddings = ensure_embeddings(index["embed"])
        self.dimensions = index["dims"]
        self.model = model or _model_name(index["embed"])

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        import numpy as np

        made = map(self._embeddings.embed_query, texts) if query else self._embeddings.embed_documents([*texts])
        return np.array([*made], np.float32).reshape(len(texts), -1)


class ScrubjayStore(BaseStore):
    """The `store=` of a compiled graph. `fields` are searched, each by itself; by default the whole value is."""

    __slots__ = ("_fields", "_jay", "_stop", "_sweeper", "_texts", "ttl_config")

    supports_ttl = True

    def __init__(self, jay: Scrubjay, *, fields: Sequence[str] = (WHOLE,), ttl: TTLConfig | None = None) -> None:
        self._texts = NamedTexts(jay, SOURCE, _is_item)
        self._jay = self._texts.jay
        self._fields = fields
        self._stop = Event()
        self._sweeper: Thread | None = None
        # LangGraph's own SQLite store moves no expiry where a configuration does not ask for it.
        self.ttl_config = ttl and TTLConfig({"refresh_on_read": False, **ttl})

    @property
    def index_config(self) -> IndexConfig | None:
        """What items are searched with, as LangGraph's own stores tell it; None in a memory without a model."""
        embedder = self._jay.view.selection.embedder
        if embedder is None:
            return None
        embed = embedder.index["embed"] if isinstance(embedder, IndexEmbedder) else _function_of(embedder)
        return {"dims": embedder.dimensions, "embed": embed, "fields": [*self._fields]}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several things at once: what is read is as it was before what is written."""
        wanted = list(ops)
        for op in wanted:
            validate_op_namespace(op)
        results = [self._read(op) for op in wanted]
        self._write({(op.namespace, op.key): op for op in wanted if isinstance(op, PutOp)})
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Move what has expired to the trash, and say how many items that were. No answer has them anyway."""
        return self._texts.evict()

    def start_ttl_sweeper(self, sweep_interval_minutes: int | None = None) -> Future[None]:
        """Sweep every so often in a thread, until `stop_ttl_sweeper`; the future is done when that has ended."""
        self.stop_ttl_sweeper()
        minutes = sweep_interval_minutes or (self.ttl_config or {}).get("sweep_interval_minutes") or SWEEP_MINUTES
        ended: Future[None] = Future()
        self._sweeper = Thread(target=self._sweep_until_stopped, args=(minutes * 60, ended), daemon=True)
        self._sweeper.start()
        return ended

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Whether no thread sweeps any more."""
        if self._sweeper is None:
            return True
        self._stop.set()
        self._sweeper.join(timeout)
        if self._sweeper.is_alive():
            return False
        self._sweeper = None
        self._stop.clear()
        return True

    def _sweep_until_stopped(self, seconds: float, ended: Future[None]) -> None:
        try:
            while not self._stop.wait(seconds):
                self.sweep_ttl()
            ended.set_result(None)
        except Exception as problem:
            ended.set_exception(problem)

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                return self._get(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._list_namespaces(op)
            case PutOp():
                return None
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _get(self, op: GetOp) -> Item | None:
        found = self._find(op.namespace, op.key)
        if found is None:
            return None
        self._refresh([found], op.refresh_ttl)
        return Item(**self._item(found))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        most = None if op.filter else op.offset + op.limit
        found = self._ranked(op, most) if op.query else [(one, None) for one in self._below(op.namespace_prefix, most)]
        wanted = [pair for pair in found if _has(self._value(pair[0]), op.filter)] if op.filter else found
        shown = wanted[op.offset : op.offset + op.limit]
        self._refresh([memory for memory, _ in shown], op.refresh_ttl)
        return [SearchItem(**self._item(memory), score=score) for memory, score in shown]

    def _ranked(self, op: SearchOp, most: int | None) -> list[tuple[Memory, float | None]]:
        """The nearest in meaning, best first; then those that have no vector, or were not meant to be searched."""
        everything = self._below(op.namespace_prefix, None)
        labels = {**_labels(op.namespace_prefix), "indexed": True}
        limit = len(everything) if most is None else min(most, len(everything))
        hits = self._texts.like(op.query or "", labels, limit) if limit else []
        found = {memory.id for memory, _ in hits}
        return [*hits, *((one, None) for one in everything if one.id not in found)]

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = {_namespace(memory) for memory in self._texts.all()}
        wanted = {one for one in found if all(_fits(one, condition) for condition in op.match_conditions or ())}
        cut = {one if op.max_depth is None else one[: op.max_depth] for one in wanted}
        return sorted(cut)[op.offset : op.offset + op.limit]

    def _write(self, puts: Mapping[tuple[tuple[str, ...], str], PutOp]) -> None:
        if not puts:
            return
        with self._texts.alone():
            known = {place: self._find(*place) for place in puts}
            new = [self._made(op, known[place]) for place, op in puts.items() if op.value is not None]
            self._texts.delete(old for place, old in known.items() if old is not None and puts[place].value is None)
            self._texts.put(new)

    def _made(self, op: PutOp, old: Memory | None) -> NewText:
        """The memory that an item becomes: its searchable text, and its value where that is not the text itself."""
        value = self._jay.view.allowed(_plain(op.value or {}))
        about: dict[str, Any] = {**_labels(op.namespace), "depth": len(op.namespace), "item": op.key}
        about |= {"indexed": op.index is not False, "created": old.metadata["created"] if old else self._now()}
        fields: dict[str, Any] = {}
        if op.ttl is not None:
            about["ttl"] = op.ttl
            fields["expires_at"] = self._jay.view.clock() + timedelta(minutes=op.ttl)
        name = _name(op.namespace, op.key)
        if _fits_in_metadata({**about, "value": value}):
            text = "" if op.index is False else BETWEEN_FIELDS.join(_texts(value, op.index or self._fields))
            return NewText(old, name, text, {**about, "value": value}, fields)
        return NewText(old, name, json.dumps(value, ensure_ascii=False), about, fields)

    def _now(self) -> str:
        return self._jay.view.clock().isoformat()

    def _find(self, namespace: tuple[str, ...], key: str) -> Memory | None:
        return self._texts.find(_name(namespace, key), {**_labels(namespace), "depth": len(namespace), "item": key})

    def _below(self, prefix: tuple[str, ...], limit: int | None) -> list[Memory]:
        return self._texts.all(_labels(prefix), limit)

    def _item(self, memory: Memory) -> dict[str, Any]:
        """An item is updated when this version of it was made; to move its expiry is no update."""
        made = {"created_at": datetime.fromisoformat(memory.metadata["created"]), "updated_at": memory.created_at}
        return {"namespace": _namespace(memory), "key": memory.metadata["item"], "value": self._value(memory), **made}

    def _value(self, memory: Memory) -> dict[str, Any]:
        if "value" in memory.metadata:
            return cast("dict[str, Any]", memory.metadata["value"])
        return cast("dict[str, Any]", json.loads(self._texts.text_of(memory)))

    def _refresh(self, read: Iterable[Memory], wanted: bool) -> None:
        """Move the expiry of items that were read."""
        now = self._jay.view.clock()
        for memory in read if wanted else ():
            if memory.expires_at and "ttl" in memory.metadata:
                later = now + timedelta(minutes=memory.metadata["ttl"])
                if later - memory.expires_at > (later - now) * REFRESHED:
                    self._texts.expire(memory, later)


class AsyncScrubjayStore(AsyncBatchedBaseStore):
    """The same for programs that await: what they ask for at the same time is one batch. Made inside an event loop."""

    __slots__ = ("_store", "ttl_config")

    supports_ttl = True

    def __init__(self, jay: Scrubjay, *, fields: Sequence[str] = (WHOLE,), ttl: TTLConfig | None = None) -> None:
        super().__init__()
        self._store = ScrubjayStore(jay, fields=fields, ttl=ttl)
        self.ttl_config = self._store.ttl_config

    @property
    def index_config(self) -> IndexConfig | None:
        return self._store.index_config

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await self._store.abatch(ops)

    async def sweep_ttl(self) -> int:
        return await asyncio.to_thread(self._store.sweep_ttl)

    async def start_ttl_sweeper(self, sweep_interval_minutes: int | None = None) -> asyncio.Future[None]:
        return asyncio.wrap_future(self._store.start_ttl_sweeper(sweep_interval_minutes))

    async def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        return await asyncio.to_thread(self._store.stop_ttl_sweeper, timeout)


def _model_name(embed: Any) -> str:
    """A name of a model, as LangChain gives it; else that of the function or class."""
    named = embed if isinstance(embed, str) else getattr(embed, "model", None) or getattr(embed, "model_name", None)
    return named if isinstance(named, str) else getattr(embed, "__qualname__", type(embed).__qualname__)


def _function_of(embedder: Embedder) -> EmbeddingsFunc:
    return lambda texts: cast("list[list[float]]", embedder.embed(texts).tolist())


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", json.loads(json.dumps(dict(value), allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as problem:
        raise Invalid(f"A value must be plain JSON: {problem}.") from None


def _labels(namespace: Sequence[str]) -> dict[str, str]:
    return {f"label{number}": label for number, label in enumerate(namespace)}


def _namespace(memory: Memory) -> tuple[str, ...]:
    return tuple(memory.metadata[f"label{number}"] for number in range(memory.metadata["depth"]))


def _is_item(memory: Memory) -> bool:
    """Whether its metadata are as `_made` writes them."""
    about = memory.metadata
    depth, ttl, created = about.get("depth"), about.get("ttl", 0), str(about.get("created"))
    if not isinstance(depth, int) or depth > len(about) or not isinstance(ttl, int | float):
        return False
    try:
        datetime.fromisoformat(created)
    except ValueError:
        return False
    names = [about.get("item"), *(about.get(label) for label in _labels([""] * depth))]
    return all(isinstance(name, str) for name in names) and isinstance(about.get("value", {}), dict)


def _name(namespace: Sequence[str], key: str) -> str:
    """What an item is called at other doors. It need not be unique: labels and key are compared, too."""
    return shortened("/".join((*namespace, key)), SHORT_CHARACTERS).strip() or SOURCE


def _fits_in_metadata(about: Mapping[str, Any]) -> bool:
    try:
        check_metadata(about)
    except Invalid:
        return False
    return True


def _texts(value: Mapping[str, Any], fields: Sequence[str]) -> Iterator[str]:
    """What is searched: each text has a vector of its own."""
    for field in fields:
        yield from ["\n".join(_lines(value))] if field == WHOLE else get_text_at_path(value, field)


def _lines(value: Any, name: str = "") -> Iterator[str]:
    """A value as people read it: each text and number on a line, after its name."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _lines(item, f"{key}")
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _lines(item, name)
    elif value is not None:
        yield f"{name}: {value}" if name else f"{value}"


def _has(value: Mapping[str, Any], filter: Mapping[str, Any]) -> bool:
    """Whether a value has all that a filter asks for; its keys may be paths, as `user.name`."""
    if wrong := [key for key in filter if not FILTER_KEY.fullmatch(key)]:
        raise ValueError(f"Invalid filter key: {wrong[0][:40]!r}; use letters, digits and . _ -")
    return all(_matches(value[key] if key in value else _at(value, key), wanted) for key, wanted in filter.items())


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _matches(value: Any, wanted: Any) -> bool:
    """{"size": {"$gte": 10}} compares; an object must have what is named, and anything else must be equal."""
    if isinstance(wanted, Mapping):
        if any(key.startswith("$") for key in wanted):
            return all(_compares(value, name, other) for name, other in wanted.items())
        return isinstance(value, Mapping) and all(_matches(value.get(key), item) for key, item in wanted.items())
    if isinstance(wanted, list | tuple):
        same = isinstance(value, list | tuple) and len(value) == len(wanted)
        return same and all(map(_matches, value, wanted))
    return bool(value == wanted)


def _compares(value: Any, name: str, other: Any) -> bool:
    if name not in COMPARE:
        raise ValueError(f"Unsupported operator: {name}")
    if name in ("$eq", "$ne"):
        return bool(COMPARE[name](value, other))
    try:
        return bool(COMPARE[name](float(value), float(other)))
    except (TypeError, ValueError):  # what is no number is neither more nor less
        return False


def _fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))

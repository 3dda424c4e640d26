"""Files of JSON or JSON Lines: MCP server-memory, mem0, LangGraph stores, and the exports of the seeds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrubjay.portable.formats.items import Item, brief, moment, strings, without

__all__ = ["read_json", "recognised"]

Objects = Sequence[Mapping[str, Any]]
TIMES = ("createdAt", "updatedAt", "created_at", "updated_at")
LISTS = ("results", "memories", "items", "facts", "data")  # where answers of servers and exports have their list


def recognised(data: Any) -> str | None:
    """Which program has written this JSON; a file of JSON Lines is a list of its lines."""
    objects = _objects(data)
    if isinstance(data, Mapping) and data.get("version") == 1 and _all(data.get("facts"), "content", "subject"):
        return "memstore"
    if _all(objects, "type") and all(one["type"] in ("entity", "relation") for one in objects):
        return "server-memory"
    if _all(objects, "namespace", "key", "value"):
        return "langgraph"
    if _all(objects, "memory", "id"):
        return "mem0"
    if _all(objects, "fact", "category"):
        return "memorizer"
    if _all(objects, "title", "content", "type"):
        return "rulebook"
    return None


def read_json(data: Any, name: str) -> Iterator[Item]:
    if name == "memstore":
        return _memstore(data["facts"])
    return READERS[name](_objects(data))


def _objects(data: Any) -> Objects:
    """The list in a file: the whole of it, or what an answer of a server has it in."""
    if isinstance(data, Mapping):
        found: Any = next((data[name] for name in LISTS if isinstance(data.get(name), list)), [])
        return _objects(found)
    return data if isinstance(data, list) and all(isinstance(one, Mapping) for one in data) else []


def _all(objects: Any, *names: str) -> bool:
    return bool(objects) and isinstance(objects, list) and all(
        isinstance(one, Mapping) and set(names) <= set(one) for one in objects
    )  # fmt: skip


def _server_memory(objects: Objects) -> Iterator[Item]:
    """A graph: what was observed of each entity, and how entities relate."""
    for one in objects:
        if one["type"] == "relation":
            ends = [str(one.get(end, "")) for end in ("from", "relationType", "to")]
            fields = {"kind": "relationship", "subject": ends[0], "metadata": without(one, "type")}
            yield Item(key="\0".join(ends), text=" ".join(ends).replace("_", " "), fields=fields)
            continue
        name, kind = str(one.get("name", "")), str(one.get("entityType", ""))
        given = one.get("observations")
        observations = [told for told in given if isinstance(told, str)] if isinstance(given, list) else []
        for told in observations or [f"is of type {kind}"]:
            fields = {"kind": "observation", "subject": name, "metadata": {"entity_type": kind}}
            yield Item(key=f"{name}\0{told}", text=f"{name}: {told}", fields=fields)


def _mem0(objects: Objects) -> Iterator[Item]:
    for one in objects:
        used = ("id", "memory", "created_at", "updated_at", "categories", "metadata", "hash")
        own = _own_metadata(one)
        fields = {"tags": strings(one.get("categories")), "metadata": {**own, **without(one, *used)}}
        at, changed = moment(one.get("created_at")), moment(one.get("updated_at"))
        yield Item(key=str(one["id"]), text=str(one["memory"]), fields=fields, at=at, changed_at=changed)


def _langgraph(objects: Objects) -> Iterator[Item]:
    for one in objects:
        namespace = one["namespace"]
        labels = namespace if isinstance(namespace, list) else str(namespace or "").split(".")
        path = [str(label) for label in labels if label != ""]
        value = one["value"] if isinstance(one["value"], dict) else {"content": one["value"]}
        name = next((name for name in ("text", "content", "memory", "data") if isinstance(value.get(name), str)), None)
        text = str(value[name]) if name else json.dumps(value, ensure_ascii=False, sort_keys=True)
        metadata = {"namespace": path, "key": str(one["key"]), **without(value, name or "")}
        fields = {"subject": brief(path[-1]) if path else None, "metadata": metadata}
        at, changed = moment(one.get("created_at")), moment(one.get("updated_at"))
        yield Item(key="\0".join([*path, str(one["key"])]), text=text, fields=fields, at=at, changed_at=changed)


def _memstore(objects: Objects) -> Iterator[Item]:
    for one in objects:
        used = ("id", "content", "subject", "kind", "category", "metadata", "created_at", "superseded_by")
        own = _own_metadata(one)
        fields = {
            "kind": one.get("kind") or one.get("category") or None,
            "subject": one.get("subject") or None,
            "metadata": {**own, **without(one, *used, "superseded_at")},
        }
        successor = one.get("superseded_by")
        yield Item(
            key=f"{one.get('namespace', '')}\0{one.get('id')}",
            text=str(one["content"]),
            fields=fields,
            at=moment(one.get("created_at")),
            replaced_by=None if successor is None else f"{one.get('namespace', '')}\0{successor}",
            replaced_at=moment(one.get("superseded_at")),
        )


def _memorizer(objects: Objects) -> Iterator[Item]:
    for one in objects:
        used = ("id", "fact", "category", "confidence", "created_at", "updated_at")
        fields = {"kind": one.get("category"), "confidence": one.get("confidence"), "metadata": without(one, *used)}
        yield Item(
            key=_key(one, "fact"), text=str(one["fact"]), fields=fields, at=moment(one.get("created_at")),
            changed_at=moment(one.get("updated_at")),
        )  # fmt: skip


def _rulebook(objects: Objects) -> Iterator[Item]:
    for one in objects:
        used = ("id", "type", "title", "content", "tags", "project", *TIMES)
        fields = {
            "kind": one.get("type"), "title": one.get("title") or None, "tags": strings(one.get("tags")),
            "project": one.get("project") or None, "metadata": without(one, *used),
        }  # fmt: skip
        yield Item(
            key=_key(one, "content"),
            text=str(one["content"]),
            fields=fields,
            at=moment(one.get("createdAt", one.get("created_at"))),
            changed_at=moment(one.get("updatedAt", one.get("updated_at"))),
        )


def _own_metadata(one: Mapping[str, Any]) -> dict[str, Any]:
    found = one.get("metadata")
    return dict(found) if isinstance(found, dict) else {}


def _key(one: Mapping[str, Any], text: str) -> str:
    return str(one.get("id") or hashlib.sha256(str(one[text]).encode("utf-8", "replace")).hexdigest())


READERS = {
    "server-memory": _server_memory,
    "mem0": _mem0,
    "langgraph": _langgraph,
    "memorizer": _memorizer,
    "rulebook": _rulebook,
}

"""A filter as SQL: conditions on `memories m`, and their values."""

from __future__ import annotations

from typing import Any

from scrubjay.stores.columns import instant
from scrubjay.types import Filter
from scrubjay.types.memories import NARRATION

__all__ = ["INDEXED_IMPORTANCE", "NARRATED", "Where", "where", "where_ever"]

Where = tuple[str, dict[str, Any]]

# A step that was undone later still stood then.
AS_OF = """
    m.happened_at <= :as_of and (m.expires_at is null or m.expires_at > :as_of) and not exists (
        select 1 from steps s where s.old = m.id and s.effective_at <= :as_of
        and (s.undone_at is null or s.undone_at > :as_of)
    )
"""
NARRATED = f"""(m.kind = 'turn' and m.tags like '%"{NARRATION}"%')"""
INDEXED_IMPORTANCE = 8  # from here on there is an index: memories_important
JSON_TYPES = {bool: ("true", "false"), int: ("integer", "real"), float: ("integer", "real"), str: ("text",)}


def where(filter: Filter) -> Where:
    conditions = [
        "m.space in (:spaces)",
        "not exists (select 1 from secrets x where x.memory = m.id)",
        "(m.expires_at is null or m.expires_at > :now)",
    ]
    values: dict[str, Any] = {"spaces": filter.spaces, "now": instant(filter.now)}
    if len(filter.spaces) == 1:
        conditions[0], values["spaces"] = "m.space = :spaces", filter.spaces[0]
    if filter.as_of is not None:
        conditions[2:] = [AS_OF]
        values["as_of"] = instant(filter.as_of)
    elif filter.only_superseded:
        conditions.append("m.superseded_at is not null")
    elif filter.replaced_turns and not filter.include_superseded:
        conditions.append("(m.superseded_at is null or m.kind = 'turn')")
    elif not filter.include_superseded:
        conditions.append("m.superseded_at is null")
    if filter.without_narration:
        conditions.append(f"not {NARRATED}")
    for name, condition, value in _fields(filter):
        if value is not None and value != ():
            conditions.append(condition)
            values[name] = value
    if (filter.min_importance or 0) >= INDEXED_IMPORTANCE:
        conditions.append(f"m.importance >= {INDEXED_IMPORTANCE}")
    for number, comparison in enumerate(filter.metadata):
        conditions.append(_metadata(number, *comparison, values))
    return " and ".join(conditions), values


def where_ever(filter: Filter) -> Where:
    """The same for all that there is: also what was replaced, has expired or is kept with a secret."""
    fields = [field for field in _fields(filter) if field[2] is not None and field[2] != ()]
    values = {"spaces": list(filter.spaces), **{name: value for name, _, value in fields}}
    return " and ".join(["m.space in (:spaces)", *(condition for _, condition, _ in fields)]), values


def _fields(filter: Filter) -> list[tuple[str, str, Any]]:
    return [
        ("subject", "m.subject = :subject", filter.subject),
        ("project", "m.project = :project", filter.project),
        ("session", "m.session = :session", filter.session),
        ("speaker", "m.speaker = :speaker", filter.speaker),
        ("kind", "m.kind = :kind", filter.kinds[0] if len(filter.kinds) == 1 else None),  # an index has it in order
        ("kinds", "m.kind in (:kinds)", filter.kinds if len(filter.kinds) > 1 else ()),
        ("tags", "exists (select 1 from each(m.tags) t where t.value in (:tags))", filter.tags),
        (
            "sources",
            "exists (select 1 from each(:sources) s where m.source = s.value or m.document = s.value"
            " or substr(m.source, 1, length(s.value) + 1) = s.value || ':'"
            " or substr(m.document, 1, length(s.value) + 1) = s.value || '/')",
            filter.sources,
        ),
        ("since", "m.happened_at >= :since", filter.since and instant(filter.since)),
        ("until", "m.happened_at <= :until", filter.until and instant(filter.until)),
        ("min_importance", "m.importance >= :min_importance", filter.min_importance),
        ("min_confidence", "m.confidence >= :min_confidence", filter.min_confidence),
    ]


def _metadata(number: int, key: str, operator: str, value: Any, values: dict[str, Any]) -> str:
    """Compare one key with values of its own type only: 10 is not "10", and 9 is less than 10."""
    path = f"path{number}"
    values[path] = f'$."{key}"'
    if value is None:
        present = "coalesce(json_type(m.metadata, :{}), 'null') {} 'null'"
        return present.format(path, operator)
    values[f"value{number}"] = int(value) if isinstance(value, bool) else value
    read = "json_text" if isinstance(value, str) else "json_number"
    types = ", ".join(f"'{name}'" for name in JSON_TYPES[type(value)])
    return f"(json_type(m.metadata, :{path}) in ({types}) and {read}(m.metadata, :{path}) {operator} :value{number})"

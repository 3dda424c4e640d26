"""Reading memories that no search has to find: by filter, by neighbourhood, by what the text contains."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import apsw

from scrubjay.stores.columns import COLUMNS, from_row, instant, moment
from scrubjay.stores.contract import Turn
from scrubjay.stores.filters import Where, where
from scrubjay.types import Filter, Memory, RankingFields

__all__ = [
    "any_superseded",
    "around",
    "beside",
    "by_substring",
    "kinds",
    "newest",
    "passing",
    "pieces",
    "ranking_fields",
    "subjects",
    "texts",
    "turns",
]

SUBJECTS = """
    select subject from memories where space = ? and subject is not null and superseded_at is null
    and (expires_at is null or expires_at > ?) group by subject order by count(*) desc, subject limit 1000
"""
RANKING_FIELDS = """
    select m.id, m.kind, m.project, m.speaker, m.happened_at, m.confirmed_count, m.used_count
    from json_each(?) i cross join memories m on m.id = i.value
"""
TEXTS = "select m.id, m.text from json_each(?) i cross join memories m on m.id = i.value"
LIST = f"select {COLUMNS} from memories m where {{where}} order by id desc limit :limit offset :offset"
BY_SUBSTRING = (
    r"select m.id from memories m where {where} and m.text like :pattern escape '\' order by id desc limit :limit"
)
BEFORE = f"""
    select {COLUMNS} from memories m where {{where}} and (m.happened_at, m.id) < (:at, :id)
    order by m.happened_at desc, m.id desc limit :window
"""
AFTER = f"""
    select {COLUMNS} from memories m where {{where}} and (m.happened_at, m.id) > (:at, :id)
    order by m.happened_at, m.id limit :window
"""
BESIDE = f"""
    select {COLUMNS} from memories where space = ? and session = ? and position between ? and ? and kind = 'turn'
    and id <> ? and (expires_at is null or expires_at > ?) order by position, id
"""
PIECES = """
    select i.value, (select count(*) from pieces p where p.memory = i.value
        and p.model = (select id from models where state = 'current')) from json_each(?) i
"""
WINDOW = 2  # turns before and after one
TURNS = """
    select m.id, m.space || ' ' || m.session, n.position - m.position, n.id
    from json_each(:ids) i cross join memories m on m.id = i.value
    left join memories n on n.space = m.space and n.session = m.session and n.kind = 'turn'
        and n.position between m.position - :window and m.position + :window and n.position <> m.position
    where m.kind = 'turn' and m.session is not null
"""
PASSING = "select m.id from json_each(:ids) i cross join memories m on m.id = i.value where {where}"
# From one kind to the next, without looking at the memories between.
KINDS = """
    with recursive found (kind) as (
        select min(kind) from memories where space = :space
        union all
        select (select min(kind) from memories where space = :space and kind > found.kind)
        from found where found.kind is not null
    )
    select kind from found where kind is not null
"""

COLUMNS_OF_NAMES = frozenset({"subject", "project", "session", "speaker", "source"})
VALUES = """
    select m.{name} as value from memories m where m.{name} is not null
    and m.space in (select value from json_each(?)) group by 1 order by count(*) desc, 1 limit 2000
"""
TAGS = """
    select t.value from memories m, json_each(m.tags) t
    where m.space in (select value from json_each(?)) group by 1 order by count(*) desc, 1 limit 2000
"""


def ranking_fields(db: apsw.Connection, ids: Iterable[int]) -> dict[int, RankingFields]:
    rows: list[Any] = db.execute(RANKING_FIELDS, (json.dumps(list(ids)),)).fetchall()
    return {
        id: RankingFields(kind, project, speaker, moment(at), *uses) for id, kind, project, speaker, at, *uses in rows
    }


def texts(db: apsw.Connection, ids: Iterable[int]) -> dict[int, str]:
    rows: Any = db.execute(TEXTS, (json.dumps(list(ids)),))
    return {id: text for id, text in rows if isinstance(text, str)}


def pieces(db: apsw.Connection, ids: Iterable[int]) -> dict[int, int]:
    rows: list[Any] = db.execute(PIECES, (json.dumps(list(ids)),)).fetchall()
    return dict(rows)


def turns(db: apsw.Connection, ids: Iterable[int]) -> dict[int, Turn]:
    found: dict[int, Turn] = {}
    rows: Any = db.execute(TURNS, {"ids": json.dumps(list(ids)), "window": WINDOW})
    for id, session, place, other in rows:
        turn = found.setdefault(id, Turn(session, {}))
        if other is not None:
            turn.beside[place] = other
    return found


def passing(db: apsw.Connection, ids: Iterable[int], filter: Where) -> list[int]:
    """Those of the memories that pass, in the order given."""
    condition, values = filter
    rows: Any = db.execute(PASSING.format(where=condition), {**values, "ids": json.dumps(list(ids))})
    return [id for (id,) in rows]


def newest(db: apsw.Connection, filter: Filter, limit: int | None, offset: int) -> list[Memory]:
    condition, values = where(filter)
    page = {**values, "limit": -1 if limit is None else limit, "offset": offset}
    return [from_row(row) for row in db.execute(LIST.format(where=condition), page)]


def by_substring(db: apsw.Connection, text: str, filter: Filter, limit: int) -> list[int]:
    condition, values = where(filter)
    escaped = text.strip().replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
    values |= {"pattern": f"%{escaped}%", "limit": limit}
    return [id for (id,) in db.execute(BY_SUBSTRING.format(where=condition), values)]


def around(db: apsw.Connection, anchor: Memory, filter: Filter, window: int) -> list[Memory]:
    condition, values = where(filter)
    values |= {"at": instant(anchor.happened_at), "id": anchor.id, "window": window}
    before = [from_row(row) for row in db.execute(BEFORE.format(where=condition), values)]
    after = [from_row(row) for row in db.execute(AFTER.format(where=condition), values)]
    return [*reversed(before), anchor, *after]


def beside(db: apsw.Connection, turn: Memory, now: datetime, window: int) -> list[Memory]:
    if turn.session is None or turn.position is None:
        return []
    values = (turn.space, turn.session, turn.position - window, turn.position + window, turn.id, instant(now))
    return [from_row(row) for row in db.execute(BESIDE, values)]


def any_superseded(db: apsw.Connection, space: str) -> bool:
    sql = "select 1 from memories where space = ? and superseded_at is not null limit 1"
    return db.execute(sql, (space,)).fetchone() is not None


def kinds(db: apsw.Connection, space: str) -> list[str]:
    return [kind for (kind,) in db.execute(KINDS, {"space": space})]


def subjects(db: apsw.Connection, space: str, now: datetime) -> list[str]:
    return [subject for (subject,) in db.execute(SUBJECTS, (space, instant(now)))]


def values(db: apsw.Connection, name: str, spaces: Sequence[str]) -> list[str]:
    assert name == "tag" or name in COLUMNS_OF_NAMES
    query = TAGS if name == "tag" else VALUES.format(name=name)
    return [str(value) for (value,) in db.execute(query, (json.dumps(list(spaces)),))]

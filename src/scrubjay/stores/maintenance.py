"""Figures about a store, what may be removed from it, and whether its tables agree with each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.errors import Damaged
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.columns import COLUMNS, NAMES, from_row, instant, moment_or_none, to_row
from scrubjay.stores.connections import names
from scrubjay.stores.contract import Engine, Look, Rows
from scrubjay.stores.deletions import trash
from scrubjay.stores.ledger import count_quarantined, spent
from scrubjay.stores.vectors import cache_use, count_pending, model_id
from scrubjay.types import TRUST, Memory, Trust

if TYPE_CHECKING:
    from scrubjay.types.reports import Check

__all__ = ["Maintenance", "mend_rules"]

# Counted in indexes; of the memories themselves, only those that are not current are read.
COUNTS = """
    select (select coalesce(sum(shown_count), 0) from memories where space = :space and shown_count > 0),
        (select coalesce(sum(used_count), 0) from memories where space = :space and used_count > 0),
        (select min(happened_at) from memories where space = :space),
        (select max(happened_at) from memories where space = :space)
"""
AVERAGES = """
    select avg(importance), avg(confidence) from memories
    where space = :space and superseded_at is null and (expires_at is null or expires_at > :now)
"""
SESSIONS = "select count(*), min(started_at), max(started_at) from sessions where space = :space"
COUNT = "select count(*) from memories where space = :space"
HAVE_WORDS = "select (select count(*) from memories) = (select count(*) from indexed_memories)"
WITHOUT_WORDS = """
    select count(*) from memories m
    where space = :space and not exists (select 1 from indexed_memories i where i.memory = m.id)
"""
BY_KIND = "select kind, count(*) from memories where space = :space group by kind"
SUPERSEDED = "select kind from memories where space = :space and superseded_at is not null"
# The index of `expires_at` is the one to use: an expression keeps that of `space` out of it.
EXPIRED_OF_SPACE = """
    select kind from memories where expires_at <= :now and space || '' = :space and superseded_at is null
"""
SPACES = """
    with recursive found (space) as (
        select min(space) from memories
        union all
        select (select min(space) from memories where space > found.space) from found where found.space is not null
    )
    select count(space) from found
"""
SHOWN_OFTEN, LISTED = 5, 20
# The index of what is of no use has this very condition.
NEVER_OF_USE = f"""
    select id from memories where space = :space and superseded_at is null and (expires_at is null or expires_at > :now)
    and ((shown_count >= {SHOWN_OFTEN} and used_count = 0) or unhelpful_count > helpful_count)
    order by unhelpful_count - helpful_count desc, shown_count desc, id limit :limit
"""
EXPIRED = f"select {COLUMNS} from memories where space = :space and expires_at <= :now order by id"
# A session that was not ended is active for a day.
EXPENDABLE = f"""
    select {COLUMNS} from memories m where space = :space and kind <> 'decision' and trust in (:trusts)
    and not (trust = 'user' and importance >= 8)
    and not exists (select 1 from tasks t where t.memory = m.id and t.status in ('pending', 'in_progress'))
    and not exists (select 1 from records r where r.memory = m.id)
    and not exists (select 1 from sessions s where s.space = m.space and s.name = m.session and s.ended_at is null
        and m.created_at > :yesterday)
    order by case when helpful_count > unhelpful_count then 2 when helpful_count = unhelpful_count then 1 else 0 end,
        coalesce(used_at, created_at), id limit :limit
"""
ORPHANS = """
    select id, document from memories m where document is not null
    and not exists (select 1 from documents d where d.space = m.space and d.name = m.document)
"""
TWINS = """
    select document, position, count(*) from memories where document is not null and kind = 'passage'
    group by space, document, position having count(*) > 1
"""
MADE_FROM_OTHERS = ("fingerprint", "digest", "segmented", "spellings", "stems")
ROWS = f"select {COLUMNS}, {', '.join(MADE_FROM_OTHERS)} from memories order by id"
UNKNOWN = "Memory {} was cut from {!r}, which is not known; sync its folder again, or delete it if that is gone."
CHANGED = "Memory {} was changed by another program or by the disk; look at it. `--repair` indexes it as it is now."
INDEX = f"update memories set {', '.join(f'{name} = :{name}' for name in MADE_FROM_OTHERS)} where id = :id"

LOOSE_LINKS = "from memories where superseded_by is not null and superseded_at is null"
STANDING = "select 1 from steps s where s.old = m.id and s.undone_at is null"
NO_TASK = "from memories m where kind = 'task' and not exists (select 1 from tasks t where t.memory = m.id)"
NO_SESSION = """
    from memories m where kind = 'turn' and session is not null
    and not exists (select 1 from sessions s where s.space = m.space and s.name = m.session)
    group by space, session
"""


class Rule(NamedTuple):
    """Rows that break a rule, each with what the sentence names; and a statement that mends them all."""

    sentence: str
    find: str
    mend: str


RULES = (
    Rule(
        "Memory {} has a successor but no time at which it was replaced.",
        f"select id {LOOSE_LINKS}",
        f"update memories set superseded_at = updated_at where id in (select id {LOOSE_LINKS})",
    ),
    Rule(
        "Memory {} was replaced, but no step says so.",
        f"select id from memories m where superseded_at is not null and not exists ({STANDING})",
        f"""
        insert into steps (old, new, at, effective_at, created, change)
        select id, superseded_by, superseded_at, superseded_at, 0, -id from memories m
        where superseded_at is not null and not exists ({STANDING})
        """,  # no other change has a number below 0
    ),
    Rule(
        "The step from memory {} belongs to no change, so it could not be undone.",
        "select old from steps where change is null",
        "update steps set change = -old where change is null",
    ),
    Rule(
        "Memory {} is said to have been replaced by itself.",
        "select old from steps where old = new and undone_at is null",
        "update steps set undone_at = at where old = new and undone_at is null",
    ),
    Rule(
        "Memory {} has itself as its successor.",
        "select id from memories where superseded_by = id",
        "update memories set superseded_by = null, superseded_at = null where superseded_by = id",
    ),
    Rule(
        "A step says that memory {} was replaced, but the memory does not.",
        f"select id from memories m where superseded_at is null and exists ({STANDING})",
        """
        update memories as m set superseded_by = s.new, superseded_at = s.at from steps s
        where s.old = m.id and s.undone_at is null and m.superseded_at is null
        """,
    ),
    Rule(
        "Memory {} names another successor than the step from it.",
        """
        select m.id from memories m join steps s on s.old = m.id and s.undone_at is null
        where m.superseded_at is not null and m.superseded_by is distinct from s.new
        """,
        """
        update memories as m set superseded_by = s.new from steps s
        where s.old = m.id and s.undone_at is null and m.superseded_by is distinct from s.new
        """,
    ),
    Rule(
        "Task {} has no status.",
        f"select id {NO_TASK}",
        f"insert into tasks (memory, scope, status, priority) select id, 'user', 'pending', 'normal' {NO_TASK}",
    ),
    Rule(
        "Session {1!r} has turns but is not known.",
        f"select space, session {NO_SESSION}",
        f"""
        insert into sessions (space, name, project, client, started_at)
        select space, session, min(project), min(client), min(happened_at) {NO_SESSION}
        """,
    ),
    Rule(
        "Memory {} is in the trash and among the memories.",
        "select id from trash where id in (select id from memories)",
        """
        delete from trash where exists (
            select 1 from memories m where m.uid = json_text(trash.kept, '$.memories[0].uid'))
        """,
    ),
)


class Maintenance:
    """Figures about a store, what may be removed from it, and whether it is whole."""

    def __init__(self, engine: Engine, uses: Uses) -> None:
        self._engine = engine
        self._uses = uses

    def has_sources(self, space: str) -> bool:
        """Whether a space is kept up to date with any source of documents."""
        with self._engine.reading([space]) as rows:
            return rows.one("select 1 from sources where space = :space limit 1", space=space) is not None

    def figures(self, space: str, now: datetime) -> dict[str, Any]:
        """Fields of `Stats`: all that the store knows."""
        self._uses.flush_without_waiting()
        with self._engine.reading() as rows:
            figures = _figures(rows, space, now)
        on_disk = self._engine.size().on_disk
        return {**figures, "file": self._engine.url, "file_bytes": on_disk, "read_only": self._engine.read_only}

    def count(self, space: str, now: datetime) -> int:
        """How many memories a space has that have not expired, replaced ones included."""
        with self._engine.reading([space]) as rows:
            expired = rows.all(EXPIRED_OF_SPACE, space=space, now=instant(now))
            return int(rows.one(COUNT, space=space)[0]) - len(expired)

    def expired(self, space: str, now: datetime) -> list[Memory]:
        with self._engine.reading([space]) as rows:
            return [from_row(row) for row in rows.all(EXPIRED, space=space, now=instant(now))]

    def expendable(self, space: str, now: datetime, limit: int, trusts: Sequence[Trust] = TRUST) -> list[Memory]:
        """What may be evicted, of these trusts: the least recently used first; never what must not be lost."""
        self._uses.flush_without_waiting()
        with self._engine.reading([space]) as rows:
            yesterday = instant(now - timedelta(days=1))
            values = {"space": space, "limit": limit, "yesterday": yesterday, "trusts": list(trusts)}
            return [from_row(row) for row in rows.all(EXPENDABLE, **values)]

    def bytes_used(self) -> int:
        """How large the store is without what is unused in it."""
        return self._engine.size().in_use

    def check(self, deep: bool, repair: bool, at: datetime) -> Check:
        """Look for damage. Where pages cannot be read, a repair puts a new file in the place of this one."""
        return self._engine.check(LOOKS, deep, repair, at)


def _figures(rows: Rows, space: str, now: datetime) -> dict[str, Any]:
    values = {"space": space, "now": instant(now)}
    sessions, first, last = rows.one(SESSIONS, space=space)
    shown, used, oldest, newest = rows.one(COUNTS, space=space)
    superseded = Counter(kind for (kind,) in rows.all(SUPERSEDED, space=space))
    expired = Counter(kind for (kind,) in rows.all(EXPIRED_OF_SPACE, **values))
    current = Counter(dict(rows.all(BY_KIND, space=space))) - superseded - expired
    model = model_id(rows, "current")
    name = rows.one("select name from models where id = :id", id=model)
    averages = [None if one is None else round(float(one), 3) for one in rows.one(AVERAGES, **values)]
    return {
        "space": space,
        "memories": current.total(),
        "superseded": superseded.total(),
        "expired": expired.total(),
        "average_importance": averages[0],
        "average_confidence": averages[1],
        "shown": shown,
        "used": used,
        "never_of_use": tuple(id for (id,) in rows.all(NEVER_OF_USE, **values, limit=LISTED)),
        "oldest": moment_or_none(oldest),
        "newest": moment_or_none(newest),
        "sessions": sessions,
        "oldest_session": moment_or_none(first),
        "newest_session": moment_or_none(last),
        "by_kind": dict(sorted(current.items(), key=lambda pair: (-pair[1], pair[0]))),
        "spaces": rows.one(SPACES)[0],
        "without_words": 0 if rows.one(HAVE_WORDS)[0] else rows.one(WITHOUT_WORDS, space=space)[0],
        "without_vector": count_pending(rows, model, space, refused=True),
        "quarantined": count_quarantined(rows, model, space),
        "model": name[0] if name else None,
        "cache": cache_use(rows),
        "generation": spent(rows, f"{now:%Y-%m}"),
    }


def _broken_rules(rows: Rows) -> list[str]:
    return [rule.sentence.format(*row) for rule in RULES for row in rows.all(rule.find)]


def mend_rules(rows: Rows) -> None:
    for rule in RULES:
        rows.run(rule.mend)


def _changed_rows(rows: Rows) -> list[str]:
    problems = []
    for row in rows.all(ROWS):
        try:
            problems += [CHANGED.format(row[0])] if _is_changed(row) else []
        except Damaged as problem:
            problems.append(str(problem))
    return problems


def _is_changed(row: Sequence[Any]) -> bool:
    memory = from_row(row[: len(NAMES)])
    try:
        made = _index_fields(memory)
    except (TypeError, AttributeError):  # bytes or numbers where a text should be
        return True
    kept = dict(zip(MADE_FROM_OTHERS, row[len(NAMES) :], strict=True))
    return made != kept | {"digest": kept["digest"] or memory.digest}


def _index_changed(rows: Rows) -> None:
    """Let what is made from the fields of a memory fit them; the check makes its vectors anew."""
    for row in rows.all(ROWS):
        with suppress(Damaged, TypeError, AttributeError):
            if _is_changed(row):
                memory = from_row(row[: len(NAMES)])
                rows.run(INDEX, id=memory.id, **_index_fields(memory))
                rows.vectors.drop(memory)


def _index_fields(memory: Memory) -> dict[str, bytes | str | None]:
    """What is indexed of a memory besides its fields."""
    row = to_row(memory)
    return {name: row[name] for name in MADE_FROM_OTHERS}


def _unknown_documents(rows: Rows) -> list[str]:
    orphans, twins = rows.all(ORPHANS), rows.all(TWINS)
    problems = [UNKNOWN.format(id, document) for id, document in orphans]
    return problems + [f"{count} passages stand at place {place} of {name!r}." for name, place, count in twins]


def _unreadable_deleted(rows: Rows) -> list[str]:
    return [f"Memory {id} in the trash cannot be read." for id in trash.unreadable(rows)]


LOOKS = (
    Look(_broken_rules, mend_rules),
    Look(_unreadable_deleted, trash.drop_unreadable, deep=True),
    Look(_changed_rows, _index_changed, deep=True),
    Look(_unknown_documents, deep=True),
    Look(names.differing, names.relearn_all, deep=True),
)

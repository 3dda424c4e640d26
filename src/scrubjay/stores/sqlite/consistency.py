"""What should never be: tables that do not agree with each other. Each rule says how to find it, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import apsw

__all__ = ["CONTENTS", "RULES", "Rule", "drop_loose", "own_tables"]

# Tables of our own. The index of words is made from them, and the log of changes can begin anew at any time.
OWN_TABLES = """
    select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'words%'
    and name not in ('changes', 'vocabulary')
"""
# What a repair calls the rows of a table that it could not read. A memory is named by its id.
CONTENTS = {
    "trash": "deleted memories", "secrets": "texts that were kept with their secrets", "steps": "what replaced what",
    "edits": "updates that could be reverted", "tasks": "where tasks stand", "sessions": "sessions",
    "conflicts": "conflicts", "sources": "sources", "documents": "documents", "tokens": "tokens",
    "tombstones": "what was deleted from files", "mark_key": "what was deleted from files",
    "models": "vectors (`scrubjay backfill` makes them)",
}  # fmt: skip
FOREIGN_KEYS = 'select "table", "from", "to", on_delete from pragma_foreign_key_list(?)'


class Rule(NamedTuple):
    """Rows that break a rule, each with what the sentence names; and a statement that mends them all."""

    sentence: str
    find: str
    mend: str

    def broken(self, db: apsw.Connection) -> list[str]:
        rows: list[Any] = db.execute(self.find).fetchall()
        return [self.sentence.format(*row) for row in rows]


LOOSE_LINKS = "from memories where superseded_by is not null and superseded_at is null"
STANDING = "select 1 from steps s where s.old = m.id and s.undone_at is null"
LAST_STEP = "(select max(seq) from sqlite_sequence where name = 'steps')"
NO_TASK = "from memories m where kind = 'task' and not exists (select 1 from tasks t where t.memory = m.id)"
NO_SESSION = """
    from memories m where kind = 'turn' and session is not null
    and not exists (select 1 from sessions s where s.space = m.space and s.name = m.session)
    group by space, session
"""
GIVEN = "(select max(id) from (select id from memories union all select id from trash))"
BEHIND = f"from sqlite_sequence where name = 'memories' and seq < {GIVEN}"

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
        select id, superseded_by, superseded_at, superseded_at, 0, row_number() over () + coalesce({LAST_STEP}, 0)
        from memories m where superseded_at is not null and not exists ({STANDING})
        """,
    ),
    Rule(
        "The step from memory {} belongs to no change, so it could not be undone.",
        "select old from steps where change is null",
        "update steps set change = -id where change is null",  # no other change has such a number
    ),
    Rule(
        "Memory {} is said to have been replaced by itself.",
        "select id from memories where superseded_by = id",
        """
        update steps set undone_at = at where old = new and undone_at is null;
        update memories set superseded_by = null, superseded_at = null where superseded_by = id
        """,
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
        where m.superseded_at is not null and m.superseded_by is not s.new
        """,
        """
        update memories as m set superseded_by = s.new from steps s
        where s.old = m.id and s.undone_at is null and m.superseded_by is not s.new
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
        "The next memory would get an id that was given before, {0}.",
        f"select seq + 1 {BEHIND}",
        f"update sqlite_sequence set seq = {GIVEN} where name = 'memories'",
    ),
    Rule(
        "Memory {} is in the trash and among the memories.",
        "select id from trash where id in (select id from memories)",
        "delete from trash where exists (select 1 from memories where uid = trash.kept ->> '$.memories[0].uid')",
    ),
)


def drop_loose(db: apsw.Connection, tables: Iterable[str]) -> None:
    """Drop rows that refer to a row that does not exist; where the schema allows it, only the reference."""
    for table in tables:
        keys: list[Any] = db.execute(FOREIGN_KEYS, (table,)).fetchall()
        for parent, column, key, action in keys:
            loose = f"where {column} not in (select {key} from {parent})"
            change = f"update {table} set {column} = null" if action == "SET NULL" else f"delete from {table}"
            db.execute(f"{change} {loose}")


def own_tables(db: apsw.Connection) -> list[str]:
    rows: list[Any] = db.execute(OWN_TABLES).fetchall()
    return [name for (name,) in rows]

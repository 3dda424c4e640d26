-- What was forgotten of sessions: no import of an older export brings their names or their titles back.
create table forgotten_names (
    space text not null,
    mark blob not null,                     -- a keyed hash of the name, or of what it was the title of
    at text not null,
    primary key (space, mark)
) without rowid;

-- The key that this store makes marks with never changes; the others are of stores that were imported.
alter table mark_key add column own integer not null default 0;
update mark_key set own = 1 where key = (select key from mark_key order by key limit 1);

-- The log of a server is noted beside the copies: a request's address may have a name that is forgotten.
alter table copies rename to old_copies;

create table copies (
    path text primary key,
    kind text not null check (kind in ('backup', 'export', 'log')),
    spaces text not null,                   -- JSON list; an empty one means every space
    at text not null
) without rowid;

insert into copies (path, kind, spaces, at) select path, kind, spaces, at from old_copies;

drop table old_copies;

-- documents.hash is keyed: by a plain one, a guess at what stood in a forgotten file could be confirmed.

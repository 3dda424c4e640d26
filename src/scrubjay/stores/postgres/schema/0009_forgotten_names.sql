-- What was forgotten of sessions: no import of an older export brings their names or their titles back.
create table forgotten_names (
    space text collate "C" not null,
    mark bytea not null,                    -- a keyed hash of the name, or of what it was the title of
    at text collate "C" not null,
    primary key (space, mark)
);

call secure_tables();

-- The key that this store makes marks with never changes; the others are of stores that were imported.
alter table mark_key add column own bigint not null default 0;
update mark_key set own = 1 where key = (select key from mark_key order by key limit 1);

-- The log of a server is noted beside the copies: a request's address may have a name that is forgotten.
alter table copies drop constraint copies_kind_check;
alter table copies add constraint copies_kind_check check (kind in ('backup', 'export', 'log'));

-- documents.hash is keyed: by a plain one, a guess at what stood in a forgotten file could be confirmed.

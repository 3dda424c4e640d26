-- Names for the same thing. A memory may have other names, by which it is found.
alter table memories add column aliases text not null default '[]';   -- JSON array

-- What else memories call a thing: aliases of their subjects, abbreviations that a text defines. Follows from them.
create table names (
    memory integer not null references memories (id) on delete cascade,
    name text not null,                     -- in lower case
    meaning text not null,                  -- another name, as it is written
    primary key (name, memory, meaning)
) without rowid;

create index names_by_memory on names (memory);

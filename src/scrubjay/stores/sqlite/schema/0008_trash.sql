-- Deleted memories wait in the trash until they are erased.

-- A memory in the trash is in no other table, so that no question can find it.
create table trash (
    id integer primary key,                 -- the memory's own id
    space text not null,
    deleted_at text not null,
    reason text not null,                   -- deleted, expired, or why it was evicted
    kept text not null,                     -- JSON: its row, and the rows of other tables that name it
    model integer,                          -- that its vectors were made with
    vectors blob                            -- float32, little-endian, one piece after the other
);

create index trash_by_time on trash (deleted_at);

-- Steps from or to a memory in the trash, as they were before: deleting it leads them past it.
create table trash_steps (
    id integer primary key,                 -- the step's own id
    old integer not null,
    new integer,
    created integer not null,
    kept text not null                      -- JSON: its row
);

create index trash_steps_by_old on trash_steps (old);
create index trash_steps_by_new on trash_steps (new);

-- When the trash was last emptied, and whether its bytes have left the write-ahead log, too.
create table erasure (
    at text not null,
    complete integer not null
);

insert into erasure (at, complete) values ('', 1);

-- The key of the marks in `tombstones`: without it, a mark cannot be compared with a guessed text.
create table mark_key (
    key blob not null
);

insert into mark_key (key) values (randomblob(32));

-- A mark now names the memory that it was left for, so that `undelete` can take it away. 0: from an older version.
alter table tombstones rename to old_tombstones;

create table tombstones (
    space text not null,
    document text not null,
    mark blob not null,                     -- a keyed hash
    memory integer not null,
    primary key (space, document, mark, memory)
) without rowid;

insert into tombstones (space, document, mark, memory) select space, document, mark, 0 from old_tombstones;

drop table old_tombstones;

create index tombstones_by_memory on tombstones (memory);

-- How many pieces the memory was embedded in, so that a missing one is noticed; null: from an older version.
alter table pieces add column total integer;

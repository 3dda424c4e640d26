-- What was done at once is undone at once: steps know the change they belong to, and updates are kept.

alter table steps add column change integer;                    -- steps of one change are undone together
alter table steps add column undoes integer;                    -- the change that this one undid
alter table steps add column same integer not null default 0;   -- whether `new` says the same as `old`

update steps set change = id;

create index steps_by_change on steps (change);

-- What an update changed in a memory or its task, with the values before it.
create table edits (
    id integer primary key autoincrement,
    memory integer not null references memories (id) on delete cascade,
    at text not null,
    after_step integer not null,            -- the last step there was: tells which of both came later
    actor text,
    before text not null,                   -- JSON object: column and value; those of the task begin with "task."
    undone_at text,                         -- null while the update stands
    undone_by text,
    undone_reason text
);

create index edits_by_memory on edits (memory);

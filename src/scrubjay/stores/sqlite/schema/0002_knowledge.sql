-- Knowledge that changes: steps from one memory to the next, open conflicts, tasks, sessions.

-- Each step put `new` in the place of `old`. A memory is current while no step from it stands;
-- memories.superseded_by and superseded_at follow from these.
create table steps (
    id integer primary key autoincrement,
    old integer not null references memories (id) on delete cascade,
    new integer references memories (id) on delete set null,
    at text not null,
    effective_at text not null,             -- from when on `old` no longer held, in the world
    created integer not null,               -- whether the step itself made `new`
    actor text,
    reason text,
    undone_at text,                         -- null while the step stands
    undone_by text,
    undone_reason text
);

create unique index steps_standing on steps (old) where undone_at is null;
create index steps_by_old on steps (old);
create index steps_by_new on steps (new);

insert into steps (old, new, at, effective_at, created)
    select m.id, m.superseded_by, m.superseded_at, coalesce(n.happened_at, m.superseded_at), 1
    from memories m left join memories n on n.id = m.superseded_by
    where m.superseded_at is not null;

-- Pairs about one subject that look like the same statement with another value.
create table conflicts (
    older integer not null references memories (id) on delete cascade,
    newer integer not null references memories (id) on delete cascade,
    score real not null,
    found_at text not null,
    dismissed_at text,
    primary key (older, newer)
) without rowid;

create index conflicts_by_newer on conflicts (newer);

create table tasks (
    memory integer primary key references memories (id) on delete cascade,
    scope text not null,
    status text not null check (status in ('pending', 'in_progress', 'completed', 'cancelled')),
    priority text not null check (priority in ('high', 'normal', 'low')),
    due text,
    note text
);

insert into tasks (memory, scope, status, priority)
    select id, 'user', 'pending', 'normal' from memories where kind = 'task';

create index tasks_open on tasks (status) where status in ('pending', 'in_progress');

create table sessions (
    space text not null,
    name text not null,
    project text,
    client text,
    started_at text not null,
    ended_at text,                          -- null while the session is active
    summary integer references memories (id) on delete set null,
    tool_calls integer not null default 0,
    primary key (space, name)
);

insert into sessions (space, name, project, client, started_at)
    select space, session, min(project), min(client), min(happened_at) from memories
    where kind = 'turn' and session is not null group by space, session;

-- What a session was told already.
create table told (
    space text not null,
    session text not null,
    memory integer not null references memories (id) on delete cascade,
    at text not null,
    primary key (space, session, memory)
) without rowid;

create index told_by_memory on told (memory);
create index memories_by_subject on memories (space, subject) where subject is not null;

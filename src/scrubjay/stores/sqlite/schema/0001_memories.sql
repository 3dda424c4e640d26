-- One memory is one row; its words are indexed by triggers, its vectors are rows of `pieces`.

create table memories (
    id integer primary key autoincrement,   -- autoincrement: an id is never given twice
    uid text not null unique,
    space text not null,
    project text,
    kind text not null,
    subject text,
    title text,                             -- null: the first words of the text
    text text not null,
    context text,
    tags text not null default '[]',        -- JSON array
    metadata text not null default '{}',    -- JSON object
    source text not null,
    client text,
    actor text,
    trust text not null check (trust in ('user', 'agent', 'external')),
    confidence real not null check (confidence between 0 and 1),
    importance integer not null check (importance between 1 and 10),
    session text,
    speaker text,
    document text,
    position integer,
    first_line integer,
    last_line integer,
    happened_at text not null,              -- all times: ISO 8601 in UTC, to the microsecond
    created_at text not null,
    updated_at text not null,
    expires_at text,
    superseded_by integer references memories (id) on delete set null,
    superseded_at text,                     -- null while the memory is current
    confirmed_count integer not null default 0,
    confirmed_at text,
    used_count integer not null default 0,
    used_at text,
    fingerprint blob,                       -- equal for memories that say the same
    segmented text                          -- what is indexed instead of the text, for unspaced scripts
);

create index memories_by_space on memories (space, kind);
create index memories_by_time on memories (space, happened_at, id);
create index memories_by_fingerprint on memories (fingerprint) where fingerprint is not null;
create index memories_by_session on memories (space, session, position) where session is not null;
create index memories_superseded on memories (space) where superseded_at is not null;
create index memories_by_successor on memories (superseded_by) where superseded_by is not null;
create index memories_expiring on memories (expires_at) where expires_at is not null;

-- The full-text index holds no text of its own. Its `space` column is hex, so that a name is one word.
create view indexed as
    select id, hex(space) as space, title, coalesce(segmented, text) as text, context, tags, subject
    from memories;

create virtual table words using fts5 (
    space, title, text, context, tags, subject,
    content = 'indexed', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

insert into words (words, rank) values ('rank', 'bm25(0.0, 1.0, 1.0, 1.0, 1.0, 1.0)');

create virtual table vocabulary using fts5vocab (words, row);

create trigger memories_inserted after insert on memories begin
    insert into words (rowid, space, title, text, context, tags, subject)
    values (new.id, hex(new.space), new.title, coalesce(new.segmented, new.text), new.context, new.tags, new.subject);
end;

create trigger memories_deleted after delete on memories begin
    insert into words (words, rowid, space, title, text, context, tags, subject)
    values ('delete', old.id, hex(old.space), old.title, coalesce(old.segmented, old.text), old.context, old.tags,
        old.subject);
end;

create trigger memories_reworded after update of space, title, text, context, tags, subject, segmented on memories begin
    insert into words (words, rowid, space, title, text, context, tags, subject)
    values ('delete', old.id, hex(old.space), old.title, coalesce(old.segmented, old.text), old.context, old.tags,
        old.subject);
    insert into words (rowid, space, title, text, context, tags, subject)
    values (new.id, hex(new.space), new.title, coalesce(new.segmented, new.text), new.context, new.tags, new.subject);
end;

-- What vectors were made with. `building` is a reindex under way; `current` answers until it is done.
create table models (
    id integer primary key autoincrement,
    state text not null unique check (state in ('current', 'building')),
    spec text not null,
    name text not null,
    dimensions integer not null,
    recipe text not null
);

create table pieces (
    id integer primary key autoincrement,   -- the vector's name in the cache beside the file
    memory integer not null references memories (id) on delete cascade,
    model integer not null references models (id) on delete cascade,
    number integer not null,
    vector blob not null,                   -- float32, little-endian, length 1
    unique (memory, model, number)
);

-- Each write that moves vectors in or out of "current" says so here, in its own transaction.
-- The token makes two histories with equal numbers different: a restored backup is noticed.
create table changes (
    seq integer primary key autoincrement,
    token integer not null default (random()),
    space text not null,
    verb text not null check (verb in ('add', 'remove')),
    first_piece integer not null,
    last_piece integer not null
);

insert into changes (space, verb, first_piece, last_piece) values ('', 'add', 0, -1);

create table accesses (
    id integer primary key autoincrement,
    memory integer not null references memories (id) on delete cascade,
    at text not null,
    verb text not null,
    score real,
    query text
);

create index accesses_by_memory on accesses (memory);

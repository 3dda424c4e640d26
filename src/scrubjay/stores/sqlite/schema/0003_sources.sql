-- Files, transcripts and histories that memories are cut from and kept level with.

create table sources (
    id integer primary key autoincrement,
    space text not null,
    kind text not null check (kind in ('files', 'transcripts', 'git')),
    name text not null,
    root text not null,
    include text not null,                  -- JSON arrays of patterns
    exclude text not null,
    ignored integer not null,               -- whether to read what .gitignore leaves out
    client text,
    synced_at text,
    unique (space, name)
);

-- A document as it was when it was last read. Its memories name it in memories.document.
create table documents (
    id integer primary key autoincrement,
    source integer not null references sources (id) on delete cascade,
    space text not null,
    name text not null,
    path text not null,
    hash text not null,
    mtime integer not null,                 -- nanoseconds
    size integer not null,
    offset integer not null,
    chunking text not null,
    state text not null,                    -- JSON object
    unique (space, name)
);

create index documents_by_source on documents (source);

-- Of what is cut from a document: equal for memories that are embedded alike.
alter table memories add column digest blob;

create index memories_by_digest on memories (digest) where digest is not null;
create index memories_by_document on memories (space, document, position) where document is not null;

-- What was deleted by hand from a document; a resync does not bring it back.
create table tombstones (
    space text not null,
    document text not null,
    mark blob not null,
    primary key (space, document, mark)
) without rowid;

-- Vectors of text that has left its document: it may come back, e.g. with another branch.
create table embeddings (
    model integer not null references models (id) on delete cascade,
    digest blob not null,
    vectors blob not null,                  -- float32, little-endian, one piece after the other
    retired_at text not null,
    primary key (model, digest)
) without rowid;

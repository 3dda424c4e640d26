-- Models by choice: vectors kept by what was embedded, texts that a model refuses, tokens spent, sessions extracted.

-- A model whose vectors are worth keeping also when the file has moved to another.
create table cached_models (
    id integer primary key,
    spec text not null,
    name text not null,
    dimensions integer not null,
    recipe text not null,
    unique (spec, name, dimensions, recipe)
);

insert or ignore into cached_models (spec, name, dimensions, recipe)
    select spec, name, dimensions, recipe from models;

-- Vectors that no memory has now: of text that left its document, or of a model that the file moved away from.
create table cached (
    model integer not null references cached_models (id) on delete cascade,
    digest blob not null,
    vectors blob not null,                  -- float32, little-endian, one piece after the other
    retired_at text not null,
    primary key (model, digest)
) without rowid;

create index cached_by_time on cached (retired_at);

insert or ignore into cached (model, digest, vectors, retired_at)
    select c.id, e.digest, e.vectors, e.retired_at from embeddings e join models m on m.id = e.model
    join cached_models c on c.spec = m.spec and c.name = m.name and c.dimensions = m.dimensions
        and c.recipe = m.recipe;

drop table embeddings;

create table cache_use (
    hits integer not null,
    misses integer not null
);

insert into cache_use (hits, misses) values (0, 0);

-- Memories whose text a model refuses: not tried again until somebody asks for it.
create table quarantine (
    memory integer not null references memories (id) on delete cascade,
    model integer not null references models (id) on delete cascade,
    reason text not null,
    times integer not null,
    at text not null,
    primary key (memory, model)
) without rowid;

create index quarantine_by_model on quarantine (model);

-- Tokens that generators read and wrote.
create table spending (
    month text not null,                    -- 2026-05, in UTC
    model text not null,
    tokens_in integer not null,
    tokens_out integer not null,
    primary key (month, model)
) without rowid;

-- Up to which turn memories were drawn from a session; also where there were none to draw.
create table extractions (
    space text not null,
    session text not null,
    position integer not null,
    extractor text not null,
    at text not null,
    primary key (space, session)
) without rowid;

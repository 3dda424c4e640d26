-- What is withheld from every answer: texts that a person kept although they hold a secret, and private parts.

-- The memory itself is stored redacted, so that no index, vector, log or export has more than that.
create table secrets (
    memory integer primary key references memories (id) on delete cascade,
    text text not null
);

-- Conversations in which a <private> is not closed yet: what follows is left out until it is.
create table private_parts (
    space text not null,
    session text not null,
    depth integer not null,
    position integer,                       -- of the turn that opened it, where the caller gave one
    primary key (space, session)
) without rowid;

-- Who may come in over the network. A token's secret is not here, only its SHA-256.

create table tokens (
    id integer primary key,
    digest blob not null unique,
    name text not null,
    spaces text not null,                   -- JSON list; an empty one means every space
    scopes text not null,                   -- JSON list of read, write, admin
    created_at text not null,
    expires_at text,
    last_used_at text,                      -- to the minute, best effort
    revoked_at text
);

create unique index tokens_standing on tokens (name) where revoked_at is null;

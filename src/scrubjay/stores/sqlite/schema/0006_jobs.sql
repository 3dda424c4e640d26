-- Batch jobs that a provider works on, so that another process can fetch what this one has handed in.
create table jobs (
    id text not null,                       -- the provider's name for it
    spec text not null,                     -- of the model
    at text not null,                       -- when it was handed in
    failed text,                            -- why, if it did
    primary key (spec, id)
) without rowid;

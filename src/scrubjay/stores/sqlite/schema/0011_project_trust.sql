-- A project's store is used once the user has said so. That is kept in the user's own folder; the mark here tells that
-- the file is still the one that was meant.
create table project_mark (
    mark text not null
);

-- What memories were trusted before the user took in a store that somebody else made: there they are all external.
create table trust_before (
    memory integer primary key references memories (id) on delete cascade,
    trust text not null
);

-- Links between memories, files that memories belong to, and whether memories were of use.
alter table memories add column paths text not null default '[]';                   -- JSON array of patterns
alter table memories add column shown_count integer not null default 0;             -- how often a search has shown it
alter table memories add column helpful_count integer not null default 0;           -- ratings that count
alter table memories add column unhelpful_count integer not null default 0;

create index memories_with_paths on memories (space) where paths <> '[]';

create table links (
    source integer not null references memories (id) on delete cascade,
    target integer not null references memories (id) on delete cascade,
    word text not null,
    at text not null,
    actor text,
    primary key (source, target, word)
) without rowid;

create index links_by_target on links (target);

create table ratings (
    memory integer not null references memories (id) on delete cascade,
    rater text not null,                    -- a session, or whoever else rates: the last rating of each counts
    trust text not null,                    -- of the rater
    helpful integer not null,
    at text not null,
    primary key (memory, rater, trust)
) without rowid;

-- Links that were taken away stay in the history of their memories.
create table links_with_history (
    source integer not null references memories (id) on delete cascade,
    target integer not null references memories (id) on delete cascade,
    word text not null,
    at text not null,
    actor text,
    undone_at text,                         -- null while the link stands
    undone_by text,
    primary key (source, target, word, at)
) without rowid;

insert into links_with_history (source, target, word, at, actor)
    select source, target, word, at, actor from links;

drop table links;
alter table links_with_history rename to links;
create index links_by_target on links (target);

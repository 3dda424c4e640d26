-- What has changed, for those who follow it. Triggers write it, so that no way of changing a memory can be forgotten.
-- The token makes two histories with equal numbers different: a restored backup is noticed.
create table events (
    seq integer primary key autoincrement,
    token integer not null default (random()),
    space text not null,
    memory integer not null,                -- no reference: a memory that was deleted is a change, too
    change text not null check (change in ('begun', 'added', 'changed', 'replaced', 'restored', 'deleted'))
);

insert into events (space, memory, change) values ('', 0, 'begun');

create trigger events_pruned after insert on events begin
    delete from events where seq <= new.seq - 20000;
end;

create trigger events_of_added after insert on memories begin
    insert into events (space, memory, change) values (new.space, new.id,
        case when exists (select 1 from trash where id = new.id) then 'restored' else 'added' end);
end;

create trigger events_of_deleted after delete on memories begin
    insert into events (space, memory, change) values (old.space, old.id, 'deleted');
end;

-- To be shown or used is no change.
create trigger events_of_changed after update on memories
when new.used_count = old.used_count and new.shown_count = old.shown_count begin
    insert into events (space, memory, change) values (new.space, new.id,
        case when old.superseded_at is null and new.superseded_at is not null then 'replaced'
            when old.superseded_at is not null and new.superseded_at is null then 'restored'
            else 'changed' end);
end;

create trigger events_of_tasks after update on tasks begin
    insert into events (space, memory, change) select space, id, 'changed' from memories where id = new.memory;
end;

-- Wrong tokens of the last minute, counted for all processes of a server.
create table attempts (
    id integer primary key autoincrement,
    origin blob not null,                   -- digest of an address, and of the beginning of a token
    at text not null
);

create index attempts_by_origin on attempts (origin, at);

-- The stems of what is indexed, each as a number: a search counts words in these instead of cutting texts again.

alter table memories add column stems blob;       -- four bytes for each stem, in their order

drop trigger events_of_changed;

-- To be shown or used is no change; to get its stems, neither.
create trigger events_of_changed after update on memories
when new.used_count = old.used_count and new.shown_count = old.shown_count
    and (old.stems is not null or new.stems is null) begin
    insert into events (space, memory, change) values (new.space, new.id,
        case when old.superseded_at is null and new.superseded_at is not null then 'replaced'
            when old.superseded_at is not null and new.superseded_at is null then 'restored'
            else 'changed' end);
end;

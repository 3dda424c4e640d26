-- The stems of what is indexed, each as a number: a search counts words in these instead of cutting texts again.
alter table memories add column stems bytea;      -- four bytes for each stem, in their order

-- To be shown or used is no change; to get its stems, neither.
drop trigger noted_change on memories;
create trigger noted_change after update on memories for each row
    when (new.used_count = old.used_count and new.shown_count = old.shown_count
        and (old.stems is not null or new.stems is null)) execute function note_event();

-- Names of code are indexed by their parts too: a stored column holds them, and the index reads it after the text.

alter table memories add column spellings text;   -- other spellings of its words; null: none

drop view indexed;

create view indexed as
    select id, hex(space) as space, title, coalesce(segmented, text) || coalesce(char(10) || spellings, '') as text,
        context, tags, subject
    from memories;

drop trigger memories_inserted;

create trigger memories_inserted after insert on memories begin
    insert into words (rowid, space, title, text, context, tags, subject)
    select id, space, title, text, context, tags, subject from indexed where id = new.id;
end;

drop trigger memories_deleted;

create trigger memories_deleted after delete on memories begin
    insert into words (words, rowid, space, title, text, context, tags, subject)
    values ('delete', old.id, hex(old.space), old.title,
        coalesce(old.segmented, old.text) || coalesce(char(10) || old.spellings, ''), old.context, old.tags,
        old.subject);
end;

drop trigger memories_reworded;

create trigger memories_reworded after update of space, title, text, context, tags, subject, segmented, spellings
on memories begin
    insert into words (words, rowid, space, title, text, context, tags, subject)
    values ('delete', old.id, hex(old.space), old.title,
        coalesce(old.segmented, old.text) || coalesce(char(10) || old.spellings, ''), old.context, old.tags,
        old.subject);
    insert into words (rowid, space, title, text, context, tags, subject)
    select id, space, title, text, context, tags, subject from indexed where id = new.id;
end;

-- The newest of a few are read from the end of an index, however large the store is.

-- A query that wants these says so with this very number: stores/filters.py.
create index memories_important on memories (space) where importance >= 8 and superseded_at is null;
create index memories_important_of_project on memories (space, project)
    where importance >= 8 and superseded_at is null and project is not null;
create index memories_by_subject_and_kind on memories (space, subject, kind) where subject is not null;
create index memories_by_project on memories (space, project, kind) where project is not null;

-- For statistics: the others were never used.
create index memories_used on memories (space, used_count) where used_count > 0;

create index conflicts_open on conflicts (newer) where dismissed_at is null;
create index steps_by_time on steps (at);
create index steps_by_undoing on steps (undone_at) where undone_at is not null;

-- The columns beside the vectors follow the log of changes: what a filter asks of a memory has changed.
create trigger memories_filtered
after update of kind, subject, project, session, speaker, tags, happened_at, importance, confidence on memories
when old.superseded_at is null and new.superseded_at is null begin
    insert into changes (space, verb, first_piece, last_piece)
    select new.space, 'remove', id, id from pieces
    where memory = new.id and model = (select id from models where state = 'current') order by id;
    insert into changes (space, verb, first_piece, last_piece)
    select new.space, 'add', id, id from pieces
    where memory = new.id and model = (select id from models where state = 'current') order by id;
end;

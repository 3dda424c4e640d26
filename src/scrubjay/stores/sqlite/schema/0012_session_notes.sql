-- What transcripts tell about a session besides its turns.
alter table sessions add column title text;

-- Files that its agent changed, and links such as those of pull requests.
create table session_notes (
    space text not null,
    session text not null,
    kind text not null check (kind in ('file', 'link')),
    name text not null,
    primary key (space, session, kind, name)
) without rowid;

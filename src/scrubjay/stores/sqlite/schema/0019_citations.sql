-- What memories cite: files, lines of files and commits, each with marks of how it was.
alter table memories add column cites text not null default '[]';   -- JSON array of texts

create index memories_citing on memories (space) where cites <> '[]';

-- Moving memories between stores.

-- Memories that were deleted: an import of an older copy does not bring them back. A uid tells nothing of its text.
create table deletions (
    uid text primary key,
    space text not null,
    at text not null
) without rowid;

-- Backups and exports that were made of this store: they may still hold what is forgotten here.
create table copies (
    path text primary key,
    kind text not null check (kind in ('backup', 'export')),
    spaces text not null,                   -- JSON list; an empty one means every space
    at text not null
) without rowid;

-- Who deleted a memory: a token restores only what it has deleted itself. Null: nobody with a name, or unknown.
alter table trash add column deleted_by text collate "C";

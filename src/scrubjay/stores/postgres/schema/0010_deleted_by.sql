-- Who deleted a memory: a token takes out of the trash what it has deleted itself. Null: nobody that has a name, or unknown.
alter table trash add column deleted_by text collate "C";

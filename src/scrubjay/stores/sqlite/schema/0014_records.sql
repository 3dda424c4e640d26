-- Records: the profile of a space, contacts, projects, skills. Each row is one version, whole.

-- A version is told by a memory, by which it is found. Of the versions whose memory is current, the last one holds.
create table records (
    id integer primary key autoincrement,
    uid text not null unique,               -- of the version
    record text not null,                   -- the same in all versions of a record, in every store
    noun text not null check (noun in ('profile', 'contact', 'project', 'skill')),
    version integer not null,               -- from 1 on
    memory integer not null references memories (id) on delete cascade,
    key text,                               -- no two current records of a noun in a space have the same; null: any
    data text not null,                     -- JSON object
    state text not null default '{}',       -- JSON object: what changes without a new version; the last row's counts
    at text not null,
    actor text,
    reason text
);

create index records_by_record on records (record, version);
create index records_by_memory on records (memory);
create index records_by_key on records (noun, key);

-- Of a memory that told a version of a record: all of its versions come back together.
alter table trash add column noun text;
alter table trash add column record text;

create index trash_by_record on trash (record) where record is not null;

-- Changes of several spaces get their numbers in one order and are committed in another. A follower must not pass a
-- number that may still come, so each transaction that writes first announces the newest number that there is, by a
-- lock that ends with it: its own changes come after that.
create index events_by_seq on events (seq);

create function announcement() returns bigint language sql immutable as 'select 5350769 * 1099511627776';

create function announce_changes() returns boolean language sql volatile as $$
    select pg_advisory_xact_lock_shared(announcement() + last_value) is not null from events_seq_seq
$$;

-- Up to this number no change can come in any more, in no snapshot that is taken after the question. In a lock's key,
-- the upper 24 bits are the mark of an announcement, and the lower 40 the number.
create function settled() returns bigint language plpgsql volatile as $$
declare
    newest bigint;
begin
    if pg_is_in_recovery() then
        raise exception 'A standby does not know which changes are still to come; follow them at the primary.';
    end if;
    select last_value into newest from events_seq_seq;
    return (
        select least(newest, min(((classid::bigint & 255) << 32) + objid::bigint)) from pg_locks
        where locktype = 'advisory' and objsubid = 1 and granted and classid::bigint >> 8 = announcement() >> 40
        and database = (select oid from pg_database where datname = current_database())
    );
end
$$;

-- Who acts in a space has no business with tokens, logins, or the answers of other requests: a transaction sees them
-- only if it is about no space at all.
do $$
declare
    name text;
begin
    foreach name in array array['tokens', 'logins', 'attempts', 'requests'] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format('create policy of_owner on %I to current_user using (true)', name);
        execute format('create policy of_store on %I to scrubjay_store using (true)', name);
        execute format('create policy of_no_space on %I to scrubjay_space using (cardinality(spaces_seen()) = 0)', name);
    end loop;
end
$$;

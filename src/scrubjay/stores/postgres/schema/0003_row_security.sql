-- The second wall between spaces: a transaction of the role scrubjay_space sees the spaces that it has named, and those
-- alone. One of scrubjay_store sees every space: upkeep. Neither owns a table. The words of memories are read by nobody
-- but through `holders`: comparing them could tell of other spaces.

do $$
declare
    role text;
begin
    foreach role in array array['scrubjay_space', 'scrubjay_store'] loop
        if not exists (select from pg_roles where rolname = role) then
            begin
                execute format('create role %I nologin', role);
            exception when duplicate_object then null;   -- another database of this server was quicker
            end;
        end if;
        if not pg_has_role(current_user, role, 'member') then
            execute format('grant %I to current_user', role);
        end if;
    end loop;
end
$$;

create procedure secure_tables() language plpgsql as $$
declare
    found record;
begin
    execute format('grant usage on schema %I to scrubjay_space, scrubjay_store', current_schema());
    execute format('grant select, insert, update, delete on all tables in schema %I to scrubjay_space, scrubjay_store',
        current_schema());
    execute format('grant usage, select on all sequences in schema %I to scrubjay_space, scrubjay_store',
        current_schema());
    execute format('revoke insert, update, delete on schema_version from scrubjay_space, scrubjay_store');
    for found in
        select c.oid::regclass as name, c.relname from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'space'
        where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relforcerowsecurity
    loop
        execute format('alter table %s enable row level security', found.name);
        execute format('alter table %s force row level security', found.name);
        execute format('create policy of_owner on %s to current_user using (true)', found.name);
        execute format('create policy of_store on %s to scrubjay_store using (true)', found.name);
        if found.relname <> 'word_counts' then
            execute format(
                'create policy of_space on %s to scrubjay_space using (space = any (spaces_seen()))', found.name);
        else
            execute format(
                'create policy of_space on %s for select to scrubjay_space using (space = any (spaces_seen()))',
                found.name);
        end if;
    end loop;
end
$$;

call secure_tables();

-- The memories that hold words, each with the sum of the words' weights. It runs as the owner of the tables: under row
-- security, no index of words can be used. So it looks at the spaces itself.
create function holders(queries tsquery[], weights double precision[], spaces text[])
returns table (space text, memory bigint, length bigint, weight double precision)
language sql stable security definer set search_path from current as $$
    select w.space, w.memory, min(w.length), sum(q.weight)
    from unnest(queries, weights) as q (query, weight) join words w on w.stems @@ q.query
    where w.space = any (spaces) and (current_setting('role') = 'scrubjay_store' or w.space = any (spaces_seen()))
    group by w.space, w.memory
$$;

-- What the statements of the store need besides plain SQL, and what follows from other rows.

create function each(items bigint[]) returns table (key bigint, value bigint) language sql immutable as
    'select place - 1, item from unnest(items) with ordinality as found (item, place)';

create function each(items text[]) returns table (key bigint, value text) language sql immutable as
    'select place - 1, item from unnest(items) with ordinality as found (item, place)';

create function each(list text) returns table (key bigint, value text) language sql immutable as
    'select place - 1, item from json_array_elements_text(list::json) with ordinality as found (item, place)';

-- A member of a JSON object by a path such as $."name"; json, unlike jsonb, takes every escaped character.
create function json_member(object text, path text) returns json language sql immutable as
    $$
    select case when starts_with(path, '$."') then object::json -> substr(path, 4, length(path) - 4)
        else jsonb_path_query_first(object::jsonb, path::jsonpath)::json end
    $$;

create function json_type(object text, path text) returns text language sql immutable as
    $$
    select case json_typeof(json_member(object, path))
        when 'string' then 'text'
        when 'number' then 'real'
        when 'boolean' then json_member(object, path)::text
        else json_typeof(json_member(object, path)) end
    $$;

create function json_text(object text, path text) returns text language sql immutable as
    $$ select json_member(object, path) #>> '{}' $$;

create function json_number(object text, path text) returns double precision language sql immutable as
    $$
    select case json_type(object, path)
        when 'real' then (json_member(object, path) #>> '{}')::double precision
        when 'true' then 1
        when 'false' then 0 end
    $$;

create function instr(within text, part text) returns bigint language sql immutable as
    'select strpos(within, part)::bigint';

-- The spaces that a transaction of the role scrubjay_space may see; null: none.
create function spaces_seen() returns text[] language sql stable as
    $$ select nullif(current_setting('scrubjay.spaces', true), '')::text[] $$;

-- A row that belongs to a memory has the space of that memory.
create function take_space_of_memory() returns trigger language plpgsql as $$
begin
    if new.space is null then
        select m.space into new.space from memories m where m.id = (to_jsonb(new) ->> tg_argv[0])::bigint;
    end if;
    return new;
end
$$;

create trigger space before insert on pieces for each row execute function take_space_of_memory('memory');
create trigger space before insert on accesses for each row execute function take_space_of_memory('memory');
create trigger space before insert on steps for each row execute function take_space_of_memory('old');
create trigger space before insert on edits for each row execute function take_space_of_memory('memory');
create trigger space before insert on conflicts for each row execute function take_space_of_memory('newer');
create trigger space before insert on tasks for each row execute function take_space_of_memory('memory');
create trigger space before insert on secrets for each row execute function take_space_of_memory('memory');
create trigger space before insert on records for each row execute function take_space_of_memory('memory');
create trigger space before insert on names for each row execute function take_space_of_memory('memory');
create trigger space before insert on links for each row execute function take_space_of_memory('source');
create trigger space before insert on ratings for each row execute function take_space_of_memory('memory');
create trigger space before insert on quarantine for each row execute function take_space_of_memory('memory');
create trigger space before insert on words for each row execute function take_space_of_memory('memory');

-- A step in the trash has the space of whichever of its ends is not there itself.
create function take_space_of_step() returns trigger language plpgsql as $$
begin
    if new.space is null then
        select m.space into new.space from memories m where m.id in (new.old, new.new) limit 1;
    end if;
    if new.space is null then
        select t.space into new.space from trash t where t.id in (new.old, new.new) limit 1;
    end if;
    return new;
end
$$;

create trigger space before insert on trash_steps for each row execute function take_space_of_step();

-- How many memories of a space hold each stem.
create function count_words() returns trigger language plpgsql security definer set search_path from current as $$
begin
    if tg_op <> 'INSERT' then
        update word_counts c set memories = c.memories - gone.memories
        from (
            select o.space, stem, count(*) as memories
            from old_rows o, unnest(tsvector_to_array(o.stems) || array['']) as stem group by 1, 2
        ) as gone
        where c.space = gone.space and c.stem = gone.stem;
    end if;
    if tg_op <> 'DELETE' then
        insert into word_counts (space, stem, memories)
        select n.space, stem, count(*) from new_rows n, unnest(tsvector_to_array(n.stems) || array['']) as stem group by 1, 2
        order by 1, 2
        on conflict (space, stem) do update set memories = word_counts.memories + excluded.memories;
    end if;
    return null;
end
$$;

create trigger counted_in after insert on words referencing new table as new_rows
    for each statement execute function count_words();
create trigger counted_anew after update on words referencing old table as old_rows new table as new_rows
    for each statement execute function count_words();
create trigger counted_out after delete on words referencing old table as old_rows
    for each statement execute function count_words();

-- To be shown or used is no change. Each writer drops what is far behind in its own space.
create function note_event() returns trigger language plpgsql security definer set search_path from current as $$
declare
    own_space text := case when tg_op = 'DELETE' then old.space else new.space end;
    own_id bigint;
    what text := 'changed';
    last bigint;
begin
    if tg_table_name = 'tasks' then
        own_id := new.memory;
    elsif tg_op = 'INSERT' then
        own_id := new.id;
        what := case when exists (select from trash t where t.space = new.space and t.id = new.id) then 'restored'
            else 'added' end;
    elsif tg_op = 'DELETE' then
        own_id := old.id;
        what := 'deleted';
    else
        own_id := new.id;
        what := case when old.superseded_at is null and new.superseded_at is not null then 'replaced'
            when old.superseded_at is not null and new.superseded_at is null then 'restored'
            else 'changed' end;
    end if;
    insert into events (space, memory, change) values (own_space, own_id, what) returning seq into last;
    delete from events e where e.space = own_space and e.seq <= last - 20000;
    return null;
end
$$;

create trigger noted after insert or delete on memories for each row execute function note_event();
create trigger noted_change after update on memories for each row
    when (new.used_count = old.used_count and new.shown_count = old.shown_count) execute function note_event();
create trigger noted_change after update on tasks for each row execute function note_event();

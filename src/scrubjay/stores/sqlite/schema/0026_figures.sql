-- What figures about a space are counted from, so that no memory need be read for them.
create index memories_shown on memories (space, shown_count) where shown_count > 0;
create index memories_weighed on memories (space, expires_at, importance, confidence) where superseded_at is null;
create index memories_of_no_use on memories (space)
    where (shown_count >= 5 and used_count = 0) or unhelpful_count > helpful_count;

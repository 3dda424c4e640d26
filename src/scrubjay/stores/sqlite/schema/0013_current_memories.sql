-- The current memories of a space in the order of their ids: a search looks at a few of them for comparison.
create index memories_current on memories (space) where superseded_at is null;

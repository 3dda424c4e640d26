-- Which memories the index of words holds: all of them, unless it is damaged.
create view indexed_memories with (security_invoker = true) as select memory from words;
grant select on indexed_memories to scrubjay_space, scrubjay_store;

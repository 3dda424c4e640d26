-- Which memories the index of words holds: all of them, unless it is damaged.
create view indexed_memories as select id as memory from words_docsize;

-- The stems of a long memory go on to its end; those of the version before ended after 20,000 characters.
select 1;

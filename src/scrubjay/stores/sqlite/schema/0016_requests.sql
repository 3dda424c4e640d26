-- Requests over HTTP that carry a key, and what they were answered: sent again, they are not done again.
create table requests (
    key blob primary key,                   -- digest of the token's name, the space and the key
    asked blob not null,                    -- digest of what was asked
    at text not null,
    answer blob                             -- null while it is being answered
) without rowid;

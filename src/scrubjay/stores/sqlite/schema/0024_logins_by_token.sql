-- Logins of whoever runs the program, and the links to them, are kept by its process: the table has those by a token.
drop table logins;
create table logins (
    digest blob primary key,
    token blob not null,                    -- digest of the token it is by
    expires_at text not null
) without rowid;

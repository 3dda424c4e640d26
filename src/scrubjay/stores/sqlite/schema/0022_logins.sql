-- Who is logged in to the page: digests of what browsers hold. A link opens a login once.
create table logins (
    digest blob primary key,
    token blob,                             -- digest of the token it is for; null: whoever runs the program
    is_link integer not null,
    expires_at text not null
) without rowid;

-- Logins of whoever runs the program, and the links to them, are kept by its process: the table has those by a token.
delete from logins where token is null;
alter table logins alter column token set not null;
alter table logins drop column is_link;

"""A memory behind a server, used as if it were a file; and the table of requests that server and client share."""

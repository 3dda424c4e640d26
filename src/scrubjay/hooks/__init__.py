"""What an agent client runs at its events: `scrubjay hook CLIENT [EVENT]`, with the event as JSON at standard input.

`command` runs it within a deadline and never fails; `local_socket` asks a server of the same memory that is running
already; `listener` is that server's side; `events` reads what clients send and answers in their words; `work` does it.
"""

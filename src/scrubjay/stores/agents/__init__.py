"""What agents leave besides memories: tasks, sessions, uses."""

"""What agents work with: context, sessions, tasks, the timeline, and tokens for the network."""

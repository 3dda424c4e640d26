"""The HTTP door: who is let in, what they may send, and the MCP server behind it."""

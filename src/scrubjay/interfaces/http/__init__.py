"""The HTTP interface: who has access, what they may send, and the MCP server behind it."""

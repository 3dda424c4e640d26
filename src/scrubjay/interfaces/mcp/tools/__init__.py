"""The MCP tools, one file for each set."""

"""The MCP tools, a file for each set of them."""

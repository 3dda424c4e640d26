"""The MCP server: few tools, few tokens. Only `scrubjay mcp` and `scrubjay serve` import it, and the SDK with it."""

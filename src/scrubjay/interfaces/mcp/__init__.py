"""The MCP server. Only `scrubjay mcp` and `scrubjay serve` import it, because the SDK is slow to import."""

"""This memory inside agent frameworks: one module for each, which alone imports its framework.

Each is installed with an extra of its name, e.g. `pip install 'scrubjay[langgraph]'`. What an agent writes through an
adapter has the trust `agent`, as over MCP.
"""

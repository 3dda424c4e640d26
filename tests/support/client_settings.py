"""Settings as they are on people's machines: with comments, tabs, other servers and hooks, and odd line ends."""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["JSON_FILES", "TOML_FILES", "json_texts", "odd_bytes", "toml_texts"]

OTHER_HOOK = '{"matcher": "Bash", "hooks": [{"type": "command", "command": "~/bin/audit.sh"}]}'

# One for each way in which real settings differ; keys of several clients, because each must leave the others' alone.
JSON_FILES = {
    "empty": "",
    "only blanks": "\n\n",
    "empty object": "{}",
    "empty object over two lines": "{\n}\n",
    "one line": '{"theme":"dark","mcpServers":{"github":{"command":"gh-mcp"}}}',
    "no final newline": '{\n  "theme": "dark"\n}',
    "tabs": '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"github": {\n\t\t\t"command": "gh-mcp"\n\t\t}\n\t}\n}\n',
    "comments": '// mine\n{\n  // colours\n  "theme": "dark", /* for eyes */\n  "mcp": {\n    // none yet\n  }\n}\n',
    "comment after the last": '{\n  "theme": "dark" // for the eyes\n  // that is all\n}\n',
    "trailing commas": '{\n  "theme": "dark",\n  "servers": {\n    "github": {"command": "gh-mcp",},\n  },\n}\n',
    "comment and bracket on one line": '{\n  "mcpServers": { // servers\n    "github": {} }, "x": 1 }',
    "other hooks": '{\n  "hooks": {\n    "UserPromptSubmit": [\n      '
    + OTHER_HOOK
    + '\n    ],\n    "Stop": []\n  }\n}\n',
    "hooks in one line": '{"hooks": {"SessionStart": [' + OTHER_HOOK + '], "pre_user_prompt": []}}\n',
    "unknown keys": '{\n    "x-new": {"a": [1, 2.5e3, null, true]},\n    "mcp": {},\n    "servers": {}\n}\n',
    "version": '{\n  "version": 1,\n  "hooks": {}\n}\n',
    "escapes": '{"a\\"b": "\\u00e9 \\\\ // not a comment", "/*": "*/"}',
    "an older entry of ours": '{"mcpServers": {"scrubjay": {"command": "scrubjay", "args": ["mcp", "--space", "a"]}}}',
}
TOML_FILES = {
    "empty": "",
    "usual": 'model = "o3"  # good\n\n[mcp_servers.github]\ncommand = "gh-mcp"\n\n[profiles.fast]\nmodel = "mini"\n',
    "no final newline": 'model = "o3"',
    "inline": 'mcp_servers = { github = { command = "gh-mcp" } }\n',
    "only comments": "# nothing yet\n",
    "dotted": 'mcp_servers.github.command = "gh-mcp"\n',
    "tables apart": '[mcp_servers.a]\ncommand = "a"\n\n[tui]\ntheme = "x"\n\n[mcp_servers.b]\ncommand = "b"\n# end\n',
    "tables and arrays apart": '[mcp_servers.a]\ncommand = "a"\n[[p]]\nn = 1\n[mcp_servers.b]\ncommand = "b"\n',
    "arrays of tables": '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n',
    "an older entry of ours": '[mcp_servers.scrubjay]\ncommand = "scrubjay" # mine\nargs = ["mcp", "--space", "a"]\n',
}

NAMES = st.sampled_from(
    ["theme", "mcpServers", "servers", "mcp", "hooks", "Stop", "SessionStart", "github", "ü", "a b"]
)
BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\t", " // note\n", "/* note */", "\n\t// a, {b}\n\t"])
SCALARS = st.sampled_from(["1", "-2.5e3", "true", "null", '"text"', '"// no comment"', '"\\u00e9\\n"', "[]", "{}"])


def _object(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    member = st.tuples(BLANKS, NAMES, BLANKS, BLANKS, inner, BLANKS)
    return st.tuples(st.lists(member, max_size=4, unique_by=lambda one: one[1]), BLANKS, st.booleans()).map(_joined)


def _joined(parts: tuple[list[tuple[str, ...]], str, bool]) -> str:
    members, end, has_comma = parts
    texts = [f'{a}"{name}"{b}:{c}{value}{d}' for a, name, b, c, value, d in members]
    return "{" + ",".join(texts) + ("," if has_comma and texts else "") + end + "}"


def _array(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    items = st.lists(st.tuples(BLANKS, inner, BLANKS).map("".join), max_size=3)
    return st.tuples(items, BLANKS).map(lambda parts: "[" + ",".join(parts[0]) + parts[1] + "]")


VALUES = st.recursive(SCALARS, lambda inner: _object(inner) | _array(inner), max_leaves=6)
json_texts = st.tuples(BLANKS, _object(VALUES), BLANKS).map("".join) | st.sampled_from(list(JSON_FILES.values()))
toml_texts = st.sampled_from(list(TOML_FILES.values()))


def odd_bytes(text: str, ends: str, has_mark: bool) -> bytes:
    """The text with these line ends, and with a byte order mark in front."""
    return ("\ufeff" if has_mark else "").encode() + text.replace("\n", ends).encode()

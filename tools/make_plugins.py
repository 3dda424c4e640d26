"""Writes the plugins of all clients from one place: the hooks and servers of `scrubjay.clients`, and tools/plugins.

`python -m tools.make_plugins` writes them; tests/test_plugins.py fails when one has drifted.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import scrubjay
from scrubjay.clients import NAME, claude_code, codex, gemini, load, opencode
from scrubjay.clients.program import hook_command

__all__ = ["ROOT", "plugin_files"]

ROOT = Path(__file__).parent.parent
TEXTS = Path(__file__).parent / "plugins"
PROGRAM = ("scrubjay",)
DESCRIPTION = "Persistent memory across sessions and clients, in one file on your machine"
AUTHOR = {"name": "The Scrubjay developers"}
LICENSE = "Apache-2.0"
HOMEPAGE = "https://github.com/scrubjay/scrubjay"
SERVER = {"command": "scrubjay", "args": ["mcp"]}
ABOUT = {"version": scrubjay.__version__, "description": DESCRIPTION}
IN_CLAUDE_CODE = "\n`/scrubjay:recall`, `/scrubjay:remember` and `/scrubjay:forget` do by hand what their names say."
IN_GEMINI = "\n`/recall`, `/remember` and `/forget` do by hand what their names say."


def plugin_files() -> dict[str, str]:
    """Every generated file, by its path in the repository."""
    return {
        ".claude-plugin/marketplace.json": _json(_claude_marketplace()),
        ".agents/plugins/marketplace.json": _json(_codex_marketplace()),
        **_below("plugins/claude-code", _claude_code()),
        **_below("plugins/codex", _codex()),
        **_below("plugins/gemini", _gemini()),
        **_below("plugins/opencode", _opencode()),
    }


def _claude_code() -> dict[str, str]:
    manifest = {"name": NAME, **ABOUT, "author": AUTHOR, "homepage": HOMEPAGE, "license": LICENSE}
    commands = {
        f"commands/{name}.md": (
            f"---\ndescription: {command['description']}\nargument-hint: {json.dumps(command['hint'])}\n---\n\n"
            + command["prompt"].replace("{arguments}", "$ARGUMENTS")
            + "\n"
        )
        for name, command in _commands().items()
    }
    return {
        ".claude-plugin/plugin.json": _json(manifest),
        ".mcp.json": _json({"mcpServers": {NAME: SERVER}}),
        "hooks/hooks.json": _json(_hooks(claude_code.hooks_of(hook_command(PROGRAM, "claude-code")))),
        "skills/memory/SKILL.md": _text("skill.md"),
        "README.md": _readme("claude-code", "plugin", IN_CLAUDE_CODE),
        **commands,
    }


def _codex() -> dict[str, str]:
    manifest = {
        "name": NAME, **ABOUT, "author": AUTHOR, "homepage": HOMEPAGE, "license": LICENSE,
        "skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json",
        "interface": {
            "displayName": "Scrubjay", "shortDescription": DESCRIPTION, "developerName": AUTHOR["name"],
            "category": "Productivity",
        },
    }  # fmt: skip
    return {
        ".codex-plugin/plugin.json": _json(manifest),
        ".mcp.json": _json({"mcpServers": {NAME: SERVER}}),
        "hooks/hooks.json": _json(_hooks(codex.hooks_of(hook_command(PROGRAM, "codex")))),
        "skills/memory/SKILL.md": _text("skill.md"),
        "README.md": _readme(
            "codex", "plugin", "\nCodex runs its hooks only after you have approved them with /hooks."
        ),
    }


def _gemini() -> dict[str, str]:
    manifest = {"name": NAME, **ABOUT, "mcpServers": {NAME: {**SERVER, "timeout": gemini.START_MILLISECONDS}}}
    commands = {
        f"commands/{name}.toml": (
            f"description = {json.dumps(command['description'])}\n"
            f'prompt = """\n{command["prompt"].replace("{arguments}", "{{args}}")}\n"""\n'
        )
        for name, command in _commands().items()
    }
    return {
        "gemini-extension.json": _json(manifest),
        "hooks/hooks.json": _json(_hooks(gemini.hooks_of(hook_command(PROGRAM, "gemini")))),
        "skills/memory/SKILL.md": _text("skill.md"),
        "README.md": _readme("gemini", "extension", IN_GEMINI),
        **commands,
    }


def _opencode() -> dict[str, str]:
    how = "\nCopy `scrubjay.js` to `~/.config/opencode/plugins/`, and add the MCP server to `opencode.json`."
    return {"scrubjay.js": opencode.plugin(PROGRAM), "README.md": _readme("opencode", "plugin", how)}


def _claude_marketplace() -> dict[str, Any]:
    plugin = {"name": NAME, "source": "./plugins/claude-code", **ABOUT}
    return {"name": NAME, "owner": AUTHOR, "metadata": {"description": DESCRIPTION}, "plugins": [plugin]}


def _codex_marketplace() -> dict[str, Any]:
    plugin = {
        "name": NAME,
        "source": {"source": "local", "path": "./plugins/codex"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Productivity",
    }
    return {"name": NAME, "interface": {"displayName": "Scrubjay"}, "plugins": [plugin]}


def _hooks(hooks: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {"hooks": {event: [{"hooks": [hook]}] for event, hook in hooks.items()}}


def _readme(client: str, noun: str, more: str) -> str:
    return _text("readme.md").format(title=load(client).title, client=client, noun=noun, more=more).rstrip() + "\n"


def _commands() -> dict[str, dict[str, str]]:
    commands: dict[str, dict[str, str]] = json.loads(_text("commands.json"))
    return commands


def _text(name: str) -> str:
    return (TEXTS / name).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _below(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}


if __name__ == "__main__":
    for name, text in plugin_files().items():
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_text(text, encoding="utf-8")

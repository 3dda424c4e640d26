"""Writes the parts of the docs that must not drift: run by cog from inside them (`make docs`)."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

import scrubjay
from scrubjay import config, errors
from scrubjay.agents.sessions import Sessions
from scrubjay.agents.tasks import Tasks
from scrubjay.agents.tokens import Tokens
from scrubjay.interfaces.cli.app import cli
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.definition import ToolDefinition
from scrubjay.interfaces.mcp.resources import PROMPTS, RESOURCES, TEMPLATES
from scrubjay.interfaces.mcp.tools import chosen_sets, tools_of
from scrubjay.memory.trash import Trash
from scrubjay.records import Contacts, Profile, Projects, Skills
from scrubjay.sources.registry import Sources
from scrubjay.text.kinds import DESCRIPTIONS
from tools.json_shapes import answer
from tools.make_async_stub import type_arguments

__all__ = [
    "commands",
    "entry",
    "error_tree",
    "instructions",
    "names",
    "nouns",
    "prompts",
    "resources",
    "schema",
    "settings",
    "surface",
    "tools",
]


def commands() -> str:
    """A section per command, from its own help."""
    context = click.Context(cli, info_name="scrubjay", max_content_width=100, help_option_names=["-h", "--help"])
    parts = []
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        own = click.Context(command, info_name=name, parent=context, max_content_width=100)
        parts.append(f"## {name}\n\n```text\n{command.get_help(own)}\n```\n")
    return "\n".join(parts)


def settings() -> str:
    rows = [
        f"| `{name}` | {'' if key.default is None else key.default} | `SCRUBJAY_{name.replace('.', '_').upper()}` |"
        f" {key.what} |"
        for name, key in config.KEYS.items()
    ]
    return "| setting | default | environment | what it is |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"


def kinds() -> str:
    rows = [f"| `{kind}` | {what} |" for kind, what in DESCRIPTIONS.items()]
    return "| kind | what it is |\n|---|---|\n" + "\n".join(rows) + "\n"


def error_tree() -> str:
    lines = (errors.__doc__ or "").splitlines()[2:]
    return "```text\n" + "\n".join(lines).strip() + "\n```\n"


def schema() -> str:
    folder = Path(scrubjay.__file__).parent / "stores/sqlite/schema"
    return "\n".join(f"```sql\n{path.read_text(encoding='utf-8')}```\n" for path in sorted(folder.glob("*.sql")))


def surface() -> str:
    """Every public method of the object that callers hold and of its groups, with what it says of itself."""
    groups = {
        "jay": scrubjay.Scrubjay,
        "jay.sources": Sources,
        "jay.tasks": Tasks,
        "jay.sessions": Sessions,
        "jay.profile": Profile,
        "jay.contacts": Contacts,
        "jay.projects": Projects,
        "jay.skills": Skills,
        "jay.tokens": Tokens,
        "jay.trash": Trash,
    }
    methods = [entry for name, group in groups.items() for entry in _methods(name, group)]
    opening = [entry("scrubjay.open", scrubjay.open), entry("scrubjay.aopen", scrubjay.aopen)]
    others = [entry("scrubjay.repair", scrubjay.repair), entry("scrubjay.tools", scrubjay.tools)]
    return "\n".join([*opening, *methods, *others, entry("tools.run", scrubjay.Tools.run)])


def tools(name: str) -> str:
    """A set of tools, as the server lists them."""
    core = [] if name == "core" else [tool.name for tool in tools_of(["core"])]
    rows = [_tool(tool) for tool in tools_of(chosen_sets(name)) if tool.name not in core]
    head = "| tool | arguments | what it is for | | scopes | its JSON is that of |\n|---|---|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


def resources() -> str:
    listed = [(one["uri"], one["description"]) for one in RESOURCES]
    listed += [(one["uriTemplate"], one["description"]) for one in TEMPLATES]
    return "\n".join(f"- `{uri}`: {what}" for uri, what in listed) + "\n"


def prompts() -> str:
    rows = [f"- `{_call(one)}` \u201c{one['title']}\u201d: {one['description']}" for one in PROMPTS.values()]
    return "\n".join(rows) + "\n"


def instructions() -> str:
    lines = replies.INSTRUCTIONS.splitlines()
    return "```text\n" + "\n".join(textwrap.fill(line, 110, subsequent_indent="  ") for line in lines) + "\n```\n"


def _tool(tool: ToolDefinition) -> str:
    listed = tool.listed
    needed = listed["inputSchema"].get("required", [])
    arguments = ", ".join(f"{name}{'' if name in needed else '?'}" for name in listed["inputSchema"]["properties"])
    marks = [
        word for hint, word in (("readOnlyHint", "reads"), ("destructiveHint", "may destroy")) if tool.hints.get(hint)
    ]
    return (
        f"| `{tool.name}` | {arguments} | {listed['description']} | {', '.join(marks)} | {' '.join(tool.scopes)}"
        f" | {_json_of(tool)} |"
    )


def _json_of(tool: ToolDefinition) -> str:
    """The commands that answer with the same JSON, or the shape of its own."""
    return ", ".join(f"`{one}`" if isinstance(one, str) else answer(one) for one in tool.answers)


def _call(prompt: dict[str, Any]) -> str:
    return f"{prompt['name']}({', '.join(argument['name'] for argument in prompt['arguments'])})"


def nouns(*kinds: type) -> str:
    """The fields of what methods give back."""
    return "\n".join(f"- **{kind.__name__}**: {_listed(kind)}. {inspect.getdoc(kind)}" for kind in kinds) + "\n"


def names(words: type) -> str:
    """The keywords a method takes beyond those in its signature."""
    kinds = {name: getattr(kind, "__forward_arg__", kind) for name, kind in inspect.get_annotations(words).items()}
    return "\n".join(f"- `{name}: {_type(kind)}`" for name, kind in kinds.items()) + "\n"


def _type(annotation: Any) -> str:
    """The type in `Annotated[type, …]`, where the rest declares how a field is checked."""
    node = ast.parse(str(annotation), mode="eval").body
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Annotated" and isinstance(node.slice, ast.Tuple):
        return ast.unparse(node.slice.elts[0])
    return str(annotation)


def _listed(kind: type) -> str:
    return ", ".join(f"`{field.name}`" for field in fields(kind))


def _methods(name: str, group: type) -> Iterator[str]:
    members = (pair for part in group.__mro__[:-1] for pair in vars(part).items())
    for own, member in members:
        if inspect.isfunction(member) and not own.startswith("_"):
            shown = entry(f"{name}.{own}", member)
            for variable, given in type_arguments(group).items():
                shown = re.sub(rf"-> {variable}\b", f"-> {given.__name__}", shown)
            yield shown


def entry(name: str, function: Callable[..., Any]) -> str:
    """A heading, the signature, and what a function says of itself."""
    signature = str(inspect.signature(function)).replace("(self, ", "(").replace("(self)", "()")
    plain = re.sub(r"<function (\w+) at \w+>", r"\1", signature.replace("builtins.", ""))
    plain = re.sub(r"(: |-> )'([^']*)'", r"\1\2", plain)  # annotations, which are kept as text
    return f"### {name}\n\n```python\n{name}{plain}\n```\n\n{inspect.getdoc(function) or ''}\n"

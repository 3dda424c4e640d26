"""The fields of a memory that callers may give. Each is declared here once.

To add a field: declare it in `Fields`; Python, the command line and `update` then accept it. types/memories.py lists
the other places: the attribute, the column and the argument of the MCP tool.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, Required, TypedDict, TypeVar, get_args, get_type_hints

from scrubjay.dates.arguments import first_moment
from scrubjay.dates.timestamps import Moment
from scrubjay.memory import arguments
from scrubjay.memory.connections import citations
from scrubjay.types import Trust, limits

__all__ = [
    "FIELDS",
    "TURN_FIELDS",
    "UPDATABLE",
    "ChatTurn",
    "Field",
    "Fields",
    "Option",
    "TurnFields",
    "UpdatableFields",
    "checked",
    "declarations",
    "given_names",
    "with_full_signatures",
]

T = TypeVar("T")
Values = Literal["text", "texts", "integer", "number", "object", "list", "comparisons", "switch", "either"]
Check = Callable[[str, Any, datetime], Any]  # the field's name, what was given, and now; returns what is stored


class Option(NamedTuple):
    """An option of the command line, as the command line needs it to be declared."""

    flag: str
    help: str | None = None
    metavar: str | None = None
    values: Values | tuple[str, ...] = "text"
    clear: str | None = None  # what `update --clear` calls the field
    of_a_new_one: str | None = None  # what a new memory has, if the option is not given


class Field(NamedTuple):
    """How a field is checked, what happens to it later, and its option on the command line."""

    check: Check = lambda name, value, now: arguments.short_text(name, value)
    inherited: bool = False  # a memory that replaces another one takes it over, unless it is given
    may_be_empty: bool = True  # `update` may set it to None
    option: Option | None = None


def by_value(check: Callable[[Any], Any]) -> Check:
    """A check that needs neither the field's name nor the time."""
    return lambda name, value, now: check(value)


class UpdatableFields(TypedDict, total=False):
    """The fields of a memory that can be changed later."""

    kind: Annotated[
        str | None,
        Field(
            check=by_value(arguments.kind),
            inherited=True,
            may_be_empty=False,
            option=Option(flag="--kind", help="What sort of memory.", of_a_new_one="told from the text"),
        ),
    ]
    subject: Annotated[
        str | None,
        Field(
            inherited=True, option=Option(flag="--subject", help="What it is about, e.g. user.", clear="subject")
        ),
    ]  # fmt: skip
    title: Annotated[
        str | None,
        Field(option=Option(flag="--title", help="A title.", clear="title", of_a_new_one="the first words")),
    ]
    context: Annotated[
        str | None,
        Field(
            check=lambda name, value, now: arguments.long_text(name, value, limits.CONTEXT_CHARACTERS),
            option=Option(flag="--context", help="What else to know about it.", clear="context"),
        ),
    ]
    tags: Annotated[
        Sequence[str],
        Field(
            check=by_value(arguments.tags),
            inherited=True,
            option=Option(
                flag="--tag", help="A tag; may be repeated.", metavar="WORD", values="texts", clear="tags"
            ),
        ),
    ]  # fmt: skip
    aliases: Annotated[
        Sequence[str],
        Field(
            check=by_value(arguments.aliases),
            inherited=True,
            option=Option(
                flag="--alias",
                help="Another name of what it is about, e.g. pg; may be repeated.",
                metavar="NAME",
                values="texts",
                clear="aliases",
            ),
        ),
    ]
    cites: Annotated[
        Sequence[str],
        Field(
            check=by_value(citations.checked),
            option=Option(
                flag="--cites",
                help="What it follows from: src/auth.py:40-60, a file or a commit; may be repeated.",
                metavar="PLACE",
                values="texts",
                clear="cites",
            ),
        ),
    ]
    paths: Annotated[
        Sequence[str],
        Field(
            check=by_value(arguments.paths),
            inherited=True,
            option=Option(
                flag="--path",
                help="Files that it belongs to, as in .gitignore, e.g. src/auth/**; may be repeated.",
                metavar="PATTERN",
                values="texts",
                clear="paths",
            ),
        ),
    ]
    metadata: Annotated[
        Mapping[str, Any],
        Field(
            check=by_value(arguments.metadata),
            option=Option(flag="--metadata", help="A JSON object of your own.", metavar="JSON", values="object"),
        ),
    ]
    importance: Annotated[
        int,
        Field(
            check=by_value(arguments.importance),
            inherited=True,
            may_be_empty=False,
            option=Option(flag="--importance", help="How much it matters.", metavar="1..10", values="integer"),
        ),
    ]
    confidence: Annotated[
        float,
        Field(
            check=by_value(arguments.confidence),
            may_be_empty=False,
            option=Option(flag="--confidence", help="How sure it is.", metavar="0..1", values="number"),
        ),
    ]
    expires_at: Annotated[
        Moment | None,
        Field(
            check=lambda name, value, now: arguments.expiry(value, now),
            option=Option(
                flag="--expires",
                help='When to forget it: a date, "tomorrow", "in 2 weeks", …',
                metavar="WHEN",
                clear="expires",
            ),
        ),
    ]
    project: Annotated[
        str | None,
        Field(
            inherited=True,
            option=Option(
                flag="--project",
                help="What work it is about.",
                clear="project",
                of_a_new_one="the repository you are in",
            ),
        ),
    ]


class Fields(UpdatableFields, total=False):
    """The fields of a memory, besides its text."""

    source: Annotated[str, Field(option=Option(flag="--source", help="Where it comes from."))]
    session: Annotated[
        str | None,
        Field(option=Option(flag="--session", help="The run of an agent it belongs to.")),
    ]
    happened_at: Annotated[
        Moment | None,
        Field(
            check=lambda name, value, now: first_moment(value, name, now),
            option=Option(
                flag="--happened", help='When it was said or true: a date, "yesterday", …', metavar="WHEN"
            ),
        ),
    ]  # fmt: skip
    trust: Annotated[
        Trust,
        Field(
            check=by_value(arguments.trust),
            option=Option(flag="--trust", help="Who vouches for it.", values=get_args(Trust)),
        ),
    ]
    client: Annotated[str | None, Field()]
    actor: Annotated[str | None, Field()]


class TurnFields(Fields, total=False):
    """The fields of a turn of a conversation."""

    text: str
    speaker: Annotated[str | None, Field()]
    position: Annotated[int, Field(check=by_value(arguments.position))]


class ChatTurn(TypedDict, total=False):
    """A turn as chat programs write it."""

    role: Required[str]
    content: Required[str | Sequence[Mapping[str, Any]]]
    happened_at: Moment
    position: int
    metadata: Mapping[str, Any]


def declarations(fields: type, of: type) -> dict[str, Any]:
    """What the keys of a TypedDict are annotated with, by name, as far as it is of that type."""
    hints = get_type_hints(fields, include_extras=True)
    extras = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {name: extra for name, own in extras.items() for extra in own if isinstance(extra, of)}


UPDATABLE = frozenset(UpdatableFields.__annotations__)
FIELDS: Mapping[str, Field] = declarations(Fields, Field)
TURN_FIELDS: Mapping[str, Field] = declarations(TurnFields, Field)


def with_full_signatures(owner: type[T]) -> type[T]:
    """A class whose methods show, in `help()`, every keyword that `**given: Unpack[…]` stands for."""
    known = vars(sys.modules[owner.__module__])
    for function in filter(inspect.isfunction, list(vars(owner).values())):
        if function.__code__.co_flags & inspect.CO_VARKEYWORDS:
            shown = inspect.signature(function)
            *others, last = shown.parameters.values()
            given = known[str(last.annotation).removeprefix("Unpack[").removesuffix("]")]
            keywords = [parameter for parameter in _keywords(given) if parameter.name not in shown.parameters]
            vars(function)["__signature__"] = shown.replace(parameters=[*others, *keywords])
    return owner


@cache
def _keywords(given: type) -> list[inspect.Parameter]:
    hints = get_type_hints(given).items()
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint) for name, hint in hints
    ]


def checked(name: str, value: Any, now: datetime) -> Any:
    """One field as it is stored; raises `Invalid` if it is wrong."""
    return TURN_FIELDS[name].check(name, value, now)


def given_names(fields: Mapping[str, Any]) -> frozenset[str]:
    """The names of the fields that a caller gave a value for."""
    return frozenset(name for name, value in fields.items() if value is not None)

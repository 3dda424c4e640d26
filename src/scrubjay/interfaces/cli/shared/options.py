"""Command-line options for fields and filters, made from memory/fields.py and memory/filters.py."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast, get_args

import click

from scrubjay.errors import Invalid
from scrubjay.interfaces.cli.shared.completion import NamedThing, completing
from scrubjay.memory.fields import FIELDS, UPDATABLE, Field, Option
from scrubjay.memory.filters import FILTERS
from scrubjay.text.secret_scan.quoting import quoted

__all__ = [
    "CLEARABLE",
    "FIELDS_OF_A_REPLACEMENT",
    "NEW_FIELDS",
    "UPDATABLE_FIELDS",
    "Decorator",
    "field_options",
    "filter_options",
    "given_filters",
    "with_options",
]

Decorator = Callable[[Any], Any]

TAKEN_OVER = "taken over"
COMPARISON = re.compile(r"(?P<key>[\w.-]+?)\s*(?P<operator>!=|<=|>=|=|<|>)\s*(?P<value>.*)", re.DOTALL)


def _object(context: click.Context, parameter: click.Parameter, text: str | None) -> Any:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Invalid(f"--metadata must be a JSON object, e.g. '{{\"ticket\": 7}}', not {quoted(text)}.")
    return value


def _list(context: click.Context, parameter: click.Parameter, text: str | None) -> Any:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, list):
        raise Invalid(f"{parameter.opts[0]} must be a JSON list, not {quoted(text)}.")
    return value


def _comparisons(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, Any]:
    """`size>=10` compares with a number, `name=Ann` with text."""
    wanted: dict[str, Any] = {}
    for text in texts:
        found = COMPARISON.fullmatch(text)
        if found is None:
            raise Invalid(
                f"{quoted(text)} is not a comparison; write e.g. --metadata 'size>=10' or --metadata name=Ann."
            )
        same_key = wanted.setdefault(found["key"], {})
        if found["operator"] in same_key:
            raise Invalid(f"--metadata {found['key']}{found['operator']} is given twice; give it once.")
        same_key[found["operator"]] = _typed(found["value"])
    return wanted


def _typed(text: str) -> Any:
    """A number, true, false or null; anything else is text."""
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text


OPTION_TYPES: dict[str, dict[str, Any]] = {
    "text": {},
    "texts": {"multiple": True},
    "integer": {"type": int},
    "number": {"type": float},
    "object": {"callback": _object},
    "comparisons": {"multiple": True, "callback": _comparisons},
    "list": {"callback": _list},
    "switch": {"is_flag": True},
    "either": {"is_flag": True, "default": None},
}


def _click_option(name: str, option: Option, if_not_given: str | None = None) -> Decorator:
    what_else = f"{(option.help or '').removesuffix('.')}; {if_not_given} if not given."
    settings: dict[str, Any] = {"help": what_else if if_not_given else option.help, "metavar": option.metavar}
    settings |= (
        {"type": click.Choice(option.values)} if isinstance(option.values, tuple) else OPTION_TYPES[option.values]
    )
    if (what := option.flag.removeprefix("--")) in get_args(NamedThing):
        settings["shell_complete"] = completing(cast("NamedThing", what))
    return click.option(option.flag, name, **settings)


def field_options(fields: Mapping[str, Field]) -> list[Decorator]:
    """An option for each of these fields that has one."""
    return [_click_option(name, field.option) for name, field in fields.items() if field.option]


def _of_a_new_memory(field: Field, replaces_another: bool) -> str | None:
    """What a new memory has in this field, if the option is not given."""
    return TAKEN_OVER if replaces_another and field.inherited else field.option and field.option.of_a_new_one


def _new_fields(replaces_another: bool) -> list[Decorator]:
    declared = sorted(FIELDS.items(), key=lambda one: one[0] not in UPDATABLE)
    return [
        _click_option(name, field.option, _of_a_new_memory(field, replaces_another))
        for name, field in declared
        if field.option
    ]


UPDATABLE_FIELDS = [
    _click_option(name, field.option) for name, field in FIELDS.items() if field.option and name in UPDATABLE
]
NEW_FIELDS = _new_fields(replaces_another=False)
FIELDS_OF_A_REPLACEMENT = _new_fields(replaces_another=True)
CLEARABLE = {field.option.clear: name for name, field in FIELDS.items() if field.option and field.option.clear}
FILTER_OPTIONS = [_click_option(name, filter.option) for name, filter in FILTERS.items()]


def given_filters(filters: dict[str, Any]) -> dict[str, Any]:
    """The filters that were given on the command line."""
    return {name: value for name, value in filters.items() if value not in (None, (), {})}


def with_options(*groups: Iterable[Decorator]) -> Decorator:
    """A decorator that gives a command these options, in this order."""

    def apply(function: Any) -> Any:
        for option in reversed([option for group in groups for option in group]):
            function = option(function)
        return function

    return apply


filter_options = with_options(FILTER_OPTIONS)

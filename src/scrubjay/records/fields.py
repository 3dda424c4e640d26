"""The fields of contacts, projects and skills that callers may give. Each is declared here once.

Python, the command line and MCP take them under these names; `None` empties one that may be empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict, get_args

from scrubjay.dates.arguments import first_moment
from scrubjay.dates.timestamps import Moment
from scrubjay.memory.fields import Field, Option, declarations
from scrubjay.records import checks
from scrubjay.records.plans import checked_plan
from scrubjay.types.agents import Priority

__all__ = [
    "CONTACT_FIELDS",
    "PROJECT_FIELDS",
    "SKILL_FIELDS",
    "ContactFields",
    "ContactType",
    "Outcome",
    "ProjectFields",
    "ProjectStatus",
    "ProjectType",
    "SkillFields",
    "Trigger",
]

ContactType = Literal["work", "personal", "ignored"]
ProjectStatus = Literal["active", "paused", "completed"]
ProjectType = Literal["work", "personal"]
Trigger = Literal["manual", "cron", "event"]
Outcome = Literal["ok", "warning", "error", "unknown"]  # of a check of a project's source, and of a skill's run
YEAR_MINUTES = 525_600


def text(flag: str, help: str, *, required: bool = False) -> Field:
    """A short text; its option is the flag."""
    option = Option(flag=flag, help=help, clear=None if required else flag.removeprefix("--"))
    return Field(may_be_empty=not required, option=option)


def choice(flag: str, help: str, choices: Any, *, clear: bool = False) -> Field:
    option = Option(flag=flag, help=help, values=get_args(choices), clear=flag.removeprefix("--") if clear else None)
    return Field(check=checks.chosen(choices), may_be_empty=clear, option=option)


class ContactFields(TypedDict, total=False):
    """A person that the user deals with."""

    name: Annotated[str, text("--name", "Who it is.", required=True)]
    email: Annotated[
        str | None,
        Field(check=checks.email, option=Option(flag="--email", help="Unique in a space.", clear="email")),
    ]
    company: Annotated[str | None, text("--company", "Where they work.")]
    role: Annotated[str | None, text("--role", "What they do there.")]
    type: Annotated[ContactType, choice("--type", "What sort of contact.  [default: work]", ContactType)]
    notes: Annotated[
        str | None,
        Field(check=checks.any_long, option=Option(flag="--notes", help="What else to know.", clear="notes")),
    ]


class ProjectFields(TypedDict, total=False):
    """Something that the user works on."""

    name: Annotated[str, text("--name", "Unique in a space.", required=True)]
    status: Annotated[ProjectStatus, choice("--status", "How it stands.  [default: active]", ProjectStatus)]
    type: Annotated[ProjectType, choice("--type", "What sort of project.  [default: work]", ProjectType)]
    description: Annotated[
        str | None,
        Field(check=checks.any_long, option=Option(flag="--description", help="What it is.", clear="description")),
    ]
    primary_contact: Annotated[
        int | str | None,
        Field(
            check=checks.contact,
            option=Option(
                flag="--contact", help="The primary contact: an id or email.", metavar="CONTACT", clear="contact"
            ),
        ),
    ]
    participants: Annotated[
        Sequence[int | str],
        Field(
            check=checks.contacts,
            option=Option(
                flag="--participant",
                help="Another contact; may be repeated.",
                metavar="CONTACT",
                values="texts",
                clear="participants",
            ),
        ),
    ]
    company: Annotated[str | None, text("--company", "For whom it is.")]
    priority: Annotated[Priority | None, choice("--priority", "How urgent it is.", Priority, clear=True)]
    repository: Annotated[
        str | None,
        Field(
            option=Option(
                flag="--repository",
                help="Its repository: an address such as github.com/ann/orion; . is the one you are in.",
                metavar="ADDRESS",
                clear="repository",
            )
        ),
    ]


class SkillFields(TypedDict, total=False):
    """Something that an agent knows how to do, and when it is to be done."""

    name: Annotated[str, text("--name", "Unique in a space.", required=True)]
    description: Annotated[
        str | None,
        Field(check=checks.any_long, option=Option(flag="--description", help="What it is for.", clear="description")),
    ]
    instructions: Annotated[
        str,
        Field(
            check=checks.any_long,
            may_be_empty=False,
            option=Option(flag="--instructions", help="What to do, in words.", metavar="TEXT"),
        ),
    ]
    trigger: Annotated[
        Trigger, choice("--trigger", "What starts it; told from the options if not given.", Trigger)
    ]  # fmt: skip
    schedule: Annotated[
        str | None,
        text("--schedule", 'For cron: an expression such as "0 9 * * 1", in local time or in --timezone.'),
    ]
    timezone: Annotated[
        str | None,
        Field(
            check=checks.timezone,
            option=Option(flag="--timezone", help="Of the schedule, e.g. Europe/Berlin.", clear="timezone"),
        ),
    ]
    interval_minutes: Annotated[
        int | None,
        Field(
            check=checks.number(1, YEAR_MINUTES),
            option=Option(
                flag="--interval", help="For cron: every so many minutes.", metavar="MINUTES", values="integer"
            ),
        ),
    ]
    at: Annotated[
        Moment | None,
        Field(
            check=lambda name, value, now: first_moment(value, name, now).isoformat(),
            option=Option(flag="--at", help='For cron: once, at a time such as "2026-12-01T09:00".', metavar="WHEN"),
        ),
    ]
    in_minutes: Annotated[
        int | None,
        Field(
            check=checks.number(0, YEAR_MINUTES),
            option=Option(flag="--in", help="For cron: once, in so many minutes.", metavar="MINUTES", values="integer"),
        ),
    ]
    event: Annotated[str | None, text("--event", "For event: what to wait for.")]
    required_tools: Annotated[
        Sequence[str],
        Field(
            check=checks.texts,
            option=Option(
                flag="--tool",
                help="A tool that it needs; may be repeated.",
                metavar="NAME",
                values="texts",
                clear="tools",
            ),
        ),
    ]
    plan: Annotated[
        Sequence[Mapping[str, Any]],
        Field(
            check=checked_plan,
            option=Option(
                flag="--plan",
                help='Its steps, as JSON: [{"id": "a", "tool": "fetch", "parameters": {…}, "depends_on": []}, …].',
                metavar="JSON",
                values="list",
                clear="plan",
            ),
        ),
    ]
    max_steps: Annotated[
        int,
        Field(
            check=checks.number(1, 1_000),
            may_be_empty=False,
            option=Option(
                flag="--max-steps", help="At most so many steps in a run.  [default: 10]", metavar="N", values="integer"
            ),
        ),
    ]
    notify_on_completion: Annotated[
        bool,
        Field(
            check=checks.flag,
            may_be_empty=False,
            option=Option(flag="--notify/--no-notify", help="Tell the user when it has run.", values="either"),
        ),
    ]
    notify_interval_minutes: Annotated[
        int,
        Field(
            check=checks.number(0, YEAR_MINUTES),
            may_be_empty=False,
            option=Option(
                flag="--notify-interval",
                help="Tell the user at most once in so many minutes; 0 is always.",
                metavar="MINUTES",
                values="integer",
            ),
        ),
    ]
    enabled: Annotated[
        bool,
        Field(
            check=checks.flag,
            may_be_empty=False,
            option=Option(flag="--enable/--disable", help="Whether it is ever due.", values="either"),
        ),
    ]


CONTACT_FIELDS: Mapping[str, Field] = declarations(ContactFields, Field)
PROJECT_FIELDS: Mapping[str, Field] = declarations(ProjectFields, Field)
SKILL_FIELDS: Mapping[str, Field] = declarations(SkillFields, Field)

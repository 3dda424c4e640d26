"""When a skill is due: by a cron expression, at intervals, or once. Scrubjay tells it, and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.records.versions import Data
from scrubjay.text.secret_scan.quoting import quoted

__all__ = ["due_at", "with_trigger"]

TIMES = ("schedule", "interval_minutes", "at")
ONE_TIME = "Give a cron skill one of schedule, interval_minutes, at and in_minutes."


def with_trigger(data: Data, given: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The data of a skill with what was given; a new time takes the place of the one before."""
    given = _with_moment(given, now)
    times = [name for name in TIMES if given.get(name) is not None]
    trigger = given.get("trigger") or ("cron" if times else "event" if given.get("event") else data["trigger"])
    after = {**data, **dict.fromkeys(_outdated(trigger, times)), **given, "trigger": trigger}
    _check(after)
    return after


def _with_moment(given: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Minutes from now are kept as the moment that they lead to."""
    others = {name: value for name, value in given.items() if name != "in_minutes"}
    minutes = given.get("in_minutes")
    if minutes is not None and others.get("at"):
        raise Invalid(ONE_TIME)
    return others if minutes is None else {**others, "at": (now + timedelta(minutes=minutes)).isoformat()}


def _outdated(trigger: str, times: Sequence[str]) -> Iterator[str]:
    """The fields of the trigger before that do not go with this one."""
    if times or trigger != "cron":
        yield from TIMES
    if trigger != "cron" or (times and "schedule" not in times):
        yield "timezone"
    if trigger != "event":
        yield "event"


def _check(data: Data) -> None:
    times = [name for name in TIMES if data.get(name) is not None]
    if data["trigger"] == "cron" and len(times) != 1:
        raise Invalid(ONE_TIME)
    if data["trigger"] != "cron" and times:
        raise Invalid(f"A skill whose trigger is {data['trigger']} has no {times[0]}; make the trigger cron.")
    if (data["trigger"] == "event") != (data.get("event") is not None):
        raise Invalid("A skill whose trigger is event names the event, and no other does.")
    if data.get("timezone") and not data.get("schedule"):
        raise Invalid("A timezone goes with a schedule; give that, too.")
    if data.get("schedule"):
        _next(data["schedule"], data.get("timezone"), datetime(2000, 1, 1, tzinfo=UTC))


def due_at(data: Data, last_run_at: datetime | None, created_at: datetime, now: datetime) -> datetime | None:
    """Since when a skill is due; None if it is not."""
    if not data["enabled"] or data["trigger"] != "cron":
        return None
    at = _first_after(data, last_run_at, created_at)
    return at if at is not None and at <= now else None


def _first_after(data: Data, last_run_at: datetime | None, created_at: datetime) -> datetime | None:
    if data.get("interval_minutes"):
        return created_at if last_run_at is None else last_run_at + timedelta(minutes=data["interval_minutes"])
    if data.get("at"):
        at = datetime.fromisoformat(data["at"])
        return at if last_run_at is None or last_run_at < at else None
    try:
        return _next(data["schedule"] or "", data.get("timezone"), last_run_at or created_at)
    except Invalid:  # another program wrote it: it is never due
        return None


def _next(schedule: str, timezone: str | None, after: datetime) -> datetime:
    """The first time after another that a cron expression names; without a time zone, in that of this machine."""
    from zoneinfo import ZoneInfo

    from cronsim import CronSim, CronSimError

    try:
        if timezone:
            return next(CronSim(schedule, after.astimezone(ZoneInfo(timezone)))).astimezone(UTC)
        local = after.astimezone().replace(tzinfo=None)
        return next(CronSim(schedule, local)).astimezone(UTC)
    except CronSimError as problem:
        reason = str(problem).lower()
        raise Invalid(f"{quoted(schedule)} is no cron expression ({reason}); write e.g. 0 9 * * 1.") from None
    except (KeyError, ValueError, OSError):  # ZoneInfo reads a file of that name
        raise Invalid(f"{quoted(timezone)} is no time zone; write e.g. Europe/Berlin.") from None
    except (StopIteration, OverflowError):
        raise Invalid(f"The time {quoted(schedule)} never comes; write e.g. 0 9 * * 1.") from None

"""Pictures as SVG, drawn here from numbers: a year of days, columns and bars. Colours are in page.css."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from math import ceil

from markupsafe import Markup

from scrubjay.text.plural import counted
from scrubjay.text.safe_text import one_line

__all__ = ["bars", "columns", "year"]

WEEKS = 53
CELL, GAP = 13, 3
LEFT, TOP = 30, 18
LEVELS = 4
SQUARE = Markup(
    '<a href="/timeline?day={day}" tabindex="-1" aria-label="{about}"><rect x="{x}" y="{y}" width="{size}"'
    ' height="{size}" rx="3" class="level-{level}"><title>{about}</title></rect></a>'
)
LABEL = Markup('<text x="{x}" y="{y}" class="label">{text}</text>')
PICTURE = Markup('<svg class="{kind}" viewBox="0 0 {width} {height}" role="{role}" aria-label="{about}">{parts}</svg>')
COLUMN = Markup(
    '<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}"'
    ' height="{height:.1f}" rx="2" class="bar"><title>{about}</title></rect>'
)
BAR_HEIGHT, BAR_WIDTH, NAME_WIDTH, NUMBER_WIDTH = 26, 320, 150, 70
COLUMNS_WIDTH, COLUMNS_HEIGHT = 640, 160
WIDEST_COLUMN, NAMED_WIDTH = 80, 78  # NAMED_WIDTH: what a name below a column needs
LINE = Markup('<line x1="0" y1="{y}" x2="{width}" y2="{y}" class="line"/>')


def year(counts: Mapping[date, int], last: date) -> Markup:
    """The days of a year as squares, a column for each week; the more, the darker."""
    first = last - timedelta(days=last.weekday() + 7 * (WEEKS - 1))
    most = max(counts.values(), default=0)
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    squares = [_square(day, number, counts.get(day, 0), most) for number, day in enumerate(days)]
    months = [
        LABEL.format(x=LEFT + number // 7 * (CELL + GAP), y=12, text=f"{day:%b}")
        for number, day in enumerate(days)
        if day.day <= 7 and day.weekday() == 0
    ]
    names = [
        LABEL.format(x=0, y=TOP + row * (CELL + GAP) + 11, text=name)
        for row, name in ((0, "Mon"), (2, "Wed"), (4, "Fri"))
    ]
    width, height = LEFT + WEEKS * (CELL + GAP), TOP + 7 * (CELL + GAP)
    about = f"{counted(sum(counts.values()), 'memory')} in the year until {last:%Y-%m-%d}"
    return _picture("year", "group", width, height, about, [*months, *names, *squares])


def _square(day: date, number: int, count: int, most: int) -> Markup:
    level = 0 if not count else 1 + min(LEVELS - 1, (count * LEVELS - 1) // most)
    x, y = LEFT + number // 7 * (CELL + GAP), TOP + number % 7 * (CELL + GAP)
    about = f"{day.day} {day:%b %Y}: {counted(count, 'memory')}"
    return SQUARE.format(day=day.isoformat(), about=about, x=x, y=y, size=CELL, level=level)


def bars(values: Mapping[str, int], about: str) -> Markup:
    """A bar for each name."""
    most = max(values.values(), default=0) or 1
    parts: list[Markup] = []
    for row, (given, value) in enumerate(values.items()):
        name = one_line(given)
        y, width = row * BAR_HEIGHT, max(2, value / most * BAR_WIDTH)
        parts += [
            LABEL.format(x=0, y=y + 17, text=name[:20]),
            COLUMN.format(x=NAME_WIDTH, y=y + 4, width=width, height=BAR_HEIGHT - 9, about=f"{name}: {value:,}"),
            LABEL.format(x=NAME_WIDTH + width + 8, y=y + 17, text=f"{value:,}"),
        ]
    width, height = NAME_WIDTH + BAR_WIDTH + NUMBER_WIDTH, max(len(values), 1) * BAR_HEIGHT
    return _picture("bars", "img", width, height, about, parts)


def columns(values: Mapping[str, float], about: str, unit: str = "") -> Markup:
    """A column for each name, in their order; as many are named as there is room for. The line is at the highest."""
    most, number = max(values.values(), default=0) or 1, max(len(values), 1)
    step, room = min(COLUMNS_WIDTH / number, WIDEST_COLUMN), COLUMNS_HEIGHT - 40
    every = ceil(NAMED_WIDTH / step)
    parts = [LINE.format(y=20, width=COLUMNS_WIDTH), LABEL.format(x=0, y=12, text=f"{most:,.4g}{unit}")]
    for place, (name, value) in enumerate(values.items()):
        x, height = place * step, room * value / most
        parts.append(
            COLUMN.format(
                x=x,
                y=20 + room - height,
                width=max(1.0, step * 0.8),
                height=height,
                about=f"{name}: {value:,.4g}{unit}",
            )
        )
        parts += [LABEL.format(x=f"{x:.1f}", y=COLUMNS_HEIGHT - 4, text=name)] if place % every == 0 else []
    return _picture("columns", "img", COLUMNS_WIDTH, COLUMNS_HEIGHT, about, parts)


def _picture(kind: str, role: str, width: int, height: int, about: str, parts: Sequence[Markup]) -> Markup:
    return PICTURE.format(kind=kind, role=role, width=width, height=height, about=about, parts=Markup("").join(parts))

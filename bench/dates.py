"""How well the time that a question names is read, beside libraries that find dates: `python -m bench.dates`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from importlib import import_module
from importlib.metadata import version
from typing import Any

from tests.support.date_questions import Asked, Days, is_right, ours, questions

from bench import report
from bench.report import Row, Table, markdown

NOTE = """\
{with_time} questions that name a time and {without} that do not, in English, German, Spanish and French, in three
parts, each written without sight of the grammar or of the other parts. Of the first, the grammar of then read 43 of
103; of the second, once extended, 69 of 82; of the third, after a review, 80 of 84, and one of 45 falsely. What each
showed to be missing was mostly added. *right*: at least half of the days that either means are meant by both. Of a
library, which finds moments, one within the time that is meant is enough, and it is told the language. *false*: a
time was found where none is named."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.dates", description=__doc__)
    parser.add_argument("--docs", action="store_true", help="write docs/figures/dates.md")
    options = parser.parse_args()
    asked = questions()
    readers = {"scrubjay": ours, "dateparser": _dateparser, "parsedatetime": _parsedatetime, "timefhuman": _timefhuman}
    note = NOTE.format(with_time=sum(one.days is not None for one in asked), without=sum(not one.days for one in asked))
    text = markdown(Table("Times in questions", note, [_row(name, read, asked) for name, read in readers.items()]))
    print(text)
    if options.docs:
        (report.FIGURES / "dates.md").write_text(f"# Dates\n\n{text}", encoding="utf-8")


def _dateparser(asked: Asked) -> list[Days]:
    search: Any = import_module("dateparser.search").search_dates
    settings = {"RELATIVE_BASE": asked.now.replace(tzinfo=None), "PREFER_DATES_FROM": "past"}
    return [_moment(asked, day) for _, day in search(asked.text, languages=[asked.language], settings=settings) or ()]


def _parsedatetime(asked: Asked) -> list[Days]:
    calendar: Any = import_module("parsedatetime").Calendar()
    return [_moment(asked, day) for day, *_ in calendar.nlp(asked.text, asked.now.replace(tzinfo=None)) or ()]


def _timefhuman(asked: Asked) -> list[Days]:
    library: Any = import_module("timefhuman")
    config = library.tfhConfig(now=asked.now.replace(tzinfo=None), direction=library.Direction.previous)
    return list(_spans_of(asked, library.timefhuman(asked.text, config)))


def _spans_of(asked: Asked, found: Sequence[Any]) -> Iterator[Days]:
    for one in found:
        if isinstance(one, tuple):
            yield _day(one[0]), _day(one[1])
        elif isinstance(one, date):
            yield _moment(asked, one)


def _moment(asked: Asked, moment: date) -> Days:
    """A moment within the time that is meant stands for all of it."""
    day = _day(moment)
    return asked.days if asked.days and asked.days[0] <= day <= asked.days[1] else (day, day)


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _row(name: str, read: Callable[[Asked], list[Days]], asked: Sequence[Asked]) -> Row:
    start = time.perf_counter()
    read(asked[0])
    first = time.perf_counter()
    right = {one: is_right(one, _found(read, one)) for one in asked}
    each = (time.perf_counter() - first) / len(asked)
    meant = [one for one in asked if one.days]
    return {
        "reader": name if read is ours else f"{name} {version(name)}",
        "right": sum(right[one] for one in meant),
        **{
            language: sum(right[one] for one in meant if one.language == language)
            for language in dict.fromkeys(one.language for one in asked)
        },
        "false": sum(not right[one] for one in asked if not one.days),
        "ms for the first": round((first - start) * 1000),
        "ms for each": round(each * 1000, 2),
    }


def _found(read: Callable[[Asked], list[Days]], asked: Asked) -> list[Days]:
    try:
        return read(asked)
    except Exception:  # a library that fails on a question finds nothing in it
        return []


if __name__ == "__main__":
    main()

"""The name that was probably meant by one that does not exist."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["SHOWN_CHARACTERS", "did_you_mean", "nearest"]

MISSPELT = 0.75  # difflib's ratio of a misspelling and the right word: 0.9 for 'preferance' and 'preference'
MISSPELT_OF_THREE = 0.66  # of three letters, one may be wrong
SHOWN_CHARACTERS = 60
LONGEST_MISSPELT = 3 * SHOWN_CHARACTERS  # a longer name is not half like any that is shown


def nearest(name: str, known: Iterable[str], least: float | None = None) -> str | None:
    """The known name that is spelt most like this one; None if none is similar enough."""
    if len(name) > LONGEST_MISSPELT:
        return None
    from difflib import get_close_matches  # only needed for an unknown name

    least = (MISSPELT_OF_THREE if len(name) == 3 else MISSPELT) if least is None else least
    small = {one.casefold(): one for one in known if len(one) <= SHOWN_CHARACTERS}
    return next((small[one] for one in get_close_matches(name.casefold(), list(small), 1, least)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: a question if a similar one exists, else a full stop."""
    meant = nearest(name, known)
    return f"; did you mean {meant!r}?" if meant else "."

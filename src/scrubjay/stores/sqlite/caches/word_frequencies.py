"""How often words occur, and who holds them, as FTS5 has told: remembered from one search to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["KnownHolders", "WordFrequencies"]

STALE_SHARE = 0.05
KEPT_HOLDERS = 2_000_000  # ids, of all words together


class KnownHolders:
    """By match, the ids of the memories that hold it, in one state of the index."""

    def __init__(self, state: bytes) -> None:
        self.state = state
        self.size = 0  # of all together
        self.last_sums: tuple[Sequence[str], Any] = ((), None)  # of these matches: a search may ask twice for them
        self._ids: dict[str, Any] = {}

    def get(self, match: str, read: Callable[[], Any]) -> Any:
        if match not in self._ids:
            self._ids[match] = read()
            self.size += len(self._ids[match])
        return self._ids[match]


class WordFrequencies:
    """How often words occur, and in which memories, remembered for all snapshots: of a common word, that is slow."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.common: set[str] = set()  # matches that more than RARE memories hold
        self.size = 0  # the highest id when they were counted
        self._holders = KnownHolders(b"")

    def refresh(self, size: int) -> None:
        """Forget them once the store has grown by enough to change them."""
        if abs(size - self.size) > STALE_SHARE * self.size:
            self.known, self.common, self.size = {}, set(), size

    def holders(self, state: bytes) -> KnownHolders:
        """Who holds which words, as long as the index of words stays in the same state."""
        known = self._holders
        if known.state != state or known.size > KEPT_HOLDERS:
            known = self._holders = KnownHolders(state)  # another one: another thread may read another state
        return known

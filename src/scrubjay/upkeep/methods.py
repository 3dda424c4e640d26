"""What the object that callers hold can do to look after a memory. `Scrubjay` in api.py is this and all the rest."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Unpack

from scrubjay.errors import Invalid
from scrubjay.memory.fields import with_full_signatures
from scrubjay.memory.filters import Filters
from scrubjay.memory.view import View
from scrubjay.models.embedders import DEFAULT, Embedder
from scrubjay.models.embedding import Progress
from scrubjay.types import limits

if TYPE_CHECKING:  # modules that most processes never need are imported by the methods that need them
    from scrubjay.types.models import Filled, Provider
    from scrubjay.types.reports import Access, Check, Cleaned, Stats
    from scrubjay.upkeep.extract import Extracted
    from scrubjay.upkeep.synthesise import Applied, Plan

__all__ = ["Upkeep"]


@with_full_signatures
class Upkeep:
    """Figures, checks, cleanup, vectors, extraction."""

    _view: View

    def stats(self) -> Stats:
        """How much there is, of which kinds, how much is used, and how it can be searched."""
        from scrubjay.upkeep.figures import stats

        return stats(self._view)

    def providers(self) -> builtins.list[Provider]:
        """Ask the embedder and the generator whether they answer, how fast, and with which model.

        Each is sent one fixed sentence; the few tokens of the generator count in its budget.
        """
        from scrubjay.upkeep.figures import providers

        return providers(self._view)

    def accesses(self, id: int | None = None, *, limit: int = 20) -> builtins.list[Access]:
        """The log of uses, the newest first: of one memory, or of the space."""
        from scrubjay.upkeep.figures import accesses

        return accesses(self._view, id, limit)

    def check(self, deep: bool = False, repair: bool = False) -> Check:
        """Look for damage; `deep` compares every row with its words and vectors.
        With `repair`, it is repaired where possible; of damaged pages, what can be read is copied to a new file."""
        from scrubjay.upkeep.check import check

        return check(self._view, deep, repair)

    def cleanup(self, dry_run: bool = False) -> Cleaned:
        """Move what has expired and, beyond the limits that are set, what is used least to the trash.
        What has been in the trash for longer than `trash.days` is erased."""
        from scrubjay.upkeep.cleanup import cleanup

        return cleanup(self._view, dry_run)

    def backfill(
        self,
        batch: int = limits.BACKFILL_BATCH,
        progress: Progress | None = None,
        *,
        retry: bool = False,
        job: bool = False,
    ) -> Filled:
        """Give a vector to each memory that has none yet; with `retry`, also to those that were refused.
        With `job`, a batch job is submitted to OpenAI or Gemini; a later call with `job` fetches its results."""
        if not job:
            from scrubjay.upkeep.backfill import backfill

            return backfill(self._view, batch, progress, retry=retry)
        if retry:
            raise Invalid("Give backfill retry or job, not both.")
        from scrubjay.upkeep.batch_jobs import backfill_by_jobs

        return backfill_by_jobs(self._view)

    def reindex(self, embedder: str | Embedder = DEFAULT, progress: Progress | None = None) -> Filled:
        """Move the whole file to another embedder; the old vectors answer until the new ones are complete."""
        from scrubjay.upkeep.backfill import reindex

        return reindex(self._view, embedder, progress)

    def extract(
        self, text: str | None = None, *, session: str | None = None, again: bool = False, rules: bool = False,
        dry_run: bool = False, progress: Progress | None = None,
    ) -> Extracted:  # fmt: skip
        """Extract memories from a text, from a session, or from all sessions that have something new.

        This is done by the configured generator; without one, or with `rules`, by rules for plain English statements.
        """
        from scrubjay.upkeep.extract import extract

        return extract(self._view, text, session, again=again, rules=rules, dry_run=dry_run, progress=progress)

    def synthesise(self, **filters: Unpack[Filters]) -> Plan:
        """Let the generator propose merges, corrections and deletions; nothing is changed."""
        from scrubjay.upkeep.synthesise import plan

        return plan(self._view, filters)

    def apply(self, plan: Plan) -> Applied:
        """Make the changes of a plan that are still allowed; `revert` undoes any of them."""
        from scrubjay.upkeep.synthesise import apply

        return apply(self._view, plan)

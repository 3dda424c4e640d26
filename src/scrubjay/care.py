"""Looking after a memory: the verbs of Scrubjay that concern all of it rather than one memory."""

from __future__ import annotations

import builtins
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from scrubjay import config
from scrubjay.dates.timestamps import Clock
from scrubjay.errors import Invalid
from scrubjay.files import private_files
from scrubjay.memory import daily_log, suggestions
from scrubjay.memory.filters import Filters
from scrubjay.memory.trash import Trash
from scrubjay.memory.view import Composer
from scrubjay.models.embedders import DEFAULT, Embedder
from scrubjay.models.embedding import Choice, Progress
from scrubjay.project import trust as project_trust
from scrubjay.search.query import Asker
from scrubjay.sources.staleness import Freshness
from scrubjay.stores import Store
from scrubjay.text.secret_scan.private_tags import without_private
from scrubjay.types import Added, Check, Evicted, Filled, Limits, Memory, Stats
from scrubjay.types.documents import Status, Synced
from scrubjay.upkeep import backfill

if TYPE_CHECKING:  # rooms that most processes never enter are imported by the methods that lead there
    from scrubjay.agents.tokens import Tokens
    from scrubjay.sources.registry import Sources
    from scrubjay.upkeep.extract import Extracted
    from scrubjay.upkeep.synthesise import Plan

__all__ = ["Care"]

EXPOSED = "Files of this memory that other users of this machine may open: {}; `scrubjay check --repair` closes them."
OTHER_SECRET = "Memory {} held another secret under the same words; this one has taken its place."


class Care:
    """What is seen from one space, as far as it is looked after."""

    space: str
    _store: Store
    _choice: Choice
    _composer: Composer
    _asker: Asker
    _clock: Clock
    _settings: config.Settings
    _freshness: Freshness

    def stats(self) -> Stats:
        return self._store.maintenance.stats(self.space, self._clock(), self.setting("generation.budget"))

    def check(self, deep: bool = False, repair: bool = False) -> Check:
        """Look for damage; `deep` compares every row with its words and vectors.

        With `repair`, what can be mended is: from a file with damaged pages, all that can be read is put into a new
        one, and the old one is kept beside it.
        """
        project = project_trust.of_store(self._store.path) if repair else None
        report = self._store.maintenance.check(deep, repair, self._clock())
        if project:
            project_trust.note_store(project)
        if deep or repair:
            report = backfill.check_vectors(self._store, self._choice.keep_up(), report, self._clock(), repair)
        warnings, repaired = private_files.check(self._private(), repair)
        return Check(report.problems, [*report.repaired, *repaired], warnings)

    def cleanup(self, dry_run: bool = False) -> builtins.list[Evicted]:
        """Move what has expired and, beyond the limits that are set, what is used least to the trash.

        What has been in the trash for longer than `trash.days` is erased.
        """
        if not dry_run:
            self._prune()
        limits = Limits(self.setting("limits.memories"), self.setting("limits.bytes"))
        gone = backfill.cleanup(self._store, self.space, self._clock(), limits, dry_run)
        if not dry_run:
            self.trash.erase_due()
        return gone

    @property
    def trash(self) -> Trash:
        """What was deleted and can still be taken back."""
        return Trash(self._store, self.space, self._clock, self.setting("trash.days"))

    def backfill(
        self, batch: int = backfill.BATCH, progress: Progress | None = None, *, retry: bool = False, job: bool = False
    ) -> Filled:
        """Give a vector to each memory that has none yet; with `retry`, also to those that were refused.

        With `job`, OpenAI or Gemini is handed a batch job, which a later call with `job` fetches.
        """
        if job and retry:
            raise Invalid("Give backfill retry or job, not both.")
        if job:
            from scrubjay.upkeep import batch_jobs

            return batch_jobs.backfill(self._store, self._choice.keep_up(), self._clock())
        return backfill.backfill(self._store, self._choice.keep_up(), self._clock(), batch, progress, retry=retry)

    def reindex(self, embedder: str | Embedder = DEFAULT, progress: Progress | None = None) -> Filled:
        """Move the whole file to another embedder; the old vectors answer until the new ones are complete."""
        with self._choice.another(embedder) as (opened, model):
            keep = self.setting("cache.bytes")
            filled = backfill.reindex(self._store, opened, model, self._clock(), keep, progress)
        if not filled.remaining:
            self._choice.use(embedder)
        return filled

    def secrets(self) -> builtins.list[Memory]:
        """Memories that were added with `allow_secret`, with their texts as given. No other answer has them."""
        texts = self._store.withheld.secrets([self.space])
        found = self._store.memories.get(builtins.list(texts), [self.space], self._clock())
        return [replace(found[id], text=text) for id, text in texts.items() if id in found]

    def spaces(self) -> builtins.list[str]:
        """The spaces of this file that hold anything."""
        return self._store.memories.spaces()

    def subjects(self) -> builtins.list[str]:
        """What this space's memories are about, the most frequent first."""
        return self._store.memories.subjects(self.space, self._clock())

    def kinds(self) -> dict[str, int]:
        """Which kinds of memories this space has, and how many of each, the most frequent first."""
        return dict(sorted(self.stats().by_kind.items(), key=lambda pair: (-pair[1], pair[0])))

    def filter_notes(self, **filters: Unpack[Filters]) -> builtins.list[str]:
        """A sentence for each name in a filter that no memory here has, with what may have been meant."""
        return suggestions.unmatched(self._store, self._asker.filter(None, filters))

    @property
    def sources(self) -> Sources:
        """Folders, transcripts and histories that this space is kept level with."""
        from scrubjay.sources.registry import Sources

        return Sources(self._store, self.space, self._clock)

    def sync(
        self, *names: str, force: bool = False, reading: Progress | None = None, embedding: Progress | None = None
    ) -> Synced:
        """Bring the space level with these of its sources, or all: read what changed, embed what is new."""
        from scrubjay.sources.sync import cutting, sync

        sources = [self.sources.named(name) for name in names] or self.sources.list()
        try:
            done = sync(
                self._store, self._choice.keep_up(), sources, cutting(self.setting), self._composer.compose_cut,
                self._clock(), force=force, reading=reading, embedding=embedding,
            )  # fmt: skip
        finally:
            self._freshness.forget()
        if done.changed.removed:
            self._prune()
        return done

    def sync_on(self, event: Literal["search", "session_start"]) -> Synced | None:
        """Bring the sources level if they are behind and the settings say so for this event."""
        return self.sync() if self.setting(f"sync.on_{event}") and self._freshness.is_behind() else None

    def status(self) -> Status:
        """How far the space is behind its sources."""
        from scrubjay.sources.sync import cutting, status

        return replace(status(self._store, self.space, cutting(self.setting)), warnings=self._warnings())

    @property
    def tokens(self) -> Tokens:
        """Who may come in over the network."""
        from scrubjay.agents.tokens import Tokens

        return Tokens(self._store.tokens, self.space, self._clock)

    def extract(
        self, text: str | None = None, *, session: str | None = None, again: bool = False, rules: bool = False,
        dry_run: bool = False, progress: Progress | None = None,
    ) -> Extracted:  # fmt: skip
        """Draw memories from a text, from a session, or from all sessions that have something new.

        By the generator that is set; without one, or with `rules`, by rules for plain statements in English.
        """
        from scrubjay.upkeep.extract import extraction

        parts = self._store, self._choice.keep_up(), self._composer, self.setting
        with extraction(*parts, rules=rules, dry_run=dry_run) as run:
            done = run.of(text, session, again, progress)
        self._logged(builtins.list(done.added))
        return done

    def synthesise(self, **filters: Unpack[Filters]) -> Plan:
        """Let the generator propose merges, corrections and deletions; nothing is changed."""
        from scrubjay.models.generation import writer
        from scrubjay.upkeep.synthesise import plan

        with writer(self._store.ledger, self.setting, self._clock) as writing:
            return plan(self._store, writing, self._asker.filter(None, filters))

    def _prune(self) -> None:
        self._store.vectors.prune(self._clock(), self.setting("sync.cache_days"), self.setting("cache.bytes"))

    def _logged(self, added: builtins.list[Added]) -> builtins.list[Added]:
        folder = self.setting("log.folder")
        if folder:
            daily_log.append(Path(folder), (one.memory for one in added if one.created))
        self.trash.erase_due_unasked()  # every way to add comes by here
        return added

    def _private(self) -> builtins.list[Path]:
        """What nobody but its owner should be able to open: the store, its folder if that is ours, log and settings."""
        files = self._store.files()
        folders = {file.absolute().parent for file in files[:1] if config.is_own_folder(file.absolute().parent)}
        log = self.setting("log.folder")
        logs = daily_log.files(Path(log)) if log else []
        return [*folders, *files, *logs, *(path for path in [config.config_file()] if path.exists())]

    def _warnings(self) -> tuple[str, ...]:
        exposed = len(private_files.open_to_others(self._private()))
        return (EXPOSED.format(exposed),) if exposed else ()

    def _finished(self, added: Added, memory: Memory, kept: str | None) -> Added:
        """Log what was added; a text that is kept with its secret is put where no answer and no log has it instead."""
        said = without_private(kept or "")
        if kept is None or memory.text == said:
            return self._logged([added])[0]
        before = self._store.withheld.secrets([self.space]).get(added.memory.id, said)
        self._store.withheld.keep_secret(added.memory.id, said)
        return added if before == said else replace(added, notes=(*added.notes, OTHER_SECRET.format(added.memory.id)))

    def setting(self, key: str) -> Any:
        """What a setting says for this space."""
        return self._settings.get(key, self.space)

"""Vectors by batch jobs, at half the price and within a day; each call does what can be done now, and does not wait.

A job's name is kept in the file, so that whoever calls next fetches what was handed in. Texts go by their digest: what
was changed or deleted meanwhile finds no vector, and needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice

from scrubjay.errors import EmbedderError, EmbedderUnavailable
from scrubjay.models.embedders import Embedder
from scrubjay.models.embedders.remote.jobs import Jobs, Results, jobs_of
from scrubjay.models.embedding import Choice, Embedded, embed_memories, pieces_of, stacked
from scrubjay.stores import Store
from scrubjay.types import Memory
from scrubjay.types.models import Filled, Job, Model
from scrubjay.upkeep.backfill import LARGEST_BATCH, Filling, ready

__all__ = ["backfill"]

PIECES_OF_A_JOB = 1_000  # their vectors may be 43 MB, which are read at once
JOBS_AT_ONCE = 10
FAILURES = 2  # in a row: then requests are made as usual
OVERDUE = timedelta(days=3)  # a provider promises one

Pieces = Mapping[str, str]  # of a text, by key


def backfill(store: Store, choice: Choice, now: datetime) -> Filled:
    """Fetch the jobs that are done; once none is under way, hand in what still has no vector."""
    embedder, model = ready(choice.settled())
    return Handing(store, embedder, jobs_of(embedder), model, now).go_on()


@dataclass(frozen=True, slots=True)
class Handing:
    """Jobs of one model, for memories that have no vector."""

    store: Store
    embedder: Embedder
    jobs: Jobs
    model: Model
    now: datetime

    def go_on(self) -> Filled:
        done = [self._fetch(job) for job in self._under_way()]
        while not self._under_way() and (texts := self._gathered()):
            if len(self._failed()) >= FAILURES:
                done.append(self._filled_as_usual())
                break
            self._hand_in(texts)
        return Filled(
            sum(one.embedded for one in done),
            tuple(id for one in done for id in one.failed),
            self.store.vectors.count_pending("current"),
            sum(one.texts for one in done),
            len(self.store.ledger.quarantined()),
            len(self._under_way()),
        )

    def _under_way(self) -> list[Job]:
        return [job for job in self.store.ledger.jobs(self.model.spec) if not job.failed]

    def _failed(self) -> list[Job]:
        return [job for job in self.store.ledger.jobs(self.model.spec) if job.failed]

    def _fetch(self, job: Job) -> Filled:
        """Take in what a job has done; one that failed is remembered as such."""
        overdue = self.now - job.at > OVERDUE
        try:
            results = self.jobs.fetch(job.id)
            if results is None and overdue:
                raise EmbedderError(f"The job {job.id} was not done in time.")
        except EmbedderError as problem:
            if isinstance(problem, EmbedderUnavailable) and not overdue:
                raise
            self.store.ledger.put_job(self.model.spec, job._replace(failed=str(problem)))
            self.jobs.forget(job.id)
            return Filled(0, (), 0)
        if results is None:
            return Filled(0, (), 0)
        filled = self._fill(partial(_found, self.embedder, results))
        self._end(job, *self._failed())
        self.jobs.forget(job.id)
        return filled

    def _gathered(self) -> list[Pieces]:
        """What has to be embedded, each text once; what was embedded before is filled in meanwhile."""
        texts: dict[bytes, Pieces] = {}

        def gather(memories: Sequence[Memory]) -> Embedded:
            texts.update((memory.digest, _pieces(self.embedder, memory)) for memory in memories)
            return Embedded([None] * len(memories), {})

        self._fill(gather)
        return list(texts.values())

    def _hand_in(self, texts: Sequence[Pieces]) -> None:
        for pieces in islice(_of_a_job(texts), JOBS_AT_ONCE):
            try:
                job = Job(self.jobs.hand_in(pieces), self.now)
            except EmbedderError as problem:
                job = Job(f"not taken, {len(self._failed()) + 1}", self.now, str(problem))
            self.store.ledger.put_job(self.model.spec, job)
            if job.failed:
                return

    def _filled_as_usual(self) -> Filled:
        try:
            return self._fill(partial(embed_memories, self.embedder))
        finally:
            self._end(*self._failed())

    def _fill(self, make: Callable[[Sequence[Memory]], Embedded]) -> Filled:
        return Filling(self.store, make, self.model, "current", self.now).run(LARGEST_BATCH, None)

    def _end(self, *jobs: Job) -> None:
        for job in jobs:
            self.store.ledger.end_job(self.model.spec, job.id)


def _pieces(embedder: Embedder, memory: Memory) -> Pieces:
    return {f"{memory.digest.hex()}-{number}": piece for number, piece in enumerate(pieces_of(embedder, memory))}


def _of_a_job(texts: Iterable[Pieces]) -> Iterator[Pieces]:
    """The pieces of as many texts as a job takes: all of a text's are in one job, or it would never be complete."""
    job: dict[str, str] = {}
    for pieces in texts:
        if job and len(job) + len(pieces) > PIECES_OF_A_JOB:
            yield job
            job = {}
        job |= pieces
    if job:
        yield job


def _found(embedder: Embedder, results: Results, memories: Sequence[Memory]) -> Embedded:
    """What a job has for these memories."""
    keys = [list(_pieces(embedder, memory)) for memory in memories]
    rows = [stacked([results.vectors.get(key) for key in own]) for own in keys]
    reasons = {place: results.refused[key] for place, own in enumerate(keys) for key in own if key in results.refused}
    return Embedded(rows, reasons)

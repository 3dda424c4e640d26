"""Vectors by batch jobs of a provider: half the price, within a day. A call does what can be done now, and never waits.

The store remembers the jobs, so that a later call, of any process, fetches their results. Texts are matched by digest:
a memory that was changed or deleted in between gets no vector, and needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice

from scrubjay.errors import EmbedderError, EmbedderUnavailable
from scrubjay.memory.view import View
from scrubjay.models.embedders import Embedder
from scrubjay.models.embedders.remote.jobs import Jobs, Results, jobs_of
from scrubjay.models.embedding import Embedded, embed_memories, pieces_of, stacked
from scrubjay.stores import Store
from scrubjay.types import Memory, Model
from scrubjay.types.models import Filled, Job
from scrubjay.upkeep.backfill import LARGEST_BATCH, Filling, embedder_and_model

__all__ = ["backfill_by_jobs"]

PIECES_OF_A_JOB = 1_000  # their vectors may take 43 MB, which are read at once
JOBS_AT_ONCE = 10
MOST_FAILURES = 2  # in a row: after that, ordinary requests are made
OVERDUE = timedelta(days=3)  # providers promise one day

Pieces = Mapping[str, str]  # of a text, by key


def backfill_by_jobs(view: View) -> Filled:
    """Fetch the jobs that are done; once none is pending, submit the texts that still have no vector."""
    embedder, model = embedder_and_model(view.selection.follow_store())
    return BatchJobs(view.store, embedder, jobs_of(embedder), model, view.clock()).run()


@dataclass(frozen=True, slots=True)
class BatchJobs:
    """Jobs of one model, for memories that have no vector."""

    store: Store
    embedder: Embedder
    jobs: Jobs
    model: Model
    now: datetime

    def run(self) -> Filled:
        done = [self._fetch(job) for job in self._pending()]
        while not self._pending() and (texts := self._missing_texts()):
            if len(self._failed()) >= MOST_FAILURES:
                done.append(self._fill_by_requests())
                break
            self._submit(texts)
        return Filled(
            sum(one.embedded for one in done),
            tuple(id for one in done for id in one.failed),
            self.store.vectors.count_pending("current"),
            sum(one.texts for one in done),
            len(self.store.ledger.quarantined()),
            len(self._pending()),
        )

    def _pending(self) -> list[Job]:
        return [job for job in self.store.ledger.jobs(self.model.spec) if not job.failed]

    def _failed(self) -> list[Job]:
        return [job for job in self.store.ledger.jobs(self.model.spec) if job.failed]

    def _fetch(self, job: Job) -> Filled:
        """Store the vectors of a job that is done; one that failed is remembered as failed."""
        overdue = self.now - job.at > OVERDUE
        try:
            results = self.jobs.fetch(job.id)
            if results is None and overdue:
                raise EmbedderError(f"The job {job.id} was not done in time.")
        except EmbedderError as problem:
            if isinstance(problem, EmbedderUnavailable) and not overdue:
                raise
            self.store.ledger.put_job(self.model.spec, replace(job, failed=str(problem)))
            self.jobs.delete(job.id)
            return Filled(0, (), 0)
        if results is None:
            return Filled(0, (), 0)
        filled = self._fill(partial(_found, self.embedder, results))
        self._end(job, *self._failed())
        self.jobs.delete(job.id)
        return filled

    def _missing_texts(self) -> list[Pieces]:
        """The texts to embed, each once; texts that were embedded before get their vectors right away."""
        texts: dict[bytes, Pieces] = {}

        def collect(memories: Sequence[Memory]) -> Embedded:
            texts.update((memory.digest, _pieces(self.embedder, memory)) for memory in memories)
            return Embedded([None] * len(memories), {})

        self._fill(collect)
        return list(texts.values())

    def _submit(self, texts: Sequence[Pieces]) -> None:
        for pieces in islice(_split_into_jobs(texts), JOBS_AT_ONCE):
            try:
                job = Job(self.jobs.submit(pieces), self.now)
            except EmbedderError as problem:
                job = Job(f"not taken, {len(self._failed()) + 1}", self.now, str(problem))
            self.store.ledger.put_job(self.model.spec, job)
            if job.failed:
                return

    def _fill_by_requests(self) -> Filled:
        try:
            return self._fill(partial(embed_memories, self.embedder))
        finally:
            self._end(*self._failed())

    def _fill(self, embed: Callable[[Sequence[Memory]], Embedded]) -> Filled:
        return Filling(self.store, embed, self.model, "current", self.now).run(LARGEST_BATCH, None)

    def _end(self, *jobs: Job) -> None:
        for job in jobs:
            self.store.ledger.end_job(self.model.spec, job.id)


def _pieces(embedder: Embedder, memory: Memory) -> Pieces:
    return {f"{memory.digest.hex()}-{number}": piece for number, piece in enumerate(pieces_of(embedder, memory))}


def _split_into_jobs(texts: Iterable[Pieces]) -> Iterator[Pieces]:
    """The pieces of as many texts as one job takes; all pieces of a text go into the same job."""
    job: dict[str, str] = {}
    for pieces in texts:
        if job and len(job) + len(pieces) > PIECES_OF_A_JOB:
            yield job
            job = {}
        job |= pieces
    if job:
        yield job


def _found(embedder: Embedder, results: Results, memories: Sequence[Memory]) -> Embedded:
    """The vectors that a job made for these memories."""
    keys = [list(_pieces(embedder, memory)) for memory in memories]
    vectors = [stacked([results.vectors.get(key) for key in own]) for own in keys]
    reasons = {index: results.refused[key] for index, own in enumerate(keys) for key in own if key in results.refused}
    return Embedded(vectors, reasons)

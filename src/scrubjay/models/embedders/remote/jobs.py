"""Batch jobs of providers: many texts are handed in at once, and their vectors fetched when they are done."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from scrubjay.errors import EmbedderError, Invalid
from scrubjay.models.embedders.prefixes import prefixes
from scrubjay.models.embedders.remote.served import Remote
from scrubjay.models.http import Wire

if TYPE_CHECKING:
    from scrubjay.models.embedders import Embedder
    from scrubjay.types.vectors import Matrix

__all__ = ["Jobs", "Results", "jobs_of"]

RUNNING = {"validating", "in_progress", "finalizing", "cancelling"}
RUNNING_AT_GEMINI = {"BATCH_STATE_UNSPECIFIED", "BATCH_STATE_PENDING", "BATCH_STATE_RUNNING"}
GEMINI_JOB = re.compile(r"batches/[\w-]+", re.ASCII)
NO_REASON = "no reason was given"

Answers = Mapping[str, Any]  # by key: the numbers of a vector, or the sentence that a text was refused with


@dataclass(frozen=True, slots=True)
class Format:
    """How a provider takes a job, gives its answers, and forgets it."""

    hand_in: Callable[[Wire, str, Mapping[str, str]], str]  # model, texts by key; gives the job's id
    fetch: Callable[[Wire, str], Answers | None]  # None while it runs; a job that failed is an `EmbedderError`
    forget: Callable[[Wire, str], None]


@dataclass(frozen=True, slots=True)
class Results:
    """What became of the texts of a job, by key; a text may be in neither."""

    vectors: Mapping[str, Matrix]
    refused: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Jobs:
    """Jobs for one model."""

    remote: Remote
    format: Format

    def hand_in(self, texts: Mapping[str, str]) -> str:
        """Begin a job, and give the name by which it is asked for."""
        model = self.remote.endpoint.model
        _, prefix = prefixes(model)
        ready = {key: prefix + text for key, text in texts.items()}
        job: str = self._read(lambda wire: self.format.hand_in(wire, model, ready))
        return job

    def fetch(self, job: str) -> Results | None:
        """What a job has done, or None while it runs. One that failed, or embedded nothing, is an `EmbedderError`."""
        answers = self._read(lambda wire: self.format.fetch(wire, job))
        if answers is None:
            return None
        harmless = self.remote.wire.harmless
        refused = {key: harmless(answer) for key, answer in answers.items() if isinstance(answer, str)}
        made = {key: answer for key, answer in answers.items() if key not in refused}
        if not made:
            raise EmbedderError(f"The job {job} embedded nothing: {next(iter(refused.values()), NO_REASON)}.")
        return Results(dict(zip(made, self.remote.unit_rows(list(made.values()), len(made)), strict=True)), refused)

    def forget(self, job: str) -> None:
        """Leave no text with the provider; where that cannot be had, it is deleted there in time."""
        with suppress(EmbedderError):
            self._read(lambda wire: self.format.forget(wire, job))

    def _read(self, asked: Callable[[Wire], Any]) -> Any:
        try:
            return asked(self.remote.wire)
        except (KeyError, IndexError, TypeError, AttributeError):
            raise EmbedderError(f"{self.remote.endpoint} answered with something other than a job.") from None


def jobs_of(embedder: Embedder) -> Jobs:
    if not isinstance(embedder, Remote) or embedder.endpoint.provider not in FORMATS:
        raise Invalid(f"Jobs are taken by {' and '.join(FORMATS)} only, not by {embedder.model}.")
    return Jobs(embedder, FORMATS[embedder.endpoint.provider])


def _hand_in_to_openai(wire: Wire, model: str, texts: Mapping[str, str]) -> str:
    requests = [
        {
            "custom_id": key,
            "method": "POST",
            "url": "/v1/embeddings",
            "body": {"model": model, "input": text, "encoding_format": "float"},
        }
        for key, text in texts.items()
    ]
    file = wire.upload("/files", "texts.jsonl", "\n".join(map(json.dumps, requests)).encode(), purpose="batch")
    asked = {"input_file_id": file["id"], "endpoint": "/v1/embeddings", "completion_window": "24h"}
    job: str = wire.post("/batches", asked)["id"]
    return job


def _fetch_from_openai(wire: Wire, job: str) -> Answers | None:
    told = wire.get(f"/batches/{quote(job, safe='')}")
    if told["status"] in RUNNING:
        return None
    written = _files(told, "output_file_id", "error_file_id")
    if not written:
        reasons = (told.get("errors") or {}).get("data") or [None]
        raise EmbedderError(f"The job {job} ended as {told['status']}: {_reason(reasons[0])}.")
    return {line["custom_id"]: _answer_of_openai(line) for file in written for line in wire.lines(f"{file}/content")}


def _answer_of_openai(line: Any) -> Any:
    body = (line.get("response") or {}).get("body") or {}
    return body["data"][0]["embedding"] if "data" in body else _reason(body.get("error") or line.get("error"))


def _forget_at_openai(wire: Wire, job: str) -> None:
    told = wire.get(f"/batches/{quote(job, safe='')}")
    for file in _files(told, "input_file_id", "output_file_id", "error_file_id"):
        wire.delete(file)


def _files(told: Any, *names: str) -> Sequence[str]:
    return [f"/files/{quote(told[name], safe='')}" for name in names if told.get(name)]


def _hand_in_to_gemini(wire: Wire, model: str, texts: Mapping[str, str]) -> str:
    asked = {"model": f"models/{model}", "taskType": "RETRIEVAL_DOCUMENT"}
    requests = [
        {"request": {**asked, "content": {"parts": [{"text": text}]}}, "metadata": {"key": key}}
        for key, text in texts.items()
    ]
    batch = {"displayName": "scrubjay", "inputConfig": {"requests": {"requests": requests}}}
    job: str = wire.post(f"/models/{quote(model, safe='')}:asyncBatchEmbedContent", {"batch": batch})["name"]
    return job


def _fetch_from_gemini(wire: Wire, job: str) -> Answers | None:
    told = wire.get(_gemini_path(job))
    about = told.get("metadata") or {}
    state = about.get("state", "BATCH_STATE_UNSPECIFIED")
    if not told.get("done") and state in RUNNING_AT_GEMINI:
        return None
    written = told.get("response") or about.get("output")
    if not written:
        raise EmbedderError(f"The job {job} ended as {state}: {_reason(told.get('error'))}.")
    answers = written["inlinedResponses"]["inlinedResponses"]
    return {answer["metadata"]["key"]: _answer_of_gemini(answer) for answer in answers}


def _gemini_path(job: str) -> str:
    """Where a job is asked for. Its name was kept in the file, which must not lead to anything but a job."""
    if not GEMINI_JOB.fullmatch(job):
        raise EmbedderError("The file names a job that cannot be Gemini's.")
    return f"/{job}"


def _answer_of_gemini(answer: Any) -> Any:
    return answer["response"]["embedding"]["values"] if "response" in answer else _reason(answer.get("error"))


def _reason(error: Any) -> str:
    said = error.get("message") if isinstance(error, dict) else None
    return said.rstrip(".") if isinstance(said, str) and said else NO_REASON


FORMATS = {
    "openai": Format(_hand_in_to_openai, _fetch_from_openai, _forget_at_openai),
    "gemini": Format(_hand_in_to_gemini, _fetch_from_gemini, lambda wire, job: wire.delete(_gemini_path(job))),
}

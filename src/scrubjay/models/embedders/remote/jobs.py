"""Batch jobs of providers: many texts are submitted at once, and their vectors are fetched later."""

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
from scrubjay.models.embedders.remote.served import RemoteEmbedder
from scrubjay.models.http import ModelClient

if TYPE_CHECKING:
    from scrubjay.models.embedders import Embedder
    from scrubjay.types.vectors import Matrix

__all__ = ["Jobs", "Results", "jobs_of"]

RUNNING = {"validating", "in_progress", "finalizing", "cancelling"}
RUNNING_AT_GEMINI = {"BATCH_STATE_UNSPECIFIED", "BATCH_STATE_PENDING", "BATCH_STATE_RUNNING"}
GEMINI_JOB = re.compile(r"batches/[\w-]+", re.ASCII)
NO_REASON = "no reason was given"

Answers = Mapping[str, Any]  # by key: the vector, or the message with which the text was refused


@dataclass(frozen=True, slots=True)
class JobFormat:
    """How to submit a job to a provider, fetch its answers, and delete it."""

    submit: Callable[[ModelClient, str, Mapping[str, str]], str]  # from model and texts by key; returns the job's id
    fetch: Callable[[ModelClient, str], Answers | None]  # None while it runs; raises `EmbedderError` if it failed
    delete: Callable[[ModelClient, str], None]


@dataclass(frozen=True, slots=True)
class Results:
    """The outcome of a job, by key of the text; a text may be in neither mapping."""

    vectors: Mapping[str, Matrix]
    refused: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Jobs:
    """Jobs for one model."""

    remote: RemoteEmbedder
    format: JobFormat

    def submit(self, texts: Mapping[str, str]) -> str:
        """Start a job, and return its id."""
        model = self.remote.endpoint.model
        _, prefix = prefixes(model)
        ready = {key: prefix + text for key, text in texts.items()}
        job: str = self._read(lambda client: self.format.submit(client, model, ready))
        return job

    def fetch(self, job: str) -> Results | None:
        """The results of a job, or None while it runs. Raises `EmbedderError` if it failed or embedded nothing."""
        answers = self._read(lambda client: self.format.fetch(client, job))
        if answers is None:
            return None
        safe_message = self.remote.client.safe_message
        refused = {key: safe_message(answer) for key, answer in answers.items() if isinstance(answer, str)}
        made = {key: answer for key, answer in answers.items() if key not in refused}
        if not made:
            raise EmbedderError(f"The job {job} embedded nothing: {next(iter(refused.values()), NO_REASON)}.")
        return Results(dict(zip(made, self.remote.unit_rows(list(made.values()), len(made)), strict=True)), refused)

    def delete(self, job: str) -> None:
        """Delete the texts at the provider. If that fails, the provider deletes them later by its own rules."""
        with suppress(EmbedderError):
            self._read(lambda client: self.format.delete(client, job))

    def _read(self, call: Callable[[ModelClient], Any]) -> Any:
        try:
            return call(self.remote.client)
        except (KeyError, IndexError, TypeError, AttributeError):
            raise EmbedderError(f"{self.remote.endpoint} answered with something other than a job.") from None


def jobs_of(embedder: Embedder) -> Jobs:
    if not isinstance(embedder, RemoteEmbedder) or embedder.endpoint.provider not in FORMATS:
        raise Invalid(f"Batch jobs work only with {' and '.join(FORMATS)}, not with {embedder.model}.")
    return Jobs(embedder, FORMATS[embedder.endpoint.provider])


def _submit_to_openai(client: ModelClient, model: str, texts: Mapping[str, str]) -> str:
    requests = [
        {
            "custom_id": key,
            "method": "POST",
            "url": "/v1/embeddings",
            "body": {"model": model, "input": text, "encoding_format": "float"},
        }
        for key, text in texts.items()
    ]
    file = client.upload("/files", "texts.jsonl", "\n".join(map(json.dumps, requests)).encode(), purpose="batch")
    asked = {"input_file_id": file["id"], "endpoint": "/v1/embeddings", "completion_window": "24h"}
    job: str = client.post("/batches", asked)["id"]
    return job


def _fetch_from_openai(client: ModelClient, job: str) -> Answers | None:
    status = client.get(f"/batches/{quote(job, safe='')}")
    if status["status"] in RUNNING:
        return None
    written = _files(status, "output_file_id", "error_file_id")
    if not written:
        reasons = (status.get("errors") or {}).get("data") or [None]
        raise EmbedderError(f"The job {job} ended as {status['status']}: {_reason(reasons[0])}.")
    return {line["custom_id"]: _answer_of_openai(line) for file in written for line in client.lines(f"{file}/content")}


def _answer_of_openai(line: Any) -> Any:
    body = (line.get("response") or {}).get("body") or {}
    return body["data"][0]["embedding"] if "data" in body else _reason(body.get("error") or line.get("error"))


def _delete_at_openai(client: ModelClient, job: str) -> None:
    status = client.get(f"/batches/{quote(job, safe='')}")
    for file in _files(status, "input_file_id", "output_file_id", "error_file_id"):
        client.delete(file)


def _files(status: Any, *names: str) -> Sequence[str]:
    return [f"/files/{quote(status[name], safe='')}" for name in names if status.get(name)]


def _submit_to_gemini(client: ModelClient, model: str, texts: Mapping[str, str]) -> str:
    asked = {"model": f"models/{model}", "taskType": "RETRIEVAL_DOCUMENT"}
    requests = [
        {"request": {**asked, "content": {"parts": [{"text": text}]}}, "metadata": {"key": key}}
        for key, text in texts.items()
    ]
    batch = {"displayName": "scrubjay", "inputConfig": {"requests": {"requests": requests}}}
    job: str = client.post(f"/models/{quote(model, safe='')}:asyncBatchEmbedContent", {"batch": batch})["name"]
    return job


def _fetch_from_gemini(client: ModelClient, job: str) -> Answers | None:
    status = client.get(_gemini_path(job))
    metadata = status.get("metadata") or {}
    state = metadata.get("state", "BATCH_STATE_UNSPECIFIED")
    if not status.get("done") and state in RUNNING_AT_GEMINI:
        return None
    written = status.get("response") or metadata.get("output")
    if not written:
        raise EmbedderError(f"The job {job} ended as {state}: {_reason(status.get('error'))}.")
    answers = written["inlinedResponses"]["inlinedResponses"]
    return {answer["metadata"]["key"]: _answer_of_gemini(answer) for answer in answers}


def _gemini_path(job: str) -> str:
    """The path of a job. The file that stored its id is untrusted, so the id must look like a job's."""
    if not GEMINI_JOB.fullmatch(job):
        raise EmbedderError("The job id in the file is not one of Gemini's.")
    return f"/{job}"


def _answer_of_gemini(answer: Any) -> Any:
    return answer["response"]["embedding"]["values"] if "response" in answer else _reason(answer.get("error"))


def _reason(error: Any) -> str:
    message = error.get("message") if isinstance(error, dict) else None
    return message.rstrip(".") if isinstance(message, str) and message else NO_REASON


FORMATS = {
    "openai": JobFormat(_submit_to_openai, _fetch_from_openai, _delete_at_openai),
    "gemini": JobFormat(_submit_to_gemini, _fetch_from_gemini, lambda client, job: client.delete(_gemini_path(job))),
}

"""Batch jobs as OpenAI and Gemini take them, for the model server: files, jobs, and what becomes of both."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from scrubjay.models.embedders.hashing import Hashing

__all__ = ["JobDesk"]

OPENAI = re.compile(r"/v1/(?:files|batches)(?:/(?P<id>[^/]+))?(?P<content>/content)?$")
GEMINI = re.compile(r"/v1beta/(?:models/[^/]+:asyncBatchEmbedContent|batches/(?P<id>[^/]+))$")
Told = tuple[int, bytes]


@dataclass
class JobDesk:
    """What was handed in, how far it is, and what is to go wrong."""

    files: dict[str, bytes] = field(default_factory=dict)
    jobs: dict[str, Any] = field(default_factory=dict)  # what was asked, by id
    done: bool = False
    ends_as: str = ""  # how jobs fail, in the words of the provider
    takes: bool = True  # whether it takes jobs at all
    refuses: str = ""  # a text that it does not embed
    away: bool = False
    handed: int = 0  # jobs so far
    uploaded: int = 0  # files so far

    @property
    def texts(self) -> list[list[str]]:
        """The texts of each job."""
        return [list(_texts(job).values()) for job in self.jobs.values()]

    def knows(self, path: str) -> bool:
        return bool(OPENAI.match(path) or GEMINI.match(path))

    def answer(self, method: str, path: str, data: bytes) -> Told:
        if self.away:
            return 401, b"{}"
        if not self.takes and method == "POST":
            return 400, b'{"error": {"message": "no jobs here"}}'
        at_openai = OPENAI.match(path)
        told = self._openai(method, path, at_openai, data) if at_openai else self._gemini(method, path, data)
        return told if isinstance(told, tuple) else (200, json.dumps(told).encode())

    def _openai(self, method: str, path: str, found: re.Match[str], data: bytes) -> Any:
        id = found["id"]
        if "/files" in path and method == "POST":
            assert b'name="purpose"\r\n\r\nbatch\r\n' in data
            return {"id": self._put(data.partition(b'"texts.jsonl"')[2].split(b"\r\n\r\n")[1].split(b"\r\n--")[0])}
        if "/files" in path and method == "DELETE":
            return {"deleted": bool(self.files.pop(id, None))}
        if "/files" in path:
            return (200, self.files[id]) if found["content"] and id in self.files else (404, b"{}")
        if method == "POST":
            asked = json.loads(data)
            assert (asked["endpoint"], asked["completion_window"]) == ("/v1/embeddings", "24h")
            self.handed += 1
            id = f"batch_{self.handed}"
            self.jobs[id] = asked | {
                "lines": [json.loads(line) for line in self.files[asked["input_file_id"]].split(b"\n")]
            }
        return {"id": id, **self._told_by_openai(self.jobs[id])}

    def _told_by_openai(self, job: Any) -> Any:
        told = {
            "input_file_id": job["input_file_id"],
            "output_file_id": job.get("output_file_id"),
            "error_file_id": None,
        }
        if self.ends_as:
            return told | {"status": self.ends_as, "errors": {"data": [{"message": "too much is enqueued"}]}}
        if not self.done:
            return told | {"status": "in_progress"}
        if not told["output_file_id"]:
            lines = [_line(key, row) for key, row in self._embedded(job).items()]
            job["output_file_id"] = told["output_file_id"] = self._put("\n".join(lines).encode())
        return told | {"status": "completed"}

    def _gemini(self, method: str, path: str, data: bytes) -> Any:
        name = path.rpartition("/v1beta/")[2]
        if method == "POST":
            self.handed += 1
            name = f"batches/{self.handed}"
            self.jobs[name] = json.loads(data)["batch"]["inputConfig"]
        elif method == "DELETE":
            self.jobs.pop(name)
            return {}
        if self.ends_as:
            return {"name": name, "done": True, "metadata": {"state": self.ends_as}, "error": {"message": "too busy"}}
        if not self.done:
            return {"name": name, "metadata": {"state": "BATCH_STATE_RUNNING"}}
        answers = [{"metadata": {"key": key}, **_inlined(row)} for key, row in self._embedded(self.jobs[name]).items()]
        response = {"inlinedResponses": {"inlinedResponses": answers[::-1]}}
        return {"name": name, "done": True, "metadata": {"state": "BATCH_STATE_SUCCEEDED"}, "response": response}

    def _embedded(self, job: Any) -> dict[str, Any]:
        texts = _texts(job)
        rows = dict(zip(texts, Hashing().embed(list(texts.values())).tolist(), strict=True))
        return {key: None if self.refuses and self.refuses in texts[key] else row for key, row in rows.items()}

    def _put(self, data: bytes) -> str:
        self.uploaded += 1
        id = f"file-{self.uploaded}"
        self.files[id] = data
        return id


def _texts(job: Any) -> dict[str, str]:
    if "lines" in job:
        return {line["custom_id"]: line["body"]["input"] for line in job["lines"]}
    requests = job["requests"]["requests"]
    assert all(each["request"]["taskType"] == "RETRIEVAL_DOCUMENT" for each in requests)
    return {each["metadata"]["key"]: each["request"]["content"]["parts"][0]["text"] for each in requests}


def _line(key: str, row: Any) -> str:
    body = {"data": [{"index": 0, "embedding": row}]} if row else {"error": {"message": "this text is not valid"}}
    return json.dumps({"custom_id": key, "response": {"status_code": 200 if row else 400, "body": body}, "error": None})


def _inlined(row: Any) -> dict[str, Any]:
    return {"response": {"embedding": {"values": row}}} if row else {"error": {"message": "this text is not valid"}}

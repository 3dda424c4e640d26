"""The guard beside rule sets from the package index: what each catches, how often it errs, what it costs."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from tempfile import NamedTemporaryFile

from tests.support.secrets_made import Made, make

from bench.ordinary_text import ordinary_texts
from bench.report import Row, Table

__all__ = ["compare_rivals"]

SECRETS = 400
ORDINARY = ("Python code", "pages of packages", "logs made at random", "chats")
TEXTS = 1000  # of each of these, from the judging half
Finder = Callable[[str], Sequence[str]]  # the parts of a text that it holds for secrets


def compare_rivals() -> Table:
    made = list(make(seed=31, count=SECRETS))
    ordinary = [text for name in ORDINARY for text in ordinary_texts(name)["judging"][:TEXTS]]
    rows = [_row(name, module, found(), made, ordinary) for name, (module, found) in RIVALS.items()]
    return Table("The guard beside other rule sets", f"{len(made)} secrets, {len(ordinary)} ordinary texts.", rows)


def _row(name: str, module: str, found: Finder, made: Sequence[Made], ordinary: Sequence[str]) -> Row:
    caught = sum(any(one.secret in part or part in one.secret for part in found(one.text)) for one in made)
    start = time.perf_counter()
    flagged = sum(bool(found(text)) for text in ordinary)
    return {
        "rules": name,
        "caught": f"{caught / len(made):.1%}",
        "false alarms": f"{flagged / len(ordinary):.3%}",
        "µs per text": (time.perf_counter() - start) / len(ordinary) * 1e6,
        "import ms": _import_time(module) * 1e3,
    }


def _import_time(module: str) -> float:
    def run(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
        return time.perf_counter() - start

    return min(run(f"import {module}") for _ in range(3)) - min(run("pass") for _ in range(3))


def _guard() -> Finder:
    from scrubjay.text.secret_scan import find_secrets

    return lambda text: [text[found.start : found.end] for found in find_secrets(text)]


def _detect_secrets() -> Finder:
    """All its rules and filters but those that ask the service; it reads files, so each text becomes one."""
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings

    def found(text: str) -> list[str]:
        with NamedTemporaryFile("w", suffix=".txt", encoding="utf-8", errors="replace") as file, default_settings():
            file.write(text)
            file.flush()
            return [secret.secret_value or "" for secret in scan_file(file.name)]

    return found


RIVALS: dict[str, tuple[str, Callable[[], Finder]]] = {
    "scrubjay.text.secret_scan": ("scrubjay.text.secret_scan", _guard),
    "detect-secrets": ("detect_secrets.core.scan", _detect_secrets),
}

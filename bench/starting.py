"""What a new process costs: to the first answer, in memory, on disk, and for each command of the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import scrubjay
from bench.corpus import notes
from bench.report import Row
from bench.timing import milliseconds, ratio, take_turns

__all__ = ["command_times", "costs"]

ROOT = Path(__file__).resolve().parent.parent
QUESTION = "when is the budget meeting with Ann"
MEBIBYTE = 1 << 20
IMPORTS = "import numpy, onnxruntime, tokenizers"


def costs(paths: Mapping[str, Path], memories: int, runs: int) -> list[Row]:
    """One row per engine; they take turns."""
    told: dict[str, list[dict[str, Any]]] = {name: [] for name in paths}
    for _ in range(runs):
        for name, path in paths.items():
            told[name].append(json.loads(_output([sys.executable, "-m", "bench.probe", name, str(path)])))
    return [
        {
            "memories": memories,
            "engine": name,
            "open to first answer, ms": median(run["first"] for run in told[name]) * 1000,
            "peak memory, MiB": median(run["peak_bytes"] for run in told[name]) / MEBIBYTE,
            "on disk, MiB": disk_bytes(path) / MEBIBYTE,
        }
        for name, path in paths.items()
    ]


def command_times(folder: Path, memories: int, runs: int) -> list[Row]:
    """Commands from a cold start, each beside the least that Python could do; [] while there is no command line."""
    path = folder / "commands.db"
    with scrubjay.open(path, embedder="local") as jay:
        jay.add_many([{"text": text, "kind": "fact"} for text in notes(memories, seed=4)])
    command = str(Path(sys.executable).with_name("scrubjay"))
    commands = {
        "scrubjay search": [command, "search", QUESTION, "--store", str(path)],
        "scrubjay stats": [command, "stats", "--store", str(path)],
        "scrubjay --help": [command, "--help"],
        IMPORTS: [sys.executable, "-c", IMPORTS],
        "pass": [sys.executable, "-c", "pass"],
    }
    for name, line in commands.items():
        if problem := _problem(line):
            print(f"skipped: {name} does not work yet ({problem})", file=sys.stderr)
            return []
    taken = take_turns({name: _starting(line) for name, line in commands.items()}, range(runs))
    beside = {"scrubjay search": IMPORTS, "scrubjay stats": "pass", "scrubjay --help": "pass"}
    return [
        {
            "command": name,
            "ms": milliseconds(taken[name]),
            "beside": f'python -c "{least}"',
            "its ms": milliseconds(taken[least]),
            "ratio": ratio(taken[name], taken[least]),
        }
        for name, least in beside.items()
    ]


def disk_bytes(path: Path) -> int:
    """The file and everything kept beside it under its name."""
    own = [file for file in path.parent.rglob("*") if str(file).startswith(str(path)) and file.is_file()]
    return sum(file.stat().st_size for file in own)


def _starting(line: Sequence[str]) -> Callable[[int], object]:
    return lambda turn: _output(line)


def _output(line: Sequence[str]) -> str:
    return _ended(line, check=True).stdout


def _ended(line: Sequence[str], check: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a command as an installed package is run: with its bytecode kept, whatever is set here."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(line, cwd=ROOT, env=kept, check=check, capture_output=True, text=True)


def _problem(line: Sequence[str]) -> str | None:
    """Why a command fails, if it does: the last line that it says."""
    try:
        ended = _ended(line)
    except OSError as problem:
        return str(problem)
    return (ended.stderr.strip().splitlines() or ["no reason given"])[-1] if ended.returncode else None

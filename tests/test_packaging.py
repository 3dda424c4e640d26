"""What is shipped names one version, and `python -m scrubjay` is the command."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import scrubjay
from scrubjay.interfaces.mcp.tools import SETS

ROOT = Path(__file__).parent.parent


def test_every_file_that_names_the_version_names_the_same() -> None:
    registry = json.loads((ROOT / "server.json").read_text())
    bundle = json.loads((ROOT / "packaging/mcpb/manifest.json").read_text())
    (newest, *_) = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    pinned = bundle["server"]["mcp_config"]["args"][0].removeprefix("scrubjay==")
    named = [registry["version"], registry["packages"][0]["version"], bundle["version"], pinned, newest]
    assert set(named) == {scrubjay.__version__} == {version("scrubjay")}


def test_the_bundle_names_every_set_of_tools() -> None:
    bundle = json.loads((ROOT / "packaging/mcpb/manifest.json").read_text())
    assert bundle["user_config"]["tools"]["description"].startswith(", ".join(SETS))


def test_the_package_runs_as_a_module() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "scrubjay", "--version"], check=True, capture_output=True, text=True, timeout=60
    )
    assert ran.stdout == f"scrubjay, version {scrubjay.__version__}\n"

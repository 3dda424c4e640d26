"""Prints which dependencies have wheels for Linux, macOS and Windows on each Python: `python -m tools.wheels`.

pip is asked, so the package index is the one that it is configured to use; nothing is downloaded.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = {
    "Linux": ("manylinux_2_28_x86_64", "manylinux2014_x86_64", "manylinux_2_17_x86_64"),
    "macOS": ("macosx_14_0_arm64", "macosx_11_0_universal2"),
    "Windows": ("win_amd64",),
}
PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
AT_ONCE = 4


def main() -> None:
    wanted = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    targets = list(product(SYSTEMS, PYTHONS))
    print("|".join(["", "dependency", *(f"{system} {python}" for system, python in targets), ""]))
    print("|".join(["", *["---"] * (len(targets) + 1), ""]))
    missing = 0
    for requirement in wanted:
        name = re.split(r"[<>=!~\[ ]", requirement)[0]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = list(pool.map(lambda target, name=name: _newest(name, *target), targets))
        missing += found.count("no")
        print("|".join(["", name, *found, ""]), flush=True)
    print(f"\n{missing} missing of {len(wanted) * len(targets)}.")
    sys.exit(missing > 0)


def _newest(name: str, system: str, python: str) -> str:
    """The newest version with a wheel for this system and Python; "no" if there is none."""
    platforms = [word for platform in SYSTEMS[system] for word in ("--platform", platform)]
    asked = [*platforms, "--python-version", python, "--only-binary=:all:"]
    command = [sys.executable, "-m", "pip", "index", "versions", name, *asked]
    shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    version = re.search(r"\(([^)]+)\)", shown)
    return version[1] if version else "no"


if __name__ == "__main__":
    main()

"""The bundled model is what its script makes of the original; the original is fetched by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_bundled_model_is_made_by_its_script_byte_for_byte() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "make_model.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr

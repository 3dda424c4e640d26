"""Draws the Mermaid diagrams of the built site without the network. mkdocs calls these functions by their names.

Material for mkdocs would fetch Mermaid's script from elsewhere, unless the page has loaded it before. So the pages with
a diagram load a copy that is part of the site; `make site` puts it where this reads it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

SCRIPT = Path(".venv/mermaid/package/dist/mermaid.min.js")
COPY = "assets/javascripts/mermaid.min.js"
DIAGRAM = 'class="mermaid"'


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Load the script in a page that has a diagram, before Material looks for it."""
    if DIAGRAM not in output:
        return output
    to_root = "../" * page.url.count("/")
    return output.replace("</head>", f'<script src="{to_root}{COPY}"></script></head>', 1)


def on_post_build(config: Any, **_: Any) -> None:
    target = Path(config["site_dir"]) / COPY
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(SCRIPT, target)

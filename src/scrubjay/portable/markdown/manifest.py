"""What an export to Markdown wrote, in a file beside the pages. It is signed, so that one's own folder is known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.files import private_files, regular_files
from scrubjay.portable.lines.signature import is_own, signature

__all__ = ["MANIFEST", "Manifest", "digest_of", "has_manifest", "read_manifest", "write_manifest"]

MANIFEST = ".scrubjay-export.json"
MOST_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class Manifest:
    """The digest of each page, and the page of each memory. Paths are relative to the folder."""

    space: str
    pages: dict[str, str]
    uids: dict[str, str]
    is_own: bool = True  # written by the user who reads it


def digest_of(page: bytes) -> str:
    return hashlib.sha256(page).hexdigest()


def has_manifest(root: Path) -> bool:
    return (root / MANIFEST).is_file()


def read_manifest(root: Path) -> Manifest:
    """Raises Invalid unless it can be read."""
    try:
        found = json.loads(regular_files.read_bytes(root / MANIFEST, MOST_BYTES))
    except (ValueError, RecursionError):
        found = None
    if not (isinstance(found, dict) and _are_texts(found.get("pages")) and _are_texts(found.get("uids"))):
        raise Invalid(f"{root / MANIFEST} cannot be read; export to another folder.")
    signed = str(found.pop("signature", ""))
    return Manifest(str(found.get("space")), found["pages"], found["uids"], is_own(_digest(found), signed))


def write_manifest(root: Path, manifest: Manifest) -> None:
    pages = dict(sorted(manifest.pages.items()))
    given = {"format": "scrubjay-markdown", "version": 1, "space": manifest.space, "pages": pages}
    given["uids"] = manifest.uids
    signed = {**given, "signature": signature(_digest(given))}
    private_files.write(root / MANIFEST, json.dumps(signed, indent=1, ensure_ascii=False).encode() + b"\n")


def _are_texts(found: Any) -> bool:
    return isinstance(found, dict) and all(isinstance(value, str) for value in found.values())


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

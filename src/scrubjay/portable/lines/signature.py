"""The key by which the user's own exports are known again: a file in the user's settings folder that only they read."""

from __future__ import annotations

import hmac
import os
from pathlib import Path

from scrubjay.errors import Invalid
from scrubjay.files import private_files, regular_files, user_folders

__all__ = ["is_own", "signature"]

KEY_FILE = "export.key"
KEY_BYTES = 32


def signature(digest: str) -> str:
    """What the last line of an export has beside its digest."""
    return hmac.digest(_key(), digest.encode(), "sha256").hex()


def is_own(digest: str, signed: str) -> bool:
    """Whether an export with this digest was written by the user who imports it now."""
    return hmac.compare_digest(signature(digest).encode(), signed.encode())


def _key() -> bytes:
    path = Path(user_folders.config_folder(), KEY_FILE)
    try:
        private_files.make_folder(path.parent)
        try:
            with private_files.open_new(path) as file:
                file.write(os.urandom(KEY_BYTES).hex().encode())
        except FileExistsError:
            pass
        key = bytes.fromhex(regular_files.read_text(path, 2 * KEY_BYTES + 1).strip())
    except (OSError, ValueError) as problem:
        raise Invalid(f"{path} cannot be read ({problem}); delete it, and a new one is made.") from None
    if len(key) != KEY_BYTES:
        raise Invalid(f"{path} is no key; delete it, and a new one is made.")
    return key

"""What each settings file was before ours was put in, kept in the user's data folder so that it can be given back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from scrubjay import config
from scrubjay.files import private_files, regular_files

__all__ = ["Original", "Originals", "locked"]

FOLDER = "clients"
LIST = "installed.json"
MAX_BYTES = 50_000_000
WAIT_SECONDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A settings file before the change. `after` is the digest of what was written, so that others' edits are seen."""

    client: str
    existed: bool
    after: str
    made_folders: tuple[str, ...] = ()


class Originals:
    """The list of changed files, and a copy of each as it was."""

    def __init__(self) -> None:
        self.folder = config.data_folder() / FOLDER

    def get(self, path: Path) -> Original | None:
        known = self._list().get(str(path))
        return Original(**{**known, "made_folders": tuple(known["made_folders"])}) if known else None

    def content(self, path: Path) -> bytes | None:
        """The file as it was; None if there was none."""
        known = self.get(path)
        has_copy = known is not None and known.existed and self._copy(path).exists()
        return regular_files.read_bytes(self._copy(path), MAX_BYTES) if has_copy else None

    def is_untouched(self, path: Path, data: bytes | None) -> bool:
        """Whether the file is what was written at the last install."""
        known = self.get(path)
        if known is None or data is None or known.after != digest(data):
            return False
        return not known.existed or self._copy(path).exists()

    def keep(self, path: Path, original: bytes | None, after: bytes, client: str, made: Sequence[Path]) -> None:
        private_files.make_folder(self.folder)
        if original is not None:
            private_files.write(self._copy(path), original)
        known = self.get(path)
        folders = known.made_folders if known else tuple(map(str, made))
        entry = Original(client=client, existed=original is not None, after=digest(after), made_folders=folders)
        self._save({**self._list(), str(path): asdict(entry)})

    def forget(self, paths: Sequence[Path]) -> None:
        """Remove the copies, which may contain keys, and the folders that were made for these files, if empty."""
        known = self._list()
        made = {folder for path in paths for folder in known.get(str(path), {}).get("made_folders", ())}
        self._save({name: entry for name, entry in known.items() if name not in map(str, paths)})
        for path in paths:
            self._copy(path).unlink(missing_ok=True)
        for folder in sorted(made, key=len, reverse=True):
            with suppress(OSError):
                Path(folder).rmdir()

    def _copy(self, path: Path) -> Path:
        return self.folder / f"{digest(str(path).encode())[:12]}-{path.name}"

    def _list(self) -> dict[str, Any]:
        try:
            known = json.loads(regular_files.read_bytes(self.folder / LIST, MAX_BYTES))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}

    def _save(self, known: Mapping[str, Any]) -> None:
        private_files.make_folder(self.folder)
        private_files.write(self.folder / LIST, json.dumps(known, indent=2).encode())


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


@contextmanager
def locked() -> Iterator[None]:
    """One installation at a time."""
    from filelock import FileLock

    folder = config.data_folder() / FOLDER
    private_files.make_folder(folder)
    with FileLock(folder / "lock", timeout=WAIT_SECONDS, mode=private_files.FILE_MODE):
        yield

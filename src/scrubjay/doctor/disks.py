"""Places where an SQLite file is not safe: folders that another program syncs, and drives of other machines."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["unsuitable_place"]

# Parts of a path that only these programs make.
SYNCED = {
    "dropbox": "Dropbox",
    "onedrive": "OneDrive",
    "google drive": "Google Drive",
    "googledrive": "Google Drive",
    "mobile documents": "iCloud",
    "clouddocs": "iCloud",
    "nextcloud": "Nextcloud",
    "owncloud": "ownCloud",
    "syncthing": "Syncthing",
}
SYNC_MARKS = {".stfolder": "Syncthing", ".dropbox": "Dropbox", ".sync": "Resilio Sync"}
NETWORK = ("nfs", "cifs", "smb", "afp", "9p", "ceph", "glusterfs", "fuse.sshfs", "fuse.rclone", "davfs", "webdav")
MOUNTS = Path("/proc/self/mounts")


def unsuitable_place(path: Path, mounts: Path = MOUNTS) -> str:
    """Why the file is in a bad place, as the end of "it is …"; empty if it is not."""
    real = Path(os.path.realpath(path))
    if service := _synced_by(real):
        return f"in a folder that {service} syncs"
    kind = _file_system(real, mounts)
    return f"on a network drive ({kind})" if kind.startswith(NETWORK) else ""


def _synced_by(path: Path) -> str:
    for folder in path.parents:
        if service := next((name for start, name in SYNCED.items() if _is_named(folder, start)), ""):
            return service
        if mark := next((name for file, name in SYNC_MARKS.items() if (folder / file).exists()), ""):
            return mark
    return ""


def _is_named(folder: Path, service: str) -> bool:
    """`Dropbox`, `Dropbox (Personal)`, `OneDrive - Company`, `com~apple~CloudDocs`."""
    name = folder.name.lower().removeprefix("com~apple~")
    return name == service or name.startswith((f"{service} ", f"{service}-"))


def _file_system(path: Path, mounts: Path) -> str:
    """The kind of file system that a file is on; empty where the system does not say."""
    if sys.platform == "win32":
        return "smb" if str(path).startswith("\\\\") else ""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    fields = [line.split() for line in lines]
    points = [(field[1].replace("\\040", " "), field[2]) for field in fields if len(field) > 2]
    holding = [(point, kind) for point, kind in points if path.is_relative_to(point)]
    return max(holding, key=lambda one: len(one[0]))[1] if holding else ""

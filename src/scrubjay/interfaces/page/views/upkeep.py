"""Look after a memory: check, clean up after a preview, back up, export, import after a dry run, and the trash."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote

from starlette.datastructures import UploadFile
from starlette.responses import Response

from scrubjay.dates.timestamps import in_local_time
from scrubjay.errors import Invalid
from scrubjay.interfaces.http.api.files import export_to_send, import_sent
from scrubjay.interfaces.page.notices import Notice
from scrubjay.interfaces.page.visits import Page, Visit

__all__ = ["IMPORT", "PAGES"]

IMPORT = "/look-after/import"
IMPORT_BYTES = 1_000_000_000
NAME_BYTES = 200
SHOWN = 100
EXPORT_NAME = "scrubjay-{}-{:%Y-%m-%d}.jsonl"


def look_after(visit: Visit) -> Response:
    trash = visit.jay.trash.list() if visit.may("read", "admin") else []
    return visit.show("look_after.html", trash=trash[:SHOWN], trash_count=len(trash))


def check(visit: Visit) -> Response:
    return visit.show("checked.html", report=visit.seen(visit.jay.check()))


def cleanup_preview(visit: Visit) -> Response:
    """What a cleanup would remove: nothing is done yet."""
    planned = visit.jay.cleanup(dry_run=True)
    return visit.show("cleanup.html", planned=planned[:SHOWN], number=len(planned))


def cleanup(visit: Visit) -> Response:
    visit.jay.cleanup()
    return visit.go("/look-after", Notice("cleaned"))


def backup(visit: Visit) -> Response:
    return visit.show("backed_up.html", backup=visit.jay.backup_daily())


def export(visit: Visit) -> Response:
    """This space as one file, which `import` reads."""
    name = EXPORT_NAME.format(visit.jay.space, in_local_time(visit.jay.view.clock()))
    sent = export_to_send(visit.jay, visit.who, {})
    sent.headers["Content-Disposition"] = f"attachment; filename*=utf-8''{quote(name, safe='')}"
    return sent


def take_file(visit: Visit) -> Response:
    """Import a file that was sent; without `really`, say what that would do."""
    sent = visit.form.get("file")
    if not isinstance(sent, UploadFile) or not sent.filename:
        raise Invalid("Choose a file first: an export, or a file of another program.")
    with tempfile.TemporaryDirectory(prefix="scrubjay-import-") as folder:
        path = Path(folder) / _file_name(sent.filename)
        with path.open("wb") as file:
            shutil.copyfileobj(sent.file, file)
        redact = bool(visit.asked("redact"))
        done = import_sent(visit.jay.view, path, dry_run=not visit.asked("really"), redact=redact)
    template = "imported_part.html" if visit.is_fragment else "imported.html"
    return visit.show(template, done=done, name=sent.filename)


def _file_name(given: str) -> str:
    """The name tells some formats, such as CLAUDE.md; what no file can be called is one of no format."""
    name = os.path.basename(given.replace("\\", "/"))
    return name if name.isprintable() and 0 < len(os.fsencode(name)) <= NAME_BYTES and name.strip(".") else "file"


PAGES = (
    Page("/look-after", look_after),
    Page("/look-after/check", check, "POST", ("admin",), whole_file=True),
    Page("/look-after/cleanup", cleanup_preview, scopes=("read", "admin")),
    Page("/look-after/cleanup", cleanup, "POST", ("read", "admin")),
    Page("/look-after/backup", backup, "POST", ("read", "admin"), own=True),
    Page("/look-after/export", export, scopes=("read", "admin")),
    Page(IMPORT, take_file, "POST", ("read", "write", "admin"), most_bytes=IMPORT_BYTES),
)

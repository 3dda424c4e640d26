"""Subjects, with all that is known of each as it changed; and projects."""

from __future__ import annotations

from dataclasses import replace

from starlette.responses import Response

from scrubjay.interfaces.page.views.memory import changes_of
from scrubjay.interfaces.page.visits import Page, Visit
from scrubjay.text.secret_scan.quoting import quoted

__all__ = ["PAGES"]

LISTED = 300
KNOWN = 200  # memories of one subject that are shown
NEWEST = 50


def subjects(visit: Visit) -> Response:
    found = list(visit.jay.subjects().items())
    return visit.show("subjects.html", subjects=found[:LISTED], left=max(len(found) - LISTED, 0))


def subject(visit: Visit) -> Response:
    name = visit.part("subject")
    history = visit.jay.history(subject=name)
    if not history:
        raise visit.no_such(f"memory about {quoted(name)}")
    current = [one for one in reversed(history) if one.superseded_at is None]
    shown = replace(history, steps=history.steps[-KNOWN:])
    return visit.show("subject.html", name=name, current=current[:KNOWN], changes=changes_of(shown))


def projects(visit: Visit) -> Response:
    found = visit.jay.view.counts("project")
    return visit.show("projects.html", projects=list(found.items())[:LISTED], records=visit.jay.projects.list())


def project(visit: Visit) -> Response:
    name = visit.part("project")
    newest = visit.jay.list(project=name, limit=NEWEST)
    records = [one for one in visit.jay.projects.list() if name in (one.repository, one.name)]
    if not newest and not records:
        raise visit.no_such(f"project {quoted(name)}")
    return visit.show(
        "project.html", name=name, newest=newest, records=records, tasks=visit.jay.tasks.list(project=name)
    )


PAGES = (
    Page("/subjects", subjects),
    Page("/subjects/{subject:path}", subject),
    Page("/projects", projects),
    Page("/projects/{project:path}", project),
)

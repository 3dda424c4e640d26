"""Who uses the memory: agent clients on this machine, as `doctor` finds them, and tokens for the network."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from starlette.responses import Response

from scrubjay.agents.tokens import SCOPES
from scrubjay.clients import Place, load
from scrubjay.doctor import Finding
from scrubjay.doctor.clients import look_at_clients
from scrubjay.interfaces.page.notices import Notice
from scrubjay.interfaces.page.visits import Page, Visit
from scrubjay.types.tokens import Scope

__all__ = ["PAGES"]


def clients(visit: Visit) -> Response:
    place = Place.here()
    found = {name: list(own) for name, own in groupby(look_at_clients(place), lambda one: one.about)}
    absent = [name for name, own in found.items() if _is_bare(own) and not load(name).is_here(place)]
    shown = [(name, own) for name, own in found.items() if name not in absent]
    return visit.show("clients.html", clients=shown, absent=absent)


def _is_bare(found: Sequence[Finding]) -> bool:
    """Whether there is nothing to tell but a note."""
    return [one.state for one in found] == ["note"]


def tokens(visit: Visit) -> Response:
    return visit.show("tokens.html", tokens=visit.jay.tokens.list(), made=None, secret="")


def create(visit: Visit) -> Response:
    """Make a token; the answer is the only page that shows its secret."""
    scopes = [scope for scope in SCOPES if visit.asked(scope)]
    spaces = [] if visit.asked("all_spaces") else [visit.asked("space") or visit.jay.space]
    made, secret = visit.jay.tokens.create(
        visit.asked("name"), scopes=scopes, spaces=spaces, all_spaces=not spaces,
        expires_at=visit.asked("expires") or None,
    )  # fmt: skip
    return visit.show("tokens.html", tokens=visit.jay.tokens.list(), made=made, secret=secret)


def revoke(visit: Visit) -> Response:
    visit.jay.tokens.revoke(visit.part("name"))
    return visit.go("/tokens", Notice("revoked"))


ADMIN: tuple[Scope, ...] = ("admin",)
PAGES = (
    Page("/clients", clients, own=True),
    Page("/tokens", tokens, scopes=ADMIN, whole_file=True),
    Page("/tokens", create, "POST", ADMIN, whole_file=True),
    Page("/tokens/{name}/revoke", revoke, "POST", ADMIN, whole_file=True),
)

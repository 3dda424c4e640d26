"""What may reach the disk: no private part, and no secret unless the setting `guard.secrets` allows it.

`policy` is the value of that setting: refuse, redact or off.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.text import secret_scan
from scrubjay.text.secret_scan.private_tags import public_message, public_value

__all__ = ["allowed", "allowed_text", "loggable", "masked", "name_without_secret", "sendable", "shortened"]

SCANNED_CHARACTERS = 20_000  # of a query, of which so many are embedded, and so many go to the access log
EMBEDDED_CHARACTERS, LOGGED_CHARACTERS = 16_000, 200
NEAR_CHARACTERS = 60  # of the words beside a secret, which a refusal repeats
NAMED_BY = ("name", "key", "id", "variable")  # the key of a pair whose other key is "value"
SECRET = (
    "This holds what looks like a secret ({}); nothing was stored. Store it redacted with --redact (elsewhere:"
    " redact){}."
)
OR_KEEP_IT = ", or keep it once with --allow-secret, typed at a terminal"  # possible for the text of a memory only
SECRET_NAME = "{} cannot hold what looks like a secret ({}); give another."


def allowed(value: Any, policy: str) -> Any:
    """The part of a value that may be stored, however deeply it is nested. Raises `Invalid` if the policy refuses."""
    try:
        return _allowed(public_value(value), policy)
    except RecursionError:
        raise Invalid("This is nested too deeply to be stored; make it flatter.") from None


def masked(document: str, policy: str) -> str:
    """A whole document with its secrets masked, line for line.

    This comes before the document is cut: a part of a secret can no longer be recognised as one.
    """
    public = secret_scan.without_private(document, lines=True)
    return public if policy == "off" else secret_scan.redact(public, lines=True)


def loggable(query: str) -> str:
    """The part of a query that the access log may hold; redacted before it is cut, so no part of a secret remains."""
    return _redacted_query(query)[:LOGGED_CHARACTERS]


def sendable(query: str) -> str:
    """The part of a query that a model may be given, which may be a server's; redacted before it is cut, too."""
    return _redacted_query(query)[:EMBEDDED_CHARACTERS]


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters. A longer one is redacted before it is cut, so no part of a secret remains;
    one that is short enough is left to the policy."""
    return text if len(text) <= most else secret_scan.redact(secret_scan.without_private(text))[:most]


@lru_cache(maxsize=1)  # a search asks for it twice: for its model, and for the log
def _redacted_query(query: str) -> str:
    """What a query closes as private and does not open was opened before it, in a message that we do not know."""
    return secret_scan.redact(public_message(query, 0)[:SCANNED_CHARACTERS])


def name_without_secret(what: str, name: str) -> str:
    """A name that is stored unchanged, and so may hold no secret under any policy."""
    if found := secret_scan.find_secrets(name):
        raise Invalid(SECRET_NAME.format(what, _described(found[0])))
    return name


def _allowed(value: Any, policy: str, key: str = "") -> Any:
    """`key` is the key of the value; for a value in a list or an object, with the keys around that."""
    if isinstance(value, str):
        return _allowed_under_key(key, allowed_text(value, policy, instead=""), policy)
    if isinstance(value, Mapping):
        return _allowed_object(value, policy, key)
    if isinstance(value, list | tuple):
        items = [kept for item in value if (kept := _allowed(item, policy, key)) != "" or item == ""]
        return items if isinstance(value, list) else tuple(items)
    return _allowed_under_key(key, value, policy)


def _allowed_object(given: Mapping[Any, Any], policy: str, outer: str) -> dict[Any, Any]:
    """Each value with all its keys, because a key may show that the value is a secret: {"password": {"value": …}}."""
    pairs = [(_allowed(key, policy), item) for key, item in given.items()]
    return {
        key: _allowed(item, policy, "_".join(filter(None, (outer, _name_of(key, given)))))
        for key, item in pairs
        if key != ""
    }


def _name_of(key: Any, given: Mapping[Any, Any]) -> str:
    """The name of the value in {"name": "DB_PASSWORD", "value": …}; of any other value, its key."""
    if str(key).lower() != "value":
        return str(key)
    names = [name for own, name in given.items() if str(own).lower() in NAMED_BY and isinstance(name, str)]
    return names[0] if names else str(key)


def _allowed_under_key(key: str, value: Any, policy: str) -> Any:
    if not key or policy == "off" or isinstance(value, bool) or not isinstance(value, str | int):
        return value
    found = secret_scan.find_secrets(f'{key}: "{value}"')
    if found and policy == "refuse":
        raise Invalid(SECRET.format(_described(found[0]), ""))
    return f"[redacted: {found[0].kind}]" if found else value


def allowed_text(text: str, policy: str, instead: str = OR_KEEP_IT) -> str:
    """The text of a memory as it may be stored."""
    public = secret_scan.without_private(text)
    if policy == "off":
        return public
    if policy == "redact":
        return secret_scan.redact(public)
    if found := secret_scan.find_secrets(public):
        raise Invalid(SECRET.format(_described(found[0]), instead))
    return public


def _described(found: secret_scan.Finding) -> str:
    """The kind of a secret and the words beside it, but never the secret itself."""
    near = found.near[-NEAR_CHARACTERS:]
    return f'{found.kind}, near "{near}"' if near else found.kind

"""What may reach the disk: no private part, and no secret unless the setting `guard.secrets` allows it.

`policy` is the value of that setting: refuse, redact or off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.text import secret_scan
from scrubjay.text.secret_scan.private_tags import has_tag, public_message, public_value

__all__ = [
    "allowed",
    "allowed_beside",
    "allowed_text",
    "headings",
    "loggable",
    "masked",
    "name_without_secret",
    "sendable",
    "shortened",
]

SCANNED_CHARACTERS = 20_000  # of a query, of which so many are embedded, and so many go to the access log
EMBEDDED_CHARACTERS, LOGGED_CHARACTERS = 16_000, 200
NEAR_CHARACTERS = 60  # of the words beside a secret, which a refusal repeats
BESIDE_TEXT = ("title", "subject", "context", "note")
# Keys of an object of which one has the name or the question, and the other the value: {"type": …, "value": …}.
NAMED_BY = ("name", "key", "id", "variable", "type", "kind", "label", "title", "field", "category", "question")
VALUE_KEYS = ("value", "val", "content", "answer", "text", "data", "default")
IN_KEYS = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")  # what parts the words of a key
SECRET = (
    "This holds what looks like a secret ({}); nothing was stored. Store it redacted with --redact (elsewhere:"
    " redact){}."
)
OR_KEEP_IT = ", or keep it once with --allow-secret, typed at a terminal"  # possible for the text of a memory only
SECRET_NAME = "{} cannot hold what looks like a secret ({}); give another."
PRIVATE_NAME = "{} is stored as it is, and so can have no private part; give another."


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
    """A name that is stored unchanged, and so may hold no secret and nothing private under any policy."""
    if found := secret_scan.find_secrets(name):
        raise Invalid(SECRET_NAME.format(what, _described(found[0])))
    if has_tag(name):
        raise Invalid(PRIVATE_NAME.format(what))
    return name


def _allowed(value: Any, policy: str, key: str = "") -> Any:
    """`key` is the key of the value; for a value in a list or an object, with the keys around that."""
    if isinstance(value, str):
        return _allowed_under_key(key, allowed_text(value, policy, instead=""), policy)
    if isinstance(value, Mapping):
        return _allowed_object(value, policy, key)
    if isinstance(value, list | tuple):
        items = [kept for item in _told_in_list(value, policy) if (kept := _allowed(item, policy, key)) or item == kept]
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
    if str(key).lower() not in VALUE_KEYS:
        return str(key)
    names = [name for own, name in given.items() if str(own).lower() in NAMED_BY and isinstance(name, str)]
    return "_".join(names) or str(key)


def _told_in_list(items: Sequence[Any], policy: str) -> Sequence[Any]:
    """The items without what others tell to be a secret: ["--password", …], [["password", …]]."""
    if policy == "off" or not all(isinstance(item, str) for item in items):
        pairs = [_is_pair(item) for item in items]
        return [_told_pair(item, policy) for item in items] if policy != "off" and pairs and all(pairs) else items
    if not any(item.startswith("-") for item in items):
        return items
    kept, line = list(items), " ".join(items)
    for found in secret_scan.find_secrets(line):
        if policy == "refuse":
            raise Invalid(SECRET.format(_described(found), ""))
        start = 0
        for number, item in enumerate(items):
            if start < found.end and found.start < start + len(item):
                kept[number] = f"[redacted: {found.kind}]"
            start += len(item) + 1
    return kept


def _is_pair(item: Any) -> bool:
    return isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str)


def _told_pair(pair: Sequence[Any], policy: str) -> Sequence[Any]:
    kept = [*_allowed_object({pair[0]: pair[1]}, policy, "").values()]
    return [pair[0], *kept]


def _allowed_under_key(key: str, value: Any, policy: str) -> Any:
    if not key or policy == "off" or isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    said = int(value) if isinstance(value, float) and value.is_integer() else value
    words = IN_KEYS.sub(" ", key).strip().removesuffix("s")  # "backup_codes" are told of as one backup code
    found = secret_scan.find_secrets(f'{key}: "{said}"') or secret_scan.find_secrets(f'{words}: "{said}"')
    if found and policy == "refuse":
        raise Invalid(SECRET.format(_described(found[0]), ""))
    return f"[redacted: {found[0].kind}]" if found else value


def allowed_text(text: str, policy: str, instead: str = OR_KEEP_IT, before: Sequence[str] = ()) -> str:
    """The text of a memory as it may be stored. Each text `before` it may tell that it is a secret."""
    public = secret_scan.without_private(text)
    if policy == "off":
        return public
    if policy == "redact":
        return secret_scan.redact(public, before=before)
    if found := secret_scan.find_secrets(public, before):
        raise Invalid(SECRET.format(_described(found[0]), instead))
    return public


def allowed_beside(text: str, fields: Mapping[str, Any], policy: str) -> dict[str, Any]:
    """The fields that stand beside a text, which may tell that one of them is a secret."""
    beside = {name: fields[name] for name in BESIDE_TEXT if isinstance(fields.get(name), str)}
    return {**fields, **{name: allowed_text(value, policy, "", [text]) for name, value in beside.items()}}


def headings(fields: Mapping[str, Any]) -> list[str]:
    """What a memory's fields say of its text: {"title": "database password"}, {"category": "password"}."""
    said = [*map(fields.get, BESIDE_TEXT), *fields.get("tags", ()), *fields.get("metadata", {}).values()]
    return [f"{one}:" for one in said if isinstance(one, str) and one]


def _described(found: secret_scan.Finding) -> str:
    """The kind of a secret and the words beside it, but never the secret itself."""
    near = found.near[-NEAR_CHARACTERS:]
    return f'{found.kind}, near "{near}"' if near else found.kind

"""Files whose form says that their values are secret: Secrets of Kubernetes, and private keys in JSON (JWK)."""

from __future__ import annotations

from collections.abc import Iterator

from scrubjay.text.secret_scan.patterns import Found, compiled
from scrubjay.text.secret_scan.values import is_filled_in

__all__ = ["in_manifests"]

SECRET = r"[\"']?kind[\"']?[ ]{0,4}:[ ]{0,4}[\"']?(?:sealed)?secret(?:list)?[\"']?[ ]{0,4}(?:[\r\n,}#]|$|\\n)"
YAML_BLOCK = (
    r"(?m)^(?P<indent>[ ]{0,20})(?:string)?data:[ ]{0,4}\n(?P<body>(?:(?P=indent)[ ]{1,8}[^\n]{0,20000}\n?){1,200})"
)
JSON_BLOCK = r"\"(?:string)?data\"[ ]{0,4}:\s{0,20}\{(?P<body>[^{}]{1,50000})\}"
ENTRY = r"(?m)^[ ]{0,24}[\"']?[\w.-]{1,80}[\"']?:[ ]{1,4}[\"']?([^\s\"'|>][^\n\"']{3,20000}?)[\"']?[ ]{0,4}$"
BLOCK_ENTRY = r"(?m)^([ ]{1,24})[\w.-]{1,80}:[ ]{1,4}[|>][+-]?[ ]{0,4}\n((?:\1[ ]{1,8}[^\n]{1,4000}\n?){1,100})"
JSON_ENTRY = r"\"[\w.-]{1,80}\"\s{0,8}:\s{0,8}\"((?:[^\"\\]|\\.){4,20000})\""
# The private members of a key: RSA and elliptic curves have d, RSA also its factors, a shared key k.
JWK_PRIVATE = r"[\"'](?:d|p|q|dp|dq|qi|k)[\"']\s{0,4}:\s{0,4}[\"']([\w-]{20,2000})[\"']"


def in_manifests(text: str, lowered: str) -> Iterator[Found]:
    if "secret" in lowered and "data" in lowered and compiled(SECRET).search(lowered):
        yield from _kubernetes(text, lowered)
    if "kty" in lowered:
        for match in compiled(JWK_PRIVATE).finditer(text):
            yield "private key", *match.span(1)


def _kubernetes(text: str, lowered: str) -> Iterator[Found]:
    blocks = [(YAML_BLOCK, (ENTRY, BLOCK_ENTRY)), (JSON_BLOCK, (JSON_ENTRY,))]
    for pattern, entries in blocks:
        for block in compiled(pattern).finditer(lowered):
            for entry in entries:
                for value in compiled(entry).finditer(text, *block.span("body")):
                    if is_filled_in(value[value.re.groups]):
                        yield "secret", *value.span(value.re.groups)

"""Digits that open something: "my PIN is …", "the code for the garage door is …"."""

from __future__ import annotations

from collections.abc import Iterator

from scrubjay.guard.languages import either
from scrubjay.guard.patterns import Found, compiled

__all__ = ["pins"]

ALONE = [
    "pin",
    "puk",
    "cvv",
    "cvv2",
    "cvc",
    "cvc2",
    "tan",
    "otp",
    "pin-code",
    "pin code",
    "pin number",
    "pincode",
    "geheimzahl",
]
# With the word code, pin or combination after them.
OPENED = """
    door gate alarm access entry lock unlock security safe garage pass verification confirmation authentication auth
    2fa mfa one-time backup recovery sim keypad vault locker bank card phone voicemail login
""".split()
ELSEWHERE = [
    "türcode", "zugangscode", "sicherheitscode", "alarmcode", "hauscode", "entsperrcode", "bestätigungscode",
    "code secret", "code pin", "code d'accès", "code de sécurité", "code de la porte", "code de l'alarme",
    "código pin", "código secreto", "código de acceso", "código de seguridad", "código de la puerta",
    "código de la alarma", "clave de acceso", "暗証番号", "密码", "пин-код", "пинкод",
]  # fmt: skip
OF_SOMETHING = (
    r"(?:code|pin|combination) (?:for|to|of) (?:the|my|our|her|his) [a-z ]{2,30}|combination(?= is| to| for|:)"
)
LINKING = "is are was to ist lautet auf es est é è 是 为 は never stays".split()
LINKED = rf"(?:[:=（(]|(?<![a-z]){either(LINKING)}(?![a-z])|(?<![0-9]),)"
NUMBER = r"[ ]?[\"'`“„]?[ ]?#?(?P<value>[0-9](?:[ -]?[0-9]){2,7}[#*]?)(?![\w.,-]?[0-9a-z])"
WORD = rf"(?<![a-z])(?:{either(ALONE + ELSEWHERE)}|{either(OPENED)}[ -](?:code|pin|combination)|{OF_SOMETHING})(?!\w)"
TOLD = rf"{WORD}[^\n.;]{{0,60}}?{LINKED}{NUMBER}"
UNLINKED = r"(?<![a-z])(?:pin(?:[ -]?code)?|puk|cvv|cvc)[ ](?P<value>[0-9]{4,8})(?![\w.-]?[0-9a-z])"
SIGNS = ("pin", "puk", "cv", "tan", "otp", "code", "código", "clave", "combination", "zahl", "番号", "密码", "пин")
NO_PIN = ("1234", "0000", "12345", "123456")  # said as an example


def pins(lowered: str) -> Iterator[Found]:
    if not any(map(lowered.__contains__, SIGNS)):
        return
    for pattern in (TOLD, UNLINKED):
        for pin in compiled(pattern).finditer(lowered):
            if pin["value"] not in NO_PIN and len(set(pin["value"])) > 1:
                yield "PIN", *pin.span("value")

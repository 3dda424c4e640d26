"""Keys known by their shape alone, and addresses that are a key: whoever knows a webhook may write to it."""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Iterator

from scrubjay.text.secret_scan.languages import either
from scrubjay.text.secret_scan.patterns import Found, compiled, has_any
from scrubjay.text.secret_scan.rules.prefixes import START
from scrubjay.text.secret_scan.values import is_hex, is_random

__all__ = ["decoded", "shaped"]

# Kind, sign, pattern; its group, if it has one, is the secret.
SHAPED = (
    ("Discord token", ".", r"(?:M[DjQTz]|N[DjQTz]|O[DT])[\w-]{21,26}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])"),
    ("Telegram token", ":A", r"[0-9]{5,16}:A[\w-]{33,34}(?![\w-])"),
    ("Azure key", "Q~", r"[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}"),
    ("Azure key", "+ASt", r"[\w+/]{76}\+ASt[\w+/]{4,6}={0,2}"),
    ("Azure key", "JQQJ9", r"[^\W_]{52}JQQJ9[^\W_]{20,30}"),
    ("DeepL key", ":fx", r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}:fx(?!\w)"),
    ("cloud signature", "sig=", r"sig=([\w%+/-]{40,512}=?)"),
    ("Terraform token", ".atlasv1.", r"[^\W_]{14}\.atlasv1\.[\w-]{60,512}"),
    ("mail key", "-", r"[0-9a-f]{32}-(?:us[0-9]{1,2}|[0-9a-f]{8}-[0-9a-f]{8})(?![\w-])"),
    ("Facebook token", "|", r"[0-9]{13,18}\|[\w-]{24,40}(?![\w-])"),
    ("access token", "|", r"[0-9]{1,12}\|[A-Za-z0-9]{40,64}(?![\w|-])"),  # its number in a table, and the token
    ("Firebase key", ":APA91b", r"[\w-]{11}:APA91b[\w-]{100,300}"),
    ("recovery key", "-", r"[0-9]{6}(?:-[0-9]{6}){7}(?![\w-])"),  # of BitLocker
    ("MaxMind key", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)"),
    ("Google refresh token", "1//", r"1//[0-9][\w-]{30,200}"),
)
RANDOM = ("Discord token", "access token")  # other things have this shape, too
# Addresses of webhooks: a part of the address, and what follows up to the end of the secret.
WEBHOOKS = (
    ("hooks.slack.com/", r"[\w/-]{30,200}"),
    ("discord.com/api/webhooks/", r"[\w/-]{30,200}"),
    ("discordapp.com/api/webhooks/", r"[\w/-]{30,200}"),
    (".webhook.office.com/", r"[\w/@-]{30,300}"),
    ("outlook.office.com/webhook", r"[\w/@-]{30,300}"),
    ("hooks.zapier.com/hooks/", r"[\w/-]{10,200}"),
    ("hook.make.com/", r"[\w/-]{20,200}"),
    ("hook.integromat.com/", r"[\w/-]{20,200}"),
    ("maker.ifttt.com/", r"[\w/-]{20,200}"),
    ("chat.googleapis.com/v1/spaces/", r"[\w/?=&%-]{40,300}"),
    ("open.feishu.cn/open-apis/bot/", r"[\w/-]{20,200}"),
    ("open.larksuite.com/open-apis/bot/", r"[\w/-]{20,200}"),
    ("oapi.dingtalk.com/robot/send?access_token=", r"[\w-]{32,100}"),
    ("qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", r"[\w-]{20,100}"),
    ("events.pagerduty.com/integration/", r"[\w/-]{20,100}"),
    ("logic.azure.com", r"[^\s\"'<>]{0,300}&sig=[\w%-]{30,100}"),
    ("api.telegram.org/bot", r"[0-9]{5,16}:[\w-]{30,50}"),
)
# Any other address that speaks of a hook and holds a random part.
ANY_HOOK = r"https?://[\w.-]{0,80}(?:/[\w.@-]{0,80}){0,6}?hooks?(?:[\w.-]{0,60}(?:/[\w.@-]{0,80}){0,6}?)[/=]([\w-]{20,200})(?![\w.])"

# An address that lets in whoever opens it: to set a new password, to sign in, to accept an invitation.
LINK_SIGNS = ("reset", "verif", "confirm", "magic", "invit", "activat", "recover", "login", "signin", "sign-in")
LINK = (
    rf"(?i)https?://[\w.:-]{{1,80}}(?:/[\w.@-]{{0,60}}){{0,5}}?/[\w-]{{0,20}}{either(LINK_SIGNS)}[\w-]{{0,20}}/"
    r"([\w-]{20,200})(?![\w.])"
)


def shaped(text: str, long: str) -> Iterator[Found]:
    for kind, sign, pattern in SHAPED:
        if sign in long and compiled(START + pattern).search(long):
            for match in compiled(START + pattern).finditer(text):
                if kind not in RANDOM or (is_random(match[0]) and not is_hex(match[0].partition("|")[2])):
                    yield kind, *match.span(match.re.groups)
    if "hook" in long or "://" in long:
        yield from _webhooks(text, long)


def _webhooks(text: str, long: str) -> Iterator[Found]:
    for address, rest in WEBHOOKS:
        if address in long:
            for match in compiled(rf"(?:https?://)?[\w.-]{{0,60}}{re.escape(address)}{rest}/?").finditer(text):
                yield "webhook", *match.span()
    if has_any(long, LINK_SIGNS):
        yield from (("sign-in link", *match.span(1)) for match in compiled(LINK).finditer(text) if _is_key(match[1]))
    if "hook" in long:
        for match in compiled(ANY_HOOK).finditer(text):
            if _is_key(match[1]):
                yield "webhook", *match.span(1)


def _is_key(part: str) -> bool:
    return is_random(part) or is_hex(part)


def decoded(value: str) -> str:
    """What the base64 stands for, if that is plain text."""
    try:
        return a2b_base64(value + "=" * (-len(value) % 4)).decode("ascii")
    except ValueError:
        return ""

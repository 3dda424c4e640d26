"""Passwords that a command or a call of a function is given, without a name that says so."""

from __future__ import annotations

from collections.abc import Iterator

from scrubjay.text.secret_scan.patterns import Found, Signs, compiled
from scrubjay.text.secret_scan.values import is_filled_in, is_password_like, is_random

__all__ = ["COMMAND_SIGNS", "in_commands"]

VALUE = r"[\"']?([^\s\"']{3,100})"
NO_FILE = rf"(?![\"']?file:){VALUE}"
STRING = r"[ ]?@?[\"'][^\"'\n]{0,120}[\"'][ ]?,"
LAST_STRING = r"[ ]?@?[\"']([^\s\"']{4,100})[\"']"
OTHER_OPTIONS = r"(?:-{1,2}[a-z][\w-]{0,20}[ =][^\s-]\S{0,60}[ ]){0,4}"
ASKING = r"(?:sudo )?(?:su|kinit|cryptsetup|veracrypt|passwd|smbpasswd|gocryptfs|encfs|openconnect)\b"
KEY_TOOL = r"\b(?:ssh-keygen|veracrypt|unlock-keychain|openssl)\b[^\n|;&]{0,150}?"
Rule = tuple[tuple[str, ...], str]
# Words of which one must be there, pattern in lower case; its group is the password.
RULES: tuple[Rule, ...] = (
    (
        ("curl", "wget", "http"),
        rf"\s(?:-u|--user|--proxy-user|-a|--auth)[ =]{{0,4}}[\"']?[^\s:\"'/]{{1,80}}:{VALUE}",
    ),
    (("sshpass",), rf"\bsshpass[ ]{{1,4}}-p[ ]{{0,4}}{VALUE}"),
    (
        ("mysql", "mariadb"),
        r"\b(?:mysql|mariadb)\w{0,9} [^\n|;&]{0,100}? ?-p[\"']?([^\s\"'-][^\s\"']{3,80})",
    ),
    (
        ("docker login", "podman login", "az login", "oc login", "helm registry"),
        rf" login [^\n|;&]{{0,100}}? -p {VALUE}",
    ),
    (("redis-cli",), rf"\bredis-cli [^\n|;&]{{0,100}}?-a {VALUE}"),
    (("ldap",), rf"\bldap\w{{3,10}} [^\n|;&]{{0,150}}? -w {VALUE}"),
    (("sqlcmd", "mongo", "bcp"), rf"\b(?:sqlcmd|bcp|mongo\w{{0,8}}) [^\n|;&]{{0,120}}? -p {VALUE}"),
    (("sqlplus", "impdp", "expdp"), r"\b(?:sqlplus|impdp|expdp) [\"']?[\w.-]{1,40}/([^\s\"'@]{4,100})@"),
    (("htpasswd",), rf"\bhtpasswd -\w{{0,4}}b\w{{0,4}} \S{{1,100}} \S{{1,60}} {VALUE}"),
    (("smbclient", "rpcclient"), rf"client [^\n|;&]{{0,120}}? -u \S{{1,60}}%{VALUE}"),
    (("lftp", "sftp"), rf"ftp [^\n|;&]{{0,60}}?-u \S{{1,60}},{VALUE}"),
    (("chpasswd",), r"echo [\"']?[\w.-]{1,40}:([^\s\"'|]{4,100})[\"']? ?\| ?(?:sudo )?chpasswd"),
    (  # --passphrase "several words"
        ("pass",),
        r"\s--?[a-z-]{0,20}pass(?:word|wd|phrase)?[ =][\"']([^\"'\n$<>{}]{2,40}[ ][^\"'\n$<>{}]{2,60})[\"'](?![,)\]:])",
    ),
    (  # to a command that asks for a password
        ("echo ", "printf "),
        rf"(?:echo|printf) (?:-n )?[\"']?([^\s\"'|]{{4,200}})[\"']? ?\| ?(?:sudo -\w{{0,3}}s|{ASKING}|"
        r"\w[^|\n]{0,60}--(?:password-)?stdin)",
    ),
    (
        ("net user", "net use"),
        r"\bnet (?:user [\w.-]{1,40}|use [\w: ]{0,4}\\\\\S{1,80}) ([^\s/*\"']{4,100})(?= /)",
    ),
    (("convertto-securestring",), r"convertto-securestring (?:-string )?[\"']([^\"'\n]{4,100})[\"']"),
    (("zip -", "7z "), rf"\b(?:un)?(?:zip|7z) [^\n|;&]{{0,60}}?-p ?{VALUE}"),
    (("-pass", "openssl"), rf"\s-pass(?:in|out|word)? (?:pass:)?{VALUE}"),
    (
        ("identified by",),
        r"\b(?:create|alter|grant|set)\b[^;]{0,200}?\bidentified by (?:password )?[\"']([^\s\"']{4,100})[\"']",
    ),
    # what a store of secrets is given
    (("--secret-string", "--secret-binary"), rf"--secret-(?:string|binary)[ =]{NO_FILE}"),
    (("keyvault secret",), rf"\bkeyvault secret set [^\n|;&]{{0,150}}?--value[ =]{NO_FILE}"),
    (("put-parameter",), rf"\bput-parameter (?=[^\n]{{0,300}}securestring)[^\n|;&]{{0,200}}?--value[ =]{NO_FILE}"),
    (("gh secret",), rf"\bgh secret set [^\n|;&]{{0,100}}? (?:-b|--body)[ =]{NO_FILE}"),
    (("security add-",), rf"\bsecurity add-(?:generic|internet)-password [^\n|;&]{{0,150}}? -w {NO_FILE}"),
    (("secrets set ",), rf"\bsecrets set (?:--?\w[\w-]{{0,20}}[ =]\w\S{{0,40}} ){{0,3}}\w{{1,60}}={NO_FILE}"),
    (("from-literal",), r"--from-literal[= ][\"']?[\w.-]{1,60}=[\"']?([^\s\"']{4,300})"),
)
# The same, but other things stand in these places too: the value must look like a password.
LIKELY: tuple[Rule, ...] = (
    # -u ann -p …, of any command
    ((" -u",), rf"[ ]-u[ =]?[\"']?[\w.@\\-]{{1,60}}[\"']?[ ]{OTHER_OPTIONS}-p[ =]?{VALUE}"),
    (("/u:", "/user:"), rf"[ ]/u(?:ser)?:\S{{1,60}}[ ](?:/\S{{1,60}}[ ]){{0,4}}/p(?:ass(?:word)?)?:{VALUE}"),
    # a user's name first, then the password
    (("net use",), rf"\bnet use [^\n|;&]{{0,120}}?/user:\S{{1,80}} {VALUE}"),
    # the password in a place or after a letter that only this command has for it
    (
        ("bw ", "wpa_passphrase", "rabbitmqctl", "alias set"),
        r"\b(?:bw (?:unlock|login \S{1,60})|wpa_passphrase \S{1,60}|"
        r"rabbitmqctl (?:add_user|change_password|authenticate_user) \S{1,60}|"
        rf"alias set \S{{1,60}} \S{{1,100}} \S{{1,60}}) {VALUE}",
    ),
    (("ssh-keygen", "veracrypt", "unlock-keychain"), rf"{KEY_TOOL} -p {VALUE}"),
    (("ssh-keygen", "openssl"), rf"{KEY_TOOL} -[nk] {VALUE}"),
    (("qpdf",), rf"\bqpdf [^\n|;&]{{0,150}}?--encrypt {VALUE}"),
    (("qpdf",), rf"\bqpdf [^\n|;&]{{0,150}}?--encrypt \S{{1,100}} {VALUE}"),
    (("schtasks",), rf"[ ]/rp {VALUE}"),
    (("<<<",), rf"(?:sudo -\w{{0,3}}s|{ASKING})[^\n|;&]{{0,80}}?<<< ?{VALUE}"),
    # -storepass …, -passin pass:…, --smtp-pass …
    (("pass",), rf"\s-{{1,2}}[a-z-]{{0,20}}pass(?:in|out|wd|word|phrase)?[ =](?:pass:)?{VALUE}"),
    # an answer to a prompt, given by a script
    (
        ("send",),
        r"ass(?:word|wd|phrase|code)\b[^\n]{0,20}\n[ \t]{0,8}send[ ]{1,4}(?:-- )?[\"']([^\s\"'\\]{4,100})",
    ),
    # a user and a password: auth=("ann", "…"), login("ann", "…")
    (
        ("auth", "login", "logon", "credential", "signin"),
        rf"(?:auth|login|logon|credentials?|signin)\w{{0,12}}[ ]?[=:]?[ ]?[(\[]{STRING}{LAST_STRING}",
    ),
    # the address of a database, a user and a password
    (
        ("://", "jdbc:", "host=", "dsn"),
        rf"[(\[,=][ ]?[\"'][^\"'\n]{{0,60}}(?:://|jdbc:|host=|:@)[^\"'\n]{{0,120}}[\"'][ ]?,{STRING}{LAST_STRING}",
    ),
    # a connection that is opened: a host, perhaps a port, a user and a password
    (
        ("ftp", "ssh", "smtp", "imap", "pop3", "connect", "mysql"),
        rf"(?:ftp|ssh|smtp|imap|pop3|connect|mysql)[\w:.]{{0,24}}[ ]?\({STRING}"
        rf"(?:[ ]?[0-9]{{2,5}}[ ]?,)?{STRING}{LAST_STRING}",
    ),
    # a client of a service that takes the number of an account, then its key
    (
        ("twilio", "plivo", "vonage", "nexmo", "mailjet", "algolia"),
        rf"(?:twilio|plivo|vonage|nexmo|mailjet|algolia)[\w.:]{{0,24}}[ ]?\({STRING}{LAST_STRING}",
    ),
    # a setting that is a key: pragma("key", "…")
    (('"key"', "'key'"), rf"pragma\w{{0,12}}\([^\n()]{{0,40}}[\"']key[\"'][ ]?,{LAST_STRING}"),
    # -A … -X …, for authentication and for privacy
    (("snmp",), rf"[ ]-[ax][ ](?!(?:sha|md5|des|aes)[\w-]{{0,6}}[ ]){VALUE}"),
    # a value in a table of settings
    (
        ("where",),
        r"\bset[ ]\w{1,20}[ ]?=[ ]?n?'([^\s']{4,200})'[ ]"
        r"where[ ]\w{1,20}[ ]?=[ ]?'[\w.-]{0,40}(?:pass|pwd|secret|token|key)",
    ),
    # login=ann:…
    (("login", "auth"), rf"\b(?:login|auth)[= ][\"']?[\w.-]{{2,40}}:{VALUE}"),
)

COMMAND_SIGNS: Signs = frozenset(sign for signs, _ in (*RULES, *LIKELY) for sign in signs)


def in_commands(text: str, lowered: str, signs: Signs) -> Iterator[Found]:
    if signs.isdisjoint(COMMAND_SIGNS):
        return
    for signs_of_rule, pattern in RULES:
        if not signs.isdisjoint(signs_of_rule):
            for match in compiled(pattern).finditer(lowered):
                if is_filled_in(text[slice(*match.span(1))]):
                    yield "password", *match.span(1)
    for signs_of_rule, pattern in LIKELY:
        if not signs.isdisjoint(signs_of_rule):
            for match in compiled(pattern).finditer(lowered):
                value = text[slice(*match.span(1))]
                if is_password_like(value) or (is_filled_in(value) and len(value) >= 8 and is_random(value)):
                    yield "password", *match.span(1)

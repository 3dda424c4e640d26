"""Keys that begin with a sign of whose they are, as the services document it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.text.secret_scan.patterns import Found, compiled
from scrubjay.text.secret_scan.values import is_random, odd_share

__all__ = ["FAKE", "PREFIXES", "START", "is_inside", "prefixed"]

# What follows a sign: each is a run of signs that is at least as long as the shortest that the services give out.
LETTERS_AND_DIGITS = r"[A-Za-z0-9]{%d,}+"
WITH_DASHES = r"[\w-]{%d,}+"
WITH_DOTS = r"[\w.-]{%d,}+"
BASE64 = r"[\w+/=-]{%d,}+"
CAPITALS = r"[A-Z0-9-]{%d,}+"

# Kind, how they begin, what follows.
PREFIXED = (
    ("AWS key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}\b(?:[\s,;:|\"']{1,4}[\w/+]{40}(?![\w/+]))?"),
    ("cloud key", "AIza ya29. GOCSPX- 1//0 LTAI ABSK bedrock-api-key- amzn.mws. amzn1.oa2-cs.v1.", BASE64 % 16),
    ("cloud key", "AKID AQVN YCAJ y0_ t1.9eu dop_v1_ doo_v1_ dor_v1_ ocid1.key. SCW", BASE64 % 17),
    ("cloud signature", "X-Amz-Signature= X-Amz-Security-Token= X-Goog-Signature=", r"[\w%+/=-]{40,}+"),
    ("Anthropic key", "sk-ant-", WITH_DASHES % 20),
    ("OpenAI key", "sk-proj- sk-svcacct- sk-admin-", WITH_DASHES % 20),
    ("AI provider key", "sk- csk- gsk_ r8_ pplx- xai- hf_ api_org_ tgp_v1_ jina_ pcsk_ llx- fw_", WITH_DASHES % 20),
    (
        "AI provider key",
        "nvapi- tvly- lsv2_pt_ lsv2_sk_ wandb_v1_ fc- esecret_ pylf_v1_ rpa_ pa- BSA",
        WITH_DASHES % 24,
    ),
    ("AI provider key", "m0- e2b_ bb_live_ bb_test_ sk-lf- sk-helicone- ste- tr_dev_ tr_prod_", WITH_DASHES % 20),
    ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"\w{30,}+(?:\.[\w-]{1,800}){0,2}"),
    (
        "GitLab token",
        "glpat- gldt- glrt- glrtr- glptt- glcbt- glft- glimt- glagent- gloas- glsoat- glffct-",
        WITH_DOTS % 20,
    ),
    ("GitLab token", "GR1348941", WITH_DASHES % 20),
    ("Atlassian token", "ATBB ATCTT3 ATATT3 BBDC-", r"[\w=-]{28,}+"),
    ("Slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe- xoxe. xapp-", r"[\w%.-]{12,}+"),
    ("payment key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_ whsec_ sq0atp- sq0csp-", BASE64 % 10),
    ("payment key", "access_token$production$ access_token$sandbox$", r"[\w$-]{40,}+"),
    ("payment key", "EAAA FLWSECK- FLWSECK_TEST- FLWSECK_LIVE- EZAK EZTK duffel_live_ duffel_test_", WITH_DASHES % 12),
    (
        "payment key",
        "access-production- access-sandbox- access-development- shippo_live_ shippo_test_",
        WITH_DASHES % 30,
    ),
    ("payment key", "rzp_live_ rzp_test_ sk_sandbox_ live_ test_", LETTERS_AND_DIGITS % 24),
    ("Facebook token", "EAA", LETTERS_AND_DIGITS % 40),
    ("package registry token", "npm_ pypi- dckr_pat_ dckr_oat_ SWMTKN-1- rubygems_ CLOJARS_ cio", WITH_DASHES % 27),
    ("package registry token", "oy2", r"[a-z0-9]{43}(?!\w)"),
    ("package registry token", "AKCp cmVmdGtu", LETTERS_AND_DIGITS % 50),
    ("mail key", "SG.", r"[\w-]{16,64}\.[\w-]{16,}+"),
    ("mail key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-\w{16}"),
    ("mail key", "re_", r"\w{8}_\w{24}\b"),
    ("mail key", "key-", r"[0-9a-f]{32}\b"),
    ("service token", "SK dapi shpat_ shpca_ shppa_ shpss_", r"[0-9a-f]{32}(?:-[0-9])?\b"),
    ("service token", "hvs. hvb. hvr. sbp_ sb_secret_ tskey- NRAK- NRII- NRJS- NRIQ- NRRA- NRSP-", WITH_DASHES % 19),
    (
        "service token",
        "lin_api_ lin_oauth_ ntn_ secret_",
        LETTERS_AND_DIGITS % 32,
    ),
    ("service token", "sntrys_ sntryu_ sntrya_ glsa_ glc_ HRKU- nfp_ vcp_ vck_ napi_ PMAK- tfp_ rdme_", BASE64 % 30),
    ("service token", "fo1_ fm1a_ fm1r_ fm2_ FlyV1", BASE64 % 30),
    ("service token", "pscale_tkn_ pscale_pw_ pscale_oauth_ cfat_ cfut_ cfk_ figd_ figu_ CFPAT- sl.", WITH_DOTS % 24),
    (
        "service token",
        "phx_ phs_ pha_ phr_ CCIPAT_ CCIPRJ_ bkua_ bkaj_ sgp_ sgs_ slk_ pul- squ_ sqp_ sqa_ sqco_",
        WITH_DASHES % 32,
    ),
    ("service token", "ops_eyJ dt0c01. dt0s01. dt0s16.", WITH_DOTS % 52),
    (
        "service token",
        "pnu_ pnb_ aio_ rnd_ xau_ xaat- xapt- hcaik_ hcxik_ ico- fio-u- tk-us- tk-eu- dG9rO p8e-",
        WITH_DASHES % 24,
    ),
    (
        "service token",
        "pat-na1- pat-eu1- pat-ap1- signkey-prod- signkey-test- fal_ ion_ glb_ sha256~",
        WITH_DASHES % 24,
    ),
    ("service token", "ak- as-", r"[A-Za-z0-9]{22}(?!\w)"),
    ("service token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"(?:[\w-]{2,35}\.)?[A-Za-z0-9]{32,64}(?!\w)"),
    ("Harness key", "pat. sat.", r"[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}(?!\w)"),
    ("ClickHouse key", "4b1d", r"[A-Za-z0-9]{38}(?!\w)"),
    ("Airtable token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}\b"),
    ("Cloudflare key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{100,200}\b"),
    ("GitHub token", "v1.", r"[0-9a-f]{40}\b"),
    ("Mapbox token", "sk.eyJ", WITH_DOTS % 40),
    ("Okta token", "SSWS ", r"00[\w-]{38,42}(?!\w)"),
    ("Vault token", "s. b. r.", r"(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24}(?:\.[A-Za-z0-9]{1,10})?(?!\w|\.\w)"),
    ("Zoho token", "1000.", r"[0-9a-f]{32}\.[0-9a-f]{32}\b"),
    ("1Password key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{6}-[A-Z0-9]{5}|[A-Z0-9]{11})(?:-[A-Z0-9]{5}){3}\b"),
    ("Scrubjay token", "scrubjay_", r"[\w-]{43}(?![\w-])"),
    ("age key", "AGE-SECRET-KEY-1 AGE-PLUGIN-", CAPITALS % 40),
    ("JWT", "eyJ", r"[\w-]{8,2000}+(?:\.[\w-]{8,8000}+){2,4}"),
    ("private key", "LS0tLS1CRUdJTi", r"(?:BSU0Eg|BQUklW|BFQyBQ|BPUEVO|BFTkNS)[\w+/=]{40,}+"),  # base64 of a whole file
)
# A rule is tried only where its sign stands, and compiled only then: most texts need none.
PREFIXES = [(sign, kind, body) for kind, signs, body in PREFIXED for sign in re.split(r"(?<=\S) (?=\S)", signs)]
SPACED = "SSWS "  # the only sign with a blank in it
START = r"(?:(?<!\w)|(?<=\\[nrt])|(?<=%[0-9A-F][0-9A-F])|(?<=/bot))"  # also after an escape, as in a log of JSON
VERY_ODD = 0.4  # in short runs
HARDLY_ODD = 0.2  # share of odd pairs: after a known sign that is enough
FAKE = r"xxxx|XXXX|\.\.\.|\*\*\*"
MIXED = r"(?=.*[a-z])(?=.*[A-Z]).*[0-9]|(?:[^0-9]*[0-9]){6}"  # or these

RUN = r"[A-Za-z0-9]{10}"
OF_A_DIGEST = r"(?i)sha-?[0-9]{1,3}[=:-]$"
BEFORE = r"([\w+/]{20})[+/]$"


def prefixed(text: str, long: str) -> Iterator[Found]:
    for sign, kind, body in [rule for rule in PREFIXES if rule[0] in long or rule[0] == SPACED]:
        yield from _with_sign(text, sign, kind, body)


def _with_sign(text: str, sign: str, kind: str, body: str) -> Iterator[Found]:
    at = text.find(sign)
    while at >= 0:
        key = compiled(f"{START}{re.escape(sign)}({body})").match(text, at)
        if key and not is_inside(text, at) and _is_key(key[1]):
            yield kind, *key.span()
        at = text.find(sign, key.end() if key else at + 1)


def _is_key(body: str) -> bool:
    """Random enough, and not many short words joined by dashes."""
    if compiled(FAKE).search(body) or not (compiled(RUN).search(body) or odd_share(body) >= VERY_ODD):
        return False
    return odd_share(body) >= HARDLY_ODD or bool(compiled(MIXED).match(body[:200]))


def is_inside(text: str, at: int) -> bool:
    """Of a digest, as in `sha256=r8_DrqA…`, or of other base64: by chance that holds the sign of a key.

    A path before it is written with the same characters, but it is made of words.
    """
    start = max(0, at - 24)
    before = compiled(BEFORE).search(text, start, at)
    return bool(compiled(OF_A_DIGEST).search(text, start, at) or (before and is_random(before[1])))

"""Logs made at random: what test runners, compilers, servers and agents print, with ids and hashes but no secret."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import cycle
from random import Random
from string import ascii_letters, ascii_lowercase, digits

__all__ = ["make_logs"]

# {h40} stands for 40 hex digits, {a22} for letters and digits, {l8} for small letters and digits, {d4} for digits,
# {uuid}, {word} and {Name} for themselves.
FORMS = {
    "go test": "--- PASS: Test{Name}{Name} ({d2}.{d1}s)\n=== RUN   Test{Name}/{word}_{word}\n"
    "ok  \t{word}/{word}\t{d1}.{d3}s",
    "go panic": "panic: {word}\n\ngoroutine {d2} [running]:\nmain.{Name}(0xc000{h6})\n"
    "\t/src/{word}/{word}.go:{d3}-{d3} +0x{h3}",
    "go module sums": "github.com/{word}/{word} v{d1}.{d2}.0 h1:{b43}=\n"
    "github.com/{word}/{word} v{d1}.{d2}.0/go.mod h1:{b43}=",
    "cargo": "   Compiling {word}-{word} v{d1}.{d1}.{d2}\n    Finished test [unoptimized] in {d2}.{d2}s\n"
    "     Running unittests src/lib.rs (target/debug/deps/{word}_{word}-{h16})\ntest tests::{word}_pass ... ok",
    "cargo lock": '[[package]]\nname = "{word}"\nversion = "{d1}.{d2}.{d1}"\nchecksum = "{h64}"',
    "pytest": "tests/test_{word}.py::test_{word}_token_is_{word} PASSED [ {d2}%]\n"
    "tests/test_{word}.py::test_{word}[{word}-{d3}] FAILED",
    "Python traceback": 'Traceback (most recent call last):\n  File "/app/{word}/{word}.py", line {d3}, in {word}\n'
    '    token = self.{word}.get_token({word})\nKeyError: "{word}_{word}"',
    "Java traceback": 'Exception in thread "main" com.{word}.{Name}Exception: token expired\n'
    "\tat com.{word}.{Name}.{word}({Name}.java:{d3})\n\tat com.{word}.{Name}$Inner.{word}({Name}.java:{d2})",
    "npm": "npm http fetch GET 200 https://registry.example.org/{word} {d3}ms (cache hit)\n"
    'added {d3} packages in {d2}s\n"integrity": "sha512-{b86}=="',
    "yarn lock": '{word}@^{d1}.{d1}.{d1}:\n  version "{d1}.{d1}.{d1}"\n'
    '  resolved "https://registry.example.org/{word}/-/{word}-{d1}.{d1}.{d1}.tgz#{h40}"\n  integrity sha512-{b86}==',
    "pip lock": "{word}=={d1}.{d2}.{d1} \\\n    --hash=sha256:{h64} \\\n    --hash=sha256:{h64}",
    "docker": "{h12}: Pull complete\nDigest: sha256:{h64}\nStatus: Downloaded newer image for {word}:{d1}.{d2}\n{h64}",
    "kubernetes": "NAME                         READY   STATUS\n{word}-{l10}-{l5}   1/1     Running\n"
    'pod/{word}-{h10}-{l5} condition met\nuid: {uuid}\nresourceVersion: "{d7}"',
    "nginx": '203.0.113.{d2} - - [12/Mar/2026:10:{d2}:{d2} +0000] "GET /{word}/{word}?page={d2} HTTP/1.1" 200 {d4}\n'
    "request_id={h32} upstream=10.0.0.{d2}:8080",
    "JSON log": '{"level":"info","ts":"2026-03-12T10:00:{d2}.{d3}Z","trace_id":"{h32}","span_id":"{h16}",'
    '"msg":"{word}","user_id":"{uuid}","duration_ms":{d3}}',
    "git log": "commit {h40} (HEAD -> main, origin/main)\nAuthor: {Name} <{word}@example.org>\n"
    "Date: Thu Mar 12 2026\n\n    {word}: pass the key to {word} (#{d4})\n\n index {h7}..{h7} 100644",
    "agent": '{"type":"tool_use","id":"toolu_01{a22}","name":"{word}"}\n{"id":"msg_01{a22}","session_id":"{uuid}"}\n'
    '{"id":"chatcmpl-{a29}","tool_call_id":"call_{a24}"}\n{"id":"resp_{h48}","request":"req_{a24}"}',
    "payments": '{"id":"evt_{a24}","customer":"cus_{a14}","payment_intent":"pi_{a24}","price":"price_{a24}"}',
    "web build": "dist/assets/{word}-{l8}.js   {d3}.{d2} kB\ndist/{word}.{h20}.chunk.js\n"
    "/_next/static/{u21}/_buildManifest.js",
    "AWS": "arn:aws:lambda:eu-west-1:{d12}:function:{word}\ni-0{h17} vpc-0{h17} ami-0{h17}\n"
    'RequestId: {uuid}\nETag: "{h32}"',
    "ids": "https://docs.google.com/document/d/1{u43}/edit\nhttps://www.youtube.com/watch?v={u11}\n"
    "https://x.example/s/{u22}",
    "dataset": "{word},{d10},{h24},{d2}.{d6},-{d1}.{d8}\n{word},{d10},{h24},{d2}.{d6},{d3}.{d8}",
    "terminal": "-rw-r--r-- 1 root root {d5} Mar 12 10:{d2} {word}_{h8}.key\n{h32}  {word}.tar.gz\n{h64}  {word}.iso\n"
    "SHA256:{b43} {word}@host (ED25519)",
    "CI": "##[group]Run actions/checkout@{h40}\n  with:\n    token: ***\n    fetch-depth: 0\n::add-mask::***\n"
    "Cache key: {word}-Linux-{h64}\nCache restored from key: {word}-Linux-{h64}",
    "settings": "token_limit: {d6}\npassword_min_length: 1{d1}\nkey_id: {uuid}\nsecret_name: {word}-{word}-tls\n"
    "max_tokens={d4}\ncache_key={word}:{d6}\nprimary_key={word}_id\nsort_key: {word}#{word}",
}
ALPHABETS = {
    "h": "0123456789abcdef",
    "a": ascii_letters + digits,
    "b": ascii_letters + digits + "+/",
    "u": ascii_letters + digits + "-_",
    "l": ascii_lowercase + digits,
    "d": digits,
}
WORDS = (
    "amber basil cedar delta ember falcon ginger harbor indigo jasper kettle lagoon meadow nectar orchid parser".split()
)


def make_logs(seed: int, count: int) -> Iterator[tuple[str, str]]:
    """As many as asked for, every kind in turn: the kind, and the text."""
    random = Random(seed)
    for _, kind in zip(range(count), cycle(FORMS), strict=False):
        yield kind, _filled(FORMS[kind], random)


def _filled(form: str, random: Random) -> str:
    made: dict[str, Callable[[], str]] = {
        "uuid": lambda: "-".join(_some(random, "h", length) for length in (8, 4, 4, 4, 12)),
        "word": lambda: random.choice(WORDS),
        "Name": lambda: random.choice(WORDS).title(),
    }
    return re.sub(r"\{(uuid|word|Name)\}", lambda hole: made[hole[1]](), _with_random(form, random))


def _with_random(form: str, random: Random) -> str:
    return re.sub(r"\{(\w)(\d+)\}", lambda hole: _some(random, hole[1], int(hole[2])), form)


def _some(random: Random, alphabet: str, length: int) -> str:
    return "".join(random.choices(ALPHABETS[alphabet], k=length))

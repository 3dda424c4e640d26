"""How clients come in: encrypted by a certificate, and through proxies that are named."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import httpx
import pytest

from tests.support.commands import Run
from tests.support.served import serving
from tests.support.worker_processes import until

T = TypeVar("T")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    chain, key = folder / "chain.pem", folder / "key.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*words, *names, "-keyout", key, "-out", chain], check=True, capture_output=True)
    return chain, key


def test_a_certificate_encrypts_and_a_named_proxy_says_who_asks(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    chain, key = map(str, certificate)
    options = ("--tls-certificate", chain, "--tls-key", key, "--proxy-headers", "127.0.0.1")
    with serving(tmp_path, *options) as served:
        assert served.url.startswith("https://")
        trusted = ssl.create_default_context(cafile=chain)
        url, forwarded = f"https://127.0.0.1:{served.port}", {"X-Forwarded-For": "192.0.2.7"}
        with httpx.Client(verify=trusted, timeout=30) as client:
            assert client.get(f"{url}/healthz", headers=forwarded).status_code == 200
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"http://127.0.0.1:{served.port}/healthz", timeout=30)
        until(lambda: "192.0.2.7 GET /healthz 200" in served.log.read_text())  # written after the answer


def test_a_request_that_comes_in_many_encrypted_records_is_read_as_it_was_sent(
    certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    chain, key = map(str, certificate)
    with serving(tmp_path, "--tls-certificate", chain, "--tls-key", key) as served:
        secret = served.token("many")
        for text in (" ".join(["The bird sings at nine."] * 900), "The jay hides an acorn."):
            body = json.dumps({"text": text}).encode()
            head = f"POST /api/v1/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n"
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            answer = in_one_piece(served.port, chain, _records(head.encode() + body, 40))
            assert b" 200 OK" in answer and json.dumps(text).encode() in answer


def _records(request: bytes, size: int) -> list[bytes]:
    return [request[start : start + size] for start in range(0, len(request), size)]


def in_one_piece(port: int, chain: str, records: list[bytes]) -> bytes:
    """The answer to a request whose encrypted records are sent at once."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    encrypted = ssl.create_default_context(cafile=chain).wrap_bio(incoming, outgoing, server_hostname="localhost")
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:

        def exchange() -> None:
            connection.sendall(outgoing.read())
            incoming.write(part) if (part := connection.recv(65536)) else incoming.write_eof()

        def repeated(step: Callable[[], T]) -> T:
            while True:
                try:
                    return step()
                except ssl.SSLWantReadError:
                    exchange()

        repeated(encrypted.do_handshake)
        for record in records:
            encrypted.write(record)
        answer = b""
        while part := repeated(encrypted.read):
            answer += part
        return answer


def test_headers_of_a_proxy_that_was_not_named_are_ignored(tmp_path: Path) -> None:
    with serving(tmp_path, "--proxy-headers", "10.1.2.0/24") as served:
        httpx.get(f"http://127.0.0.1:{served.port}/healthz", headers={"X-Forwarded-For": "192.0.2.7"}, timeout=30)
        until(lambda: "127.0.0.1 GET /healthz 200" in served.log.read_text())


def test_what_cannot_be_used_is_one_sentence(run: Run, place: Path, certificate: tuple[Path, Path]) -> None:
    (place / "empty.pem").write_text("no certificate")
    for options, sentence in (
        (["--tls-key", str(certificate[1])], "A key belongs to a certificate"),
        (["--tls-certificate", "empty.pem"], "Cannot use the certificate empty.pem"),
        (["--proxy-headers", "*"], "'*' is no address of a proxy"),
    ):
        refused = run("serve", *options)
        assert refused.code != 0 and sentence in refused.err

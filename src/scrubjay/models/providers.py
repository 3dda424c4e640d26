"""Providers of models: their addresses, the names of models at them, and where API keys come from."""

from __future__ import annotations

import ipaddress
import os
import re
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from scrubjay.errors import Invalid

__all__ = [
    "AUTHORITY",
    "COMPATIBLE",
    "PROVIDERS",
    "Credentials",
    "Endpoint",
    "Provider",
    "Role",
    "endpoint",
    "is_this_machine",
]

Role = Literal["embedder", "generator"]

COMPATIBLE = "openai-compatible"
KEY_COMMAND_SECONDS = 30
HEADER_NAME, VALUE = re.compile(r"[A-Za-z0-9-]+"), re.compile(r"[\x20-\x7e]+")
USUAL_PATHS = {"lmstudio": "/v1", "openai": "/v1", COMPATIBLE: "/v1", "anthropic": "/v1", "gemini": "/v1beta"}
# Host name, IPv4 or bracketed IPv6, and a port. No user name, and nothing that two URL parsers could read differently.
AUTHORITY = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?", re.IGNORECASE | re.ASCII
)


class Provider(NamedTuple):
    """A provider's address, and the environment variables that may hold its key."""

    url: str
    keys: tuple[str, ...] = ()


PROVIDERS = {
    "ollama": Provider("http://localhost:11434"),
    "lmstudio": Provider("http://localhost:1234/v1"),
    "openai": Provider("https://api.openai.com/v1", ("OPENAI_API_KEY",)),
    "gemini": Provider("https://generativelanguage.googleapis.com/v1beta", ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
    "groq": Provider("https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    "anthropic": Provider("https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",)),
    COMPATIBLE: Provider(""),
}


class Endpoint(NamedTuple):
    """A model at a provider's address."""

    provider: str
    url: str
    model: str

    @property
    def is_official_address(self) -> bool:
        """Whether this is the provider's own address."""
        return self.url == PROVIDERS[self.provider].url

    @property
    def spec(self) -> str:
        """The name that opens this endpoint again; it includes the address unless that is the provider's own."""
        return (
            f"{self.provider}:{self.model}" if self.is_official_address else f"{self.provider}:{self.url}#{self.model}"
        )

    @property
    def leaves_the_machine(self) -> bool:
        return not is_this_machine(urlsplit(self.url).hostname or "")

    def __str__(self) -> str:
        return f"{self.provider} ({self.url})"


class Credentials(NamedTuple):
    """Where an API key comes from. It is looked up when it is needed, and never stored."""

    role: Role = "embedder"
    key_command: str | None = None
    headers: str | None = None  # extra ones, as in the settings

    def key(self, endpoint: Endpoint) -> str | None:
        """The key for an endpoint. A provider's usual variable is used only for the provider's own address."""
        own = os.environ.get(f"SCRUBJAY_{self.role.upper()}_KEY")
        if own:
            return own.strip()
        if self.key_command:
            return self._from_command(self.key_command)
        usual = PROVIDERS[endpoint.provider].keys if endpoint.is_official_address else ()
        return next((os.environ[name].strip() for name in usual if os.environ.get(name)), None)

    def extra_headers(self) -> dict[str, str]:
        """The headers of the settings: `Name: value`, several separated by semicolons."""
        pairs = [part.partition(":") for part in (self.headers or "").split(";") if part.strip()]
        if any(
            not HEADER_NAME.fullmatch(name.strip()) or not VALUE.fullmatch(value.strip()) for name, _, value in pairs
        ):
            raise Invalid(f"headers.{self.role} must be written as `Name: value; Name: value`.")
        return {name.strip().lower(): value.strip() for name, _, value in pairs}

    def where(self, endpoint: Endpoint) -> str:
        """The environment variable to name in a message that asks for a key."""
        usual = PROVIDERS[endpoint.provider].keys if endpoint.is_official_address else ()
        return usual[0] if usual else f"SCRUBJAY_{self.role.upper()}_KEY"

    def _from_command(self, command: str) -> str:
        import subprocess

        try:
            done = subprocess.run(
                command, shell=True, capture_output=True, text=True, timeout=KEY_COMMAND_SECONDS, check=True
            )
        except (OSError, subprocess.SubprocessError) as problem:
            # The command and its output may contain the key, so the message repeats neither.
            raise Invalid(f"The command of keys.{self.role} failed ({type(problem).__name__}).") from None
        if not done.stdout.strip():
            raise Invalid(f"The command of keys.{self.role} printed no key.")
        return done.stdout.strip()


def endpoint(spec: str) -> Endpoint:
    """Read `ollama:nomic-embed-text`, or with an address `ollama:http://host:11434#nomic-embed-text`."""
    provider, _, rest = spec.partition(":")
    url, separator, model = rest.rpartition("#") if "://" in rest else ("", "#", rest)
    if provider not in PROVIDERS or not separator or not model.strip():
        raise Invalid(
            f"{_shown(spec)} does not name a model; write e.g. ollama:nomic-embed-text, or {COMPATIBLE}:URL#model."
        )
    if not url and provider == COMPATIBLE:
        raise Invalid(f"{COMPATIBLE} needs an address: {COMPATIBLE}:http://localhost:8000/v1#{model}.")
    return Endpoint(provider, _address(url, provider) if url else PROVIDERS[provider].url, model.strip())


def _address(url: str, provider: str) -> str:
    parts = urlsplit(url)
    try:
        plain = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        plain = False
    if not plain or not AUTHORITY.fullmatch(parts.netloc) or parts.query:
        raise Invalid(
            "A model's address is http:// or https:// with a host and no key in it; keys come from the environment."
        )
    path = parts.path.rstrip("/") or USUAL_PATHS.get(provider, "")
    return f"{parts.scheme}://{parts.netloc}{path}"


def is_this_machine(host: str) -> bool:
    """Only localhost and loopback addresses: any other name may resolve to any machine."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:  # a name, or an address in a form that programs read differently
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def _shown(spec: str) -> str:
    return repr(spec if "@" not in spec else spec.partition(":")[0])

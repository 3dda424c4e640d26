"""Commands about agent clients: install, uninstall, doctor."""

from scrubjay.interfaces.cli.clients import doctor, install

__all__ = ["doctor", "install"]

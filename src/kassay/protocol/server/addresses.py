"""Addresses of brokers on the command line."""

import ipaddress
import re
from dataclasses import dataclass

from kassay.errors import InputError

_PORT = re.compile(r"[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class Place:
    """The host and port of a broker."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def is_address(coordinator: str | None) -> bool:
    """Return True if a coordinator is an address."""
    return coordinator is not None and ":" in coordinator


def parse_coordinator_address(text: str) -> Place:
    """Read the address in ``--coordinator``; raises InputError."""
    return parse_address("--coordinator", text.removeprefix("coordinator:"))


def parse_address(option: str, text: str) -> Place:
    """Read HOST:PORT from an option; raises InputError."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not _PORT.fullmatch(port) or not 0 < int(port) < 2**16:
        raise InputError(f"{option} {text}: is not HOST:PORT. Give one such as 127.0.0.1:9092")
    return Place(host, int(port))


def is_loopback(host: str) -> bool:
    """Return True if the name or address of a host means this machine, without a lookup."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"

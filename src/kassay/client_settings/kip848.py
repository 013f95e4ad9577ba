"""Describe the move of a client to the protocol of KIP-848."""

from dataclasses import dataclass

from kassay.client_settings.cells import Client, read_clients
from kassay.client_settings.names import find_client
from kassay.client_settings.releases import has_reached, is_before
from kassay.sentences import listed

BROKER = "4.0"
"""The first release of the broker with the protocol."""


@dataclass(frozen=True, slots=True)
class Kip848Move:
    """The settings of KIP-848 for one client."""

    lines: tuple[str, ...]
    """The lines to copy, () if the client or its release does not have the protocol."""
    remove: tuple[str, ...]
    """The settings to remove."""
    text: str


def describe_kip848(client: str, assignor: str = "", release: str = "") -> Kip848Move:
    """Return the lines, the settings to remove, and the least releases for a move to KIP-848."""
    known = read_clients()[find_client(client)]
    cell = known.kip848
    if cell is None or not cell.lines:
        return Kip848Move((), (), f"{known.title} does not have the protocol of KIP-848.")
    if is_before(release, cell.since):
        since = cell.early if cell.early and has_reached(release, cell.early) else ""
        early = f" Release {release} has an early version only." if since else ""
        text = f"KIP-848 needs {known.library} {cell.since} or newer.{early}"
        return Kip848Move((), (), f"{text}{_describe_silence(known, release) if since else ''}")
    lines = (
        cell.lines
        if not assignor
        else _add_assignor(cell.lines, cell.assignor.replace("{assignor}", assignor))
    )
    needs = f"{known.library} {cell.since} or newer and brokers" if cell.since else "brokers"
    text = f"KIP-848 needs {needs} {BROKER} or newer. Remove {listed(cell.remove)} first."
    silence = "" if release and not cell.ignores else _describe_silence(known, release)
    return Kip848Move(lines, cell.remove, f"{text}{silence}")


def _add_assignor(lines: tuple[str, ...], line: str) -> tuple[str, ...]:
    """Put the assignor's line behind the others, or in their place if it repeats them."""
    return (line,) if any(one.rstrip(" }") in line for one in lines) else (*lines, line)


def _describe_silence(client: Client, release: str) -> str:
    """Return the sentence on clients, and releases of Java, that take the old settings and do nothing with them."""
    if client.kip848 is not None and client.kip848.ignores:
        return f" With KIP-848, {client.title} accepts these settings and ignores them."
    if client.id != "java" or has_reached(release, "4.0"):
        return ""
    return " With KIP-848, Java 3.7 to 3.9 accept these settings and ignore them."

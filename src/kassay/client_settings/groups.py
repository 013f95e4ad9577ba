"""Strategies of groups with several kinds of clients, and the table of all clients."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kassay.client_settings.cells import read_clients
from kassay.client_settings.changes import KAFKA_STRATEGIES, Change, describe_change, has_strategy
from kassay.client_settings.lines import wrap_lines
from kassay.client_settings.names import find_client
from kassay.sentences import listed

STICKY = "sticky"
"""Clients encode its user data in different ways, so mixed groups must not use it."""


def _find(clients: Iterable[str]) -> list[str]:
    """Return the ids of clients, each once and sorted; unknown ones ("") are left out."""
    return sorted({find_client(one) for one in clients if one})


def settable_strategies(
    clients: Iterable[str], releases: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, ...]:
    """Return the strategies of Kafka that can be advised to a group with these clients, by their names in JoinGroup.

    Every client has them by the same name. In groups with several kinds of clients sticky is left out, as are strategies whose
    defects forbid to advise them. `releases` is the oldest release by client, as far as it is known.
    """
    found = [read_clients()[one] for one in _find(clients)]
    mixed = len({one.base for one in found}) > 1
    avoided = {
        strategy
        for client in found
        for caution in client.cautions
        if caution.avoid and (mixed or not caution.mixed)
        for strategy in caution.strategies
    }
    if mixed:
        avoided.add(STICKY)
    return tuple(
        name
        for name in KAFKA_STRATEGIES
        if name not in avoided and all(has_strategy(one, name, releases.get(one.id, "")) for one in found)
    )


def describe_mixed_group(clients: Iterable[str]) -> tuple[str, ...]:
    """Return what to know of a group with several kinds of clients; () if there is one kind."""
    found = [read_clients()[one] for one in _find(clients)]
    if len({one.base for one in found}) < 2:
        return ()
    said = [f"The group has several clients: {listed([one.title for one in found])}."]
    usable = settable_strategies(one.id for one in found)
    if usable:
        said.append(f"All of them have {listed(usable)}. Every member must list the same name.")
    else:
        said.append("No strategy can be advised that all of them have.")
    if any(one.mixing is None or not one.mixing.allowed for one in found):
        names = listed([one.title for one in found if one.mixing is None or not one.mixing.allowed])
        said.append(f"Between eager and cooperative all members must be stopped, because of {names}.")
    said += [f"{one.title}: {caution.text}" for one in found for caution in one.cautions if caution.mixed]
    return tuple(dict.fromkeys(said))


@dataclass(frozen=True, slots=True)
class Row:
    """One client in the table of all clients, for one strategy."""

    client: str
    title: str
    has: bool
    """True if the client has the strategy."""
    lines: tuple[str, ...]
    """The lines to copy, of no more than 78 columns."""
    method: str
    change: Change


def client_table(strategy: str, in_use: str = "", *, members: int = 2) -> list[Row]:
    """Return the change to a strategy for every client, in the order of the data."""
    rows = []
    for client in read_clients().values():
        change = describe_change(client.id, strategy, in_use, members=members)
        lines = wrap_lines(client, change.lines)
        rows.append(Row(client.id, client.title, not change.lacks, lines, change.method, change))
    return rows

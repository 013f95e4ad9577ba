"""The settings of Kafka's consumer clients: recognise a client, and write the lines that change its strategy.

>>> from kassay.comparison.client_settings import describe_change
>>> change = describe_change("librdkafka", "cooperative-sticky", "range", members=3)
>>> change.method, change.lines
('full stop', ('partition.assignment.strategy=cooperative-sticky',))

`cells` has the facts, read from clients.toml, and `changes` the way from one strategy to another. Here are the clients of a group, by the ids
that members have if the application sets none, the strategies of groups with several clients, and the table of all clients.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kassay.comparison.client_settings.cells import (
    CLIENT_NAMES,
    Client,
    IdPattern,
    find_client,
    parse_release,
    read_clients,
    wrap_lines,
)
from kassay.comparison.client_settings.changes import (
    KAFKA_STRATEGIES,
    METHODS,
    Change,
    Kip848Move,
    combine_methods,
    describe_change,
    describe_kip848,
    has_strategy,
)
from kassay.sentences import join_names

_UUID = re.compile(r"-[0-9a-fA-FxX*]{8}(?:-[0-9a-fA-FxX*]{4}){3}-[0-9a-fA-FxX*]{12}$")
_SHORT = re.compile(
    r"-[0-9a-fA-FxX*]{8}(?:-[0-9a-fA-FxX*]{0,4}){0,3}(?:-[0-9a-fA-FxX*]{0,12})?(?:\.{2,3}|…)?$"
)
"""The end of a member id in a pasted listing: a UUID that was cut or made anonymous."""
_NOTHING = ("", "-")


@dataclass(frozen=True, slots=True)
class Detection:
    """The clients of one group."""

    clients: tuple[str, ...]
    """The ids of the clients that were found, sorted."""
    unknown: int
    """The number of members whose client is not known."""
    releases: Mapping[str, str]
    """The oldest release of each client among the members, as far as ids show it."""
    by_member: Mapping[str, str]
    """The client of each member, without the unknown ones."""


def detect_clients(
    group: str,
    client_ids: Mapping[str, str],
    member_ids: Iterable[str],
    strategy: str = "",
    instance_ids: Collection[str] = (),
) -> Detection:
    """Return the clients of a group, by CLIENT-ID, by CONSUMER-ID, and by a strategy that only one client has.

    `client_ids` has the CLIENT-ID by member. If a member has none there, the CONSUMER-ID counts, without its UUID. A member id that begins
    with one of `instance_ids` does not show the client.
    """
    members = sorted({*client_ids, *member_ids})
    found: dict[str, tuple[str, str]] = {}
    for member in members:
        candidate = client_ids.get(member, "")
        if candidate in _NOTHING:
            # The CONSUMER-ID begins with the CLIENT-ID, or with the instance id if there is one.
            tail = _UUID.search(member) or _SHORT.search(member)
            candidate = member[: tail.start()] if tail else ""
            if candidate in instance_ids:
                candidate = ""
        client = _detect_member(group, candidate, member, strategy)
        if client is not None:
            found[member] = client
    releases: dict[str, list[str]] = defaultdict(list)
    for name, release in found.values():
        if release:
            releases[name].append(release)
    return Detection(
        tuple(sorted({name for name, _ in found.values()})),
        len(members) - len(found),
        {name: min(releases[name], key=lambda one: (parse_release(one), one)) for name in sorted(releases)},
        {member: name for member, (name, _) in found.items()},
    )


def _detect_member(group: str, client_id: str, member: str, strategy: str) -> tuple[str, str] | None:
    """Return client and release of one member, or None if nothing shows it."""
    clients = read_clients().values()
    only = next((one.id for one in clients if strategy in (wire.strategy for wire in one.wire)), "")
    if client_id:
        hits = (
            _match_pattern(client, one, group, client_id, strategy)
            for client in clients
            for one in client.ids
        )
        if (hit := next(filter(None, hits), None)) and only in ("", hit[0]):
            return hit
    if only:
        return only, ""
    shown = (one.id for one in clients if any(re.search(each.pattern, member) for each in one.member_ids))
    found = next(shown, "")
    return (found, "") if found else None


def _match_pattern(
    client: Client, one: IdPattern, group: str, client_id: str, strategy: str
) -> tuple[str, str] | None:
    # Without the name of the group (no GROUP column), a number at the end has to do.
    pattern = one.pattern
    if "{group}" in pattern:
        pattern = pattern.replace("{group}", re.escape(group)) if group else r"^consumer-.+-\d+$"
    found = re.search(pattern, client_id)
    if found is None or (one.strategies and strategy not in one.strategies):
        return None
    if one.group and group and not re.search(one.group, group):
        return None
    return client.id, found.groupdict().get("release") or one.member_release


def list_lookalikes(client: str) -> tuple[str, ...]:
    """Return the clients that a listing cannot tell from a client, such as Spring from Java, and the bindings of librdkafka."""
    return tuple(one.id for one in read_clients().values() if one.inherits == client and not one.ids)


STICKY = "sticky"
"""Clients encode its user data in different ways, so mixed groups must not use it."""


def _find_all(clients: Iterable[str]) -> list[Client]:
    """Return clients by their names, each once and sorted by id; unknown ones ("") are left out."""
    return [read_clients()[id_] for id_ in sorted({find_client(one) for one in clients if one})]


def list_settable_strategies(
    clients: Iterable[str], releases: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, ...]:
    """Return the strategies of Kafka that can be advised to a group with these clients, by their names in JoinGroup.

    Every client has them by the same name. In groups with several kinds of clients sticky is left out, as are strategies whose
    defects forbid to advise them. `releases` is the oldest release by client, as far as it is known.
    """
    found = _find_all(clients)
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
    found = _find_all(clients)
    if len({one.base for one in found}) < 2:
        return ()
    said = [f"The group has several clients: {join_names([one.title for one in found])}."]
    usable = list_settable_strategies(one.id for one in found)
    if usable:
        said.append(f"All of them have {join_names(usable)}. Every member must list the same name.")
    else:
        said.append("No strategy can be advised that all of them have.")
    if any(one.mixing is None or not one.mixing.allowed for one in found):
        names = join_names([one.title for one in found if one.mixing is None or not one.mixing.allowed])
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


def build_client_table(strategy: str, in_use: str = "", *, members: int = 2) -> list[Row]:
    """Return the change to a strategy for every client, in the order of the data."""
    rows = []
    for client in read_clients().values():
        change = describe_change(client.id, strategy, in_use, members=members)
        lines = wrap_lines(client, change.lines)
        rows.append(Row(client.id, client.title, not change.lacks, lines, change.method, change))
    return rows


__all__ = [
    "CLIENT_NAMES",
    "METHODS",
    "Change",
    "Client",
    "Detection",
    "Kip848Move",
    "Row",
    "build_client_table",
    "combine_methods",
    "describe_change",
    "describe_kip848",
    "describe_mixed_group",
    "detect_clients",
    "find_client",
    "list_lookalikes",
    "list_settable_strategies",
    "read_clients",
]

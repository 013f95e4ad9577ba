"""Recognise clients by the ids that they have if the application sets none."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from kassay.client_settings.cells import Client, IdPattern, read_clients
from kassay.client_settings.releases import parse_release

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
        client = _detect_member(group, client_ids.get(member, ""), member, strategy, instance_ids)
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


def _detect_member(
    group: str, client_id: str, member: str, strategy: str, instance_ids: Collection[str]
) -> tuple[str, str] | None:
    """Return client and release of one member, or None if nothing shows it."""
    only = next((one.id for one in read_clients().values() if strategy in (w.strategy for w in one.wire)), "")
    candidates = [client_id] if client_id not in _NOTHING else [*_cut_uuid(member, instance_ids)]
    for candidate in candidates:
        if (hit := _match_client_id(group, candidate, strategy)) and only in ("", hit[0]):
            return hit
    if only:
        return only, ""
    for client in read_clients().values():
        if any(re.search(one.pattern, member) for one in client.member_ids):
            return client.id, ""
    return None


def _cut_uuid(member: str, instance_ids: Collection[str]) -> Iterator[str]:
    """Yield the CLIENT-IDs that a CONSUMER-ID may begin with, the most certain one first."""
    for tail in (_UUID, _SHORT):
        if found := tail.search(member):
            if member[: found.start()] not in instance_ids:
                yield member[: found.start()]
            return


def _match_client_id(group: str, client_id: str, strategy: str) -> tuple[str, str] | None:
    for client in read_clients().values():
        for one in client.ids:
            if found := _match_pattern(client, one, group, client_id, strategy):
                return found
    return None


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

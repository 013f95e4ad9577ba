"""The recommendation in the settings of the group's own clients, with the line to copy for each of them.

Only consumer groups of the classic protocol have such a setting. The client is known from the ids of members or from an option.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kassay.comparison.advice import Advice, join_sentences
from kassay.comparison.client_settings import (
    METHODS,
    Change,
    build_client_table,
    combine_methods,
    describe_change,
    describe_mixed_group,
    detect_clients,
    list_settable_strategies,
    read_clients,
)
from kassay.comparison.facts import Facts
from kassay.comparison.headline import compute_state_distance
from kassay.comparison.ranking import find_candidates, rank
from kassay.sentences import format_count, join_names

FAMILY = "consumer"


@dataclass(frozen=True, slots=True)
class GroupClients:
    """The clients of a group."""

    clients: tuple[str, ...] = ()
    """Their ids, sorted; empty if no client is known."""
    unknown: int = 0
    """The number of members with an unknown client."""
    members: int = 0
    releases: Mapping[str, str] = field(default_factory=dict)
    """The release of each client, as far as the ids show it."""
    stated: bool = False
    """True if the user stated the client."""

    @property
    def strategies(self) -> tuple[str, ...] | None:
        """The strategies that all clients have, by their names in the protocol; None if no client is known."""
        return list_settable_strategies(self.clients, self.releases) if self.clients else None


@dataclass(frozen=True, slots=True)
class ClientLines:
    """The setting of one client for the recommended strategy."""

    client: str
    title: str
    change: Change

    def record(self) -> dict[str, Any]:
        """Return the JSON of the setting."""
        change = self.change
        return {
            "client": self.client, "set": list(change.lines), "first": list(change.first_lines), "method": change.method,
            "lacks": change.lacks, "says": change.text, "cautions": list(change.cautions), "alternative": list(change.alternative),
        }  # fmt: skip


def find_clients(
    family: str, name: str, group: Any, client_ids: Mapping[str, str], strategy: str, stated: str = ""
) -> GroupClients:
    """Return the clients of a group, from an option (`stated`) or else from its ids."""
    members = getattr(group, "members", ())
    if family != FAMILY:
        return GroupClients(members=len(members))
    if stated:
        return GroupClients((stated,), 0, len(members), stated=True)
    instances = {one.instance_id for one in members if one.instance_id is not None}
    found = detect_clients(name, client_ids, [one.id for one in members], strategy, instances)
    return GroupClients(found.clients, found.unknown, len(members), found.releases)


def build_full_names(strategies: Collection[str] | None) -> frozenset[str] | None:
    """Return the names of strategies with their family; None if they are unknown."""
    return None if strategies is None else frozenset(f"{FAMILY}/{name}" for name in strategies)


@dataclass(frozen=True, slots=True)
class ClientAdvice:
    """Advice in the settings of the group's clients."""

    advice: Advice
    """The advice with the lines of all clients, and the way to get there."""
    rows: Sequence[ClientLines] = ()
    """The setting of each client of the group or, if none is known, of every client."""
    cautions: str = ""
    """Cautions that concern the strategy, not its setting."""


def advise_clients(facts: Facts, advice: Advice, clients: GroupClients) -> ClientAdvice:
    """Return the advice in the settings of the group's clients or, if none is known, of every client."""
    if facts.family.name != FAMILY or not clients.members:
        return ClientAdvice(advice, (), advice.price)
    wanted = advice.assignor.removeprefix(f"{FAMILY}/") if advice.lines else ""
    if not wanted and clients.strategies == () and not advice.assignor:
        wanted = "cooperative-sticky"  # to say what the client lacks
    if not wanted or ":" in wanted:
        return ClientAdvice(advice, (), advice.price)
    # The effort for this client replaces the general effort.
    setting = facts.family.settable.get(advice.assignor)
    cautions = advice.price
    if setting is not None:
        cautions = cautions.removeprefix(f"It takes {setting.how}.").strip()
    in_use = facts.strategy or facts.in_use.removeprefix(f"{FAMILY}/")
    static = all(one.instance_id is not None for one in facts.group.members)
    if not clients.clients:
        rows = [
            ClientLines(row.client, row.title, row.change)
            for row in build_client_table(wanted, in_use, members=clients.members)
        ]
        both = describe_change("", wanted, in_use, members=clients.members, all_static=static)
        price = join_sentences(both.text, cautions)
        return ClientAdvice(replace(advice, lines=both.lines, price=price), rows, cautions)
    rows = [
        ClientLines(one, find_title(one), describe_change(
            one, wanted, in_use, members=clients.members, all_static=static, release=clients.releases.get(one, ""),
        ))
        for one in clients.clients
    ]  # fmt: skip
    lines = tuple(line for one in rows for line in one.change.lines)
    cheaper = _describe_cheaper(facts, clients, combine_methods(one.change.method for one in rows))
    ways = [f"{one.title}: {one.change.method}. {one.change.text}" for one in rows]
    cautions = join_sentences(cheaper, cautions)
    price = join_sentences(*ways, cautions)
    return ClientAdvice(replace(advice, lines=lines, price=price), rows, cautions)


def _describe_cheaper(facts: Facts, clients: GroupClients, method: str) -> str:
    """Return the strategy that balances the loads as well and needs a cheaper change, "" if there is none."""
    in_use = facts.strategy or facts.in_use.removeprefix(f"{FAMILY}/")
    ranking = rank(facts, find_candidates(facts))
    for one in ranking[1:]:
        name = one.name.removeprefix(f"{FAMILY}/")
        if (
            compute_state_distance(one.answer) != compute_state_distance(ranking[0].answer)
            or one.defects
            or one.name == facts.in_use
        ):
            continue
        other = combine_methods(
            describe_change(
                client, name, in_use, members=clients.members, release=clients.releases.get(client, "")
            ).method
            for client in clients.clients
        )
        if METHODS.index(other) < METHODS.index(method):
            stops = " It stops all members at each rebalance." if one.stops else ""
            return f"{one.label} balances the loads as well and needs only {other if other.startswith(('one', 'two', 'no')) else f'a {other}'}.{stops}"
    return ""


def find_title(client: str) -> str:
    """Return the common name of a client."""
    return read_clients()[client].title


def describe_clients(clients: GroupClients) -> str:
    """Describe the clients of the group, and the source of this fact."""
    if not clients.clients:
        return "The client is not known, because CLIENT-ID is set by the application or not printed. State it with --client NAME."
    names = join_names([find_title(one) for one in clients.clients])
    if clients.stated:
        return f"Client: {names}, as stated by --client."
    mixed = " ".join(describe_mixed_group(clients.clients))
    rest = (
        f" {format_count(clients.unknown, 'member')} {'has' if clients.unknown == 1 else 'have'} an unknown client."
        if clients.unknown
        else ""
    )
    return f"Client: {names}, by its ids (--client NAME states another one).{rest}{' ' * bool(mixed)}{mixed}"


def split_by_lack(rows: Sequence[ClientLines]) -> tuple[list[ClientLines], list[ClientLines]]:
    """Return the clients that have the strategy, and those that lack it."""
    return [one for one in rows if not one.change.lacks], [one for one in rows if one.change.lacks]

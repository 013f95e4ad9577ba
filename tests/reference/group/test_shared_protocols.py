"""Protocols that members share are found as by their definition, by the coordinator and by the invariant of strangers."""

from itertools import product

from kassay.protocol.simulation.invariants.membership import _share_protocol
from kassay.reference.group.coordinator import Coordinator
from kassay.reference.group.coordinator.rebalance import supports
from kassay.reference.group.coordinator.state import Member
from kassay.reference.group.messages import Protocol

NAMES = ("", "a", "b", "ab", "ba")
"""The lists of protocols, each with a name of one letter."""


def test_shared_protocols_are_found_as_by_their_definition():
    for offered, *known in (one for members in (1, 2, 3) for one in product(NAMES, repeat=members + 1)):
        roster = tuple(
            Member(
                member_id=f"m{number}",
                instance_id=None,
                client_id="m",
                session_timeout_ms=1,
                rebalance_timeout_ms=1,
                protocols=tuple(Protocol(name, number) for name in names),
            )
            for number, names in enumerate(known)
        )
        protocols = tuple(Protocol(name, "x") for name in offered)
        shared = any(all(name in names for names in known) for name in offered)
        assert supports(roster, protocols) == shared
        assert _share_protocol(Coordinator(roster=roster), protocols) == shared

"""Members of a KIP-848 group on their way to any targets: the invariants of the published TLA+ specification, under its names.

consumer_group_protocol_kip_848_v2.tla of kafka-tlaplus by Jack Vanlightly.
"""

import hypothesis.strategies as st
from hypothesis import given, settings
from whole import share

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.reference import ASSIGNORS
from kassay.reference.group.reconciliation import NONE, Reconciled, reconcile

TOPICS = (Topic("t", 2), Topic("u", 2))
NAMES = ("a", "b", "c")
TARGETS = tuple(ASSIGNORS[f"consumer/{name}"] for name in ("range", "roundrobin", "fair", "sticky"))


class Clients:
    """A coordinator with its target and members, and what their clients own, were last given, and in which epoch they are."""

    def __init__(self):
        self.epoch, self.target = 0, {}
        self.members, self.owned, self.given, self.epochs = {}, {}, {}, {}

    def retarget(self, assignor, there):
        """Begin an epoch with these members; those who left lose all, and one that is new owns nothing."""
        for name in NAMES:
            if name not in there:
                for known in (self.members, self.owned, self.given, self.epochs):
                    known.pop(name, None)
            elif name not in self.members:
                self.members[name] = Reconciled(name)
                self.owned[name], self.given[name], self.epochs[name] = NONE, NONE, 0
        self.epoch += 1
        group = Group(
            TOPICS,
            tuple(Member(name, ("t", "u"), tuple(sorted(self.target.get(name, ())))) for name in there),
        )
        self.target = {name: frozenset(given) for name, given in assignor.assign(group).items()}
        self.legal_target_assignment()

    def beat(self, name, *, says):
        """Let a client send a heartbeat, which may leave out what it owns, and take the answer."""
        before = self.members[name]
        held = {item for other, member in self.members.items() if other != name for item in member.holds}
        owned = self.owned[name] if says else None
        after = reconcile(before, self.target[name], self.epoch, owned, lambda item: item not in held)
        assert after.epoch >= before.epoch, "GcSideMemberEpochIsMonotonic"
        self.members[name], self.given[name] = after, after.assigned
        assert after.epoch >= self.epochs[name], "ClientSideMemberEpochIsMonotonic"
        self.epochs[name] = after.epoch

    def gives_up(self, name):
        """Let a client give up what it was no longer given."""
        self.owned[name] &= self.given[name]

    def takes(self, name):
        """Let a client give up what it was no longer given, and then take what is new."""
        self.owned[name] = self.given[name]

    def legal_target_assignment(self):
        given = sorted(item for items in self.target.values() for item in items)
        assert given == sorted(item for topic in TOPICS for item in topic)

    def judge(self):
        holders = [item for member in self.members.values() for item in member.holds]
        owners = [item for items in self.owned.values() for item in items]
        assert len(set(holders)) == len(holders), "ValidPartitionEpoch"
        assert len(set(owners)) == len(owners), "NoDoubleClientAssignment"
        for name, member in self.members.items():
            assert self.owned[name] <= member.holds, "a client owns what its coordinator does not know of"
            if self.epochs[name] == self.epoch:
                others = {item for other in self.target if other != name for item in self.target[other]}
                assert not self.owned[name] & others, "ValidMemberEpoch"
        if all(member.state == "stable" and member.epoch == self.epoch for member in self.members.values()):
            assert {name: member.assigned for name, member in self.members.items()} == self.target
            assert not any(member.revoking for member in self.members.values()), "ValidStableGroupState"


@settings(max_examples=share(80, 1200))
@given(data=st.data())
def test_any_targets_are_reached_without_two_owners(data):
    clients = Clients()
    choose = data.draw
    for _ in range(choose(st.integers(1, 25))):
        happens = choose(st.sampled_from(["beat", "beat", "takes", "gives up", "retarget"]))
        if happens == "retarget" or not clients.members:
            there = choose(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
            clients.retarget(choose(st.sampled_from(TARGETS)), sorted(there))
        else:
            name = choose(st.sampled_from(sorted(clients.members)))
            if happens == "beat":
                clients.beat(name, says=choose(st.booleans()))
            elif happens == "takes":
                clients.takes(name)
            else:
                clients.gives_up(name)
        clients.judge()
    for _ in range(3):
        for name in clients.members:
            clients.beat(name, says=True)
            clients.takes(name)
            clients.beat(name, says=True)
            clients.judge()
    for name in clients.members:
        clients.takes(name)
    assert clients.owned == clients.target, "EventuallyConverges"


def test_a_partition_goes_over_when_its_owner_has_given_it_up():
    first, second = TOPICS[0]
    a = Reconciled("a", 1, assigned=frozenset(TOPICS[0]))
    asked = reconcile(a, frozenset({first}), 2, a.assigned, lambda _: False)
    assert (asked.state, asked.epoch, asked.revoking) == ("unrevoked", 1, frozenset({second}))
    assert reconcile(asked, frozenset({first}), 2, None, lambda _: False) == asked
    waiting = reconcile(Reconciled("b"), frozenset({second}), 2, NONE, lambda item: item not in asked.holds)
    assert (waiting.state, waiting.epoch, waiting.assigned) == ("unreleased", 2, NONE)
    done = reconcile(asked, frozenset({first}), 2, frozenset({first}), lambda _: False)
    assert done == Reconciled("a", 2, assigned=frozenset({first}))
    taken = reconcile(waiting, frozenset({second}), 2, NONE, lambda item: item not in done.holds)
    assert taken == Reconciled("b", 2, assigned=frozenset({second}))


def test_what_was_to_be_given_up_can_be_given_back():
    only = TopicPartition("t", 0)
    asked = Reconciled("a", 1, "unrevoked", NONE, frozenset({only}))
    assert reconcile(asked, frozenset({only}), 3, NONE, lambda _: False) == Reconciled(
        "a", 3, assigned=frozenset({only})
    )

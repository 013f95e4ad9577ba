"""OptimalAssignor in kafka-python and aiokafka: what their own classes write and read, without a broker."""

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from whole import share

from kassay.errors import InputError
from kassay.families.optimal.consumer import ORDERS, assign
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.config import UNCONFIGURED
from kassay.properties.partitions.rounds import apply_assignment, next_generation
from kassay.properties.partitions.strategies import groups

pytest.importorskip("kafka")
pytest.importorskip("aiokafka")

from aiokafka.coordinator.assignors.abstract import AbstractPartitionAssignor as AioAbstract
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment, ConsumerProtocolMemberMetadata
from kafka.coordinator.assignors.abstract import AbstractPartitionAssignor as KafkaAbstract
from kafka.coordinator.assignors.abstract import RebalanceProtocol
from kafka.protocol.consumer.group import JoinGroupResponse
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment, ConsumerProtocolSubscription

from kassay.targets import clients
from kassay.targets import clients as subscriptions
from kassay.targets.clients import CooperativeOptimalAssignor, OptimalAssignor

usual = settings(deadline=None, max_examples=share(20, 1000))
T = Topic("t", 4, (("a",), ("b",), ("a", None), ()))
GROUP = Group((T,), (Member("m", ("t",), rack="b"), Member("n", ("t",), rack="a")))


def written(group, made=OptimalAssignor):
    """Return what each member of a group sends to its leader, as bytes."""
    sent = {}
    for member in group.members:
        own = made(member.rack)
        own.owned, own.generation = list(member.owned), member.generation
        sent[member.id] = own.metadata(member.topics)
    return sent


def of_kafka(group, sent):
    """Return the cluster and the members as kafka-python's leader sees them."""
    joined = JoinGroupResponse.JoinGroupResponseMember
    return clients._make_cluster(group), [
        joined(
            version=5, member_id=m.id, group_instance_id=m.instance_id,
            metadata=ConsumerProtocolSubscription.decode(sent[m.id]),
        )
        for m in group.members
    ]  # fmt: skip


def of_aiokafka(group, sent):
    """Return the cluster and the members as aiokafka's leader sees them."""
    return clients._make_cluster_of_mapping("aiokafka", group), {
        member: ConsumerProtocolMemberMetadata.decode(each) for member, each in sent.items()
    }


def read(answer, kind):
    return {
        member: tuple(TopicPartition(*p) for p in kind.decode(each).partitions())
        for member, each in answer.items()
    }


def wire_order(assignment):
    """Return an assignment without the order of partitions, of which the wire keeps but that within a topic."""
    return {member: tuple(sorted(given)) for member, given in assignment.items()}


@usual
@given(group=groups())
def test_both_leaders_see_the_group_and_answer_as_consumer_optimal(group):
    group = replace(group, config=UNCONFIGURED)  # a group's configuration does not reach a leader
    sent = written(group)
    expected = wire_order(assign(group))
    answer = OptimalAssignor().assign(*of_kafka(group, sent))
    assert wire_order(read(answer, ConsumerProtocolAssignment)) == expected
    # aiokafka tells its assignors no instance ids
    unnamed = replace(group, members=tuple(replace(member, instance_id=None) for member in group.members))
    other = OptimalAssignor().assign(*of_aiokafka(group, sent))
    assert wire_order(read(other, ConsumerProtocolMemberAssignment)) == wire_order(assign(unnamed))
    for one in (*answer.values(), *other.values()):
        told = {
            subscriptions.read_generation(kind.decode(one).user_data)
            for kind in (ConsumerProtocolAssignment, ConsumerProtocolMemberAssignment)
        }
        assert told == {next_generation(group)}


@usual
@given(group=groups())
def test_metadata_come_back_as_they_were(group):
    cluster, joined = of_kafka(group, written(group))
    seen = subscriptions.read_group(
        cluster, [(m.member_id, m.group_instance_id, m.metadata.topics, m.metadata.user_data) for m in joined]
    )
    for member, before in zip(seen.members, group.members, strict=True):
        assert member == replace(
            before, topics=tuple(sorted(before.topics)), owned=tuple(sorted(before.owned)), user_data=None
        )
    read_by = {name for member in group.members for name in member.topics}
    assert {(t.name, t.partitions) for t in seen.topics} == {
        (t.name, t.partitions) for t in group.topics if t.name in read_by
    }


@pytest.mark.parametrize(
    ("view", "kind"),
    [(of_kafka, ConsumerProtocolAssignment), (of_aiokafka, ConsumerProtocolMemberAssignment)],
)
def test_a_member_that_joins_takes_the_fewest(view, kind):
    """A whole rebalance: what the leader answers, members own, and say when they join again."""
    own = {member.id: OptimalAssignor(member.rack) for member in GROUP.members}
    for generation in (1, 2):
        sent = {member: each.metadata(["t"]) for member, each in own.items()}
        joined = replace(GROUP, members=tuple(Member(m, ("t",), rack=each.rack) for m, each in own.items()))
        answer = own["m"].assign(*view(joined, sent))
        before = {member: set(each.owned) for member, each in own.items()}
        for member, each in own.items():
            each.on_assignment(kind.decode(answer[member]))
            assert each.generation == generation
        own.setdefault("o", OptimalAssignor("b"))
    assert sorted(len(each.owned) for each in own.values()) == [1, 1, 2]
    assert sum(len(held - set(own[member].owned)) for member, held in before.items()) == 1


def test_where_the_leader_tells_no_generation_the_library_does():
    own = OptimalAssignor()
    bare = ConsumerProtocolAssignment.decode(ConsumerProtocolAssignment(0, [("t", [1])], b"").encode())
    own.on_assignment(bare, 7)
    assert (own.owned, own.generation) == ([TopicPartition("t", 1)], 7)
    own.on_assignment(bare, -1)
    assert own.generation is None


def test_it_is_an_assignor_of_both_libraries():
    for made in (OptimalAssignor, CooperativeOptimalAssignor):
        assert isinstance(made(), KafkaAbstract)
        assert isinstance(made(), AioAbstract)
    assert OptimalAssignor().supported_protocols() == [RebalanceProtocol.EAGER]
    assert CooperativeOptimalAssignor().supported_protocols() == [RebalanceProtocol.COOPERATIVE]


def test_members_that_mean_something_else_are_in_no_group_together():
    made = [
        partial(kind, order=order)
        for kind in (OptimalAssignor, CooperativeOptimalAssignor)
        for order in ORDERS
    ]
    names = [make().name for make in made]
    assert len(set(names)) == len(names) == 2 * len(ORDERS)
    assert (OptimalAssignor.name, CooperativeOptimalAssignor.name) == (names[0], names[len(ORDERS)])
    with pytest.raises(InputError, match=r"order: there is no 'moves'. Give 'balance,cross-rack,moves' or"):
        OptimalAssignor(order="moves")


def test_the_order_and_the_racks_count():
    owned = (TopicPartition("t", 0),)
    group = Group((T,), (replace(GROUP.members[0], owned=owned, generation=1), GROUP.members[1]))
    sent = written(group)
    for order in ORDERS:
        answer = read(OptimalAssignor(order=order).assign(*of_kafka(group, sent)), ConsumerProtocolAssignment)
        assert wire_order(answer) == wire_order(assign(group, order))
        assert (owned[0] in answer["m"]) == order.startswith(ORDERS[1])


def test_what_moves_is_withheld():
    group = replace(GROUP, members=(*apply_assignment(GROUP, assign(GROUP)).members, Member("o", ("t",))))
    answer = CooperativeOptimalAssignor().assign(*of_kafka(group, written(group)))
    assert wire_order(read(answer, ConsumerProtocolAssignment)) == wire_order(assign(group, cooperative=True))
    assert read(answer, ConsumerProtocolAssignment)["o"] == ()


def test_aiokafka_has_no_cooperative_rebalances():
    own = CooperativeOptimalAssignor()
    given_ = ConsumerProtocolMemberAssignment(0, [], b"")
    for ask in (partial(own.assign, *of_aiokafka(GROUP, written(GROUP))), partial(own.on_assignment, given_)):
        with pytest.raises(InputError, match=r"aiokafka has no cooperative rebalances. Give OptimalAssignor"):
            ask()


@pytest.mark.parametrize("said", [b"", b"{}", b'{"owned": {"t": [0, 0]}}', b"\x00\x01"])
def test_user_data_of_others_are_refused(said):
    cluster = clients._make_cluster(GROUP)
    with pytest.raises(
        InputError, match=r"member 'm'.*([Gg]ive all members of the group this assignor|lists t-0 twice)"
    ):
        subscriptions.read_group(cluster, [("m", None, ["t"], said)])
    with pytest.raises(InputError, match="answer: its user data are not OptimalAssignor's"):
        subscriptions.read_generation(said)


def test_metadata_with_a_hole_are_refused():
    cluster = clients._make_cluster(GROUP)
    del cluster._partitions["t"][1]
    with pytest.raises(
        InputError, match=r"topic 't': the cluster's metadata have the partitions \[0, 2, 3\]"
    ):
        subscriptions.read_group(cluster, [("m", None, ["t"], subscriptions.write_claims((), None, None))])

"""Laws and invariants of server-side assignors: what they say, and what they let pass."""

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.broker import LAWS
from kassay.properties.share import INVARIANTS

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
TWO = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ("t",))))
OWNED = Group(TWO.topics, (Member("a", ("t",), (T0, T1)), Member("b", ("t",))))


def said(law, answer, group=TWO):
    return list(LAWS[law](lambda _: answer, group))


def test_reconciling_waits_for_what_is_revoked():
    assert said("reconciles", {"a": [T0], "b": [T1]}, OWNED) == []
    assert said("reconciles", {"a": [T0, T1], "b": [T1]}, OWNED) == [
        "b waits for t-1 endlessly: a may keep it"
    ]


def test_an_order_of_members_that_moves_partitions_is_told():
    def deals(group):
        return {member.id: [TopicPartition("t", at)] for at, member in enumerate(group.members)}

    assert list(LAWS["stable_in_any_order"](deals, TWO)) == [
        "t-1 is given to b; fed back in reverse order, it goes to a",
        "t-0 is given to a; fed back in reverse order, it goes to b",
    ]


def test_a_new_member_that_sends_others_partitions_round_is_told():
    def by_id(group):
        ids = sorted((member.id for member in group.members), reverse=True)
        return {member: [TopicPartition("t", at)] for at, member in enumerate(ids)}

    assert list(LAWS["replaced_minimal"](by_id, TWO)) == [
        "when newcomer takes the place of a, t-0 moves from b to newcomer"
    ]
    assert said("joiner_minimal", {"a": [T0], "b": [T1], "newcomer": []}) == []


def share(name, group, assignment):
    return list(INVARIANTS[name](group, assignment))


def test_copies_are_counted():
    assert share("evenly_shared", TWO, {"a": [T0], "b": [T1]}) == []
    assert share("evenly_shared", TWO, {"a": [T0, T1], "b": [T1]}) == [
        "t-1 is shared by 2 members instead of 1"
    ]
    three = Group(TWO.topics, (*TWO.members, Member("c", ("t",))))
    assert share("evenly_shared", three, {"a": [T0], "b": [T1], "c": [T0]}) == [
        "t-1 is shared by 1 member instead of 2"
    ]
    assert share("distinct", TWO, {"a": [T0, T0]}) == ["t-0 is given to a 2 times"]


def test_nobody_is_idle_who_could_share():
    assert share("busy", TWO, {"a": [T0, T1]}) == ["b has nothing, though it could share t"]
    withheld = Group((Topic("t", 2, unassignable=(0, 1)),), TWO.members)
    assert (
        share("busy", withheld, {})
        == share("complete", withheld, {})
        == share("evenly_shared", withheld, {})
        == []
    )
    assert share("existing", withheld, {"a": [T0]}) == ["t-0 is given to a, but it may not be given yet"]

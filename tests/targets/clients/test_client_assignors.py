"""The libraries' own assignors, called through the adapter, on ordinary groups."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.consumer import INVARIANTS, LAWS
from kassay.properties.partitions.rounds import apply_assignment, settle
from kassay.reference.consumer.range import RANGE
from kassay.targets.clients import adapt, is_cooperative

pytest.importorskip("kafka")
pytest.importorskip("aiokafka")

import aiokafka.coordinator.assignors.range as aio_range
import aiokafka.coordinator.assignors.roundrobin as aio_roundrobin
import aiokafka.coordinator.assignors.sticky.sticky_assignor as aio_sticky
import kafka.coordinator.assignors.cooperative_sticky as cooperative_sticky
import kafka.coordinator.assignors.range as kafka_range
import kafka.coordinator.assignors.roundrobin as kafka_roundrobin
import kafka.coordinator.assignors.sticky.sticky_assignor as kafka_sticky

RANGES = [kafka_range.RangePartitionAssignor, aio_range.RangePartitionAssignor]
STICKY = [kafka_sticky.StickyPartitionAssignor, aio_sticky.StickyPartitionAssignor]
COOPERATIVE = cooperative_sticky.CooperativeStickyAssignor
EAGER = [*RANGES, aio_roundrobin.RoundRobinPartitionAssignor, *STICKY]
ALL = [*EAGER, kafka_roundrobin.RoundRobinPartitionAssignor, COOPERATIVE]


few = settings(max_examples=40, deadline=None)


def name(assignor: type) -> str:
    return f"{assignor.__module__.partition('.')[0]}-{assignor.__name__}"


@st.composite
def ordinary_groups(draw: st.DrawFn, mixed: bool = True) -> Group:
    """Fresh groups without duplicates, static members first, all topics known."""
    sizes = draw(st.lists(st.integers(0, 6), min_size=1, max_size=4))
    topics = tuple(Topic(f"t{n}", size) for n, size in enumerate(sizes))
    names = [topic.name for topic in topics]
    choice = st.lists(st.sampled_from(names), unique=True).map(tuple) if mixed else st.just(tuple(names))
    ids = draw(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6, unique=True))
    static = draw(st.integers(0, len(ids)))
    instances = draw(st.permutations([f"i{n}" for n in range(static)])) + [None] * (len(ids) - static)
    members = (Member(i, draw(choice), instance_id=at) for i, at in zip(ids, instances, strict=True))
    return Group(topics, tuple(members))


def well_formed(group: Group, assignment: dict[str, list[TopicPartition]], complete: bool = True) -> None:
    wanted = ["exclusive", "subscribed", "existing", "every_member", *(["complete"] if complete else [])]
    assert {promise: list(INVARIANTS[promise](group, assignment)) for promise in wanted} == {
        p: [] for p in wanted
    }


@pytest.mark.parametrize("assignor", EAGER, ids=name)
@few
@given(group=ordinary_groups())
def test_mixed_subscriptions(assignor: type, group: Group) -> None:
    well_formed(group, adapt(assignor)(group))


@pytest.mark.parametrize("assignor", ALL, ids=name)
@few
@given(group=ordinary_groups(mixed=False))
def test_equal_subscriptions(assignor: type, group: Group) -> None:
    well_formed(group, adapt(assignor)(group))


@pytest.mark.parametrize("assignor", RANGES, ids=name)
@few
@given(group=ordinary_groups())
def test_range_gives_what_kafka_gives(assignor: type, group: Group) -> None:
    if "aiokafka" in assignor.__module__:
        # aiokafka does not tell its assignors which members are static
        group = replace(group, members=tuple(replace(member, instance_id=None) for member in group.members))
    given_by_class, reference = adapt(assignor)(group), RANGE.assign(group)
    assert {m: sorted(held) for m, held in given_by_class.items()} == {
        m: sorted(h) for m, h in reference.items()
    }


@pytest.mark.parametrize("assignor", STICKY, ids=name)
@few
@given(group=ordinary_groups(), leaver=st.integers(0, 5))
def test_sticky_keeps_what_it_can(assignor: type, group: Group, leaver: int) -> None:
    assign = adapt(assignor)
    first = assign(group)
    assert not list(INVARIANTS["locally_balanced"](group, first))
    assert not list(LAWS["stable"](assign, group))
    if len(group.members) > 1:
        following = apply_assignment(group, first)
        gone = following.members[leaver % len(following.members)]
        rest = replace(following, members=tuple(m for m in following.members if m is not gone))
        second = assign(rest)
        well_formed(rest, second)
        assert not list(INVARIANTS["locally_balanced"](rest, second))


@few
@given(group=ordinary_groups(), joining=st.integers(0, 6))
def test_cooperative_sticky_revokes_first_and_settles(group: Group, joining: int) -> None:
    assign = adapt(COOPERATIVE)
    following = apply_assignment(group, assign(group))
    new = Member("new", tuple(topic.name for topic in group.topics))
    members = (*following.members[:joining], new, *following.members[joining:])
    grown = replace(following, members=members)
    first = assign(grown)
    well_formed(grown, first, complete=False)
    assert not list(INVARIANTS["cooperative"](grown, first))
    rest = settle(assign, grown)
    assert rest.rounds is not None
    well_formed(rest.group, rest.assignment)


@pytest.mark.parametrize("assignor", ALL, ids=name)
@few
@given(one=ordinary_groups(mixed=False), other=ordinary_groups(mixed=False))
def test_calls_are_independent(assignor: type, one: Group, other: Group) -> None:
    before = dict(vars(assignor))
    owning = apply_assignment(one, adapt(assignor)(one))
    assign = adapt(assignor)
    answer = assign(owning)
    assign(apply_assignment(other, assign(other)))
    assert assign(owning) == answer == adapt(assignor)(owning)
    assert dict(vars(assignor)) == before


def test_only_the_cooperative_class_cooperates() -> None:
    assert [assignor for assignor in ALL if is_cooperative(assignor)] == [COOPERATIVE]
    assert is_cooperative(COOPERATIVE())
    assert not is_cooperative(len)


def test_roundrobin_of_kafka_python_fails_where_it_must_skip_a_member() -> None:
    """A defect of kafka-python 2.3 to 3.0.12: it looks a member up by its pair of ids. Remove when it is mended."""
    group = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ())))
    with pytest.raises(KeyError):
        adapt(kafka_roundrobin.RoundRobinPartitionAssignor)(group)


def test_range_of_kafka_python_forgets_members_beside_static_ones() -> None:
    """A defect of kafka-python 2.3 to 3.0.12: it groups members without sorting. Remove when it is mended."""
    members = (Member("a", ("t",)), Member("b", ("t",), instance_id="i"), Member("c", ("t",)))
    given_ = adapt(kafka_range.RangePartitionAssignor)(Group((Topic("t", 3),), members))
    assert [len(given_[member]) for member in "abc"] == [0, 2, 1]

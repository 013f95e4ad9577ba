"""One instance that answers several groups by turns: what stays of one group in it, and what must not show in another."""

import pytest

from kassay.families import family
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.targets import Options, Target, open_target
from kassay.targets.clients import adapt, make_instance

pytest.importorskip("kafka")
pytest.importorskip("aiokafka")

from targets.clients.test_adapting import GROUP, AioOwn, Counting

ISOLATED = family("consumer").laws["instance_isolated"]
JOINED = Group((Topic("t", 1),), (Member("a", ("t",)), Member("b", ("t",), (TopicPartition("t", 0),))))


def test_what_a_class_keeps_is_shared_by_all_members_and_calls():
    assert "o" not in adapt(AioOwn)(GROUP)
    assert "o" in make_instance(AioOwn)(GROUP), "it claims what others were given"
    assert AioOwn.seen == {}


@pytest.mark.parametrize("assignor", [Counting, Counting("t")])
def test_what_a_leader_keeps_is_shared_by_all_calls(assignor):
    kept = make_instance(assignor)
    first, second = (kept(GROUP)["m"][0][1] for _ in range(2))
    assert first < second
    assert Counting.calls == []


def test_a_target_answers_first_as_always_and_then_by_one_instance():
    def turns():
        answers = iter("xy")
        return lambda _: next(answers)

    target = Target("x", "consumer", lambda _: "fresh", lambda _: "fresh", instance=turns)
    for _ in range(2):
        assign = target.alternate_instances()
        assert [assign(GROUP) for _ in range(3)] == ["fresh", "x", "y"]
    assign = Target("x", "consumer", lambda _: "fresh", lambda _: "fresh").alternate_instances()
    assert [assign(GROUP) for _ in range(3)] == ["fresh"] * 3


@pytest.mark.parametrize(
    ("spec", "isolated"),
    [
        ("python:aiokafka.coordinator.assignors.sticky.sticky_assignor:StickyPartitionAssignor", False),
        ("python:kafka.coordinator.assignors.sticky.sticky_assignor:StickyPartitionAssignor", True),
        ("consumer/sticky", True),
    ],
)
def test_aiokafka_shows_one_group_in_another(spec, isolated):
    with open_target(spec, Options()) as target:
        assert isolated == (not list(ISOLATED(target.alternate_instances(), JOINED)))

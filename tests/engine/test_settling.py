"""What only waits for its owner is given in the next round, and that is what is compared with the optimum."""

from hypothesis import given, settings
from mutants.honest import cooperative
from mutants.tiny import any_choices, tiny_group
from whole import some

from kassay.comparison.distance import Distance
from kassay.comparison.measured import compared, measured
from kassay.engine.check import check
from kassay.engine.settle import settled
from kassay.families import family
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.targets import Options, Target, open_target

CONSUMER = family("consumer")
COOPERATIVE = open_target("consumer/cooperative-sticky", Options())
JOINED = Group(
    (Topic("t", 3),),
    (Member("a", ("t",), tuple(TopicPartition("t", n) for n in range(3)), 1), Member("b", ("t",))),
)


@settings(max_examples=some(40, 200), deadline=None)
@given(any_choices())
def test_what_is_withheld_is_given_in_the_end(choices):
    group = tiny_group(choices)
    answer = settled(CONSUMER, cooperative, group, cooperative(group))
    assert not list(CONSUMER.invariants["complete"](group, answer))


def test_gaps_are_of_what_is_settled_on():
    assert not COOPERATIVE.assign(JOINED)["b"]
    of_one = measured(COOPERATIVE, CONSUMER, JOINED)
    assert [(gap.level, gap.value, gap.optimum) for gap in of_one.gaps] == [
        ("balance", 1, 1),
        ("moves", 1, 1),
        ("cross-rack", 0, 0),
    ]
    assert compared([COOPERATIVE], CONSUMER, [JOINED]) == [[of_one]]


def test_who_fails_when_asked_again_has_no_gap():
    def once(group):
        if group != JOINED:
            raise AssignorError("not twice")
        return {"a": group.members[0].owned[:1], "b": ()}

    target = Target("once", "consumer", once, once)
    assert measured(target, CONSUMER, JOINED).failure == "not twice"
    assert [(one.compared, one.groups) for one in distances(target, JOINED)] == [(0, 1)] * 3


def test_a_check_counts_rebalances_that_take_two_rounds():
    assert [(one.level, one.compared) for one in distances(COOPERATIVE, JOINED)] == [
        ("balance", 1),
        ("moves", 1),
        ("cross-rack", 1),
    ]


def distances(target, group):
    told = check(target, CONSUMER, examples=0, given=[("one", group)], wanted=["every_member"], measured=True)
    return [one for one in told if isinstance(one, Distance)]

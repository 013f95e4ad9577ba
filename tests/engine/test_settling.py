"""What only waits for its owner is given in the next round, and that is what is compared with the optimum."""

import json
from pathlib import Path

from hypothesis import given, settings
from mutants.honest import cooperative
from mutants.tiny import any_choices, tiny_group
from printed import json_lines
from whole import share

from kassay.cli import main
from kassay.comparison.measured import compared, measured
from kassay.engine.check import check
from kassay.engine.verdict import Distance
from kassay.families import family
from kassay.families.convergence import rest
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.properties.runs import MOST_REBALANCES
from kassay.targets import Options, Target, open_target

CONSUMER = family("consumer")
COOPERATIVE = open_target("consumer/cooperative-sticky", Options())
JOINED = Group(
    (Topic("t", 3),),
    (Member("a", ("t",), tuple(TopicPartition("t", n) for n in range(3)), 1), Member("b", ("t",))),
)


@settings(max_examples=share(40, 200), deadline=None)
@given(any_choices())
def test_what_is_withheld_is_given_in_the_end(choices):
    group = tiny_group(choices)
    found = rest(CONSUMER, cooperative, group)
    assert found.legal
    assert found.rebalances == 1 + (found.answer != cooperative(group))
    assert not list(CONSUMER.invariants["complete"](group, found.answer))


def test_gaps_are_of_what_is_settled_on():
    assert not COOPERATIVE.assign(JOINED)["b"]
    of_one = measured(COOPERATIVE, CONSUMER, JOINED)
    assert [(gap.level, gap.value, gap.optimum) for gap in of_one.gaps] == [
        ("balance", 1, 1),
        ("moves", 1, 1),
        ("cross-rack", 0, 0),
        ("topic-spread", 0, 0),
    ]
    assert compared([COOPERATIVE], CONSUMER, [JOINED]) == [[of_one]]


def test_who_fails_when_asked_again_has_no_gap():
    def once(group):
        if group != JOINED:
            raise AssignorError("not twice")
        return {"a": group.members[0].owned[:1], "b": ()}

    target = Target("once", "consumer", once, once)
    assert measured(target, CONSUMER, JOINED).failure == "not twice"
    assert [(one.compared, one.groups) for one in distances(target, JOINED)] == [(0, 1)] * 4


SLOW = Group(
    (Topic("t", 3, (("r0",), ("r1",), ("r2",))),),
    (
        Member("m0", ("t",), (TopicPartition("t", 2),), 1, rack="r0"),
        Member("m1", ("t",), (TopicPartition("t", 0),), 1, rack="r1"),
    ),
)
"""The third owner of three partitions in three racks has just left: m0 gives t-2 up, and gets it back in the third rebalance."""
ENDLESS = CONSUMER.shape.read_group(
    json.loads(
        (Path(__file__).parents[2] / "examples/findings/kafka-clients-cooperative-endless.json").read_text()
    )["group"]
)


def test_who_needs_a_third_rebalance_is_counted_at_rest():
    found = rest(CONSUMER, COOPERATIVE.assign, SLOW)
    assert (found.rebalances, found.at_rest, found.illegal, found.legal) == (3, True, {}, True)
    one = measured(COOPERATIVE, CONSUMER, SLOW)
    assert (one.legal, one.rebalances, len(one.gaps)) == (True, 3, 4)
    assert [each.compared for each in distances(COOPERATIVE, SLOW)] == [1, 1, 1, 1]


def test_who_does_not_come_to_rest_within_the_bound_is_no_breach_of_legality_and_no_answer():
    found = rest(CONSUMER, COOPERATIVE.assign, ENDLESS)
    assert (found.rebalances, found.at_rest, found.legal) == (MOST_REBALANCES, False, False)
    assert found.illegal == {}
    one = measured(COOPERATIVE, CONSUMER, ENDLESS)
    assert (one.failure, one.broken, one.at_rest, one.legal, one.gaps) == (None, {}, False, False, ())
    assert [each.compared for each in distances(COOPERATIVE, ENDLESS)] == [0, 0, 0, 0]


def test_a_partition_given_twice_on_the_way_is_not_made_good_by_rest():
    whole = tuple(TopicPartition("t", n) for n in range(3))

    def twice_at_first(group):
        if group == JOINED:  # t-2 waits, and t-0 is given to both
            return {"a": whole[:2], "b": whole[:1]}
        return {"a": whole[:2], "b": whole[2:]}

    found = rest(CONSUMER, twice_at_first, JOINED)
    assert (found.rebalances, found.at_rest, found.illegal) == (
        2,
        True,
        {"exclusive": "t-0 is given to a and to b"},
    )


def test_the_comparison_says_after_how_many_rebalances(tmp_path, capsys):
    texts = {"slow": SLOW, "endless": ENDLESS}
    for name, group in texts.items():
        (tmp_path / name).write_text(json.dumps(CONSUMER.write_group(group)))
    slow, endless = (str(tmp_path / name) for name in texts)
    asked = ["compare", "consumer/range", "consumer/cooperative-sticky", "--group"]
    assert main([*asked, slow]) == 0
    shown = capsys.readouterr().out
    assert "cooperative-sticky converges after 3 rebalances. Its numbers are those of the last one." in shown
    assert "range comes to rest" not in shown
    main([*asked, endless])
    shown = capsys.readouterr().out
    assert "cooperative-sticky: does not come to rest within 10 rebalances." in shown
    (row,) = [line.split() for line in shown.splitlines() if line.startswith("cooperative-sticky  ")]
    assert {*row[1:]} == {"-"}
    main([*asked, slow, "--group", endless, "--json"])
    told = json_lines(capsys)
    of = {(each["where"], each["target"]): each for each in told if each["record"] == "compared"}
    target = "consumer/cooperative-sticky"
    assert [
        (of[where, target]["rebalances"], of[where, target]["at_rest"])
        for where in sorted({w for w, _ in of})
    ] == [(10, False), (3, True)]
    sums = {each["target"]: each for each in told if each["record"] == "sums"}
    assert (sums[target]["rebalances"], sums[target]["unsettled"], sums[target]["illegal"]) == (3, 1, 1)
    assert (sums["consumer/range"]["rebalances"], sums["consumer/range"]["unsettled"]) == (1, 0)


def test_a_check_counts_rebalances_that_take_two_rounds():
    assert [(one.level, one.compared) for one in distances(COOPERATIVE, JOINED)] == [
        ("balance", 1),
        ("moves", 1),
        ("cross-rack", 1),
        ("topic-spread", 1),
    ]


def distances(target, group):
    told = check(target, CONSUMER, examples=0, given=[("one", group)], wanted=["every_member"], measured=True)
    return [one for one in told if isinstance(one, Distance)]

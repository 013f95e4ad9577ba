"""What only waits for its owner, or warms up first, is compared with the optimum as it is in the end."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from mutants.honest import cooperative
from mutants.tiny import any_choices, tiny_group
from printed import json_lines
from whole import share, some

from kassay.cli import main
from kassay.comparison.measured import measure_all, measure_answer
from kassay.engine.check import check
from kassay.engine.verdict import Distance
from kassay.families import family
from kassay.families.convergence import converge, rest
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.model.tasks import RUNNING, Application, Client, Given, Settings, Task, TaskAssignment, TaskId
from kassay.properties.runs import MOST_REBALANCES
from kassay.properties.tasks import measures
from kassay.properties.tasks.rounds import bound_rebalances
from kassay.properties.tasks.strategies import applications
from kassay.reference.streams import fallback_prior, high_availability
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
    of_one = measure_answer(COOPERATIVE, CONSUMER, JOINED)
    assert [(gap.level, gap.value, gap.optimum) for gap in of_one.gaps] == [
        ("balance", 1, 1),
        ("moves", 1, 1),
        ("cross-rack", 0, 0),
        ("topic-spread", 0, 0),
    ]
    assert measure_all([COOPERATIVE], CONSUMER, [JOINED]) == [[of_one]]
    # A check counts rebalances that take two rounds, too.
    counted = [(one.level, one.compared) for one in distances(COOPERATIVE, JOINED)]
    assert counted == [(gap.level, 1) for gap in of_one.gaps]


def test_who_fails_when_asked_again_has_no_gap():
    def once(group):
        if group != JOINED:
            raise AssignorError("not twice")
        return {"a": group.members[0].owned[:1], "b": ()}

    target = Target("once", "consumer", once, once)
    assert measure_answer(target, CONSUMER, JOINED).failure == "not twice"
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
    one = measure_answer(COOPERATIVE, CONSUMER, SLOW)
    assert (one.legal, one.rebalances, len(one.gaps)) == (True, 3, 4)
    assert [each.compared for each in distances(COOPERATIVE, SLOW)] == [1, 1, 1, 1]


def test_who_does_not_come_to_rest_within_the_bound_is_no_breach_of_legality_and_no_answer():
    found = rest(CONSUMER, COOPERATIVE.assign, ENDLESS)
    assert (found.rebalances, found.at_rest, found.legal) == (MOST_REBALANCES, False, False)
    assert found.illegal == {}
    one = measure_answer(COOPERATIVE, CONSUMER, ENDLESS)
    assert (one.failure, one.broken, one.at_rest, one.legal, one.gaps) == (None, {}, False, False, ())
    assert [each.compared for each in distances(COOPERATIVE, ENDLESS)] == [0, 0, 0, 0]


def test_a_partition_given_twice_on_the_way_is_not_made_good_by_rest():
    whole = tuple(TopicPartition("t", n) for n in range(3))

    def twice_at_first(group):
        if group == JOINED:  # t-2 waits, and t-0 is given to both
            return {"a": whole[:2], "b": whole[:1]}
        return {"a": whole[:2], "b": whole[2:]}

    found = rest(CONSUMER, twice_at_first, JOINED)
    assert (found.rebalances, found.at_rest) == (2, True)
    assert found.illegal == {"exclusive": "t-0 is given to a and to b"}


def test_the_comparison_says_after_how_many_rebalances(tmp_path, capsys):
    texts = {"slow": SLOW, "endless": ENDLESS}
    for name, group in texts.items():
        (tmp_path / name).write_text(json.dumps(CONSUMER.write_group(group)))
    slow, endless = (str(tmp_path / name) for name in texts)
    asked = ["compare", "consumer/range", "consumer/cooperative-sticky", "--group"]
    assert main([*asked, slow]) == 0
    shown = capsys.readouterr().out
    assert "cooperative-sticky converges after 3 rebalances. Its numbers count the last one." in shown
    assert "range comes to rest" not in shown
    main([*asked, endless])
    shown = capsys.readouterr().out
    assert "cooperative-sticky: does not converge within 10 rebalances." in shown
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


def distances(target, group):
    told = check(target, CONSUMER, examples=0, given=[("one", group)], wanted=["every_member"], measured=True)
    return [one for one in told if isinstance(one, Distance)]


STREAMS = family("streams")
ASSIGNORS = [
    open_target(f"streams/{name}", Options()) for name in ("high-availability", "legacy-sticky", "sticky")
]
DEFAULT = ASSIGNORS[0]
BEHIND = 10**6
LARGEST = some(400, 10**6)
"""The most tasks times clients: with 44 and 47 a rebalance takes 0.17 s of CPU, and there are many until all is warmed up."""
TASKS = [TaskId(0, number) for number in range(8)]


def joined(*, standbys: int = 0, warm_ups: int = 2) -> Application:
    """Return an application of one client with all tasks that a second one joins, which has the state of none."""
    names = [f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2)]
    return Application(
        tuple(Task(task, stateful=True) for task in TASKS),
        (
            Client(names[0], 1, tuple(TASKS), (), dict.fromkeys(TASKS, RUNNING)),
            Client(names[1], 1, (), (), dict.fromkeys(TASKS, BEHIND)),
        ),
        Settings(num_standby_replicas=standbys, max_warmup_replicas=warm_ups),
    )


def by_hand(assign, application):
    """Return the answers until one asks for no probing rebalance; every client is caught up on what it was given before the next."""
    answers, joining = [], application
    for _ in range(bound_rebalances(application)):
        answers.append(assign(joining))
        if not answers[-1].probing:
            return answers
        given_ = {name: (set(own.active), set(own.standby)) for name, own in answers[-1].clients.items()}
        joining = replace(
            joining,
            clients=tuple(
                replace(
                    client,
                    active=answers[-1].clients[client.id].active,
                    standby=answers[-1].clients[client.id].standby,
                    lags={
                        task: RUNNING if task in given_[client.id][0] else 0 if task in given_[client.id][1] else lag if lag < 0 and lag != RUNNING else max(lag, 0)
                        for task, lag in client.lags.items()
                    },
                )
                for client in joining.clients
            ),
        )  # fmt: skip
    return answers


@settings(max_examples=share(120, 3000), deadline=None)
@given(applications().filter(lambda one: len(one.tasks) * len(one.clients) <= LARGEST))
def test_what_is_compared_is_what_the_reference_comes_to_by_hand(application):
    application = replace(
        application, clients=tuple(replace(client, consumers={}) for client in application.clients)
    )
    try:
        answers = by_hand(high_availability.assign, application)
    except AssignorError:
        return
    found = converge(STREAMS, high_availability.assign, application)
    assert found.rebalances == len(answers)
    assert STREAMS.shape.same(found.answer, answers[-1])
    assert found.at_rest is not answers[-1].probing


@settings(max_examples=share(120, 3000), deadline=None)
@given(applications().filter(lambda one: len(one.tasks) * len(one.clients) <= LARGEST))
def test_no_legal_answer_of_the_default_is_left_uncompared(application):
    one = measure_answer(DEFAULT, STREAMS, application)
    assert one.failure or one.at_rest, "the default never ends its probing rebalances"
    assert not one.legal or one.gaps
    assert not one.legal or not one.settled.probing


def test_what_warms_up_is_handed_over_and_costs_the_moves_from_the_start():
    """Eight tasks on one client, two of them warm up at a time: two rebalances, and the third asks for no more."""
    application = joined()
    first = DEFAULT.assign(application)
    assert first.probing
    assert STREAMS.oracles.optima(application).gaps(first) == ()  # it is provisional
    one = measure_answer(DEFAULT, STREAMS, application)
    assert (one.rebalances, one.at_rest, one.legal) == (3, True, True)
    assert one.assignment == first
    assert [len(one.settled.clients[client.id].active) for client in application.clients] == [4, 4]
    assert {gap.level: (gap.value, gap.optimum) for gap in one.gaps}["moves"] == (4, 4)
    assert one.measures["active_moves"] == 4
    assert one.measures["probing"] == one.measures["warm_ups"] == 0


def test_nothing_stops_while_it_warms_up_elsewhere():
    """Four tasks end where nothing of them was; each was restored before it was handed over. An assignor that moves them at once stops all four."""
    application = joined()
    one = measure_answer(DEFAULT, STREAMS, application)
    assert measures.not_caught_up(application, one.settled) == 4
    assert one.measures["not_caught_up"] == 0
    at_once = measure_answer(replace_assign(one.settled), STREAMS, application)
    assert (at_once.rebalances, at_once.measures["not_caught_up"]) == (1, 4)


def replace_assign(answer: TaskAssignment):
    """Return a target that always gives the same answer."""
    target = open_target("streams/sticky", Options())
    return replace(target, assign=lambda _: answer)


@pytest.mark.parametrize("warm_ups", [1, 2, 4])
def test_fewer_warm_ups_take_more_rebalances_to_the_same_end(warm_ups):
    one = measure_answer(DEFAULT, STREAMS, joined(warm_ups=warm_ups))
    assert one.rebalances == 4 // warm_ups + 1
    assert {gap.level: gap.over for gap in one.gaps} == dict.fromkeys([gap.level for gap in one.gaps], 0)


def test_who_asks_for_ever_does_not_come_to_rest():
    """The assignor that stands in where lags cannot be fetched always asks again: the group joins as it has joined before."""
    found = converge(STREAMS, fallback_prior.assign, joined())
    assert not found.at_rest
    assert found.rebalances < bound_rebalances(joined())
    assert not measure_answer(open_target("streams/fallback-prior", Options()), STREAMS, joined()).gaps


def test_a_wrong_answer_on_the_way_is_not_hidden_by_a_right_end():
    application = joined()

    def losing(joining: Application) -> TaskAssignment:
        answer = high_availability.assign(joining)
        if joining is application or not answer.probing:
            return answer
        some = {name: Given(own.active[1:], own.standby) for name, own in answer.clients.items()}
        return TaskAssignment(some, probing=True)

    found = converge(STREAMS, losing, application)
    assert found.at_rest
    assert list(found.illegal) == ["complete"]
    assert not found.legal


def test_a_check_still_judges_the_first_answer():
    found = rest(STREAMS, high_availability.assign, joined())
    assert found.answer.probing
    assert found.rebalances == 1

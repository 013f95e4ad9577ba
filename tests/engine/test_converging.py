"""An assignor that has tasks warm up first is compared by what it comes to when its probing rebalances are over."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from whole import share

from kassay.comparison.measured import measured
from kassay.families import family
from kassay.families.convergence import converge, rest
from kassay.model import AssignorError
from kassay.model.tasks import RUNNING, Application, Client, Given, Settings, Task, TaskAssignment, TaskId
from kassay.properties.tasks import measures
from kassay.properties.tasks.settling import bound_rebalances
from kassay.properties.tasks.strategies import applications
from kassay.reference.streams import fallback_prior, high_availability
from kassay.targets import Options, open_target

STREAMS = family("streams")
ASSIGNORS = [
    open_target(f"streams/{name}", Options()) for name in ("high-availability", "legacy-sticky", "sticky")
]
DEFAULT = ASSIGNORS[0]
BEHIND = 10**6
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
@given(applications())
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
@given(applications())
def test_no_legal_answer_of_the_default_is_left_uncompared(application):
    one = measured(DEFAULT, STREAMS, application)
    assert one.failure or one.at_rest, "the default never ends its probing rebalances"
    assert not one.legal or one.gaps
    assert not one.legal or not one.settled.probing


def test_what_warms_up_is_handed_over_and_costs_the_moves_from_the_start():
    """Eight tasks on one client, two of them warm up at a time: two rebalances, and the third asks for no more."""
    application = joined()
    first = DEFAULT.assign(application)
    assert first.probing
    assert STREAMS.oracles.optima(application).gaps(first) == ()  # it is provisional
    one = measured(DEFAULT, STREAMS, application)
    assert (one.rebalances, one.at_rest, one.legal) == (3, True, True)
    assert one.assignment == first
    assert [len(one.settled.clients[client.id].active) for client in application.clients] == [4, 4]
    assert {gap.level: (gap.value, gap.optimum) for gap in one.gaps}["moves"] == (4, 4)
    assert one.measures["active_moves"] == 4
    assert one.measures["probing"] == one.measures["warm_ups"] == 0


def test_nothing_stops_while_it_warms_up_elsewhere():
    """Four tasks end where nothing of them was; each was restored before it was handed over. An assignor that moves them at once stops all four."""
    application = joined()
    one = measured(DEFAULT, STREAMS, application)
    assert measures.not_caught_up(application, one.settled) == 4
    assert one.measures["not_caught_up"] == 0
    at_once = measured(replace_assign(one.settled), STREAMS, application)
    assert (at_once.rebalances, at_once.measures["not_caught_up"]) == (1, 4)


def replace_assign(answer: TaskAssignment):
    """Return a target that always gives the same answer."""
    target = open_target("streams/sticky", Options())
    return replace(target, assign=lambda _: answer)


@pytest.mark.parametrize("warm_ups", [1, 2, 4])
def test_fewer_warm_ups_take_more_rebalances_to_the_same_end(warm_ups):
    one = measured(DEFAULT, STREAMS, joined(warm_ups=warm_ups))
    assert one.rebalances == 4 // warm_ups + 1
    assert {gap.level: gap.over for gap in one.gaps} == dict.fromkeys([gap.level for gap in one.gaps], 0)


def test_who_asks_for_ever_does_not_come_to_rest():
    """The assignor that stands in where lags cannot be fetched always asks again: the group joins as it has joined before."""
    found = converge(STREAMS, fallback_prior.assign, joined())
    assert not found.at_rest
    assert found.rebalances < bound_rebalances(joined())
    assert not measured(open_target("streams/fallback-prior", Options()), STREAMS, joined()).gaps


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

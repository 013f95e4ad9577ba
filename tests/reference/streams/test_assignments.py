"""What every answer of the references of Kafka Streams keeps, in any application."""

import random
from dataclasses import replace

import pytest
from classes.groups.random_applications import application
from hypothesis import given, settings
from hypothesis import strategies as st
from whole import share

from kassay.model import AssignorError
from kassay.model.partitions import TopicPartition
from kassay.model.tasks import STRATEGIES, Application, Client, Settings, Task, TaskId
from kassay.reference.streams import fallback_prior, high_availability, legacy_sticky, sticky

ASSIGNORS = {
    "high-availability": high_availability.assign,
    "legacy-sticky": legacy_sticky.assign,
    "fallback-prior": fallback_prior.assign,
    "sticky": sticky.assign,
}
EXAMPLES = settings(max_examples=share(30, 1_000), deadline=None)
APPLICATIONS = st.builds(
    lambda seed, strategy: application(random.Random(seed), strategy),
    st.integers(0, 10**9),
    st.sampled_from(STRATEGIES),
)


@pytest.mark.parametrize("name", ASSIGNORS)
@EXAMPLES
@given(drawn=APPLICATIONS)
def test_each_task_is_active_once_and_its_copies_are_apart(name: str, drawn: Application) -> None:
    answer = ASSIGNORS[name](drawn)
    assert set(answer.clients) == {client.id for client in drawn.clients}
    active = sorted(task for given_ in answer.clients.values() for task in given_.active)
    assert active == sorted(task.id for task in drawn.tasks)
    stateful = {task.id for task in drawn.tasks if task.stateful}
    for given_ in answer.clients.values():
        assert not set(given_.active) & set(given_.standby)
        assert len(set(given_.standby)) == len(given_.standby)
        assert set(given_.standby) <= stateful


@pytest.mark.parametrize(
    ("name", "stateful", "words"),
    [
        ("high-availability", True, "NoSuchElementException"),
        ("high-availability", False, "NullPointerException"),
        ("legacy-sticky", True, "IllegalStateException: `totalCapacity` should never be zero."),
        ("fallback-prior", True, "IllegalStateException: `totalCapacity` should never be zero."),
        ("sticky", True, "ArithmeticException: / by zero"),
    ],
)
def test_without_clients_they_fail_as_kafka_s_do(name: str, stateful: bool, words: str) -> None:
    with pytest.raises(AssignorError, match=f"^{words}$"):
        ASSIGNORS[name](Application((Task(TaskId(0, 0), stateful),), ()))


@pytest.mark.parametrize("name", ASSIGNORS)
@EXAMPLES
@given(drawn=APPLICATIONS)
def test_there_are_as_many_standbys_as_wanted_and_possible(name: str, drawn: Application) -> None:
    answer = ASSIGNORS[name](drawn)
    wanted = min(drawn.settings.num_standby_replicas, len(drawn.clients) - 1)
    warm_ups = 0
    for task in (task.id for task in drawn.tasks if task.stateful):
        copies = sum(task in given_.standby for given_ in answer.clients.values())
        assert copies >= wanted
        warm_ups += copies - wanted
    assert warm_ups <= (drawn.settings.max_warmup_replicas if name == "high-availability" else 0)


@EXAMPLES
@given(drawn=APPLICATIONS, rng=st.randoms(use_true_random=False))
def test_high_availability_does_not_depend_on_any_order(drawn: Application, rng: random.Random) -> None:
    if drawn.settings.rack_aware_assignment_tags:  # what tags leave to place goes in the order of a hash map
        drawn = replace(drawn, settings=replace(drawn.settings, rack_aware_assignment_tags=()))
    shuffled = replace(
        drawn,
        tasks=tuple(rng.sample(drawn.tasks, len(drawn.tasks))),
        clients=tuple(rng.sample(drawn.clients, len(drawn.clients))),
    )
    one, two = high_availability.assign(drawn), high_availability.assign(shuffled)
    assert dict(one.clients) == dict(two.clients)
    assert one.probing == two.probing


@EXAMPLES
@given(drawn=APPLICATIONS)
def test_racks_change_no_counts_and_cost_no_traffic(drawn: Application) -> None:
    """4.B.I of KIP-925: the same counts for each client, and no more read across racks, without standbys to move."""
    settings_ = replace(
        drawn.settings,
        num_standby_replicas=0,
        acceptable_recovery_lag=2**63 - 1,
        rack_aware_assignment_non_overlap_cost=0,
    )
    without = replace(drawn, settings=replace(settings_, rack_aware_assignment_strategy="none"))
    racks = replace(drawn, settings=settings_)
    before, after = high_availability.assign(without), high_availability.assign(racks)
    counts = [
        {name: len(given_.active) for name, given_ in answer.clients.items()} for answer in (before, after)
    ]
    assert counts[0] == counts[1]
    if (
        settings_.rack_aware_assignment_traffic_cost != 0
        and settings_.rack_aware_assignment_strategy == "min_traffic"
    ):
        assert traffic(racks, after) <= traffic(racks, before)


def traffic(drawn: Application, answer: object) -> int:
    """Count the partitions that active tasks read across racks."""
    racks = drawn.racks(lambda task: task.inputs)
    rack = {client.id: client.rack for client in drawn.clients}
    return sum(
        rack[name] not in replicas
        for name, given_ in answer.clients.items()
        for task in given_.active
        for replicas in racks[task]
    )


ONE = "00000000-0000-0000-0000-000000000001"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Client("one", 1).order, "'one' is not a UUID"),
        (lambda: Client(ONE, 0), "threads: client"),
        (lambda: Client(ONE, 1, (TaskId(0, 0),), (TaskId(0, 0),)), "had 0_0 active too"),
        (lambda: Client(ONE, 1, tags=(("a" * 21, "b"),)), "A tag may have 20 letters"),
        (lambda: Client(ONE, 1, tags=tuple((str(n), "") for n in range(6))), "Give at most 5"),
        (lambda: Task(TaskId(0, 0), changelogs=(TopicPartition("c", 0),)), "task 0_0 has some but is not stateful"),
        (lambda: Settings(max_warmup_replicas=0), "max.warmup.replicas: 0. Give 1 to"),
        (lambda: Settings(acceptable_recovery_lag=-1), "acceptable.recovery.lag: -1"),
        (lambda: Settings(num_standby_replicas=-1), "num.standby.replicas: -1"),
        (lambda: Settings(rack_aware_assignment_strategy="fast"), "'fast'. Give none, min_traffic, balance_subtopology"),
        (lambda: Application((Task(TaskId(0, 0)),) * 2, ()), "tasks: 0_0 is listed twice"),
        (lambda: Application((), (Client(ONE, 1),) * 2), "clients: 00000000-0000-0000-0000-000000000001 is listed twice"),
        (lambda: Application((Task(TaskId(0, 0), True),), (Client(ONE, 1),)), "has no lag of 0_0"),
        (lambda: Application((), (Client(ONE, 1, lags={TaskId(3, 0): 1}),)), "names 3_0, but there is no such task"),
        (lambda: Client(ONE, 1, lags={TaskId(0, 0): -1}), "has -1 for 0_0. Give 0 to"),
        (lambda: Client(ONE, 1, consumers={"c": {TaskId(0, 0): -1}}), "consumers: 'c' of client"),
        (lambda: Task(TaskId(0, -1)), "Give a subtopology and a partition from 0 to"),
        (lambda: Task(TaskId(0, 0), False, (TopicPartition("t", 0),) * 2), "inputs: task 0_0 lists t-0 twice"),
        (lambda: Application((Task(TaskId(0, 0), False, (TopicPartition("t", 0),)),), ()), "reads t-0, which no topic has"),
        (lambda: Settings(rack_aware_assignment_tags=("a", "a")), "'a' is listed twice"),
        (lambda: Settings(rack_aware_assignment_traffic_cost=2**31), "rack.aware.assignment.traffic_cost: 2147483648"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(make: object, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        make()


def test_the_public_sticky_assignor_asks_a_set_of_clients_and_the_legacy_one_their_map():
    """Ids of one hash code make a tree, whose order depends on the order of putting; as Kafka 4.3.1 answered."""
    order = (9, 13, 4, 5, 8, 19, 21, 22, 23, 24, 25)
    clients = tuple(Client(f"{n:08x}-0000-0000-0000-00008{n:07x}", 1) for n in order)
    application = Application((Task(TaskId(0, 0)),), clients)
    given = [
        next(name for name, held in each.assign(application).clients.items() if held.active)[:8]
        for each in (sticky, legacy_sticky)
    ]
    assert given == ["0000000d", "00000013"]

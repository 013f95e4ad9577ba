"""Probing ends: what an assignment is meant to be is reached in finitely many rebalances (KIP-441, KIP-925 section 4)."""

import random
from dataclasses import replace

import pytest
from classes.groups.random_applications import application
from hypothesis import example, given, settings
from hypothesis import strategies as st
from whole import share

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import (
    RUNNING,
    STRATEGIES,
    Application,
    Client,
    Settings,
    Task,
    TaskAssignment,
    TaskId,
)
from kassay.properties.tasks.rounds import bound_rounds_for, settle
from kassay.reference.streams import legacy_sticky, sticky
from kassay.reference.streams.high_availability import assign


def caught_up(drawn: Application, answer: TaskAssignment) -> Application:
    """Return the application once every copy that was given has been restored; who has no copy keeps his lag."""
    clients = []
    for client in drawn.clients:
        active, standby = answer.clients[client.id]
        lags = {task: 10**6 if lag == RUNNING else lag for task, lag in client.lags.items()}
        lags |= dict.fromkeys(standby, 0) | {task: RUNNING for task in active if task in lags}
        clients.append(replace(client, active=active, standby=standby, lags=lags))
    return replace(drawn, clients=tuple(clients))


@settings(max_examples=share(30, 1_000), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(STRATEGIES))
@example(3225, "none")  # three copies of each task, one warm-up at a time
def test_probing_ends(seed: int, strategy: str) -> None:
    drawn = application(random.Random(seed), strategy)
    settled = settle(assign, drawn)
    assert settled.rounds is not None
    assert settled.rounds <= bound_rounds_for(drawn, settled.answer)


@pytest.mark.parametrize("sticky_assign", [legacy_sticky.assign, sticky.assign])
def test_the_sticky_assignors_may_hand_stateless_tasks_back_and_forth(sticky_assign: object) -> None:
    """Kafka's classes of 4.3.1 do so too: by balance_subtopology, 15 stateless tasks, nothing to gain from racks."""
    sizes, threads = (6, 4, 4, 1), (4, 1, 4)
    topics = tuple(Topic(f"t{sub}", size, (("r",),) * size) for sub, size in enumerate(sizes))
    tasks = tuple(
        Task(TaskId(sub, n), inputs=(TopicPartition(f"t{sub}", n),))
        for sub, size in enumerate(sizes)
        for n in range(size)
    )
    clients = tuple(
        Client(f"00000000-0000-0000-0000-00000000000{n}", count, rack="r")
        for n, count in enumerate(threads, 1)
    )
    set_ = Settings(
        rack_aware_assignment_strategy="balance_subtopology",
        rack_aware_assignment_traffic_cost=1,
        rack_aware_assignment_non_overlap_cost=1,
    )
    drawn = Application(tasks, clients, set_, topics)
    answers = []
    for _ in range(4):
        answers.append(sticky_assign(drawn))
        drawn = caught_up(drawn, answers[-1])
    assert answers[0] == answers[2] != answers[1] == answers[3]

"""Probing ends: what an assignment is meant to be is reached in finitely many rebalances (KIP-441, KIP-925 section 4)."""

import random
import sys
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from whole import some

from kassay.model.tasks import RUNNING, STRATEGIES, Application, TaskAssignment
from kassay.reference.streams.high_availability import assign

sys.path.insert(0, str(Path(__file__).parents[2] / "kafka"))
from random_applications import application


def caught_up(drawn: Application, answer: TaskAssignment) -> Application:
    """Return the application once every copy that was given has been restored; who has no copy keeps his lag."""
    clients = []
    for client in drawn.clients:
        active, standby = answer.clients[client.id]
        lags = {task: 10**6 if lag == RUNNING else lag for task, lag in client.lags.items()}
        lags |= dict.fromkeys(standby, 0) | {task: RUNNING for task in active if task in lags}
        clients.append(replace(client, active=active, standby=standby, lags=lags))
    return replace(drawn, clients=tuple(clients))


@settings(max_examples=some(30, 1_000), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(STRATEGIES))
def test_probing_ends_with_racks(seed: int, strategy: str) -> None:
    drawn = application(random.Random(seed), strategy)
    answer, rounds = assign(drawn), 1
    while answer.probing:
        drawn = caught_up(drawn, answer)
        answer, rounds = assign(drawn), rounds + 1
        assert rounds <= 2 * sum(task.stateful for task in drawn.tasks) + 2
    assert assign(caught_up(drawn, answer)) == answer

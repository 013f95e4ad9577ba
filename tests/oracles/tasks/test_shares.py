"""KIP-925, 4.B.II: a placement with every client's share of each subtopology exists, and Kafka's cap is too large now and then."""

from dataclasses import replace
from math import ceil
from random import Random

import numpy as np
from drawing_tasks import anyhow, tinies
from hypothesis import given, settings
from hypothesis import strategies as st
from whole import share, some

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import Application, Client, Settings, Task, TaskId
from kassay.oracles.assignment.active_standby.optimum import find_joint_optimum
from kassay.oracles.tasks.encoding import encode_application
from kassay.oracles.tasks.optimum import compute_optimum
from kassay.oracles.tasks.question import parse_question
from kassay.properties.tasks.measures import cross_rack
from kassay.reference import ASSIGNORS
from kassay.reference.streams.rack_aware.optimise import ceil as kafkas_ceil


@settings(max_examples=share(25, 2000), deadline=None)
@given(tinies(), st.integers(0, 9999), st.integers(0, 40))
def test_whatever_the_counts_every_client_can_have_its_share_rounded_down_or_up(of, seed, more):
    tasks = tuple(Task(TaskId(Random(seed + n).randrange(3), 100 + n)) for n in range(more))
    of = replace(of, tasks=of.tasks + tasks, settings=replace(of.settings, num_standby_replicas=0))
    answer = anyhow(of, Random(seed))  # any counts, however uneven
    asked = parse_question("counts,subtopologies,active", given=True)
    found = find_joint_optimum(encode_application(of, asked, answer).problem, ("active",))
    assert found.proved
    sizes = np.bincount([task.id.subtopology for task in of.tasks], minlength=200)
    counts = [len(answer.clients[client.id].active) for client in of.clients]
    for c, count in enumerate(counts):
        own = np.bincount(
            [task.id.subtopology for task, row in zip(of.tasks, found.owners, strict=True) if row[0] == c],
            minlength=200,
        )
        assert own.sum() == count
        assert (abs(own * len(of.tasks) - sizes * count) < max(1, len(of.tasks))).all()


def test_the_cap_in_floating_point_numbers_is_too_large_now_and_then():
    most = some(60, 200)
    triples = [(n, c, s) for n in range(1, most + 1) for c in range(1, n + 1) for s in range(1, n + 1)]
    wrong = [(n, c, s) for n, c, s in triples if ceil(c * 1.0 / n * s) != -(-c * s // n)]
    assert all(ceil(c * 1.0 / n * s) == -(-c * s // n) + 1 for n, c, s in wrong)
    assert (len(wrong), len(triples)) == {60: (36, 73_810), 200: (964, 2_686_700)}[most]
    assert (50, 14, 25) in wrong
    assert kafkas_ceil is ceil


def test_so_a_client_gets_more_of_a_subtopology_than_its_share():
    near = {
        0: [8, 17],
        1: [6, 19],
    }  # of each subtopology, how many partitions are near the first client, how many near the others
    topics = tuple(Topic(f"in{j}", 25, (("a",),) * a + (("b",),) * b) for j, (a, b) in near.items())
    tasks = tuple(Task(TaskId(j, n), inputs=(TopicPartition(f"in{j}", n),)) for j in near for n in range(25))
    clients = tuple(
        Client(f"00000000-0000-0000-0000-00000000000{n}", threads, rack=rack)
        for n, (threads, rack) in enumerate([(14, "a"), (17, "b"), (19, "b")])
    )
    of = Application(tasks, clients, Settings(rack_aware_assignment_strategy="balance_subtopology"), topics)
    answer = ASSIGNORS["streams/high-availability"].assign(of)
    active = answer.clients[clients[0].id].active
    assert len(active) == 14
    assert sum(task.subtopology == 0 for task in active) == 8 > ceil(14 * 25 / 50) == 7
    # So it reads less across racks than anything that keeps what KIP-925 promises.
    assert cross_rack(of, answer) == 0
    assert compute_optimum("counts,subtopologies,active", of, given=answer).values == {"active": 2}
    assert compute_optimum("counts,active", of, given=answer).values == {"active": 0}

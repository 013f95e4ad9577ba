"""Generated applications are legal, of every kind, and depend on the seed alone; the references answer all that Kafka answers."""

import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from printed import by_hash_seeds
from whole import share, some

from kassay.engine.generate import draw_examples
from kassay.model import AssignorError
from kassay.model.tasks import RUNNING, Application
from kassay.model.tasks_json import read_group, write_group
from kassay.properties.choices import LENGTH, from_bytes, from_seed
from kassay.properties.tasks.applications import application, choose_settings
from kassay.properties.tasks.situations import overflowing_costs
from kassay.properties.tasks.strategies import applications, timelines
from kassay.reference.streams import fallback_prior, high_availability, legacy_sticky
from kassay.reference.streams.threads import assign_threads

sys.path.insert(0, str(Path(__file__).parent))
from reached import REACHED


def of_seed(seed: int) -> Application:
    choices = from_seed(seed)
    return application(choices, choose_settings(choices))


@cache
def thousand() -> list[Application]:
    return [of_seed(seed) for seed in range(1_000)]


@settings(max_examples=share(60, 2_000), deadline=None)
@given(applications())
def test_applications_are_legal_and_survive_json(generated):
    assert read_group(write_group(generated)) == generated


@settings(max_examples=share(60, 2_000), deadline=None)
@given(applications())
def test_tasks_are_grouped_as_kafka_groups_them(generated):
    """Task n of a subtopology reads partition n of each of its topics that has it."""
    counts = {topic.name: topic.partitions for topic in generated.topics}
    subtopologies = {}
    for task in generated.tasks:
        subtopologies.setdefault(task.id.subtopology, []).append(task)
    for tasks in subtopologies.values():
        topics = {partition.topic for task in tasks for partition in task.inputs}
        assert sorted(task.id.partition for task in tasks) == list(range(max(map(counts.get, topics))))
        assert len({task.stateful for task in tasks}) == 1
        for task in tasks:
            number = task.id.partition
            assert sorted(task.inputs) == sorted((name, number) for name in topics if counts[name] > number)
            assert {changelog.partition for changelog in task.changelogs} <= {number}
            assert bool(task.changelogs) == task.stateful


@settings(max_examples=share(60, 2_000), deadline=None)
@given(applications())
def test_clients_report_what_they_can_have(generated):
    there = {task.id for task in generated.tasks}  # a client may have run what is gone
    stateful = {task.id for task in generated.tasks if task.stateful}
    for client in generated.clients:
        assert set(client.standby) & there <= set(client.lags) == stateful
        running = {task for task, lag in client.lags.items() if lag == RUNNING}
        assert running == stateful & set(client.active)
        if client.consumers:
            assert len(client.consumers) == client.threads
            reported = [task for sums in client.consumers.values() for task in sums]
            assert sorted(reported) == sorted((*client.active, *client.standby)) or not reported


@pytest.mark.parametrize("what", REACHED)
def test_a_thousand_applications_reach(what):
    assert any(map(REACHED[what], thousand()))


def test_sizes_are_mostly_small_sometimes_medium_rarely_large():
    clients = [len(each.clients) for each in thousand()]
    small, large = sum(size <= 6 for size in clients), sum(size >= 40 for size in clients)
    assert 800 <= small <= 970
    assert 3 <= large <= 40
    assert small + large < 1_000


def test_hardly_any_application_comes_twice():
    written = {repr(each) for each in draw_examples(applications(), 200, 0)}
    assert len(written) > 190


@given(st.binary(min_size=LENGTH, max_size=LENGTH))
def test_equal_bytes_give_equal_applications(content):
    first, second = (
        application(choices, choose_settings(choices))
        for choices in (from_bytes(content), from_bytes(content))
    )
    assert repr(first) == repr(second)


def test_the_seed_decides_whatever_the_hash_seed():
    program = (
        "from kassay.engine.generate import draw_examples\n"
        "from kassay.properties.tasks.strategies import applications, timelines\n"
        "from zlib import crc32\n"
        "print([crc32(repr(draw_examples(s(), 30, 7)).encode()) for s in (applications, timelines)])\n"
    )
    assert len(by_hash_seeds(program)) == 1


def test_the_simplest_application_is_plain():
    [generated] = draw_examples(applications(), 1, 0)
    assert write_group(generated)["topics"][0] == {"name": "t0", "partitions": 1}
    assert [str(task.id) for task in generated.tasks] == ["0_0"]
    assert [client.id for client in generated.clients] == ["00000000-0000-0000-0000-000000000001"]


def test_timelines_begin_with_applications():
    for timeline in draw_examples(timelines(), 50, 0):
        assert timeline.start.clients
        assert len(timeline.events) <= 7


@pytest.mark.parametrize("assignor", [high_availability, legacy_sticky, fallback_prior])
def test_the_references_answer_every_application(assignor):
    for generated in thousand()[: some(250, 1_000)]:
        try:
            answer = assignor.assign(generated)
        except AssignorError:
            assert overflowing_costs(generated)
            continue
        assert set(answer.clients) == {client.id for client in generated.clients}
        for client in generated.clients:
            if client.consumers:
                assign_threads(client, answer.clients[client.id], client.consumers)

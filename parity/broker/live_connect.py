"""A running cluster of Connect settles on what the reference gives, round by round, as workers come and go; its listings are imported as they are."""

import json
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pytest
from connect_workers import connect_workers, create, settled

from kassay.cli import main
from kassay.families import family
from kassay.model.workers import FORGOTTEN, NOTHING, Cluster, Memory, WorkAssignment
from kassay.properties.workers.timelines import apply_answer, build_follow_up
from kassay.reference import ASSIGNORS

CONNECTORS = {"orders-source": 3, "clicks-source": 4}
ASSIGNOR = ASSIGNORS["connect/incremental-cooperative"]
SHAPE = family("connect").shape
CHANGES = ["a", "b", "c", "b", "a"]
"""Which worker comes, or leaves where it is there; the first one leads until it leaves."""


@dataclass(frozen=True)
class Round:
    """A round as a leader's assignor printed it: who leads, where the workers' REST interfaces are, what was asked and answered."""

    leader: str
    urls: dict[str, str]
    cluster: Cluster
    answer: WorkAssignment


@dataclass(frozen=True)
class Scene:
    """A cluster that has settled: what it says of its connectors, how many workers it has, and the rounds since the change before."""

    said: str
    workers: int
    rounds: list[Round]


def read_round(said: dict[str, Any]) -> Round:
    answer = SHAPE.read_beside(SHAPE.read_assignment(said["answer"]["assignment"]), said["answer"])
    return Round(said["leader"], said["urls"], SHAPE.read_group(said["cluster"]), answer)


@pytest.fixture(scope="module")
def scenes(cluster, folder, tmp_path_factory) -> list[Scene]:
    """Play the changes; the first two listings go also into a folder, for tests/listings/kafka-4.3."""
    played: list[Scene] = []
    with connect_workers(cluster.address, folder) as workers:
        ports: dict[str, int] = {}
        for letter in CHANGES:
            before = len(workers.rounds())
            if letter in ports:
                workers.stop(ports.pop(letter))
            else:
                ports[letter] = workers.start()
            if not played:
                for name, tasks in CONNECTORS.items():
                    create(ports[letter], name, tasks)
            said = settled(next(iter(ports.values())), len(ports), sum(CONNECTORS.values()))
            played.append(Scene(said, len(ports), [*map(read_round, workers.rounds()[before:])]))
    into = tmp_path_factory.mktemp("listings")
    for name, scene in zip(("connect-alone", "connect"), played, strict=False):
        (into / f"{name}.json").write_text(scene.said)
    return played


def test_the_reference_answers_each_round_as_the_leader(scenes):
    """It is fed with what it remembers itself; who takes the lead remembers nothing."""
    memories: dict[str, Memory] = {}
    for scene in scenes:
        assert scene.rounds
        for one in scene.rounds:
            memory = memories.get(one.leader, FORGOTTEN)
            answer = ASSIGNOR.assign(replace(one.cluster, memory=memory))
            assert SHAPE.same(answer, one.answer)
            memories[one.leader] = answer.memory
        assert build_follow_up(one.cluster, one.answer) is None
    assert len(memories) == 2
    answers = [one.answer for scene in scenes for one in scene.rounds]
    assert any(work.items for answer in answers for work in answer.revoked.values())
    assert any(answer.delay_ms for answer in answers)


def test_workers_report_what_they_were_given(scenes):
    for before, one in pairwise([one for scene in scenes for one in scene.rounds]):
        due = {worker.id: worker.work for worker in apply_answer(before.cluster, before.answer).workers}
        for worker in one.cluster.workers:
            assert worker.work == due.get(worker.id, NOTHING)


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_and_the_cluster_settles_on_it(number, scenes, tmp_path, capsys):
    last = scenes[number].rounds[-1]
    given = {last.urls[name].split("/")[2]: work for name, work in last.answer.workers.items()}
    running = {worker.id: worker.work for worker in imported(scenes[number], tmp_path, capsys).workers}
    assert SHAPE.same(WorkAssignment(running, {}), WorkAssignment(given, {}))


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_and_the_reference_has_nothing_to_change(number, scenes, tmp_path, capsys):
    group = imported(scenes[number], tmp_path, capsys)
    assert SHAPE.same(ASSIGNOR.assign(group), SHAPE.present(group))


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_a_cluster_is_imported_as_it_is(number, scenes, tmp_path, capsys):
    group = imported(scenes[number], tmp_path, capsys)
    assert {one.name: one.tasks for one in group.connectors} == CONNECTORS
    assert len(group.workers) == scenes[number].workers
    for name, stated in json.loads(scenes[number].said).items():
        for worker in group.workers:
            tasks = [task["id"] for task in stated["status"]["tasks"] if task["worker_id"] == worker.id]
            assert [one.task for one in worker.work.tasks if one.connector == name] == tasks
            runs = stated["status"]["connector"]["worker_id"] == worker.id
            assert (name in worker.work.connectors) == runs
    loads = [len(worker.work.tasks) for worker in group.workers]
    assert max(loads) - min(loads) <= 1


def imported(scene, folder, capsys) -> Cluster:
    (folder / "connectors.json").write_text(scene.said)
    assert main(["import", str(folder / "connectors.json")]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["family"] == "connect"
    return SHAPE.read_group(record)

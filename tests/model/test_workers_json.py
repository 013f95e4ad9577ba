"""The JSON of Connect's clusters and of what workers are given: read back as written, and every wrong field has its sentence."""

import json

import pytest
from families.tables import generated
from mutations import changed
from whole import seed_of_the_day, share

from kassay.errors import InputError
from kassay.model.workers import ConnectorTask, Memory, Work, WorkAssignment
from kassay.model.workers_json import (
    read_assignment,
    read_beside,
    read_group,
    write_assignment,
    write_beside,
    write_group,
)
from kassay.reference.connect import incremental_cooperative

PLAIN = {
    "connectors": [{"name": "c0", "tasks": 2}, {"name": "c1", "tasks": 0}],
    "workers": [{"id": "w0", "connectors": ["c0"], "tasks": [["c0", 0]]}, {"id": "w1"}],
    "config": {"scheduled.rebalance.max.delay.ms": 100},
    "time_ms": 7,
    "generation": 4,
    "last_completed_generation": 3,
    "memory": {
        "generation": 3, "members": ["w0", "w2"], "assignment": {"connectors": ["c0"], "tasks": [["c0", 0], ["c0", 1]]},
        "revocation": {"tasks": [["c0", 1]]}, "candidates": ["w1"], "scheduled_rebalance_ms": 9, "delay_ms": 5,
        "revoked": True, "revoking_rounds": 2, "may_revoke": False,
    },
}  # fmt: skip


def test_the_example_is_read_and_written_back():
    found = read_group(PLAIN)
    assert found.workers[0].work == Work(("c0",), (ConnectorTask("c0", 0),))
    assert found.memory.revocation == Work((), (ConnectorTask("c0", 1),))
    assert (found.max_delay_ms, found.memory.may_revoke) == (100, False)
    assert write_group(found) == PLAIN


def test_what_is_left_out_is_kafkas_default():
    found = read_group({"connectors": [], "workers": [{"id": "w0"}]})
    assert (found.max_delay_ms, found.generation, found.last_completed_generation) == (300_000, 1, 0)
    assert found.memory == Memory()


def test_every_cluster_and_every_answer_is_read_back_as_written():
    for cluster in generated("connect", share(150, 2_000), seed_of_the_day()):
        assert read_group(json.loads(json.dumps(write_group(cluster)))) == cluster
        answer = incremental_cooperative.assign(cluster)
        written = json.loads(json.dumps({"assignment": write_assignment(answer), **write_beside(answer)}))
        read = read_beside(read_assignment(written["assignment"]), written)
        assert read._replace(revoked={}) == answer._replace(revoked={})
        assert read.revoked == {name: work for name, work in answer.revoked.items() if work.items}


def test_plain_values_of_code_are_taken():
    given = {"w0": (["c0"], [("c0", 1)]), "w1": {"tasks": [["c0", 0]]}}
    written = {
        "w0": {"connectors": ["c0"], "tasks": [["c0", 1]]},
        "w1": {"connectors": [], "tasks": [["c0", 0]]},
    }
    assert write_assignment(given) == written
    assert write_beside(given) == {}


WRONG = [
    (("connectors", 0, "tasks"), -1, "connectors[0].tasks: connector 'c0' has -1; give 0 to 2147483647"),
    (("connectors", 0, "tasks"), 2**31 - 1, "connectors: they have 2147483647 tasks; give at most 1000000"),
    (("connectors", 0, "tasks"), "2", "connectors[0].tasks: Expected `int`"),
    (("connectors", 1, "name"), "c0", "connectors: c0 is listed twice; list it once"),
    (("connectors", 0, "task"), 1, "connectors[0]: there is no field `task`"),
    (("workers",), [], "workers: there is none; list one or more"),
    (("workers", 1, "id"), "w0", "workers: w0 is listed twice"),
    (("workers", 0, "connectors"), ["c0", "c0"], "workers[0].connectors: worker 'w0': c0 is listed twice"),
    (("workers", 0, "tasks"), [["c0", 0], ["c0", 0]], "workers[0].tasks: worker 'w0': c0-0 is listed twice"),
    (("workers", 0, "tasks"), [["c0", -1]], "workers[0].tasks: worker 'w0': c0--1; tasks are numbered 0 to"),
    (("workers", 0, "tasks"), [["c0"]], "workers[0].tasks[0]: Expected `array` of length 2"),
    (("workers", 0, "rack"), "a", "workers[0]: there is no field `rack`"),
    (("config", "scheduled.rebalance.max.delay.ms"), -1, "config.scheduled.rebalance.max.delay.ms: -1; give 0 to"),
    (("config", "delay"), 1, "config: there is no field `delay`"),
    (("time_ms",), -1, "time_ms: -1; give 0 to"),
    (("generation",), -1, "generation: -1; give 0 to"),
    (("last_completed_generation",), -2, "last_completed_generation: -2; give -1 to"),
    (("memory", "generation"), -2, "memory.generation: -2; give -1 to"),
    (("memory", "members"), ["w0", "w0"], "memory.members: w0 is listed twice"),
    (("memory", "candidates"), ["w0", "w0"], "memory.candidates: w0 is listed twice"),
    (("memory", "assignment", "connectors"), ["c0", "c0"], "memory.assignment.connectors: c0 is listed twice"),
    (("memory", "revocation", "tasks"), [["c0", -1]], "memory.revocation.tasks: c0--1; tasks are numbered"),
    (("memory", "scheduled_rebalance_ms"), -1, "memory.scheduled_rebalance_ms: -1; give 0 to"),
    (("memory", "delay_ms"), -1, "memory.delay_ms: -1; give 0 to"),
    (("memory", "revoking_rounds"), -1, "memory.revoking_rounds: -1; give 0 to"),
    (("memory", "revoked"), 1, "memory.revoked: Expected `bool`"),
    (("memory", "lost"), [], "memory: there is no field `lost`"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "sentence"), WRONG, ids=lambda part: str(part)[:40])
def test_every_wrong_field_has_its_sentence(path, value, sentence):
    with pytest.raises(InputError) as raised:
        read_group(changed(PLAIN, path, value))
    assert sentence in str(raised.value)


WRONG_ANSWERS = [
    ({"revoked": {"w0": ["c0"]}}, "revoked[...]: Expected `object`"),
    ({"delay_ms": "5"}, "delay_ms: Expected `int`"),
    ({"memory": {"delay_ms": -5}}, "memory.delay_ms: -5; give 0 to"),
]


@pytest.mark.parametrize(("beside", "sentence"), WRONG_ANSWERS)
def test_wrong_answers_have_their_sentence(beside, sentence):
    with pytest.raises(InputError) as raised:
        read_beside(WorkAssignment({}, {}), beside)
    assert sentence in str(raised.value)

"""The JSON of applications and of assignments of tasks: read back as written, and every wrong field has its sentence."""

import json
import random

import pytest
from classes.groups.random_applications import application
from hypothesis import given, settings
from hypothesis import strategies as st
from mutations import changed
from whole import share

from kassay.cli import main
from kassay.engine.generate import drawn
from kassay.errors import InputError
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model.tasks import STRATEGIES, Given, TaskAssignment, TaskId
from kassay.model.tasks_json import (
    read_assignment,
    read_beside,
    read_group,
    write_assignment,
    write_beside,
    write_group,
)

ONE, TWO = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))
PLAIN = {
    "topics": [{"name": "in", "partitions": 2, "racks": [["a"], None]}, {"name": "log", "partitions": 2}],
    "tasks": [
        {"id": "0_0", "inputs": [["in", 0]]},
        {"id": "0_1", "stateful": True, "inputs": [["in", 1]], "changelogs": [["log", 1]]},
    ],
    "clients": [
        {
            "id": ONE, "threads": 2, "rack": "a", "tags": {"zone": "z"}, "active": ["0_0"], "standby": ["0_1"],
            "lags": {"0_1": 5}, "consumers": {"c": {"0_1": 12}},
        },
        {"id": TWO, "threads": 1, "lags": {"0_1": -3}},
    ],
    "config": {"num.standby.replicas": 1, "rack.aware.assignment.tags": ["zone"]},
}  # fmt: skip


def test_the_example_is_read_and_written_back():
    found = read_group(PLAIN)
    assert found.settings.num_standby_replicas == 1
    assert found.clients[0].lags == {TaskId(0, 1): 5}
    assert found.topics[0].racks == (("a",), ())
    assert write_group(found) == PLAIN


@settings(max_examples=share(60, 2_000), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(STRATEGIES))
def test_every_application_is_read_back_as_written(seed, strategy):
    drawn = application(random.Random(seed), strategy)
    assert read_group(json.loads(json.dumps(write_group(drawn)))) == drawn


WRONG = [
    (("tasks", 0, "id"), "0-0", "tasks[0].id: '0-0' is no task"),
    (("tasks", 0, "id"), "x__0_0", "tasks[0].id: 'x__0_0' is no task"),
    (("tasks", 0, "id"), "0_99999999999", "tasks[0].id: task 0_99999999999; subtopology and partition are 0 to"),
    (("tasks", 0, "id"), "0_1", "tasks: 0_1 is listed twice"),
    (("tasks", 0, "stateful"), "yes", "tasks[0].stateful: Expected `bool`"),
    (("tasks", 0, "inputs"), [["in", 2]], "inputs: task 0_0 reads in-2, which no topic has"),
    (("tasks", 0, "inputs"), [["in", 0], ["in", 0]], "tasks[0].inputs: task 0_0 lists in-0 twice"),
    (("tasks", 0, "inputs"), [["in"]], "tasks[0].inputs[0]"),
    (("tasks", 0, "changelogs"), [["log", 0]], "tasks[0].changelogs: task 0_0 has some but is not stateful"),
    (("tasks", 1, "changelogs"), [["gone", 0]], "changelogs: task 0_1 reads gone-0, which no topic has"),
    (("tasks", 0, "reads"), [], "tasks[0]: there is no field `reads`"),
    (("topics", 0, "partitions"), -1, "topics[0].partitions: topic 'in' has -1"),
    (("topics", 0, "racks"), [["a"]], "topics[0].racks: topic 'in' has 2 partitions but 1 entries"),
    (("topics", 1, "name"), "in", "topics: in is listed twice"),
    (("clients", 0, "id"), "me", "clients[0].id: client 'me' is no UUID"),
    (("clients", 1, "id"), ONE, f"clients: {ONE} is listed twice"),
    (("clients", 0, "threads"), 0, "clients[0].threads: client"),
    (("clients", 0, "threads"), 2**31 - 1, "clients: they have 2147483648 threads in all; give at most 1000000"),
    (("clients", 0, "threads"), 1.5, "clients[0].threads: Expected `int`"),
    (("clients", 0, "active"), ["0_1"], "clients[0].standby: client 00000000-0000-0000-0000-000000000001 had 0_1 active too"),
    (("clients", 0, "active"), ["0_0", "0_0"], "clients[0].active: client"),
    (("clients", 0, "standby"), ["1"], "clients[0].standby: '1' is no task"),
    (("clients", 0, "lags"), {}, "lags: client 00000000-0000-0000-0000-000000000001 says nothing of 0_1"),
    (("clients", 0, "lags"), {"0_1": -1}, "clients[0].lags: client 00000000-0000-0000-0000-000000000001 has -1 for 0_1"),
    (("clients", 0, "lags"), {"0_1": 2**63}, "clients[0].lags"),
    (("clients", 0, "lags"), {"0_1": 0, "0_7": 0}, "lags: client 00000000-0000-0000-0000-000000000001 names 0_7"),
    (("clients", 0, "lags"), {"no": 0}, "clients[0].lags: 'no' is no task"),
    (("clients", 0, "tags"), {"t" * 21: "v"}, "clients[0].tags: client"),
    (("clients", 0, "tags"), {"t": "v" * 31}, "a tag may have 20 letters, its value 30"),
    (("clients", 0, "tags"), {str(n): "v" for n in range(6)}, "give at most 5"),
    (("clients", 0, "consumers"), {"c": {"0_1": -7}}, "clients[0].consumers: 'c' of client"),
    (("clients", 0, "host"), "h", "clients[0]: there is no field `host`"),
    (("config", "num.standby.replicas"), -1, "config.num.standby.replicas: -1"),
    (("config", "max.warmup.replicas"), 0, "config.max.warmup.replicas: 0; give 1 to"),
    (("config", "acceptable.recovery.lag"), -1, "config.acceptable.recovery.lag: -1"),
    (("config", "rack.aware.assignment.strategy"), "fast", "config.rack.aware.assignment.strategy: 'fast'; give none, min_traffic"),
    (("config", "rack.aware.assignment.tags"), ["a", "a"], "config.rack.aware.assignment.tags: 'a' is listed twice"),
    (("config", "rack.aware.assignment.traffic_cost"), 2**31, "config.rack.aware.assignment.traffic_cost: 2147483648"),
    (("config", "rack.aware.assignment.non_overlap_cost"), -(2**40), "config.rack.aware.assignment.non_overlap_cost"),
    (("config", "num_standby_replicas"), 1, "config: there is no field `num_standby_replicas`"),
    (("members",), [], "there is no field `members`"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "said"), WRONG, ids=[wanted for *_, wanted in WRONG])
def test_every_wrong_field_has_its_sentence(place, value, said):
    with pytest.raises(InputError) as refused:
        read_group(changed(PLAIN, place, value))
    assert said in str(refused.value)


ANSWER = TaskAssignment({ONE: Given((TaskId(0, 0),), (TaskId(0, 1),)), TWO: Given((), ())}, probing=True)


def test_an_answer_is_read_back_as_written():
    written = write_assignment(ANSWER)
    assert written == {ONE: {"active": ["0_0"], "standby": ["0_1"]}, TWO: {"active": [], "standby": []}}
    assert read_beside(read_assignment(written), write_beside(ANSWER)) == ANSWER
    assert write_beside(ANSWER._replace(probing=False)) == {}


def test_plain_values_of_code_are_taken():
    written = write_assignment(ANSWER)
    assert write_assignment({ONE: {"active": [(0, 0)], "standby": ["0_1"]}, TWO: ((), ())}) == written


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "Expected `object`"),
        ({ONE: ["0_0"]}, "Expected `object`"),
        ({ONE: {"active": ["x"]}}, f"{ONE}.active: 'x' is no task"),
        ({ONE: {"warmup": []}}, "there is no field `warmup`"),
    ],
)
def test_what_is_no_assignment_is_refused(data, said):
    with pytest.raises(InputError, match=said):
        read_assignment(data)


def test_probing_is_true_or_false():
    with pytest.raises(InputError, match="probing: 'no'"):
        read_beside(ANSWER, {"probing": "no"})


def test_assign_prints_that_a_probing_rebalance_is_to_follow(tmp_path, capsys):
    streams, high = family("streams"), ASSIGNORS["streams/high-availability"].assign
    groups = drawn(streams.shape.groups(), 60, 0)
    probing = next(each for each in groups if high(each).probing)
    rests = next(each for each in groups if not high(each).probing)
    file = tmp_path / "applications.jsonl"
    file.write_text("".join(f"{json.dumps(streams.write_group(each))}\n" for each in (probing, rests)))
    assert main(["assign", "streams/high-availability", str(file)]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == {"assignment": write_assignment(high(probing)), "probing": True}
    assert second == write_assignment(high(rests))
    assert main(["assign", "streams/high-availability", str(file), "--format", "pretty"]) == 0
    assert capsys.readouterr().out.count("probing: true") == 1

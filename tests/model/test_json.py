"""The JSON of applications, streams groups and Connect clusters, and of their assignments: read back as written, and every wrong field has its sentence."""

import json
import random

import pytest
from classes.groups.random_applications import application
from families.tables import generated
from hypothesis import given, settings
from hypothesis import strategies as st
from mutations import changed
from whole import seed_of_the_day, share

from kassay.cli import main
from kassay.engine.generate import draw_examples
from kassay.errors import InputError
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model import streams_group_json, tasks_json, workers_json
from kassay.model.streams_group import MemberTasks, StreamsMember
from kassay.model.tasks import STRATEGIES, Given, TaskAssignment, TaskId
from kassay.model.workers import ConnectorTask, Memory, Work, WorkAssignment
from kassay.properties.tasks.strategies import groups
from kassay.reference.connect import incremental_cooperative

CLUSTER = {
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
ONE, TWO = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))
APPLICATION = {
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
GROUP = {
    "subtopologies": [{"id": "0", "partitions": 3, "stateful": True}, {"id": "10", "partitions": 1}],
    "members": [
        {
            "id": "m0", "process_id": "p0", "instance_id": "i", "rack": "r", "tags": {"zone": "z1"}, "active": ["0_0"],
            "standby": ["0_1"], "warmup": ["0_2"], "offsets": {"0_1": 12}, "end_offsets": {"0_1": 40},
        },
        {"id": "m1", "process_id": "p0", "active": ["10_0", "99_1"]},
    ],
    "config": {"num.standby.replicas": 1, "rack.aware.assignment.tags": ["zone"]},
}  # fmt: skip


def test_the_examples_are_read_and_written_back():
    cluster = workers_json.read_group(CLUSTER)
    assert cluster.workers[0].work == Work(("c0",), (ConnectorTask("c0", 0),))
    assert cluster.memory.revocation == Work((), (ConnectorTask("c0", 1),))
    assert (cluster.max_delay_ms, cluster.memory.may_revoke) == (100, False)
    assert workers_json.write_group(cluster) == CLUSTER
    found = tasks_json.read_group(APPLICATION)
    assert found.settings.num_standby_replicas == 1
    assert found.clients[0].lags == {TaskId(0, 1): 5}
    assert found.topics[0].racks == (("a",), ())
    assert tasks_json.write_group(found) == APPLICATION
    group = streams_group_json.read_group({"family": "streams-group", "name": "shop", **GROUP})
    assert group.members[0] == StreamsMember(
        "m0", "p0", (TaskId(0, 0),), (TaskId(0, 1),), (TaskId(0, 2),), {TaskId(0, 1): 12}, {TaskId(0, 1): 40},
        "i", "r", (("zone", "z1"),),
    )  # fmt: skip
    assert streams_group_json.write_group(group) == GROUP


def test_what_is_left_out_of_a_cluster_is_kafkas_default():
    found = workers_json.read_group({"connectors": [], "workers": [{"id": "w0"}]})
    assert (found.max_delay_ms, found.generation, found.last_completed_generation) == (300_000, 1, 0)
    assert found.memory == Memory()


@settings(max_examples=share(60, 2_000), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(STRATEGIES), groups())
def test_every_application_and_streams_group_is_read_back_as_written(seed, strategy, group):
    drawn = application(random.Random(seed), strategy)
    assert tasks_json.read_group(json.loads(json.dumps(tasks_json.write_group(drawn)))) == drawn
    assert (
        streams_group_json.read_group(json.loads(json.dumps(streams_group_json.write_group(group)))) == group
    )


def test_every_cluster_and_every_answer_is_read_back_as_written():
    for cluster in generated("connect", share(150, 2_000), seed_of_the_day()):
        assert workers_json.read_group(json.loads(json.dumps(workers_json.write_group(cluster)))) == cluster
        answer = incremental_cooperative.assign(cluster)
        told = {"assignment": workers_json.write_assignment(answer), **workers_json.write_beside(answer)}
        written = json.loads(json.dumps(told))
        read = workers_json.read_beside(workers_json.read_assignment(written["assignment"]), written)
        assert read._replace(revoked={}) == answer._replace(revoked={})
        assert read.revoked == {name: work for name, work in answer.revoked.items() if work.items}


WRONG_CLUSTERS = [
    (("connectors", 0, "tasks"), -1, "connectors[0].tasks: connector 'c0' has -1. Give 0 to 2147483647"),
    (("connectors", 0, "tasks"), 2**31 - 1, "connectors: they have 2147483647 tasks. Give at most 1000000"),
    (("connectors", 0, "tasks"), "2", "connectors[0].tasks: Expected `int`"),
    (("connectors", 1, "name"), "c0", "connectors: c0 is listed twice. List it once"),
    (("connectors", 0, "task"), 1, "connectors[0]: there is no field `task`"),
    (("workers",), [], "workers: the list is empty. List one or more"),
    (("workers", 1, "id"), "w0", "workers: w0 is listed twice"),
    (("workers", 0, "connectors"), ["c0", "c0"], "workers[0].connectors: worker 'w0': c0 is listed twice"),
    (("workers", 0, "tasks"), [["c0", 0], ["c0", 0]], "workers[0].tasks: worker 'w0': c0-0 is listed twice"),
    (("workers", 0, "tasks"), [["c0", -1]], "workers[0].tasks: worker 'w0': c0--1. Give tasks from 0 to"),
    (("workers", 0, "tasks"), [["c0"]], "workers[0].tasks[0]: Expected `array` of length 2"),
    (("workers", 0, "rack"), "a", "workers[0]: there is no field `rack`"),
    (("config", "scheduled.rebalance.max.delay.ms"), -1, "config.scheduled.rebalance.max.delay.ms: -1. Give 0 to"),
    (("config", "delay"), 1, "config: there is no field `delay`"),
    (("time_ms",), -1, "time_ms: -1. Give 0 to"),
    (("generation",), -1, "generation: -1. Give 0 to"),
    (("last_completed_generation",), -2, "last_completed_generation: -2. Give -1 to"),
    (("memory", "generation"), -2, "memory.generation: -2. Give -1 to"),
    (("memory", "members"), ["w0", "w0"], "memory.members: w0 is listed twice"),
    (("memory", "candidates"), ["w0", "w0"], "memory.candidates: w0 is listed twice"),
    (("memory", "assignment", "connectors"), ["c0", "c0"], "memory.assignment.connectors: c0 is listed twice"),
    (("memory", "revocation", "tasks"), [["c0", -1]], "memory.revocation.tasks: c0--1. Give tasks from"),
    (("memory", "scheduled_rebalance_ms"), -1, "memory.scheduled_rebalance_ms: -1. Give 0 to"),
    (("memory", "delay_ms"), -1, "memory.delay_ms: -1. Give 0 to"),
    (("memory", "revoking_rounds"), -1, "memory.revoking_rounds: -1. Give 0 to"),
    (("memory", "revoked"), 1, "memory.revoked: Expected `bool`"),
    (("memory", "lost"), [], "memory: there is no field `lost`"),
]  # fmt: skip
WRONG_APPLICATIONS = [
    (("tasks", 0, "id"), "0-0", "tasks[0].id: '0-0' is no task"),
    (("tasks", 0, "id"), "x__0_0", "tasks[0].id: 'x__0_0' is no task"),
    (("tasks", 0, "id"), "0_99999999999", "tasks[0].id: is 0_99999999999. Give a subtopology and a partition from 0 to"),
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
    (("clients", 0, "id"), "me", "clients[0].id: client 'me' is not a UUID"),
    (("clients", 1, "id"), ONE, f"clients: {ONE} is listed twice"),
    (("clients", 0, "threads"), 0, "clients[0].threads: client"),
    (("clients", 0, "threads"), 2**31 - 1, "clients: they have 2147483648 threads in all. Give at most 1000000"),
    (("clients", 0, "threads"), 1.5, "clients[0].threads: Expected `int`"),
    (("clients", 0, "active"), ["0_1"], "clients[0].standby: client 00000000-0000-0000-0000-000000000001 had 0_1 active too"),
    (("clients", 0, "active"), ["0_0", "0_0"], "clients[0].active: client"),
    (("clients", 0, "standby"), ["1"], "clients[0].standby: '1' is no task"),
    (("clients", 0, "lags"), {}, "lags: client 00000000-0000-0000-0000-000000000001 has no lag of 0_1"),
    (("clients", 0, "lags"), {"0_1": -1}, "clients[0].lags: client 00000000-0000-0000-0000-000000000001 has -1 for 0_1"),
    (("clients", 0, "lags"), {"0_1": 2**63}, "clients[0].lags"),
    (("clients", 0, "lags"), {"0_1": 0, "0_7": 0}, "lags: client 00000000-0000-0000-0000-000000000001 names 0_7"),
    (("clients", 0, "lags"), {"no": 0}, "clients[0].lags: 'no' is no task"),
    (("clients", 0, "tags"), {"t" * 21: "v"}, "clients[0].tags: client"),
    (("clients", 0, "tags"), {"t": "v" * 31}, f"clients[0].tags: client {ONE} has t={'v' * 31}. A tag may have 20 letters, its value 30"),
    (("clients", 0, "tags"), {str(n): "v" for n in range(6)}, f"clients[0].tags: client {ONE} has 6. Give at most 5"),
    (("clients", 0, "consumers"), {"c": {"0_1": -7}}, "clients[0].consumers: 'c' of client"),
    (("clients", 0, "host"), "h", "clients[0]: there is no field `host`"),
    (("config", "num.standby.replicas"), -1, "config.num.standby.replicas: -1"),
    (("config", "max.warmup.replicas"), 0, "config.max.warmup.replicas: 0. Give 1 to"),
    (("config", "acceptable.recovery.lag"), -1, "config.acceptable.recovery.lag: -1"),
    (("config", "rack.aware.assignment.strategy"), "fast", "config.rack.aware.assignment.strategy: 'fast'. Give none, min_traffic"),
    (("config", "rack.aware.assignment.tags"), ["a", "a"], "config.rack.aware.assignment.tags: 'a' is listed twice"),
    (("config", "rack.aware.assignment.traffic_cost"), 2**31, "config.rack.aware.assignment.traffic_cost: 2147483648"),
    (("config", "rack.aware.assignment.non_overlap_cost"), -(2**40), "config.rack.aware.assignment.non_overlap_cost"),
    (("config", "num_standby_replicas"), 1, "config: there is no field `num_standby_replicas`"),
    (("members",), [], "there is no field `members`"),
]  # fmt: skip
MEMBER = ("members", 0)
WRONG_GROUPS = [
    (("subtopologies", 0, "id"), 0, "subtopologies[0].id: Expected `str`"),
    (("subtopologies", 1, "id"), "0", "subtopologies: 0 is listed twice"),
    (("subtopologies", 0, "partitions"), -1, "subtopologies[0].partitions: subtopology 0 has -1. Give 0 to 2147483647"),
    (("subtopologies", 0, "partitions"), 2**31 - 1, "subtopologies: they have 21474836"),
    (("subtopologies", 0, "stateful"), "yes", "subtopologies[0].stateful: Expected `bool`"),
    (("subtopologies", 0, "topics"), [], "subtopologies[0]: there is no field `topics`"),
    ((*MEMBER, "id"), "m1", "members: m1 is listed twice"),
    ((*MEMBER, "process_id"), "", "members[0].process_id: member 'm0' has none. Name the process"),
    ((*MEMBER, "process_id"), None, "members[0].process_id: Expected `str`"),
    ((*MEMBER, "active"), ["0_x"], "members[0].active: '0_x' is no task"),
    ((*MEMBER, "active"), ["0_0", "0_0"], "members[0].active: member m0 lists 0_0 twice"),
    ((*MEMBER, "standby"), ["0_0"], "members[0].standby: member m0 has 0_0 in another role too"),
    ((*MEMBER, "warmup"), ["0_1"], "members[0].warmup: member m0 has 0_1 in another role too"),
    ((*MEMBER, "offsets"), {"0_1": 2**63}, "members[0].offsets: member m0 has 9223372036854775808 for 0_1. Give -9223372036854775808 to"),
    ((*MEMBER, "end_offsets"), {"a": 1}, "members[0].end_offsets: 'a' is no task"),
    ((*MEMBER, "tags"), {"t" * 21: "x"}, "members[0].tags: member m0 has ttttt"),
    ((*MEMBER, "tags"), {str(n): "x" for n in range(6)}, "members[0].tags: member m0 has 6. Give at most 5"),
    ((*MEMBER, "lags"), {}, "members[0]: there is no field `lags`"),
    (("config", "num.standby.replicas"), -1, "config.num.standby.replicas: -1. Give 0 to 2147483647"),
    (("config", "num.standby.replicas"), 2**31 - 1, "config.num.standby.replicas: with 2147483647 there are"),
    (("config", "rack.aware.assignment.tags"), ["a", "a"], "config.rack.aware.assignment.tags: 'a' is listed twice"),
    (("config", "rack.aware.assignment.tags"), list("abcdef"), "config.rack.aware.assignment.tags: 6 tags. Give at most 5"),
    (("config", "max.warmup.replicas"), 1, "config: there is no field `max.warmup.replicas`"),
    (("topics",), [], "there is no field `topics`"),
]  # fmt: skip
WRONG = [
    *(("connect/eager", workers_json.read_group, CLUSTER, *wrong) for wrong in WRONG_CLUSTERS),
    *(("streams/sticky", tasks_json.read_group, APPLICATION, *wrong) for wrong in WRONG_APPLICATIONS),
    *(("streams-group/sticky", streams_group_json.read_group, GROUP, *wrong) for wrong in WRONG_GROUPS),
]


@pytest.mark.parametrize(
    ("target", "read", "whole", "path", "value", "says"),
    WRONG,
    ids=[f"{one[0]} {one[-1]}"[:70] for one in WRONG],
)
def test_each_wrong_field_has_its_sentence(target, read, whole, path, value, says, tmp_path, capsys):
    with pytest.raises(InputError) as refused:
        read(changed(whole, path, value))
    assert str(refused.value).startswith(says)
    file = tmp_path / "group.json"
    file.write_text(json.dumps(changed(whole, path, value)))
    assert main(["assign", target, str(file)]) == 2
    assert says[:40] in capsys.readouterr().err


def test_plain_values_of_code_are_taken():
    given_ = {"w0": (["c0"], [("c0", 1)]), "w1": {"tasks": [["c0", 0]]}}
    assert workers_json.write_assignment(given_) == {
        "w0": {"connectors": ["c0"], "tasks": [["c0", 1]]},
        "w1": {"connectors": [], "tasks": [["c0", 0]]},
    }
    assert workers_json.write_beside(given_) == {}
    named = {ONE: {"active": [(0, 0)], "standby": ["0_1"]}, TWO: ((), ())}
    assert tasks_json.write_assignment(named) == tasks_json.write_assignment(ANSWER)
    written = {"m0": {"active": ["0_0"], "standby": [], "warmup": []}}
    for one in (MemberTasks((TaskId(0, 0),)), {"active": [(0, 0)]}, (["0_0"], [])):
        assert streams_group_json.write_assignment({"m0": one}) == written
    assert streams_group_json.read_assignment(written) == {"m0": MemberTasks((TaskId(0, 0),))}


CLUSTER_ANSWER = WorkAssignment({}, {})
ANSWER = TaskAssignment({ONE: Given((TaskId(0, 0),), (TaskId(0, 1),)), TWO: Given((), ())}, probing=True)


def test_an_answer_is_read_back_as_written():
    written = tasks_json.write_assignment(ANSWER)
    assert written == {ONE: {"active": ["0_0"], "standby": ["0_1"]}, TWO: {"active": [], "standby": []}}
    assert (
        tasks_json.read_beside(tasks_json.read_assignment(written), tasks_json.write_beside(ANSWER)) == ANSWER
    )
    assert tasks_json.write_beside(ANSWER._replace(probing=False)) == {}


@pytest.mark.parametrize(
    ("read", "data", "said"),
    [
        (tasks_json.read_assignment, [], "Expected `object`"),
        (tasks_json.read_assignment, {ONE: ["0_0"]}, "Expected `object`"),
        (tasks_json.read_assignment, {ONE: {"active": ["x"]}}, f"{ONE}.active: 'x' is no task"),
        (tasks_json.read_assignment, {ONE: {"warmup": []}}, "there is no field `warmup`"),
        (streams_group_json.read_assignment, {"m0": {"standby": ["x"]}}, "m0.standby: 'x' is no task"),
        (lambda data: tasks_json.read_beside(ANSWER, data), {"probing": "no"}, "probing: 'no'"),
        (lambda data: workers_json.read_beside(CLUSTER_ANSWER, data), {"revoked": {"w0": ["c0"]}}, "revoked[...]: Expected `object`"),
        (lambda data: workers_json.read_beside(CLUSTER_ANSWER, data), {"delay_ms": "5"}, "delay_ms: Expected `int`"),
        (lambda data: workers_json.read_beside(CLUSTER_ANSWER, data), {"memory": {"delay_ms": -5}}, "memory.delay_ms: -5. Give 0 to"),
    ],
)  # fmt: skip
def test_wrong_answers_have_their_sentence(read, data, said):
    with pytest.raises(InputError) as refused:
        read(data)
    assert said in str(refused.value)


def test_assign_prints_that_a_probing_rebalance_is_to_follow(tmp_path, capsys):
    streams, high = family("streams"), ASSIGNORS["streams/high-availability"].assign
    groups = draw_examples(streams.shape.groups(), 60, 0)
    probing = next(each for each in groups if high(each).probing)
    rests = next(each for each in groups if not high(each).probing)
    file = tmp_path / "applications.jsonl"
    file.write_text("".join(f"{json.dumps(streams.write_group(each))}\n" for each in (probing, rests)))
    assert main(["assign", "streams/high-availability", str(file)]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == {"assignment": tasks_json.write_assignment(high(probing)), "probing": True}
    assert second == tasks_json.write_assignment(high(rests))
    assert main(["assign", "streams/high-availability", str(file), "--format", "pretty"]) == 0
    assert capsys.readouterr().out.count("probing: true") == 1

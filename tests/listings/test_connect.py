"""Clusters of Connect, as /connectors?expand=status&expand=info of Kafka 4.3.1 printed them with one worker and with two."""

import json
from pathlib import Path

import pytest
from printed import json_lines

from kassay.cli import main
from kassay.errors import InputError
from kassay.listings.import_groups import ListedDetails, is_listed, read_listed

FOLDER = Path(__file__).parent / "kafka-4.3"
ONE = '{"c": {"status": {"connector": {"state": "RUNNING", "worker_id": "w:1"}, "tasks": %s}}}'
TASK = '{"id": %s, "state": "%s", "worker_id": "w:1"}'


def read(*texts, **details):
    (found,) = read_listed(
        [(f"f{number}", text) for number, text in enumerate(texts)],
        leader=False,
        details=ListedDetails(**details),
    )
    assert found.family == "connect"
    return found


@pytest.mark.parametrize(("name", "workers"), [("connect-alone", 1), ("connect", 2)])
def test_a_cluster_is_read_as_it_is(name, workers):
    text = (FOLDER / f"{name}.json").read_text()
    found = read(text)
    assert found.record["connectors"] == [
        {"name": "clicks-source", "tasks": 4},
        {"name": "orders-source", "tasks": 3},
    ]
    assert len(found.record["workers"]) == workers
    placed = {
        (name, task["id"]): task["worker_id"]
        for name, one in json.loads(text).items()
        for task in one["status"]["tasks"]
    }
    assert {
        (name, task): one["id"] for one in found.record["workers"] for name, task in one["tasks"]
    } == placed
    assert sum(len(one["connectors"]) for one in found.record["workers"]) == 2


def test_status_and_info_may_come_apart():
    both = json.loads((FOLDER / "connect.json").read_text())
    status, info = (
        json.dumps({name: {part: one[part]} for name, one in both.items()}) for part in ("status", "info")
    )
    assert read(status, info).record == read(json.dumps(both)).record == read(status).record
    found = read(info, workers=["w:1"])
    assert found.record["workers"] == [{"id": "w:1"}]
    assert found.warnings[0].startswith(
        "where 2 connectors run is not printed (clicks-source, orders-source)"
    )


def test_what_nobody_runs_is_said():
    tasks = f"[{TASK % (0, 'FAILED')}, {TASK % (2, 'UNASSIGNED')}]"
    found = read(
        ONE.replace("RUNNING", "UNASSIGNED") % tasks,
        workers=["idle:1"],
        config=["scheduled.rebalance.max.delay.ms=0"],
    )
    said = ("connectors", "workers", "config")
    assert {name: found.record[name] for name in said} == {
        "connectors": [{"name": "c", "tasks": 3}],
        "workers": [{"id": "idle:1"}, {"id": "w:1", "tasks": [["c", 0]]}],
        "config": {"scheduled.rebalance.max.delay.ms": 0},
    }
    assert found.warnings[:2] == (
        "No worker runs 1 connector (c).",
        "No worker runs 2 tasks of connectors (c-1, c-2).",
    )
    assert len(found.warnings) == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"c": {"status": {', "f0:1: the JSON that begins here is cut off. Give the whole output."),
        ('{"c": {"status": 1}}', "f0: c.status: is '1', not an object. Give what GET /connectors?expand=status prints"),
        ('{"c": {"status": {"tasks": []}}}', "f0: c.status.connector: is 'null', not an object"),
        (ONE % "null", "f0: c.status.tasks: is 'null', not a list"),
        (ONE % '[{"id": 0, "state": "RUNNING"}]', "f0: c.status.tasks[0].worker_id: is 'null'. Give"),
        (ONE % f"[{TASK % (-1, 'RUNNING')}]", "f0: c.status.tasks[0].id: is '-1'. Give the number of a task"),
        (ONE % f"[{TASK % ('true', 'RUNNING')}]", "f0: c.status.tasks[0].id: is 'true'. Give the number of a task"),
        (ONE % f"[{TASK % (0, 'RUNNING')}, {TASK % (0, 'RUNNING')}]", "f0: c.status.tasks[1].id: task 0 is listed twice"),
        (ONE % f"[{TASK % (10**7, 'RUNNING')}]", "f0: there are 10000001 tasks, 10000001 of them of 'c'. Give connectors"),
        ('{"c": {"info": {"tasks": [{"task": "x"}]}}}', "f0: c.info.tasks[0].task: is '\"x\"'. Give the number"),
        ('{"c": {"info": {"tasks": []}}}', "f0: nothing tells of a worker. Name workers by --worker, or give what"),
        ('{"": {"info": {"tasks": []}}}', "f0: '' is no name of a connector"),
        ('{"c": {"info": {"tasks": []}, "info": 1}}', "f0:1: the key 'info' stands twice in an object. Give"),
        ('{"error_code": 409, "message": "stale"}', "f0:1: Connect answered error '409': 'stale'. Ask again once it has settled"),
    ],
)  # fmt: skip
def test_refusals(text, said):
    assert is_listed(text)
    with pytest.raises(InputError) as refused:
        read(text)
    assert str(refused.value).startswith(said)


def test_a_setting_that_connect_does_not_read_is_refused():
    with pytest.raises(InputError, match=r"--config tasks\.max: assignors of Connect read no such setting"):
        read(ONE % "[]", config=["tasks.max=3"])


@pytest.mark.parametrize(
    "text", ['{"family": "consumer"}', '{"topics": {"status": {}}}', "{}", '{"c": {}}', "[]"]
)
def test_other_json_is_none_of_it(text):
    assert is_listed(text) == ("status" in text)


def test_the_command_writes_it_beside_groups(capsys):
    assert (
        main(
            [
                "import",
                str(FOLDER / "connect.json"),
                str(FOLDER / "share-members.txt"),
                "--worker",
                "idle:8083",
            ]
        )
        == 0
    )
    records = json_lines(capsys)
    assert [record["family"] for record in records] == ["share", "connect"]
    assert [len(worker.get("tasks", [])) for worker in records[1]["workers"]] == [3, 4, 0]

"""Clusters of Connect, as /connectors?expand=status&expand=info of Kafka 4.3.1 printed them with one worker and with two."""

import json

import pytest
from listings.headers import FOLDER
from printed import json_lines

from kassay.cli import main
from kassay.errors import InputError
from kassay.listings.details import ListedDetails
from kassay.listings.import_groups import is_listed, read_listed

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
        "the workers of 2 connectors are not printed (clicks-source, orders-source)"
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

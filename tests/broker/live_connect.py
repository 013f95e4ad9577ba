"""What Connect says of a cluster of two workers is imported as that cluster, on which the reference has nothing to change."""

import json

import pytest
from connect_workers import connect_workers, create, settled

from kassay.cli import main
from kassay.families import FAMILIES, family
from kassay.reference import ASSIGNORS

CONNECTORS = {"orders-source": 3, "clicks-source": 4}
ASSIGNOR = "connect/incremental-cooperative"


@pytest.fixture(scope="module")
def said(cluster, folder, tmp_path_factory) -> list[str]:
    """Return what is said with one worker, and after a second one has come; also into a folder, for tests/listings/kafka-4.3."""
    with connect_workers(cluster.address, folder) as workers:
        first = workers.start()
        for name, tasks in CONNECTORS.items():
            create(first, name, tasks)
        alone = settled(first, 1, sum(CONNECTORS.values()))
        workers.start()
        both = settled(first, 2, sum(CONNECTORS.values()))
    into = tmp_path_factory.mktemp("listings")
    for name, text in (("connect-alone", alone), ("connect", both)):
        (into / f"{name}.json").write_text(text)
    return [alone, both]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_cluster_is_imported_as_it_is(workers, said, tmp_path, capsys):
    (tmp_path / "connectors.json").write_text(said[workers - 1])
    assert main(["import", str(tmp_path / "connectors.json")]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["family"] == "connect"
    assert {one["name"]: one["tasks"] for one in record["connectors"]} == CONNECTORS
    assert len(record["workers"]) == workers
    for name, stated in json.loads(said[workers - 1]).items():
        for worker in record["workers"]:
            tasks = [
                [name, task["id"]] for task in stated["status"]["tasks"] if task["worker_id"] == worker["id"]
            ]
            assert [one for one in worker["tasks"] if one[0] == name] == tasks
            runs = stated["status"]["connector"]["worker_id"] == worker["id"]
            assert (name in worker["connectors"]) == runs
    loads = [len(worker["tasks"]) for worker in record["workers"]]
    assert max(loads) - min(loads) <= 1


@pytest.mark.skipif("connect" not in FAMILIES, reason="kassay does not know the family connect yet")
@pytest.mark.parametrize("workers", [1, 2])
def test_the_reference_has_nothing_to_change(workers, said, tmp_path, capsys):
    (tmp_path / "connectors.json").write_text(said[workers - 1])
    assert main(["import", str(tmp_path / "connectors.json")]) == 0
    shape = family("connect").shape
    group = shape.read_group(json.loads(capsys.readouterr().out))
    assert shape.same(ASSIGNORS[ASSIGNOR].assign(group), shape.present(group))

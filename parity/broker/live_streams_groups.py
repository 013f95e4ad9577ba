"""What kafka-streams-groups prints of running applications (KIP-1071) is imported as those groups."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from settling import unlisted
from shop import shop

from kassay.cli import main
from kassay.families import FAMILIES, family
from kassay.reference import ASSIGNORS

NAMES = ("streams-shop", "streams-audit")
ASSIGNOR = "streams-group/sticky"


@pytest.fixture(scope="module")
def tasks(cluster, folder) -> Iterator[str]:
    """Start the applications; what they say that they run."""
    with shop(cluster, folder, "streams") as said:
        yield said


@pytest.fixture(scope="module")
def listings(cluster, tasks, tmp_path_factory) -> Path:
    """Have the tool print, also for tests/listings/kafka-4.3."""
    folder = tmp_path_factory.mktemp("listings")
    of_groups = ["streams.StreamsGroupCommand", "--describe", "--group", NAMES[0], "--group", NAMES[1]]
    for name, options in (
        ("streams-groups-members", ["--members", "--verbose"]),
        ("streams-groups-members-briefly", ["--members"]),
        ("streams-groups-states", ["--state", "--verbose"]),
    ):
        (folder / f"{name}.txt").write_text(cluster.tool(*of_groups, *options))
    (folder / "streams-groups-tasks.txt").write_text(tasks)
    return folder


def imported(capsys, *files):
    status = main(["import", *map(str, files)])
    out, err = capsys.readouterr()
    assert status == 0, err
    return {record["name"]: record for record in map(json.loads, out.splitlines())}, err


@pytest.mark.parametrize("members", ["streams-groups-members", "streams-groups-members-briefly"])
def test_groups_are_imported_as_they_are(members, listings, tasks, capsys):
    found, err = imported(capsys, listings / f"{members}.txt", listings / "streams-groups-states.txt")
    assert {record["family"] for record in found.values()} == {"streams-group"}
    assert "#MEMBERS" not in err
    for name in NAMES:
        own: dict[str, set[str]] = {}
        for thread, task, _ in (line.split() for line in tasks.splitlines() if line.startswith(name)):
            own.setdefault(thread, set()).add(task)
        record = found[name]
        assert [one["partitions"] for one in record["subtopologies"]] == [4, 4, 6, 4]
        stateful = [one["id"] for one in record["subtopologies"] if one.get("stateful")]
        assert stateful == (["1", "2"] if name == NAMES[0] else [])
        running = [set(member["active"]) for member in record["members"]]
        assert sorted(map(sorted, running)) == sorted(map(sorted, own.values()))
        processes = {thread.partition("-StreamThread-")[0] for thread in own}
        assert len({member["process_id"] for member in record["members"]}) == len(processes)


@pytest.mark.skipif(
    "streams-group" not in FAMILIES, reason="kassay does not know the family streams-group yet"
)
@pytest.mark.parametrize("name", NAMES)
def test_the_settled_assignment_is_the_references(name, listings, capsys):
    found, _ = imported(capsys, listings / "streams-groups-members.txt")
    shape = family("streams-group").shape
    group = shape.read_group(unlisted(found[name]))
    assert shape.same(ASSIGNORS[ASSIGNOR].assign(group), shape.present(group))

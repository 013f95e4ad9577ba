"""Streams groups (KIP-1071) as kafka-streams-groups of Kafka 4.3.1 printed them. The tools of 4.1.2 and 4.2.1 print members and states in the same way."""

import json

import pytest
from listings.headers import FOLDER, TASKS, TASKS_VERBOSE

from kassay.cli import main
from kassay.listings.details import ListedDetails
from kassay.listings.import_groups import read_listed


def file(name):
    return name, (FOLDER / f"streams-groups-{name}.txt").read_text()


def read(*files, **details):
    found, *_ = read_listed([*files], leader=False, details=ListedDetails(**details))
    assert found.family == "streams-group"
    return found


def said_by_threads():
    """Return the active tasks of each thread of the shop, as the application said them itself."""
    own = {}
    for line in file("tasks")[1].splitlines():
        thread, task, _ = line.split()
        if not thread.startswith("streams-shop"):
            continue
        own.setdefault(thread, []).append(task)
    return {thread: sorted(tasks) for thread, tasks in own.items()}


@pytest.mark.parametrize("members", ["members", "members-briefly"])
def test_members_run_what_they_say(members):
    found = read(file(members), file("states"))
    own = said_by_threads()
    assert sorted(sorted(member["active"]) for member in found.record["members"]) == sorted(own.values())
    processes = {thread.partition("-StreamThread-")[0].removeprefix("streams-shop-") for thread in own}
    assert {member["process_id"] for member in found.record["members"]} == processes
    stated = [
        (one["id"], one["partitions"], one.get("stateful", False)) for one in found.record["subtopologies"]
    ]
    assert stated == [("0", 4, False), ("1", 4, True), ("2", 6, True), ("3", 4, False)]
    assert found.record["config"] == {"num.standby.replicas": 1}
    assert sum(len(member.get("standby", ())) for member in found.record["members"]) == 4 + 6
    assert not any("#MEMBERS" in said for said in found.warnings)


def test_standby_and_warm_up_tasks_tell_state_and_replicas():
    text = (
        TASKS
        + "g a p c ACTIVE: 0:[0,1]; 1:[0]; STANDBY: 10:[1]; \n"
        + "g b q c ACTIVE: 10:[0,1]; STANDBY: 1:[0]; WARMUP: 0:[1]; \n"
        + "g c q c \n"
    )
    found = read(("g", text), config=["rack.aware.assignment.tags=zone,rack"], member_racks={"q": "east"})
    stated = found.record
    assert [
        (one["id"], one["partitions"], one.get("stateful", False)) for one in stated["subtopologies"]
    ] == [("0", 2, True), ("1", 1, True), ("10", 2, True)]
    assert [
        tuple(one.get(role, []) for role in ("active", "standby", "warmup")) for one in stated["members"]
    ] == [(["0_0", "0_1", "1_0"], ["10_1"], []), (["10_0", "10_1"], ["1_0"], ["0_1"]), ([], [], [])]
    assert [one.get("rack") for one in stated["members"]] == [None, "east", "east"]
    assert stated["config"] == {"num.standby.replicas": 1, "rack.aware.assignment.tags": ["zone", "rack"]}
    assert "the table of member racks has none for 1 member ('a')" in found.warnings


def test_what_is_stated_holds():
    text = TASKS + "g a p c ACTIVE: 0:[0]; 1:[0]; \n"
    found = read(("g", text), stateful=["1"], config=["num.standby.replicas=2"])
    assert [one.get("stateful", False) for one in found.record["subtopologies"]] == [False, True]
    assert found.record["config"] == {"num.standby.replicas": 2}
    assert not any("--stateful" in said or "--config" in said for said in found.warnings)


def test_what_contradicts_itself_or_has_yet_to_settle_is_said():
    text = (
        TASKS_VERBOSE
        + "g 5 0 a streams 5 p c ACTIVE: 0:[0,3]; TARGET-ACTIVE: 0:[0]; \n"
        + "g 5 0 b classic 4 q c ACTIVE: 0:[0]; TARGET-ACTIVE: 0:[0]; \n"
        + "g 5 0 a streams 5 p c ACTIVE: 0:[1]; TARGET-ACTIVE: 0:[1]; \n"
    )
    warnings = read(("g", text)).warnings
    assert warnings[:5] == (
        "g:4: member 'a' is listed again with other tasks; g:2 holds",
        "g:2: 1 member ('a') holds other tasks than the target assignment; what is held now is taken",
        "g:3: 1 member ('b') speaks the classic protocol still: the group is migrating (KIP-1071)",
        "g:3: task 0_0 is active at several members; all of them claim it",
        "no member runs 2 tasks of these subtopologies (0_1, 0_2)",
    )


def test_the_command_writes_one(capsys):
    members = str(FOLDER / "streams-groups-members.txt")
    assert main(["import", members, "--stateful", "1,2"]) == 2
    assert capsys.readouterr().err == (
        "kassay: --stateful: the listings show 2 streams groups (streams-shop, streams-audit). Choose one by --consumer-group.\n"
    )
    assert main(["import", members, "--stateful", "1,2", "--consumer-group", "streams-audit"]) == 0
    out, err = capsys.readouterr()
    record = json.loads(out)
    assert (record["name"], record["family"], len(record["members"])) == ("streams-audit", "streams-group", 2)
    assert "num.standby.replicas is not printed: it is taken to be 0" in err

"""Applications of Kafka Streams: of a real run, of listings with little in them, and of listings that contradict themselves."""

import json

import pytest
from listings.headers import FOLDER, OFFSETS, OLD
from listings.streams_rows import ONE, TWO, row, topics
from listings.streams_run import APPLICATIONS, hold_against_itself

from kassay.cli import main
from kassay.errors import InputError
from kassay.listings.applications import Details, ListedApplication, read_applications
from kassay.listings.topologies import read_end_offsets
from kassay.model import TopicPartition
from kassay.model.tasks import UNKNOWN
from kassay.model.tasks_json import read_group

PRINTED = {
    part: (FOLDER / f"streams-{part}.txt").read_text()
    for part in ("tasks", "members", "offsets", "topics", "end-offsets")
}


def listed(text: str, *subtopologies: str, **details: object) -> ListedApplication:
    (found,) = read_applications(
        [("g", OLD + text)],
        Details(subtopologies=subtopologies, **details),  # type: ignore[arg-type]
    )
    return found


def reads(found: ListedApplication) -> dict[str, str]:
    return {
        str(task.id): ",".join(map(str, (*task.inputs, *task.changelogs))) for task in found.application.tasks
    }


@pytest.mark.parametrize("of_members", ["members", "offsets"])
@pytest.mark.parametrize("name", APPLICATIONS)
def test_a_run_is_imported_as_it_was(name: str, of_members: str) -> None:
    hold_against_itself(PRINTED, of_members, name)


def test_of_three_threads_a_run_tells_all_subtopologies_but_their_order() -> None:
    files = [(part, PRINTED[part]) for part in ("members", "topics")]
    (shop,) = read_applications(files, only="shop")
    truth = {line.split()[2] for line in PRINTED["tasks"].splitlines() if line.startswith("shop-")}
    assert {",".join(map(str, task.inputs)) for task in shop.application.tasks} == truth
    (audit,) = read_applications(files, only="audit")
    assert audit.warnings[0].startswith(
        "shop.clicks, shop.orders have the same owners, but so has shop.payments, which has another number of partitions. "
        "So equal owners are weak evidence for shop.clicks and shop.orders, shop.payments and shop.users"
    )


def test_the_command_prints_the_application_and_its_notes(capsys) -> None:
    files = [str(FOLDER / f"streams-{part}.txt") for part in ("members", "topics")]
    ends = str(FOLDER / "streams-end-offsets.txt")
    asked = ["--racks", str(FOLDER / "brokers.txt"), "--end-offsets", ends]
    asked += ["--config", "num.standby.replicas=1", "--config", "rack.aware.assignment.tags=zone,city"]
    assert main(["import", "--family", "streams", *files, *asked, "--json"]) == 0
    out, err = capsys.readouterr()
    audit, shop = map(json.loads, out.splitlines())
    assert (audit["name"], audit["family"], shop["name"], shop["family"]) == (
        "audit",
        "streams",
        "shop",
        "streams",
    )
    assert shop["config"] == {"num.standby.replicas": 1, "rack.aware.assignment.tags": ["zone", "city"]}
    assert {rack for topic in shop["topics"] for racks in topic["racks"] for rack in racks} == {"a", "b", "c"}
    assert sorted(client["threads"] for client in shop["clients"]) == [1, 2]
    for record in (audit, shop):
        read_group(record)
    lines = err.splitlines()
    begun = [n for n, line in enumerate(lines) if line.endswith(" -> standard output")]
    assert [lines[n].partition(":")[0] for n in begun] == ["audit", "shop"]
    of_shop = lines[begun[1] :]
    assert of_shop[0] == "shop: 2 clients, 4 subtopologies, 18 tasks -> standard output"
    assert "assumed  standby tasks are not printed: no client is taken to have one" in of_shop
    assert any(line.startswith("assumed  tags of clients are not printed") for line in of_shop)
    words = [line.partition("  ")[0] for line in of_shop[2:]]
    assert words == sorted(words, key=["check", "assumed"].index)
    assert main(["import", "--family", "streams", *files, "--format", "pretty"]) == 0
    assert '"family":"streams"' in capsys.readouterr().out


def test_nothing_but_one_member() -> None:
    found = listed(row(f"app-{ONE}", "a(0,1), app-x-repartition(0,1), b(0,1)"))
    assert reads(found) == {
        "0_0": "a-0", "0_1": "a-1", "1_0": "app-x-repartition-0", "1_1": "app-x-repartition-1", "2_0": "b-0", "2_1": "b-1",
    }  # fmt: skip
    (client,) = found.application.clients
    assert (client.id, client.threads, len(client.active), client.lags) == (ONE, 1, 6, {})
    assert any("no changelog is listed: every task is taken to be stateless" in w for w in found.warnings)
    assert any("(highest number listed)" in w for w in found.warnings)


def test_topics_placed_alike_are_read_together_and_repartition_topics_alone() -> None:
    text = row(f"app-{ONE}", "a(0), app-x-repartition(0), b(0), c(1), d(0)") + row(
        f"app-{TWO}", "a(1), app-x-repartition(1), b(1), c(0)"
    )
    found = listed(text)
    assert list(reads(found).values()) == [
        "a-0,b-0",
        "a-1,b-1",
        "app-x-repartition-0",
        "app-x-repartition-1",
        "c-0",
        "c-1",
        "d-0",
    ]
    assert found.warnings[0].startswith(
        "subtopologies are not printed: source topics with equally many partitions and the same owners are taken to be read together, "
        "and repartition topics alone (0 reads a and b, 1 reads app-x-repartition, 2 reads c, 3 reads d). They are in the order of "
        "their names, but Kafka numbers subtopologies in the order of the topology. --subtopology TOPIC,TOPIC:STORE states it otherwise"
    )


def test_stores_are_told_by_the_names_of_repartition_topics_and_tables_then_by_their_partitions() -> None:
    held = "a(0,1), app-x-repartition(0,1), users(0,1), big(0,1,2)"
    changelogs = ["x", "users-STATE-STORE-0000000004", "other", "large", "strange"]
    counts = dict.fromkeys((f"app-{name}-changelog" for name in changelogs), 2)
    counts |= {"app-large-changelog": 3, "app-strange-changelog": 5}
    found = listed(
        row(f"app-{ONE}", held) + topics(**counts, **{"a": 2, "app-x-repartition": 2, "users": 2, "big": 3})
    )
    of = {str(task.id): [one.topic for one in task.changelogs] for task in found.application.tasks}
    assert {task: names for task, names in of.items() if task.endswith("_0")} == {
        "0_0": [],
        "1_0": ["app-other-changelog", "app-x-changelog"],
        "2_0": ["app-large-changelog"],
        "3_0": ["app-users-STATE-STORE-0000000004-changelog"],
    }
    said = " ".join(found.warnings)
    assert "(app-other-changelog of 1)" in said
    assert "they are left out (app-strange-changelog 5)" in said


def test_what_is_stated_holds_and_comes_first() -> None:
    text = row(f"app-{ONE}", "a(0,1), app-x-repartition(0,1), b(0,1)")
    text += topics(**{"a": 2, "b": 2, "app-x-repartition": 2, "app-x-changelog": 2, "app-y-changelog": 2})
    found = listed(text, "x,b:y,b")
    assert reads(found)["0_1"] == "app-x-repartition-1,b-1,app-y-changelog-1,b-1"
    assert reads(found)["1_1"] == "a-1,app-x-changelog-1"
    assert (
        reads(listed(text, "a:", "b:", "x"))["2_0"]
        == "app-x-repartition-0,app-x-changelog-0,app-y-changelog-0"
    )
    whole = listed(text, "a:", "b:", "x:x,y")
    assert not any("subtopologies are not printed" in warning for warning in whole.warnings)
    assert not any(
        "state store" in warning or "(topology.optimization)" in warning for warning in whole.warnings
    )


def test_internal_topics_of_an_application_whose_name_begins_with_this_one_are_not_taken() -> None:
    text = row(f"app-{ONE}", "a(0)") + row(f"app-two-{TWO}", "a(0)").replace("app ", "app-two ", 1)
    text += topics(**{"a": 1, "app-two-x-changelog": 1, "app-y-changelog": 1})
    one, two = read_applications([("g", OLD + text)])
    assert (reads(one), reads(two)) == (
        {"0_0": "a-0,app-y-changelog-0"},
        {"0_0": "a-0,app-two-x-changelog-0"},
    )


def test_topics_that_nobody_reads_any_more_make_no_task() -> None:
    name = f"app-{ONE}-StreamThread-1-consumer"
    text = (
        OFFSETS
        + f"app a 0 5 5 0 {name}-7e57 /h {name}\napp gone 0 5 5 0 - - -\n"
        + topics(**{"app-old-repartition": 3})
    )
    (found,) = read_applications([("g", text)])
    assert reads(found) == {"0_0": "a-0"}
    assert (
        "of 2 topics that the application has read or written (app-old-repartition, gone): no task"
        in " ".join(found.warnings)
    )


def test_processes_by_client_id_and_host() -> None:
    rows = row("mine", "a(0)", host="/h") + row("mine", "a(1)", 2, "/h") + row("mine", "a(2)", host="/i")
    rows += row("audit-east", "a(3)") + row(f"app-{ONE}", "-", host="/j") + row(f"other-{TWO}", "-", 7)
    rows += row(f"other-{TWO}", "-", 7).replace("7e57", "0ther")
    found = listed(rows, leader=False)
    assert [(client.threads, len(client.active)) for client in found.application.clients] == [
        (2, 2), (1, 1), (1, 1), (1, 0), (2, 0),
    ]  # fmt: skip
    ids = [client.id for client in found.application.clients]
    assert ids[2:4] == ["83603059-4803-3f0f-9f9a-700f44f20f19", ONE]  # Java's UUID of the name audit-east
    assert TWO not in ids
    said = " ".join(found.warnings)
    assert "client.id 'mine' stands at 2 hosts: each is taken for a process of its own" in said
    assert f"2 members have CLIENT-ID 'other-{TWO}-StreamThread-7-consumer'" in said


def test_racks_of_processes() -> None:
    rows = row(f"app-{ONE}", "a(0)") + row(f"app-{ONE}", "a(1)", 2) + row(f"app-{TWO}", "a(2)", host="/i")
    found = listed(rows, member_racks={"h": "r1", "x": "r2"})
    assert {client.id: client.rack for client in found.application.clients} == {ONE: "r1", TWO: None}
    assert f"the table of member racks has none for 1 client ('app-{TWO}')" in " ".join(found.warnings)
    names = {f"app-{ONE}-StreamThread-{n}-consumer": f"r{n}" for n in (1, 2)}
    with pytest.raises(
        InputError, match=r"g:2: the table of member racks gives the threads of process .* r1, r2\. Give"
    ):
        listed(rows, member_racks=names, leader=False)


def test_partitions_held_by_nobody_or_by_two() -> None:
    rows = row(f"app-{ONE}", "a(0,2)") + row(f"app-{TWO}", "a(2,4)")
    found = listed(rows + topics(a=4))
    assert {client.id: [str(task) for task in client.active] for client in found.application.clients} == {
        ONE: ["0_0", "0_2"],
        TWO: ["0_2"],
    }
    said = " ".join(found.warnings)
    assert "a-2 is listed for 2 members" in said
    assert "Members own partitions that the topics listing does not have (a-4)." in said
    assert "Partitions 1, 3 of a have no owner (2 of 4). Is the listing complete?" in said
    assert "no member holds what 2 tasks would read (0_1, 0_3): no client runs them" in said


def test_a_stated_subtopology_may_be_claimed_twice_in_part() -> None:
    found = listed(row(f"app-{ONE}", "a(0), b(0)") + row(f"app-{TWO}", "b(0)"), "a,b")
    assert [len(client.active) for client in found.application.clients] == [1, 1]


def test_end_offsets_of_some_changelogs() -> None:
    text = (
        row(f"app-{ONE}", "a(0,1)")
        + row(f"app-{TWO}", "-")
        + topics(**{"app-x-changelog": 2, "app-y-changelog": 2})
    )
    ends = read_end_offsets(
        "e", "app-x-changelog:0:5\napp-y-changelog:0:7\n\napp-x-changelog:1:9\napp-y-changelog:1:\n"
    )
    assert ends == {
        TopicPartition("app-x-changelog", 0): 5, TopicPartition("app-y-changelog", 0): 7, TopicPartition("app-x-changelog", 1): 9,
    }  # fmt: skip
    found = listed(text, end_offsets=ends)
    (other,) = [client for client in found.application.clients if client.id == TWO]
    assert list(other.lags.values()) == [12, UNKNOWN]
    assert "how much of 1 task a client has that does not run them is not known (0_1)" in " ".join(
        found.warnings
    )

"""A consumer group of Kafka Streams' threads is an application to every command, as far as the listing goes."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from listings.headers import OLD
from listings.streams_rows import ONE, TWO, row, topics
from listings.test_described import COUNTS, DESCRIBED
from printed import json_lines
from whole import share

from kassay.cli import main
from kassay.errors import InputError
from kassay.files.writing import drop_listing_facts
from kassay.listings.details import ListedDetails
from kassay.listings.import_groups import read_listed
from kassay.listings.reading import read_files
from kassay.model.tasks_json import read_group
from kassay.properties.tasks.rounds import LOG

THREADS = (
    OLD + row(f"app-{ONE}", "app-x-repartition(0,1), logs(0)") + row(f"app-{TWO}", "logs(1)", host="/h2")
)
CONSUMERS = "other other-1-uuid /h other-1 2 orders(0,1)\nother other-2-uuid /h other-2 1 orders(2)\n"
MIXED = row(f"app-{ONE}", "logs(0)") + "app other-1-uuid /h other-1 1 logs(1)\n"


def read(text: str, **details):
    return read_listed([("g", text)], leader=True, details=ListedDetails(**details))


def write(folder, text: str) -> str:
    (folder / "g.txt").write_text(text)
    return str(folder / "g.txt")


COMMANDS = [
    ["compare"],
    ["check", "streams/high-availability"],
    ["what-if", "--leave", ONE],
    ["over-time", "streams/sticky", "--restart", "1"],
    ["optimum", "balance,moves"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each[0])
def test_every_command_judges_task_assignors_and_names_no_strategy_of_consumers(command, tmp_path, capsys):
    file = write(tmp_path, THREADS)
    group = [file] if command[0] == "optimum" else ["--group", file]
    assert main([*command, *group]) == 0
    told = "".join(capsys.readouterr())
    assert "partition.assignment.strategy" not in told
    assert "CooperativeSticky" not in told
    assert "consumer/" not in told
    if command[0] == "compare":
        assert "high-availability" in told
        assert "the output of Topology#describe() and the output of kafka-topics --describe" in " ".join(
            told.split()
        )


@pytest.mark.parametrize("target", ["consumer/range", "broker/uniform"])
def test_assignors_of_consumers_are_not_asked_about_it(target, tmp_path, capsys):
    assert main(["compare", target, "--group", write(tmp_path, THREADS)]) == 2
    told = "".join(capsys.readouterr())
    assert "family: is 'streams'" in told
    assert "partition.assignment.strategy" not in told


def test_import_makes_consumers_of_them_only_where_that_is_said(tmp_path, capsys):
    file = write(tmp_path, THREADS)
    assert main(["import", file, "--json"]) == 0
    (made,) = json_lines(capsys)
    assert made["family"] == "streams"
    read_group(drop_listing_facts(made))
    assert main(["import", file, "--family", "consumer", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["family"] == "consumer"
    assert err.count("members are threads of Kafka Streams") == 1


def test_what_the_user_states_counts_without_the_family(tmp_path, capsys):
    asked = [
        write(tmp_path, THREADS),
        "--json",
        "--subtopology",
        "logs",
        "--subtopology",
        "x",
        "--config",
        "num.standby.replicas=1",
    ]
    assert main(["import", *asked]) == 0
    (made,) = json_lines(capsys)
    assert made["config"] == {"num.standby.replicas": 1}
    assert {task["id"]: task["inputs"][0][0] for task in made["tasks"]} == {
        "0_0": "logs", "0_1": "logs", "1_0": "app-x-repartition", "1_1": "app-x-repartition",
    }  # fmt: skip


@pytest.mark.parametrize("before", ["", "$ kafka-topics.sh --describe --bootstrap-server b:9092\n"])
@pytest.mark.parametrize("title", ["Topologies:", "Sub-topologies: "])
def test_a_topology_in_the_same_text_is_used(before, title):
    members = OLD + row("c", "orders(0,1),returns(0,1),app-counts-repartition(0,1)")
    described = DESCRIBED.replace("Topologies:", title)
    listed_topics = topics(**{name.replace("-", "_"): n for name, n in COUNTS.items()})
    for text in (
        members + described + listed_topics,
        described + members + listed_topics,
        listed_topics + described + members,
    ):
        (one,) = read(before + text)
        tasks = {task["id"]: task for task in one.record["tasks"]}
        assert sorted(tasks) == ["0_0", "0_1", "1_0", "1_1"]
        assert tasks["0_0"]["inputs"] == [["orders", 0], ["returns", 0]]
        assert tasks["1_1"]["changelogs"] == [["app-counts-changelog", 1]]
        assert not any("Topology#describe" in said for said in one.warnings)
        assert any("no changelog of seen" in said for said in one.warnings)


def test_without_topics_each_store_of_a_topology_has_a_changelog():
    (one,) = read(OLD + row("c", "orders(0,1),returns(0,1),app-counts-repartition(0,1)") + DESCRIBED)
    tasks = {task["id"]: task for task in one.record["tasks"]}
    assert [bool(tasks[name].get("stateful")) for name in sorted(tasks)] == [False, False, True, True]
    assert tasks["1_0"]["changelogs"] == [["app-counts-changelog", 0], ["app-seen-changelog", 0]]
    assert any("2 stores have a changelog, as by default" in said for said in one.warnings)


def test_who_does_not_run_a_task_needs_to_restore_it():
    text = OLD + row(f"app-{ONE}", "orders(0,1)") + row(f"app-{TWO}", "orders(2)", host="/h2")
    text += topics(orders=3, app_counts_changelog=3)
    (one,) = read(text)
    lags = {client["id"]: client["lags"] for client in one.record["clients"]}
    assert lags[ONE] == {"0_0": -2, "0_1": -2, "0_2": LOG}
    assert any(f"each partition is taken to hold {LOG:,} records" in said for said in one.warnings)


def test_a_topology_is_of_the_application_that_reads_its_topics():
    first = row(f"app-{ONE}", "orders(0,1),returns(0,1),app-counts-repartition(0,1)")
    second = row(f"web-{TWO}", "clicks(0,1)").replace("app ", "web ", 1)
    one, two = read(OLD + first + second + DESCRIBED)
    assert (one.name, two.name) == ("app", "web")
    assert len(one.record["tasks"]) == 4
    assert [task["inputs"] for task in two.record["tasks"]] == [[["clicks", 0]], [["clicks", 1]]]
    assert any("Topology#describe" in said for said in two.warnings)


def test_two_topologies_of_one_application_are_refused():
    text = OLD + row("c", "orders(0,1),returns(0,1),app-counts-repartition(0,1)") + DESCRIBED + DESCRIBED
    with pytest.raises(InputError, match=r"has two topologies of application app. Give one of them"):
        read(text)


def test_lines_keep_their_numbers_where_a_topology_is_taken_out():
    text = f"a\n{DESCRIBED}z\n"
    ((name, described),) = read_files([("t", text + OLD + row("c", "orders(0,1)"))]).topologies
    assert name == "t"
    place = text.splitlines().index("   Sub-topology: 0")
    assert described.splitlines()[place] == "   Sub-topology: 0"


def test_threads_mixed_with_others_are_left_out_and_nothing_else_is():
    with pytest.raises(
        InputError,
        match=r"g:3: CLIENT-ID 'other-1' is no thread of Kafka Streams .*--family consumer",
    ):
        read(OLD + MIXED)
    other, app = read(OLD + MIXED + CONSUMERS)
    assert (other.name, other.family) == ("other", "consumer")
    assert (app.name, app.family) == ("app", "streams")
    assert app.problem.startswith("g:3: CLIENT-ID 'other-1'")
    (one,) = read(OLD + MIXED, as_consumers=True)
    assert (one.name, one.family) == ("app", "consumer")


def test_consumers_and_applications_of_one_listing_are_each_of_their_family():
    found = {one.name: one.family for one in read(THREADS + CONSUMERS)}
    assert found == {"app": "streams", "other": "consumer"}


def test_one_client_is_an_application(tmp_path, capsys):
    file = write(tmp_path, OLD + row(f"app-{ONE}", "logs(0,1)"))
    assert main(["check", "streams/high-availability", "--group", file]) == 0
    assert main(["optimum", "balance,moves", file]) == 0
    assert main(["frontier", file]) == 0
    assert "partition.assignment.strategy" not in "".join(capsys.readouterr())


def test_where_no_thread_owns_anything_that_is_told(tmp_path, capsys):
    text = OLD + row(f"app-{ONE}", "-") + row(f"app-{TWO}", "-", host="/h2")
    (one,) = read(text)
    assert (one.family, one.record["tasks"]) == ("streams", [])
    assert one.warnings[0].startswith("no thread owns a partition, so no task of the application is known")
    assert main(["check", "streams/high-availability", "--group", write(tmp_path, text)]) == 0
    assert "no thread owns a partition" in "".join(capsys.readouterr())


@settings(max_examples=share(30, 500), deadline=None)
@given(st.permutations(range(4)), st.data())
def test_the_order_of_members_decides_nothing_but_the_order_of_clients(order, data):
    names = [f"00000000-0000-0000-0000-00000000000{n}" for n in range(4)]
    held = ["logs(0), orders(0)", "logs(1), orders(1)", "logs(2)", "logs(3), pays(0,1)"]
    rows = [
        row(f"app-{name}", own, host=f"/h{n}") for n, (name, own) in enumerate(zip(names, held, strict=True))
    ]

    def of(text: str):
        (one,) = read(text)
        return one.record["tasks"], {client["id"]: client for client in one.record["clients"]}

    assert of(OLD + "".join(rows)) == of(OLD + "".join(rows[n] for n in order))
    noise = data.draw(st.sampled_from(["", "\n", "[2026-01-01 00:00:00,000] WARN noise (org.apache)\n"]))
    assert of(noise + OLD + "".join(rows)) == of(OLD + "".join(rows))

"""list, assign, compare and import, as people call them; the real listings are those of examples/groups."""

import io
import json
import os
import sys
import threading
from pathlib import Path

import pytest
from printed import json_lines

from kassay.cli import main
from kassay.families.assignors import ASSIGNORS

GROUPS = Path(__file__).parents[2] / "examples" / "groups"
GROUP = {
    "family": "consumer",
    "topics": [{"name": "t", "partitions": 3}],
    "members": [{"id": "a", "topics": ["t"], "owned": [["t", 2]]}, {"id": "b|`*", "topics": ["t"]}],
}


def test_list_shows_everything_with_a_sentence(capsys):
    assert main(["list", "--json"]) == 0
    listed = json_lines(capsys)
    assert {r["name"] for r in listed if r["kind"] == "assignor"} == set(ASSIGNORS)
    assert {r["kind"] for r in listed} >= {"assignor", "invariant", "law", "measure", "situation"}
    for record in listed:
        assert len(record["sentence"]) > 15, record
        assert not record["sentence"].endswith("."), record


def test_assign_answers_a_line_for_a_line(capsys, monkeypatch):
    text = f"{json.dumps(GROUP)}\n{json.dumps(GROUP | {'topics': []})}\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["assign", "consumer/range"]) == 0
    assert json_lines(capsys) == [{"a": [["t", 0], ["t", 1]], "b|`*": [["t", 2]]}, {"a": [], "b|`*": []}]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"topics": [], "members": [{"id": 3}]}', "members[0].id"),
        ('{"topics": []}', "members"),
        ('{"family": "connect", "connectors": [], "workers": []}', "family: is 'connect'"),
    ],
)
def test_a_line_that_is_refused_takes_no_other_answer_with_it(tmp_path, capsys, line, said):
    file = tmp_path / "groups.jsonl"
    file.write_text(f"{json.dumps(GROUP)}\n{line}\n\n{json.dumps(GROUP | {'topics': []})}\n")
    assert main(["assign", "consumer/range", str(file)]) == 2
    first, refused, last = json_lines(capsys)
    assert (first["a"], last["a"]) == ([["t", 0], ["t", 1]], [])
    assert refused["error"].startswith(f"{file}, line 2")
    assert said in refused["error"]
    file.write_text(f"{line}\n")
    assert main(["assign", "consumer/range", str(file)]) == 2
    assert json_lines(capsys) == []


def test_assign_says_which_group_got_no_answer(tmp_path, capsys):
    file = tmp_path / "g.json"
    file.write_text(json.dumps(GROUP))
    speaker = Path(__file__).parents[1] / "programs" / "speaker.py"
    assert main(["assign", f"exec:{sys.executable} {speaker} refuses", str(file)]) == 3
    (record,) = json_lines(capsys)
    assert record["error"].startswith(f"{file}: exec:")
    assert "two are too many" in record["error"]


def test_compare_shows_a_real_group_and_what_would_move(tmp_path, capsys):
    assert main(["import", str(GROUPS / "kminion-104.members.txt")]) == 0
    printed = capsys.readouterr()
    assert "#PARTITIONS" in printed.err
    file = tmp_path / "group.json"
    file.write_text(printed.out)
    assert main(["compare", "consumer/range", "consumer/sticky", "--group", str(file), "--json"]) == 0
    now, range_, sticky, advice = json_lines(capsys)
    assert now["record"] == "present"
    assert advice["record"] == "advice"
    assert now["broken"] == ["complete"]
    assert (now["measures"]["imbalance"], now["measures"]["moves"], now["gaps"]) == (3, 0, [])
    assert range_["where"] == "my-group"
    assert sticky["measures"]["moves"] < range_["measures"]["moves"]
    assert main(["compare", "consumer/range", "consumer/sticky", "--group", str(file)]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert lines[0] == "my-group: 1 of 5 members has no partition. 4 of 13 partitions have no owner."
    assert "+topic_1-0, topic_3-0" in out
    rows = [line.split() for line in lines if line.startswith(("sticky", "range", "optimum"))]
    assert rows == [
        ["sticky", "3", "2", "0", "6", "10"],
        ["range", "4", "1", "7", "0", "48"],
        ["optimum", "3", "2", "0", "6", "10"],
    ]
    # The client is not known, so the line stands below the name of each client.
    at = lines.index(
        "  partition.assignment.strategy=org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
    )
    assert lines[at - 1] == "Java (kafka-clients): two rolling restarts"
    assert "  partition.assignment.strategy=cooperative-sticky" in lines


def test_optimum_gives_values_an_assignment_and_the_reason(tmp_path, capsys):
    file = tmp_path / "g.json"
    file.write_text(json.dumps(GROUP))
    assert main(["optimum", "balance,moves", str(file), "--json"]) == 0
    (record,) = json_lines(capsys)
    assert record["levels"] == [
        {"level": "balance", "value": 1, "least": 1, "proved": True},
        {"level": "moves", "value": 0, "least": 0, "proved": True},
    ]
    assert ["t", 2] in record["assignment"]["a"]
    assert record["because"][0].startswith("balance: 3 partitions for 2 members leave a remainder")
    assert main(["optimum", "balance,moves", str(file)]) == 0
    assert "leave a remainder" in capsys.readouterr().out
    assert main(["optimum", "copies=3,balance", str(file)]) == 2
    assert "3 copies of every partition are impossible" in capsys.readouterr().err
    assert main(["optimum", "elegance", str(file)]) == 2
    assert "The levels are balance, moves, cross-rack" in capsys.readouterr().err


def test_worst_finds_a_group_and_says_what_was_proved(capsys, tmp_path, monkeypatch):
    assert main(["worst", "consumer/range", "--measure", "balance", "--tries", "5", "--json"]) == 0
    (record,) = json_lines(capsys)
    assert record["value"] > record["optimum"]
    assert record["sentences"][0].startswith("no worse up to ")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["worst", "consumer/range", "--measure", "balance", "--tries", "5"]) == 0
    out = capsys.readouterr().out
    assert record["says"] in " ".join(out.splitlines())
    assert record["says"].endswith("and the distance grows without bound (balance).")
    assert "ratio" not in out
    assert "Smallest group above the optimum: 2 members, 2 partitions and 2 topics." in (
        " ".join(out.splitlines())
    )
    assert all(len(line) <= 80 for line in out.splitlines() if not line.startswith("Next: "))
    (again,) = [line.split()[1:] for line in out.splitlines() if "kassay compare" in line]
    assert json.loads(Path(again[-1]).read_text()) == record["group"]
    assert main([*again[1:], "--json"]) == 0
    (compared,) = [one for one in json_lines(capsys) if one["record"] == "compared"]
    assert compared["gaps"][0]["value"] == record["value"]
    monkeypatch.delenv("COLUMNS")
    assert main(["worst", "consumer/range", "--measure", "beauty"]) == 2
    assert (
        "Known are balance, moves, cross-rack, topic-spread, weighted-balance, co-partition"
        in capsys.readouterr().err
    )


def test_worst_finds_an_application_too(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("kassay.oracles.worst_case.MINIMISING", 5)
    asked = ["worst", "streams/high-availability", "--measure", "joint", "--tries", "8"]
    assert main([*asked, "--json"]) == 0
    (record,) = json_lines(capsys)
    assert record["value"] > record["optimum"]
    assert record["sentences"][0].startswith("no worse up to 2 clients x 1 task, 2 racks, 1 subtopology: ")
    file = tmp_path / "a.json"
    file.write_text(json.dumps(record["group"]))
    assert main(["optimum", "balance,joint", str(file), "--json"]) == 0
    assert json_lines(capsys)[0]["levels"][-1]["value"] == record["optimum"]
    assert main([*asked[:-1], "0"]) == 0
    assert "no group was found in which it is above the optimum" in capsys.readouterr().out
    assert main(["worst", "streams/sticky", "--measure", "jont"]) == 2
    assert (
        "Known are balance, active, joint, moves, subtopology-spread, subtopologies. Did you mean 'joint'?"
        in capsys.readouterr().err
    )


def test_worst_stops_where_it_is_interrupted(capsys, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("kassay.oracles.worst_case.exhaust_space", stop)
    assert main(["worst", "streams/high-availability", "--measure", "joint"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_compare_sums_over_generated_groups(capsys):
    assert main(["compare", "consumer/range", "consumer/fair", "--examples", "50", "--json"]) == 0
    first, second = json_lines(capsys)
    assert first["groups"] == second["groups"] == 50
    assert first["measures"]["imbalance"] > second["measures"]["imbalance"]
    assert main(["compare", "consumer/range", "consumer/fair", "--examples", "50"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("fair is most often optimal: in ")
    assert [line.split()[0] for line in lines if line.startswith(("fair ", "range "))] == [
        "fair",
        "fair",
        "range",
    ]


@pytest.mark.parametrize("format_", ["pretty", "json", "markdown", "github"])
def test_every_command_prints_every_format(format_, tmp_path, capsys):
    file = tmp_path / "g.json"
    file.write_text(json.dumps(GROUP))
    listings = str(GROUPS / "confluent-kafka-dotnet-1712.members.txt")
    for command in (
        ["list"],
        ["assign", "consumer/range", str(file)],
        ["compare", "consumer/range", "--group", str(file)],
        ["import", listings],
    ):
        assert main([*command, "--format", format_, "-o", str(tmp_path / "out")]) == 0
        out = capsys.readouterr().out
        assert out.strip()
        copy = next((tmp_path / "out").glob(f"{command[0]}.*"))
        assert copy.read_text() == out
        copy.unlink()


def test_names_do_not_disturb_a_table_or_a_terminal(tmp_path, capsys):
    file = tmp_path / "g.json"
    hostile = "b|`*\x1b[31m\n::error::x"
    file.write_text(json.dumps(GROUP | {"members": [{"id": hostile, "topics": ["t"]}]}))
    for format_ in ("pretty", "markdown", "github"):
        assert main(["assign", "consumer/range", str(file), "--format", format_]) == 0
        out = capsys.readouterr().out
        assert "\x1b" not in out
        assert "\n::error" not in out
    assert main(["assign", "consumer/range", str(file)]) == 0
    assert list(json_lines(capsys)[0]) == [hostile]


def test_import_takes_one_group_of_several_and_says_what_it_assumes(capsys):
    files = [
        str(GROUPS / name) for name in ("confluent-kafka-dotnet-1712.members.txt", "kminion-104.members.txt")
    ]
    assert main(["import", *files]) == 0
    assert [r["name"] for r in json_lines(capsys)] == ["localconsumers", "my-group"]
    assert main(["import", *files, "--consumer-group", "my-group"]) == 0
    assert [r["name"] for r in json_lines(capsys)] == ["my-group"]
    assert main(["import", *files, "--consumer-group", "yours"]) == 2
    assert (
        "no group 'yours' in the listings, which show: localconsumers (consumer), my-group (consumer)"
        in capsys.readouterr().err
    )
    assert main(["import", str(GROUPS / "milvus-41548.topics.txt")]) == 2


@pytest.mark.parametrize("words", [["compare"], ["compare", "consumer/range"], ["what-if", "--join", "1"]])
def test_standard_input_and_pipes_are_read_as_often_as_it_takes(words, tmp_path, capsys, monkeypatch):
    text = json.dumps(GROUP)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main([*words, "--group", "-"]) == 0
    first = capsys.readouterr().out
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(text,), daemon=True)
    writer.start()
    assert main([*words, "--group", str(tmp_path / "pipe")]) == 0
    writer.join()
    assert first
    assert capsys.readouterr().out.count("\n") == first.count("\n")

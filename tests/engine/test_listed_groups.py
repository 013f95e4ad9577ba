"""Commands take a listing of Kafka's tools where they take groups, as they take what `kassay import` makes of it."""

import io
import json
import sys
from pathlib import Path

import pytest

from kassay.cli import main

FOLDER = Path(__file__).parents[1] / "listings" / "kafka-4.3"
COMMANDS = [
    ["check", "consumer/sticky", "--property", "exclusive", "--json", "--group"],
    ["compare", "consumer/range", "consumer/sticky", "--json", "--group"],
    ["assign", "consumer/sticky"],
    ["optimum", "balance,moves", "--json"],
]
TABLE = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("members", "topics", "states"):
        (tmp_path / f"{name}.txt").write_bytes((FOLDER / f"{name}.txt").read_bytes())
    (tmp_path / "both.txt").write_text(Path("members.txt").read_text() + Path("topics.txt").read_text())
    return tmp_path


def said(capsys, *arguments):
    status = main([*arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("listing", ["members.txt", "both.txt"])
def test_a_listing_is_taken_as_what_import_makes_of_it(command, listing, capsys):
    _, group, warnings = said(capsys, "import", "--family", "consumer", listing)
    Path("group.json").write_text(group)
    status, out, err = said(capsys, *command, listing)
    assert (status, out, "") == said(capsys, *command, "group.json")
    assert status == 0
    told = [
        line.partition("  ")[2] for line in warnings.splitlines() if line.startswith(("check", "assumed"))
    ]
    assert told
    found = (line.split(": ", 2)[2].removeprefix("Assumed: ") for line in err.splitlines())
    assert sorted(line.removesuffix(".") for line in found) == sorted(line.removesuffix(".") for line in told)
    assert (
        "--order as-given" not in err + warnings
    )  # the order changes nothing that a reader could do otherwise
    assert ("(highest number listed)" in err) == (listing == "members.txt")


def test_compare_takes_members_as_listed_where_asked(capsys):
    Path("g.txt").write_text(TABLE + "g worker-10 /h c 1 t(1)\ng worker-9 /h c 1 t(0)\n")
    for order, first in (("leader", "worker-9"), ("as-given", "worker-10")):
        asked = ["compare", "consumer/range", "--group", "g.txt", "--order", order]
        _, out, err = said(capsys, *asked, "--json")
        given = [record for line in out.splitlines() if (record := json.loads(line))["record"] == "compared"]
        assert next(iter(given[0]["assignment"])) == first
        assert given[0]["order"] == order
        assert "--order" not in err


STATE = "GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE #MEMBERS\ng h:1 (0) range Stable 2\n"


def test_standard_input_powershell_and_certificates(capsys, monkeypatch):
    text = Path("both.txt").read_text()
    _, answer, err = said(capsys, "optimum", "balance", "both.txt", "--json")
    for content in (text.encode(), text.replace("\n", "\r\n").encode("utf-16")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert said(capsys, "optimum", "balance", "-", "--json") == (
            0, answer, err.replace("both.txt", "standard input"),
        )  # fmt: skip
    Path("answer.jsonl").write_text(answer)
    assert said(capsys, "optimum", "--verify", "answer.jsonl", "both.txt")[0] == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (TABLE, "g.txt:1: the table has no rows. Describe a group that has members"),
        (TABLE + "g m /h c 1 t(0\n", "g.txt:2: ASSIGNMENT is unreadable at 't(0'. Give the whole row"),
        ("Error: Executing consumer group command failed\n", "g.txt:1: the tool failed: "),
        ("Topic: t\tPartitionCount: 1\tConfigs: ", "too (for --group, in the same file)"),
        (STATE, "the table of --state does not list the members"),
    ],
)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_listing_that_cannot_be_read_is_one_sentence(text, says, command, capsys):
    Path("g.txt").write_text(text)
    status, out, err = said(capsys, *command, "g.txt")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("kassay: ")
    assert says in err


@pytest.mark.parametrize("text", ["GROUP\u2028CONSUMER-ID\n", "hello\n"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_what_is_neither_a_listing_nor_json_is_answered_with_how_to_make_one(text, command, capsys):
    Path("g.txt").write_text(text)
    status, out, err = said(capsys, *command, "g.txt")
    assert (status, out, err.count("\n")) == (2, "", 3)
    assert err.startswith(
        "kassay: g.txt: is neither a listing of kafka-consumer-groups nor JSON. Line 1 is: "
    )

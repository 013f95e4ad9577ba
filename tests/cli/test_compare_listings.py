"""`kassay compare --group` on listings as people paste them: what is right for each, at 80 columns, and every command that is printed."""

import json
import re
import shlex
from pathlib import Path

import pytest
from whole import cases

from kassay.cli import main

FOLDER = Path(__file__).parents[1] / "listings" / "pasted"
EXAMPLES = Path(__file__).parents[2] / "examples" / "groups"
FILES = sorted(path.name for path in FOLDER.iterdir() if path.name != "expected.json")
STRATEGY = "partition.assignment.strategy"

RIGHT = {
    "A1-kubectl-run.txt": (
        ["src-a: 1 of 2 members owns 2 partitions, 1 owns 1. The assignment is optimal.", "kassay skipped 2 lines"],
        [],
    ),
    "A3-rebalancing.txt": (
        ["GRP: the group is rebalancing (PreparingRebalance). 3 members, none of which owns anything yet, 4 partitions, lag 35,000."],
        ["strategy", "Recommendation", "range"],
    ),
    "A5-rpk.txt": (["cooperative-sticky (in use, now)", "pay3: 1 of 2 members owns 2 partitions, 1 owns 1."], []),
    "A7-connector-status.json": (["1 of 2 workers owns 1 connector, 1 owns none.", "connectors: tasks:"], []),
    "B4-no-active-members.txt": (
        ["my-group: the group has no active members. 3 partitions, lag 60."],
        ["strategy", "Recommendation", STRATEGY],
    ),
    "B5-lib.txt": (
        [f"{STRATEGY}=cooperative-sticky", "Client: librdkafka", "Full stop.", "refuses eager and cooperative strategies in one list"],
        ["CooperativeStickyAssignor", "\nsticky "],
    ),
    "B7-lib-state.txt": (["range (in use, now)", f"{STRATEGY}=cooperative-sticky"], ["name consumer/range to ask it", "CooperativeStickyAssignor"]),
    "D1-connect-clumped.json": (
        ["The loads are balanced, but the assignment has a spread excess of 36 (best 0).", "3 of 3 connectors have all their tasks on one worker."],
        ["The assignment is optimal."],
    ),
    "D7-single-worker.json": (["its only worker owns 1 connector."], ["rolling restart"]),
    "E1-single-member.txt": (["g: its only member owns 2 partitions."], ["rolling restart", "stop at each rebalance"]),
    "E3-streams-listing.txt": (["high-availability", "Add the output of Topology#describe()"], [STRATEGY, "cooperative-sticky"]),
    "F1-copartitioned.txt": (
        ["Recommendation: The current assignment keeps orders-N and payments-N on one member, as range does.", "keep range"],
        [],
    ),
    "s-topology.txt": (["Set sticky on all instances. Trade-off: high-availability is better in tasks to restore (0 instead of 1)."], [STRATEGY]),
    "H1-share-400.txt": (["share-group: all 3 members own 2 partitions each."], []),
    "J5-spring-disjoint.txt": (
        ["Which topics do the 4 members subscribe to?", "--subscriptions all", "--subscriptions held"],
        ["Recommendation", STRATEGY],
    ),
    "K1-static-restart.txt": (["All 3 members are static", "0 moves and 0 rebalances"], []),
    "L2-grown-topic.txt": (
        ["12 of 28 partitions have no owner.", "the topic has grown since the last rebalance", "metadata.max.age.ms", "Or the listing is incomplete.", "every strategy assigns the partitions without owner and balances the loads"],
        ["Full stop"],
    ),
    "N2.txt": (
        ["billing: its only member owns 2 partitions.", "audit: the group has no active members. 2 partitions, lag 4.", "mail: both members own 1 partition each."],
        [],
    ),
    "x-k8s.txt": (["app: 2 members, 0 to 3 partitions each. The listing does not print who owns which partition, so nothing is compared."], ["Recommendation"]),
    "n-state.txt": (["gone: the group has no active members.", "busy: the group is rebalancing (PreparingRebalance). 5 members."], ["Recommendation"]),
    "k-state-acme.txt": (["Strategy in use: com.acme", "kassay does not know it, so it is not compared."], []),
    "k-4.1-reconciling.txt": (["next: the group is rebalancing (Reconciling). 2 members", "The coordinator's target assignment counts: "], ["Recommendation", "strategy"]),
    "f-fault.txt": (["good: its only member owns 1 partition."], []),
}  # fmt: skip
"""File -> what has to be shown, and what may not be."""


@pytest.fixture
def shown(capsys, monkeypatch, tmp_path):
    """Run a command at 80 columns in an empty folder; return its status, its output and its messages."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)

    def run(*words):
        status = main(list(words))
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_for_it_is_shown(name, shown):
    status, out, err = shown("compare", "--group", str(FOLDER / name))
    text = " ".join(out.split())
    expected, wrong = RIGHT[name]
    for each in expected:
        assert each in text, out
    for each in wrong:
        assert each not in (out if each.startswith("\n") else text), out
    assert status == (2 if name == "f-fault.txt" else 0)
    assert ("f-fault.txt:3: #PARTITIONS is 'one'" in " ".join(err.split())) == (name == "f-fault.txt")


def printed_commands(out):
    """Return the commands of kassay in an output, which stand behind `Next`."""
    found = re.findall(r"^Next: (kassay .*)$", out, re.MULTILINE)
    for block in re.findall(r"^Next\n((?:  .*\n)+)", out, re.MULTILINE):
        found += [line.strip() for line in block.splitlines() if line.strip().startswith("kassay ")]
    return found


COPIED = ("kassay ", "--bootstrap-server", "=", '": "', "kafkaJS: ")
"""What lines that are to be copied have in them: they are never broken."""


@pytest.mark.parametrize("name", [FILES[n] for n in cases(12, len(FILES))])
def test_it_fits_80_columns_and_every_command_that_is_printed_runs(name, shown):
    (status, out, err), file = shown("compare", "--group", str(FOLDER / name)), str(FOLDER / name)
    assert status in {0, 2}
    assert "bug of kassay" not in err
    assert all(line in err for line in ["kassay: "] * (status == 2))
    for line in out.splitlines():
        assert len(line) <= 80 or file in line or any(each in line for each in COPIED), line
    for command in printed_commands(out):
        assert shown(*shlex.split(command)[1:])[0] in {0, status}, command


def test_json_has_the_lines_of_each_client(shown):
    _, out, _ = shown("compare", "--group", str(FOLDER / "B5-lib.txt"), "--json")
    advice = json.loads(out.splitlines()[-1])
    assert advice["assignor"] == "consumer/cooperative-sticky"
    assert advice["set"] == [f"{STRATEGY}=cooperative-sticky"]
    (client,) = advice["clients"]
    assert (client["client"], client["method"]) == ("librdkafka", "full stop")


def test_a_stated_client_counts_and_an_unknown_one_gets_the_table_of_all(shown):
    _, out, _ = shown("compare", "--group", str(FOLDER / "B5-lib.txt"), "--client", "spring")
    assert "spring.kafka.consumer.properties.partition.assignment.strategy=" in out
    file = EXAMPLES / "kminion-104.members.txt"
    _, out, _ = shown("compare", "--group", str(file))
    assert "The client is not known" in " ".join(out.split())
    for line in (
        "Java (kafka-clients): two rolling restarts",
        "librdkafka: full stop",
        f"  {STRATEGY}=cooperative-sticky",
    ):
        assert line in out
    assert "Without this strategy: aiokafka" in " ".join(out.split())
    status, _, err = shown("compare", "--group", str(file), "--client", "librdkafak")
    assert status == 2
    assert "--client: 'librdkafak' is not a known client. Use librdkafka." in " ".join(err.split())


def test_a_client_without_the_strategy_is_told_what_it_lacks(shown):
    file = Path("kafkajs.txt")
    file.write_text(
        "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\ng kafkajs-1 /h kafkajs 4 t(0,1,2,3)\ng kafkajs-2 /h kafkajs 0 -\n"
    )
    _, out, _ = shown("compare", "--group", str(file))
    text = " ".join(out.split())
    assert "Client: kafkajs" in text
    assert f"{STRATEGY}=" not in text
    assert "kafkajs" in text.partition("Recommendation")[2]


def test_only_the_group_of_that_name_is_compared(shown):
    _, out, _ = shown("compare", "--group", str(FOLDER / "N2.txt"), "--consumer-group", "mail")
    assert out.startswith("mail: both members")
    assert "billing" not in out
    status, _, err = shown("compare", "--group", str(FOLDER / "N2.txt"), "--consumer-group", "mial")
    assert status == 2
    assert "mail" in err


def test_the_order_of_arguments_changes_nothing(shown):
    names = ["consumer/range", "consumer/sticky", "consumer/roundrobin"]
    listing = str(FOLDER / "F1-copartitioned.txt")
    outputs = {
        re.sub("kassay compare .*", "", shown("compare", *order, "--group", listing)[1])
        for order in (names, names[::-1])
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("command", [["check", "consumer/range"], ["what-if", "--join", "1"]])
def test_other_commands_tell_the_state_too(command, shown):
    status, out, _ = shown(*command, "--group", str(FOLDER / "B4-no-active-members.txt"))
    assert out.startswith("my-group: the group has no active members. 3 partitions, lag 60.")
    assert status == (3 if command[0] == "check" else 0)

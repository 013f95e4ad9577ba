"""Connect on the command line: whole answers, and sequences of rebalances beside their optimum."""

import json
from pathlib import Path

from kassay.cli import main
from kassay.comparison.measured import measured
from kassay.families import family
from kassay.model.workers import Cluster, Connector, ConnectorTask, Memory, Work, Worker
from kassay.targets import Options, open_target

EXAMPLES = Path(__file__).parents[2] / "examples" / "connect"


def test_assign_prints_what_the_next_round_needs(capsys):
    assert main(["assign", "connect/incremental-cooperative", str(EXAMPLES / "crowded-candidate.json")]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["revoked"] == {"w3": {"connectors": [], "tasks": [["c0", 2], ["c0", 3]]}}
    assert answer["assignment"]["w3"] == {"connectors": [], "tasks": [["c0", 4], ["c0", 5]]}
    assert answer["memory"]["revoked"]


def test_a_joining_worker_is_given_one_connector_together(tmp_path, capsys):
    target, group = "connect/incremental-cooperative", str(EXAMPLES / "together.json")
    asked = ["--property", "connectors_spread_at_rest", "--all", "-o", str(tmp_path)]
    assert main(["check", target, "--group", group, *asked]) == 3  # nothing that is promised was judged
    assert "tasks of a connector more than another one" in capsys.readouterr().out


def test_a_restart_is_compared_with_the_least_of_the_whole(capsys):
    arguments = ["--group", str(EXAMPLES / "cluster.json"), "--restart", "2", "--json"]
    assert main(["over-time", "connect/incremental-cooperative", "connect/eager", *arguments]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (optimum,) = (record for record in records if "totals" in record and record.get("certificate"))
    assert [total["proved"] for total in optimum["totals"]] == [True]


def test_a_whole_answer_that_asks_for_another_round_is_compared_as_it_stands():
    work = Work(("c0", "c1", "c2"), tuple(ConnectorTask("c0", n) for n in range(5)))
    kept = Work(work.connectors[1:], work.tasks[4:])
    memory = Memory(5, ("w0", "w1"), kept, Work(work.connectors[:1], work.tasks[:4]), revoked=True)
    cluster = Cluster(
        (Connector("c0", 5), Connector("c1"), Connector("c2")),
        (Worker("w0", work), Worker("w1")), time_ms=1000, generation=6, last_completed_generation=5, memory=memory,
    )  # fmt: skip
    with open_target("connect/incremental-cooperative", Options()) as target:
        found = measured(target, family("connect"), cluster)
    assert found.assignment.delay_ms > 0
    assert found.settled == found.assignment
    assert found.gaps

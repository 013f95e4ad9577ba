"""Connect on the command line: whole answers, and sequences of rebalances beside their optimum."""

import json
from pathlib import Path

from printed import json_lines

from kassay.cli import main

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
    assert "leaves the tasks of a connector uneven when it converges" in capsys.readouterr().out


def test_a_restart_is_compared_with_the_least_of_the_whole(capsys):
    arguments = ["--group", str(EXAMPLES / "cluster.json"), "--restart", "2", "--json"]
    assert main(["over-time", "connect/incremental-cooperative", "connect/eager", *arguments]) == 0
    records = json_lines(capsys)
    (optimum,) = (record for record in records if "totals" in record and record.get("certificate"))
    assert [total["proved"] for total in optimum["totals"]] == [True]


def test_what_has_no_optimum_is_explained_without_one(capsys):
    finding = EXAMPLES.parent / "findings" / "kafka-connect-forgotten-deletion.json"
    assert main(["explain", str(finding), "--target", "connect/incremental-cooperative"]) == 0
    said = capsys.readouterr().out
    assert "has a known defect: " in said
    assert "the optimum" not in said


def test_a_cluster_is_drawn_with_the_best_possible(tmp_path, capsys):
    page = tmp_path / "page.html"
    group = ["--group", str(EXAMPLES / "crowded-candidate.json")]
    assert main(["compare", "connect/eager", *group, "--html", str(page)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("crowded-candidate.json: ")
    assert "\neager " in shown
    assert "The best possible" in page.read_text()


def test_a_listing_of_consumers_is_no_cluster(capsys):
    listing = EXAMPLES.parent / "groups" / "kminion-104.members.txt"
    for command in ("check", "assign", "compare"):
        arguments = [str(listing)] if command == "assign" else ["--group", str(listing)]
        assert main([command, "connect/eager", *arguments]) == 2
        assert "family: is 'consumer', but the target's family is 'connect'" in capsys.readouterr().err

"""A group is compared even if the least of a rolling restart is unknown: the output says why, or how to ask for it."""

import json
from pathlib import Path

import pytest

from kassay.cli import main
from kassay.comparison import strategies

LISTING = Path(__file__).parents[2] / "examples" / "groups" / "kminion-104.members.txt"
ID = "00000000-0000-0000-0000-0000000000"


def application(threads, tasks, standbys):
    """Build an application of stateful tasks on clients with the given threads."""
    names = [f"0_{n}" for n in range(tasks)]
    return {
        "family": "streams",
        "tasks": [{"id": name, "stateful": True} for name in names],
        "clients": [
            {"id": f"{ID}{n:02}", "threads": each, "lags": dict.fromkeys(names, 0)}
            for n, each in enumerate(threads)
        ],
        "config": {"num.standby.replicas": standbys},
    }


def compare(group, folder, capsys):
    """Run `kassay compare` with a page, and return its output and the page."""
    file, page = folder / "group.json", folder / "page.html"
    file.write_text(json.dumps(group))
    assert main(["compare", "--group", str(file), "--html", str(page)]) == 0
    return " ".join(capsys.readouterr().out.split()), page.read_text()


def test_what_takes_too_long_is_left_to_the_command_for_it(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(strategies, "SECONDS", -1.0)
    assert main(["compare", "--group", str(LISTING)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("my-group: 1 of 5 members has no partition.")
    assert "rolling" not in said.partition("Recommendation")[0]
    assert f"kassay over-time --group {LISTING} --restart 5" in said


@pytest.mark.parametrize(
    ("group", "row", "why"),
    [
        (application([1, 2], 3, 2), "2, 1 2, 1", f"clients: at rebalance 1 {ID}00 cannot have its even share of all copies, 2 to 2"),
        (application([1] * 25, 3, 1), "1, 0 1, 0", "over time: 25 clients with 1 standbys are 625 places. Give fewer, for at most 400"),
    ],
    ids=["no even share", "too many places"],
)  # fmt: skip
def test_a_restart_that_the_oracle_refuses_leaves_the_comparison(group, row, why, tmp_path, capsys):
    said, page = compare(group, tmp_path, capsys)
    assert f"The minimum of a rolling restart is unknown: {why}" in said
    assert f"optimum {row} -" in said
    assert f"The minimum of a rolling restart is unknown: {why}" in " ".join(page.split())


@pytest.mark.parametrize(
    "group",
    [
        application([1], 3, 0),
        {"topics": [{"name": "t", "partitions": 3}], "members": [{"id": "a", "topics": ["t"]}]},
        {"family": "connect", "connectors": [{"name": "c", "tasks": 2}], "workers": [{"id": "w"}]},
    ],
    ids=["streams", "consumer", "connect"],
)
def test_a_group_of_one_has_no_rolling_restart(group, tmp_path, capsys):
    said, _ = compare(group, tmp_path, capsys)
    assert "rolling restart moves" not in said
    assert "over-time" not in said

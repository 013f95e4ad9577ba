"""Each command prints four parts in one order: the result, evidence, caveats, the next command; then the exit status."""

import json
import re

import pytest

from kassay.cli import COMMANDS, main
from kassay.output import Block
from kassay.output.pretty import write_pretty

GROUP = {
    "name": "shop",
    "topics": [{"name": "t", "partitions": 5}],
    "members": [
        {"id": "a", "topics": ["t"], "owned": [["t", 0], ["t", 1], ["t", 2], ["t", 3]]},
        {"id": "b", "topics": ["t"]},
    ],
}
LISTING = """
GROUP  CONSUMER-ID  HOST   CLIENT-ID  #PARTITIONS  ASSIGNMENT
shop   a            /10.0  c          2            t(0,1)
"""
LINES = {
    "assign": ("assign consumer/range g.json --format pretty", 0),
    "diff": ("diff a.json a.json", 0),
    "import": ("import members.txt --format pretty", 0),
    "playground": ("playground --no-browser --group g.json --out page", 0),
    "scoreboard": ("scoreboard", 0),
    "check": ("check consumer/range --examples 20", 0),
    "check, broken": ("check consumer/range --promise balanced --examples 20", 1),
    "check, known defects": ("check consumer/sticky --examples 60", 0),
    "check, several": ("check consumer/range consumer/sticky --examples 60 -j 1", 0),
    "check, not tested": ("check exec:false --examples 5", 3),
    "compare": ("compare --group g.json", 0),
    "compare, many": ("compare consumer/range consumer/fair --examples 20", 0),
    "explain": ("explain finding.json", 1),
    "frontier": ("frontier g.json", 0),
    "optimum": ("optimum balance,moves g.json", 0),
    "over-time": ("over-time --group g.json --restart 2", 0),
    "simulate": ("simulate --schedules 5 --faults crash,failover", 0),
    "what-if": ("what-if --group g.json --join 1", 0),
    "worst": ("worst consumer/range --measure balance --groups-per-stage 5", 0),
    "fixtures diff": ("fixtures diff fx/connect.json fx/connect.json", 0),
    "fixtures verify": ("fixtures verify connect --fixtures fx", 0),
    "fixtures write": ("fixtures write connect --fixtures fx", 0),
    "fixtures run": ("fixtures run consumer/range", 0),
}
"""Case -> the command line, and its exit status."""
ENDS = {"worst", "compare"}
"""Commands that end with the next command: their exit status is 0 unless a target fails."""
LISTS = {"list"}
"""Commands that print what there is, which has no result and no exit status but 0."""
OF_SWEEPS = {"report", "sweep"}
"""Commands that need Spark, which are run by tests/sweep and tests/reports."""


def test_no_command_is_left_out():
    tested = {case.split(",")[0] for case in LINES} | LISTS | OF_SWEEPS
    assert tested == set(COMMANDS)


@pytest.mark.parametrize("case", LINES)
def test_the_parts_stand_in_their_order(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "g.json").write_text(json.dumps(GROUP))
    (tmp_path / "members.txt").write_text(LISTING)
    line, status = LINES[case]
    if "fx/" in line or "verify" in line:
        main(["fixtures", "write", "connect", "--fixtures", "fx"])
        capsys.readouterr()
    if "a.json" in line:
        main(["check", "consumer/range", "--examples", "5", "--json"])
        (tmp_path / "a.json").write_text(capsys.readouterr().out)
    if "finding.json" in line:
        main(["check", "consumer/range", "--promise", "balanced", "--examples", "20", "--no-replay"])
        (saved,) = tmp_path.glob("kassay-findings/*.json")
        saved.rename("finding.json")
        capsys.readouterr()
    assert main(line.split()) == status
    printed = capsys.readouterr()
    assert bool(printed.err) == (case == "import")  # what was assumed
    lines = printed.out.splitlines()
    lines = lines if "" in lines else [*lines[:-1], "", lines[-1]]  # a result and its exit status alone
    result = " ".join(" ".join(lines[: lines.index("")]).split())
    assert re.match(r"(PASS|FAIL|INCONCLUSIVE)  ?\S", result) or case.split(",")[0] not in {
        "check",
        "explain",
        "simulate",
    }
    assert result.endswith(".") or case in {"import", "assign"}
    places = {
        "evidence": lines.index("") + 1,
        "caveats": next((n for n, each in enumerate(lines) if each == "Caveats"), None),
        "next": next(
            (n for n, each in enumerate(lines) if each == "Next" or each.startswith("Next: ")), None
        ),
        "status": next((n for n, each in enumerate(lines) if each.startswith("Exit status ")), None),
    }
    known = [place for place in places.values() if place is not None]
    assert known == sorted(known)
    if case.split(",")[0] in ENDS:
        assert lines[-1].startswith(("Next: ", "  kassay "))
    else:
        assert lines[-1].startswith(f"Exit status {status}")
    copied = ("Next: ", "  kassay ", "  https://", "partition.assignment.strategy", "  ")
    assert [each for each in lines if len(each) > 80 and not each.startswith(copied)] == []


def test_a_purpose_is_left_out_if_the_line_would_be_too_wide(capsys, monkeypatch):
    import sys

    for columns, shown in (("80", "Next: kassay list    all of them"), ("24", "Next: kassay list")):
        monkeypatch.setenv("COLUMNS", columns)
        write_pretty([Block(commands=[("kassay list", "all of them")], status="Exit status 0.")], sys.stdout)
        assert capsys.readouterr().out.splitlines() == [shown, "Exit status 0."]


def test_caveats_are_wrapped_below_their_head(capsys, monkeypatch):
    import sys

    monkeypatch.setenv("COLUMNS", "20")
    write_pretty([Block(caveats=["one two three four five", "six"])], sys.stdout)
    assert capsys.readouterr().out.splitlines() == ["Caveats", "  one two three four", "  five", "  six"]


def test_every_command_has_one_sentence_that_says_what_it_does():
    for name, module in COMMANDS.items():
        first = (module.__doc__ or "").partition("\n")[0]
        assert first.endswith("."), name
        assert len(first.split()) <= 15, first

"""The engine serves a family it has never heard of."""

import json
import os

import pytest
import toy_family

from kassay.cli import main
from kassay.engine.check import check
from kassay.engine.finding import Finding
from kassay.engine.verdict import BROKEN, KEPT, NOT_PROMISED, Tally, Verdict
from kassay.model import Assignor
from kassay.targets import Options, Target, open_target
from kassay.targets.target import failing_softly


def target(assignor: Assignor) -> Target:
    assign = failing_softly(assignor.assign)
    return Target(assignor.name, assignor.family, assign, assign, assignor.promises)


def outcomes(told):
    return {item.property: item.outcome for item in told if isinstance(item, Verdict)}


def test_check_keeps_and_breaks_promises_and_finds_the_smallest_group():
    told = list(check(target(toy_family.EVENLY), toy_family.TOY, examples=200))
    assert set(outcomes(told).values()) == {KEPT}
    told = list(check(target(toy_family.GREEDILY), toy_family.TOY, examples=200))
    assert outcomes(told)["fair"] == BROKEN
    assert outcomes(told)["all_given"] == KEPT
    assert outcomes(told)["growing"] == NOT_PROMISED
    (found,) = [item for item in told if isinstance(item, Finding)]
    assert found.group == toy_family.Sweets(2, 2)
    assert found.smallest
    (tally,) = [item for item in told if isinstance(item, Tally)]
    assert tally.groups >= 200
    assert tally.situations["more_children_than_sweets"] > 0


def test_a_python_target_of_a_foreign_family_and_its_finding(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "tests", prepend=os.pathsep)
    with open_target("python:toy_family:GREEDILY", Options(family="toy_family:TOY")) as near:
        assert near.family == "toy_family:TOY"
        assert near.assign(toy_family.Sweets(3, 2)) == (3, 0)
    command = [
        "check",
        "python:toy_family:greedily",
        "--family",
        "toy_family:TOY",
        "--promise",
        "fair",
        "-o",
        str(tmp_path),
    ]
    assert main([*command, "--json", "--examples", "50"]) == 1
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (finding,) = [r for r in records if r["record"] == "finding" and r["property"] == "fair"]
    assert finding["group"] == {"family": "toy", "sweets": 2, "children": 2}
    assert main(["explain", finding["file"], "--trust"]) == 1
    assert "one child has 2 sweets, another 0" in capsys.readouterr().out


def test_an_unknown_family_is_named(capsys):
    assert main(["check", "consumer/range", "--family", "nonsense", "--group", "nowhere.json"]) == 2
    with pytest.raises(SystemExit, match="2"):
        main(["check"])
    assert "TARGET" in capsys.readouterr().err

"""The engine serves a shape and a family that it has never heard of."""

import json
import os
from pathlib import Path

import pytest
import toy_shape
from printed import json_lines

from kassay.cli import main
from kassay.engine.check import check
from kassay.engine.finding import Finding
from kassay.engine.verdict import Tally, Verdict
from kassay.model import Assignor
from kassay.output.block import BROKEN, KEPT, NOT_PROMISED
from kassay.targets import Options, Target, open_target
from kassay.targets.target import wrap_failures

FAMILY = ["--family", "toy_shape:FLEETS"]


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(toy_shape.__file__).parent), prepend=os.pathsep)


@pytest.fixture
def fleet(tmp_path):
    file = tmp_path / "fleet.json"
    file.write_text('{"hosts": 2, "services": 3, "databases": 2}')
    return str(file)


def target(assignor: Assignor) -> Target:
    assign = wrap_failures(assignor.assign)
    return Target(assignor.name, assignor.family, assign, assign, assignor.promises)


def outcomes(told):
    return {item.property: item.outcome for item in told if isinstance(item, Verdict)}


def test_the_shape_has_few_lines():
    lines = Path(toy_shape.__file__).read_text().splitlines()
    assert len(lines) <= 150


def test_check_keeps_and_breaks_promises_and_finds_the_smallest_group():
    told = list(check(target(toy_shape.EVENLY), toy_shape.FLEETS, examples=200))
    assert set(outcomes(told).values()) == {KEPT}
    told = list(check(target(toy_shape.GREEDILY), toy_shape.FLEETS, examples=200))
    assert outcomes(told)["apart"] == BROKEN
    assert outcomes(told)["all_placed"] == KEPT
    assert outcomes(told)["growing"] == NOT_PROMISED
    (found,) = [item for item in told if isinstance(item, Finding)]
    assert found.group == toy_shape.Fleet(2, 0, 2)
    assert found.smallest
    (tally,) = [item for item in told if isinstance(item, Tally)]
    assert tally.groups >= 200
    assert tally.situations["more_hosts_than_databases"] > 0


def test_list_assign_and_compare_serve_it(fleet, capsys):
    assert main(["list", *FAMILY]) == 0
    assert "No host runs two databases while another one runs none" in capsys.readouterr().out
    assert main(["assign", "python:toy_shape:EVENLY", fleet, *FAMILY]) == 0
    assert json.loads(capsys.readouterr().out) == [[2, 1], [1, 1]]
    both = ["python:toy_shape:EVENLY", "python:toy_shape:GREEDILY"]
    assert main(["compare", *both, *FAMILY, "--group", fleet, "--examples", "5"]) == 0
    printed = capsys.readouterr().out
    assert "3 services, 2 databases" in printed
    assert "spread" in printed


def test_a_python_target_and_its_finding(tmp_path, capsys):
    with open_target("python:toy_shape:GREEDILY", Options(family="toy_shape:FLEETS")) as near:
        assert near.family == "toy_shape:FLEETS"
        assert near.assign(toy_shape.Fleet(2, 3, 1)) == ((3, 1), (0, 0))
    command = ["check", "python:toy_shape:greedily", *FAMILY, "--promise", "apart", "-o", str(tmp_path)]
    assert main([*command, "--json", "--examples", "50"]) == 1
    records = json_lines(capsys)
    (finding,) = [r for r in records if r["record"] == "finding" and r["property"] == "apart"]
    assert finding["group"] == {"family": "fleets", "hosts": 2, "services": 0, "databases": 2}
    assert main(["explain", finding["file"], "--trust"]) == 1
    assert "2 databases run on 1 of 2 hosts" in capsys.readouterr().out


def test_an_unknown_family_is_named(capsys):
    assert main(["check", "consumer/range", "--family", "nonsense", "--group", "nowhere.json"]) == 2
    with pytest.raises(SystemExit, match="2"):
        main(["explain"])
    assert "FILE" in capsys.readouterr().err

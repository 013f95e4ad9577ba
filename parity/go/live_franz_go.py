"""The balancers of franz-go keep what they promise, are as near the optimum as they say, and break what docs/results/findings.md says."""

import json
import subprocess
import sys
from pathlib import Path

import findings
import pytest
from claimants import by_franz_go
from ordering import LOADS, ORDERS, as_asked, beyond, claims_of, judged
from whole import some

from kassay.cli import main
from kassay.engine.generate import draw_groups
from kassay.engine.judge import find_violations
from kassay.families.consumer import CONSUMER
from kassay.reports.sweep.grid import read_grid
from kassay.reports.sweep.manifest import draw_timeline, seed_of, start_timeline
from kassay.targets import Options, open_target

ROOT = Path(__file__).parents[2]
OFFERED = ("range", "range-racks", "roundrobin", *ORDERS)
FINDINGS = [one for _, one in findings.load_findings() if "franz-go" in one.target]


def cell_of_grid(name, most):
    """The first groups of a cell."""
    (cell,) = (one for one in read_grid(ROOT / "grids" / "franz-go.toml").cells if one.name == name)
    return [start_timeline(CONSUMER, draw_timeline(CONSUMER, cell, seed_of(0, cell, n))) for n in range(most)]


@pytest.mark.parametrize("name", OFFERED)
def test_promises_are_kept(franz_go, name, tmp_path, capsys):
    examples = str(some(400, 20_000))
    assert (
        main(["check", f"{franz_go} {name}", "--examples", examples, "--wait", "600", "-o", str(tmp_path)])
        == 0
    )
    assert " 0 broken" in capsys.readouterr().out


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("cell", ["mixed subscriptions", "racks decide", "hostile"])
def test_answers_are_best_where_nobody_claims_what_another_one_claims(franz_go, name, cell):
    alone = 0
    with open_target(f"{franz_go} {name}", Options()) as target:
        for drawn_group in cell_of_grid(cell, some(100, 5_000)):
            group = as_asked(drawn_group, ORDERS[name])
            if claims_of(group) in ("nobody", "one"):
                assert judged(target.assign, group, ORDERS[name]) == (None, 0), group
                alone += 1
    assert alone > 50


@pytest.mark.parametrize("name", ["sticky", "sticky-racks"])
def test_answers_are_best_by_the_owners_that_franz_go_sees_wherever_several_claim(franz_go, name):
    several = elsewhere = 0
    order = ORDERS[name]
    with open_target(f"{franz_go} {name}", Options()) as target:
        for drawn_group in cell_of_grid("lost generations", some(100, 10_000)):
            group = as_asked(drawn_group, order)
            seen = list(by_franz_go(group))
            if claims_of(group) in ("nobody", "one") or not seen:
                continue
            answer = target.assign(group)
            assert (None, 0) in (beyond(answer, one, order) for one in seen), group
            several += 1
            elsewhere += beyond(answer, group, order) != (None, 0)
    assert several > 50
    assert elsewhere, "no answer shows that kassay sees other owners"


@pytest.mark.parametrize(
    ("name", "kafka"), [("range", "consumer/range"), ("roundrobin", "consumer/roundrobin")]
)
def test_what_is_said_to_be_equivalent_to_java_gives_the_same(franz_go, name, kafka):
    compared = 0
    with open_target(f"{franz_go} {name}", Options()) as target, open_target(kafka, Options()) as reference:
        for each in draw_groups(CONSUMER, some(300, 20_000), 0):
            group = as_asked(each, LOADS)
            if not any(holds(group) for holds in OTHERWISE):
                assert CONSUMER.shape.same(target.assign(group), reference.assign(group)), group
                compared += 1
    assert compared > 150


def _high_names(group):
    """Java sorts by UTF-16, Go by UTF-8: not the same from U+D800 on."""
    return any(character >= "\ud800" for text in _names(group) for character in text)


def _names(group):
    return [t.name for t in group.topics] + [
        text for m in group.members for text in (m.id, m.instance_id or "", *m.topics)
    ]


OTHERWISE = (_high_names, CONSUMER.situations["repeated_topic"])
"""Where they are not: names that Java sorts in another order, and topics that are listed twice, which range then counts twice."""


@pytest.mark.usefixtures("franz_go")
@pytest.mark.parametrize("finding", FINDINGS, ids=lambda one: f"{one.property} {one.file_name()}")
def test_franz_go_breaks_what_it_is_said_to(finding, monkeypatch):
    monkeypatch.chdir(ROOT)
    with open_target(finding.target, Options()) as target:
        said = find_violations(CONSUMER, finding.property, finding.group, target.assign, target)
    assert said[:1] == finding.messages[:1]


def test_a_balancer_that_it_does_not_have_is_named(franz_go):
    program = franz_go.partition(":")[2]
    said = subprocess.run([program, "stikcy"], input=b'{"kassay": 1}\n', capture_output=True, check=True)
    assert "stikcy" in json.loads(said.stdout)["refused"]


def test_a_long_comparison_goes_on_where_it_was_broken_off(franz_go, tmp_path):
    state, grid = tmp_path / "state.json", tmp_path / "grid.toml"
    grid.write_text(
        'targets = ["consumer/range"]\n[[cells]]\nname = "a few"\ngroups = 3000\nclaims = "even"\n'
    )
    counted = []
    for most in (1, 6, 6):
        words = [
            franz_go.partition(":")[2],
            "--groups",
            str(most),
            "--state",
            str(state),
            "--grid",
            str(grid),
        ]
        subprocess.run(
            [sys.executable, "parity/go/optimal.py", *words], cwd=ROOT, check=True, capture_output=True
        )
        held = json.loads(state.read_text())
        counted.append((held["parts"], [tally["groups"] for tally in held["tallies"].values()]))
    assert [parts for parts, _ in counted] == [1, 2, 2]
    assert [set(groups) for _, groups in counted] == [{3}, {6}, {6}]

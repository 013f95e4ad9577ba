"""Targets that remember earlier groups: a check finds those whose promises fail by that, with the smallest sequence, and no others."""

import json
import sys
from pathlib import Path

import pytest
from whole import cases

from kassay.cli import main
from kassay.engine import lives, memories
from kassay.engine.check import check
from kassay.engine.finding import Finding, load_finding
from kassay.engine.generate import draw_examples
from kassay.engine.lives import Comparison, list_smaller, play_timeline
from kassay.engine.verdict import Tally, Verdict
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model import Group, Member, Topic
from kassay.output.block import BROKEN, KEPT
from kassay.targets import Options, open_target

CONSUMER = family("consumer")
PROGRAM = Path(__file__).parents[1] / "programs" / "remembering.py"
BREAKS = {
    "coarse_cache": {"complete", "existing", "subscribed", "every_member", "deterministic"},
    "growth": {"crash_free"},
    "instance_ids": {"complete", "every_member", "deterministic"},
    "owners": {"subscribed"},
    "last_group": {"every_member", "deterministic"},
}
HONEST = ("cache", "nothing")
PROMISES = [name for name in CONSUMER.properties if name in CONSUMER.expected]


def spec(way, kind="exec"):
    return f"exec:{sys.executable} -S {PROGRAM} {way}" if kind == "exec" else f"python:remembering_groups:{way}"


@pytest.fixture
def quick(monkeypatch):
    """Stop shrinking early: the tests ask for a sequence, not for the smallest one."""
    monkeypatch.setattr(lives, "SHRINK_S", 0.3)
    monkeypatch.setattr(memories, "LONG", 60)
    monkeypatch.setattr(memories, "GROUPS_PER_PROCESS", 20)


def checked(way):
    with open_target(spec(way), Options()) as target:
        return list(check(target, CONSUMER, examples=100, wanted=PROMISES))


WAYS = [*BREAKS, *HONEST]


@pytest.mark.parametrize("way", [WAYS[at] for at in cases(1, len(WAYS))])
def test_those_that_remember_wrongly_are_found_and_the_honest_are_not(way, quick, tmp_path, capsys):
    told = checked(way)
    broken = {one.property for one in told if isinstance(one, Verdict) and one.outcome == BROKEN}
    findings = [one for one in told if isinstance(one, Finding)]
    (tally,) = (one for one in told if isinstance(one, Tally))
    assert tally.rebalances
    if way in HONEST:
        assert broken == set()
        return
    assert BREAKS[way] & broken
    for one in findings:
        assert one.before, one.messages
        assert f"{len(one.before)} other group" in one.messages[0]
    path = findings[0].save(tmp_path)
    assert load_finding(str(path)).before == findings[0].before
    assert main(["explain", str(path), "--trust"]) == 1
    assert "earlier rebalance" in capsys.readouterr().out
    assert main(["explain", str(path), "--target", spec("nothing")]) == 0

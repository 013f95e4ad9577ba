"""Vanished tasks of clients cost no move, and change no verdict."""

import json
import random
from itertools import islice

import pytest
from classes.groups.random_applications import applications, with_vanished
from whole import some

from kassay.cli import main
from kassay.families import family
from kassay.reference import ASSIGNORS

STREAMS = family("streams")
NAMES = ("high-availability", "legacy-sticky", "sticky", "fallback-prior")


def twins(number, strategy="min_traffic"):
    """Yield pairs of an application and the same one whose clients also ran vanished tasks."""
    rng = random.Random(strategy)
    for made in islice(applications(11, strategy), number):
        yield made, with_vanished(rng, made)


@pytest.mark.parametrize("name", NAMES)
def test_measures_invariants_and_gaps_are_those_of_what_exists(name):
    seen = 0
    for made, changed in twins(some(8, 200)):
        seen += STREAMS.situations["vanished_task"](changed)
        assert not STREAMS.situations["vanished_task"](made)
        answer = ASSIGNORS[f"streams/{name}"].assign(changed)
        assert not [found for each in STREAMS.legal for found in STREAMS.invariants[each](changed, answer)]
        for known in (STREAMS.measures, STREAMS.invariants):
            for what, judge in known.items():
                one, other = (judge(group, answer) for group in (made, changed))
                same = (list(one), list(other)) if known is STREAMS.invariants else (one, other)
                assert same[0] == same[1], what
        assert STREAMS.oracles.optima(made).gaps(answer) == STREAMS.oracles.optima(changed).gaps(answer)
    assert seen


def test_they_are_read_written_made_smaller_and_shown(tmp_path, capsys):
    _, changed = next(pair for pair in twins(20) if STREAMS.situations["vanished_task"](pair[1]))
    assert STREAMS.shape.read_group(STREAMS.write_group(changed)) == changed
    smaller = list(islice(STREAMS.shape.smaller(changed), 500))
    assert any(not STREAMS.situations["vanished_task"](each) for each in smaller)
    file = tmp_path / "changed.json"
    file.write_text(json.dumps(STREAMS.write_group(changed)))
    for asked in (
        ["assign", "streams/legacy-sticky", str(file)],
        ["compare", "streams/high-availability", "streams/sticky", "--group", str(file)],
        ["compare", "streams/legacy-sticky", "--group", str(file), "--html", str(tmp_path / "page.html")],
        ["optimum", "balance,active,moves", str(file)],
    ):
        assert main(asked) == 0, capsys.readouterr()
    capsys.readouterr()

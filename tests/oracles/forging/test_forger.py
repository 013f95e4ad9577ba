"""Of altered answers of all kinds the checker accepts those alone that are true, and refuses no true one; each ends in one sentence."""

import json
import sys
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import pytest
from forge import CASES
from forging.cases import KINDS, draw_cases
from forging.forger import Tally, describe_tallies, find_sentence, forge
from forging.planting import BUGS, plant
from hypothesis import given, settings
from hypothesis import strategies as st
from mutations import mutated
from whole import cases, some

from kassay.oracles.proof import command, frontier, groups, partitions, reading, roles, tasks, workers
from kassay.oracles.proof.over_time import of_partitions as sequences
from kassay.oracles.proof.over_time import sums

MOST = 60
"""The greatest number of cases in which to find a planted bug."""


@pytest.mark.parametrize("kind", KINDS)
def test_of_what_is_altered_only_what_is_true_is_accepted(kind, tmp_path):
    tally = Tally()
    for number in cases(3, CASES):
        forge(kind, number, tmp_path, tally)
    assert not tally.faults, "\n".join(tally.faults)
    assert tally.said["refused"] > tally.said["proved"] + tally.said["holds"] > 0, describe_tallies(
        {kind: tally}
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_keys_and_keys_that_are_not_known_change_nothing(kind):
    for number in range(some(2, 40)):
        for case in draw_cases(kind, number):
            answer = {"of_no_concern": [1.5], **dict(reversed([*case.answer.items()]))}
            assert find_sentence(case, answer) == find_sentence(case, case.answer)


@pytest.fixture(scope="module")
def one_of_each():
    """One case of each kind, drawn before a test draws: Hypothesis refuses a draw inside another."""
    return [case for kind in KINDS for case in draw_cases(kind, 1)]


@settings(max_examples=some(80, 5000))
@given(st.data())
def test_any_bytes_have_one_sentence(folder, one_of_each, data):
    case = data.draw(st.sampled_from(one_of_each))
    files = [folder / "answer", folder / "group"]
    for file, value in zip(files, (case.answer, case.group), strict=True):
        file.write_bytes(json.dumps(value).encode())
    which = data.draw(st.sampled_from([0, 0, 1]))
    files[which].write_bytes(data.draw(st.one_of(mutated([case.answer, case.group][which]), st.binary())))
    what = [] if case.events is None else [f"--{case.events[0]}", str(case.events[1])]
    with redirect_stdout(StringIO()) as told, redirect_stderr(StringIO()) as wrong:
        status = command.main([*map(str, files), *what])
    assert status in (0, 1, 2, 3)
    assert told.getvalue().count("\n") >= 1 if status != 2 else not told.getvalue()
    assert wrong.getvalue().count("\n") == (status == 2)


def is_found(kind, folder, first=0):
    """Return True if the forger finds a fault of the checker by answers of a kind."""
    tally = Tally()
    for number in range(first, first + MOST):
        forge(kind, number, folder, tally)
        if tally.faults:
            return True
    return False


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_that_the_checker_had_is_found(bug, tmp_path):
    of = BUGS[bug]
    with plant(of.changes):
        assert is_found(of.kind, tmp_path, of.first)


MUTANTS: dict[str, tuple[Any, str, Any, str]] = {
    "believes what is stated": (reading, "compare", lambda *_: None, "joined"),
    "believes every claim": (reading, "prove", lambda *_: None, "consumer"),
    "takes what is no optimum": (partitions, "describe_proof", lambda asked, *_, **__: f"proved: {asked}", "consumer"),
    "counts no reads across racks": (groups, "IN_RACK", {"cross-rack": lambda *_: 0}, "consumer"),
    "forgets what members have left": (groups, "minimize_square", lambda *_: 0, "consumer"),
    "takes the dearest slots": (groups, "minimize_square", lambda square, price, _, most: square * most * most - price * most, "consumer"),
    "takes copies to cost nothing": (roles, "find_cheapest", lambda *_: 0, "streams"),
    "lets clients have what they have left": (groups, "minimize_square", lambda *_: 0, "streams"),
    "takes every spread for a bad one": (tasks, "sum_even_squares", lambda _: 0, "subtopologies"),
    "sees nothing run": (workers, "Counter", lambda *_: Counter(), "connect"),
    "shuts every box": (frontier, "is_shut", lambda *_: True, "frontier of consumer"),
    "takes every loads for even": (sequences, "find_uneven_path", lambda *_: [], "over time, consumer"),
    "lets partitions be anywhere": (sequences, "_find_components", lambda arcs: dict.fromkeys(arcs, 0), "over time, consumer"),
    "takes all moves for free": (sums, "_count_moves", lambda *_: 0, "over time, streams"),
    "believes bounds over time": (sums, "prove", lambda *_: None, "bound over time, consumer"),
}  # fmt: skip
"""Fault of a checker -> the module, the function, its replacement, and the kind of answers that show it."""


@pytest.mark.parametrize("name", MUTANTS)
def test_a_checker_that_does_something_wrong_is_caught(name, monkeypatch, tmp_path):
    module, function, instead, kind = MUTANTS[name]
    right = getattr(module, function)
    for other in [each for own, each in sys.modules.items() if own.startswith("kassay.oracles.proof.")]:
        if getattr(other, function, None) is right:
            monkeypatch.setattr(other, function, instead)
    assert is_found(kind, tmp_path)

"""The long comparison: finds nothing wrong, stops where told, goes on where it stopped, and sees what is wrong."""

import json

import numpy as np
import pytest
from second_opinions import cross_check as verification
from second_opinions.bulk_check import bulk_check, drawn, improvable_by_nothing, legal
from second_opinions.cross_check import main
from second_opinions.small_duals import least, worth
from second_opinions.successive_shortest_paths import successive_shortest_paths
from whole import some

CERTIFICATES = some(100, 20_000)  # a hundredth takes as long where nothing is compiled
NUMBERS = some(100, 300)


def test_a_run_goes_on_where_it_stopped(tmp_path, capsys):
    state = tmp_path / "state.json"
    assert main(["--programs", "20", "--certificates", str(CERTIFICATES), "--state", str(state)]) == 0
    assert main(["--programs", "30", "--certificates", str(CERTIFICATES), "--state", str(state)]) == 0
    noted = json.loads(state.read_text())
    assert (noted["programs"]["checked"], noted["certificates"]["checked"]) == (30, CERTIFICATES)
    assert "programs: 30 checked, 0 wrong" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


def test_what_is_wrong_is_named_and_fails(tmp_path, monkeypatch, capsys):
    state = tmp_path / "state.json"
    check, step = verification.CHECKS["certificates"]
    wrong = {"certificates": (lambda first, count: [*check(first, count), first + 1], step)}
    monkeypatch.setattr(verification, "CHECKS", verification.CHECKS | wrong)
    assert main(["--programs", "0", "--certificates", "10", "--state", str(state)]) == 1
    assert json.loads(state.read_text())["certificates"]["wrong"] == [1]
    assert "certificates: 10 checked, 1 wrong" in capsys.readouterr().out


def test_a_linear_program_that_errs_is_seen(monkeypatch):
    right = verification.solve_program

    def errs(problem, levels):
        owners, found = right(problem, levels)
        return np.zeros_like(owners), found

    monkeypatch.setattr(verification, "solve_program", errs)
    assert len(verification.against_programs(0, 30)) > 10


@pytest.mark.parametrize("start", [0, 500])
def test_the_checks_in_machine_code_reject_what_is_not_optimal(start):
    """Moving one item, or a price, or doubling an owner, is noticed by at least one of the three checks."""
    r = np.random.default_rng(start)
    moved = priced = 0
    for number in range(start, start + NUMBERS):
        cost, square, copies = drawn(number)
        items, members = cost.shape
        owners, prices = np.empty((items, copies), np.int64), np.empty(members, np.int64)
        successive_shortest_paths(cost, square, copies, owners, prices)
        value = worth(cost, square, owners)
        assert legal(cost, owners)
        assert value == least(cost, square, copies, prices)
        if not items:
            continue
        worse = owners.copy()
        worse[r.integers(items), 0] = r.integers(members)
        if legal(cost, worse):
            optimal = worth(cost, square, worse) == value
            assert improvable_by_nothing(cost, square, worse) == optimal
            moved += not optimal
        prices[r.integers(members)] += int(r.choice([-1, 1])) * int(r.integers(1, 2 + square))
        assert least(cost, square, copies, prices) <= value
        priced += least(cost, square, copies, prices) < value
        if copies > 1:
            owners[0, 1] = owners[0, 0]
            assert not legal(cost, owners)
    assert moved > NUMBERS // 6
    assert priced > NUMBERS // 6
    assert bulk_check(start, NUMBERS).size == 0

"""What cannot be answered is refused in one sentence; what is not proved is never called an optimum."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from drawing import dearer, tiny
from second_opinions.every_assignment import exhaust
from second_opinions.negative_cycle import negative_cycle
from second_opinions.optimum_by_program import optimum_by_program

from kassay.errors import InputError
from kassay.model import Group, Member, Topic
from kassay.oracles import ORACLES, solving
from kassay.oracles.assignment.certificates import compute_bound
from kassay.oracles.assignment.flow.exact import keep_admissible, solve, solve_large
from kassay.oracles.assignment.linear_program import solve_program
from kassay.oracles.assignment.problem import LARGEST
from kassay.oracles.assignment.values import Prices
from kassay.oracles.errors import ImpossibleError, TooLargeError, UnsolvedError
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question

PAIR = Group((Topic("t", 3),), (Member("a", ("t",)), Member("b", ("t",))))
FLOWS = [text for text in ORACLES["consumer"] if not parse_question(text).weighs]
"""Questions that any group can be asked; those of weights need some."""
NINE = replace(PAIR, members=tuple(replace(PAIR.members[0], id=f"m{n}") for n in range(9)))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "''"),
        ("fairness", "'fairness'"),
        ("balance,balance", "twice"),
        ("copies=0,balance", "'0' copies"),
        ("copies=x,balance", "'x' copies"),
        ("copies=99999999999999999999,balance", "copies"),
        ("copies=2", "no level"),
        ("balance,copies=2", "'copies=2'"),
        ("co-partition,copies=2,moves", "'copies=2'"),
    ],
)
def test_a_question_that_makes_no_sense_is_wrong_input(text, says):
    with pytest.raises(ImpossibleError, match=says) as refused:
        compute_optimum(text, PAIR)
    assert isinstance(refused.value, InputError)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", FLOWS)
def test_every_listed_question_is_answered(text):
    assert compute_optimum(text, NINE).proved
    assert parse_question(str(parse_question(text))) == parse_question(text)


@pytest.mark.parametrize("oracle", [compute_optimum, optimum_by_program])
def test_more_copies_than_subscribers_are_impossible(oracle):
    with pytest.raises(ImpossibleError, match="3 copies of every partition are impossible: some have only 2"):
        oracle("copies=3,balance", PAIR)


@pytest.mark.parametrize("text", FLOWS)
@pytest.mark.parametrize(
    "of",
    [
        Group((), ()),
        Group((Topic("t", 3),), ()),
        Group((Topic("t", 0),), PAIR.members),
        Group((), PAIR.members),
    ],
)
def test_groups_without_anything_to_give_have_an_optimum_of_nothing(text, of):
    for oracle in (compute_optimum, optimum_by_program):
        assert set(oracle(text, of).values.values()) <= {0}


def test_a_solver_that_stops_early_proves_nothing():
    of = tiny(np.random.default_rng(0), items=40)
    with pytest.raises(UnsolvedError, match="time"):
        solve_program(of, ("balance",), 0.0)
    model = solving.Model()
    variables = [model.variable(1) for _ in range(3)]
    model.require(model.total((each, 2) for each in variables) == 3)
    with pytest.raises(UnsolvedError, match="where only whole numbers can be"):
        model.minimise([solving.Objective([(each, 2) for each in variables], 6)])
    model.require(model.total((each, 1) for each in variables) >= 4)
    with pytest.raises(UnsolvedError, match="kInfeasible"):
        model.minimise([solving.Objective([(variables[0], 1)], 1)])


def test_a_time_out_inside_the_solver_is_no_optimum(monkeypatch):
    """PuLP 3 calls a time-out "Optimal" where there is an incumbent; the model must not believe it."""
    of = tiny(np.random.default_rng(3), items=40)
    options = {"simplex_iteration_limit": 1}
    plain = solving.pulp.HiGHS
    monkeypatch.setattr(solving.pulp, "HiGHS", lambda **given: plain(**given, **options))
    with pytest.raises(UnsolvedError, match="kIterationLimit"):
        solve_program(of, ("balance",))


def run_without(missing, code):
    """Return what code prints, to either stream, in a process that cannot import a module."""
    code = f"import sys; sys.modules[{missing!r}] = None\n{code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stderr + done.stdout


@pytest.mark.parametrize(
    ("missing", "needs"),
    [
        ("pulp", "import kassay.oracles.solving"),
        ("highspy", "import kassay.oracles.solving"),
        (
            "ortools.graph.python.min_cost_flow",
            "from kassay.oracles.assignment.flow.min_cost_flow import import_or_tools; import_or_tools('graph.python.min_cost_flow')",
        ),
    ],
)
def test_a_missing_solver_is_said_in_one_sentence(missing, needs):
    said = run_without(
        missing,
        "from kassay.oracles.errors import UnsolvedError\n"
        f"try:\n    {needs}\n"
        "except UnsolvedError as refused:\n    print(refused)\n",
    )
    assert " is missing (" in said
    assert said.endswith("kassay depends on it, so install kassay again\n")


@pytest.mark.parametrize("missing", ["numba", "pulp", "highspy"])
def test_answers_do_without_what_only_comparisons_need(missing):
    said = run_without(
        missing,
        "from kassay.model import Group, Member, Topic\n"
        "from kassay.oracles.partitions.optima import explain\n"
        "from kassay.oracles.partitions.optimum import compute_optimum\n"
        "group = Group((Topic('t', 4),), (Member('a', ('t',)), Member('b', ('t',))))\n"
        "print(compute_optimum('redundancy', group).values, compute_optimum('balance,moves', group).values)\n"
        "print(*explain(group, {'a': tuple(group.topics[0]), 'b': ()}))\n",
    )
    assert "{'balance': 0, 'moves': 0, 'cross-rack': 0} {'balance': 0, 'moves': 0}" in said


def test_the_long_comparison_says_how_to_get_numba():
    said = run_without("numba", "import kassay.oracles.compiled")
    assert "UnsolvedError: numba is missing (" in said
    assert "pip install 'kassay[test]'" in said


def test_importing_the_table_loads_nothing_heavy():
    heavy = "{'numpy', 'numba', 'pulp', 'ortools', 'highspy'}"
    assert run_without("no_module", f"import kassay.oracles; print({heavy} & set(sys.modules))") == "set()\n"


def test_numbers_beyond_64_bits_are_refused():
    of = tiny(np.random.default_rng(0), items=40)
    assert of.items
    huge = dearer(of, LARGEST // 4)
    asked = parse_question("balance,moves,cross-rack")
    some = np.zeros((of.items, 1), int)
    for answer in (solve, solve_large, lambda of, levels: negative_cycle(of, levels, some)):
        with pytest.raises(TooLargeError, match="64 bits"):
            answer(huge, asked.levels)
    with pytest.raises(TooLargeError, match="64 bits"):
        compute_bound(of, asked.levels, Prices(np.full((3, of.members), 2**40)))


def test_what_is_too_much_to_try_is_refused(monkeypatch):
    monkeypatch.setattr("second_opinions.every_assignment.MOST", 2000)
    many = Group((Topic("t", 30),), PAIR.members)
    with pytest.raises(TooLargeError, match="more than 2000"):
        exhaust(many, parse_question("balance"))
    monkeypatch.setattr("kassay.oracles.assignment.flow.item_classes.MANY", 0)
    monkeypatch.setattr("kassay.oracles.assignment.flow.exact.FEW", 0)
    several = tiny(np.random.default_rng(0), copies=2, items=30)
    with pytest.raises(TooLargeError, match=f"2 copies of {several.items} partitions"):
        solve(several, parse_question("copies=2,balance").levels)
    monkeypatch.setattr("second_opinions.negative_cycle.ENTRIES", 1)
    with pytest.raises(TooLargeError, match="too many for a matrix"):
        negative_cycle(several, ("balance",), np.zeros((several.items, 2), int))
    monkeypatch.setattr("kassay.oracles.assignment.flow.exact.ENTRIES", 1)
    with pytest.raises(TooLargeError, match="levels before balance"):
        keep_admissible(tiny(np.random.default_rng(0), items=40), ("moves",))

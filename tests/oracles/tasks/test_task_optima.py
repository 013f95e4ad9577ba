"""The optima of tasks are those that counting out and a second solver find, and measure what they say."""

import math
import subprocess
import sys
from dataclasses import replace
from random import Random

import pytest
from drawing_tasks import QUESTIONS, anyhow, some_tiny, tinies
from hypothesis import given, settings
from hypothesis import strategies as st
from second_opinions.every_placement import exhaust
from whole import cases, share

from kassay.model.tasks import Application, Client, Settings, Task, TaskId
from kassay.oracles.assignment.active_standby.check import compute_values, is_proof
from kassay.oracles.assignment.active_standby.optimum import find_joint_optimum
from kassay.oracles.assignment.active_standby.small_optimum import find_small_optima
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.tasks import optima as tasks_optima
from kassay.oracles.tasks.encoding import encode_application
from kassay.oracles.tasks.optima import compute_optima, explain, solve_by_program
from kassay.oracles.tasks.optimum import compute_flow_optimum, compute_optimum, is_flow, remeasure
from kassay.oracles.tasks.question import parse_question
from kassay.properties.streams import INVARIANTS, LEGAL
from kassay.properties.tasks.strategies import applications

TRIED = 600


def check(of, text, given=None):
    asked = parse_question(text, given=given is not None)
    try:
        counted, best = exhaust(of, asked, given, TRIED)
    except TooLargeError:
        return
    answer = compute_optimum(text, of, given=given)
    assert answer.proved
    assert answer.values == remeasure(of, best, asked) == remeasure(of, answer.assignment, asked), (
        compute_values,
        answer,
    )
    assert [proof["value"] for proof in answer.certificate["proofs"]] == [*counted]
    assert not [*(broken for name in LEGAL for broken in INVARIANTS[name](of, answer.assignment))]
    assert len(answer.words) == len(answer.levels)


@settings(max_examples=share(40, 2000), deadline=None)
@given(tinies(), st.sampled_from(QUESTIONS))
def test_no_placement_is_better(of, text):
    check(of, text)


@settings(max_examples=share(15, 1000), deadline=None)
@given(
    tinies(),
    st.sampled_from(["counts", "actives", "counts,subtopologies", "counts,actives"]),
    st.integers(0, 999),
)
def test_nor_is_one_under_the_contracts_of_an_answer(of, contracts, seed):
    answer = anyhow(of, Random(seed))
    text = f"{contracts},{Random(seed).choice(['joint', 'standby,moves', 'spread,joint', 'balance,active'])}"
    try:
        exhaust(of, parse_question(text, given=True), answer, TRIED)
    except TooLargeError:
        return
    except ImpossibleError:  # loads that are anyhow may have no even share of each subtopology
        with pytest.raises(ImpossibleError):
            compute_optimum(text, of, given=answer)
        return
    check(of, text, answer)


@pytest.mark.parametrize("seed", cases(4, 100))
def test_an_integer_program_task_by_task_finds_the_same(seed):
    of = some_tiny(seed)
    assert solve_by_program(of) == compute_optima(of).least


@settings(max_examples=share(15, 2000), deadline=None)
@given(applications(), st.permutations(["balance", "active", "moves", "restore"]), st.integers(1, 4))
def test_without_standbys_it_is_a_flow_with_the_values_of_the_joint_core(of, levels, number):
    of = replace(of, settings=replace(of.settings, num_standby_replicas=0))
    asked = parse_question(",".join(levels[:number]))
    problem = encode_application(of, asked).problem
    assert is_flow(problem, asked.levels)
    owners, certificate = compute_flow_optimum(problem, asked.levels)
    assert is_proof(problem, asked.levels, owners, certificate)
    assert compute_values(problem, asked.levels, owners) == find_joint_optimum(problem, asked.levels).value


@pytest.mark.parametrize("seed", cases(12, 300))
def test_gaps_are_what_an_answer_has_more_than_the_optimum(seed):
    of, r = some_tiny(seed), Random(seed)
    answer, known = anyhow(of, r), compute_optima(of)
    found = known.gaps(answer)
    value = remeasure(of, answer, parse_question("balance,active,joint,moves,subtopology-spread"))
    spread = ["subtopology-spread"] * (not any(held.standby for held in answer.clients.values()))
    assert [gap.level for gap in found] == ["balance", "active", "joint", "moves", *spread]
    assert [(gap.value, gap.optimum) for gap in found] == [
        (value[gap.level], known.least[gap.level]) for gap in found
    ]
    assert not known.gaps(answer._replace(probing=True))
    one = next(iter(answer.clients))
    assert not known.gaps(answer._replace(clients={**answer.clients, one: ((), ())})) or not any(
        answer.clients[one]
    )
    for text in ("balance,active", "balance,joint", "balance,moves"):
        best = compute_optimum(text, of)
        level = text.partition(",")[2]
        assert {gap.level: gap.over for gap in known.gaps(best.assignment)}[level] == 0


def test_machine_code_finds_the_same(monkeypatch):
    """After so many applications it is loaded; what it does not take, and everything where numba is missing, is left to the joint core."""
    used = []

    def noted(problem, questions):
        found = find_small_optima(problem, questions)
        used.extend(each is not None for each in found)
        return found

    for seed in cases(8, 1000):
        of = some_tiny(seed)
        with monkeypatch.context() as patched:
            patched.setattr(tasks_optima, "WARM", math.inf)
            slow = compute_optima(of).least
            patched.setattr(tasks_optima, "WARM", 0)
            patched.setattr(tasks_optima, "_load_machine_code", lambda: noted)
            fast = compute_optima(of)
            assert fast.least == slow, seed
            patched.setattr(tasks_optima, "_load_machine_code", lambda: None)
            assert compute_optima(of).least == slow
    assert used.count(True) > 0.8 * len(used) > 0


def test_machine_code_is_what_there_is_or_nothing():
    assert tasks_optima._load_machine_code() is find_small_optima
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "from kassay.oracles.tasks import optima\n"
        "print(optima._load_machine_code())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"


def test_moves_of_a_large_application_with_standbys_are_not_compared():
    tasks = tuple(Task(TaskId(0, n), stateful=True) for n in range(40))
    lags = {task.id: 0 for task in tasks}
    clients = tuple(Client(f"00000000-0000-0000-0000-{n + 1:012}", 1, lags=lags) for n in range(90))
    of = Application(tasks, clients, Settings(num_standby_replicas=1))
    assert compute_optima(of).least == {"balance": 1, "total-balance": 1, "active": 0, "joint": 0}
    best = compute_optimum("balance,joint", of).assignment
    assert [gap.level for gap in compute_optima(of).gaps(best)] == ["balance", "active", "joint"]
    assert explain(of, best)[-1].startswith(
        "moves: there is too much in this group to prove the fewest in seconds"
    )

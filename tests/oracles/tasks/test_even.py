"""One definition of even: by thread, and among these by client; oracles, property, measures, certificates and gaps agree on it."""

import json
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from drawing_tasks import some_tiny, tinies
from hypothesis import given, settings
from second_opinions.every_placement import placements
from sequences import slots
from verifying import answers, verified
from whole import cases, share

from kassay.model import Topic, TopicPartition
from kassay.model.streams_group import MemberTasks, StreamsGroup, StreamsMember, Subtopology
from kassay.model.tasks import Application, Client, Given, Settings, Task, TaskAssignment, TaskId
from kassay.model.tasks_json import write_group
from kassay.oracles.assignment.active_standby.check import compute_values, is_proof
from kassay.oracles.assignment.active_standby.optimum import find_joint_optimum
from kassay.oracles.assignment.active_standby.problem import RoleLevel, RoleProblem
from kassay.oracles.assignment.flow import exact
from kassay.oracles.assignment.own_levels import BALANCE, TOTAL_BALANCE
from kassay.oracles.errors import TooLargeError
from kassay.oracles.tasks.frontier import compute_frontiers
from kassay.oracles.tasks.members.optimum import compute_optima as group_optima
from kassay.oracles.tasks.members.optimum import compute_optimum as group_optimum
from kassay.oracles.tasks.optima import compute_optima, solve_by_program
from kassay.oracles.tasks.optimum import compute_flow_optimum, compute_optimum
from kassay.properties.streams import INVARIANTS, MEASURES
from kassay.properties.streams_group import INVARIANTS as GROUP_INVARIANTS
from kassay.properties.streams_group import MEASURES as GROUP_MEASURES

A, B = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))
IDS = [TaskId(0, n) for n in range(4)]
ONE_RACK = Application(
    tuple(Task(of, inputs=(TopicPartition("t", of.partition),)) for of in IDS),
    (Client(A, 4, rack="a"), Client(B, 4, rack="b")),
    Settings(rack_aware_assignment_strategy="min_traffic"),
    (Topic("t", 4, (("a",),) * 4),),
)
"""Two clients with 4 threads each, and 4 tasks that read one rack: were threads all, A would run everything while B idles."""


def given_to(*numbers):
    """An answer that gives the first of these clients so many tasks, then the next one."""
    left = iter(IDS)
    held = [Given(tuple(next(left) for _ in range(number)), ()) for number in numbers]
    return TaskAssignment(dict(zip((A, B), held, strict=True)), probing=False)


def measured(of, level, answer):
    if level.endswith("balance"):
        return slots(of, answer)[:2] if level == "balance" else slots(of, answer)[2:]
    return MEASURES[{"active": "cross_rack", "joint": "cross_rack"}[level]](of, answer) + (
        MEASURES["cross_rack_standby"](of, answer) if level == "joint" else 0
    )


@settings(max_examples=share(40, 4000), deadline=None)
@given(tinies())
def test_the_optimum_is_even_by_thread_and_then_by_client_of_all_placements(of):
    levels = ["balance", "total-balance", "joint"]
    every = [answer for answer, _ in zip(placements(of), range(1201), strict=False)]
    if len(every) > 1200 or not of.clients:
        return
    best = compute_optimum("balance,joint", of)
    assert best.proved
    own = [measured(of, level, best.assignment) for level in levels]
    assert own == min([measured(of, level, each) for level in levels] for each in every)


def splits(total, threads, most):
    """Every way to give clients so many tasks, each as many as `most` at most."""
    if not threads:
        return [()] if not total else []
    return [(n, *rest) for n in range(min(total, most) + 1) for rest in splits(total - n, threads[1:], most)]


@pytest.mark.parametrize("threads", [(4, 4), (1, 4), (2, 3, 5), (1, 2, 8), (7,), (3, 3, 3, 1)])
def test_clients_of_any_threads_share_by_what_evens_any_two_of_them(threads):
    """Counts that no single move evens are those with the least sum of squares, and the least by thread and then by client."""
    clients = tuple(Client(f"00000000-0000-0000-0000-00000000000{n}", k) for n, k in enumerate(threads))
    for number in range(11):
        of = Application(tuple(Task(TaskId(0, n)) for n in range(number)), clients)

        def key(counts):
            loads = [n // k + (p < n % k) for n, k in zip(counts, threads, strict=True) for p in range(k)]
            return sorted(loads, reverse=True), sum(map(Fraction, (n * n for n in counts), threads))

        def answer(counts, of=of):
            left = iter(task.id for task in of.tasks)
            held = (Given(tuple(next(left) for _ in range(n)), ()) for n in counts)
            return TaskAssignment(dict(zip((c.id for c in of.clients), held, strict=True)), probing=False)

        every = splits(number, threads, number)
        least = min(map(key, every))
        even = {counts for counts in every if key(counts) == least}
        assert even == {c for c in every if not [*INVARIANTS["active_balanced"](of, answer(c))]}
        counts = tuple(len(compute_optimum("balance", of).assignment.clients[c.id].active) for c in clients)
        assert counts in even
        lowest = min(MEASURES["active_imbalance"](of, answer(c)) for c in every)
        assert {c for c in every if MEASURES["active_imbalance"](of, answer(c)) == lowest} >= even
        gaps = compute_optima(of).gaps
        assert even == {c for c in every if number == 0 or gaps(answer(c))[0].over == 0}


def test_no_client_idles_though_its_threads_would_not_mind():
    best = compute_optimum("balance,active", ONE_RACK)
    assert Counter(len(held.active) for held in best.assignment.clients.values()) == {2: 2}
    assert best.values == {"balance": 1, "total-balance": 1, "active": 2}
    assert (
        solve_by_program(ONE_RACK)
        == compute_optima(ONE_RACK).least
        == best.values | {"joint": 2, "moves": 0, "subtopology-spread": 0}
    )
    even, crowded = given_to(2, 2), given_to(4, 0)
    assert [*INVARIANTS["active_balanced"](ONE_RACK, crowded)]
    assert not [*INVARIANTS["active_balanced"](ONE_RACK, even)]
    assert [gap.over for gap in compute_optima(ONE_RACK).gaps(even)] == [0] * 5
    gaps = {gap.level: gap.over for gap in compute_optima(ONE_RACK).gaps(crowded)}
    assert gaps == {"balance": 1, "active": -2, "joint": -2, "moves": 0, "subtopology-spread": 4}
    most_even, _ = compute_frontiers(ONE_RACK)
    assert [point.values["joint"] for point in most_even.points] == [2]
    assert most_even.place(crowded).on_it is False


def test_the_checker_does_not_take_the_crowded_placement(folder, capsys):
    group = json.loads(json.dumps({"family": "streams", **write_group(ONE_RACK)}))
    (answer,) = answers(folder, "balance,active", group)
    assert (
        answer["certificate"]["proofs"][0]["value"] == 8
    )  # squared tasks, as all clients have as many threads
    assert verified(folder, group, answer, capsys)[0] == 0
    answer["assignment"] = {A: {"active": [*map(str, IDS)], "standby": []}, B: {"active": [], "standby": []}}
    answer["certificate"]["loads"] = {A: [4, 4], B: [0, 0]}
    answer["levels"][-1] |= {"value": 0, "least": 0}
    for proof, value in zip(answer["certificate"]["proofs"], (16, 16, 0), strict=True):
        proof["value"] = value
    assert verified(folder, group, answer, capsys)[0] == 1


@pytest.mark.parametrize("seed", cases(6, 400))
def test_a_factor_that_all_threads_have_in_common_changes_nothing(seed):
    of = some_tiny(seed)
    twice = replace(of, clients=tuple(replace(each, threads=2 * each.threads) for each in of.clients))
    one, two = compute_optimum("balance,joint,moves", of), compute_optimum("balance,joint,moves", twice)
    assert [one.values[level] for level in ("joint", "moves")] == [
        two.values[level] for level in ("joint", "moves")
    ]
    assert [p["value"] for p in one.certificate["proofs"]] == [p["value"] for p in two.certificate["proofs"]]


@pytest.mark.parametrize("seed", [*cases(9, 1900), 1941, 1966, 1967])
def test_flows_of_any_size_prove_it_for_clients_of_all_sorts_of_threads(seed, monkeypatch):
    """Applications that are solved by classes of items because they are small, solved as large ones are."""
    r = np.random.default_rng(seed)
    tasks, clients, racks = int(r.integers(1, 60)), int(r.integers(1, 9)), int(r.integers(1, 4))
    levels = [BALANCE, "far", "moves"][: int(r.integers(1, 4))]
    r.shuffle(levels)
    ran = np.ones(clients, np.int64)
    problem = RoleProblem(
        r.integers(0, racks, clients), r.choice([1, 2, 3, 4, 6, 8], clients), np.empty((0, clients), np.int64), r.integers(0, 4, tasks),
        np.zeros(tasks, np.int64),
        (RoleLevel("far", r.integers(0, 3, (4, racks))), RoleLevel("moves", None, None, np.append(0, ran), ran)),
        r.integers(0, clients + 1, tasks), np.append(0, np.arange(clients + 1)), np.arange(clients),
    )  # fmt: skip
    asked = tuple(
        each for level in levels for each in ((level, TOTAL_BALANCE) if level == BALANCE else (level,))
    )
    monkeypatch.setattr(exact, "FEW", 0)
    owners, certificate = compute_flow_optimum(problem, asked)
    assert is_proof(problem, asked, owners, certificate)
    assert compute_values(problem, asked, owners) == find_joint_optimum(problem, asked).value


def test_numbers_of_threads_without_a_common_multiple_in_64_bits_are_refused():
    primes = (2147483647, 2147483629, 2147483587)
    clients = tuple(Client(f"00000000-0000-0000-0000-00000000000{n}", k) for n, k in enumerate(primes))
    multiple = math.lcm(*primes)
    with pytest.raises(TooLargeError, match=f"^threads: the least common multiple .* is {multiple}. At most"):
        compute_optimum("balance", Application((Task(TaskId(0, 0)),), clients))


def test_processes_of_a_streams_group_are_even_too():
    """Two processes of four members each and four tasks: members are as even either way."""
    members = tuple(StreamsMember(f"m{n}", f"p{n // 4}") for n in range(8))
    group = StreamsGroup((Subtopology(0, 4),), members)
    answer = group_optimum("balance,moves", group).assignment
    tasks = sorted(group.tasks())
    crowded = {m.id: MemberTasks(tuple(tasks[n : n + 1])) for n, m in enumerate(members)}
    for given_, of_each, said, apart in (
        (answer, [2, 2], [], 1),
        (
            crowded,
            [4, 0],
            ["process p0 has 4 active tasks on 4 members, p1 0 on 4 members; more even: move one"],
            2,
        ),
    ):
        loads = Counter(m.process_id for m in members for _ in given_[m.id].active)
        assert [loads[name] for name in group.processes] == of_each
        assert [*GROUP_INVARIANTS["active_balanced"](group, given_)] == said
        assert GROUP_MEASURES["active_imbalance"](group, given_) == apart
        assert [gap.over for gap in group_optima(group).gaps(given_)] == [apart - 1, 0, 0, 4 * (apart - 1)]

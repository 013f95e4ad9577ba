"""How evenly subtopologies lie on clients: the least there is, its proof, and answers that another one dominates."""

import json
from collections import Counter
from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from drawing_tasks import some_tiny
from hypothesis import given, settings
from hypothesis import strategies as st
from second_opinions.every_placement import exhaust, placements
from whole import cases, share

from kassay.cli import main
from kassay.model.streams_group import StreamsGroup, StreamsMember, Subtopology
from kassay.model.streams_group_json import write_group as write_streams_group
from kassay.model.tasks import (
    RUNNING,
    UNKNOWN,
    Application,
    Client,
    Given,
    Settings,
    Task,
    TaskAssignment,
    TaskId,
)
from kassay.model.tasks_json import write_assignment, write_group
from kassay.oracles.assignment.active_standby.check import compute_values
from kassay.oracles.assignment.active_standby.optimum import solve_by_item
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.proof import tasks as proof
from kassay.oracles.tasks.encoding import encode_application, encode_owners
from kassay.oracles.tasks.members.optimum import compute_dominance as dominance_of_group
from kassay.oracles.tasks.optima import compute_dominance, compute_optima
from kassay.oracles.tasks.optimum import compute_optimum, remeasure
from kassay.oracles.tasks.question import parse_question
from kassay.properties.streams import INVARIANTS, LEGAL, MEASURES
from kassay.reference import ASSIGNORS

SPREAD = "subtopology-spread"
BESIDE = ["balance", "active", "moves", "restore"]


def client(n: int, threads: int = 1, active: tuple[TaskId, ...] = (), tasks: tuple[Task, ...] = ()) -> Client:
    lags = {task.id: RUNNING if task.id in active else UNKNOWN for task in tasks if task.stateful}
    return Client(f"00000000-0000-0000-0000-{n + 1:012}", threads, active, lags=lags)


def application(sizes, threads, held=lambda _: None, *, stateful=True) -> Application:
    """Make an application of subtopologies of these sizes on clients of so many threads; `held` says which client ran a task."""
    tasks = tuple(Task(TaskId(j, n), stateful) for j, size in enumerate(sizes) for n in range(size))
    clients = tuple(
        client(c, k, tuple(task.id for task in tasks if held(task.id) == c), tasks)
        for c, k in enumerate(threads)
    )
    return Application(tasks, clients)


def drawn(seed: int) -> Application:
    """Draw up to seven tasks of up to three subtopologies on up to four clients, without standbys."""
    r = Random(seed)
    threads = [r.choice((1, 1, 2, 3, 4)) for _ in range(r.randint(1, 4))]
    return application(
        [r.randint(1, 3) for _ in range(r.randint(1, 3))],
        threads,
        lambda _: r.randrange(len(threads) + 1),
        stateful=r.random() < 0.5,
    )


def worth(of, answer):
    # evenness is that of the sum of squares: of loads that are as far apart, some are more even
    even = sum(len(answer.clients[c.id].active) ** 2 * (12 // c.threads) for c in of.clients)
    return even, *(
        MEASURES[name](of, answer) for name in ("cross_rack", "active_moves", "subtopology_excess")
    )


@settings(max_examples=share(25, 3000), deadline=None)
@given(st.integers(0, 10**9), st.permutations(BESIDE), st.integers(0, 3), st.integers(0, 3))
def test_no_placement_is_better_in_any_order_and_the_checker_says_so(seed, beside, number, place):
    of = drawn(seed)
    asked = [*beside[:number]]
    asked.insert(place, SPREAD)
    levels = parse_question(",".join(asked)).levels
    best = compute_optimum(",".join(asked), of)
    case = encode_application(of, parse_question(",".join(asked)))
    reached = compute_values(case.problem, levels, encode_owners(case, best.assignment))
    assert best.proved
    if len(of.clients) ** len(of.tasks) <= 300:
        assert reached == exhaust(of, parse_question(",".join(asked)))[0]
    assert best.values == remeasure(of, best.assignment, parse_question(",".join(asked)))
    stated = best.record(write_assignment(best.assignment))
    assert proof.verify(*json.loads(json.dumps([write_group(of), stated]))).startswith("proved: ")


@pytest.mark.parametrize("seed", cases(4, 300))
def test_two_solvers_find_the_same_task_by_task(seed):
    of, r = drawn(seed), Random(seed)
    asked = parse_question(",".join([*r.sample(BESIDE, 1), SPREAD]))
    case = encode_application(of, asked)
    _, least = solve_by_item(case.problem, asked.levels)
    assert least == compute_values(
        case.problem, asked.levels, encode_owners(case, compute_optimum(str(asked), of).assignment)
    )


def test_shares_go_by_threads():
    """Of six tasks a client of two threads has its share with four: 16 / 2 + 4 / 1 is the least, 12; three and three come to 4.5 + 9."""
    of = application([6], [2, 1])
    best = compute_optimum(SPREAD, of).assignment
    assert [len(best.clients[c.id].active) for c in of.clients] == [4, 2]
    names, tasks = [c.id for c in of.clients], [task.id for task in of.tasks]
    even = TaskAssignment(
        {names[0]: Given(tuple(tasks[:3]), ()), names[1]: Given(tuple(tasks[3:]), ())}, probing=False
    )
    assert MEASURES["subtopology_excess"](of, even) == 3  # 2 * (13.5 - 12), which half would not leave whole
    assert {gap.level: (gap.value, gap.optimum) for gap in compute_optima(of).gaps(even)}[SPREAD] == (3, 0)


@pytest.mark.parametrize("seed", cases(10, 300))
def test_it_is_0_exactly_where_no_task_elsewhere_evens_two_clients(seed):
    of, answer = drawn(seed), None
    for answer in [*placements(of)][:: 1 + seed % 7][:40] if len(of.clients) ** len(of.tasks) <= 5000 else []:
        counts = {c: Counter(t.subtopology for t in answer.clients[c.id].active) for c in of.clients}
        uneven = any(
            (2 * counts[a][j] - 1) * b.threads > (2 * counts[b][j] + 1) * a.threads
            for a, b in permutations(of.clients, 2) for j in counts[a] if counts[a][j]
        )  # fmt: skip
        assert (MEASURES["subtopology_excess"](of, answer) > 0) == uneven


def test_with_standbys_it_is_asked_of_active_tasks_and_nothing_that_looks_at_standbys_with_it():
    of = replace(application([3, 3], [1, 1, 1]), settings=Settings(num_standby_replicas=1))
    best = compute_optimum(f"balance,{SPREAD}", of)
    assert best.proved
    assert best.values == {"balance": 0, SPREAD: 0}
    assert not [said for name in LEGAL for said in INVARIANTS[name](of, best.assignment)]
    assert SPREAD not in compute_optima(of).least
    for level in ("moves", "joint", "standby", "spread"):
        with pytest.raises(
            ImpossibleError,
            match=f"'{SPREAD}' is asked of active tasks alone, but '{level}' looks at standbys",
        ):
            compute_optimum(f"balance,{level},{SPREAD}", of)
    with pytest.raises(ImpossibleError, match=r"asked without a contract. Leave 'subtopologies' out"):
        compute_optimum(f"subtopologies,{SPREAD}", of)


@settings(max_examples=share(15, 1500), deadline=None)
@given(st.integers(0, 10**9))
def test_the_verdict_is_that_of_all_placements(seed):
    of = drawn(seed)
    if len(of.clients) ** len(of.tasks) > 800:
        return
    every = [*placements(of)]
    answer = Random(seed).choice(every) if seed % 2 else ASSIGNORS["streams/legacy-sticky"].assign(of)
    found, own = compute_dominance(of)(answer), worth(of, answer)
    assert found.value == own[-1]
    if found.verdict:
        better = worth(of, found.better)
        assert better[-1] == found.least < own[-1]
        assert all(map(int.__le__, better[:-1], own[:-1]))
    if found.verdict is False:
        assert not any(
            w[-1] < own[-1] and all(map(int.__le__, w[:-1], own[:-1]))
            for w in (worth(of, each) for each in every)
        )


def test_standbys_are_not_judged():
    of = replace(some_tiny(3), settings=Settings(num_standby_replicas=1))
    of = replace(of, tasks=tuple(replace(task, stateful=True) for task in of.tasks))
    assert (
        compute_dominance(replace(application([2], [1, 1]), settings=Settings(num_standby_replicas=1)))(
            TaskAssignment({}, probing=False)
        )
        is None
    )


SCALED_OUT = application([4, 4, 8], [1, 1], lambda _: 0)
"""One client ran everything, and a second one came."""


def test_sticky_is_even_in_sum_and_not_by_subtopology(tmp_path, capsys):
    """The better answer is told with the verdict, and its question has it as an optimum."""
    answer = ASSIGNORS["streams/legacy-sticky"].assign(SCALED_OUT)
    found = compute_dominance(SCALED_OUT)(answer)
    assert (found.verdict, found.value, found.least, found.question) == (
        True,
        2,
        0,
        f"balance,moves,{SPREAD}",
    )
    file = tmp_path / "application.json"
    file.write_text(json.dumps({"family": "streams", **write_group(SCALED_OUT)}))
    assert main(["compare", "streams/legacy-sticky", "streams/high-availability", "--group", str(file)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "even in sum, not by subtopology: the spread excess is 2, and the same 8 moves could make it 0. Better: "
        in said
    )
    assert "of subtopology 2" in said
    assert main(["compare", "streams/legacy-sticky", "--group", str(file), "--json"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (verdict,) = (each["dominated"] for each in records if each.get("dominated"))
    assert (verdict["level"], verdict["verdict"], verdict["least"]) == (SPREAD, True, 0)


def test_the_same_of_a_streams_group_on_the_terminal_and_the_page(tmp_path, capsys):
    """KIP-1071's assignor is the only one that there is, so the advice says what nobody can set."""
    tasks = tuple(TaskId(j, n) for j, size in enumerate((4, 4, 8)) for n in range(size))
    group = StreamsGroup(
        tuple(Subtopology(j, size) for j, size in enumerate((4, 4, 8))),
        (StreamsMember("a", "pa", tasks), StreamsMember("b", "pb")),
    )
    judge = dominance_of_group(group)
    found = judge(ASSIGNORS["streams-group/sticky"].assign(group))
    assert (found.verdict, found.value, found.least) == (True, 6, 0)
    assert (judge(found.better).value, judge(found.better).verdict) == (0, False)
    file, page = tmp_path / "group.json", tmp_path / "page.html"
    file.write_text(json.dumps({"family": "streams-group", **write_streams_group(group)}))
    assert main(["compare", "streams-group/sticky", "--group", str(file), "--html", str(page)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    better = "Better: a gets 2 of subtopology 2 for 1 of subtopology 0 and 1 of subtopology 1; b gets"
    for told in (said, " ".join(page.read_text().split())):
        assert (
            "even in sum, not by subtopology: the spread excess is 6, and the same 8 moves could make it 0."
            in told
        )
        assert better in told
        assert "sticky is even in sum, not by subtopology; the same 8 moves could balance it." in told


def in_blocks(of: Application) -> TaskAssignment:
    """Planted: even loads, but one subtopology after the other, each on as few clients as hold it."""
    tasks, number = sorted(task.id for task in of.tasks), len(of.clients)
    few, over = divmod(len(tasks), number)
    given_, first = {}, 0
    for c, each in enumerate(of.clients):
        last = first + few + (c < over)
        given_[each.id] = Given(tuple(tasks[first:last]), ())
        first = last
    return TaskAssignment(given_, probing=False)


def test_an_assignor_that_lays_subtopologies_in_blocks_is_caught():
    of = application([4, 4], [1, 1])
    answer = in_blocks(of)
    assert not [said for name in (*LEGAL, "active_balanced") for said in INVARIANTS[name](of, answer)]
    over = {gap.level: gap.over for gap in compute_optima(of).gaps(answer)}
    assert over.pop(SPREAD) == 8
    assert not any(over.values())
    assert compute_dominance(of)(answer).verdict

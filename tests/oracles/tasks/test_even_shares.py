"""The checker decides exactly whether clients can have their even shares, and accepts all true sums over time."""

from dataclasses import replace
from random import Random

import pytest
from second_opinions.every_placement import placements
from sequences import application
from verifying import write_sequence
from whole import cases

from kassay.families import family
from kassay.model.tasks import Application, Client, Settings, Task, TaskId
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.proof import applications, command
from kassay.oracles.proof.over_time import sums

STREAMS = family("streams")


def drawn(seed: int) -> Application:
    """Draw an application of few enough tasks and clients to try all placements."""
    r = Random(seed)
    clients = r.randint(1, 4)
    tasks = r.randint(0, {1: 5, 2: 5, 3: 4, 4: 3}[clients])
    return threaded(application(r, clients, tasks, r.randint(0, 3)), r)


def threaded(of: Application, r: Random) -> Application:
    """Return an application whose clients have up to six threads, often some much more than others."""
    return replace(of, clients=tuple(replace(each, threads=r.choice([1, 1, 2, 3, 6])) for each in of.clients))


def uneven(threads: list[int], plain: int, stateful: int, standbys: int) -> Application:
    """Build an application of tasks without state, then tasks with state, on clients with the given threads."""
    tasks = tuple(Task(TaskId(0, n), n >= plain) for n in range(plain + stateful))
    lags = {task.id: 0 for task in tasks if task.stateful}
    clients = tuple(
        Client(f"00000000-0000-0000-0000-{n + 1:012}", each, lags=lags) for n, each in enumerate(threads)
    )
    return Application(tasks, clients, Settings(num_standby_replicas=standbys))


def problem_of(of: Application):
    data = STREAMS.shape.write_group(of)
    return applications.read_application(data, ("balance",)).problem


def shares_of(problem):
    copies = [len(problem.items), len(problem.items) + sum(item.standbys for item in problem.items)]
    return [sums._find_even_loads(number, problem.weights) for number in copies]


def is_placed(of: Application) -> bool:
    """Try all placements for one in which each client has its even shares."""
    active, every = shares_of(problem_of(of))
    for answer in placements(of):
        held = [answer.clients[client.id] for client in of.clients]
        run = [len(given.active) for given in held]
        load = [len(given.active) + len(given.standby) for given in held]
        if all(low <= n <= high for n, low, high in zip(run, *active, strict=True)) and all(
            low <= n <= high for n, low, high in zip(load, *every, strict=True)
        ):
            return True
    return False


def test_even_shares_are_found_possible_exactly_where_a_placement_has_them():
    found = {True: 0, False: 0}
    for seed in cases(400, 4000):
        of = drawn(seed)
        problem = problem_of(of)
        expected = is_placed(of)
        assert sums._is_possible(problem, *shares_of(problem)) is expected, seed
        found[expected] += 1
    assert min(found.values()) > 0, found


@pytest.mark.parametrize(
    ("threads", "plain", "stateful", "standbys"),
    [([1, 3, 1], 0, 1, 3), ([2, 3, 6, 2], 2, 1, 3), ([2, 1, 3, 1, 2], 2, 2, 3), ([1, 3, 1], 8, 4, 2)],
)
def test_the_busiest_client_need_not_take_the_active_tasks(threads, plain, stateful, standbys):
    """Dealing active tasks in order of the clients leaves no even shares of all copies here, another order does."""
    of = uneven(threads, plain, stateful, standbys)
    problem = problem_of(of)
    assert sums._is_possible(problem, *shares_of(problem))
    events = ("scale-out", 1)
    timeline = STREAMS.oracles.over_time.kinds[events[0]](of, 1)
    best = STREAMS.oracles.over_time.optimum("balance,moves", timeline, None)
    verdict = command.verify_answer(
        "tasks", STREAMS.shape.write_group(of), write_sequence(best, STREAMS.shape.write_answer), events
    )
    assert verdict[0] is True, verdict


def test_all_true_sums_over_time_are_accepted():
    asked = STREAMS.oracles.over_time
    accepted = 0
    for seed in cases(60, 900):
        r = Random(seed)
        clients = r.randint(2, 4)
        of = threaded(application(r, clients, r.randint(1, 5), r.randint(1, 2)), r)
        events = r.choice([("restart", 1), ("bounce", 1), ("scale-out", 1)])
        try:
            best = asked.optimum("balance,moves", asked.kinds[events[0]](of, events[1]), None)
        except ImpossibleError:
            continue
        accepted += (
            command.verify_answer(
                "tasks",
                STREAMS.shape.write_group(of),
                write_sequence(best, STREAMS.shape.write_answer),
                events,
            )[0]
            is True
        )
    assert accepted > 20

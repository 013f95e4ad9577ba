"""Runs commands in the copy of kassay that is imported: ``commands.py FOLDER`` reads from standard input, as JSON, what is asked of each shape.

A shape's group and a sweep of its grid are written first. What commands print comes back, and on how many tiny groups its level was
counted out and is not 0.
"""

import contextlib
import io
import json
import random
import sys
from pathlib import Path

from second_opinions import every_assignment as of_groups
from second_opinions import every_placement as of_applications

import kassay
from kassay.cli import main
from kassay.families import family
from kassay.model import Group, Member, Topic
from kassay.model.tasks import Application, Client, Settings, Task, TaskId
from kassay.model.workers import Cluster, Connector, ConnectorTask, Work, Worker
from kassay.oracles.partitions.question import parse_question as of_partitions
from kassay.oracles.tasks.question import parse_question as of_tasks
from kassay.oracles.workers.levels import CONNECTORS
from kassay.oracles.workers.optimum import build_groups

RACKS = ("a", "b", None)
TINY = 8
"""The number of tiny groups that are drawn."""


def ran(command: list[str], to: str | None) -> tuple[int, str]:
    """Run a command; return its exit status, and what it printed, which is also written to a file."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = main(command)
    if to is not None:
        Path(to).write_text(printed.getvalue())
    return status, printed.getvalue()


def sweep(folder: Path, grid_: str) -> None:
    """Sweep a grid as Spark's workers do, without Spark."""
    from reports.plain_sums import summarised
    from reports.sweep_of_loops import write_summaries, write_waves

    from kassay.reports.sweep.folder import run_in
    from kassay.reports.sweep.grid import parse_grid
    from kassay.reports.sweep.judge_rows import Judge
    from kassay.reports.sweep.manifest import TargetSpec, locate_group
    from kassay.targets import Options, open_target

    folder.mkdir()
    grid = parse_grid(grid_)
    run = run_in(folder, grid, tuple(TargetSpec(name, ()) for name in grid.targets))
    judge = Judge(run, [open_target(name, Options()) for name in run.names])
    rows = [row for id_ in range(run.groups) for row in judge.rows(locate_group(run, id_))]
    assert summarised(run, rows)
    write_waves(folder, run, rows)
    write_summaries(folder, run, rows)


def tiny_group(rng: random.Random) -> Group:
    """Draw a tiny group in which some members tell no rack."""
    topics = tuple(
        Topic(f"t{n}", count, tuple((rng.choice(RACKS),) for _ in range(count)))
        for n, count in enumerate(rng.choices(range(1, 4), k=2))
    )
    names = [topic.name for topic in topics]
    owned = shuffled(rng, [partition for topic in topics for partition in topic], 3)
    members = (
        Member(f"m{n}", tuple(rng.sample(names, rng.randint(1, 2))), tuple(own), 1, None, rng.choice(RACKS))
        for n, own in enumerate(owned)
    )
    return Group(topics, tuple(members))


def tiny_application(rng: random.Random) -> Application:
    """Draw a tiny application whose clients had some of its tasks."""
    tasks = tuple(Task(TaskId(n % 2, n), stateful=rng.random() < 0.6) for n in range(rng.randint(2, 4)))
    active, standby = (shuffled(rng, [task.id for task in tasks], 3) for _ in range(2))
    clients = tuple(
        Client(
            f"00000000-0000-0000-0000-00000000000{n}", rng.randint(1, 2), tuple(active[n]),
            tuple(task for task in standby[n] if task not in active[n]), {task.id: 0 for task in tasks if task.stateful},
        )
        for n in range(3)
    )  # fmt: skip
    return Application(tasks, clients, Settings(num_standby_replicas=rng.randint(0, 1)))


def tiny_cluster(rng: random.Random) -> Cluster:
    """Draw a tiny cluster whose workers run some of its connectors and tasks."""
    connectors = tuple(Connector(f"c{n}", rng.randint(0, 2)) for n in range(rng.randint(2, 5)))
    run = shuffled(rng, [one.name for one in connectors], 3)
    tasks = shuffled(rng, [ConnectorTask(one.name, n) for one in connectors for n in range(one.tasks)], 3)
    return Cluster(connectors, tuple(Worker(f"w{n}", Work(tuple(run[n]), tuple(tasks[n]))) for n in range(3)))


def shuffled(rng: random.Random, items: list, places: int) -> list[list]:
    """Deal some of the items to places by chance."""
    found: list[list] = [[] for _ in range(places)]
    for item in rng.sample(items, rng.randint(0, len(items))):
        found[rng.randrange(places)].append(item)
    return [sorted(own) for own in found]


def least_of_groups(question: str, group: Group) -> int:
    return of_groups.exhaust(group, of_partitions(question))[0][-1]


def least_of_applications(question: str, application: Application) -> int:
    return of_applications.exhaust(application, of_tasks(question))[0][-1]


def least_of_connectors(_: str, cluster: Cluster) -> int:
    return least_of_groups("balance,moves", build_groups(cluster)[CONNECTORS])


COUNTED = {
    "consumer": (tiny_group, least_of_groups),
    "streams": (tiny_application, least_of_applications),
    "connect": (tiny_cluster, least_of_connectors),
}
"""Family -> what draws a tiny group, and what counts the least of a question's last level out from all assignments."""


def counted_out(of: str, level: str) -> int:
    """Hold the optima of tiny groups against all their assignments and an integer program; return on how many the level is not 0."""
    found, oracles = 0, family(of).oracles
    assert oracles is not None
    tiny, least_of = COUNTED[of]
    for seed in range(TINY):
        group = tiny(random.Random(seed))
        least = dict(oracles.optima(group).least)
        assert least == dict(oracles.programmed(group)), (of, seed)
        assert least[level] == least_of(f"balance,{level}", group), (of, seed)
        if f"balance,{level}" in oracles.questions:
            for question in (level, f"balance,{level}", f"{level},balance"):
                best = oracles.optimum(question, group, None)
                assert best.proved, (question, seed)
                if question.endswith(level):
                    assert best.values[level] == least_of(question, group), (question, seed)
        found += bool(least[level])
    return found


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    assert Path(kassay.__file__).is_relative_to(folder), kassay.__file__
    told = {}
    for name, asked in json.load(sys.stdin).items():
        (folder / f"{name}.json").write_text(json.dumps(asked["group"]))
        sweep(folder / f"{name}-sweep", asked["grid"])
        told[name] = {"counted": counted_out(name, asked["level"])}
        told[name] |= {what: ran(command, to) for what, (command, to) in asked["commands"].items()}
    print(json.dumps(told))

"""Hold parts of the streams references against Kafka's own: the graph alone, and the step that gives tasks to threads.

    python parity/classes/differ/parts.py [--cases N] [--seed N] [--processes N] [PATTERN...]

asks a release's classes about random cases, a million for each part by default, on all cores. Exit status 1: some case is answered
differently, and printed as JSON.
"""

import argparse
import atexit
import json
import os
import random
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from classes.groups import random_parts

from kassay.model import AssignorError
from kassay.model.tasks import Client, Given, TaskId
from kassay.reference.streams.rack_aware.graph import Graph, Graph36
from kassay.reference.streams.threads import assign_role, assign_threads
from kassay.targets.conversation import Conversation
from kassay.targets.java import INTERFACES, SLF4J_API, SLF4J_NOP, SOURCES, SWITCHES
from kassay.targets.java.releases import KAFKA
from kassay.targets.maven.java_programs import compile_sources, find_java
from kassay.targets.maven.repository import fetch

PARTS = ("graph@3.6.2", "graph@3.7.2", "graph@4.3.1", "threads@3.3.2", "threads@3.7.2", "threads@4.3.1")
"""Part and release."""
CHUNK, IN_FLIGHT, LONGEST_S = 1_000, 200, 60.0
ID = "00000000-0000-0000-0000-000000000001"
_OPEN: dict[str, Conversation] = {}  # of this process: Java stays open from chunk to chunk


@atexit.register
def close() -> None:
    """End what this process has started."""
    while _OPEN:
        _OPEN.popitem()[1].close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "patterns", nargs="*", default=["*"], metavar="PATTERN", help=f"of {', '.join(PARTS)}"
    )
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    asked = parser.parse_args(arguments)
    found = 0
    with ProcessPoolExecutor(asked.processes) as pool:
        for part in PARTS:
            if not any(fnmatchcase(part, pattern) for pattern in asked.patterns):
                continue
            chunks, differing = -(-asked.cases // CHUNK), 0
            for done, differences in enumerate(pool.map(partial(differ, part, asked.seed), range(chunks)), 1):
                differing += len(differences)
                for difference in differences:
                    print(json.dumps(difference), flush=True)
                if done % 100 == 0 or done == chunks:
                    print(f"{part}: {done * CHUNK} cases, {differing} differ", flush=True)
            found += differing
    return int(found > 0)


def differ(part: str, seed: int, chunk: int, size: int = CHUNK) -> list[dict[str, Any]]:
    """Ask about a chunk of cases; return those that are answered differently, with both answers."""
    java = _opened(part.partition("@")[2])
    cases = [case(part, random.Random(f"{part} {seed} {chunk} {n}")) for n in range(size)]
    answers: list[Any] = []
    while len(answers) < size:
        now = cases[len(answers) :][:IN_FLIGHT]
        for asked, _ in now:
            java.send(asked)
        answers += [java.receive(LONGEST_S) for _ in now]
    return [
        {"case": asked, "java": answer, "ours": ours}
        for (asked, ours), answer in zip(cases, answers, strict=True)
        if answer != ours
    ]


def _opened(release: str) -> Conversation:
    if release not in _OPEN:
        classes = compile_sources([*SOURCES, Path(__file__).with_name("Parts.java")], INTERFACES)
        jars = [
            fetch(jar) for jar in (*KAFKA["streams/high-availability"].needs(release), SLF4J_API, SLF4J_NOP)
        ]
        _OPEN[release] = Conversation(find_java().command([classes, *jars], *SWITCHES, "kassay.Parts"), 0, 64)
    return _OPEN[release]


def case(part: str, rng: random.Random) -> tuple[dict[str, Any], Any]:
    """Make a random case of a part, with the reference's answer."""
    if part.startswith("graph"):
        asked, old = random_parts.graph(rng), part.endswith("@3.6.2")
        asked["maximise"] &= not old  # it came with 3.7
        return {"graph": asked}, _flows(asked, Graph36 if old else Graph)
    of_client = random_parts.owned(rng)
    return (_threads if rng.random() < 0.5 else _role)(of_client, rng)


def _flows(asked: dict[str, Any], kind: type[Graph]) -> Any:
    graph = kind()
    for edge in asked["edges"]:
        graph.add_edge(*edge)
    if asked["maximise"]:
        graph.maximise(asked["source"], asked["sink"])
    try:
        graph.minimise()
    except AssignorError as failure:
        return str(failure)
    return [graph.flow(start, end) for start, end, *_ in asked["edges"]]


def _threads(of_client: random_parts.Owned, rng: random.Random) -> tuple[dict[str, Any], Any]:
    mine, others = rng.choice((1, 0.6, 0.3)), rng.choice((1, 0.5))
    active = [task for task in (*of_client.lags, *of_client.stateless) if rng.random() < mine]
    standby = [task for task in of_client.lags if task not in active and rng.random() < others]
    client = Client(ID, len(of_client.consumers), lags=of_client.lags)
    ours = assign_threads(client, Given(tuple(sorted(active)), tuple(sorted(standby))), of_client.consumers)
    asked = {**of_client.asked(), "active": _texts(sorted(active)), "standby": _texts(standby)}
    return {"threads": asked}, {name: [*map(_texts, roles)] for name, roles in ours.items()}


def _role(of_client: random_parts.Owned, rng: random.Random) -> tuple[dict[str, Any], Any]:
    tasks = [task for task in (*of_client.lags, *of_client.stateless) if rng.random() < 0.8]
    rng.shuffle(tasks)
    least, stateful = rng.randint(0, 4), rng.random() < 0.7
    load = {name: least + rng.randint(0, 1) for name in of_client.consumers if rng.random() < 0.95}
    if rng.random() < 0.3:
        load = {name: rng.randint(0, 6) for name in of_client.consumers}
    asked = {**of_client.asked(), "tasks": _texts(tasks), "stateful": stateful, "load": load}
    try:
        given, after = assign_role(tasks, of_client.consumers, of_client.lags, load, stateful=stateful)
    except ValueError:
        return {"role": asked}, "TaskAssignmentException"
    return {"role": asked}, [{name: [_texts(own)] for name, own in given.items()}, after]


def _texts(tasks: Sequence[TaskId]) -> list[str]:
    return [str(task) for task in tasks]


if __name__ == "__main__":
    sys.exit(main())

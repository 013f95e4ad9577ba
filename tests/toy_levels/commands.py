"""Runs commands in the copy of kassay that is imported, and counts a level out: ``commands.py LEVEL FOLDER`` reads them as JSON from standard input."""

import contextlib
import io
import json
import random
import sys
from pathlib import Path

import kassay
from kassay.cli import main
from kassay.families.consumer import CONSUMER
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.partitions.exhaustive import exhaust
from kassay.oracles.partitions.optima import optima
from kassay.oracles.partitions.optimum import optimum
from kassay.oracles.partitions.question import question

RACKS = ("a", "b", None)


def ran(command: list[str]) -> tuple[int, str]:
    """Run a command; return its exit status, and what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = main(command)
    return status, printed.getvalue()


def some(seed: int) -> Group:
    """Draw a tiny group in which some members tell no rack."""
    rng = random.Random(seed)
    topics = tuple(
        Topic(f"t{n}", count, tuple((rng.choice(RACKS),) for _ in range(count)))
        for n, count in enumerate(rng.choices(range(1, 4), k=2))
    )
    names = [topic.name for topic in topics]
    every = [partition for topic in topics for partition in topic]
    had = rng.sample(every, rng.randint(0, len(every)))
    owned: list[list[TopicPartition]] = [[] for _ in range(3)]
    for partition in had:
        owned[rng.randrange(3)].append(partition)
    members = tuple(
        Member(f"m{n}", tuple(rng.sample(names, rng.randint(1, 2))), tuple(own), 1, None, rng.choice(RACKS))
        for n, own in enumerate(owned)
    )
    return Group(topics, members)


def counted_out(level: str) -> int:
    """Hold the optima of tiny groups against all their assignments and a linear program; return on how many the level is not 0."""
    found = 0
    for seed in range(12):
        group = some(seed)
        for text in (level, f"balance,{level}", f"balance,moves,{level}", f"{level},balance,cross-rack"):
            best = optimum(text, group)
            least, answer = exhaust(group, question(text))
            assert best.proved
            assert best.values[level] == least[text.split(",").index(level)], (seed, text)
            assert {**best.values} == {each.level: each.value for each in _gaps(text, group, answer)}, (
                seed,
                text,
            )
        assert dict(optima(group).least) == CONSUMER.oracles.programmed(group), seed
        found += bool(optima(group).least[level])
    return found


def _gaps(text, group, answer):
    from kassay.oracles.partitions.explain import gap

    return gap(text, group, answer)


if __name__ == "__main__":
    level, folder = sys.argv[1:]
    assert Path(kassay.__file__).is_relative_to(folder), kassay.__file__
    told = [ran(command) for command in json.load(sys.stdin)]
    print(json.dumps({"told": told, "counted": counted_out(level)}))

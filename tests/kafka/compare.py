"""Hold a reference implementation against Kafka's own class on random groups: equal to the last list, or it fails.

    python tests/kafka/compare.py consumer/range --groups 100000 --seed 1

prints the count, or the first group that differs, made small. `--function MODULE:ATTRIBUTE` takes another function.
"""

import argparse
import importlib
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import bridge
import random_groups

from kassay.group_json import write_group
from kassay.model import Assignment, AssignorError, Group, Topic
from kassay.reference import ASSIGNORS

Function = Callable[[Group], Assignment]
JVM_WORDS = "NullPointerException"  # its message is the Java machine's, not Kafka's


def answer(assign: Function, group: Group) -> dict[str, list[tuple[str, int]]] | str:
    """Return what a function answers in a form that compares: lists by member in order, or the error's text."""
    try:
        given = assign(group)
    except AssignorError as error:
        text = str(error)
        return JVM_WORDS if text.startswith(JVM_WORDS) else text
    return {member: [tuple(partition) for partition in given[member]] for member in sorted(given)}


def first_difference(ours: Function, kafkas: Function, groups: Iterable[Group]) -> tuple[int, Group | None]:
    """Return how many groups were tried, and the first on which the two differ, shrunk, if there is one."""

    def differ(group: Group) -> bool:
        return answer(ours, group) != answer(kafkas, group)

    tried = 0
    for group in groups:
        tried += 1
        if differ(group):
            return tried, shrink(group, differ)
    return tried, None


def shrink(group: Group, still: Callable[[Group], bool]) -> Group:
    """Drop parts of a group as long as it stays as it is wanted."""
    while True:
        group, before = next((g for g in _smaller(group) if still(g)), group), group
        if group is before:
            return group


def _smaller(group: Group) -> Iterator[Group]:
    for n in range(len(group.members)):
        yield replace(group, members=group.members[:n] + group.members[n + 1 :])
    for n, topic in enumerate(group.topics):
        yield replace(group, topics=group.topics[:n] + group.topics[n + 1 :])
        fewer = [replace(topic, racks=None)] if topic.racks else []
        if topic.partitions:
            fewer.append(Topic(topic.name, topic.partitions - 1, topic.racks and topic.racks[:-1]))
        for smaller in fewer:
            yield replace(group, topics=(*group.topics[:n], smaller, *group.topics[n + 1 :]))
    for n, member in enumerate(group.members):
        fewer_of_member = [
            replace(member, **{field: value})
            for field, value in (("owned", ()), ("generation", None), ("instance_id", None), ("rack", None))
            if getattr(member, field) != value
        ]
        for field in ("owned", "topics"):
            items = getattr(member, field)
            fewer_of_member += [
                replace(member, **{field: items[:i] + items[i + 1 :]}) for i in range(len(items))
            ]
        for smaller_member in fewer_of_member:
            yield replace(group, members=(*group.members[:n], smaller_member, *group.members[n + 1 :]))


def report(group: Group, ours: Function, kafkas: Function) -> str:
    """Write a group and both answers as JSON."""
    return "\n".join(
        [
            json.dumps(write_group(group)),
            f"ours:  {json.dumps(answer(ours, group))}",
            f"kafka: {json.dumps(answer(kafkas, group))}",
        ]
    )


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("assignor", choices=bridge.CLASSES)
    parser.add_argument("--groups", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--function", help="MODULE:ATTRIBUTE of the function to compare, instead of the reference"
    )
    options = parser.parse_args()
    if options.function:
        module, _, attribute = options.function.partition(":")
        ours = getattr(importlib.import_module(module), attribute)
    else:
        ours = ASSIGNORS[options.assignor].assign
    kafkas = bridge.kafka_function(options.assignor)
    start = time.perf_counter()
    groups = itertools.islice(random_groups.groups(options.seed), options.groups)
    tried, different = first_difference(ours, kafkas, groups)
    seconds = time.perf_counter() - start
    if different is None:
        print(f"{options.assignor}: {tried} groups of seed {options.seed}, all equal, {seconds:.0f} s")
        return 0
    print(f"{options.assignor}: differs on group {tried} of seed {options.seed}")
    print(report(different, ours, kafkas))
    return 1


if __name__ == "__main__":
    sys.exit(main())

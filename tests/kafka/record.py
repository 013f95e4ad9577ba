"""Record what Kafka's own assignors answer to random groups, so that tests without Java can replay it.

    python tests/kafka/record.py

writes answers/*.jsonl beside this file, one line per group: {"group": ..., "assignment": ...} or {..., "error": text},
and in hash_sets.jsonl the orders in which Java iterates over sets of strings.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import bridge
import hash_sets
import random_groups
from compare import answer

from kassay.group_json import write_group
from kassay.model import Group
from kassay.reference.consumer.racks import are_used, racks_of

ANSWERS = Path(__file__).parent / "answers"
COUNT = 300
SCRIPTS = 60
ALIKE = 3  # at most so many groups with the same features
SHORT, LONG, LONG_ONES = 900, 6_000, 6  # characters of a group's JSON


def main() -> None:
    """Write one file per assignor."""
    ANSWERS.mkdir(exist_ok=True)
    for seed, name in enumerate(sorted(bridge.CLASSES), start=1):
        _write(name.partition("/")[2], _recorded(name, seed))
    _write(
        "hash_sets",
        (
            asdict(script) | {"order": hash_sets.javas_order(script)}
            for script in islice(hash_sets.scripts(1), SCRIPTS)
        ),
    )


def _write(name: str, values: Iterable[dict[str, Any]]) -> None:
    file = ANSWERS / f"{name}.jsonl"
    lines = [json.dumps(value, separators=(",", ":")) for value in values]
    file.write_text("\n".join(lines) + "\n", encoding="ascii")
    print(f"{file.name}: {len(lines)} lines, {file.stat().st_size} bytes")


def _recorded(name: str, seed: int) -> Iterator[dict[str, Any]]:
    assign = bridge.kafka_function(name)
    seen: Counter[object] = Counter()
    long_ones = recorded = 0
    for group in random_groups.groups(seed):
        group_json = write_group(group)
        length = len(json.dumps(group_json))
        is_long = length > SHORT
        if length > LONG or (is_long and long_ones == LONG_ONES):
            continue
        said = answer(assign, group)
        features = (*_features(group), is_long, said if isinstance(said, str) else None)
        if seen[features] == ALIKE:
            continue
        seen[features] += 1
        long_ones += is_long
        recorded += 1
        yield {"group": group_json, "error" if isinstance(said, str) else "assignment": said}
        if recorded == COUNT:
            return


def _features(group: Group) -> tuple[bool, ...]:
    """Say what is special about a group."""
    sizes = {topic.name: topic.partitions for topic in group.topics}
    claims = [partition for member in group.members for partition in member.owned]
    return (
        any(sizes.values()),
        len({frozenset(member.topics) for member in group.members}) == 1,
        any(len(set(member.topics)) < len(member.topics) for member in group.members),
        any(name not in sizes for member in group.members for name in member.topics),
        any(member.instance_id is not None for member in group.members),
        any(are_used(group.members, racks_of(topic)) for topic in group.topics),
        len(set(claims)) < len(claims),
        any(partition.partition >= sizes.get(partition.topic, 0) for partition in claims),
        len({member.generation for member in group.members if member.owned}) > 1,
    )


if __name__ == "__main__":
    main()

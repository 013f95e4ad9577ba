"""Random streams groups whose subtopologies have names, and whose members report any offsets: a seed gives the same ones everywhere."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from classes.groups import random_streams_groups

from kassay.model.streams_group import StreamsGroup, StreamsMember
from kassay.model.tasks import INT64_MAX, TaskId
from kassay.model.tasks_json import parse_subtopology

NAMES = (
    "counts",
    "my_sub_0",
    "",
    "_",
    "10_",
    "01",
    "-1",
    "2147483648",
    "Ä",
    "\ud7ff",
    "\uffee",
    "\U00010330",
    "a b",
    "2",
    "10",
)
"""Names with an underscore, such as are nearly numbers, and such as Java sorts in another way than Python."""
OFFSETS = (-INT64_MAX - 1, -INT64_MAX, -1, 0, 1, 5, 5, INT64_MAX - 1, INT64_MAX)


def stream(seed: int) -> Iterator[StreamsGroup]:
    """Yield groups without end."""
    rng = random.Random(f"{seed} named")
    for group in random_streams_groups.stream(seed):
        numbers = [each.id for each in group.subtopologies]
        names = rng.sample(NAMES, len(numbers))
        new = {number: parse_subtopology(name) for number, name in zip(numbers, names, strict=True)}

        def named(task: TaskId, new: dict[int, int] = new) -> TaskId:
            return TaskId(new.get(task.subtopology, task.subtopology), task.partition)

        def member(old: StreamsMember, named: Callable[[TaskId], TaskId] = named) -> StreamsMember:
            roles = {role: tuple(map(named, getattr(old, role))) for role in ("active", "standby", "warmup")}
            sums, ends = (
                {named(task): rng.choice(OFFSETS) for task in each} for each in (old.offsets, old.end_offsets)
            )
            return replace(old, **roles, offsets=sums, end_offsets=ends)

        subtopologies = tuple(replace(each, id=new[each.id]) for each in group.subtopologies)
        yield replace(group, subtopologies=subtopologies, members=tuple(map(member, group.members)))

"""The search for the worst group of an assignor: Hypothesis generates small groups and is directed towards large gaps."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings, target
from hypothesis import strategies as st

from kassay.families.shape import Assign
from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Gap, Grown, Worst
from kassay.oracles.partitions import worst_case as partitions
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.tasks import worst_case as tasks
from kassay.oracles.worst_case import Content, Ground, Hunt, Judge, Kind, Shape, find_worst
from kassay.properties.partitions.extras import add_weights
from kassay.properties.tasks.members.processes import build_group, group_by_process

G = TypeVar("G")


def find_worst_group(
    settled: Callable[[Assign, Group], Assignment], assign: Assign, question: str, seed: int, tries: int
) -> Worst:
    """Find the worst group of topics and members; `settled` asks an assignor until it withholds nothing."""
    weighs = LEVELS[question.rpartition(",")[2]].weighs
    small = small_groups()
    if weighs:
        small = st.builds(
            lambda group, seed: add_weights(Random(seed), group, "few values"), small, st.integers(0, 2**16)
        )
    judge = partitions.judge(lambda group: settled(assign, group), question)
    return _search(judge, partitions.build_ground(question), small, question, seed, tries)


def find_worst_application(assign: Assign, question: str, seed: int, tries: int) -> Worst:
    """Find the worst application of Kafka Streams."""
    ground = tasks.build_ground(question)
    small = small_applications(ground.space.kind)
    return _search(tasks.judge(assign, question), ground, small, question, seed, tries)


def find_worst_streams_group(assign: Assign, question: str, seed: int, tries: int) -> Worst:
    """Find the worst streams group: search applications, whose clients are its processes."""

    def of_application(application: Application) -> TaskAssignment:
        group = build_group(application)
        return group_by_process(group, assign(group))

    found = find_worst_application(of_application, question, seed, tries)
    return found if found.group is None else replace(found, group=build_group(found.group))


def _search(
    judge: Judge[G], ground: Ground[G], small: st.SearchStrategy[G], question: str, seed: int, tries: int
) -> Worst:
    """Return the worst case in the last level of a question; `small` are the groups to search."""
    found = find_worst(judge, ground, seed=seed, tries=tries, hunt=make_hunt(small))
    sentences, done, first = tuple(found.sentences), found.exhausted.done, found.exhausted.first
    everything = f"every group up to {done} ({found.exhausted.tried:,})" if done else ""
    if found.worst is None:
        return Worst(sentences, everything=everything)
    level = question.rpartition(",")[2]
    smallest = min((case.size for case in (first, found.worst) if case), key=lambda size: sum(size[:2]))
    return Worst(
        sentences,
        found.worst.group,
        Gap(level, found.worst.value, found.worst.optimum),
        everything,
        ground.space.kind.describe_size(smallest),
        tuple(
            Grown(growth.way, growth.bounded, tuple((case.value, case.optimum) for case in growth.cases))
            for growth in found.growths
        ),
    )


def make_hunt(groups: st.SearchStrategy[G]) -> Hunt[G]:
    """Return a function that draws a number of groups and asks for their scores.

    It draws the same groups for the same seed and scores.
    """

    def hunt(score: Callable[[G], int | None], seed_: int, tries: int) -> None:
        @seed(seed_)
        @settings(
            max_examples=tries, phases=[Phase.generate, Phase.target], database=None, deadline=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(groups)
        def ask(group: G) -> None:
            reached = score(group)
            if reached is not None:
                target(float(reached))

        ask()

    return hunt


MEMBERS, PARTITIONS, TOPICS, RACKS = 8, 16, 5, 3
"""The most of each in a small group."""


@st.composite
def small_groups(draw: st.DrawFn) -> Group:
    """Generate groups; each member and each partition is one whole number, so that a step in it is a small change.

    The number of a member encodes its subscription as bits, and its rack if it has one. The number of a partition encodes its owner if
    it has one, the racks of its replicas as bits, and its topic.
    """
    topics = draw(st.integers(1, TOPICS))
    subscriptions, sets = 2**topics - 1, 2**RACKS - 1
    numbers = draw(st.lists(st.integers(0, subscriptions * (RACKS + 1) - 1), min_size=1, max_size=MEMBERS))
    readers = [(number % subscriptions + 1, number // subscriptions) for number in numbers]
    partitions = draw(
        st.lists(st.integers(0, topics * sets * (len(readers) + 1) - 1), min_size=1, max_size=PARTITIONS)
    )
    near: list[list[tuple[str, ...]]] = [[] for _ in range(topics)]
    owned: list[list[TopicPartition]] = [[] for _ in range(len(readers) + 1)]
    for partition in partitions:
        rest, topic = divmod(partition, topics)
        owner, racks = divmod(rest, sets)
        owned[owner].append(TopicPartition(f"t{topic}", len(near[topic])))
        near[topic].append(tuple(f"r{rack}" for rack in range(RACKS) if racks + 1 >> rack & 1))
    claimed = any(owned[1:])
    members = tuple(
        Member(
            f"m{m}", tuple(f"t{t}" for t in range(topics) if read >> t & 1), tuple(owned[m + 1]),
            1 if claimed else None, None, f"r{home - 1}" if home else None,
        )
        for m, (read, home) in enumerate(readers)
    )  # fmt: skip
    return Group(tuple(Topic(f"t{t}", len(racks), tuple(racks)) for t, racks in enumerate(near)), members)


CLIENTS, TASKS, SUBTOPOLOGIES = 4, 8, 2
"""The most of each in a small application."""


@st.composite
def small_applications(draw: st.DrawFn, kind: Kind[Application]) -> Application:
    """Generate applications; each client and each task is one whole number, so that a step in it is a small change.

    The number of a client is its rack. The number of a task encodes the clients of its active and standby copies, and its
    subtopology. Bits are the racks of the replicas of its input and changelog.
    """
    homes = draw(st.lists(st.integers(0, RACKS - 1), min_size=1, max_size=CLIENTS))
    sets, owners = 2**RACKS - 1, len(homes) + 1
    numbers = draw(
        st.lists(st.integers(0, SUBTOPOLOGIES * (sets * owners) ** 2 - 1), min_size=1, max_size=TASKS)
    )
    contents: list[list[Content]] = [[] for _ in range(SUBTOPOLOGIES)]
    for number in numbers:
        rest, subtopology = divmod(number, SUBTOPOLOGIES)
        rest, inputs = divmod(rest, sets)
        rest, changelogs = divmod(rest, sets)
        active, standby = (owner - 1 for owner in divmod(rest, owners))
        near = tuple(tuple(r for r in range(RACKS) if bits + 1 >> r & 1) for bits in (inputs, changelogs))
        contents[subtopology].append((near, (active, standby if standby != active else -1)))
    parts = tuple(tuple(some) for some in contents if some)
    return kind.group(Shape(tuple((tuple(range(len(parts))), home) for home in homes), parts))

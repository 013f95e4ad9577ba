"""Where the worst of a partition assignor is looked for, and by what it is judged: the last level of a question.

What a group of members and topics is as numbers, and which of them are tried out completely for which level.

Groups with structure, to begin a search with: random changes of a small group seldom come to such.

Each combines how topics are cut (mostly so that each leaves a remainder, which piles up), who reads them (all, or
nested: each member fewer than the one before), and, where the question asks for it, where replicas are (each member in
a rack of its own, or racks that hold exactly as much as their members can take) and who owns what.

Ways in which a group of members and topics doubles.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Literal, TypeAlias

from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.errors import ImpossibleError, UnsolvedError
from kassay.oracles.partitions.encoding import cases
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.optimum import answer
from kassay.oracles.partitions.question import measure, question
from kassay.oracles.partitions.weights.optimum import known, says_weights
from kassay.oracles.partitions.worst_case.mutate import mutate, mutate_weighed, seedling
from kassay.oracles.worst_case.search import Ground
from kassay.oracles.worst_case.spaces import Judge, Kind, Shape, Space, answered
from kassay.properties.partitions.shrinking.catalogue import smaller


def _weighed(group: Group, weight: Callable[[int, int], int]) -> Group:
    """Return a group whose partitions weigh something, by their number and how many their topic has."""
    return replace(
        group,
        topics=tuple(
            replace(topic, weights=tuple(weight(n, topic.partitions) for n in range(topic.partitions)))
            for topic in group.topics
        ),
    )


def group(shape: Shape) -> Group:
    """Return the group of a shape; members are m0, m1, ..., topics t0, t1, ... and racks r0, r1, ..., in this order."""
    racks = any(rack >= 0 for _, rack in shape.members)
    topics = tuple(
        Topic(f"t{t}", len(contents), tuple(tuple(f"r{r}" for r in near) for (near,), _ in contents) if racks else None)
        for t, contents in enumerate(shape.parts)
    )  # fmt: skip
    owned: list[list[TopicPartition]] = [[] for _ in shape.members]
    for topic, contents in zip(topics, shape.parts, strict=True):
        for partition, (_, (owner,)) in zip(topic, contents, strict=True):
            if owner >= 0:
                owned[owner].append(partition)
    generation = 1 if any(owned) else None
    members = tuple(
        Member(f"m{m}", tuple(f"t{t}" for t in read), tuple(owned[m]), generation, None, f"r{rack}" if racks else None)
        for m, (read, rack) in enumerate(shape.members)
    )  # fmt: skip
    return Group(topics, members)


KIND = Kind(("member", "partition", "topic"), read=1, roles=1, group=group)
SPACES: Mapping[str, Space[Group]] = {
    "": Space(KIND, members=4, items=5, parts=3, mixed=True),
    "owners": Space(KIND, members=3, items=4, parts=2, mixed=True, claims=True),
    "racks": Space(KIND, members=3, items=4, parts=2, racks=2, mixed=True),
    "weights": Space(
        replace(KIND, group=lambda shape: _weighed(group(shape), lambda number, _: number + 1)),
        members=4,
        items=5,
        parts=3,
        mixed=True,
        given="the n-th partition of a topic weighs n, held against the best that is known",
    ),
}
"""What the last level of a question is about besides loads -> what is tried out for it completely, as far as the tries last."""


Rule: TypeAlias = Callable[[int, int, int, int], int]
"""From a topic's number, a partition's in it, how many partitions a topic has and how many members there are, to a
member's number, or a negative one for nobody."""

READS: Mapping[str, Callable[[int, int, int], bool]] = {
    "all read all": lambda _topic, _member, _members: True,
    "nested, most first": lambda topic, member, _members: topic >= member,
    "nested, most last": lambda topic, member, members: topic >= members - 1 - member,
}
"""Whether a member reads a topic; whoever would read nothing reads the last topic."""

RULES: Mapping[str, Rule] = {
    "in runs": lambda _topic, number, size, members: number * members // size,
    "in runs, backwards": lambda _topic, number, size, members: members - 1 - number * members // size,
    "in turn": lambda topic, number, size, members: (topic * size + number) % members,
    "in turn, backwards": lambda topic, number, size, members: (
        (members - 1 - topic * size - number) % members
    ),
    "one topic otherwise": lambda topic, number, size, members: (
        number * members // size if topic == 0 else members - 1 - number * members // size
    ),
    "tight, first": lambda topic, number, size, members: _tight(topic * size + number, members),
    "tight, last": lambda topic, number, size, members: _tight(topic * size + size - 1 - number, members),
}
"""To which member a partition belongs: its only replica is in that member's rack, or the member owns it."""


def _tight(place: int, members: int) -> int:
    """Give the last half of the members every other partition, in turn, and leave the rest to anybody."""
    half = members // 2
    return members - 1 - place // 2 % half if place % 2 else -1


WEIGHTS: Sequence[Callable[[int, int], int]] = (
    lambda number, _: 1 + 9 * (number == 0),
    lambda number, _: number + 1,
    lambda number, size: size - number,
)
"""What partitions weigh in groups with structure, by their number and how many there are."""


def seeds(
    about: Literal["", "owners", "racks", "weights"], *, members: int = 8, partitions: int = 16
) -> Iterator[Group]:
    """Yield structured groups of up to so many members and partitions, with racks or owners where it is about them."""
    if about == "weights":
        for plain in seeds("", members=members, partitions=partitions):
            yield from (_weighed(plain, weight) for weight in WEIGHTS)
        return
    rules = list(RULES.values()) if about else [_nobody]
    cuts = {(topics, size) for topics in range(1, partitions + 1) for size in (1, 2, 3, partitions // topics)}
    counts = [count for count in (2, 3, 4, 6, 8) if count <= members]
    for topics, size in sorted(cut for cut in cuts if cut[0] * cut[1] <= partitions):
        for count, reads, rule in product(counts, READS.values(), rules):
            yield _group((topics, size, count), reads, rule, racks=about == "racks")


def _nobody(_topic: int, _number: int, _size: int, _members: int) -> int:
    return -1


def _group(
    counts: tuple[int, int, int], reads: Callable[[int, int, int], bool], rule: Rule, *, racks: bool
) -> Group:
    topics, size, members = counts
    names = [f"t{t:02}" for t in range(topics)]
    of = [[rule(topic, number, size, members) for number in range(size)] for topic in range(topics)]
    near = [tuple((f"r{m}",) if m >= 0 else () for m in row) if racks else None for row in of]
    owned: list[list[TopicPartition]] = [[] for _ in range(members + 1)]
    for name, row in zip(names, of, strict=True):
        for number, m in enumerate(row):
            owned[-1 if racks else m].append(TopicPartition(name, number))
    return Group(
        tuple(Topic(name, size, row) for name, row in zip(names, near, strict=True)),
        tuple(
            Member(
                f"m{m}",
                tuple(n for t, n in enumerate(names) if reads(t, m, members)) or (names[-1],),
                tuple(owned[m]),
                1 if any(owned[:-1]) else None,
                None,
                f"r{m}" if racks else None,
            )
            for m in range(members)
        ),
    )


def _more_partitions(group: Group, times: int) -> Group:
    """Repeat every topic's partitions, with their racks and owners, one run after the other."""
    counts = {topic.name: topic.partitions for topic in group.topics}
    topics = tuple(
        replace(
            t,
            partitions=t.partitions * times,
            racks=t.racks and t.racks * times,
            weights=t.weights and t.weights * times,
        )
        for t in group.topics
    )
    members = []
    for member in group.members:
        kept = [p for p in member.owned if p.partition < counts.get(p.topic, 0)]
        owned = [
            TopicPartition(p.topic, p.partition + n * counts[p.topic]) for n in range(times) for p in kept
        ]
        members.append(replace(member, owned=tuple(sorted(owned))))
    return Group(topics, tuple(members))


def _more_topics(group: Group, times: int) -> Group:
    """Repeat every topic with its subscribers and owners, each copy named after the one before."""

    def copies(name: str) -> list[str]:
        return [f"{name}.{n:03}" for n in range(times)]

    topics = tuple(replace(topic, name=name) for topic in group.topics for name in copies(topic.name))
    members = tuple(
        replace(
            m,
            topics=tuple(name for topic in m.topics for name in copies(topic)),
            owned=tuple(
                sorted(TopicPartition(name, p.partition) for p in m.owned for name in copies(p.topic))
            ),
        )
        for m in group.members
    )
    return Group(topics, members)


def _more_members(group: Group, times: int) -> Group:
    """Repeat every member with its subscription and rack; only the first of each owns anything."""
    return Group(group.topics, tuple(clone for member in group.members for clone in _clones(member, times)))


def _more_of_all(group: Group, times: int) -> Group:
    """Repeat members and partitions; clone n owns what the original owned of run n."""
    counts = {topic.name: topic.partitions for topic in group.topics}
    larger = _more_partitions(group, times)
    members = []
    for member in larger.members:
        for n, clone in enumerate(_clones(member, times)):
            owned = tuple(p for p in member.owned if p.partition // counts[p.topic] == n)
            members.append(replace(clone, owned=owned, generation=member.generation))
    return Group(larger.topics, tuple(members))


def _clones(member: Member, times: int) -> list[Member]:
    return [
        replace(member, id=f"{member.id}.{n:03}", owned=() if n else member.owned, instance_id=None)
        for n in range(times)
    ]


WAYS: dict[str, Callable[[Group, int], Group]] = {
    "partitions": _more_partitions,
    "topics": _more_topics,
    "members": _more_members,
    "members and partitions": _more_of_all,
}
"""What doubles -> how."""


def ground(text: str) -> Ground[Group]:
    """Return where to look for the worst in a question's last level."""
    asked = question(text)
    about = LEVELS[asked.levels[-1]].about
    return Ground(
        SPACES["racks" if asked.together else about],
        list(seeds(about)),
        seedling,
        mutate_weighed if about == "weights" else mutate,
        smaller,
        WAYS,
        (8, 16),
        (128, 512),
    )


def judge(assign: Callable[[Group], Assignment], text: str) -> Judge[Group]:
    """Return what judges an assignor by the last level of a question that asks for one copy; raises ImpossibleError for others."""
    asked = question(text)
    if asked.several:
        raise ImpossibleError(f"question: {text!r} asks for copies; the worst is sought for one copy only")
    last = asked.levels[-1]
    of = measure(asked, last)
    if asked.weighs:
        return _of_weights(assign, last, of)

    def measured(group: Group, given: Assignment) -> int | None:
        return of(group, given) if _whole(group, given) else None

    def optimum(group: Group) -> int:
        read = cases(group, asked)
        solved = [solve(case.problem, asked.levels) for case in read]
        level = answer(group, asked, read, solved, words=False).levels[-1]
        if level.name != last or not level.proved:
            raise UnsolvedError(f"{asked}: {level.name} is not proved")
        return level.value

    return Judge(answered(assign, measured), optimum, size)


def _of_weights(
    assign: Callable[[Group], Assignment], level: str, of: Callable[[Group, Assignment], int]
) -> Judge[Group]:
    """Return what judges an assignor by weights, against the best that is known: what it has more is real, and the optimum may be further away."""

    def measured(group: Group, given: Assignment) -> int | None:
        return of(group, given) if says_weights(group) and _whole(group, given) else None

    @lru_cache(maxsize=1)
    def optimum(group: Group) -> int:
        solvers = sum(topic.partitions for topic in group.topics) <= SOLVED
        return known(group, [level], solvers=solvers)[0].value

    return Judge(answered(assign, measured), optimum, size)


SOLVED = 6
"""Up to so many partitions solvers look for something lighter, too."""


def size(group: Group) -> tuple[int, int, int]:
    """Return how large a group is: members, partitions, topics."""
    return len(group.members), sum(topic.partitions for topic in group.topics), len(group.topics)


def _whole(group: Group, given: Assignment) -> bool:
    """Return whether an assignment gives every partition that is subscribed to one subscriber, and nothing else."""
    topics = {member.id: set(member.topics) for member in group.members}
    read = set().union(*topics.values())
    expected = {partition for topic in group.topics if topic.name in read for partition in topic}
    held = Counter(partition for partitions in given.values() for partition in partitions)
    return (
        held.keys() == expected
        and all(times == 1 for times in held.values())
        and all(
            partition.topic in topics.get(member, ())
            for member, held_ in given.items()
            for partition in held_
        )
    )

"""The search for the worst answers of a partition assignor in the last level of a question.

It enumerates all tiny groups of a space, then groups with structure, changes these at random, and doubles the worst ones.

Random changes of a small group seldom lead to groups with structure. Each of these combines:

- sizes of topics, mostly with a remainder, which adds up
- subscriptions: all topics, or nested, each member fewer than the one before
- if the question is about them, owners, or replicas: each member in its own rack, or racks that hold exactly the load of their members
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from itertools import product
from random import Random
from typing import Literal, TypeAlias

from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.errors import ImpossibleError, UnsolvedError
from kassay.oracles.partitions.encoding import encode_group
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.optimum import verify_solutions
from kassay.oracles.partitions.question import measure, parse_question
from kassay.oracles.partitions.weights.optimum import compute_weight_levels, has_weights
from kassay.oracles.worst_case import Ground, Judge, Kind, Shape, Space, measure_answers
from kassay.properties.partitions.shrinking import smaller


def mutate(r: Random, group: Group) -> Group:
    """Return a group with one to three random changes; it always has members and topics."""
    for _ in range(r.choice((1, 1, 2, 3))):
        group = r.choice(CHANGES)(
            r, group if any(topic.partitions for topic in group.topics) else build_seedling()
        )
    return group


def mutate_weighed(r: Random, group: Group) -> Group:
    """Do the same to a group with weights, and mostly change one of these, too."""
    weights = {topic.name: topic.weights or () for topic in group.topics}
    plain = replace(group, topics=tuple(replace(topic, weights=None) for topic in group.topics))
    changed = plain if r.random() < 0.4 else mutate(r, plain)
    topics = []
    for topic in changed.topics:
        own = list(weights.get(topic.name, ()))[: topic.partitions]
        own += [r.randint(0, HEAVIEST) for _ in range(topic.partitions - len(own))]
        topics.append(replace(topic, weights=tuple(own)))
    at = r.randrange(len(topics))
    if (own := list(topics[at].weights or ())) and r.random() < 0.8:
        own[r.randrange(len(own))] = r.randint(0, HEAVIEST)
        topics[at] = replace(topics[at], weights=tuple(own))
    return replace(changed, topics=tuple(topics))


HEAVIEST = 20
"""The greatest random weight."""


def build_seedling() -> Group:
    """Return the group that a search starts from: two members, one topic, two partitions, two racks."""
    members = tuple(Member(f"m{n:02}", ("t00",), rack=f"r{n}") for n in range(2))
    return Group((Topic("t00", 2, (("r0",), ("r1",))),), members)


def _free_name(letter: str, taken: Sequence[str]) -> str:
    return next(name for n in range(len(taken) + 1) if (name := f"{letter}{n:02}") not in taken)


def _join(r: Random, group: Group) -> Group:
    like = r.choice(group.members)
    name = _free_name("m", [member.id for member in group.members])
    owned = () if r.random() < 0.5 else like.owned
    return replace(group, members=(*group.members, replace(like, id=name, owned=owned, instance_id=None)))


def _leave(r: Random, group: Group) -> Group:
    if len(group.members) == 1:
        return group
    gone = r.choice(group.members)
    return replace(group, members=tuple(member for member in group.members if member != gone))


def _add_topic(r: Random, group: Group) -> Group:
    like = r.choice(group.topics)
    name = _free_name("t", [topic.name for topic in group.topics])
    members = tuple(
        replace(m, topics=(*m.topics, name)) if (like.name in m.topics) != (r.random() < 0.2) else m
        for m in group.members
    )
    return Group((*group.topics, replace(like, name=name)), members)


def _drop_topic(r: Random, group: Group) -> Group:
    if len(group.topics) == 1:
        return group
    gone = r.choice(group.topics).name
    members = []
    for m in group.members:
        read, owned = tuple(t for t in m.topics if t != gone), tuple(p for p in m.owned if p.topic != gone)
        members.append(replace(m, topics=read, owned=owned))
    return Group(tuple(topic for topic in group.topics if topic.name != gone), tuple(members))


def _resize(r: Random, group: Group) -> Group:
    topic = _draw_topic(r, group)
    count = max(1, topic.partitions + r.choice((-2, -1, 1, 1, 2)))
    racks = topic.racks and tuple(topic.racks[n % topic.partitions] for n in range(count))
    smaller = tuple(
        replace(m, owned=tuple(p for p in m.owned if p.topic != topic.name or p.partition < count))
        for m in group.members
    )
    return replace(_with_topic(group, replace(topic, partitions=count, racks=racks)), members=smaller)


def _subscribe(r: Random, group: Group) -> Group:
    member, topic = r.choice(group.members), r.choice(group.topics).name
    rest = tuple(name for name in member.topics if name != topic)
    return _with_member(group, replace(member, topics=rest if topic in member.topics else (*rest, topic)))


def _move(r: Random, group: Group) -> Group:
    racks = [member.rack for member in group.members] + ["r0", "r1", "r2"]
    return _with_member(group, replace(r.choice(group.members), rack=r.choice(racks)))


def _replicate(r: Random, group: Group) -> Group:
    topic = _draw_topic(r, group)
    racks = [member.rack for member in group.members if member.rack] + ["r0", "r1", "r2"]
    sets = list(topic.racks or ((racks[0],),) * topic.partitions)
    sets[r.randrange(topic.partitions)] = tuple(sorted({r.choice(racks) for _ in range(r.randint(1, 2))}))
    return _with_topic(group, replace(topic, racks=tuple(sets)))


def _change_owner(r: Random, group: Group) -> Group:
    topic = _draw_topic(r, group)
    partition = TopicPartition(topic.name, r.randrange(topic.partitions))
    owner = r.choice((None, *(member.id for member in group.members)))
    members = []
    for member in group.members:
        owned = tuple(p for p in member.owned if p != partition)
        mine = (*owned, partition) if member.id == owner else owned
        members.append(replace(member, owned=tuple(sorted(mine)), generation=1))
    return replace(group, members=tuple(members))


def _draw_topic(r: Random, group: Group) -> Topic:
    """Return any topic that has partitions."""
    return r.choice([topic for topic in group.topics if topic.partitions])


def _with_topic(group: Group, topic: Topic) -> Group:
    return replace(group, topics=tuple(topic if old.name == topic.name else old for old in group.topics))


def _with_member(group: Group, member: Member) -> Group:
    return replace(group, members=tuple(member if old.id == member.id else old for old in group.members))


CHANGES: tuple[Callable[[Random, Group], Group], ...] = (
    _join, _leave, _add_topic, _drop_topic, _resize, _resize, _subscribe, _subscribe, _move, _replicate, _replicate,
    _change_owner, _change_owner, lambda r, group: reduce(lambda changed, _: _change_owner(r, changed), range(r.randint(2, 6)), group),
)  # fmt: skip
"""The random changes; more likely ones stand twice."""


def _add_weights(group: Group, weight: Callable[[int, int], int]) -> Group:
    """Return a group with a weight for each partition by its number and the size of its topic."""
    return replace(
        group,
        topics=tuple(
            replace(topic, weights=tuple(weight(n, topic.partitions) for n in range(topic.partitions)))
            for topic in group.topics
        ),
    )


def build_group(shape: Shape) -> Group:
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


KIND = Kind(("member", "partition", "topic"), read=1, roles=1, group=build_group)
SPACES: Mapping[str, Space[Group]] = {
    "": Space(KIND, members=4, items=5, parts=3, mixed=True),
    "owners": Space(KIND, members=3, items=4, parts=2, mixed=True, claims=True),
    "racks": Space(KIND, members=3, items=4, parts=2, racks=2, mixed=True),
    "weights": Space(
        replace(KIND, group=lambda shape: _add_weights(build_group(shape), lambda number, _: number + 1)),
        members=4,
        items=5,
        parts=3,
        mixed=True,
        given="the n-th partition of a topic weighs n, compared with the best known value",
    ),
}
"""The feature, in addition to loads, that the last level of a question is about -> the space of groups that are enumerated."""

Rule: TypeAlias = Callable[[int, int, int, int], int]
"""From the numbers of a topic and a partition, the size of topics and the number of members to a member's number, negative for none."""

READS: Mapping[str, Callable[[int, int, int], bool]] = {
    "all read all": lambda _topic, _member, _members: True,
    "nested, most first": lambda topic, member, _members: topic >= member,
    "nested, most last": lambda topic, member, members: topic >= members - 1 - member,
}
"""True if a member reads a topic; a member without any reads the last topic."""

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
    "tight, first": lambda topic, number, size, members: _place_tightly(topic * size + number, members),
    "tight, last": lambda topic, number, size, members: _place_tightly(
        topic * size + size - 1 - number, members
    ),
}
"""The member of a partition: its only replica is in that member's rack, or the member owns it."""


def _place_tightly(place: int, members: int) -> int:
    """Give every other partition to the last half of the members, in turn; the rest to no member."""
    half = members // 2
    return members - 1 - place // 2 % half if place % 2 else -1


WEIGHTS: Sequence[Callable[[int, int], int]] = (
    lambda number, _: 1 + 9 * (number == 0),
    lambda number, _: number + 1,
    lambda number, size: size - number,
)
"""The weights of partitions in groups with structure, by their number and the size of their topic."""


def generate_seeds(
    about: Literal["", "owners", "racks", "weights"], *, members: int = 8, partitions: int = 16
) -> Iterator[Group]:
    """Yield groups with structure up to this size, with racks or owners if the question is about them."""
    if about == "weights":
        for plain in generate_seeds("", members=members, partitions=partitions):
            yield from (_add_weights(plain, weight) for weight in WEIGHTS)
        return
    rules = list(RULES.values()) if about else [lambda _topic, _number, _size, _members: -1]
    cuts = {(topics, size) for topics in range(1, partitions + 1) for size in (1, 2, 3, partitions // topics)}
    counts = [count for count in (2, 3, 4, 6, 8) if count <= members]
    for topics, size in sorted(cut for cut in cuts if cut[0] * cut[1] <= partitions):
        for count, reads, rule in product(counts, READS.values(), rules):
            yield _build_structured_group((topics, size, count), reads, rule, racks=about == "racks")


def _build_structured_group(
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
    found = []
    for m in range(members):
        read = tuple(name for t, name in enumerate(names) if reads(t, m, members)) or (names[-1],)
        rack, generation = f"r{m}" if racks else None, 1 if any(owned[:-1]) else None
        found.append(Member(f"m{m}", read, tuple(owned[m]), generation, rack=rack))
    return Group(tuple(Topic(name, size, row) for name, row in zip(names, near, strict=True)), tuple(found))


def _duplicate_partitions(group: Group, times: int) -> Group:
    """Repeat every topic's partitions, with their racks and owners, one run after the other."""
    counts = {topic.name: topic.partitions for topic in group.topics}
    topics = []
    for t in group.topics:
        racks, weights = t.racks and t.racks * times, t.weights and t.weights * times
        topics.append(replace(t, partitions=t.partitions * times, racks=racks, weights=weights))
    members = []
    for member in group.members:
        kept = [p for p in member.owned if p.partition < counts.get(p.topic, 0)]
        owned = [
            TopicPartition(p.topic, p.partition + n * counts[p.topic]) for n in range(times) for p in kept
        ]
        members.append(replace(member, owned=tuple(sorted(owned))))
    return Group(tuple(topics), tuple(members))


def _duplicate_topics(group: Group, times: int) -> Group:
    """Repeat every topic with its subscribers and owners, each copy named after the one before."""

    def copies(name: str) -> list[str]:
        return [f"{name}.{n:03}" for n in range(times)]

    topics = tuple(replace(topic, name=name) for topic in group.topics for name in copies(topic.name))
    members = []
    for member in group.members:
        read = tuple(name for topic in member.topics for name in copies(topic))
        owned = sorted(TopicPartition(name, p.partition) for p in member.owned for name in copies(p.topic))
        members.append(replace(member, topics=read, owned=tuple(owned)))
    return Group(topics, tuple(members))


def _duplicate_all(group: Group, times: int) -> Group:
    """Repeat members and partitions; clone n owns what the original owned of run n."""
    counts = {topic.name: topic.partitions for topic in group.topics}
    larger = _duplicate_partitions(group, times)
    members = []
    for member in larger.members:
        for n, clone in enumerate(_duplicate_member(member, times)):
            owned = tuple(p for p in member.owned if p.partition // counts[p.topic] == n)
            members.append(replace(clone, owned=owned, generation=member.generation))
    return Group(larger.topics, tuple(members))


def _duplicate_member(member: Member, times: int) -> list[Member]:
    """Repeat a member with its subscription and rack; only the first clone owns anything."""
    return [
        replace(member, id=f"{member.id}.{n:03}", owned=() if n else member.owned, instance_id=None)
        for n in range(times)
    ]


WAYS: dict[str, Callable[[Group, int], Group]] = {
    "partitions": _duplicate_partitions,
    "topics": _duplicate_topics,
    "members": lambda group, times: Group(
        group.topics, tuple(clone for member in group.members for clone in _duplicate_member(member, times))
    ),
    "members and partitions": _duplicate_all,
}
"""The feature that doubles -> the larger group."""


def build_ground(text: str) -> Ground[Group]:
    """Return the ground of the search for the worst in a question's last level."""
    asked = parse_question(text)
    about = LEVELS[asked.levels[-1]].about
    return Ground(
        SPACES["racks" if asked.together else about],
        list(generate_seeds(about)),
        build_seedling,
        mutate_weighed if about == "weights" else mutate,
        smaller,
        WAYS,
        (8, 16),
        (128, 512),
    )


def judge(assign: Callable[[Group], Assignment], text: str) -> Judge[Group]:
    """Return the judge of an assignor in the last level of a question.

    Raises ImpossibleError for questions about several copies. Weights are compared with the best value that is known: the difference is
    real, but the optimum may be further away.
    """
    asked = parse_question(text)
    if asked.several:
        raise ImpossibleError(f"question: {text!r} asks for copies. Leave them out")
    last = asked.levels[-1]
    of = measure(asked, last)

    def measured(group: Group, given: Assignment) -> int | None:
        comparable = (not asked.weighs or has_weights(group)) and _is_complete(group, given)
        return of(group, given) if comparable else None

    @lru_cache(maxsize=1)
    def optimum(group: Group) -> int:
        if asked.weighs:
            solvers = sum(topic.partitions for topic in group.topics) <= SOLVED
            return compute_weight_levels(group, [last], solvers=solvers)[0].value
        read = encode_group(group, asked)
        solved = [solve(case.problem, asked.levels) for case in read]
        level = verify_solutions(group, asked, read, solved, words=False).levels[-1]
        if level.name != last or not level.proved:
            raise UnsolvedError(f"{asked}: {level.name} is not proved")
        return level.value

    return Judge(measure_answers(assign, measured), optimum, compute_size)


SOLVED = 6
"""The most partitions of a group for which solvers look for a lighter assignment, too."""


def compute_size(group: Group) -> tuple[int, int, int]:
    """Return the size of a group: members, partitions, topics."""
    return len(group.members), sum(topic.partitions for topic in group.topics), len(group.topics)


def _is_complete(group: Group, given: Assignment) -> bool:
    """Return True if an assignment gives every partition with subscribers to one of them, and no other partition."""
    topics = {member.id: set(member.topics) for member in group.members}
    read = set().union(*topics.values())
    expected = {partition for topic in group.topics if topic.name in read for partition in topic}
    pairs = [(member, partition) for member, held in given.items() for partition in held]
    return (
        len(pairs) == len(expected)
        and {partition for _, partition in pairs} == expected
        and all(partition.topic in topics.get(member, ()) for member, partition in pairs)
    )

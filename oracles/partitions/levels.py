"""The levels of groups of topics and members, in the order in which answers are compared in them.

All code iterates over :data:`LEVELS`. A new level is a record here, and a line.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from kassay.model import Assignment, Group, TopicPartition
from kassay.model.joins import find_joins
from kassay.oracles.assignment import own_levels
from kassay.oracles.levels import Judged, LevelWords, list_over_time_questions
from kassay.properties.partitions.measures import (
    copies_lost,
    cross_rack,
    greatest_weight,
    imbalance,
    moves,
    over_capacity,
    topic_excess,
)

Measure: TypeAlias = Callable[[Group, Assignment], int]
Owners: TypeAlias = tuple[int, ...]
"""The numbers of the members that own a partition."""
Near: TypeAlias = tuple[tuple[str | None, ...], ...]
"""The racks of the replicas of such partitions."""
Choice: TypeAlias = dict[TopicPartition, tuple[str, ...]]
"""The holders of each partition."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One of all assignments of a tiny group under a question."""

    group: Group
    owners: Mapping[TopicPartition, list[str]]
    choice: Choice
    several: bool
    """A partition may have several owners."""
    together: bool
    """The range contract fixes the loads."""
    joined: frozenset[str]
    """The topics whose loads are fixed as well."""


def refuse_enumeration(one: Tried) -> int:
    """Stand for what a level did not give; raises NotImplementedError."""
    raise NotImplementedError("a level has no count for tiny groups. Give it `tried`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """All that is known of one level of partitions.

    Its costs for the core are the sum of `owned` and `in_rack`. A level with neither is one of the core's own levels
    (see :mod:`kassay.oracles.assignment.own_levels`).
    """

    words: LevelWords
    least: str
    """The best there is, as a sentence begins: ``The fewest partitions that must leave their owners``."""
    brief: str
    """The same behind another level: ``the fewest moves``."""
    measure: Measure
    """The value of any answer, also of a wrong one."""
    of_copies: Measure | None = None
    """Another measure for questions with several owners of a partition."""
    beside_joins: Measure | None = None
    """Another measure for questions that keep joined topics together."""
    owned: Callable[[Sequence[Owners], bool], tuple[int, Mapping[int, int]]] | None = None
    """The cost of partitions that stay together without any of their owners, and what each owner saves, 0 or more.

    It is given the owners of each partition, and True if each owner counts by itself.
    """
    in_rack: Callable[[Near, Sequence[str]], tuple[int, ...]] | None = None
    """The cost of partitions that stay together in each of these racks, and last with a member without a rack."""
    tried: Callable[[Tried], int] = refuse_enumeration
    """Its value counted from a tiny group itself, independently of the measure and the costs."""
    weighs: bool = False
    """True if it is about weights: its answer is an interval, and no flow (see :mod:`kassay.oracles.partitions.weights`)."""
    compared: bool = True
    """True if every answer is compared in it, at the most even loads; otherwise only if that is asked."""
    about: Literal["", "owners", "racks", "weights"] = ""
    """The feature of groups, in addition to loads, that makes answers differ; the search for the worst varies it."""
    why: tuple[str, str, str] | None = None
    """Phrases for partitions that cost something except at ``{}``, or anywhere, and for their fate. None: the level has no sentence of this form."""

    @property
    def name(self) -> str:
        """As questions name it."""
        return self.words.name


def _measure_free_topics(group: Group, assignment: Assignment) -> int:
    """Measure the imbalance of the topics that are not joined."""
    joined = {name for join in find_joins(group) for name in join.names}
    topics = tuple(topic for topic in group.topics if topic.name not in joined)
    return imbalance(replace(group, topics=topics), assignment)


def _count_squares(one: Tried) -> int:
    """Add up the squared loads; under the range contract they are fixed."""
    held = [m for partition, of in one.choice.items() if partition.topic not in one.joined for m in of]
    return 0 if one.together else sum(held.count(member.id) ** 2 for member in one.group.members)


BALANCE = Level(
    words=LevelWords(
        name=own_levels.BALANCE, short="even", one="apart", many="apart", counts="loads", evens=0, asked="even", missed="not as even as possible",
        column="uneven", heading="not as even\nas possible", worse="is less even", measure="imbalance",
        judged=Judged(
            "even", "loads as balanced as possible", "groups with two members or more", outside=("single_member",), noun="balance",
        ),
    ),
    least="The most even loads that the subscriptions allow",
    brief="the most even loads",
    measure=imbalance,
    beside_joins=_measure_free_topics,
    tried=_count_squares,
)  # fmt: skip
"""The least sum of the members' squared loads, shown as the greatest load less the least."""


def _compute_owner_costs(standing: Sequence[Owners], several: bool) -> tuple[int, Mapping[int, int]]:
    """Return the cost of some partitions without any of their owners, and what each owner saves; see :attr:`Level.owned`."""
    cost = sum(len(by) if several else bool(by) for by in standing)
    return cost, Counter(member for by in standing for member in by)


def _count_moves(one: Tried) -> int:
    """Count the partitions that lost all owners or, if a partition may have several, the owners that lost it."""
    counts = {topic.name: topic.partitions for topic in one.group.topics}
    lost = 0
    for partition, claimants in one.owners.items():
        if partition.partition < counts.get(partition.topic, 0):
            kept = [m for m in claimants if m in one.choice.get(partition, ())]
            lost += len(claimants) - len(kept) if one.several else not kept
    return lost


MOVES = Level(
    words=LevelWords(
        name="moves", short="moves", one="move", many="moves", counts="moving", passing=True, asked="few moves", missed="needless moves",
        column="moves", heading="needless\nmoves", worse="moves more", measure="moves",
        judged=Judged(
            "sticky", "no needless move", "groups with two members or more, one of which owns a partition",
            outside=("single_member", "first_generation"), label="few moves", adjective="without needless moves",
            noun="minimal moves",
        ),
    ),
    least="The fewest partitions that must leave their owners",
    brief="the fewest moves",
    measure=moves,
    of_copies=copies_lost,
    owned=_compute_owner_costs,
    tried=_count_moves,
    about="owners",
    why=("that only {} may keep", "that none of their owners may keep", "move"),
)  # fmt: skip


def _compute_rack_costs(replicas: Near, racks: Sequence[str]) -> tuple[int, ...]:
    """Return for each rack the partitions without a replica there; 0 for no rack, and for unknown replicas (KIP-881)."""
    near = [known for each in replicas if (known := {rack for rack in each if rack is not None})]
    return (*(sum(rack not in each for each in near) for rack in racks), 0)


def _count_far(one: Tried) -> int:
    """Count the partitions with known racks that are read from a member's rack without any replica."""
    racks = {topic.name: topic.racks for topic in one.group.topics}
    home = {member.id: member.rack for member in one.group.members}
    far = 0
    for partition, holders in one.choice.items():
        known = racks[partition.topic]
        near = set(known[partition.partition]) - {None} if known else set()
        far += sum(bool(near and home[m] and home[m] not in near) for m in holders)
    return far


CROSS_RACK = Level(
    words=LevelWords(
        name="cross-rack", short="racks", one="read across racks", many="reads across racks", counts="reading", asked="near",
        missed="needless reads across racks", column="reads", heading="needless reads\nacross racks", worse="reads more across racks",
        measure="cross_rack",
        judged=Judged(
            "near", "no needless read across racks", "groups with two members or more where racks can change the outcome",
            within=("racks_decide",), outside=("single_member",), noun="rack locality",
        ),
    ),
    least="The fewest partitions read across racks",
    brief="the fewest partitions read across racks",
    measure=cross_rack,
    in_rack=_compute_rack_costs,
    tried=_count_far,
    about="racks",
    why=("near only {}", "near none of their readers", "be read across racks"),
)  # fmt: skip


def _count_excess(one: Tried) -> int:
    """Return half of the excess of squares: of each topic's partitions at its readers, over partitions dealt one by one."""
    held = Counter((partition.topic, m) for partition, of in one.choice.items() for m in of)
    squares = sum(count * count for count in held.values())
    least = 0
    for topic in one.group.topics:
        readers = [member for member in one.group.members if topic.name in member.topics]
        if readers:
            dealt = Counter(number % len(readers) for number in range(topic.partitions))
            least += sum(count * count for count in dealt.values())
    return (squares - least) // 2


TOPIC_SPREAD = Level(
    words=LevelWords(
        name=own_levels.TOPIC_SPREAD, short="spread", one="spread excess", many="spread excess", behind=True, asked="spread topics",
        missed="topics less spread than possible", column="spread", heading="topics less spread\nthan possible", worse="spreads topics less", each=("topic", "topics"), measure="topic_excess",
        judged=Judged(
            "spread", "topics spread as evenly as the most even loads allow", "groups with two members or more", outside=("single_member",),
            label="spread by topic", noun="topic balance",
        ),
    ),
    least="The most even spread of each topic over its subscribers",
    brief="the most even spread of each topic",
    measure=topic_excess,
    tried=_count_excess,
    about="owners",
)  # fmt: skip


def _weigh_members(one: Tried) -> dict[str, int]:
    """Return the weight that each member holds; unknown weights are 0."""
    weights = {
        partition: (topic.weights or [0] * topic.partitions)[partition.partition] or 0
        for topic in one.group.topics
        for partition in topic
    }
    return {
        member.id: sum(weights[partition] for partition, of in one.choice.items() if member.id in of)
        for member in one.group.members
    }


WEIGHTED_BALANCE = Level(
    words=LevelWords(
        name="weighted-balance", short="weight", one="weight", many="of weight at most", asked="even weights", missed="more weight on one member than needed",
        column="weight", heading="weight not\neven", worse="loads one member more", measure="greatest_weight",
        judged=Judged(
            "light", "proved: no member is heavier than the most even loads need", "groups with two members or more, of which those without weights count as missed",
            outside=("single_member",), label="light", noun="weighted balance",
        ),
    ),
    least="The least weight that the heaviest member holds",
    brief="the least greatest weight",
    measure=greatest_weight,
    tried=lambda one: max(_weigh_members(one).values(), default=0),
    weighs=True,
    compared=False,
    about="weights",
)  # fmt: skip
"""The least greatest weight of a member: lag, or bytes a second. Lag assignors answer ``balance,weighted-balance``: counts first."""


def _weigh_beyond(one: Tried) -> int:
    """Add up the weight that members hold beyond their capacities."""
    held = _weigh_members(one)
    return sum(max(0, held[m.id] - m.capacity) for m in one.group.members if m.capacity is not None)


CAPACITY = Level(
    words=LevelWords(
        name="capacity", short="capacity", one="weight beyond capacity", many="of weight beyond capacity", asked="within capacity",
        missed="more weight beyond capacity than needed", column="beyond", heading="weight beyond\ncapacity", worse="overloads members more",
        measure="over_capacity",
    ),
    least="The least weight beyond what members can bear",
    brief="the least weight beyond what members can bear",
    measure=over_capacity,
    tried=_weigh_beyond,
    weighs=True,
    compared=False,
)  # fmt: skip

LEVELS: Mapping[str, Level] = {
    level.name: level
    for level in (
        BALANCE,
        MOVES,
        CROSS_RACK,
        TOPIC_SPREAD,
        WEIGHTED_BALANCE,
        CAPACITY,
    )
}
"""Name -> level; balance is first, and answers are compared in the others at the most even loads."""


def compared(contract: str = "") -> tuple[str, ...]:
    """Return the levels that every answer is compared in, balance first; with any contract, only balance and levels with `owned` or `in_rack`."""
    return tuple(
        name
        for name, level in LEVELS.items()
        if level.compared and (not contract or level.owned or level.in_rack or name == BALANCE.name)
    )


SHORT = {
    "redundancy": "copies=2,balance,moves,cross-rack",
    "co-partition": "co-partition,cross-rack,moves",
    "joined": "joined,balance,moves,cross-rack",
    "shared": "shared,balance,moves,cross-rack",
}
"""Short names of questions."""
OVER_TIME = tuple(
    asked
    for even in (BALANCE.name, f"{BALANCE.name},{TOPIC_SPREAD.name}")
    for asked in list_over_time_questions(
        even, MOVES.name, [name for name, level in LEVELS.items() if level.in_rack and not level.owned]
    )
)
"""The questions about a sequence of rebalances: moves and reads across racks, each as even as possible at each rebalance."""


def list_questions() -> dict[str, str]:
    """Return each question of one level, alone and at the most even loads, with a sentence that says what is asked."""
    first, *others = LEVELS.values()
    return {level.name: level.words.describe_alone(level.least) for level in LEVELS.values()} | {
        f"{first.name},{level.name}": f"T{level.brief[1:]} among the most even assignments."
        for level in others
    }


def list_worst_questions() -> dict[str, str]:
    """Return the questions that `worst` can search: level -> question. Weight levels without `about` are left out, because the search varies no capacities."""
    first, *others = (name for name, level in LEVELS.items() if not level.weighs or level.about)
    return {first: first} | {level: f"{first},{level}" for level in others}

"""Generators of groups of topics and members, and of timelines, from choices and settings.

Topics and instance ids are legal in Kafka ([a-zA-Z0-9._-], up to 249 characters, neither ``.`` nor ``..``); member ids
and racks may be any text. Groups of a few shapes that grow by doubling show the growth of the response time.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from kassay.model import Group, Member, Topic
from kassay.properties.choices import Choices, Settings, build_draw
from kassay.properties.partitions.events import PLAIN, USUAL, choose_events, choose_settings
from kassay.properties.partitions.extras import EXTRAS
from kassay.properties.partitions.ownership import CLAIMS
from kassay.properties.partitions.rounds import Assign, apply_assignment
from kassay.properties.partitions.timelines import Timeline

COLLIDING = ("AaAa", "BBBB", "AaBB", "BBAa")
"""Different names with the same String.hashCode."""
HOSTILE_TOPICS = (
    "t", "t-1", "t-0", "t_0", "t.0", "T0", "t00", "0", "-", "_", "...", "null", "__consumer_offsets", "a-0-1",
    "z" * 249, "app-store-changelog", "app-KSTREAM-0000000001-repartition",
)  # fmt: skip
HOSTILE_MEMBERS = (
    "consumer-1-2b6d2ffc-5a1e-4f2e-9d1b-0d6c3c9e5b1a", "a b", "a,b", 'a"b', "a'b", "a\\b", "a\nb", "\t", "\x00", "{}",
    "[]", "null", "0", "-1", "m0-0", "\u00e9", "e\u0301", "\u00df", "\u0130", "\u202eabc", "\u65e5\u672c", "m" * 300,
)  # fmt: skip
ASTRAL = ("\U0001f600", "\uff5e", "\U0001d4dc0", "\uffee", "\U00020000", "\ue000")
"""Names on whose order UTF-16 units (Java) and code points (Python) disagree."""
HOSTILE_RACKS = ("r0", "\U0001f4a5", "", "a,b")

_TOPIC_POOLS = (HOSTILE_TOPICS, COLLIDING)
_MEMBER_POOLS = (HOSTILE_MEMBERS, COLLIDING, ASTRAL)


def topic_names(choices: Choices, number: int, *, hostile: bool) -> list[str]:
    """Return topic names: t0, t1, ..., if hostile with others among them."""
    plain = [f"t{at}" for at in range(number)]
    return mix_names(choices, plain, choices.pick(_TOPIC_POOLS)) if hostile else plain


def member_ids(choices: Choices, number: int, *, hostile: bool) -> list[str]:
    """Return member ids: m0, m1, ..., if hostile with others among them."""
    plain = [f"m{at}" for at in range(number)]
    return mix_names(choices, plain, choices.pick(_MEMBER_POOLS)) if hostile else plain


def instance_ids(choices: Choices, number: int, *, permuted: bool) -> list[str]:
    """Return group.instance.ids: i0, i1, ..., in this order or not."""
    plain = [f"i{at}" for at in range(number)]
    return choices.pick_order(plain) if permuted else plain


def rack_names(number: int, *, hostile: bool) -> list[str]:
    """Return names of racks: r0, r1, ..., or hostile ones, of which there are four."""
    return list(HOSTILE_RACKS[:number]) if hostile else [f"r{at}" for at in range(number)]


def mix_names(choices: Choices, plain: list[str], pool: Sequence[str]) -> list[str]:
    """Replace a run of the plain names by a run of the pool."""
    start, length = choices.below(len(pool)), 1 + choices.below(len(pool))
    shift = choices.below(max(1, len(plain)))
    mixed = list(plain)
    for at in range(min(length, len(plain))):
        mixed[(shift + at) % len(plain)] = pool[(start + at) % len(pool)]
    return mixed


Names: TypeAlias = tuple[str, ...]


def choose_subscriptions(choices: Choices, settings: Settings, names: list[str], members: int) -> list[Names]:
    """Choose what each member subscribes to; rarely a topic that does not exist, or one twice."""
    known = (*names, "unknown") if settings.has_oddity(choices, "unknown topic") else tuple(names)
    kind = settings.kind(choices, "subscriptions")
    chosen: list[Names] = SUBSCRIPTIONS[kind](choices, known, members) if known else [()] * members
    if settings.has_oddity(choices, "permuted subscriptions"):
        chosen = [tuple(choices.pick_order(topics)) for topics in chosen]
    if settings.has_oddity(choices, "repeated topic"):
        at = choices.below(members)
        chosen[at] += chosen[at][:1]
    return chosen


def _subscribe_to_pairs(_: Choices, names: Names, members: int) -> list[Names]:
    """Subscribe every member to two neighbouring topics."""
    pairs = [tuple(dict.fromkeys((name, names[(at + 1) % len(names)]))) for at, name in enumerate(names)]
    return [pairs[at % len(names)] for at in range(members)]


def _subscribe_one_otherwise(choices: Choices, names: Names, members: int) -> list[Names]:
    """Subscribe all members but one to all topics."""
    chosen = [names] * members
    chosen[choices.below(members)] = _pick_topics(choices, names)
    return chosen


SUBSCRIPTIONS: Mapping[str, Callable[[Choices, Names, int], list[Names]]] = {
    "all": lambda _, names, members: [names] * members,
    "same": lambda choices, names, members: [_pick_topics(choices, names)] * members,
    "some": lambda choices, names, members: [_pick_topics(choices, names) for _ in range(members)],
    "any": lambda choices, names, members: [choices.some(names) for _ in range(members)],  # or nothing
    "one": lambda choices, names, members: [(choices.pick(names),) for _ in range(members)],
    "pair": _subscribe_to_pairs,
    "odd": _subscribe_one_otherwise,
}
"""Kind of subscriptions -> the function that chooses them, of at least one topic."""


def _pick_topics(choices: Choices, names: Names) -> Names:
    return choices.some(names) or (choices.pick(names),)


Homes: TypeAlias = list[str | None]
Racks: TypeAlias = tuple[tuple[str | None, ...], ...]

ELSEWHERE = "elsewhere"
"""A rack that has no replica."""


def choose_replica_racks(
    choices: Choices, settings: Settings, racks: Sequence[str], partitions: int, replicas: int
) -> Racks | None:
    """Choose the racks of a topic's replicas; None if they are unknown."""
    if not racks:
        return None
    return REPLICAS[settings.kind(choices, "replicas")](choices, racks, partitions, replicas)


def choose_homes(choices: Choices, settings: Settings, racks: Sequence[str], members: int) -> Homes:
    """Choose the members' racks."""
    if not racks:
        return [None] * members
    return HOMES[settings.kind(choices, "homes")](choices, racks, members)


def _place_in_turn(choices: Choices, racks: Sequence[str], partitions: int, replicas: int) -> Racks:
    first, number = choices.below(len(racks)), len(racks)
    near = [tuple(racks[(first + at + n) % number] for n in range(replicas)) for at in range(number)]
    return tuple(near[at % number] for at in range(partitions))


def _place_anywhere(choices: Choices, racks: Sequence[str | None], partitions: int, replicas: int) -> Racks:
    return tuple(tuple(choices.pick(racks) for _ in range(replicas)) for _ in range(partitions))


REPLICAS: Mapping[str, Callable[[Choices, Sequence[str], int, int], Racks | None]] = {
    "in turn": _place_in_turn,
    "anywhere": _place_anywhere,
    "some unknown": lambda choices, racks, *counts: _place_anywhere(choices, (*racks, None), *counts),
    "unknown": lambda *_: None,
}
"""Kind of places of a topic's replicas -> their racks."""

HOMES: Mapping[str, Callable[[Choices, Sequence[str], int], Homes]] = {
    "in turn": lambda _, racks, members: [racks[at % len(racks)] for at in range(members)],
    "anywhere": lambda choices, racks, members: [choices.pick(racks) for _ in range(members)],
    "some unknown": lambda choices, racks, members: [choices.pick((*racks, None)) for _ in range(members)],
    "some elsewhere": lambda choices, racks, members: [
        choices.pick((*racks, ELSEWHERE)) for _ in range(members)
    ],
    "unknown": lambda _, _racks, members: [None] * members,
}
"""Kind of places of members -> their racks."""


def generate_timeline(choices: Choices, settings: Settings) -> Timeline:
    """Generate a group with its events."""
    start = _generate_plain_group(choices, settings)
    happening = choose_events(choices, settings, start)
    return Timeline(_with_extras(choices, settings, start), happening)


def generate_group(choices: Choices, settings: Settings) -> Group:
    """Generate a group."""
    return _with_extras(choices, settings, _generate_plain_group(choices, settings))


def _with_extras(choices: Choices, settings: Settings, group: Group) -> Group:
    """Choose optional fields last, so that a group without them does not depend on them."""
    return EXTRAS[settings.kind(choices, "extras")](choices, group)


def _generate_plain_group(choices: Choices, settings: Settings) -> Group:
    claims = CLAIMS[settings.kind(choices, "claims")]
    number = settings.number(choices, "members")
    names, order = settings.kind(choices, "names"), settings.kind(choices, "order")
    racks = _racks(choices, settings)
    topics = _generate_topics(choices, settings, number, racks, hostile=names in {"topics", "both"})
    ids = member_ids(choices, number, hostile=names in {"hostile", "both"})
    members = [
        Member(name, reads, instance_id=instance, rack=home)
        for name, reads, instance, home in zip(
            ids,
            choose_subscriptions(choices, settings, [topic.name for topic in topics], number),
            _choose_instances(choices, settings, number),
            choose_homes(choices, settings, racks, number),
            strict=True,
        )
    ]
    if order in {"members", "shuffled"}:
        members = choices.pick_order(members)
    if order in {"topics", "shuffled"}:
        topics = choices.pick_order(topics)
    return claims(choices, Group(tuple(topics), tuple(members)))


def size(group: Group) -> tuple[int, int, int]:
    """Count members, topics and partitions."""
    return len(group.members), len(group.topics), sum(topic.partitions for topic in group.topics)


def _racks(choices: Choices, settings: Settings) -> list[str]:
    kind = settings.kind(choices, "racks")
    if kind == "none":
        return []
    return rack_names(settings.number(choices, "racks"), hostile=kind == "hostile")


def _generate_topics(
    choices: Choices, settings: Settings, members: int, racks: list[str], *, hostile: bool
) -> list[Topic]:
    number = settings.number(choices, "topics")
    limits = SIZES[settings.kind(choices, "sizes")](choices, settings.numbers["partitions"], number)
    per_member = settings.number(choices, "partitions_per_member")
    replicas = settings.number(choices, "replication") if racks else 0
    share, rest = divmod(members * per_member, max(number, 1))
    return [
        Topic(name, count, choose_replica_racks(choices, settings, racks, count, replicas))
        for at, name in enumerate(topic_names(choices, number, hostile=hostile))
        for count in [share + (at < rest) if per_member else choices.pick_between(limits[at])]
    ]


def _choose_hot_sizes(choices: Choices, limits: tuple[int, int], topics: int) -> list[tuple[int, int]]:
    """Give one topic the maximum number of partitions, the others up to an eighth of that."""
    least, most = limits
    hot = choices.below(max(1, topics))
    return [(most, most) if at == hot else (least, max(least, most // 8)) for at in range(topics)]


def _choose_heavy_sizes(choices: Choices, limits: tuple[int, int], topics: int) -> list[tuple[int, int]]:
    """Choose sizes with a heavy tail: the n-th largest topic has about an n-th of the maximum."""
    least, most = limits
    tops = [max(least, most // (rank + 1)) for rank in range(topics)]
    return choices.pick_order([(max(least, top - top // 4), top) for top in tops])


SIZES: Mapping[str, Callable[[Choices, tuple[int, int], int], list[tuple[int, int]]]] = {
    "any": lambda _choices, limits, topics: [limits] * topics,
    "hot": _choose_hot_sizes,
    "heavy": _choose_heavy_sizes,
}
"""Kind of sizes -> the limits of the partitions of each topic."""


def _choose_instances(choices: Choices, settings: Settings, members: int) -> list[str | None]:
    """Choose which members are static, and their instance ids."""
    kind = settings.kind(choices, "static")
    percent = settings.number(choices, "static_percent") if kind == "percent" else 0
    static: set[int] = set()
    if kind == "all":
        static.update(range(members))
    elif kind == "some":
        static.update(choices.some(range(members)))
    elif percent:
        static.update(choices.pick_order(range(members), members * percent // 100))
    if not static:
        return [None] * members
    named = instance_ids(choices, members, permuted=settings.has_oddity(choices, "permuted instances"))
    return [name if at in static else None for at, name in enumerate(named)]


NUMBERS: Mapping[str, tuple[int, int]] = {
    "members": (1, 100_000),
    "topics": (0, 100_000),
    "partitions": (0, 1_000_000),
    "partitions_per_member": (0, 10_000),
    "racks": (0, 1_000),
    "replication": (1, 100),
    "static_percent": (0, 100),
    "churn": (0, 1_000),
}
"""The widest limits of numbers, which are drawn uniformly; the usual limits are USUAL."""
KINDS: Mapping[str, Sequence[str]] = {
    "subscriptions": ("all", "same", "some", "one", "pair", "odd"),
    "claims": (
        "none", "even", "newcomers", "joined", "leavers", "uneven", "stale", "contested", "vanished", "resubscribed", "scaled out",
    ),
    "sizes": ("any", "hot", "heavy"),
    "order": ("listed", "shuffled"),
    "names": ("plain", "hostile"),
    "extras": ("none", "user data", "hosts", "joined", "ids", "withheld", "weights", "even weights", "capacities"),
    "shape": ("asked", "anything"),
}  # fmt: skip
"""The kinds that are drawn by weight for each group, the first kind if no weights are given. With the shape `anything`, which
`kassay check` tries, all other settings but `churn` are ignored.
"""

draw = build_draw(generate_timeline, USUAL, PLAIN, KINDS, choose_settings)


def _names(number: int) -> tuple[str, ...]:
    return tuple(f"t{at:05}" for at in range(number))


def build_equal_members(size: int) -> Group:
    """Build a group of many members that subscribe to the same five topics (KAFKA-9987)."""
    names = _names(5)
    members = 25 * size
    topics = tuple(Topic(name, members + 1) for name in names)
    return Group(topics, tuple(Member(f"m{at:05}", names) for at in range(members)))


def build_lopsided_partitions(size: int) -> Group:
    """Build a group of eight members with many partitions, of which one member reads a single partition (KAFKA-15106)."""
    names = _names(5)
    topics = (*(Topic(name, 25 * size + (name == names[0])) for name in names), Topic("small", 1))
    most = tuple(Member(f"m{at}", (*names, "small")) for at in range(1, 8))
    return Group(topics, (Member("m0", ("small",)), *most))


def build_unlike_topics(size: int) -> Group:
    """Build a group of twenty members, each subscribed to all of many topics but one (KAFKA-12675)."""
    names = _names(20 * size)
    topics = tuple(Topic(name, 3) for name in names)
    return Group(topics, tuple(Member(f"m{at:05}", names[:at] + names[at + 1 :]) for at in range(20)))


def build_unlike_members(size: int) -> Group:
    """Build a group of many members, each subscribed to all of twenty topics but one (KAFKA-12675)."""
    names = _names(20)
    members = 12 * size
    topics = tuple(Topic(name, members // 4) for name in names)
    left_out = (at % len(names) for at in range(members))
    return Group(
        topics, tuple(Member(f"m{at:05}", names[:n] + names[n + 1 :]) for at, n in enumerate(left_out))
    )


def _with_newcomer(make: Callable[[int], Group]) -> Callable[[Assign, int], Group]:
    """Return the function that lets members own their assignment, and one more member join with the last subscription."""

    def joined(assign: Assign, size: int) -> Group:
        group = make(size)
        there = apply_assignment(group, assign(group))
        return Group(there.topics, (*there.members, Member("newcomer", group.members[-1].topics)))

    return joined


SHAPES: Mapping[str, Callable[[int], Group]] = {
    "many alike": build_equal_members,
    "few unlike": build_lopsided_partitions,
    "many unlike": build_unlike_members,
    "many topics unlike": build_unlike_topics,
}

GROWING: Mapping[str, Callable[[Assign, int], Group]] = {
    name: grows
    for shape, make in SHAPES.items()
    for name, grows in (
        (shape, lambda _, size, make=make: make(size)),
        (f"{shape}, one of them new", _with_newcomer(make)),
    )
}
"""Kind of growth -> the group for an assignor and a size, which is doubled each time."""

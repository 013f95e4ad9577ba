"""Drawing groups: a seed and a few settings give a group and what happens to it, the same on every machine.

For sweeps, which keep seeds instead of groups. Only `randrange`, `sample` and `choices` of `random.Random` are used, whose
streams have been the same in all Python versions since 3.11.
"""

from collections.abc import Mapping, Sequence
from random import Random

from kassay.model import Group, Member, Topic
from kassay.properties.choices import LENGTH, Choices
from kassay.properties.partitions.generating.groups import fresh
from kassay.properties.partitions.generating.names import ASTRAL, COLLIDING, HOSTILE_MEMBERS, RACKS
from kassay.properties.partitions.generating.ownership import handed_down, scattered
from kassay.properties.partitions.sampling.events import changes
from kassay.properties.partitions.sampling.ownership import PASTS, with_past
from kassay.properties.partitions.timelines import Timeline

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
"""What is drawn uniformly between two limits for each group, `partitions` for each topic, and the widest limits.

`partitions_per_member` above 0 overrules `partitions`: the topics share so many for each member evenly. No racks: nobody
knows any. `churn` is the number of changes."""
USUAL: Mapping[str, tuple[int, int]] = {
    "members": (1, 6),
    "topics": (1, 4),
    "partitions": (0, 6),
    "partitions_per_member": (0, 0),
    "racks": (0, 0),
    "replication": (1, 3),
    "static_percent": (0, 0),
    "churn": (0, 0),
}
"""The limits where none are given."""
KINDS: Mapping[str, Sequence[str]] = {
    "subscriptions": ("all", "same", "some", "one", "pair", "odd"),
    "claims": tuple(PASTS),
    "order": ("listed", "shuffled"),
    "names": ("plain", "hostile"),
    "shape": ("asked", "anything"),
}
"""What is drawn by weight for each group; the first kind where none is given. A shape of `anything` is what `kassay check`
tries: all else but `churn` is drawn without regard to the settings."""


def draw(
    numbers: Mapping[str, tuple[int, int]], mixes: Mapping[str, Mapping[str, int]], seed: int
) -> Timeline:
    """Draw a group and its changes; equal settings and seeds give equal ones, however the settings are ordered."""
    random = Random(seed)
    drawn = {name: _between(random, numbers.get(name, usual)) for name, usual in USUAL.items()}
    kind = {name: _weighed(random, mixes.get(name, {kinds[0]: 1}), kinds) for name, kinds in KINDS.items()}
    if kind["shape"] == "anything":
        group = _anything(Choices(bytes(random.choices(range(256), k=LENGTH))))
        return Timeline(group, changes(random, group, drawn["churn"], RACKS))
    racks = [f"r{n}" for n in range(drawn["racks"])]
    topics = _topics(random, drawn, numbers.get("partitions", USUAL["partitions"]), racks)
    names = [topic.name for topic in topics]
    ids = _ids(random, drawn["members"], kind["names"])
    reading = _subscriptions(random, kind["subscriptions"], names, len(ids))
    static = set(random.sample(range(len(ids)), len(ids) * drawn["static_percent"] // 100))
    members = [
        Member(
            name,
            reading[at],
            instance_id=f"i{at}" if at in static else None,
            rack=racks[at % len(racks)] if racks else None,
        )
        for at, name in enumerate(ids)
    ]
    if kind["order"] == "shuffled":
        members = random.sample(members, len(members))
        topics = random.sample(topics, len(topics))
    start = with_past(random, Group(tuple(topics), tuple(members)), kind["claims"])
    return Timeline(start, changes(random, start, drawn["churn"], racks))


def size(group: Group) -> tuple[int, int, int]:
    """Count members, topics and partitions."""
    return len(group.members), len(group.topics), sum(topic.partitions for topic in group.topics)


def _anything(choices: Choices) -> Group:
    """Choose a group as the strategies do."""
    kind = choices.below(16)
    group = fresh(choices)
    if kind < 4:
        return group
    return scattered(choices, group) if kind < 7 else handed_down(choices, group)


def _between(random: Random, limits: tuple[int, int]) -> int:
    return random.randrange(limits[0], limits[1] + 1)


def _weighed(random: Random, weights: Mapping[str, int], kinds: Sequence[str]) -> str:
    return random.choices(kinds, [weights.get(kind, 0) for kind in kinds])[0]


def _topics(
    random: Random, drawn: Mapping[str, int], partitions: tuple[int, int], racks: Sequence[str]
) -> list[Topic]:
    number = drawn["topics"]
    counts = [_between(random, partitions) for _ in range(number)]
    if drawn["partitions_per_member"]:
        share, rest = divmod(drawn["members"] * drawn["partitions_per_member"], max(number, 1))
        counts = [share + (at < rest) for at in range(number)]
    replicas = [
        tuple(racks[(at + n) % len(racks)] for n in range(drawn["replication"])) for at in range(len(racks))
    ]
    shift = [random.randrange(len(racks)) if racks else 0 for _ in range(number)]
    return [
        Topic(
            f"t{at}",
            count,
            tuple(replicas[(shift[at] + n) % len(racks)] for n in range(count)) if racks else None,
        )
        for at, count in enumerate(counts)
    ]


def _ids(random: Random, number: int, kind: str) -> list[str]:
    plain = [f"m{at}" for at in range(number)]
    if kind == "plain":
        return plain
    awkward = (*HOSTILE_MEMBERS, *COLLIDING, *ASTRAL)
    few = random.sample(awkward, min(number, 1 + random.randrange(len(awkward))))
    for at, name in zip(random.sample(range(number), len(few)), few, strict=True):
        plain[at] = name
    return plain


def _subscriptions(random: Random, kind: str, names: list[str], members: int) -> list[tuple[str, ...]]:
    """Choose what each member reads: `all`, the `same` some, its own `some`, `one`, a `pair`, or all but an `odd` one."""
    everything = tuple(names)
    if not names:
        return [()] * members
    match kind:
        case "same":
            return [_some(random, everything)] * members
        case "some":
            return [_some(random, everything) for _ in range(members)]
        case "one":
            return [(names[random.randrange(len(names))],) for _ in range(members)]
        case "pair":
            pairs = [
                tuple(dict.fromkeys((name, names[(at + 1) % len(names)]))) for at, name in enumerate(names)
            ]
            return [pairs[at % len(names)] for at in range(members)]
        case "odd":
            odd = random.randrange(members)
            return [_some(random, everything) if at == odd else everything for at in range(members)]
        case _:
            return [everything] * members


def _some(random: Random, names: Sequence[str]) -> tuple[str, ...]:
    chosen = random.sample(range(len(names)), random.randrange(1, len(names) + 1))
    return tuple(names[at] for at in sorted(chosen))

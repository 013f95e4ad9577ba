"""The data of docs/results/kip-848.md on racks and the uniform assignor of group coordinators (kafka#20000)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from random import Random

from kassay.families import family
from kassay.families.convergence import illegal
from kassay.model import Assignment, AssignorError, Group, Member, Topic
from kassay.properties.partitions.rounds import apply_assignment
from kassay.targets import Options, open_target

BROKER = family("broker")
assert BROKER.oracles is not None
TODAY, BEFORE, CLASSIC = "broker/uniform", "broker/uniform@3.7.0", "consumer/cooperative-sticky"
TARGETS = {name: open_target(name, Options()) for name in (TODAY, BEFORE, CLASSIC)}
LEAST = "least possible"
MEMBERS, EACH, TOPICS = (6, 24, 96), (5, 10), 5
"""Members, partitions for each of them, and topics, as in Kafka's own benchmark, but for its largest groups."""
PLACED = ((2, 1), (3, 1), (3, 2), (3, 3), (6, 2), (6, 3))
"""Racks, and replicas of each partition, in neighbouring racks, as Kafka places them."""
DRAWN = 5
"""Groups of each kind."""
NEAR, FEW = "balance,cross-rack,moves", "balance,moves,cross-rack"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of group: racks, replicas, and if members are equally divided over racks and subscribe to the same topics."""

    racks: int
    replicas: int
    even: bool
    alike: bool
    members: int
    each: int


KINDS = [
    Kind(racks, replicas, even, alike, members, each)
    for (racks, replicas), (even, alike), members, each in product(
        PLACED, ((True, True), (False, True), (True, False)), MEMBERS, EACH
    )
]


def draw_group(kind: Kind, number: int) -> Group:
    """Draw a group without owned partitions."""
    rng = Random(f"{kind} {number}")
    names = [f"t{n}" for n in range(TOPICS)]
    topics = tuple(_draw_topic(name, kind, rng) for name in names)
    members = [_draw_member(n, kind, names, rng) for n in range(kind.members)]
    rng.shuffle(members)
    return Group(topics, tuple(members))


def _draw_topic(name: str, kind: Kind, rng: Random) -> Topic:
    partitions, start = kind.members * kind.each // TOPICS, rng.randrange(kind.racks)
    racks = tuple(
        tuple(f"r{(start + n + copy) % kind.racks}" for copy in range(kind.replicas))
        for n in range(partitions)
    )
    return Topic(name, partitions, racks)


def _draw_member(number: int, kind: Kind, names: Sequence[str], rng: Random) -> Member:
    """Make a member; the first ones together read every topic, also where each reads but three."""
    rack = number % kind.racks if kind.even else rng.randrange(kind.racks)
    read = names if kind.alike else sorted({names[number % len(names)], *rng.sample(names, 2)})
    return Member(f"m{rng.getrandbits(40):010x}", tuple(read), rack=f"r{rack}")


def optimum(question: str, group: Group) -> tuple[Mapping[str, int], Assignment]:
    """Return the proved optimum; raises SystemExit where the certificate does not hold."""
    assert BROKER.oracles is not None
    best = BROKER.oracles.optimum(question, group, None)
    levels = [
        {"level": one.name, "value": one.value, "least": one.least, "proved": one.proved}
        for one in best.levels
    ]
    written = {
        "question": question, "levels": levels, "certificate": best.certificate,
        "assignment": BROKER.shape.write_assignment(best.assignment),
    }  # fmt: skip
    proved, says = BROKER.oracles.verify(group, json.loads(json.dumps(written)))  # the verifier reads JSON
    if not proved:
        raise SystemExit(f"an optimum is not proved: {says}")
    return best.values, best.assignment


def across(group: Group, answer: Assignment) -> int:
    """Count the partitions read across racks."""
    return BROKER.measures["cross_rack"](group, answer)


def read_answer(name: str, group: Group) -> Assignment | None:
    """Return a target's answer if it is correct, or None."""
    try:
        answer: Assignment = TARGETS[name].assign(group)
    except AssignorError:
        return None
    return None if illegal(BROKER, group, answer) else answer


def today(group: Group) -> Assignment:
    """Return the answer of today's assignor; raises SystemExit where it is not complete and legal."""
    answer = read_answer(TODAY, group)
    if answer is None:
        raise SystemExit(f"{TODAY} gives no right answer")
    return answer


@dataclass(frozen=True, slots=True)
class Fresh:
    """A group of a kind as it starts: its partitions, and how many each way of assigning reads across racks.

    None if there is no correct answer.
    """

    kind: Kind
    partitions: int
    read: Mapping[str, int | None]
    uneven: int
    """How much less even than can be today's answer is."""


def assign_new_groups(kind: Kind) -> list[Fresh]:
    """Assign groups that start."""
    found = []
    for number in range(DRAWN):
        group = draw_group(kind, number)
        best, _ = optimum("balance,cross-rack", group)
        answers = {name: read_answer(name, group) for name in TARGETS}
        read = {name: None if answer is None else across(group, answer) for name, answer in answers.items()}
        uneven = BROKER.measures["imbalance"](group, today(group)) - best["balance"]
        size = sum(topic.partitions for topic in group.topics)
        found.append(Fresh(kind, size, {**read, LEAST: best["cross-rack"]}, uneven))
    return found


@dataclass(frozen=True, slots=True)
class Changed:
    """The cost of a change of a group for each assignor: moves, and cross-rack reads afterwards."""

    partitions: int
    ways: Mapping[str, tuple[int, int]]


def assign_changed_groups(kind: Kind, event: str, *, near: bool) -> list[Changed]:
    """Change groups that today's assignor has assigned or, if `near`, that read as little across racks as can be."""
    found = []
    for number in range(DRAWN):
        group = draw_group(kind, number)
        owned = apply_assignment(group, optimum(NEAR, group)[1] if near else today(group))
        if event == "joins":
            newcomer = replace(
                _draw_member(kind.members, kind, [t.name for t in group.topics], Random(number)), id="zz"
            )
            owned = replace(owned, members=(*owned.members, newcomer))
        elif event == "leaves":
            owned = replace(owned, members=owned.members[1:])
        owned = replace(owned, members=tuple(replace(member, generation=None) for member in owned.members))
        answer = today(owned)
        few, nearest = (optimum(question, owned)[0] for question in (FEW, NEAR))
        ways = {
            TODAY: (BROKER.measures["moves"](owned, answer), across(owned, answer)),
            FEW: (few["moves"], few["cross-rack"]),
            NEAR: (nearest["moves"], nearest["cross-rack"]),
        }
        found.append(Changed(sum(topic.partitions for topic in group.topics), ways))
    return found

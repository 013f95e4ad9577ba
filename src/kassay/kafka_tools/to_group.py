"""From what the listings say to groups that an assignor can be given."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from kassay.kafka_tools.groups import GroupRows, MemberRow, claims, generation
from kassay.kafka_tools.location import Assumed, State, quoted, some
from kassay.kafka_tools.racks import rackless
from kassay.kafka_tools.reading import Reading, read_files
from kassay.kafka_tools.streams.clients import is_thread
from kassay.kafka_tools.topic_catalog import KnownTopics
from kassay.kafka_tools.weights import Earlier, weighed
from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.sentences import counted

Subscriptions: TypeAlias = Literal["all", "held", "listed"]
"""What members are taken to subscribe to, for the tool does not print it.

``all``: to every topic that a member of the group holds; ``held``: only to the topics they hold themselves;
``listed``: to every topic of the topics listing (but Kafka's own) and every topic that a member holds.
"""


CONSUMERS = {"consumer", "broker"}
"""Families whose groups are alike, whoever assigns: assignors of one can be asked about those of the other."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A consumer or share group read from listings, with a sentence for each thing assumed or contradictory.

    `family` is that of the assignors that serve it: ``consumer``, ``broker`` (KIP-848) or ``share`` (KIP-932). `in_use` is the full
    name of the assignor that it uses, "" where the listing does not tell; `target` is what its coordinator wants members to hold,
    None where that is not printed, or not of the group as it is now.
    """

    name: str
    group: Group
    warnings: tuple[str, ...]
    family: str = "consumer"
    in_use: str = ""
    target: Assignment | None = None


def read_listings(
    files: Sequence[tuple[str, str]],
    *,
    broker_racks: Mapping[int, str | None] | None = None,
    member_racks: Mapping[str, str | None] | None = None,
    subscriptions: Subscriptions = "all",
    family: str | None = None,
) -> list[Listing]:
    """Read groups, as listed, from what kafka-consumer-groups, -share-groups and -topics --describe print.

    `files` are (name, text) pairs of one cluster in any order, each with one or more listings of any of the tools.
    `broker_racks` gives the partitions their racks, by the Replicas of the topics listing; `member_racks`
    gives members theirs, by member id, client id or host, the first that is there. With `family` groups are taken to be of it
    where the listing does not say otherwise; ``consumer`` and ``broker`` take each other's.
    Raises ListingError, one sentence with file, line, field and fix, where something cannot be read.
    """
    if subscriptions not in get_args(Subscriptions):
        known = ", ".join(get_args(Subscriptions))
        raise ValueError(f"subscriptions is {subscriptions!r}; give one of {known}")
    return listings_of(
        read_files(files),
        broker_racks=broker_racks,
        member_racks=member_racks,
        subscriptions=subscriptions,
        family=family,
    )


def listings_of(
    reading: Reading,
    *,
    broker_racks: Mapping[int, str | None] | None = None,
    member_racks: Mapping[str, str | None] | None = None,
    subscriptions: Subscriptions = "all",
    family: str | None = None,
    earlier: Earlier | None = None,
) -> list[Listing]:
    """Make groups of what was read, as :func:`read_listings` does."""
    topics = KnownTopics.of(reading, broker_racks)
    return [
        _listing(rows, reading.states.get(rows.name), topics, member_racks, subscriptions, family, earlier)
        for rows in reading.groups.values()
    ]


def _listing(
    rows: GroupRows,
    state: State | None,
    topics: KnownTopics,
    member_racks: Mapping[str, str | None] | None,
    subscriptions: Subscriptions,
    stated: str | None,
    earlier: Earlier | None,
) -> Listing:
    shown = rows.family if rows.family != "consumer" else (state and state.family) or "consumer"
    family = stated if stated and (shown == "consumer" or {shown, stated} <= CONSUMERS) else shown
    warnings = list(rows.warnings) + (state.said(shown, len(rows.members)) if state else [])
    if family != shown != "consumer":
        warnings.append(f"{rows.called} is of family {shown}, but is taken to be of family {family}")
    held = claims(rows, warnings)
    epoch = generation(rows, warnings)
    own = {
        row.id: {partition.topic for partition in (*held[row.id], *row.known)} | {*(row.topics or ())}
        for row in rows.members.values()
    }
    wanted = topics.of_nobody() if subscriptions == "listed" else set()
    wanted = wanted.union(*own.values()) if rows.members else set()
    neglected = _neglected(rows, own)
    names = topics.ordered(wanted)
    instances = _instance_ids(rows, warnings)
    members = tuple(
        Member(
            id=row.id,
            topics=row.topics
            if row.topics is not None
            else tuple(name for name in names if subscriptions != "held" or name in own[row.id]),
            owned=held[row.id],
            generation=epoch,
            instance_id=instances[row.id],
            rack=row.rack(member_racks or {}),
        )
        for row in rows.members.values()
    )
    names_taken = topics.ordered(wanted | neglected.keys())
    taken, unit = weighed(rows, topics.take(names_taken, warnings, ids=family != "consumer"), earlier)
    group = Group(taken, members, weight_unit=unit)
    if rows.members or not rows.told:
        warnings += [_neglect(name, numbers, read=name in wanted) for name, numbers in neglected.items()]
    warnings += [] if rows.told else _assumptions(group, names, subscriptions)
    warnings += unlike(
        [one for one in group.topics if one.name in names],
        {partition for some_held in held.values() for partition in some_held},
        told=rows.told,
    )
    without = [member.id for member in members if member.rack is None]
    if member_racks and without:
        warnings.append(rackless("member", without))
    if family == "consumer" and any(is_thread(row) for row in rows.members.values()):
        warnings.append(
            "members are threads of Kafka Streams, which assigns tasks; kassay import --family streams makes an application of them"
        )
    in_use = state.in_use(shown) if state else ""
    target = None if state is not None and state.behind else _target(rows)
    return Listing(rows.name, group, tuple(warnings), family, in_use, target)


def _target(rows: GroupRows) -> Assignment | None:
    """Return what the coordinator wants each member to hold, None where a row does not print that."""
    targets = {row.id: row.target for row in rows.members.values() if row.target is not None}
    return targets if targets and len(targets) == len(rows.members) else None


def _neglected(rows: GroupRows, own: Mapping[str, set[str]]) -> dict[str, list[int]]:
    """Return the partitions with committed offsets of each topic of which no member holds, or is to hold, any."""
    held = set().union(*own.values())
    return {name: sorted(set(numbers)) for name, numbers in rows.unread.items() if name not in held}


def _neglect(name: str, numbers: list[int], *, read: bool) -> str:
    which = some((f"{name}-{number}" for number in numbers), len(numbers))
    does = "every member is taken to subscribe" if read else "no member is taken to subscribe"
    offsets = "has a committed offset" if len(numbers) == 1 else "have committed offsets"
    return f"no member holds a partition of topic {name}, of which {which} {offsets}; {does} to it"


def _instance_ids(rows: GroupRows, warnings: list[str]) -> dict[str, str | None]:
    ids: dict[str, str | None] = {}
    first: dict[str, MemberRow] = {}
    for row in rows.members.values():
        ids[row.id] = row.instance_id
        if row.instance_id is not None and first.setdefault(row.instance_id, row) is not row:
            ids[row.id] = None
            warnings.append(
                f"{row.place}: GROUP-INSTANCE-ID {quoted(row.instance_id)} stands at "
                f"{first[row.instance_id].place} too; member {quoted(row.id)} is taken to have none"
            )
    return ids


def _assumptions(group: Group, names: Sequence[str], subscriptions: Subscriptions) -> list[str]:
    """Say what is taken for true of the topics of these names, which members are taken to subscribe to."""
    said: list[str] = []
    if group.members and not names:
        said.append(
            Assumed(
                "no member holds a partition, so nothing tells what they subscribe to: they get no topics"
            )
        )
    elif group.members:
        said.append(Assumed(_read_by(len(group.members), names, subscriptions)))
    return said


def _read_by(members: int, names: Sequence[str], subscriptions: Subscriptions) -> str:
    """Say which topics members are taken to subscribe to, and what changes that."""
    who = {1: "the member reads", 2: "both members read"}.get(members, f"all {members} members read")
    if subscriptions == "held":
        return f"{who} only the topics that they hold; subscriptions are not printed (--subscriptions all: all of them)"
    what = {1: f"topic {names[0]}", 2: "both topics"}.get(len(names), f"all {len(names)} topics")
    other = "" if subscriptions != "all" else " (--subscriptions held: only what they hold)"
    return f"{who} {what}; subscriptions are not printed{other}"


def _of_any(unheld: Sequence[TopicPartition], counts: Mapping[str, int]) -> str:
    """Name partitions by their number where it is the same one in every topic; "" where it is not."""
    numbers = {partition.partition for partition in unheld}
    return (
        f"partition {min(numbers)} of any topic"
        if len(numbers) == 1 and len(unheld) == len(counts) > 1
        else ""
    )


def unlike(topics: Sequence[Topic], owned: Collection[TopicPartition], *, told: bool = False) -> list[str]:
    """Say which owned partitions the topics do not have, and which of theirs nobody owns; `told` by a cluster, nothing of a listing is cut."""
    said: list[str] = []
    counts = {topic.name: topic.partitions for topic in topics}
    stale = sorted(one for one in owned if one.partition >= counts.get(one.topic, 0))
    if stale:
        said.append(
            f"members hold partitions that {'are gone' if told else 'the topics listing does not have'} ({some(stale, len(stale))})"
            f"{'' if told else '; take both listings at the same time'}"
        )
    free = sum(counts.values()) - len(owned) + len(stale)
    if free:
        unheld = [p for topic in topics for p in topic if p not in owned]
        said.append(
            f"nobody holds {_of_any(unheld, counts) or some(unheld, free)} ({free} of {counted(sum(counts.values()), 'partition')}){'' if told else '; was the listing cut?'}"
        )
    return said

"""Groups for assignors, made from the rows of listings, with the facts of a listing and the weights that --weights asks for."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import msgspec

from kassay.errors import InputError
from kassay.listings.details import ListedDetails, Subscriptions, describe_missing_racks, read_thread
from kassay.listings.groups import GroupRows, MemberRow, find_generation, find_owned
from kassay.listings.location import (
    Assumed,
    ListingError,
    State,
    UnlistedPartitionsError,
    find_state_name,
    list_some,
    quote,
)
from kassay.listings.reading import Reading, read_files
from kassay.listings.streams_groups import StreamsGroupRows
from kassay.listings.topics import INTERNAL, KnownTopics
from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.model.json_text import build_part
from kassay.sentences import format_count


class ListingFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Facts about a listed group that are not part of the input of an assignor."""

    state: str = ""
    """Kafka's own name, such as Stable or PreparingRebalance, "" if it is not printed."""
    strategy: str = ""
    """As printed, even if kassay does not know it; "" if it is not printed."""
    client_ids: dict[str, str] = {}
    """Client ids by member id, as far as they are printed; likewise `hosts`."""
    hosts: dict[str, str] = {}
    members: int = 0
    partitions: int = 0
    lag: int = 0
    """The sum over the partitions with a known lag."""
    lag_unknown: int = 0
    """The number of partitions with an unknown lag."""
    lag_printed: bool = False
    target_reached: bool | None = None
    """True if members own their target assignment (KIP-848), None if it is not printed."""
    skipped_lines: int = 0
    problem: str = ""
    """Why the group cannot be read, "" if it can."""
    subscriptions_assumed: bool = False
    """True if subscriptions are not printed, but assumed: all topics, or the topics of which a member owns partitions."""
    unlisted: bool = False
    """True if the only problem is that the listing does not print which partitions members own."""
    loads: tuple[int, ...] = ()
    """In that case: the number of partitions of each member in #PARTITIONS, as far as it is printed."""


def collect_facts(rows: GroupRows | StreamsGroupRows, state: State | None, skipped: int = 0) -> ListingFacts:
    """Return the facts about a group; `skipped` is the number of lines of the listing that are part of no table."""
    members = rows.members.values()
    printed = bool(members) and all(row.target is not None for row in members)
    epochs = state is not None and state.epoch is not None and state.target_epoch is not None
    reached = not (printed and any(row.is_behind for row in members)) and not (
        state is not None and state.behind
    )
    facts = ListingFacts(
        state=(find_state_name(state.name) if state else "") or rows.notice,
        strategy=(state.assignor or "") if state else "",
        client_ids={row.id: row.client_id for row in members if row.client_id not in ("", "-")},
        members=max(len(members), state.members if state else 0),
        partitions=len(rows.listed),
        lag=sum(rows.lags.values()),
        lag_unknown=len(rows.listed) - len(rows.lags),
        lag_printed=rows.lag_printed,
        target_reached=reached if printed or epochs else None,
        skipped_lines=skipped,
        problem="" if rows.problem is None else str(rows.problem),
    )
    if isinstance(rows, StreamsGroupRows):
        return facts
    consumers = rows.members.values()
    listed = len(rows.listed) or sum(row.partition_count or 0 for row in consumers if row.held is None)
    total = state.lag if state is not None and not listed else None
    unlisted = isinstance(rows.problem, UnlistedPartitionsError)
    # The listing has columns for owners, but neither owners nor members.
    is_empty = rows.names_owners and rows.listed and not rows.members
    return msgspec.structs.replace(
        facts,
        state=facts.state or ("Empty" if is_empty else ""),
        hosts={row.id: row.host for row in consumers if row.host not in ("", "-")},
        partitions=listed,
        lag=facts.lag if total is None else total,
        lag_unknown=listed - len(rows.lags),
        lag_printed=rows.lag_printed or total is not None,
        subscriptions_assumed=any(row.topics is None for row in consumers),
        unlisted=unlisted,
        loads=tuple(row.partition_count for row in consumers if unlisted and row.partition_count is not None),
    )


CONSUMERS = {"consumer", "broker"}
"""Families with the same kind of groups, whose assignors take the groups of each other."""
LAG = "records of lag"
RATE = "records in {} s"
ENDS = "what kafka-consumer-groups --describe prints without --members"


@dataclass(frozen=True, slots=True)
class Earlier:
    """The groups of a listing from some seconds earlier, by name; `file` is its file."""

    file: str
    groups: Mapping[str, GroupRows]
    seconds: int


def weigh_topics(
    rows: GroupRows, topics: tuple[Topic, ...], earlier: Earlier | None
) -> tuple[tuple[Topic, ...], str | None]:
    """Return topics with the weights of their partitions, and the unit: the lag, or the records since an earlier listing.

    Return them as they are, with None, if the listing has neither. Raises InputError if two listings do not match.
    """
    known, unit = rows.lags, LAG
    if earlier is not None:
        unit = RATE.format(earlier.seconds)
        before = earlier.groups.get(rows.name)
        path = f"--earlier {earlier.file}"
        if before is None:
            raise InputError(
                f"{path}: does not list {rows.called}. Give an earlier listing of the same group, or choose a group by --consumer-group"
            )
        for which, ends in (("the later listing", rows.ends), (path, before.ends)):
            if not ends:
                raise InputError(f"{which}: has no LOG-END-OFFSET of {rows.called}. Give {ENDS}")
        topics_apart = {p.topic for p in rows.ends} ^ {p.topic for p in before.ends}
        for what, apart in (("topics", topics_apart), ("partitions", rows.ends.keys() ^ before.ends.keys())):
            if apart:
                raise InputError(
                    f"{path}: lists other {what} of {rows.called} than the later listing ({list_some(sorted(apart), len(apart))}). "
                    f"Give two listings of the same {what}"
                )
        for partition, end in rows.ends.items():
            if end < before.ends[partition]:
                raise InputError(
                    f"{path}: {partition} ends at {before.ends[partition]} (LOG-END-OFFSET), and later at {end}. "
                    "Give the earlier listing here, of a topic that was not deleted and re-created"
                )
        known = {partition: end - before.ends[partition] for partition, end in rows.ends.items()}
    found = tuple(
        replace(topic, weights=tuple(map(known.get, topic))) if any(p in known for p in topic) else topic
        for topic in topics
    )
    return found, unit if found != topics else None


@dataclass(frozen=True, slots=True)
class Listing:
    """A consumer or share group read from listings, with a sentence for each assumption and contradiction."""

    name: str
    group: Group
    warnings: tuple[str, ...]
    family: str = "consumer"
    """The family of assignors for the group: ``consumer``, ``broker`` (KIP-848) or ``share`` (KIP-932)."""
    in_use: str = ""
    """The full name of the assignor in use, "" if it is not printed."""
    target: Assignment | None = None
    """The target assignment of its coordinator, None if it is not printed or outdated."""
    facts: ListingFacts | None = None


def read_listings(
    files: Sequence[tuple[str, str]],
    *,
    broker_racks: Mapping[int, str | None] | None = None,
    member_racks: Mapping[str, str | None] | None = None,
    subscriptions: Subscriptions = "all",
    family: str | None = None,
) -> list[Listing]:
    """Read groups from the output of kafka-consumer-groups, -share-groups and -topics --describe, in listed order.

    `files` are (name, text) pairs of one cluster in any order, each with one or more listings of any of the tools.
    `broker_racks` has the racks of brokers, for the replicas in the topics listing. `member_racks` has the racks of members by member
    id, client id or host; the first known one counts. `family` is the family of groups whose listing does not show another one;
    ``consumer`` and ``broker`` groups can be read as each other.
    Raises ListingError with file, line, field and fix if something cannot be read.
    """
    if subscriptions not in get_args(Subscriptions):
        known = ", ".join(get_args(Subscriptions))
        raise ValueError(f"subscriptions is {subscriptions!r}. Give one of {known}")
    details = ListedDetails(broker_racks, member_racks, subscriptions)
    found = build_listings(read_files(files), details, family)
    problems = [one.facts.problem for one in found if one.facts is not None]
    if problems and all(problems):
        raise ListingError(problems[0])
    return found


def build_listings(reading: Reading, details: ListedDetails, family: str | None) -> list[Listing]:
    """Build the groups of a reading, as :func:`read_listings` does."""
    topics = reading.known_topics(details.broker_racks)
    earlier = None
    if details.earlier:
        groups = read_files(details.earlier).groups
        earlier = Earlier(details.earlier[0][0], groups, details.seconds)
    found = []
    for rows in reading.groups.values():
        state = reading.states.get(rows.name)
        if rows.problem is None:
            try:
                found.append(_make_listing(rows, reading, topics, details, family, earlier))
                continue
            except ListingError as wrong:
                rows.problem = wrong
        facts = collect_facts(rows, state, len(reading.skipped))
        found.append(Listing(rows.name, Group((), ()), (), rows.family, facts=facts))
    return found


def _make_listing(
    rows: GroupRows,
    reading: Reading,
    topics: KnownTopics,
    details: ListedDetails,
    stated: str | None,
    earlier: Earlier | None,
) -> Listing:
    state, member_racks = reading.states.get(rows.name), details.member_racks
    shown = rows.family if rows.family != "consumer" else (state and state.family) or "consumer"
    family = stated if stated and (shown == "consumer" or {shown, stated} <= CONSUMERS) else shown
    warnings = [
        *rows.warnings,
        *(
            state.describe_caveats(len(rows.members))
            if state and (rows.told or rows.members or rows.listed)
            else ()
        ),
    ]
    if rows.unsaid:
        warnings.append(
            f"{format_count(rows.unsaid, 'more row')} of {rows.called} {'contradicts' if rows.unsaid == 1 else 'contradict'} "
            f"the rows above, or {'repeats' if rows.unsaid == 1 else 'repeat'} them."
        )
    if family != shown != "consumer":
        warnings.append(f"{rows.called} is of family {shown}, but is taken to be of family {family}")
    facts = collect_facts(rows, state, len(reading.skipped))
    held = find_owned(rows, warnings)
    epoch = find_generation(rows, warnings)
    own = {
        row.id: {partition.topic for partition in (*held[row.id], *row.known)} | {*(row.topics or ())}
        for row in rows.members.values()
    }
    wanted = topics.listed.keys() - INTERNAL if details.subscriptions == "listed" else set()
    wanted = wanted.union(*own.values()) if rows.members else set()
    # Topics with committed offsets whose partitions no member owns, currently or by its target assignment.
    neglected = {
        name: sorted(set(numbers))
        for name, numbers in rows.unread.items()
        if not any(name in topics_ for topics_ in own.values())
    }
    names = topics.sort(wanted)
    members = []
    first: dict[str, MemberRow] = {}
    for row in rows.members.values():
        instance_id = row.instance_id
        if instance_id is not None and first.setdefault(instance_id, row) is not row:
            warnings.append(
                f"{row.place}: GROUP-INSTANCE-ID {quote(instance_id)} stands at {first[instance_id].place} too. "
                f"kassay takes member {quote(row.id)} to have none."
            )
            instance_id = None
        assumed = names if details.subscriptions != "held" else topics.sort(own[row.id])
        subscribed = assumed if row.topics is None else row.topics
        rack = row.find_rack(member_racks) if member_racks else row.told_rack
        members.append(Member(row.id, subscribed, held[row.id], epoch, instance_id, rack))
    names_taken = topics.sort(wanted | neglected.keys())
    taken, unit = weigh_topics(rows, topics.take(names_taken, warnings, ids=family != "consumer"), earlier)
    group = Group(taken, tuple(members), weight_unit=unit)
    settled = facts.state in {"", "Stable"}
    if settled and (rows.members or not rows.told):
        warnings += [
            f"No member owns a partition of topic {name}, of which {list_some((f'{name}-{n}' for n in numbers), len(numbers))} "
            f"{'has a committed offset' if len(numbers) == 1 else 'have committed offsets'}. "
            f"Here {'every' if name in wanted else 'no'} member is taken to subscribe to it."
            for name, numbers in neglected.items()
        ]
    if not rows.told and settled and any(row.topics is None for row in rows.members.values()):
        warnings.append(Assumed(_describe_subscriptions(len(group.members), names, details.subscriptions)))
    if rows.members:
        warnings += describe_mismatch(
            [one for one in group.topics if one.name in names],
            {partition for some_held in held.values() for partition in some_held},
            told=rows.told,
            state=facts.state,
        )
    without = [member.id for member in members if member.rack is None]
    if member_racks and without:
        warnings.append(describe_missing_racks("member", without))
    if family == "consumer" and any(read_thread(row.client_id) for row in rows.members.values()):
        warnings.append(
            "members are threads of Kafka Streams, which assigns tasks; kassay import --family streams makes an application of them"
        )
    in_use = state.find_assignor(shown) if state else ""
    target = {row.id: row.target for row in rows.members.values() if row.target is not None}
    is_known = len(target) == len(rows.members) and not (state is not None and state.behind)
    return Listing(rows.name, group, tuple(warnings), family, in_use, (is_known and target) or None, facts)


def _describe_subscriptions(members: int, names: Sequence[str], subscriptions: Subscriptions) -> str:
    """Return the topics to which members are assumed to subscribe, and the option that changes it."""
    if not names:
        return "no member owns a partition, so nothing tells what they subscribe to: they get no topics"
    who = {1: "the member subscribes", 2: "both members subscribe"}.get(
        members, f"all {members} members subscribe"
    )
    if subscriptions == "held":
        return f"{who} only to the topics that they own partitions of (--subscriptions all)"
    what = {1: f"topic {names[0]}", 2: "both topics"}.get(len(names), f"all {len(names)} topics")
    other = "" if subscriptions != "all" else " (--subscriptions held)"
    return f"{who} to {what}{other}"


def describe_mismatch(
    topics: Sequence[Topic], owned: Collection[TopicPartition], *, told: bool = False, state: str = ""
) -> Iterator[str]:
    """Yield the owned partitions that the topics do not have, and the partitions without owner.

    `told` is True if the group comes from a cluster, so that no listing can be incomplete. During a rebalance (`state`) partitions have
    no owner anyway.
    """
    counts = {topic.name: topic.partitions for topic in topics}
    stale = sorted(one for one in owned if one.partition >= counts.get(one.topic, 0))
    if stale:
        yield (
            f"Members own partitions that {'are gone' if told else 'the topics listing does not have'} ({list_some(stale, len(stale))})."
            f"{'' if told else ' Take both listings at the same time.'}"
        )
    held = set(owned)
    unheld = {topic.name: [p.partition for p in topic if p not in held] for topic in topics}
    unheld = {name: numbers for name, numbers in unheld.items() if numbers}
    if not unheld:
        return
    free, total = sum(map(len, unheld.values())), sum(counts.values())
    names = [f"{_write_ranges(numbers)} of {name}" for name, numbers in list(unheld.items())[:3]]
    more = (
        f" and of {format_count(len(unheld) - len(names), 'more topic')}" if len(unheld) > len(names) else ""
    )
    without = f"{', '.join(names)}{more} {'has' if free == 1 else 'have'} no owner"
    without = f"{'Partition' if free == 1 else 'Partitions'} {without}"
    if state not in {"", "Stable"}:
        yield f"{without} while the group is {state}."
    elif {tuple(numbers) for numbers in unheld.values()} == {(0,)} and len(unheld) == len(counts) > 1:
        topics_ = "both topics" if len(counts) == 2 else f"all {len(counts)} topics"
        yield f"Partition 0 of {topics_} has no owner.{'' if told else ' Is the listing complete?'}"
    elif grown := [name for name, numbers in unheld.items() if 0 < counts[name] - len(numbers) == numbers[0]]:
        what = f"{without} ({free} of {total})."
        if len(grown) < len(unheld):
            yield what if told else f"{what} Is the listing complete?"
            return
        topic = "the topic has" if len(grown) == 1 else "the topics have"
        yield (
            f"{what} Most likely {topic} grown since the last rebalance: members notice after metadata.max.age.ms (5 minutes by "
            f"default), and the next rebalance assigns them.{'' if told else ' Or the listing is incomplete.'}"
        )
    else:
        yield f"{without} ({free} of {total}).{'' if told else ' Is the listing complete?'}"


def _write_ranges(numbers: Sequence[int]) -> str:
    """Write ascending numbers as ranges: ``0, 3 to 5``, at most four ranges."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    said = [
        str(low) if low == high else f"{low} and {high}" if high == low + 1 else f"{low} to {high}"
        for low, high in ranges
    ]
    return ", ".join(said[:4]) + (f" and {len(said) - 4} more ranges" if len(said) > 4 else "")


WAYS = {
    "lag": (LAG, f"Give {ENDS}, with the column LAG"),
    "rate": (RATE.partition("{")[0], "Make it with kassay import NOW --earlier BEFORE --seconds N"),
}
"""Value of --weights -> how the unit of such a group begins, and what to do if it does not."""


class _TopicWeights(msgspec.Struct):
    name: str
    weights: list[Any] | None = None


class _WeightsForm(msgspec.Struct):
    """A file of weights, such as a group, whose other fields are ignored."""

    topics: list[_TopicWeights]
    weight_unit: str | None = None


def weigh(group: Group, how: str, where: str, file: Sequence[Any] = ()) -> Group:
    """Return a group with the weights of its partitions: its own (lag or rate), or the weights in a file.

    If the group has a unit, a file must have the same unit. Raises InputError with the file of the weights (the file of the option, or
    `where` for the group's own) if a partition has no weight.
    """
    if how in WAYS:
        begins, fix = WAYS[how]
        unit = group.weight_unit
        if unit is None or not unit.startswith(begins):
            weighs = "partitions weigh nothing" if unit is None else f"partitions weigh {unit!r}"
            raise InputError(f"{where}: --weights {how}: the group's {weighs}. {fix}")
    found, place = (group, where) if how in WAYS else (_read_file(group, how, file), f"--weights {how}")
    read = {name for member in found.members for name in member.topics}
    for topic in (topic for topic in found.topics if topic.name in read):
        for partition, weight in zip(topic, topic.weights or (None,) * topic.partitions, strict=True):
            if weight is None:
                raise InputError(
                    f"{place}: topic {topic.name!r} has no weight for {partition}. Give a whole number, 0 if it weighs nothing."
                )
    return found


def _read_file(group: Group, file: str, values: Sequence[Any]) -> Group:
    if len(values) != 1:
        raise InputError(f"--weights {file}: has more than one value. Give one group's weights")
    try:
        form = msgspec.convert(values[0], _WeightsForm)
    except msgspec.ValidationError as wrong:
        raise InputError(
            f'--weights {file}: {wrong}. Give {{"topics": [{{"name": "t", "weights": [3, 1]}}], "weight_unit": "bytes/s"}}'
        ) from None
    if group.weight_unit and form.weight_unit != group.weight_unit:
        raise InputError(
            f"--weights {file}: weight_unit is {form.weight_unit!r}, but the group has {group.weight_unit!r}. Give both in one unit"
        )
    known = {one.name: one.weights for one in form.topics}

    def build() -> Group:
        topics = (
            replace(topic, weights=None if (own := known.get(topic.name)) is None else tuple(own))
            for topic in group.topics
        )
        return replace(group, topics=tuple(topics), weight_unit=form.weight_unit)

    return build_part(f"--weights {file}: topics", build)

"""The input model of topics, members and owned partitions: its tables of text, its solvers, and what coordinators are not told."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from kassay.errors import SkippedError
from kassay.families.shapes import write_changes
from kassay.families.shapes.solvers import (
    build_sequence_solver,
    build_uneven,
    build_verifier,
    keep_last,
    load_later,
)
from kassay.family import Oracles, Sequences
from kassay.model import Assignment, Group, Member, TopicPartition
from kassay.model.config import UNCONFIGURED
from kassay.model.hosts import located, without_rule
from kassay.model.partitions_json import (
    decode_group,
    read_assignment,
    read_group,
    write_assignment,
    write_group,
)
from kassay.oracles.answers import Frontier, Gap, Optima
from kassay.oracles.errors import OracleError
from kassay.oracles.levels import summed
from kassay.oracles.partitions.levels import LEVELS, OVER_TIME, compared
from kassay.properties.partitions import groups as sampler
from kassay.properties.partitions import timelines
from kassay.properties.partitions.events import ANY, USUAL
from kassay.properties.partitions.measures import square_imbalance
from kassay.properties.partitions.owners import is_owned_once, owned_once, present
from kassay.properties.partitions.rounds import ROUNDS, same
from kassay.properties.partitions.shrinking import smaller
from kassay.properties.partitions.timelines import changed, play
from kassay.properties.runs import Run, ranges
from kassay.shape import Assign, Sampler, Shape, TextTable

MOST_USER_DATA = 40
"""How many characters of a member's user data are shown."""


def show(group: Group, assignments: Mapping[str, Assignment]) -> TextTable:
    """Show members with their subscription, what they own, and what each assignment gives them; then topics of nobody.

    Racks may be those that host names tell; user data and what is configured are shown where there are any.
    """
    group = located(group)
    racks = any(member.rack for member in group.members)
    sends = any(member.user_data is not None for member in group.members)
    claims = any(member.owned for member in group.members)
    ids = [member.id for member in group.members]
    strangers = sorted({name for given in assignments.values() for name in given} - set(ids))
    members = {member.id: member for member in group.members}
    rows = []
    for name in ids + strangers:
        member = members.get(name, Member(name, ("(no member)",)))
        given = (_given(assignment.get(name), member.owned, claims) for assignment in assignments.values())
        known = [member.rack or ""] * racks + [" ".join(member.topics)] + [runs(member.owned)] * claims
        known += [_user_data(member.user_data)] * sends
        rows.append([name, *known, *given])
    read = {name for member in group.members for name in member.topics}
    unread = [topic.name for topic in group.topics if topic.name not in read]
    if unread:
        blank = [""] * (claims + sends + len(assignments))
        rows.append(["(nobody)", *[""] * racks, " ".join(unread), *blank])
    columns = ["member"] + ["rack"] * racks + ["subscribes to"] + ["owns"] * claims + ["user data"] * sends
    marked = any("+" in cell for row in rows for cell in row[-len(assignments) :]) if assignments else False
    notes = ["+ marks what a member did not own before"] * marked
    config = group.config
    if config.rack_from_host is not None:
        notes.append(f"racks are found in host names by {config.rack_from_host}")
    notes += [f"{' and '.join(names)} are joined" for names in config.joined_topics]
    if config.other_topics_assignor != UNCONFIGURED.other_topics_assignor:
        notes.append(f"other topics are for {config.other_topics_assignor}")
    return TextTable(columns + list(assignments), rows, "; ".join(notes))


def _user_data(data: bytes | None) -> str:
    """Write user data as text where they are some, else in hexadecimal digits; a hyphen for none."""
    if data is None:
        return "-"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = ""
    said = text if text.isprintable() and text else f"0x{data.hex()}"
    return said if len(said) <= MOST_USER_DATA else f"{said[:MOST_USER_DATA]}... ({len(data)} bytes)"


def _given(given: Sequence[TopicPartition] | None, owned: Sequence[TopicPartition], claims: bool) -> str:
    if given is None:
        return "(missing)"
    if not claims:
        return runs(given)
    return write_changes(owned, given, runs, lost=False) or "-"


def show_change(before: Run, after: Run) -> TextTable:
    """Show what each member gets in two runs, the second with what it gains and loses."""
    members = {member.id: member for run in (before, after) for member in run.group.members}
    given = dict.fromkeys([*members, *sorted({*before.assignment, *after.assignment} - set(members))])
    rows = []
    for name in given:
        first, second = before.assignment.get(name), after.assignment.get(name)
        topics = " ".join(members[name].topics) if name in members else "(no member)"
        changes = "(missing)" if second is None else write_changes(first or (), second, runs) or "-"
        rows.append([name, topics, "(missing)" if first is None else runs(first), changes])
    return TextTable(
        ["member", "subscribes to", before.title, after.title],
        rows,
        "+ marks what a member gains, - what it loses",
    )


def runs(partitions: Iterable[TopicPartition]) -> str:
    """Write partitions as Kafka's tools do, neighbours drawn together: ``t0:0-2,5 t1:0``; a hyphen for none."""
    topics: dict[str, list[int]] = {}
    for partition in sorted(partitions):
        topics.setdefault(partition.topic, []).append(partition.partition)
    return " ".join(f"{topic}:{','.join(ranges(numbers))}" for topic, numbers in topics.items()) or "-"


_GROUPS, _TIMELINES = (
    load_later("kassay.properties.partitions.strategies:groups"),
    load_later("kassay.properties.partitions.strategies:timelines"),
)

PARTITIONS = Shape(
    name="partitions",
    groups=partial(_GROUPS, ANY["extras"]),
    timelines=partial(_TIMELINES, ANY["extras"]),
    play=play,
    smaller=smaller,
    read_group=read_group,
    write_group=write_group,
    read_assignment=read_assignment,
    write_assignment=write_assignment,
    show=show,
    sizes={
        "members": lambda group: len(group.members),
        "topics": lambda group: len(group.topics),
        "partitions": lambda group: sum(topic.partitions for topic in group.topics),
    },
    items="partitions",
    most_rounds=ROUNDS,
    changed=changed,
    show_change=show_change,
    same=same,
    present=present,
    sampler=Sampler(sampler.NUMBERS, USUAL, sampler.KINDS, sampler.draw),
    decode_group=decode_group,
    directed=load_later("kassay.properties.partitions.strategies:members_apart"),
)


def told(extras: Mapping[str, int]) -> Shape:
    """Return the shape with generated groups that have these extras, by weight, such as ids of topics."""
    return replace(
        PARTITIONS, groups=partial(_GROUPS, extras), timelines=partial(_TIMELINES, extras), directed=None
    )


def told_owners(extras: Mapping[str, int]) -> Shape:
    """Return the same shape without partitions that are claimed twice, in generated groups and in what they are shrunk to."""
    shape = told(extras)

    def never_missing(timeline: Any) -> Any:
        """Leave out members that come back with old claims, which a coordinator does not believe."""
        from kassay.properties.partitions.timelines import Miss, Return

        events = tuple(event for event in timeline.events if not isinstance(event, Miss | Return))
        return replace(timeline, start=owned_once(timeline.start), events=events)

    def smaller_owned_once(group: Group) -> Iterator[Group]:
        candidates = smaller(group)
        return filter(is_owned_once, candidates) if is_owned_once(group) else candidates

    return replace(
        shape,
        groups=lambda: shape.groups().map(owned_once),
        timelines=lambda: shape.timelines().map(never_missing),
        smaller=smaller_owned_once,
    )


def untold(group: Group) -> str | None:
    """Say what a coordinator's assignor is not told, in a sentence that names the field; None where there is nothing such (KIP-848, KIP-932)."""
    return next(_untold(group), None)


def _untold(group: Group) -> Iterator[str]:
    if group.config != UNCONFIGURED:
        yield "config: a coordinator's assignors are not configured by the group; leave it out"
    for n, topic in enumerate(group.topics):
        if topic.hosts is not None:
            yield f"topics[{n}].hosts: a coordinator's assignors are told racks, but no hosts; give racks"
    for n, member in enumerate(group.members):
        if member.user_data is not None:
            yield f"members[{n}].user_data: is for assignors of clients alone; leave it out"


def beyond_coordinators(group: Group) -> Iterator[str]:
    """Say what a coordinator's assignor is not handed, or what cannot come about in a coordinator (KIP-848)."""
    yield from _untold(group)
    counts = {topic.name: topic.partitions for topic in group.topics}
    for n, member in enumerate(group.members):
        for name in member.topics:
            if name not in counts:
                yield (
                    f"members[{n}].topics: there is no topic {name!r}, which a coordinator leaves out; "
                    "leave it out, or give the topic"
                )
        for topic_name, number in member.owned:
            if number >= counts.get(topic_name, number + 1):
                yield (
                    f"members[{n}].owned: topic {topic_name!r} has {counts[topic_name]} partitions, and a coordinator "
                    f"knows no {topic_name}-{number}; leave it out"
                )
    yield from _contradicting(group)


def _contradicting(group: Group) -> Iterator[str]:
    """Say where claims contradict each other: a coordinator knows who owns what."""
    owning = [(n, member) for n, member in enumerate(group.members) if member.owned]
    first: dict[object, Member] = {}
    for n, member in owning:
        if member.generation != owning[0][1].generation:
            yield (
                f"members[{n}].generation: is {_written(member)}, and that of {owning[0][1].id!r} is {_written(owning[0][1])}; "
                "a coordinator knows no older claims, so give all that own partitions the same, or none"
            )
        for partition in member.owned:
            if first.setdefault(partition, member) is not member:
                yield (
                    f"members[{n}].owned: {partition} is listed by {first[partition].id!r} too, and a coordinator knows one owner "
                    "of each partition; leave it out of one"
                )


def _written(member: Member) -> str:
    return "left out" if member.generation is None else str(member.generation)


def beyond_clients(group: Group) -> Iterator[str]:
    """Say what assignors of clients are not handed."""
    for n, topic in enumerate(group.topics):
        if topic.unassignable:
            yield f"topics[{n}].unassignable: assignors of clients do not know it; leave it out"


@lru_cache(maxsize=1)  # a check asks for those of the group that it has just judged by moves_optimal
def optima(group: Group, contract: str = "") -> Optima:
    """Find and prove the optima of a group's levels, under a contract where one is named, such as ``shared,``."""
    from kassay.oracles.partitions.optima import optima as proved

    return proved(group, contract)


WEIGHED = tuple(name for name, level in LEVELS.items() if level.weighs)


@lru_cache(maxsize=1)
def weight_gaps(group: Group, levels: tuple[str, ...]) -> Callable[[Assignment], Sequence[Gap]]:
    """Find what is known of some levels of weights, where the group has them, to hold complete and legal answers against."""
    from kassay.oracles.partitions.weights.optimum import known

    found = known(group, levels)

    def gaps(assignment: Assignment) -> Sequence[Gap]:
        return [
            Gap(one.name, of.measure(group, assignment), one.value, of.words, one.least, one.agreed)
            for one in found
            for of in (LEVELS[one.name],)
        ]

    return gaps


def moves_optimal(settled: Callable[[Assign, Group], Assignment]) -> Callable[[Assign, Group], Iterator[str]]:
    """Make the law of a family; `settled` asks its assignors about a group until they withhold nothing."""

    def moves_optimal(assign: Assign, group: Group) -> Iterator[str]:
        """What it settles on takes no more partitions from their owners than the most even loads ask for.

        Where an answer only withholds what members have not handed over yet, the one counts on which the group comes to rest. Loads that are less even
        excuse no move: then both could be better. What is not complete and legal is not judged; raises SkippedError where
        no optimum is proved. Source: KIP-54, whose second aim it is; Kafka promises it for nothing, since its movements
        are greedy.
        """
        answer = settled(assign, group)
        try:
            found = optima(group).gaps(answer)
        except OracleError as error:
            raise SkippedError(f"no optimum is proved: {error}") from error
        for gap in found:
            if LEVELS[gap.level].words.counts == "moving" and gap.value > gap.optimum:
                yield f"it moves {gap.value} partitions; as even as can be, it takes {gap.optimum}"

    return moves_optimal


COMPARED = (
    "balance is the greatest load less the least; moves, cross-rack and topic-spread are compared with the least that the most even loads "
    "allow, so less even answers may be below it and count as 0"
)

SEQUENCES = Sequences(
    timelines.SEQUENCES,
    OVER_TIME,
    timelines.rounds,
    partial(
        summed, [level for level in LEVELS.values() if level.words.counts != "loads" and not level.weighs]
    ),
    build_uneven(square_imbalance, "kassay.oracles.partitions.optimum:optimum"),
    build_sequence_solver("kassay.oracles.partitions.over_time:over_time", timelines.stages),
    lambda group: [each.id for each in group.members],
    {
        "restart": "members come back under new ids. Static members (group.instance.id) that come back in time cause no rebalance at all.",
        "bounce": "members leave one after the other before the first is back, and come back under new ids.",
    },
)


def oracles(
    questions: Mapping[str, str],
    worst_questions: Mapping[str, str],
    settled: Callable[[Assign, Group], Assignment] = lambda assign, group: assign(group),
    contract: str = "",
) -> Oracles:
    """Make the oracles of a family; `settled` asks again where its assignors may withhold something at first.

    `contract` is what its assignments must keep besides, as questions name it, such as ``shared,``: then sequences are not asked.
    """
    solve_frontiers = load_later("kassay.oracles.partitions.frontier:frontiers")

    def frontiers(group: Group, time_limit_s: float | None) -> Sequence[Frontier]:
        """Moves against partitions read across racks at the most even loads; balance against both at any loads."""
        found: Sequence[Frontier] = solve_frontiers(group, time_limit_s, contract)
        return found

    explain = load_later("kassay.oracles.partitions.optima:explain")
    programmed = load_later("kassay.oracles.partitions.optima:programmed")
    found = Oracles(
        questions,
        compared(contract),
        load_later("kassay.oracles.partitions.optimum:optimum"),
        # Without a contract it is one function for all families, so that oracles of families can be compared.
        partial(optima, contract=contract) if contract else optima,
        lambda group, assignment: explain(group, assignment, contract),
        worst_questions,
        partial(load_later("kassay.families.shapes.worst_case:find_worst_group"), settled),
        lambda group: programmed(group, contract),
        build_verifier(
            "shared" if contract else "partitions", lambda group: write_group(without_rule(group))
        ),
        COMPARED,
        {name: level.words for name, level in LEVELS.items()},
        frontiers,
        contract=contract,
    )
    if contract:
        return found
    return replace(
        found,
        over_time=SEQUENCES,
        dominance=keep_last("kassay.oracles.partitions.optima:dominance"),
        weighing=load_later("kassay.families.shapes.weighing:weighing"),
        weights=WEIGHED,
        weight_gaps=weight_gaps,
    )

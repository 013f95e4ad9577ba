"""The input model of topics, members and owned partitions: its tables, its solvers, and the fields that coordinators do not know."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from kassay.errors import SkippedError
from kassay.families.family import Oracles, Sequences
from kassay.families.shape import Assign, Sampler, Shape, TextTable
from kassay.families.shapes import write_changes
from kassay.families.shapes.solvers import (
    build_sequence_solver,
    build_uneven,
    build_verifier,
    keep_last,
    load_later,
)
from kassay.model import Assignment, Group, Member, TopicPartition
from kassay.model.config import UNCONFIGURED
from kassay.model.hosts import locate_racks, without_rule
from kassay.model.partitions_json import (
    decode_group,
    read_assignment,
    read_group,
    write_assignment,
    write_assignment_lightly,
    write_group,
)
from kassay.oracles.answers import Frontier, Gap, Optima
from kassay.oracles.errors import OracleError
from kassay.oracles.levels import sum_levels
from kassay.oracles.partitions.levels import LEVELS, OVER_TIME, compared
from kassay.properties.choices import Choices
from kassay.properties.partitions import groups as sampler
from kassay.properties.partitions import timelines
from kassay.properties.partitions.events import ANY, USUAL
from kassay.properties.partitions.large import DIMENSIONS, LARGE, list_large_kinds
from kassay.properties.partitions.measures import square_imbalance
from kassay.properties.partitions.owners import is_owned_once, owned_once, present
from kassay.properties.partitions.rounds import ROUNDS, is_same
from kassay.properties.partitions.shrinking import smaller
from kassay.properties.partitions.timelines import apply_changes, play
from kassay.properties.runs import Run, ranges

MOST_USER_DATA = 40
"""The number of characters shown of a member's user data."""


def show(group: Group, assignments: Mapping[str, Assignment]) -> TextTable:
    """Return the table of members: subscription, owned partitions, and the partitions of each assignment; then topics without a reader.

    Racks may come from host names. User data and configuration are shown if there are any.
    """
    group = locate_racks(group)
    racks = any(member.rack for member in group.members)
    sends = any(member.user_data is not None for member in group.members)
    claims = any(member.owned for member in group.members)
    ids = [member.id for member in group.members]
    strangers = sorted({name for given in assignments.values() for name in given} - set(ids))
    members = {member.id: member for member in group.members}
    rows = []
    for name in ids + strangers:
        member = members.get(name, Member(name, ("(no member)",)))
        given = (
            _write_given(assignment.get(name), member.owned, claims) for assignment in assignments.values()
        )
        known = [member.rack or ""] * racks + [" ".join(member.topics)] + [runs(member.owned)] * claims
        known += [_write_user_data(member.user_data)] * sends
        rows.append([name, *known, *given])
    read = {name for member in group.members for name in member.topics}
    unread = [topic.name for topic in group.topics if topic.name not in read]
    if unread:
        blank = [""] * (claims + sends + len(assignments))
        rows.append(["(nobody)", *[""] * racks, " ".join(unread), *blank])
    columns = ["member"] + ["rack"] * racks + ["subscribes to"] + ["owns"] * claims + ["user data"] * sends
    marked = any("+" in cell for row in rows for cell in row[-len(assignments) :]) if assignments else False
    notes = ["+ marks partitions that a member did not own before"] * marked
    config = group.config
    if config.rack_from_host is not None:
        notes.append(f"racks are found in host names by {config.rack_from_host}")
    notes += [f"{' and '.join(names)} are joined" for names in config.joined_topics]
    if config.other_topics_assignor != UNCONFIGURED.other_topics_assignor:
        notes.append(f"other topics are assigned by {config.other_topics_assignor}")
    return TextTable(columns + list(assignments), rows, "; ".join(notes))


def _write_user_data(data: bytes | None) -> str:
    """Return user data as text if they are printable, else in hexadecimal digits; a hyphen without user data."""
    if data is None:
        return "-"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = ""
    said = text if text.isprintable() and text else f"0x{data.hex()}"
    return said if len(said) <= MOST_USER_DATA else f"{said[:MOST_USER_DATA]}... ({len(data)} bytes)"


def _write_given(
    given: Sequence[TopicPartition] | None, owned: Sequence[TopicPartition], claims: bool
) -> str:
    if given is None:
        return "(missing)"
    if not claims:
        return runs(given)
    return write_changes(owned, given, runs, lost=False) or "-"


def show_change(before: Run, after: Run) -> TextTable:
    """Return the table of the partitions of each member in two runs, the second with gains and losses."""
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
        "+ marks partitions that a member gains, - those that it loses",
    )


def runs(partitions: Iterable[TopicPartition]) -> str:
    """Return partitions as Kafka's tools write them, with ranges: ``t0:0-2,5 t1:0``; a hyphen without partitions."""
    topics: dict[str, list[int]] = {}
    for partition in sorted(partitions):
        topics.setdefault(partition.topic, []).append(partition.partition)
    return " ".join(f"{topic}:{','.join(ranges(numbers))}" for topic, numbers in topics.items()) or "-"


_GROUPS, _TIMELINES, _DIRECTED, _LIVES = (
    load_later("kassay.properties.partitions.strategies:groups"),
    load_later("kassay.properties.partitions.strategies:timelines"),
    load_later("kassay.properties.partitions.strategies:draw_directed_groups"),
    load_later("kassay.properties.partitions.strategies:draw_lives"),
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
    changed=apply_changes,
    show_change=show_change,
    same=is_same,
    present=present,
    sampler=Sampler(sampler.NUMBERS, USUAL, sampler.KINDS, sampler.draw),
    decode_group=decode_group,
    write_lightly=write_assignment_lightly,
    directed=load_later("kassay.properties.partitions.strategies:distant_groups"),
    large=LARGE,
    dimensions=DIMENSIONS,
    lives=partial(_LIVES, ANY["extras"]),
)


def add_extras(extras: Mapping[str, int]) -> Shape:
    """Return the shape with generated groups that have these extras by weight, such as ids of topics."""
    return replace(
        PARTITIONS,
        groups=partial(_GROUPS, extras),
        timelines=partial(_TIMELINES, extras),
        directed=partial(_DIRECTED, extras),
        lives=partial(_LIVES, extras),
        large=list_large_kinds(extras),
    )


def make_single_owner_shape(extras: Mapping[str, int]) -> Shape:
    """Return the same shape without double claims, in generated groups and when groups are minimised."""
    shape = add_extras(extras)

    def never_missing(timeline: Any) -> Any:
        """Leave out members that return with old claims, which a coordinator ignores."""
        from kassay.properties.partitions.timelines import Miss, Return

        events = tuple(event for event in timeline.events if not isinstance(event, Miss | Return))
        return replace(timeline, start=owned_once(timeline.start), events=events)

    def smaller_owned_once(group: Group) -> Iterator[Group]:
        candidates = smaller(group)
        return filter(is_owned_once, candidates) if is_owned_once(group) else candidates

    def choose_owned_once(choose: Callable[[Choices], Group], choices: Choices) -> Group:
        return owned_once(choose(choices))

    return replace(
        shape,
        large={kind: partial(choose_owned_once, choose) for kind, choose in shape.large.items()},
        groups=lambda: shape.groups().map(owned_once),
        directed=lambda: _DIRECTED(extras).map(owned_once),
        timelines=lambda: shape.timelines().map(never_missing),
        lives=lambda: _LIVES(extras).map(never_missing),
        smaller=smaller_owned_once,
    )


def refuse_unknown_fields(group: Group) -> str | None:
    """Return a sentence on the first field that a coordinator's assignor does not receive; None without such a field.

    Source: KIP-848, KIP-932.
    """
    return next(_list_unknown_fields(group), None)


def _list_unknown_fields(group: Group) -> Iterator[str]:
    if group.config != UNCONFIGURED:
        yield "config: a coordinator's assignors are not configured by the group. Leave it out"
    for n, topic in enumerate(group.topics):
        if topic.hosts is not None:
            yield f"topics[{n}].hosts: a coordinator's assignors are told racks, but no hosts. Give racks"
    for n, member in enumerate(group.members):
        if member.user_data is not None:
            yield f"members[{n}].user_data: is for assignors of clients alone. Leave it out"


def list_coordinator_refusals(group: Group) -> Iterator[str]:
    """Yield a sentence on each field that a coordinator's assignor does not receive, or that no coordinator can have (KIP-848)."""
    yield from _list_unknown_fields(group)
    counts = {topic.name: topic.partitions for topic in group.topics}
    for n, member in enumerate(group.members):
        for name in member.topics:
            if name not in counts:
                yield (
                    f"members[{n}].topics: there is no topic {name!r}, which a coordinator leaves out. "
                    "Leave it out, or give the topic"
                )
        for topic_name, number in member.owned:
            if number >= counts.get(topic_name, number + 1):
                yield (
                    f"members[{n}].owned: topic {topic_name!r} has {counts[topic_name]} partitions, and a coordinator "
                    f"knows no {topic_name}-{number}. Leave it out"
                )
    yield from _list_contradictions(group)


def _list_contradictions(group: Group) -> Iterator[str]:
    """Yield a sentence on each contradiction between claims: a coordinator knows the owner of each partition."""
    owning = [(n, member) for n, member in enumerate(group.members) if member.owned]
    first: dict[object, Member] = {}
    for n, member in owning:
        if member.generation != owning[0][1].generation:
            yield (
                f"members[{n}].generation: is {_write_generation(member)}, but {_write_generation(owning[0][1])} for {owning[0][1].id!r}. "
                "A coordinator does not know older claims, so give the same generation to all members that own partitions, or to none"
            )
        for partition in member.owned:
            if first.setdefault(partition, member) is not member:
                yield (
                    f"members[{n}].owned: {partition} is listed by {first[partition].id!r} too, and a coordinator knows one owner "
                    "of each partition. Leave it out of one"
                )


def _write_generation(member: Member) -> str:
    return "left out" if member.generation is None else str(member.generation)


def list_client_refusals(group: Group) -> Iterator[str]:
    """Yield a sentence on each field that client-side assignors do not receive."""
    for n, topic in enumerate(group.topics):
        if topic.unassignable:
            yield f"topics[{n}].unassignable: assignors of clients do not know it. Leave it out"


@lru_cache(maxsize=1)  # A check asks for the optima of the group on which it has just checked moves_optimal.
def optima(group: Group, contract: str = "") -> Optima:
    """Return the proved optima of a group, under a contract if there is one, such as ``shared,``."""
    from kassay.oracles.partitions.optima import compute_optima as proved

    return proved(group, contract)


WEIGHED = tuple(name for name, level in LEVELS.items() if level.weighs)


@lru_cache(maxsize=1)
def weight_gaps(group: Group, levels: tuple[str, ...]) -> Callable[[Assignment], Sequence[Gap]]:
    """Return the function from a complete and legal answer to its gaps in some levels of weights."""
    from kassay.oracles.partitions.weights.optimum import compute_weight_levels

    found = compute_weight_levels(group, levels)

    def gaps(assignment: Assignment) -> Sequence[Gap]:
        return [
            Gap(one.name, of.measure(group, assignment), one.value, of.words, one.least, one.agreed)
            for one in found
            for of in (LEVELS[one.name],)
        ]

    return gaps


def moves_optimal(settled: Callable[[Assign, Group], Assignment]) -> Callable[[Assign, Group], Iterator[str]]:
    """Return the law of a family; `settled` asks its assignors about a group until they withhold nothing."""

    def moves_optimal(assign: Assign, group: Group) -> Iterator[str]:
        """The converged answer moves no more partitions than the most even loads require.

        If an answer only withholds partitions that members still hold, the converged answer counts. Less even loads excuse no
        move: then both could be better. An answer that is not complete and legal is not checked. Raises SkippedError if
        no optimum is proved. Source: KIP-54, whose second aim it is; no assignor of Kafka promises it, because its movements
        are greedy.
        """
        answer = settled(assign, group)
        try:
            found = optima(group).gaps(answer)
        except OracleError as error:
            raise SkippedError(f"no optimum is proved: {error}") from error
        for gap in found:
            if LEVELS[gap.level].words.counts == "moving" and gap.value > gap.optimum:
                yield f"it moves {gap.value} partitions; the most even loads need {gap.optimum}"

    return moves_optimal


COMPARED = (
    "balance is the difference of the largest and the smallest load. moves, cross-rack and topic-spread are compared with the minimum at the "
    "most even loads. A less even answer may be below that minimum and counts as 0"
)

SEQUENCES = Sequences(
    timelines.SEQUENCES,
    OVER_TIME,
    timelines.rounds,
    partial(
        sum_levels, [level for level in LEVELS.values() if level.words.counts != "loads" and not level.weighs]
    ),
    build_uneven(square_imbalance, "kassay.oracles.partitions.optimum:compute_optimum"),
    build_sequence_solver("kassay.oracles.partitions.over_time:compute_over_time", timelines.stages),
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
    """Return the oracles of a family; `settled` asks again if its assignors may withhold something at first.

    `contract` is a further rule for its assignments, as questions name it, such as ``shared,``. With it, there are no sequences.
    """
    solve_frontiers = load_later("kassay.oracles.partitions.frontier:compute_frontiers")

    def frontiers(group: Group, time_limit_s: float | None) -> Sequence[Frontier]:
        """Moves against partitions read across racks at the most even loads; balance against both at any loads."""
        found: Sequence[Frontier] = solve_frontiers(group, time_limit_s, contract)
        return found

    explain = load_later("kassay.oracles.partitions.optima:explain")
    programmed = load_later("kassay.oracles.partitions.optima:solve_by_program")
    found = Oracles(
        questions,
        compared(contract),
        load_later("kassay.oracles.partitions.optimum:compute_optimum"),
        # Without a contract, all families have the same function, so that their oracles can be compared.
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
        dominance=keep_last("kassay.oracles.partitions.optima:compute_dominance"),
        weighing=load_later("kassay.families.shapes.weighing:weigh_answers"),
        weights=WEIGHED,
        weight_gaps=weight_gaps,
    )

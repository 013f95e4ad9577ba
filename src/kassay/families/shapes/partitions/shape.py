"""The record of the shape of topics, members and owned partitions.

Consumer groups and assignments as tables of text, for people.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kassay.model import Assignment, Config, Group, Member, TopicPartition
from kassay.model.config import UNCONFIGURED
from kassay.model.hosts import located
from kassay.model.partitions_json import (
    decode_group,
    read_assignment,
    read_group,
    write_assignment,
    write_group,
)
from kassay.properties.partitions import groups as sampler
from kassay.properties.partitions.events import ANY, USUAL
from kassay.properties.partitions.owners import is_owned_once, owned_once, present
from kassay.properties.partitions.rounds import ROUNDS, same
from kassay.properties.partitions.shrinking import smaller
from kassay.properties.partitions.timelines import changed, play
from kassay.properties.runs import Run, ranges
from kassay.shape import Sampler, Shape, TextTable

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
    notes = ["+ marks what a member did not own before"] * marked + list(_configured(group.config))
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


def _configured(config: Config) -> Iterator[str]:
    if config.rack_from_host is not None:
        yield f"racks are found in host names by {config.rack_from_host}"
    for names in config.joined_topics:
        yield f"{' and '.join(names)} are joined"
    if config.other_topics_assignor != UNCONFIGURED.other_topics_assignor:
        yield f"other topics are for {config.other_topics_assignor}"


def _given(given: Sequence[TopicPartition] | None, owned: Sequence[TopicPartition], claims: bool) -> str:
    if given is None:
        return "(missing)"
    if not claims:
        return runs(given)
    before = set(owned)
    kept, gained = [p for p in given if p in before], [p for p in given if p not in before]
    marked = "+" + runs(gained).replace(" ", " +")
    return f"{runs(kept)} {marked}" if kept and gained else marked if gained else runs(kept)


def show_change(before: Run, after: Run) -> TextTable:
    """Show what each member gets in two runs, the second with what it gains and loses."""
    members = {member.id: member for run in (before, after) for member in run.group.members}
    given = dict.fromkeys([*members, *sorted({*before.assignment, *after.assignment} - set(members))])
    rows = []
    for name in given:
        first, second = before.assignment.get(name), after.assignment.get(name)
        topics = " ".join(members[name].topics) if name in members else "(no member)"
        rows.append([name, topics, _given(first, (), claims=False), _changed(first or (), second)])
    return TextTable(
        ["member", "subscribes to", before.title, after.title],
        rows,
        "+ marks what a member gains, - what it loses",
    )


def _changed(first: Sequence[TopicPartition], second: Sequence[TopicPartition] | None) -> str:
    if second is None:
        return "(missing)"
    kept = [p for p in second if p in set(first)]
    gained, lost = (
        [f"{sign}{part}" for part in runs(partitions).split()] if partitions else []
        for sign, partitions in (
            ("+", [p for p in second if p not in set(first)]),
            ("-", [p for p in first if p not in set(second)]),
        )
    )
    return " ".join(([runs(kept)] if kept else []) + gained + lost) or "-"


def runs(partitions: Iterable[TopicPartition]) -> str:
    """Write partitions as Kafka's tools do, neighbours drawn together: ``t0:0-2,5 t1:0``; a hyphen for none."""
    topics: dict[str, list[int]] = {}
    for partition in sorted(partitions):
        topics.setdefault(partition.topic, []).append(partition.partition)
    return " ".join(f"{topic}:{','.join(ranges(numbers))}" for topic, numbers in topics.items()) or "-"


if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def _groups(extras: Mapping[str, int] = ANY["extras"]) -> "SearchStrategy[Group]":
    from kassay.properties.partitions.strategies import groups

    return groups(extras)


def _members_apart() -> "SearchStrategy[Group]":
    from kassay.properties.partitions.strategies import members_apart

    return members_apart()


def _timelines(extras: Mapping[str, int] = ANY["extras"]) -> "SearchStrategy[Any]":
    from kassay.properties.partitions.strategies import timelines

    return timelines(extras)


PARTITIONS = Shape(
    name="partitions",
    groups=_groups,
    timelines=_timelines,
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
    directed=_members_apart,
)


def told(extras: Mapping[str, int]) -> Shape:
    """Return the shape with generated groups in which these extras are told, by weight, such as ids of topics."""
    return replace(
        PARTITIONS, groups=partial(_groups, extras), timelines=partial(_timelines, extras), directed=None
    )


def told_owners(extras: Mapping[str, int]) -> Shape:
    """Return the shape told these extras, with generated groups in which no partition is claimed twice, nor comes to be."""
    shape = told(extras)
    return replace(
        shape,
        groups=lambda: shape.groups().map(owned_once),
        timelines=lambda: shape.timelines().map(_never_missing),
        smaller=_smaller_owned_once,
    )


def _never_missing(timeline: Any) -> Any:
    """Leave out members that come back with old claims, which a coordinator does not believe."""
    from kassay.properties.partitions.timelines import Miss, Return

    events = tuple(event for event in timeline.events if not isinstance(event, Miss | Return))
    return replace(timeline, start=owned_once(timeline.start), events=events)


def _smaller_owned_once(group: Group) -> Iterator[Group]:
    """Yield what is a little smaller; of a group in which nothing is claimed twice, none in which something is."""
    candidates = smaller(group)
    return filter(is_owned_once, candidates) if is_owned_once(group) else candidates

"""Consumer groups and assignments as tables of text, for people."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kassay.model import Assignment, Config, Group, Member, TopicPartition
from kassay.model.config import UNCONFIGURED
from kassay.model.hosts import located
from kassay.properties.runs import Run
from kassay.properties.words import ranges
from kassay.shape import TextTable

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

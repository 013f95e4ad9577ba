"""The reader of listings: topics and groups from tables, line by line. Other lines are skipped and counted."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kassay.listings.described_groups import find_described, has_described
from kassay.listings.groups import GroupRows
from kassay.listings.location import ListingError, Place, State, find_state_name, quote, read_state
from kassay.listings.streams_groups import StreamsGroupRows, read_tasks_below
from kassay.listings.tables import Header, find_fault, is_header, is_rule, read_remarked_row, read_row
from kassay.listings.texts import (
    Notice,
    find_command_group,
    find_header,
    find_row,
    find_stray,
    find_unclean,
    is_clean,
    is_command,
    is_failure,
    read_notice,
    read_summary,
    split_lines,
    strip_mark,
    strip_marks,
)
from kassay.listings.topics import KnownTopics, TopicLines, is_topic_line, read_topic_line
from kassay.listings.topologies import count_topology_lines
from kassay.model import TopicPartition

_GROUPS_ADVICE = "give the output of kafka-consumer-groups --describe --members --verbose"
_OTHERS = "kafka-share-groups or kafka-streams-groups"
_JSON = re.compile(r"\ufeff?\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]])")
"""The beginning of JSON; a prompt or a line of a log may begin with a bracket, too."""
_MISSED_MAX = 100
"""After this number of lines without a row, lines below the table are not joined any more, because joining takes time."""
_FENCE = re.compile(r"\s*(```|~~~)\s*[\w.+-]*\s*")


@dataclass(slots=True)
class Reading:
    """The content of all files together: topics and groups by name, in the order in which they first appear."""

    topics: dict[str, TopicLines] = field(default_factory=dict)
    groups: dict[str, GroupRows] = field(default_factory=dict)
    """Consumer and share groups."""
    streams_groups: dict[str, StreamsGroupRows] = field(default_factory=dict)
    states: dict[str, State] = field(default_factory=dict)
    """The rows of --state, also of groups that are in no other table."""
    topologies: list[tuple[str, str]] = field(default_factory=list)
    """Descriptions of topologies of Kafka Streams between the tables: the file and the text."""
    skipped: list[Place] = field(default_factory=list)
    """The lines that the reader did not recognize."""
    failures: list[ListingError] = field(default_factory=list)
    """Messages of tools that failed."""
    last_header: Header | None = None
    """The header of the last table."""

    def group(self, name: str) -> GroupRows:
        """Return the rows of the group of that name; add them if they do not exist."""
        return self.groups.setdefault(name, GroupRows(name))

    def known_topics(self, broker_racks: Mapping[int, str | None] | None) -> KnownTopics:
        """Return the topics of all files; raise ListingError if they have too many partitions."""
        return KnownTopics.build(self.topics, (rows.known for rows in self.groups.values()), broker_racks)

    def streams_group(self, name: str) -> StreamsGroupRows:
        """Return the rows of the streams group of that name; add them if they do not exist."""
        return self.streams_groups.setdefault(name, StreamsGroupRows(name))


@dataclass(frozen=True, slots=True)
class Taken:
    """The groups of a cluster, in place of listings."""

    name: str
    """Its address."""
    reading: Reading
    broker_racks: Mapping[int, str | None] | None = None
    progress: Mapping[str, Mapping[str, Sequence[Sequence[int | None]]]] = field(default_factory=dict)
    """Group -> topic -> for each partition its committed offset and its end offset, None if unknown."""
    ends: Mapping[TopicPartition, int] = field(default_factory=dict)
    """All known end offsets, also of changelogs."""
    left_out: Sequence[str] = ()
    """A sentence for each group that could not be read."""

    @property
    def empty(self) -> list[str]:
        """The names of the groups without members."""
        consumers = [one.name for one in self.reading.groups.values() if not one.members]
        return consumers + [one.name for one in self.reading.streams_groups.values() if not one.members]


def is_listing(text: str) -> bool:
    """Return True if a text contains output of the tools, even if it cannot be read."""
    text = strip_marks(text)
    if has_described(text):
        return True
    if _JSON.match(text):
        return False
    found = split_lines(text)
    return any(
        is_topic_line(line)
        or is_header(line)
        or read_notice(line) is not None
        or is_failure(line)
        or (line.startswith("GROUP") and find_header(Place("", 1), found, number) is not None)
        or (line.startswith("GROUP") and read_summary(line) is not None)
        for number, line in enumerate(found)
    )


def read_files(files: Sequence[tuple[str, str]]) -> Reading:
    """Read the files (name, text) in order; the rows of a group have its problem.

    Raises ListingError if there is no group, or if every group has a problem.
    """
    reading = Reading()
    for name, text in files:
        _File(reading, name, text).read()
    _merge_tables(reading)
    if not reading.groups and not reading.streams_groups:
        if reading.failures:
            raise reading.failures[0]
        raise ListingError(_explain_no_group(reading, files))
    problems = [rows.problem for rows in reading.groups.values()]
    problems += [rows.problem for rows in reading.streams_groups.values()]
    if problems[0] is not None and None not in problems:
        raise problems[0]
    return reading


def _merge_tables(reading: Reading) -> None:
    """Merge the rows of different tables about one group, and add groups with only a state."""
    for name, rows in list(reading.groups.items()):
        streams = reading.streams_groups.get(name)
        if streams is not None and not rows.members:
            streams.lags, streams.listed = rows.lags, rows.listed
            streams.problem = streams.problem or rows.problem
            streams.lag_printed = rows.lag_printed
            streams.notice = streams.notice or rows.notice
            del reading.groups[name]
    for name, state in reading.states.items():
        rows_of = reading.groups.get(name)
        if rows_of is None:
            if name not in reading.streams_groups:
                _add_missing_table(reading.group(name), state)
        elif state.unlisted and rows_of.place is None:
            _add_missing_table(rows_of, state)
        elif state.unlisted:
            rows_of.add_unlisted(state.place, state.members)
    for rows in reading.groups.values():
        if (
            rows.place
            and not rows.members
            and not rows.names_owners
            and not rows.notice
            and rows.name not in reading.states
        ):
            rows.problem = rows.problem or rows.place.error(
                "the table does not list the group's members", f"{_GROUPS_ADVICE}, or the output of {_OTHERS}"
            )


def _add_missing_table(rows: GroupRows, state: State) -> None:
    """Add the problem that only the state of a stable group is printed; for other groups the state is enough."""
    if find_state_name(state.name) not in {"", "Stable"}:
        return
    if state.members and state.unlisted:
        advice = "give the output of rpk group describe without --print-summary"
        rows.problem = state.place.build_unlisted_error("the summary does not list the partitions", advice)
    elif state.members:
        rows.problem = state.place.build_unlisted_error(
            "the table of --state does not list the members", _GROUPS_ADVICE
        )


class _File:
    """One file while it is read: the position, the current table and the current group."""

    def __init__(self, reading: Reading, name: str, text: str) -> None:
        self._reading = reading
        self._name = name
        text = strip_marks(text)
        self._lines = split_lines(text)
        self._clean = is_clean(text)
        self._described = {one.line: one for one in find_described(name, text)} if has_described(text) else {}
        self._header: Header | None = None
        self._pieces = 1
        self._group: str | None = None
        self._named: set[str] = set()
        self._below = False
        self._missed = 0
        self._summary: Place | None = None

    def read(self) -> None:
        """Read all lines."""
        position = 0
        while position < len(self._lines):
            one = self._described.get(position + 1)
            if one is None:
                position += self._read_at(position)
                continue
            for group in one.groups:
                rows = self._reading.group(group.name)
                rows.problem = rows.problem or group.problem
                self._reading.states.setdefault(group.name, group.state)
                for member in group.members:
                    rows.add_member(member)
            position = one.end

    def _read_at(self, position: int) -> int:
        """Read the row or other text that begins at a line, and return its number of lines."""
        lines = self._lines
        line = lines[position].rstrip()
        if not line or line.isspace():
            self._below = False
            return 1
        place = Place(self._name, position + 1)
        header = self._header
        if (
            header is not None
            and not is_topic_line(line)
            and ("group" not in line or read_notice(line) is None)
        ):
            joins = self._missed < _MISSED_MAX
            found = find_row(header, lines, position, self._pieces, joins=joins)
            self._missed = 0 if found is not None else self._missed + 1
            if found is None or found[0].get("GROUP", "") not in self._named:
                found = self._find_marked_row(header, line, found)
            if found is not None:
                row, taken = found
                if not self._clean:
                    unclean = find_unclean(place, "".join(lines[position : position + taken]))
                    if unclean is not None:
                        self._fail(header, self._find_group(row), unclean)
                        return taken
                if header.kind == "tasks" and "ASSIGNMENTS" not in row:
                    row["ASSIGNMENTS"], more = read_tasks_below(lines, position + taken)
                    taken += more
                self._take(place, header, row)
                self._below = True
                return taken
        return self._read_other(position, place, line)

    def _find_marked_row(
        self, header: Header, line: str, found: tuple[dict[str, str], int] | None
    ) -> tuple[dict[str, str], int] | None:
        """Return the row on a line without the mark before it or the remark after it, or else `found`."""
        bare = strip_mark(line)
        unmarked = read_row(header, bare) if bare != line else None
        if unmarked and (
            found is None
            or unmarked.get("GROUP") in self._named
            # With its mark it looks like a row of a group or topic whose name begins with the mark and a space.
            or found[0][header.columns[0]].endswith(f" {unmarked[header.columns[0]]}")
        ):
            return unmarked, 1
        if found is None and (remarked := read_remarked_row(header, bare)):
            return remarked, 1
        return found

    def _read_other(self, position: int, place: Place, line: str) -> int:
        if is_topic_line(line):
            if (stray := find_stray(place, line)) is not None:
                raise stray
            read_topic_line(place, line, self._reading.topics)
            return 1
        found = find_header(place, self._lines, position)
        if found is not None:
            self._header, self._pieces = found
            self._reading.last_header = self._header
            self._summary = None
            self._below = True
            self._missed = 0
            return self._pieces
        summary = read_summary(line)
        if summary is not None and (summary[0] == "GROUP" or self._summary is not None):
            self._take_summary(place, *summary)
            return 1
        self._summary = None
        notice = read_notice(line)
        if notice is not None:
            self._note(place, notice)
            return 1
        length = count_topology_lines(self._lines, position)
        if length:
            body = "\n".join(self._lines[position : position + length])
            self._reading.topologies.append((self._name, "\n" * position + body))
            return length
        return self._skip(place, line)

    def _skip(self, place: Place, line: str) -> int:
        """Skip a line that is part of no table, or keep the problem of a malformed row."""
        header = self._header
        if is_failure(line):
            said = place.error(
                f"the tool failed: {quote(line.strip())}", "mend that and take the listing again"
            )
            self._reading.failures.append(said)
        named = find_command_group(line)
        if named is not None or is_command(line):  # a command may have several lines
            self._group = named or self._group
            return 1
        if _FENCE.fullmatch(line) or is_rule(line):
            return 1
        fault = None if header is None else find_fault(header, line, self._named, below=self._below)
        if fault is not None and header is not None:
            name = fault.group if "GROUP" in header.columns else self._group or self._name
            if fault.value is None:
                what, fix = (
                    f"the row ends before {fault.column}",
                    "give the whole row, as below the header at",
                )
            else:
                what, fix = (
                    f"{fault.column} is {quote(fault.value)}",
                    "give the row as the tool printed it below",
                )
            self._fail(header, name or self._name, place.error(what, f"{fix} {header.place}"))
            return 1
        stray = None if self._clean else find_stray(place, line)
        if stray is not None:
            self._reading.failures.append(stray)
        self._reading.skipped.append(place)
        return 1

    def _fail(self, header: Header, name: str, said: ListingError) -> None:
        """Keep the problem of a group."""
        reading = self._reading
        rows = reading.streams_group(name) if header.kind == "tasks" else reading.group(name)
        rows.problem = rows.problem or said

    def _find_group(self, row: dict[str, str]) -> str:
        """Return the name of the group of a row."""
        # Older releases describe one group and do not repeat its name.
        return row.get("GROUP", self._name if self._group is None else self._group)

    def _take(self, place: Place, header: Header, row: dict[str, str]) -> None:
        """Add a row of a table; its problem is kept with its group."""
        reading = self._reading
        name = self._find_group(row)
        if "GROUP" in row:
            self._named.add(name)
        try:
            if header.kind == "tasks":
                reading.streams_group(name).add_row(place, row)
            elif header.kind == "state":
                reading.states.setdefault(name, read_state(place, row))
            else:
                is_first = name not in reading.groups
                rows = reading.group(name)
                if is_first and "GROUP" not in row and self._group is None:
                    rows.warnings.append(
                        f"{header.place}: The table has no GROUP column. The group is named after the file."
                    )
                rows.add_row(place, header, row)
        except ListingError as wrong:
            self._fail(header, name, wrong)

    def _note(self, place: Place, notice: Notice) -> None:
        """Add a notice about a group."""
        self._group = notice.group
        reading = self._reading
        streams = notice.kind == "Streams" or (notice.kind == "" and notice.group in reading.streams_groups)
        rows = reading.streams_group(notice.group) if streams else reading.group(notice.group)
        if isinstance(rows, GroupRows):
            rows.shares |= notice.kind == "Share"
        rows.notice = notice.state or rows.notice
        rows.warnings.append(f"{place}: {notice.sentence}")

    def _take_summary(self, place: Place, key: str, value: str) -> None:
        """Add a line that rpk prints above the partitions of a group."""
        if key == "GROUP":
            self._group, self._header, self._summary = value, None, place
            self._reading.group(value)
            self._reading.states.setdefault(value, State(place, "", 0, unlisted=True))
            return
        assert self._group is not None
        state = self._reading.states[self._group]
        if key == "STATE":
            state = replace(state, name=value)
        elif key == "BALANCER":
            state = replace(state, assignor=value or None)
        elif key == "MEMBERS" and value.isdecimal():
            state = replace(state, members=place.number("MEMBERS", value))
        elif key == "TOTAL-LAG" and value.isdecimal():
            state = replace(state, lag=place.offset("TOTAL-LAG", value))
        self._reading.states[self._group] = state


def _explain_no_group(reading: Reading, files: Sequence[tuple[str, str]]) -> str:
    if not files:
        return f"FILE: there is no listing. {_GROUPS_ADVICE.capitalize()}."
    where = ", ".join(name if name.isprintable() else repr(name) for name, _ in files)
    advice = f"{_GROUPS_ADVICE[0].upper()}{_GROUPS_ADVICE[1:]}"
    if any(_JSON.match(text) for _, text in files):
        return (
            f"{where}: this JSON is neither a status of Connect nor a group that an admin client describes. "
            "If it is a group in kassay's own JSON, use it as it is: kassay compare --group FILE."
        )
    if reading.last_header is not None:
        return f"{reading.last_header.place}: the table has no rows. Describe a group that has members."
    if reading.topics:
        return (
            f"{where}: there are topics but no consumer group. {advice} too (for --group, in the same file)."
        )
    return f"{where}: there is no table of a consumer group. {advice}, or the output of {_OTHERS}."

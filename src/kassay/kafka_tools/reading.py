"""Go through listings line by line and sort what stands there into topics and groups."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from kassay.kafka_tools.groups import GroupRows
from kassay.kafka_tools.location import ListingError, Place, State, quoted, read_state
from kassay.kafka_tools.streams_groups.rows import StreamsGroupRows
from kassay.kafka_tools.tables import Header, is_header, lines, read_header, read_row
from kassay.kafka_tools.topics import TopicLines, is_topic_line, read_topic_line

_NOTICE = re.compile(
    r"(?:Warning: )?(Consumer|Share|Streams) group '(.*)' (has no active members|is rebalancing|has no offset information)\."
)
_FAILURE = re.compile(r"Error: |Error while executing |Exception in thread ")
_NOISE = re.compile(
    r"""\s*(?: Note:\s | (?i:warning):\s | SLF4J: | log4j: | Picked\ up\s | OpenJDK\s | Java\ HotSpot
          | \[\d{4}-\d\d-\d\d[ ] | ``` )""",
    re.VERBOSE,
)
_COMMAND = re.compile(r"kafka-(?:(?:consumer|share|streams)-groups|topics)(?:\.sh|\.bat)?\s")
_GROUPS_ADVICE = "give the output of kafka-consumer-groups --describe --members --verbose"
_OTHERS = "kafka-share-groups or kafka-streams-groups"


@dataclass(slots=True)
class Reading:
    """What all files together say: topics and groups by name, in the order in which they first appear."""

    topics: dict[str, TopicLines] = field(default_factory=dict)
    groups: dict[str, GroupRows] = field(default_factory=dict)
    """Consumer and share groups."""
    streams_groups: dict[str, StreamsGroupRows] = field(default_factory=dict)
    states: dict[str, State] = field(default_factory=dict)
    """What --state prints of groups, also of such as stand in no other table."""
    header: Header | None = None
    """That of the table being read."""
    last_header: Header | None = None
    """The same, but kept from file to file."""

    def group(self, name: str) -> GroupRows:
        """Return the rows of the group of that name, making a place for them where there is none."""
        return self.groups.setdefault(name, GroupRows(name))

    def streams_group(self, name: str) -> StreamsGroupRows:
        """Return the rows of the streams group of that name, making a place for them where there is none."""
        return self.streams_groups.setdefault(name, StreamsGroupRows(name))


def is_listing(text: str) -> bool:
    """Tell whether a text is what the tools print, whether or not it can be read, and not JSON."""
    return not text.lstrip().startswith("{") and any(
        is_header(line) or is_topic_line(line) or _NOTICE.fullmatch(line.strip()) or _FAILURE.match(line)
        for line in text.splitlines()
    )


def read_files(files: Sequence[tuple[str, str]]) -> Reading:
    """Read the files (name, text) in order; raise ListingError at the first line that cannot be read."""
    reading = Reading()
    for name, text in files:
        reading.header = None
        for place, line in lines(name, text):
            if line.strip():
                _read_line(reading, place, line)
    if not reading.groups and not reading.streams_groups:
        raise ListingError(_why_no_group(reading, [name for name, _ in files]))
    return reading


def _read_line(reading: Reading, place: Place, line: str) -> None:
    if is_topic_line(line):
        read_topic_line(place, line, reading.topics)
        return
    header = read_header(place, line)
    if header is not None:
        reading.header = reading.last_header = header
        return
    header = reading.header
    row = read_row(header, line) if header is not None else None
    if header is not None and row is not None:
        _take(reading, place, header, row)
        return
    notice = _NOTICE.fullmatch(line.strip())
    if notice:
        _note(reading, place, notice)
    elif _FAILURE.match(line.lstrip()):
        raise place.error(f"the tool failed: {quoted(line.strip())}", "mend that and take the listing again")
    elif not is_noise(line):
        raise _stray(place, header, line)


def _take(reading: Reading, place: Place, header: Header, row: dict[str, str]) -> None:
    """Take in a row of a table."""
    # Older releases describe one group and do not repeat its name.
    group = row.get("GROUP")
    if header.kind == "tasks":
        reading.streams_group(row["GROUP"]).add_row(place, row)
    elif header.kind == "state":
        reading.states.setdefault(place.file if group is None else group, read_state(place, row))
    else:
        if group is None and place.file not in reading.groups:
            reading.group(place.file).warnings.append(
                f"{header.place}: the table has no GROUP column; the group is named after the file"
            )
        reading.group(place.file if group is None else group).add_row(place, header, row)


def _note(reading: Reading, place: Place, notice: re.Match[str]) -> None:
    """Take in what the tool says of a group beside its tables."""
    kind, name, what = notice[1], notice[2], notice[3]
    rows = reading.streams_group(name) if kind == "Streams" else reading.group(name)
    if isinstance(rows, GroupRows):
        rows.shares |= kind == "Share"
    rows.warnings.append(f"{place}: {kind.lower()} group {quoted(name)} {what}")


def is_noise(line: str) -> bool:
    """Tell whether a line is what the tool's logging says, or the command typed at a prompt."""
    command = _COMMAND.search(line)
    return bool(_NOISE.match(line)) or (command is not None and "--" in line[command.end() :])


def _stray(place: Place, header: Header | None, line: str) -> ListingError:
    advice = "give each row on one line as the tool printed it, and remove other text"
    if header is None and line.startswith(("{", "[")):
        return place.error(
            f"{quoted(line)} is JSON, but no status of Connect's",
            "give what GET /connectors?expand=status prints; a group that is JSON needs no import: kassay compare --group FILE",
        )
    if header is None:
        return place.error(
            f"{quoted(line)} is no topic and has no header (GROUP CONSUMER-ID ...) above", advice
        )
    what = f"{quoted(line)} does not have the {len(header.columns)} columns of the header at {header.place}"
    holds = "tasks" if header.kind == "tasks" else "a number"
    return place.error(f"{what} with {holds} in {header.number}", advice)


def _why_no_group(reading: Reading, names: Sequence[str]) -> str:
    if not names:
        return f"no listing was given; {_GROUPS_ADVICE}"
    where = ", ".join(name if name.isprintable() else repr(name) for name in names)
    if reading.last_header is not None and reading.last_header.kind == "state":
        return (
            f"{reading.last_header.place}: the table of --state does not list the members; {_GROUPS_ADVICE}"
        )
    if reading.last_header is not None:
        return f"{reading.last_header.place}: the table has no rows; describe a group that has members"
    if reading.topics:
        return f"{where}: there are topics but no consumer group; {_GROUPS_ADVICE} too (for --group, in the same file)"
    return f"{where}: there is no consumer group; {_GROUPS_ADVICE}, or that of {_OTHERS}"

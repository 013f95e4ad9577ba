"""Go through listings line by line and sort what stands there into topics and groups."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from kassay.kafka_tools.groups import GroupRows
from kassay.kafka_tools.place import ListingError, Place, quoted
from kassay.kafka_tools.tables import Header, is_header, read_header, read_row
from kassay.kafka_tools.text import lines
from kassay.kafka_tools.topics import TopicLines, is_topic_line, read_topic_line

_NOTICE = re.compile(r"(?:Warning: )?Consumer group '(.*)' (has no active members|is rebalancing)\.")
_FAILURE = re.compile(r"Error: |Error while executing |Exception in thread ")
_NOISE = re.compile(
    r"""\s*(?: Note:\s | (?i:warning):\s | SLF4J: | log4j: | Picked\ up\s | OpenJDK\s | Java\ HotSpot
          | \[\d{4}-\d\d-\d\d[ ] | ``` )""",
    re.VERBOSE,
)
_COMMAND = re.compile(r"kafka-(?:consumer-groups|topics)(?:\.sh|\.bat)?\s")
_GROUPS_ADVICE = "give the output of kafka-consumer-groups --describe --members --verbose"


@dataclass(slots=True)
class Reading:
    """What all files together say: topics and groups by name, in the order in which they first appear."""

    topics: dict[str, TopicLines] = field(default_factory=dict)
    groups: dict[str, GroupRows] = field(default_factory=dict)
    header: Header | None = None
    """That of the table being read."""
    last_header: Header | None = None
    """The same, but kept from file to file."""

    def group(self, name: str) -> GroupRows:
        """Return the rows of the group of that name, making a place for them where there is none."""
        return self.groups.setdefault(name, GroupRows(name))


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
    if not reading.groups:
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
    row = read_row(header, line) if header is not None and header.kind != "state" else None
    if header is not None and row is not None:
        # Older releases describe one group and do not repeat its name.
        group = row.get("GROUP")
        if group is None and place.file not in reading.groups:
            reading.group(place.file).warnings.append(
                f"{header.place}: the table has no GROUP column; the group is named after the file"
            )
        reading.group(place.file if group is None else group).add_row(place, header, row)
        return
    notice = _NOTICE.fullmatch(line.strip())
    if notice:
        reading.group(notice[1]).warnings.append(f"{place}: consumer group {quoted(notice[1])} {notice[2]}")
    elif _FAILURE.match(line.lstrip()):
        raise place.error(f"the tool failed: {quoted(line.strip())}", "mend that and take the listing again")
    elif not is_noise(line) and (header is None or header.kind != "state"):
        raise _stray(place, header, line)


def is_noise(line: str) -> bool:
    """Tell whether a line is what the tool's logging says, or the command typed at a prompt."""
    command = _COMMAND.search(line)
    return bool(_NOISE.match(line)) or (command is not None and "--" in line[command.end() :])


def _stray(place: Place, header: Header | None, line: str) -> ListingError:
    advice = "give each row on one line as the tool printed it, and remove other text"
    if header is None:
        return place.error(
            f"{quoted(line)} is no topic and has no header (GROUP CONSUMER-ID ...) above", advice
        )
    what = f"{quoted(line)} does not have the {len(header.columns)} columns of the header at {header.place}"
    return place.error(f"{what} with a number in {header.number}", advice)


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
    return f"{where}: there is no consumer group; {_GROUPS_ADVICE}"

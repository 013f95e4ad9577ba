"""Lines about a group around its tables: notices, the summary of rpk, and the typed command."""

import re
from dataclasses import dataclass

from kassay.kafka_tools.location import quoted

_NOTICE = re.compile(
    r"(?:(Consumer|Share|Streams) group|[Gg]roup) [`'\u2018\u2019\"\u201c](.+?)[`'\u2018\u2019\"\u201d] "
    r"(has no active members|is rebalancing|has no offset information|does not exist|is dead|is empty)"
)
_STATES = {
    "has no active members": "Empty",
    "is empty": "Empty",
    "is rebalancing": "PreparingRebalance",
    "does not exist": "Dead",
    "is dead": "Dead",
}
_FAILURE = re.compile(r"\s*(?:Error: |Error while executing |Exception in thread )")
_COMMAND = re.compile(
    r"kafka-(?:(?:consumer|share|streams)-groups|topics)(?:\.sh|\.bat)?\s.*--|\brpk\s+group\s+describe\s|\bcurl\s.*(?:/connectors|https?:)"
    r"|kafka\.(?:admin\.ConsumerGroupCommand|tools\.ConsumerOffsetChecker)\s"
)
_NAMED = re.compile(r"--group(?:\s+|=)(?:'([^']+)'|\"([^\"]+)\"|([^\s'\"\\]+))")
_SUMMARY = re.compile(
    r"\s*(GROUP|COORDINATOR(?:-NODE|-PARTITION)?|STATE|BALANCER|MEMBERS|TOTAL-LAG|ERROR)(?:[ \t]{2,}|\t)\s*(\S.*?)?\s*"
    r"|\s*(GROUP|COORDINATOR(?:-NODE|-PARTITION)?|STATE|BALANCER|MEMBERS|TOTAL-LAG|ERROR)(?: (\S+))?\s*"
)


@dataclass(frozen=True, slots=True)
class Notice:
    """A statement of a tool about a group: its kind as printed, "" where it is not, the state that this means, "" for none, and the sentence."""

    kind: str
    group: str
    state: str
    sentence: str


def read_notice(line: str) -> Notice | None:
    """Return what a line says of a group, None if it says nothing."""
    if "group" not in line and "Group" not in line:
        return None
    found = _NOTICE.search(line)
    if found is None:
        return None
    kind, name, what = found[1] or "", found[2], found[3]
    who = f"{kind} group" if kind else "Group"
    return Notice(kind, name, _STATES.get(what, ""), f"{who} {quoted(name)} {what}.")


def is_failure(line: str) -> bool:
    """Check whether a line says that the tool failed."""
    return _FAILURE.match(line) is not None


def is_command(line: str) -> bool:
    """Check whether a line is the command that prints such tables, typed at a prompt or in a script."""
    return _COMMAND.search(line) is not None


def find_command_group(line: str) -> str | None:
    """Return the only group that a command names, None if it names none or several."""
    names = [one[1] or one[2] or one[3] for one in _NAMED.finditer(line)]
    return names[0] if len(names) == 1 else None


def read_summary(line: str) -> tuple[str, str] | None:
    """Return the key and value of a line that rpk prints above a group's partitions, None for other lines."""
    found = _SUMMARY.fullmatch(line)
    if found is None:
        return None
    key, value = found[1] or found[3], found[2] or found[4] or ""
    if key == "GROUP" and (not value or " " in value):
        return None
    return key, value


_NOISE = re.compile(
    r"""\s*(?: Note:\s | (?i:warning):\s | SLF4J: | log4j: | Picked\ up\s | OpenJDK\s | Java\ HotSpot
          | \[\d{4}-\d\d-\d\d[ ] | ``` )""",
    re.VERBOSE,
)


def is_noise(line: str) -> bool:
    """Check whether a line is what the tool's logging says, or the command typed at a prompt."""
    return bool(_NOISE.match(line)) or is_command(line)

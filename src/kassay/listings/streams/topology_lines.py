"""Descriptions of topologies of Kafka Streams among other lines."""

import re
from collections.abc import Sequence

_TITLE = re.compile(r"\s*(?:Topologies|Topology|Sub-topologies):\s*")
_LINE = re.compile(
    r"\s*(?:Sub-topology: [0-9]+.*|(?:Source|Processor|Sink): .+ \(.*\)|(?:-->|<--)(?: .*)?)\s*"
)
_STRANGE_MAX = 3
"""At most this number of other lines counts as part of a description, which is then refused."""


def topology_end(lines: Sequence[str], position: int) -> int:
    """Return how many lines the description that begins on a line takes, 0 if none does."""
    if _TITLE.fullmatch(lines[position]) is None:
        return 0
    last = position
    for number in range(position + 1, len(lines)):
        if _LINE.fullmatch(lines[number]):
            last = number
        elif not lines[number].strip() or number - last > _STRANGE_MAX:
            following = next((line for line in lines[number:] if line.strip()), "")
            if not _LINE.fullmatch(following):
                break
    return last - position + 1 if last > position else 0

"""The output for a group in which nothing can be compared: its state, and how to list it again."""

from collections.abc import Iterator
from shlex import quote

from kassay.comparison.group_state import GroupState
from kassay.files.reading import Read
from kassay.output import Block

TOOLS = {"share": "kafka-share-groups.sh", "streams-group": "kafka-streams-groups.sh"}
"""Family -> the tool of Kafka that lists its groups, if it is not kafka-consumer-groups."""


def render_state(state: GroupState, read: Read, *, many: bool, again: str = "") -> Iterator[Block]:
    """Show the state in the first line, then what it means and the command that lists the group again."""
    yield Block(says=state.says, records=[state.record(read.where)])
    yield Block(prose=True, text="\n".join(filter(None, (state.target, state.caveat))))
    if again:
        yield Block(code=[f"Next: {again}"])
    elif read.family == "connect":
        yield Block(code=["Next: curl -s http://HOST:8083/connectors?expand=status > cluster.json"])
    elif read.file:
        tool = TOOLS.get(read.family, "kafka-consumer-groups.sh")
        name = quote(read.where) if many or read.listed else "GROUP"
        yield Block(
            code=[f"Next: {tool} --bootstrap-server HOST:PORT --describe --members --verbose --group {name}"]
        )

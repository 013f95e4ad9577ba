"""The output for a group in which nothing can be compared: its state, and how to list it again."""

from collections.abc import Iterator
from shlex import quote

from kassay.comparison.groups.group_state import DEAD, EMPTY, REBALANCING, GroupState, describe_unlisted
from kassay.files.reading import Read, called
from kassay.kafka_tools.listing_facts import ListingFacts
from kassay.output import Block

STATES = {*REBALANCING, EMPTY, DEAD}
TOOLS = {"share": "kafka-share-groups.sh", "streams-group": "kafka-streams-groups.sh"}
"""Family -> the tool of Kafka that lists its groups, if it is not kafka-consumer-groups."""


def render_unlisted(read: Read, facts: ListingFacts) -> Iterator[Block]:
    """Show what is known of a group whose partitions are not listed, and the listing to take instead."""
    if facts.state in STATES:
        yield from render_state(GroupState(called(read), facts.state, facts, "members"), read, many=True)
        return
    says = describe_unlisted(called(read), facts)
    record = {
        "record": "state",
        "where": read.where,
        "says": says,
        "state": facts.state,
        "members": facts.members,
    }
    yield Block(says=says, records=[record])
    yield Block(prose=True, text=facts.problem)


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

"""Faults and items in words."""

from collections.abc import Hashable, Sequence

from kassay.simulation.schedule import Fault

MOST = 6


def items_words(items: Sequence[Hashable]) -> str:
    """Name items, but no more than some."""
    if not items:
        return "nothing"
    more = f" and {len(items) - MOST} more" if len(items) > MOST else ""
    return ", ".join(map(str, items[:MOST])) + more


SENTENCES = {
    "crash": "member {who} crashes, and starts again after {span} ms",
    "leave": "member {who} is closed, and another started after {span} ms",
    "death": "member {who} dies for good",
    "departure": "member {who} is closed for good",
    "upgrade": "member {who} is closed, and its next version started after {span} ms",
    "unreadable": "member {who} is replaced by one whose metadata cannot be read, for {span} ms",
    "twin": "member {who} is started with the instance id of the member after it, for {span} ms",
    "pause": "member {who} stands still for {span} ms",
    "stall": "member {who} does not poll for {span} ms",
    "commit": "member {who} commits",
    "subscribe": "member {who} subscribes to other topics (number {much})",
    "grow": "topic {much} gets one more partition",
    "racks": "topic {much} moves to other racks",
    "cut": "member {who} is cut off for {span} ms",
    "loss": "the next messages of member {who} are lost, one and {much} more",
    "delay": "messages of member {who} take {much} ms longer, for {span} ms",
    "reorder": "the next message of member {who} is {span} ms late",
    "duplicate": "the next message of member {who} comes again after {span} ms",
    "failover": "the coordinator moves, in {span} ms",
    "coordinator-crash": "the coordinator crashes, and another broker takes over after {span} ms",
    "zombie": "another coordinator takes over, and the old one goes on for {span} ms",
    "refused-write": "the log refuses the next batches, one and {much} more",
    "slow-log": "the log takes {much} ms longer, for {span} ms",
}


def fault_words(fault: Fault) -> str:
    """Say what a fault is."""
    return SENTENCES[fault.kind].format(who=fault.who, span=fault.span, much=fault.much)


def fault_line(fault: Fault) -> str:
    """Say what a fault is and when it strikes, in seconds."""
    return f"{fault.at / 1000:.3f} s: {fault_words(fault)}"


def counted(number: int, one: str, many: str = "") -> str:
    """Write a number with what it counts, whose plural ends in s unless it is given."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"

"""How a member asks: finding its coordinator, waiting a while, and sending with a token of its own."""

from msgspec.structs import replace

from kassay.reference.group.events import Send, SetTimer
from kassay.reference.group.member.config import ANY_NODE
from kassay.reference.group.member.state import Effects, Member
from kassay.reference.group.messages import Error, FindCoordinatorResponse, Request

MOVED = frozenset({Error.NOT_COORDINATOR, Error.COORDINATOR_NOT_AVAILABLE})
"""Errors after which the coordinator is looked for anew."""
MOST_DOUBLED = 16
"""From so many attempts on the time to wait is not doubled any more, whatever its limit."""


def ask(member: Member, kind: str, request: Request, out: Effects) -> Member:
    """Send the one request for finding, joining or synchronising that may be under way."""
    number = member.tokens
    token = (kind, number)
    out.append(Send(token, request, member.node))
    return replace(member, asked=token, tokens=number + 1)


def find(member: Member, out: Effects) -> Member:
    """Ask any node for the coordinator."""
    return ask(replace(member, node=None), "find", ANY_NODE, out)


def found(member: Member, response: FindCoordinatorResponse, out: Effects) -> Member:
    """Take the coordinator that a node names, or wait and ask again."""
    if response.error is Error.NONE and response.node is not None:
        return replace(member, node=response.node)
    return wait(member, out)


def wait(member: Member, out: Effects) -> Member:
    """Let a while pass before the next attempt, twice as long each time."""
    config = member.config
    out.append(SetTimer("retry", min(config.retry_max_ms, config.retry_ms << member.attempts)))
    return replace(member, waits=True, attempts=min(member.attempts + 1, MOST_DOUBLED))

"""Faults planted in our member: steps that do something else than they should, which the comparison with Kafka's must show."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from kassay.reference.group.member import step
from kassay.reference.group.member.state import Lose, Own, Revoke
from kassay.reference.group.messages import (
    Answered,
    Error,
    Heartbeat,
    HeartbeatResponse,
    JoinGroup,
    JoinGroupResponse,
    Send,
    SetTimer,
    Step,
    SyncGroup,
    SyncGroupResponse,
)


def _hearing(kind: type, error: Error, other: Error) -> Callable[[Any, Any], Any]:
    def heard(member: Any, event: Any) -> Any:
        if type(event) is Answered and type(event.response) is kind and event.response.error is error:
            event = Answered(event.token, replace(event.response, error=other))
        return step(member, event)

    return heard


def _sending(kind: type, **fields: Any) -> Callable[[Any, Any], Any]:
    def sent(member: Any, event: Any) -> Any:
        done = step(member, event)
        return Step(
            done.state,
            tuple(
                Send(one.token, replace(one.request, **fields), one.node)
                if type(one) is Send and type(one.request) is kind
                else one
                for one in done.effects
            ),
        )

    return sent


def claims_of_a_later_generation(member: Any, event: Any) -> Any:
    """A cooperative member says that it owns since a later generation than it does."""
    done = step(member, event)
    effects = []
    for one in done.effects:
        if type(one) is Send and type(one.request) is JoinGroup:
            protocols = tuple(
                replace(each, metadata=replace(each.metadata, generation=each.metadata.generation + 1))
                if each.metadata.generation is not None
                else each
                for each in one.request.protocols
            )
            one = Send(one.token, replace(one.request, protocols=protocols), one.node)  # noqa: PLW2901
        effects.append(one)
    return Step(done.state, tuple(effects))


def revokes_what_is_lost(member: Any, event: Any) -> Any:
    """What is gone already is given up in an orderly way."""
    done = step(member, event)
    return Step(done.state, tuple(Revoke(one.items) if type(one) is Lose else one for one in done.effects))


def begins_anew_with_all(member: Any, event: Any) -> Any:
    """The application is told to begin with what it has been working on already."""
    done = step(member, event)
    return Step(done.state, tuple(Own(done.state.owned) if type(one) is Own else one for one in done.effects))


def sends_heartbeats_late(member: Any, event: Any) -> Any:
    """Heartbeats are sent a second late."""
    done = step(member, event)
    return Step(
        done.state,
        tuple(
            SetTimer(one.key, one.delay_ms + 1_000)
            if type(one) is SetTimer and one.key == "heartbeat"
            else one
            for one in done.effects
        ),
    )


def prepares_again(member: Any, event: Any) -> Any:
    """A cooperative member gives up what it no longer subscribes to also when it joins again after a failure."""
    return step(replace(member, prepared=False), event)


FAULTS: dict[str, Callable[[Any, Any], Any]] = {
    "ILLEGAL_GENERATION of a heartbeat is passed over": _hearing(
        HeartbeatResponse, Error.ILLEGAL_GENERATION, Error.NONE
    ),
    "ILLEGAL_GENERATION of a heartbeat takes the id too": _hearing(
        HeartbeatResponse, Error.ILLEGAL_GENERATION, Error.UNKNOWN_MEMBER_ID
    ),
    "REBALANCE_IN_PROGRESS of a SyncGroup takes what is owned": _hearing(
        SyncGroupResponse, Error.REBALANCE_IN_PROGRESS, Error.ILLEGAL_GENERATION
    ),
    "a JoinGroup refused for a rebalance waits": _hearing(
        JoinGroupResponse, Error.REBALANCE_IN_PROGRESS, Error.COORDINATOR_LOAD_IN_PROGRESS
    ),
    "heartbeats name no instance": _sending(Heartbeat, instance_id=None),
    "SyncGroup names another generation": _sending(SyncGroup, generation=0),
    "claims of a later generation": claims_of_a_later_generation,
    "revokes what is lost": revokes_what_is_lost,
    "begins anew with all": begins_anew_with_all,
    "heartbeats come late": sends_heartbeats_late,
    "prepares again after a failure": prepares_again,
}

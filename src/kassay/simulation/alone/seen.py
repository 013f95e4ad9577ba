"""What can be seen of our coordinator, in the form in which Kafka's is told of by java/Seen.java."""

from collections.abc import Hashable
from typing import Any

from kassay.reference.group.coordinator import Coordinator, GroupForgotten, GroupWritten
from kassay.reference.group.messages import (
    Error,
    JoinGroupResponse,
    LeaveGroupResponse,
    Metadata,
    Response,
    SyncGroupResponse,
)

STATES = {"Joining": "PreparingRebalance", "AwaitSync": "CompletingRebalance"}

REFUSED: dict[str, Any] = {
    "generation": -1,
    "type": None,
    "protocol": "",
    "leader": "",
    "skip": False,
    "members": {},
}
"""What a refused JoinGroup is told where Kafka says nothing of it."""


def group(coordinator: Coordinator) -> dict[str, Any] | None:
    """Return the group, or None where there is none."""
    if coordinator.state == "Down":
        return None
    return {
        "state": STATES.get(coordinator.state, coordinator.state),
        "initial": coordinator.state == "Joining" and coordinator.is_initial,
        "generation": coordinator.generation,
        "type": coordinator.protocol_type,
        "protocol": coordinator.protocol,
        "leader": coordinator.leader,
        "added": coordinator.member_added,
        "pending": sorted(coordinator.pending),
        "unsynced": sorted(coordinator.unsynced),
        "members": {
            member.member_id: [
                member.instance_id,
                member.session_timeout_ms,
                member.rebalance_timeout_ms,
                [[protocol.name, text(protocol.metadata)] for protocol in member.protocols],
                member.state,
                member.joining is not None,
                member.syncing is not None,
                member.is_new,
            ]
            for member in coordinator.roster
        },
    }


def response(answer: Response) -> dict[str, Any]:
    """Return an answer: of one that refuses, why and to whom, and what is not as it is where Kafka says nothing of it."""
    error = answer.error.value
    if isinstance(answer, JoinGroupResponse):
        told = {
            "error": error,
            "member": answer.member_id,
            "generation": answer.generation,
            "type": answer.protocol_type,
            "protocol": answer.protocol,
            "leader": answer.leader,
            "skip": answer.skip_assignment,
            "members": {one.member_id: [one.instance_id, text(one.metadata)] for one in answer.members},
        }
        return told if answer.error is Error.NONE else _without(told, REFUSED)
    if isinstance(answer, SyncGroupResponse):
        told = {
            "error": error,
            "type": answer.protocol_type,
            "protocol": answer.protocol,
            "state": answer.state,
        }
        return told if answer.error is Error.NONE else _without(told, dict.fromkeys(told))
    if isinstance(answer, LeaveGroupResponse):
        members = [[gone.member_id, gone.instance_id, one.value] for gone, one in answer.members]
        return {"error": error, "members": members}
    return {"error": error}


def text(metadata: Metadata) -> Metadata:
    """Return metadata as they are asked about: bytes are written out."""
    return f"0x{metadata.hex()}" if isinstance(metadata, bytes) else metadata


def _without(told: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if key not in usual or value != usual[key]}


def record(written: Any) -> list[Any]:
    """Return a record of the log."""
    if isinstance(written, GroupForgotten):
        return ["forget"]
    if not isinstance(written, GroupWritten):
        return ["commit", *written.items]
    members = {
        one.member_id: [
            one.instance_id,
            one.session_timeout_ms,
            one.rebalance_timeout_ms,
            text(one.metadata),
            one.state,
        ]
        for one in written.members
    }
    return [
        "group",
        written.generation,
        written.protocol_type or "",
        written.protocol,
        written.leader,
        members,
    ]


def timer(key: Hashable) -> str:
    """Return the name of a timer."""
    if isinstance(key, tuple):
        return f"heartbeat-g-{key[1]}"
    return {"rebalance": "join-g", "sync": "sync-g", "cleanup": "expire-group-metadata"}[str(key)]

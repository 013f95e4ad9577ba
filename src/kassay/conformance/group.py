"""Fixtures of the group protocol: the answers of a coordinator and the requests of a member, step by step.

The list of chosen cases (chosen/group.json) has the requests. The answers are computed by the reference state machines, and Kafka's gave
the same. No case depends on chance: no choice of a leader, no two timers that expire at once, no request when a timer expires.
"""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

import kassay
from kassay.conformance.fixture_writer import Doubt
from kassay.conformance.fixtures import FIRST, FORMAT, VERSION
from kassay.errors import InputError
from kassay.files.texts import read_text
from kassay.model.json_text import decode_json
from kassay.protocol.simulation.standalone_coordinator import StandaloneCoordinator
from kassay.protocol.simulation.standalone_member import TICK_MS, StandaloneMember
from kassay.reference.group.behaviour import RELEASES, kafka
from kassay.reference.group.messages import Error

GROUP = "group"
"""The name of these fixtures, next to the names of families."""
NEWEST = RELEASES[-1]
COORDINATOR, MEMBER = "coordinator", "member"
Json = dict[str, Any]
REQUESTS = {"join": "JoinGroup", "sync": "SyncGroup", "heartbeat": "Heartbeat", "leave": "LeaveGroup", "commit": "OffsetCommit", "find": "FindCoordinator"}  # fmt: skip
FIELDS = {
    "member": "memberId", "instance": "groupInstanceId", "session": "sessionTimeoutMs", "rebalance": "rebalanceTimeoutMs", "type": "protocolType",
    "generation": "generationId", "protocol": "protocolName", "leader": "leader", "skip": "skipAssignment", "state": "assignment", "error": "errorCode",
    "items": "topics",
}  # fmt: skip
"""Field names in kassay -> field names in Kafka."""
LOG = {"later": "waits"} | {name: name for name in ("NOT_ENOUGH_REPLICAS", "KAFKA_STORAGE_ERROR", "MESSAGE_TOO_LARGE")}  # fmt: skip
"""Outcomes of an append to the log that is not committed immediately."""


class Chosen(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A chosen case."""

    id: str
    comment: str
    side: str
    settings: Json
    asked: list[Json]
    """Its requests, in the form of kassay.protocol.simulation.standalone_coordinator or standalone_member."""
    recorded: str
    """The name of the recorded answers of Kafka."""
    since: str = FIRST


@dataclass(frozen=True, slots=True)
class RecordedSteps:
    """The actions of a state machine in each step, in the form of the recordings of Kafka."""

    steps: list[Json]
    chance: str = ""
    """The dependence on chance, or ""."""


@cache
def read_chosen_cases() -> tuple[Chosen, ...]:
    """Read the chosen cases; raise InputError with the place of an error."""
    text = resources.files("kassay.conformance").joinpath("chosen/group.json").read_text("utf-8")
    try:
        return tuple(decode_json(text, list[Chosen]))
    except msgspec.ValidationError as wrong:
        raise InputError(f"chosen/group.json: {wrong}") from None


class Watched(StandaloneCoordinator):
    """The reference coordinator, which records dependence on chance."""

    chance = ""

    def _choose(self, allowed: tuple[str, ...]) -> str:
        if len(allowed) > 1:
            self.chance = f"one of {', '.join(allowed)} is chosen by chance"
        return allowed[0]

    def watch(self, asked: Json) -> None:
        """Record that two timers expire at once, or one together with a request."""
        due = sorted(self.timers.values())
        alarms = asked["do"] == "alarm"
        if alarms and (due[0] != asked["now"] or due[1:2] == due[:1]):
            self.chance = f"at {asked['now']} several timers run out"
        if not alarms and due and due[0] <= asked["now"]:
            self.chance = f"at {asked['now']} a timer runs out while something is asked"


def play_coordinator(case: Chosen, release: str, kind: type[Watched] = Watched) -> RecordedSteps:
    """Send the requests of a case to the reference coordinator, or to another kind of coordinator."""
    held = kind(kafka(release), case.settings)
    steps = []
    for asked in case.asked:
        held.watch(asked)
        steps.append({"replies": held.take(asked, None)["replies"]})
    return RecordedSteps(steps, held.chance)


def play_member(case: Chosen, step: Any = None) -> RecordedSteps:
    """Give the events of a case to the reference member, or to a member with another step function.

    Raises LookupError if an event answers a request that the member has not sent.
    """
    alone, steps = StandaloneMember(case.settings, step), []
    for asked in case.asked:
        seen = alone.take(asked)
        if seen["failure"] is not None:  # a failed member does nothing else
            steps.append({"failed": True})
            continue
        # The recordings have neither the search for the coordinator, nor commits when a member closes.
        sent = sorted((one for one in seen["sent"] if one["kind"] != "find"), key=repr)
        commits = {} if asked["do"] == "close" else {"commits": seen["commits"]}
        steps.append(json.loads(json.dumps({"sent": sent, "heard": seen["heard"], **commits})))
    return RecordedSteps(steps)


@cache
def write_group_fixtures() -> str:
    """Return the text of the file of all cases; raise InputError if a case depends on chance."""
    cases = []
    for case in map(_make_case, read_chosen_cases()):
        # A line for each step, without spaces, as there are many.
        steps = ",\n    ".join(json.dumps(step, separators=(",", ":")) for step in case.pop("steps"))
        fields = ",\n  ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in case.items())
        cases.append(f'{{{fields},\n  "steps": [\n    {steps}]}}')
    head = {"format": FORMAT, "version": VERSION, "family": GROUP, "count": len(cases)}
    return f'{json.dumps(head)[:-1]}, "cases": [\n' + ",\n".join(cases) + "\n]}\n"


def _make_case(case: Chosen) -> Json:
    seen = play_coordinator(case, NEWEST) if case.side == COORDINATOR else play_member(case)
    if seen.chance:
        raise InputError(f"chosen/group.json: {case.id}: {seen.chance}. Choose another case")
    if case.side == COORDINATOR:
        source, steps = "GroupCoordinatorShard", list(_list_coordinator_steps(case, seen))
        releases = [release for release in RELEASES if play_coordinator(case, release) == seen]
    else:  # the member is the same in all releases
        source, steps = "ConsumerCoordinator", list(_list_member_steps(case, seen))
        releases = ["3.9.2", "4.1.2", "4.4.0"]
    return {
        "id": case.id, "comment": case.comment, "side": case.side, "needs": find_needs(case), "source": source,
        "since": case.since, "releases": releases, "settings": _write_settings(case), "steps": steps,
    }  # fmt: skip


def find_needs(case: Chosen) -> list[str]:
    """Return the abilities that a case requires of a harness or of the code under test."""
    names = [
        name
        for asked in case.asked
        for name in (
            [name for _, name in asked["members"]] if asked["do"] == "leave" else [asked.get("instance")]
        )
    ]
    has = {
        "static": any(names) or bool(case.settings.get("instance")),
        "log": any(asked.get("outcome") in LOG or asked["do"] in ("written", "timed out") for asked in case.asked),
        "fail_over": any(asked["do"] == "fail over" for asked in case.asked),
        "initial_delay": bool(case.settings.get("delay")),
        "max_size": case.settings.get("max") is not None,
        "cooperative": bool(case.settings.get("cooperative")),
    }  # fmt: skip
    return [need for need, wanted in has.items() if wanted]


def _write_settings(case: Chosen) -> Json:
    own = case.settings
    if case.side == COORDINATOR:
        return {"group.initial.rebalance.delay.ms": own["delay"], "group.max.size": own["max"]}
    strategy = "cooperative-sticky" if own["cooperative"] else "sticky"
    return {
        "partition.assignment.strategy": strategy, "group.instance.id": own["instance"], "session.timeout.ms": own["session"],
        "heartbeat.interval.ms": own["heartbeat"], "max.poll.interval.ms": own["rebalance"], "retry.backoff.ms": own["retry"],
        "retry.backoff.max.ms": own["retry"], "request.timeout.ms": own["request"], "topics": own["topics"],
    }  # fmt: skip


def _list_coordinator_steps(case: Chosen, seen: RecordedSteps) -> Iterator[Json]:
    """Yield the requests with the answers that follow, without time in which nothing happens."""
    requests = {asked["token"]: asked["do"] for asked in case.asked if "token" in asked}
    for asked, then in zip(case.asked, seen.steps, strict=True):
        answers = {str(token): write_response(requests[token], reply) for token, reply in then["replies"]}
        step: Json = {"at": asked["now"]}
        if "token" in asked:
            step |= {"ask": asked["token"], "request": REQUESTS[asked["do"]], **_write_request(asked)}
            step |= {"log": LOG[asked["outcome"]]} if asked["outcome"] in LOG else {}
        elif asked["do"] == "fail over":
            step |= {"fail_over": {"crashes": asked["crashes"], "committed_first": asked["kept"]}}
        elif asked["do"] in ("written", "timed out"):
            step |= {
                "log": "commits the oldest" if asked["do"] == "written" else "takes too long over the oldest"
            }
        elif not answers:
            continue
        yield step | {"answers": answers}


def _list_member_steps(case: Chosen, seen: RecordedSteps) -> Iterator[Json]:
    """Yield the events with the reaction of the member, without time in which it does nothing."""
    at = 0
    for asked, then in zip(case.asked, seen.steps, strict=True):
        at += TICK_MS * (asked["do"] == "wait")
        requests = [
            {"request": REQUESTS[one["kind"]], **_write_request(one | {"do": one["kind"]})}
            for one in then.get("sent", ())
        ]
        tells = [*then.get("heard", ()), *then.get("commits", ())]
        does = {"sends": requests, "tells": tells, "fails": then.get("failed")}
        does = {key: value for key, value in does.items() if value}
        if asked["do"] == "answer":
            told = {"answers": REQUESTS[asked["kind"]], **write_response(asked["kind"], asked)}
        else:
            told = {"event": asked["do"], **{key: asked[key] for key in ("topics", "items") if key in asked}}
        if does or asked["do"] != "wait":
            yield {"at": at, **({} if asked["do"] == "wait" else told), **does}


def _write_request(asked: Json) -> Json:
    """Return a request with Kafka's field names."""
    told = {"version": asked["version"]} if "version" in asked else {}
    told |= {FIELDS[key]: value for key, value in asked.items() if key in FIELDS}
    if asked["do"] == "leave":
        told["members"] = [{"memberId": id_, "groupInstanceId": name} for id_, name in asked["members"]]
    if "protocols" in asked:
        told["protocols"] = [
            {"name": name, "metadata": _write_metadata(*metadata)} for name, *metadata in asked["protocols"]
        ]
    if "states" in asked:
        told["assignments"] = [
            {"memberId": id_, "assignment": state} for id_, state in asked["states"].items()
        ]
    return told


def _write_metadata(*metadata: Any) -> Any:
    """Return the metadata of a protocol: a text, or a subscription with Kafka's field names."""
    if len(metadata) == 1:
        return metadata[0]
    topics, owned, generation = metadata
    told = {"topics": topics, "ownedPartitions": owned}
    return told if generation is None else told | {"generationId": generation}


def write_response(kind: str, reply: Mapping[str, Any]) -> Json:
    """Return a response with Kafka's field names; an error has only its code, and the id of a new member."""
    refused = reply["error"] != Error.NONE.value
    if refused:
        given = reply["error"] == Error.MEMBER_ID_REQUIRED.value
        return {"errorCode": reply["error"]} | ({"memberId": reply["member"]} if given else {})
    told = {FIELDS[key]: value for key, value in reply.items() if key in FIELDS and key != "items"}
    if kind == "join":
        listed = reply["members"]
        joined = [[id_, *both] for id_, both in listed.items()] if isinstance(listed, dict) else listed
        told["members"] = [
            {"memberId": id_, "groupInstanceId": instance, "metadata": _write_metadata(*metadata)}
            for id_, instance, *metadata in sorted(joined)
        ]
    elif kind == "leave" and "members" in reply:
        told["members"] = [{"memberId": id_, "groupInstanceId": name, "errorCode": error} for id_, name, error in reply["members"]]  # fmt: skip
    return told


def find_problems(folder: Path, *, classes: bool) -> Iterator[Doubt]:
    """Yield the problems: a file that differs from the state machines and, with `classes`, recordings of Kafka that do."""
    path = folder / f"{GROUP}.json"
    if read_text(str(path)) != write_group_fixtures():
        yield Doubt("", f"is not what `kassay fixtures write {GROUP}` makes. Write it again")
    if classes:
        yield from (Doubt(case, says) for case, says in compare_recordings())


def compare_recordings() -> Iterator[tuple[str, str]]:
    """Yield each case whose recording of Kafka differs, with the difference; raise InputError outside the repository."""
    for case in read_chosen_cases():
        found = False
        for release in RELEASES:
            steps = _read_recordings(case.side, release).get(case.recorded)
            if steps is None:
                continue
            found = True
            ours = play_coordinator(case, release) if case.side == COORDINATOR else play_member(case)
            for number, (asked, then) in enumerate(zip(case.asked, ours.steps, strict=True)):
                theirs, seen = steps[number]
                did = {key: seen.get(key, []) for key in then}
                if theirs != asked or did != then:
                    yield (
                        case.id,
                        f"{release}, step {number}: Kafka's was asked {theirs} and did {did}, ours {then}",
                    )
                    break
        if not found:
            yield case.id, f"{case.recorded} is recorded of no release"


@cache
def _read_recordings(side: str, release: str) -> dict[str, list[Any]]:
    clones = Path.cwd(), Path(kassay.__file__).parents[2]
    folder = next(
        (clone / "parity" / side / "recorded" for clone in clones if (clone / "parity" / side).is_dir()), None
    )
    if folder is None:
        raise InputError(
            "--classes: what Kafka's coordinators did is recorded in kassay's repository alone. Run it in a clone"
        )
    if side == MEMBER:
        path = folder / f"{release}.json.gz"
        every = json.loads(gzip.decompress(path.read_bytes())) if path.exists() else {}
        return {seed: one["steps"] for seed, one in every.items()}
    lines = map(json.loads, (folder / f"{release}.jsonl").read_text("utf-8").splitlines()[1:])
    return {one.get("name") or one["seed"]: one["steps"] for one in lines}

"""Group fixtures at an external coordinator, whose answers and their times are compared with the reference.

The reference has the settings of the broker. If these are the settings of the case, its answers are equal to group.json.
"""

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from msgspec.structs import replace

from kassay.conformance.group import COORDINATOR, Chosen, find_needs, write_response
from kassay.errors import InputError, TargetGoneError
from kassay.protocol.server.api_messages import Api
from kassay.protocol.server.coordinator_comparison import Reference, build_plain_metadata
from kassay.protocol.server.coordinator_watch import CoordinatorWatch
from kassay.protocol.server.external_cluster import BrokerConnection, Cluster, NoResponseError
from kassay.protocol.server.message_codec import Names, decode_response, encode_request
from kassay.protocol.simulation import standalone_coordinator as seen
from kassay.protocol.simulation.standalone_coordinator import parse_request
from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.messages import (
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeavingMember,
    Protocol,
    SyncGroup,
)
from kassay.reference.wire.schema import MalformedError

CHECK = "answers"
EARLY_MS, LATE_MS = 500, 3_000
"""The time by which an answer may be earlier or later than the answer of the reference."""
LONGEST_S = 90.0
"""The longest time to wait for an answer."""
APART_S = 0.05
"""The time between simultaneous requests, so that they arrive in their order."""
PAUSE_MS = 700
"""The time to wait after a timer of the reference, because the timer of the broker expires later."""
CLIENT, NOBODY = "client", "nobody"
ELSEWHERE = {"log": "its log is held back or refuses", "fail_over": "another node takes over"}
"""Needs of cases that no client can meet -> description."""
SINCE = {Api.JOIN_GROUP: 5, Api.SYNC_GROUP: 3, Api.HEARTBEAT: 3, Api.LEAVE_GROUP: 3}
"""The first version of each request with static members."""
UNSAID = {(Api.JOIN_GROUP, "protocolType"): 7, (Api.SYNC_GROUP, "protocolType"): 5, (Api.SYNC_GROUP, "protocolName"): 5, (Api.LEAVE_GROUP, "members"): 3}  # fmt: skip
"""Fields of answers -> the first version that has them."""


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker."""

    delay_ms: int
    """Its group.initial.rebalance.delay.ms."""
    max_size: int | None
    """Its group.max.size."""
    like: Behaviour
    """The behaviour of the reference coordinator."""


@dataclass(frozen=True, slots=True)
class Step:
    """A request with the reference's answer and its time; both are None if there is no answer."""

    at: int
    token: int
    kind: str
    version: int | None
    request: Any
    before: frozenset[int]
    """The requests that are answered before this one is sent."""
    pauses: bool
    """True if a timer has just expired, so that this request must wait."""
    answer: Any = None
    due: int | None = None


async def play_cases(cluster: Cluster, cases: Sequence[Chosen], patterns: Sequence[str], broker: Broker) -> list[tuple[Chosen, dict[str, str] | str]]:  # fmt: skip
    """Play all cases at once, each in its own group, and return the first difference of each, or why it was not played.

    Cases with differences are played a second time. All groups are deleted. Raises TargetGoneError as soon as the coordinator is dead.
    """
    await cluster.open()
    watch = CoordinatorWatch(cluster.place)
    groups: list[str] = []

    async def one(case: Chosen) -> dict[str, str] | str:
        steps = build_steps(case, broker, cluster.versions)
        if isinstance(steps, str):
            return steps
        groups.append(f"{cluster.prefix}-{len(groups)}")
        wrong = [each async for each in _Playback(cluster, groups[-1], steps).find_differences()]
        if not wrong:
            return {CHECK: ""}
        first = min(wrong, key=lambda one: one[0])[1]
        more = f" (and {len(wrong) - 1} more, which may follow from that)" if len(wrong) > 1 else ""
        return {CHECK: first + more}

    chosen = [
        case
        for case in cases
        if case.side == COORDINATOR and (not patterns or any(fnmatchcase(case.id, one) for one in patterns))
    ]

    async def every() -> list[dict[str, str] | str]:
        found = await asyncio.gather(*map(one, chosen))
        again = [number for number, said in enumerate(found) if isinstance(said, dict) and said[CHECK]]
        for number, said in zip(again, await asyncio.gather(*(one(chosen[at]) for at in again)), strict=True):
            found[number] = said
        return found

    playing, dead = asyncio.ensure_future(every()), ""
    try:
        await asyncio.wait({playing, watch.dying}, return_when=asyncio.FIRST_COMPLETED)
        dead = await watch.check_life()
        if dead:
            raise TargetGoneError(f"{cluster.place} died: {dead}. Look into its log, and start it again.")
        return list(zip(chosen, await playing, strict=True))
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        await watch.stop()
        if not dead:  # a dead coordinator deletes nothing
            await cluster.close(groups)


def build_steps(case: Chosen, broker: Broker, versions: Mapping[int, int]) -> tuple[Step, ...] | str:
    """Return the requests of a case with the reference's answers, or why a broker with these versions cannot play it."""
    wanted = find_needs(case)
    lacks = [words for need, words in ELSEWHERE.items() if need in wanted]
    if lacks:
        return f"no client can bring about that {' and '.join(lacks)}"
    if case.settings["max"] != broker.max_size and "max_size" in wanted:
        return f"asks for group.max.size={case.settings['max']}. Say --max-size where the broker has that"
    if "static" in wanted and any(versions[api] < since for api, since in SINCE.items()):
        return "these versions have no static members"
    reference = Reference(
        replace(broker.like, initial_delay_ms=broker.delay_ms, group_max_size=broker.max_size)
    )
    steps = []
    for one in case.asked:
        if "token" in one:
            reference.until(one["now"])
            version = None  # any version
            if one["do"] == "join":
                version = min(one["version"], versions[Api.JOIN_GROUP])
            elif one["do"] == "sync" and one["protocol"] is None:
                # Versions with a protocol field refuse a request without it.
                version = min(UNSAID[Api.SYNC_GROUP, "protocolName"] - 1, versions[Api.SYNC_GROUP])
            sent = _adapt(parse_request(one), version, versions)
            before = frozenset(reference.answers)
            told = {getattr(answer, "member_id", "") for answer in reference.answers.values()}
            named = {getattr(sent, "member_id", ""), *(name for name, _ in getattr(sent, "states", ()))}
            named.update(member.member_id for member in getattr(sent, "members", ()))
            if not named <= {"", NOBODY, *told}:
                return f"with an initial delay of {broker.delay_ms} ms an id is used before it is told"
            pauses = reference.rang_at is not None and one["now"] - PAUSE_MS < reference.rang_at
            steps.append(Step(one["now"], one["token"], one["do"], version, sent, before, pauses))
            reference.take(one["token"], sent)
    reference.until(case.asked[-1]["now"])
    if reference.is_chance:
        return f"with an initial delay of {broker.delay_ms} ms what is answered is left to chance"
    answers, due = reference.answers, reference.answered_at
    return tuple(
        dataclasses.replace(step, answer=answers.get(step.token), due=due.get(step.token)) for step in steps
    )


def _adapt(one: Any, version: int | None, versions: Mapping[int, int]) -> Any:
    """Return a request with metadata that consumers can decode, and without fields that the version lacks."""
    if isinstance(one, JoinGroup):
        assert version is not None
        protocols = tuple(
            Protocol(each.name, build_plain_metadata(str(each.metadata))) for each in one.protocols
        )
        return replace(
            one, client_id=CLIENT, protocols=protocols, known_id_required=version >= 4, skips_assignment=version >= 9
        )  # fmt: skip
    if isinstance(one, SyncGroup) and versions[Api.SYNC_GROUP] < UNSAID[Api.SYNC_GROUP, "protocolName"]:
        return replace(one, protocol=None, protocol_type=None)
    return one


class _Playback:
    def __init__(self, cluster: Cluster, group: str, steps: Sequence[Step]) -> None:
        self._cluster, self._group, self._steps = cluster, group, steps
        self._names = Names(max(1, cluster.partitions))
        self._names.call(NOBODY, NOBODY)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._came: dict[int, int] = {}
        self._said: dict[int, Any] = {}
        self._lines: list[BrokerConnection] = []
        self._behind = 0
        """The milliseconds by which requests are late, because timers had just expired."""

    async def find_differences(self) -> AsyncIterator[tuple[int, str]]:
        """Play the case; yield the time and the text of each difference."""
        self._began = asyncio.get_running_loop().time()
        try:
            for number, step in enumerate(self._steps):
                self._behind += step.pauses * PAUSE_MS
                await self._wait_until(step.at + self._behind)
                await self._wait_for([one for one in self._steps[:number] if one.token in step.before])
                self._tasks[step.token] = asyncio.ensure_future(self._ask(step))
                await asyncio.sleep(APART_S)
            await self._wait_until(
                max((one.due or one.at for one in self._steps), default=0) + self._behind + EARLY_MS
            )
            await self._wait_for([one for one in self._steps if one.due is not None])
            for step in self._steps:
                for difference in self._compare(step):
                    yield step.at if step.due is None else step.due, f"{step.kind} {step.token} {difference}"
            with suppress(NoResponseError):  # all members leave, so that the group ends
                line = await self._cluster.dial_coordinator(self._group)
                self._lines.append(line)
                for long in self._names.ids() - {NOBODY}:
                    leaving = LeaveGroup(members=(LeavingMember(long, None),))
                    await line.ask(*encode_request(leaving, self._group, self._names))
        finally:
            for task in self._tasks.values():
                task.cancel()
            for line in self._lines:
                line.close()

    @property
    def _now(self) -> int:
        return int((asyncio.get_running_loop().time() - self._began) * 1000)

    async def _wait_until(self, at: int) -> None:
        await asyncio.sleep(max(0, at - self._now) / 1000)

    async def _wait_for(self, steps: Sequence[Step]) -> None:
        """Wait for due answers as long as they may be late."""
        waiting = [self._tasks[one.token] for one in steps if one.token not in self._came]
        if waiting:
            await asyncio.wait(waiting, timeout=LATE_MS / 1000)

    async def _ask(self, step: Step) -> None:
        try:
            api, body = encode_request(step.request, self._group, self._names)
            line = await self._cluster.dial_coordinator(self._group)
            self._lines.append(line)
            if step.version is not None:
                line.versions = {**line.versions, api: step.version}
            value = await line.ask(api, body, LONGEST_S)
            if isinstance(step.answer, JoinGroupResponse):
                self._names.call(getattr(value, "member_id", ""), step.answer.member_id)
            self._said[step.token] = value
        except (NoResponseError, InputError) as wrong:
            self._said[step.token] = str(wrong)
        self._came[step.token] = self._now

    def _compare(self, step: Step) -> Iterator[str]:
        said = self._said.get(step.token)
        if said is None or step.due is None:
            if said is not None:
                yield f"is answered after {self._came[step.token]} ms, where it never is"
            elif step.due is not None:
                yield f"is not answered, where it is after {step.due} ms"
            return
        if isinstance(said, str):
            yield f"is not answered: {said}"
            return
        try:
            theirs = self._name_fields(step, decode_response(step.request, said, self._names))
            ours = self._name_fields(step, step.answer)
        except MalformedError as wrong:
            yield f"is answered by what cannot be read: {wrong}"
            return
        if theirs != ours:
            refused = theirs["errorCode"] != ours["errorCode"]
            differ = (
                ["errorCode"]
                if refused
                else [key for key in {**ours, **theirs} if theirs.get(key) != ours.get(key)]
            )
            yield ", ".join(
                f"{key} is {_shorten(theirs.get(key))} instead of {_shorten(ours.get(key))}" for key in differ
            )
        came = self._came[step.token]
        if came < step.due - EARLY_MS:
            yield f"is answered after {came} ms instead of {step.due}"
        if came > step.due + self._behind + LATE_MS:
            yield f"is answered after {came} ms instead of {step.due}"

    def _name_fields(self, step: Step, response: Any) -> dict[str, Any]:
        """Return the fields of an answer by Kafka's names, without fields that the version lacks."""
        api, _ = encode_request(step.request, self._group, Names(1))
        version = step.version if step.version is not None else self._cluster.versions[api]
        told = write_response(step.kind, seen.describe_response(response))
        for (of, field), since in UNSAID.items():
            if of is api and version < since:
                told.pop(field, None)
        return told


def _shorten(value: Any) -> str:
    """Return a value as text, members by their ids."""
    if not isinstance(value, list):
        return repr(value)
    ids = [one["memberId"] + (f"={one['errorCode']}" if "errorCode" in one else "") for one in value]
    return " ".join(ids) or "none"

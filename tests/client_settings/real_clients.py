"""Real clients as members of groups at kassay's coordinator, started with the lines that kassay prints."""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from msgspec.structs import replace
from over_the_wire.machine_broker import Broker

from kassay.comparison.client_settings import describe_change, read_clients
from kassay.comparison.client_settings.cells import is_before, write_lines
from kassay.comparison.client_settings.changes import COOPERATIVE
from kassay.protocol.server.api_messages import Api
from kassay.protocol.server.client_process import Reply
from kassay.reference.group import coordinator
from kassay.reference.group.behaviour import kafka

INCONSISTENT = 23
MEMBER_ID_REQUIRED = 79
FETCH_S = 0.3
"""The time after which a Fetch request is answered: there are no records."""
START_S = 120.0
"""The most time until a client has joined, or has refused its line."""
STRATEGIES = ("range", "roundrobin", "sticky", "cooperative-sticky")


@dataclass(frozen=True)
class Join:
    """One JoinGroup request and its answer."""

    group: str
    client_id: str
    offered: tuple[str, ...]
    error: int
    chosen: str


class Recorder(Broker):
    """A broker with kassay's coordinator, which records how members join."""

    def __init__(self):
        behaviour = replace(kafka("4.4.0"), initial_delay_ms=0)
        super().__init__(
            SimpleNamespace(
                load=partial(coordinator.load, behaviour),
                step_coordinator=partial(coordinator.step, behaviour),
            )
        )
        self.joins: list[Join] = []

    def take(self, request, reply):
        if request.api is Api.JOIN_GROUP:
            reply = Reply(partial(self._record, request, reply.send), reply.is_open, reply.drop)
        if request.api is Api.FETCH:
            send = reply.send
            reply = Reply(
                lambda value: asyncio.get_running_loop().call_later(FETCH_S, send, value),
                reply.is_open,
                reply.drop,
            )
        super().take(request, reply)

    def _record(self, request, send, value):
        body = request.body
        offered = tuple(one.name for one in body.protocols)
        chosen = value.protocol_name or ""
        self.joins.append(
            Join(body.group_id, request.client_id or "", offered, int(value.error_code), chosen)
        )
        send(value)


@contextmanager
def run_coordinator(kind: Callable[[], Recorder] = Recorder):
    """Yield a recorder of a kind and its address while it serves in a thread of its own."""
    recorder, ready, address = kind(), threading.Event(), []
    stopping: list[Callable[[], object]] = []

    async def serve():
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        stopping.append(lambda: loop.call_soon_threadsafe(stop.set))
        address.append(await recorder.open())
        ready.set()
        await stop.wait()
        recorder.server.close()
        await asyncio.sleep(0.05)  # so that sockets are closed before the loop is

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(10)
    try:
        yield recorder, address[0]
    finally:
        stopping[0]()
        thread.join()


Command = Callable[[Sequence[str], Path], Sequence[str]]
"""Writes the program of a member with these lines into a folder, and returns its command."""


@dataclass
class Member:
    """A running client, and the end of it if it ended by itself."""

    group: str
    process: subprocess.Popen
    output: Path

    def read_refusal(self):
        """Return what it wrote if it has ended, None while it runs."""
        return None if self.process.poll() is None else self.output.read_text(errors="replace")


@dataclass
class Stage:
    """The coordinator, and the members that were started at it."""

    recorder: Recorder
    address: str
    folder: Path
    members: list[Member] = field(default_factory=list)

    def start(self, command: Command, group: str, lines: Sequence[str]) -> Member:
        """Start a member of a group with these lines."""
        own = self.folder / f"member{len(self.members)}"
        own.mkdir()
        environment = {
            **os.environ, "KASSAY_BOOTSTRAP": self.address, "KASSAY_GROUP": group, "KASSAY_TOPICS": "t00",
        }  # fmt: skip
        output = own / "output"
        with output.open("wb") as sink:
            process = subprocess.Popen(
                command(lines, own),
                stdout=sink,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        member = Member(group, process, output)
        self.members.append(member)
        return member

    def list_joins(self, group: str) -> list[Join]:
        """Return how members joined a group, without the requests that only ask for a member id."""
        return [one for one in self.recorder.joins if one.group == group and one.error != MEMBER_ID_REQUIRED]

    def wait(self, done: Callable[[], bool], what: str) -> None:
        """Wait until something is so; raise AssertionError with what the members wrote if it never is."""
        end = time.monotonic() + START_S
        while not done():
            if time.monotonic() > end:
                wrote = [one.output.read_text(errors="replace")[-500:] for one in self.members]
                raise AssertionError(f"{what}: {self.recorder.joins} {wrote}")
            time.sleep(0.05)


@contextmanager
def open_stage(kind: Callable[[], Recorder] = Recorder):
    """Yield a stage with a recorder of a kind; end its members."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        recorder, address = stack.enter_context(run_coordinator(kind))
        stage = Stage(recorder, address, folder)
        try:
            yield stage
        finally:
            for member in stage.members:
                member.process.kill()
                member.process.wait()


@dataclass
class Observed:
    """The outcome of the printed lines of one client."""

    offered: dict[tuple[str, ...], set[tuple[str, ...]]] = field(default_factory=dict)
    """The lists that members offered, by the strategies that their lines set."""
    beside: dict[tuple[tuple[str, ...], tuple[str, ...]], set[tuple[int, str]]] = field(default_factory=dict)
    """The errors and the strategies chosen for a second member, by the lists of the first and the second one."""
    mixed: str | None = None
    """The refusal of a list of both kinds, "" if the client took it, None if there is no such list."""
    client_ids: set[str] = field(default_factory=set)
    default: set[tuple[str, ...]] = field(default_factory=set)
    """The lists that a member without a line offered."""
    beside_default: set[tuple[int, str]] = field(default_factory=set)
    """The errors and the strategies chosen when a member with the line for cooperative-sticky joins it."""


def record_client(client: str, command: Command) -> Observed:
    """Start members with every line of a client, alone and together with others, and one without a line."""
    found = Observed()
    with open_stage() as stage:
        _record_lines(client, command, stage, found)
        _record_default(client, command, stage, found)
        _record_mixed(client, command, stage, found)
        found.client_ids = {one.client_id for one in stage.recorder.joins}
    return found


def _record_lines(client: str, command: Command, stage: Stage, found: Observed) -> None:
    """Start a member with each line, and then the members that join one of them."""
    known = read_clients()[client]
    pairs = {f"pair{n}": pair for n, pair in enumerate(list_pairs(client))}
    singles = {f"single{n}": (name,) for n, name in enumerate(list_strategies(client))}
    firsts = {**singles, **{group: old for group, (old, _) in pairs.items()}}
    for group, names in firsts.items():
        stage.start(command, group, write_lines(known, names))
    for group, names in firsts.items():
        stage.wait(
            lambda group=group: any(not one.error for one in stage.list_joins(group)), f"{client} {names}"
        )
        found.offered.setdefault(names, set()).update(one.offered for one in stage.list_joins(group))
    counts = {}
    for group, (_, new) in pairs.items():
        counts[group] = len(stage.list_joins(group))
        stage.start(command, group, write_lines(known, new))
    for group, (old, new) in pairs.items():

        def second(group=group, old=old):
            return [one for one in stage.list_joins(group)[counts[group] :] if one.offered != old]

        stage.wait(
            lambda second=second, new=new: any(one.offered == new for one in second()),
            f"{client} {new} beside {old}",
        )
        found.offered.setdefault(new, set()).update(one.offered for one in second())
        found.beside[old, new] = {(one.error, one.chosen) for one in second() if one.offered == new}


def _record_default(client: str, command: Command, stage: Stage, found: Observed) -> None:
    """Start a member without a line, and let one with the line for cooperative-sticky join it."""
    stage.start(command, "default", ())
    stage.wait(lambda: any(not one.error for one in stage.list_joins("default")), f"{client} without a line")
    found.default = {one.offered for one in stage.list_joins("default")}
    final = ("cooperative-sticky",)
    if final[0] not in list_strategies(client):
        return
    before = len(stage.list_joins("default"))
    stage.start(command, "default", write_lines(read_clients()[client], final))

    def second():
        return [one for one in stage.list_joins("default")[before:] if one.offered == final]

    stage.wait(lambda: bool(second()), f"{client} with the final line and its default")
    found.beside_default = {(one.error, one.chosen) for one in second()}


def _record_mixed(client: str, command: Command, stage: Stage, found: Observed) -> None:
    """Start a member with a list of both kinds, if the client has both and takes lists."""
    known = read_clients()[client]
    eager = [name for name in list_strategies(client) if name not in COOPERATIVE]
    if set(list_strategies(client)) <= set(eager) or not eager or not known.line.lists:
        return
    both = ("cooperative-sticky", eager[0])
    member = stage.start(command, "mixed", write_lines(known, both))
    stage.wait(
        lambda: member.read_refusal() is not None or bool(stage.list_joins("mixed")), f"{client} mixed"
    )
    found.mixed = member.read_refusal() or ""
    found.offered.setdefault(both, set()).update(one.offered for one in stage.list_joins("mixed"))


def list_strategies(client: str) -> list[str]:
    """Return the strategies of Kafka that a client has, and its own ones if it has none of them."""
    settable = read_clients()[client].settable
    return [name for name in STRATEGIES if name in settable] or [*settable]


def list_pairs(client: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return lists that meet while a group changes: the list of a member, and the list of the next one.

    From eager to eager, a member with the printed list joins one with the old list. From eager to cooperative-sticky, the group must refuse
    the final line. It must take the first of two lists, if there is one, and then the final line.
    """
    known = read_clients()[client]
    eager = [name for name in list_strategies(client) if name not in COOPERATIVE]
    pairs = []
    if len(eager) > 1 and known.line.lists:
        assert describe_change(client, eager[1], eager[0], members=2).method == "one rolling restart"
        pairs.append(((eager[0],), (eager[1], eager[0])))
    if "cooperative-sticky" in known.settable and eager:
        new = ("cooperative-sticky",)
        pairs.append(((eager[0],), new))
        if describe_change(client, new[0], eager[0], members=2).first_lines:
            both = (new[0], eager[0])
            pairs += [((eager[0],), both), (both, new)]
    return pairs


ONE_BY_ONE = {"aiokafka"}
"""Clients that first send the beginnings of their list: aiokafka 0.14.0 sends JoinGroup within its loop over the list."""


def check(client: str, found: Observed, release: str = "") -> None:
    """Assert that a client of a release, the newest if it is not given, does with the printed lines what the data say."""
    known = read_clients()[client]
    default = [one.strategies for one in known.defaults if not is_before(release, one.since)][-1]
    assert found.default == {default}, (client, found.default)
    if found.beside_default:
        taken = (0, "cooperative-sticky") in found.beside_default
        assert taken == ("cooperative-sticky" in default), (client, found.beside_default)
    for names, offered in found.offered.items():
        shorter = {names[:n] for n in range(1, len(names))} if client in ONE_BY_ONE else set()
        assert offered - shorter in ({names}, set()), (client, names, offered)
    assert {(name,) for name in list_strategies(client)} <= found.offered.keys()
    for (old, new), outcomes in found.beside.items():
        common = [name for name in new if name in old]
        if common:
            # While an old member is left, the group goes on with the name that both have.
            assert (0, common[0]) in outcomes, (client, old, new, outcomes)
            assert INCONSISTENT not in {error for error, _ in outcomes}
        else:
            assert {error for error, _ in outcomes} == {INCONSISTENT}, (client, old, new, outcomes)
    if found.mixed is not None:
        assert known.mixing.allowed == (found.mixed == ""), (client, found.mixed)
        assert known.mixing.allowed or known.mixing.says in re.sub(r"\s+", " ", found.mixed)


def split_lines(lines: Sequence[str], key: str) -> tuple[str, str]:
    """Return the imports and the setting of lines, which begins with a key."""
    if not lines:
        return "", ""
    start = next(n for n, line in enumerate(lines) if key in line and "import" not in line)
    return "\n".join(lines[:start]), "\n".join(lines[start:])


def write_python(template: str, key: str) -> Command:
    """Return what writes a program in Python, with the lines where its template has them."""

    def command(lines: Sequence[str], folder: Path) -> Sequence[str]:
        imports, setting = split_lines(lines, key)
        program = folder / "member.py"
        program.write_text(template.replace("# imports", imports).replace("# setting", setting))
        return [sys.executable, str(program)]

    return command


KAFKA_PYTHON = """
import os
from kafka import KafkaConsumer
# imports
consumer = KafkaConsumer(
    os.environ["KASSAY_TOPICS"], bootstrap_servers=os.environ["KASSAY_BOOTSTRAP"], group_id=os.environ["KASSAY_GROUP"],
    heartbeat_interval_ms=200,
# setting
)
while True:
    consumer.poll(30_000)  # 3.0.12 may lose its SyncGroup, and never join again, if a poll ends before the answer
"""
AIOKAFKA = """
import asyncio, os
from aiokafka import AIOKafkaConsumer
# imports
async def consume():
    consumer = AIOKafkaConsumer(
        os.environ["KASSAY_TOPICS"], bootstrap_servers=os.environ["KASSAY_BOOTSTRAP"], group_id=os.environ["KASSAY_GROUP"],
        heartbeat_interval_ms=200,
# setting
    )
    async with consumer:
        async for _ in consumer:
            pass
asyncio.run(consume())
"""
LIBRDKAFKA = """
import os
from confluent_kafka import Consumer
# imports
consumer = Consumer({
    "bootstrap.servers": os.environ["KASSAY_BOOTSTRAP"], "group.id": os.environ["KASSAY_GROUP"],
    "heartbeat.interval.ms": 200,
# setting
})
consumer.subscribe([os.environ["KASSAY_TOPICS"]])
while True:
    consumer.poll(0.2)
"""
PYTHON = {
    "kafka-python": write_python(KAFKA_PYTHON, "partition_assignment_strategy"),
    "aiokafka": write_python(AIOKAFKA, "partition_assignment_strategy"),
    "confluent-kafka-python": write_python(LIBRDKAFKA, "partition.assignment.strategy"),
}

"""A client that is the reference's member, or a mutant of it, behind a socket, in place of a process; it fetches what it owns."""

import asyncio
from datetime import timedelta

from kio.schema.types import TopicName

from kassay.model import Topic
from kassay.protocol.server.addresses import Place
from kassay.protocol.server.api_messages import Api, build_message
from kassay.protocol.server.external_cluster import ASKED, NoResponseError, connect
from kassay.protocol.server.message_codec import (
    METADATA,
    Names,
    decode_response,
    encode_request,
    read_metadata,
    read_state,
)
from kassay.reference.group.member import Config, create_member, patience_ms, step
from kassay.reference.group.member.state import Started
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    CancelTimer,
    FindCoordinator,
    FindCoordinatorResponse,
    NotAnswered,
    Send,
    SetTimer,
)
from kassay.reference.group.uses.consumer import Subscription

NODE = 0


class Bytes(Names):
    """Reads what others have written, too."""

    def read(self, data, of):
        return read_metadata(data) if of == METADATA else read_state(data)


class MachineClient:
    """Stands for a process that is started with these variables."""

    pid = 0

    def __init__(self, use, told, change=step, fetches=lambda member: member.owned):
        host, port = told["KASSAY_BOOTSTRAP"].split(":")
        self.place, self.group, self.step, self.fetches = (
            Place(host, int(port)),
            told["KASSAY_GROUP"],
            change,
            fetches,
        )
        topics = tuple(told["KASSAY_TOPICS"].split(","))
        config = Config(
            client_id="c", session_timeout_ms=10_000, rebalance_timeout_ms=20_000, request_timeout_ms=8_000
        )
        self.member = create_member(
            use, config, Subscription(topics=topics), tuple(Topic(name, 4) for name in topics)
        )
        self.names, self.timers, self.tasks, self.lines = Bytes(4), {}, set(), []
        self.held = None
        self.tell(Started())
        self.do(self.fetch_records())

    def do(self, what):
        task = asyncio.ensure_future(what)
        self.tasks.add(task)

    def tell(self, event):
        if self.held is not None:
            self.held.append(event)
            return
        taken = self.step(self.member, event)
        self.member = taken.state
        for effect in taken.effects:
            match effect:
                case Send(token, request, _):
                    self.do(self.ask(token, request))
                case SetTimer(key, delay):
                    self.cancel(key)
                    self.timers[key] = asyncio.get_running_loop().call_later(
                        delay / 1000, self.tell, Alarm(key)
                    )
                case CancelTimer(key):
                    self.cancel(key)

    def cancel(self, key):
        timer = self.timers.pop(key, None)
        if timer:
            timer.cancel()

    async def connect(self):
        line = await connect(self.place, lambda _: None)
        self.lines.append(line)
        return line

    async def ask(self, token, request):
        line = None
        try:
            line = await self.connect()
            if isinstance(request, FindCoordinator):
                value = await line.ask(
                    Api.FIND_COORDINATOR,
                    lambda kinds, _: build_message(
                        kinds.FindCoordinatorRequest, key="g", key_type=0, coordinator_keys=("g",)
                    ),
                    8,
                )
                one = value.coordinators[0]
                response = FindCoordinatorResponse(node=int(one.node_id) if int(one.node_id) >= 0 else None)
            else:
                value = await line.ask(
                    *encode_request(request, self.group, self.names),
                    patience_ms(self.member.config, request) / 1000,
                )
                response = decode_response(request, value, self.names)
        except NoResponseError:
            if line is not None:
                line.close()
            self.tell(NotAnswered(token))
        else:
            line.close()
            self.tell(Answered(token, response))

    async def fetch_records(self):
        line = await self.connect()
        line.versions = {**line.versions, Api.FETCH: 12}
        while True:
            wanted = [] if self.held is not None else list(self.fetches(self.member))
            if wanted:
                await line.ask(Api.FETCH, lambda kinds, _, wanted=wanted: fetch(kinds, wanted), 8)
            await asyncio.sleep(0.2)

    def signal(self, which):
        held, self.held = self.held, ([] if which.name == "SIGSTOP" else None)
        for event in held or ():
            self.tell(event)

    def last_words(self):
        return ""

    async def end(self):
        for task in self.tasks:
            task.cancel()
        for key in [*self.timers]:
            self.cancel(key)
        for line in self.lines:
            line.close()


def fetch(kinds, items):
    """Ask for records of these partitions."""
    topics = tuple(
        build_message(
            kinds.FetchTopic,
            topic=TopicName(item.topic),
            partitions=(
                build_message(
                    kinds.FetchPartition, partition=item.partition, current_leader_epoch=-1, fetch_offset=0,
                    last_fetched_epoch=-1, log_start_offset=-1, partition_max_bytes=1,
                ),
            ),
        )
        for item in items
    )  # fmt: skip
    return build_message(
        kinds.FetchRequest, cluster_id=None, replica_id=-1, max_wait=timedelta(milliseconds=100), min_bytes=1, max_bytes=1,
        isolation_level=0, session_id=0, session_epoch=-1, topics=topics, forgotten_topics_data=(), rack_id="",
    )  # fmt: skip


assert Api.FETCH not in ASKED

"""A consumer made of sockets and codecs: it leads well, but where a member of its group is called after a way to fail, it fails so."""

import os
import socket
import sys
import time

from kio.index import load_request_schema, load_response_schema
from kio.serial import entity_reader, entity_writer

from kassay.protocol.server.api_messages import Api
from kassay.reference.wire.consumer import Assignment as Given
from kassay.reference.wire.consumer import (
    Subscription,
    TopicPartitions,
    read_subscription,
    write_assignment,
    write_subscription,
)
from kassay.reference.wire.group import (
    JOIN_GROUP_REQUEST,
    JOIN_GROUP_RESPONSE,
    SYNC_GROUP_REQUEST,
    JoinGroupRequest,
    MemberState,
    Protocol,
    SyncGroupRequest,
)

JOIN, SYNC, METADATA = 5, 3, 1
LATE = sys.argv[1:] == ["late"]
"""Whether it asks about new topics once it has led, as kafka-python does, and forgets that when it is told first of groups that follow."""
KEEPS = sys.argv[1:] == ["keeps"]
"""True if it never asks again for metadata, and fails on topics of others, as @platformatic/kafka does by default."""
WAITS = {
    "kafkajs": {27: 0.3, 25: 0.3},
    "sarama": {27: 0.3},
    "backoff": {27: 0.12, 25: 0.3, 0: 0.2},
    "fragile": {27: 0.12, 25: 0.3},
    "slow": {27: 2.5, 25: 2.5, 0: 0.01},
}.get(sys.argv[-1], {})
"""The seconds for which it waits after SyncGroup before it joins again, by the error there."""
MOST_WAITS = 6
TOPICS = os.environ["KASSAY_TOPICS"].split(",")


class Peer:
    def __init__(self):
        host, port = os.environ["KASSAY_BOOTSTRAP"].split(":")
        self.socket = socket.create_connection((host, int(port)))
        self.member_id = ""
        self.known, self.watched, self.changes = {}, set(), 0
        self.waited = 0
        if KEEPS:
            self.known = self.partitions(TOPICS)

    def ask(self, api, version, body):
        header = api.to_bytes(2) + version.to_bytes(2) + (7).to_bytes(4) + (4).to_bytes(2) + b"peer"
        self.socket.sendall(len(header + body).to_bytes(4) + header + body)
        length = int.from_bytes(self.read(4))
        answer = self.read(length)
        assert answer[:4] == (7).to_bytes(4)
        return answer[4:]

    def read(self, length):
        found = b""
        while len(found) < length:
            some = self.socket.recv(length - len(found))
            if not some:
                sys.exit("the connection was closed")
            found += some
        return found

    def join(self):
        own = write_subscription(Subscription(tuple(TOPICS)))
        asked = JoinGroupRequest(
            "kassay", 10_000, 10_000, self.member_id, None, "consumer", (Protocol("range", own),)
        )
        body = JOIN_GROUP_REQUEST.write(asked, JOIN)
        joined = JOIN_GROUP_RESPONSE.read_whole(self.ask(Api.JOIN_GROUP, JOIN, body), JOIN)
        self.member_id = joined.member_id
        return joined

    def sync(self, joined, given):
        states = tuple(MemberState(member, data) for member, data in given)
        asked = SyncGroupRequest("kassay", joined.generation_id, joined.member_id, assignments=states)
        return self.ask(Api.SYNC_GROUP, SYNC, SYNC_GROUP_REQUEST.write(asked, SYNC))

    def partitions(self, topics):
        kind = load_request_schema(Api.METADATA, METADATA)
        module = sys.modules[kind.__module__]
        asked = kind(topics=tuple(module.MetadataRequestTopic(name=name) for name in sorted(topics)))
        sink = bytearray()
        entity_writer(kind)(type("Sink", (), {"write": staticmethod(sink.extend)}), asked)
        read = entity_reader(load_response_schema(Api.METADATA, METADATA))
        answer, _ = read(self.ask(Api.METADATA, METADATA, bytes(sink)), 0)
        return {topic.name: len(topic.partitions) for topic in answer.topics}

    def lead(self):
        joined = self.join()
        members = [(member.member_id, read_subscription(member.metadata)) for member in joined.members]
        read = {topic for _, said in members for topic in said.topics}
        if KEEPS:
            counts = {topic: self.known[topic] for topic in read}
        else:
            counts = {topic: self.known.get(topic, 0) for topic in read} if LATE else self.partitions(read)
        given = []
        for at, (member, said) in enumerate(members):
            shares = ((topic, tuple(range(counts[topic]))[at :: len(members)]) for topic in said.topics)
            given.append(
                (member, write_assignment(Given(tuple(TopicPartitions(*share) for share in shares))))
            )
        for way in WAYS.keys() & {member for member, _ in members}:
            WAYS[way](self, given)
        self.rest(self.sync(joined, given))
        if LATE and read - self.watched:
            self.watched, self.changes = read, self.changes + 1
            if self.changes != 4:
                self.known = self.partitions(read)

    def rest(self, synced):
        """Wait as after this SyncGroup; without an error the next OffsetFetch decides."""
        error = int.from_bytes(synced[4:6])
        if WAITS and not error and 0 not in WAITS:
            topic = TOPICS[0].encode()
            asked = (6).to_bytes(2) + b"kassay" + (1).to_bytes(4) + len(topic).to_bytes(2) + topic
            fetched = self.ask(Api.OFFSET_FETCH, 1, asked + (1).to_bytes(4) + bytes(4))
            if int.from_bytes(fetched[-2:]) != 27 or "fragile" in sys.argv:
                sys.exit("nothing tells it to join again")
        seconds = WAITS.get(error, 0)
        if seconds > 0.2:
            self.waited += 1
            if self.waited > MOST_WAITS:
                sys.exit("it has waited too often")
        time.sleep(seconds)

    def rejoin(self, _):
        for _ in range(5):
            self.join()


def replaced(given, assignment):
    given[0] = given[0][0], assignment


WAYS = {
    "dies": lambda *_: os.abort(),
    "exits": lambda *_: sys.exit("it has had enough"),
    "hangs": lambda *_: time.sleep(1000),
    "frame": lambda peer, _: peer.socket.sendall(b"\x7f\xff\xff\xff"),
    "request": lambda peer, _: peer.socket.sendall((10).to_bytes(4) + b"\xff" * 10),
    "rejoins": Peer.rejoin,
    "bytes": lambda _, given: replaced(given, given[0][1][:-1]),
    "behind": lambda _, given: replaced(given, given[0][1] + b"\0"),
    "twice": lambda _, given: given.append(given[0]),
    "stranger": lambda _, given: given.append(("nobody", given[0][1])),
    "nothing": lambda _, given: given.clear(),
}


if __name__ == "__main__":
    peer = Peer()
    while True:
        peer.lead()

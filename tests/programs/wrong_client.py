"""A client made of sockets that does not join, or does not lead, in the way that its argument names; `slow` and `late` do join.

It needs no package, so that many of them start at once.
"""

import os
import socket
import sys
import time

TOPICS = os.environ["KASSAY_TOPICS"].split(",")
API_VERSIONS, FIND_COORDINATOR, METADATA, LIST_OFFSETS = 18, 10, 3, 2
JOIN_GROUP, SYNC_GROUP, SASL_HANDSHAKE, CONSUMER_GROUP_HEARTBEAT = 11, 14, 17, 68


def write_string(text):
    return len(text).to_bytes(2) + text.encode()


def write_compact(text):
    return bytes([len(text) + 1]) + text.encode()


GROUP, NULL = write_string("kassay"), b"\xff\xff"
OWN = b"\0\0" + len(TOPICS).to_bytes(4) + b"".join(map(write_string, TOPICS)) + b"\xff" * 4


def wait_forever():
    time.sleep(1000)


class Line:
    """A connection to kassay."""

    def __init__(self):
        host, port = os.environ["KASSAY_BOOTSTRAP"].split(":")
        self.socket = socket.create_connection((host, int(port)))

    def ask(self, api, version=0, body=b""):
        frame = api.to_bytes(2) + version.to_bytes(2) + (7).to_bytes(4) + write_string("wrong") + body
        self.socket.sendall(len(frame).to_bytes(4) + frame)
        return self.read(int.from_bytes(self.read(4)))[4:]

    def read(self, length):
        found = b""
        while len(found) < length:
            some = self.socket.recv(length - len(found))
            if not some:
                sys.exit("the connection was closed")
            found += some
        return found

    def join(self, protocol_type="consumer", protocols=("range",)):
        """Return the generation and the member id."""
        times = (10_000).to_bytes(4) * 2
        offered = b"".join(write_string(name) + len(OWN).to_bytes(4) + OWN for name in protocols)
        body = (
            GROUP
            + times
            + write_string("")
            + NULL
            + write_string(protocol_type)
            + len(protocols).to_bytes(4)
            + offered
        )
        answer = self.ask(JOIN_GROUP, 5, body)
        texts, at = [], 10
        for _ in ("protocol", "leader", "member_id"):
            end = at + 2 + int.from_bytes(answer[at : at + 2])
            texts.append(answer[at + 2 : end])
            at = end
        return answer[6:10], texts[-1].decode()


def find_coordinator():
    line = Line()
    line.ask(API_VERSIONS)
    line.ask(FIND_COORDINATOR, 0, GROUP)
    return line


def ask_broker_to_assign(*, ends):
    body = (
        b"\0"
        + write_compact("kassay")
        + write_compact("")
        + bytes(4)
        + b"\0\0"
        + (1000).to_bytes(4)
        + b"\0\0\0\0"
    )
    answer = find_coordinator().ask(CONSUMER_GROUP_HEARTBEAT, 0, body)
    if ends:
        sys.exit(f"error {int.from_bytes(answer[5:7])}")
    wait_forever()


def read_without_group():
    line = find_coordinator()
    line.ask(METADATA, 0, (1).to_bytes(4) + write_string(TOPICS[0]))
    line.ask(LIST_OFFSETS, 1, b"\xff" * 4 + bytes(4))
    wait_forever()


def lead(act):
    """Lead every group, and act before each SyncGroup, which is empty."""
    line = Line()
    while True:
        generation, member_id = line.join()
        act()
        line.ask(SYNC_GROUP, 3, GROUP + generation + write_string(member_id) + NULL + bytes(4))


def fail():
    print("RuntimeError: no licence", flush=True)
    sys.exit(7)


def keep_busy_before_join():
    began = time.process_time()
    while time.process_time() - began < 1.2:
        pass
    Line().join()


def ask_one_thing_after_another():
    line = Line()
    for api, body in ((API_VERSIONS, b""), (FIND_COORDINATOR, GROUP), (METADATA, bytes(4))):
        line.ask(api, 0, body)
        time.sleep(0.5)
    line.join()


WAYS = {
    "deaf": wait_forever,
    "dumb": lambda: (Line(), wait_forever()),
    "tls": lambda: Line().socket.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03") or wait_forever(),
    "login": lambda: Line().ask(SASL_HANDSHAKE, 1, write_string("PLAIN")),
    "versions": lambda: (Line().ask(API_VERSIONS), wait_forever()),
    "coordinator": lambda: (find_coordinator(), wait_forever()),
    "assign": read_without_group,
    "heartbeat": lambda: ask_broker_to_assign(ends=False),
    "heartbeat_ends": lambda: ask_broker_to_assign(ends=True),
    "no_assignor": lambda: Line().join(protocols=()),
    "worker": lambda: Line().join("connect", ("default",)),
    "empty_sync": lambda: lead(lambda: None),
    "fails": lambda: lead(fail),
    "slow": keep_busy_before_join,
    "late": ask_one_thing_after_another,
}


if __name__ == "__main__":
    WAYS[sys.argv[1]]()

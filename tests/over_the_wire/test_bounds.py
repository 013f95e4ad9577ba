"""Each bound on lengths, counts and times over the wire, reached: without it the test fails or never ends."""

import asyncio
import os
import subprocess
import sys
import time
from datetime import timedelta

import pytest
from over_the_wire.recorded_cluster import BEARER, HEARD, Door, listen, recorded_cluster

from kassay.errors import InputError
from kassay.protocol.client import cluster_connection, cluster_queries
from kassay.protocol.client.cluster_connection import OPEN, Access
from kassay.protocol.server import client_process, external_cluster, leader_session
from kassay.protocol.server.addresses import Place
from kassay.protocol.server.api_messages import Api, Request
from kassay.reference.wire.schema import LONGEST_STRING, Form, MalformedError, string, varint


def told(port, access=OPEN, names=("live-static",)):
    """Return why a cluster is refused."""
    with pytest.raises(InputError) as refused:
        asyncio.run(
            asyncio.wait_for(cluster_queries.take([Place("127.0.0.1", port)], access, list(names)), 10)
        )
    return str(refused.value)


def says_nothing(_, client):
    with client:
        while client.recv(1000):
            pass


def announces_too_much(_, client):
    with client:
        client.recv(1000)
        client.sendall((external_cluster.MOST_BYTES + 1).to_bytes(4))
        says_nothing(_, client)


def test_an_answer_is_not_longer_than_it_may_be():
    with listen(1, announces_too_much) as (port,):
        assert "its answer is of 67108865 bytes; 0 to 67108864 are taken" in told(port, Access(answer_s=2.0))


def test_all_answers_have_a_time_together():
    with listen(1, says_nothing) as (port,):
        assert "has not told all within 0.2 s" in told(port, Access(answer_s=8.0, whole_s=0.2))


def test_one_answer_has_a_time():
    async def ask(port):
        line = await external_cluster.connect(Place("127.0.0.1", port), str, {Api.API_VERSIONS: 0})
        try:
            await line.ask(Api.API_VERSIONS, lambda kinds, _: kinds.ApiVersionsRequest(), 0.1)
        finally:
            line.close()

    with (
        listen(1, says_nothing) as (port,),
        pytest.raises(external_cluster.NoResponseError, match=r"no answer came within 0\.1 s"),
    ):
        asyncio.run(asyncio.wait_for(ask(port), 5))


def test_a_connection_has_a_time(monkeypatch):
    async def never(*_, **__):
        await asyncio.sleep(60)

    monkeypatch.setattr(external_cluster, "CONNECT_S", 0.05)
    monkeypatch.setattr(external_cluster.asyncio, "open_connection", never)
    with pytest.raises(external_cluster.NoResponseError, match=r"takes no connection within 0\.05 s"):
        asyncio.run(asyncio.wait_for(external_cluster.connect(Place("127.0.0.1", 9), str), 5))


def test_a_login_has_an_end(monkeypatch):
    """The broker accepts each message, and the mechanism is never done."""

    class Endless:
        def __init__(self, **_):
            self.sent = 0

        def auth_bytes(self):
            self.sent += 1
            assert self.sent <= cluster_connection.MOST_TOKENS
            return b"n,,\1auth=Bearer t\1\1"

        def receive(self, _):
            pass

        def is_done(self):
            return False

    monkeypatch.setattr(cluster_connection, "get_sasl_mechanism", lambda _: Endless)
    access = Access(mechanism="OAUTHBEARER", user="me", password="t")
    with recorded_cluster(HEARD, door=Door(users={BEARER: "t"})) as cluster:
        assert "does not let me in, for an unknown reason" in told(cluster.ports[0], access)


def test_there_are_no_more_groups_than_there_may_be(monkeypatch):
    monkeypatch.setattr(cluster_queries, "GROUPS_MAX", 2)
    with recorded_cluster(HEARD) as cluster:
        assert "Name at most 2 with --group" in told(cluster.ports[0], names=())


def test_a_client_that_writes_without_end_is_remembered_by_its_last_words():
    async def write():
        ended = asyncio.Event()
        command = [sys.executable, "-c", "for n in range(20_000): print('x' * 100); \nprint('the last')"]
        running = await client_process.start(command, {}, 0, lambda _: ended.set())
        await asyncio.wait_for(ended.wait(), 20)
        return running

    running = asyncio.run(write())
    assert len(running._said) == 20_000
    assert running.last_words() == "; it wrote last: the last"


def test_what_a_client_has_started_ends_with_it():
    seconds = f"9{os.getpid()}"

    def alive():
        listed = subprocess.run(["ps", "-ww", "-eo", "stat,args"], check=True, capture_output=True, text=True)
        return [
            line
            for line in listed.stdout.splitlines()
            if line.endswith(f"sleep {seconds}") and line[0] != "Z"
        ]

    async def run():
        running = await client_process.start(
            ["sh", "-c", f"(sleep {seconds}; true) & (sleep {seconds}; true) & wait"], {}, 0, str
        )
        deadline = time.monotonic() + 10
        while len(alive()) < 2:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)
        await running.end()

    asyncio.run(run())
    deadline = time.monotonic() + 10
    while alive():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_fetch_waits_no_longer_than_it_may(monkeypatch):
    """However long a client says that it will wait."""
    monkeypatch.setattr(leader_session, "WAIT_S", 0.01)

    async def fetch():
        sent = asyncio.get_running_loop().create_future()
        body = type("Fetch", (), {"max_wait": timedelta(hours=1), "topics": ()})
        reply = leader_session.Reply(sent.set_result, bool, bool)
        session = leader_session.LeaderSession(("t00",), leader_session.PromptChoice())
        session.take(Request(Api.FETCH, 4, 1, None, body), reply)
        await asyncio.wait_for(sent, 5)

    asyncio.run(fetch())


def test_a_text_is_not_longer_than_it_may_be():
    kind = string()(Form(flexible=True))
    size = LONGEST_STRING + 1
    with pytest.raises(MalformedError, match=f"a text of {size} bytes is longer than {LONGEST_STRING}"):
        kind.read(varint(size + 1) + b"x" * size, 0)

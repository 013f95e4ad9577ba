"""A client that does not join, or fails on every group, ends with a sentence on what it did, and the setting to change."""

import asyncio
import re
import sys
from pathlib import Path

import pytest
from whole import cases

from kassay.errors import AssignorError, DiedError, TargetGoneError
from kassay.model import Group, Member, Topic
from kassay.protocol.server import client_session
from kassay.protocol.server.client_groups import Client as SimulatedClient
from kassay.protocol.server.client_groups import NoClientError, build_machines
from kassay.protocol.server.client_session import Bounds, Client
from kassay.protocol.simulation.schedule import Schedule, Setting

WRONG = Path(__file__).parents[1] / "programs" / "wrong_client.py"
START_S = 60.0
BOUNDS = Bounds(START_S, 5.0, 0, 64, quiet_s=0.8, most_failed=3)
GROUP = Group((Topic("t", 3),), (Member("a", ("t",)), Member("b", ("t",))))
WORDS = {
    "deaf": r"It opened no connection\. Set its bootstrap\.servers to KASSAY_BOOTSTRAP \(127\.0\.0\.1:\d+\)\.",
    "dumb": r"It connected, but sent no request\. Set security\.protocol=PLAINTEXT\.",
    "tls": r"it sent a TLS handshake, and kassay has no TLS\. Set security\.protocol=PLAINTEXT",
    "login": r"it sent SaslHandshake, and kassay has no logins\. Set security\.protocol=PLAINTEXT",
    "versions": r"sent ApiVersions, but no JoinGroup\. Set security\.protocol=PLAINTEXT\. Set group\.id",
    "coordinator": r"ApiVersions, FindCoordinator, but no JoinGroup\. Subscribe to the topics of KASSAY_TOPICS",
    "assign": r"FindCoordinator, Metadata, ListOffsets, but no JoinGroup\. Call subscribe .* instead of assign\.",
    "heartbeat": r"It sent ConsumerGroupHeartbeat: .* Set group\.protocol=classic",
    "heartbeat_ends": r"it wrote last: error 35\. It sent ConsumerGroupHeartbeat: .* Set group\.protocol=classic",
    "no_assignor": r"its JoinGroup has no assignor\. Set partition\.assignment\.strategy",
    "worker": r"its JoinGroup has the protocol type 'connect'",
}
"""The words that each way to fail must have."""
PATIENT = ("slow", "late")
"""Clients that join later than after the time for which a client may be quiet, but work or ask for something new until then."""


async def join(way):
    """Return the protocols with which a client joins, or the error."""
    client = Client([sys.executable, str(WRONG), way], BOUNDS)
    try:
        return await client.protocols()
    except DiedError as died:
        return died
    finally:
        await client.end()


def test_a_client_that_does_not_join_is_told_what_it_did_and_what_to_set():
    """All clients run at a time, as most of the time is waiting."""
    ways = [*WORDS, *PATIENT]
    todays = [ways[number] for number in cases(5, len(ways))]

    async def run():
        return dict(zip(todays, await asyncio.gather(*map(join, todays)), strict=True))

    for way, found in asyncio.run(asyncio.wait_for(run(), 100)).items():
        if way in PATIENT:
            assert found == ["range"], way
            continue
        assert type(found) is DiedError, way
        assert re.search(WORDS[way], str(found)), way
        waited = re.search(r"within ([\d.]+) seconds", str(found))
        assert waited is None or float(waited[1]) < START_S / 2, way


def test_a_client_in_a_simulated_group_is_told_the_same():
    schedule = Schedule(Setting(), ())

    async def run(way):
        client = SimulatedClient([sys.executable, str(WRONG), way], schedule, build_machines, BOUNDS)
        with pytest.raises(NoClientError, match=WORDS[way]):
            await client.run()

    async def run_all():
        await asyncio.gather(*map(run, ("heartbeat", "no_assignor", "worker")))

    asyncio.run(asyncio.wait_for(run_all(), 100))


def lead_ten(way):
    """Return the answers of a client that is asked about ten groups."""

    async def run():
        client = Client([sys.executable, str(WRONG), way], BOUNDS)
        try:
            await client.protocols()
            return [answer async for answer in client.answers([GROUP] * 10, "range")]
        finally:
            await client.end()

    return asyncio.run(asyncio.wait_for(run(), 100))


def test_a_client_that_fails_on_each_group_is_given_up_with_its_own_error():
    *failures, gone = lead_ten("fails")
    assert failures
    assert all(type(one) is DiedError for one in failures)
    assert len(failures) <= BOUNDS.most_failed
    assert type(gone) is TargetGoneError
    text = r"it failed on each of its first \d groups, .*; it wrote last: RuntimeError: no licence"
    assert re.fullmatch(text, str(gone))


def test_a_leader_whose_assignments_are_all_empty_is_given_up(monkeypatch):
    monkeypatch.setattr(client_session, "HEARS_S", 0.01)
    *failures, gone = lead_ten("empty_sync")
    assert [type(one) for one in failures] == [AssignorError] * BOUNDS.most_failed
    assert type(gone) is TargetGoneError
    assert "SyncGroup without assignments" in str(gone)
    assert "partition.assignment.strategy" in str(gone)

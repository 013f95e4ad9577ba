"""A coordinator that dies or hangs while groups run at it is noticed in seconds, and no run is judged that it has spoilt."""

import asyncio
import re

import pytest
from over_the_wire.machine_broker import Broker

from kassay.cli import main
from kassay.conformance import group_playback
from kassay.conformance.group import read_chosen_cases
from kassay.errors import TargetGoneError
from kassay.families.assignors import ASSIGNORS
from kassay.protocol.server import coordinator_watch, external_groups
from kassay.protocol.server.addresses import Place, parse_coordinator_address
from kassay.protocol.server.coordinator_comparison import Difference
from kassay.protocol.server.coordinator_watch import CoordinatorWatch
from kassay.protocol.server.external_cluster import Cluster
from kassay.protocol.server.external_groups import CampaignPlan, CampaignResult, run_schedules
from kassay.protocol.simulation.campaign import draw_schedule
from kassay.protocol.simulation.monitor import Outcome
from kassay.protocol.simulation.schedule import Schedule, Setting
from kassay.protocol.simulation.steps import BEHAVIOURS, make_machines

SETTING = Setting(coordinator="kafka@4.4.0")


def build(setting):
    return make_machines(setting, ASSIGNORS["consumer/range"].assign)


class Mortal(Broker):
    """Dies at its request of this number, or only hangs: then it takes connections, and answers nothing."""

    def __init__(self, number, *, hangs):
        super().__init__(build(SETTING))
        self.left, self.hangs = number, hangs

    def take(self, request, reply):
        self.left -= 1
        if self.left > 0:
            super().take(request, reply)
        elif not self.hangs and not self.server.is_closed:
            self.server.close()


@pytest.fixture
def hasty(monkeypatch):
    """Make the watch ten times as fast."""
    monkeypatch.setattr(coordinator_watch, "EVERY_S", 0.1)
    monkeypatch.setattr(coordinator_watch, "WITHIN_S", 0.2)


def play(number, *, hangs, asks):
    """Run schedules of about 20 seconds at a broker that dies; return the result."""

    async def run():
        broker = Mortal(number, hangs=hangs)
        cluster = Cluster(parse_coordinator_address(await broker.open()), "own", remote=False, old=False)
        some = [(n, draw_schedule(SETTING, ["crash"], 0, n)) for n in range(3)]
        plan = CampaignPlan(some, build, 3, BEHAVIOURS[SETTING.coordinator], asks=asks)
        try:
            return await run_schedules(cluster, plan, lambda _: None)
        finally:
            if not broker.server.is_closed:
                broker.server.close()

    return asyncio.run(asyncio.wait_for(run(), 15))


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize("hangs", [False, True])
@pytest.mark.usefixtures("hasty")
def test_a_coordinator_that_dies_is_noticed_and_spoils_nothing(hangs, asks):
    ran = play(30, hangs=hangs, asks=asks)
    assert ("no answer came" if hangs else "takes no connection") in ran.dead
    assert ran.outcomes == []
    assert ran.differences == []
    assert ran.whole


@pytest.mark.usefixtures("hasty")
def test_a_run_that_ended_before_the_death_counts_and_one_that_ended_after_it_does_not(monkeypatch):
    """The first group ends at once, and the second one after the last response, which is before the death is certain."""
    died = []

    class Played:
        def __init__(self, *args):
            self.first = args[2].faults == ()

        async def run(self):
            if not self.first:
                await asyncio.sleep(0.5)  # the watch has had several responses
                died[0].server.close()
                await asyncio.sleep(0.05)
            return Outcome(breaches=(), rounds=0, stable_ms=0)

    async def run():
        broker = Mortal(10**6, hangs=False)
        died.append(broker)
        cluster = Cluster(parse_coordinator_address(await broker.open()), "own", remote=False, old=False)
        some = [(0, Schedule(SETTING, ())), (1, draw_schedule(SETTING, ["crash"], 0, 1))]
        plan = CampaignPlan(some, build, 2, BEHAVIOURS[SETTING.coordinator], asks=False)
        return await run_schedules(cluster, plan, lambda _: None)

    monkeypatch.setattr(external_groups, "Group", Played)
    ran = asyncio.run(asyncio.wait_for(run(), 15))
    assert ran.dead
    assert [number for number, *_ in ran.outcomes] == [0]


@pytest.mark.usefixtures("hasty")
def test_differences_of_a_coordinator_that_died_meanwhile_do_not_count(monkeypatch):
    broker = Mortal(10**6, hangs=False)

    async def compare(*_):
        broker.server.close()
        return [Difference("question", "kafka", "other")]

    async def run():
        cluster = Cluster(parse_coordinator_address(await broker.open()), "own", remote=False, old=False)
        plan = CampaignPlan([], build, 1, BEHAVIOURS[SETTING.coordinator])
        return await run_schedules(cluster, plan, lambda _: None)

    monkeypatch.setattr(external_groups, "compare_responses", compare)
    ran = asyncio.run(asyncio.wait_for(run(), 15))
    assert ran.dead
    assert ran.differences == []
    assert ran.asked == 0


@pytest.mark.usefixtures("hasty")
def test_a_coordinator_that_misses_two_requests_lives():
    class Slow(Mortal):
        missed = 0

        def take(self, request, reply):
            self.missed += 1
            if self.missed % 3:
                return
            super().take(request, reply)

    async def run():
        broker = Slow(10**6, hangs=False)
        host, port = (await broker.open()).split(":")
        watch = CoordinatorWatch(Place(host, int(port)))
        await asyncio.wait({watch.dying}, timeout=1.5)
        lives = not watch.dying.done()
        await watch.stop()
        broker.server.close()
        return lives and broker.missed > 3

    assert asyncio.run(run())


def test_the_time_until_a_death_is_certain_is_below_ten_seconds():
    watch = coordinator_watch
    assert watch.EVERY_S + watch.TRIES * (watch.EVERY_S + watch.WITHIN_S) <= 10


def test_a_dead_coordinator_is_told_with_status_3(monkeypatch, capsys):
    dead = CampaignResult(dead="no answer came within 2 s")
    monkeypatch.setattr(external_groups, external_groups.run_plan.__name__, lambda *_: dead)
    assert main(["simulate", "--coordinator", "127.0.0.1:9", "--schedules", "2"]) == 3
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("INCONCLUSIVE 127.0.0.1:9 died before a run ended.")
    assert "It answers no request: no answer came within 2 s." in said
    assert re.search(r"Exit status 3: no conclusion: the coordinator died after 0 of \d+ runs\.$", said)


@pytest.mark.parametrize("hangs", [False, True])
@pytest.mark.usefixtures("hasty", "many_connections")
def test_a_coordinator_that_dies_ends_the_fixtures(hangs):
    async def run():
        broker = Mortal(30, hangs=hangs)
        cluster = Cluster(parse_coordinator_address(await broker.open()), "own", remote=False, old=False)
        like = group_playback.Broker(3_000, None, BEHAVIOURS[SETTING.coordinator])
        began = asyncio.get_running_loop().time()
        try:
            with pytest.raises(TargetGoneError, match=r"died: .*Look into its log"):
                await group_playback.play_cases(cluster, read_chosen_cases(), (), like)
            return asyncio.get_running_loop().time() - began
        finally:
            broker.server.close()

    assert asyncio.run(run()) < 10

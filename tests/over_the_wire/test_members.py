"""A client as a member of a simulated group: the reference's member keeps everything, mutants of it do not, and a process that ends is told."""

import pytest
from msgspec.structs import replace
from over_the_wire.machine_broker import run
from over_the_wire.machine_client import MachineClient
from whole import cases, share

from kassay.cli import main
from kassay.model import TopicPartition
from kassay.protocol.server import client_groups, external_groups
from kassay.protocol.server import client_groups as clients
from kassay.protocol.server.client_groups import FOREIGN, ClientPlan, redirect_faults
from kassay.protocol.server.client_session import Bounds
from kassay.protocol.server.outside_invariants import CLIENT_INVARIANTS, OF_CLIENTS
from kassay.protocol.simulation.campaign import draw_schedule, list_fitting_faults
from kassay.protocol.simulation.group import INVARIANTS
from kassay.protocol.simulation.schedule import Fault, Schedule, Setting
from kassay.reference import ASSIGNORS
from kassay.reference.group.member import step
from kassay.reference.group.messages import JoinGroup, Send, SetTimer, Step
from kassay.reference.group.uses.consumer import consumer, strategy

pytestmark = pytest.mark.usefixtures("many_connections")
SETTING = Setting(coordinator="kafka@4.4.0", members=2, partitions=(4,))
KINDS = [kind for kind in list_fitting_faults(SETTING, None) if kind not in FOREIGN]
EAGER = consumer(strategy(ASSIGNORS["consumer/range"]))
COOPERATIVE = consumer(strategy(ASSIGNORS["consumer/cooperative-sticky"]))
COMES_BACK = Schedule(SETTING, (Fault(12_000, "leave", 1, 6_000),))
"""A member leaves and another comes: the client is given more, and then less."""


def played(monkeypatch, schedules, use=COOPERATIVE, **more):
    """Run schedules with a client that is a machine; return the invariants that broke and are of no known defect."""

    async def started(_command, told, _data_mb, ended):
        made = MachineClient(use, told, **more)
        if ends:
            made.do(dies(made, ended))
        return made

    ends = more.pop("ends", False)
    monkeypatch.setattr(client_groups, "started", started)
    ran = run(
        clients.run_client_schedules(ClientPlan((), schedules, 8, Bounds(30, 30, 0, 1)), lambda _: None)
    )
    assert ran.whole
    return [broke for *_, out in ran.outcomes for broke in out.breaches if broke[0] not in dict(out.known)]


async def dies(made, ended):
    import asyncio

    await asyncio.sleep(9)
    await made.end()
    ended("it died of signal 11 (SIGSEGV)")


@pytest.mark.parametrize("use", [EAGER, COOPERATIVE], ids=["eager", "cooperative"])
def test_the_references_member_keeps_everything(use, monkeypatch):
    number, first = share(3, 40), cases(3, 40)[0] + 1
    some = [(n, redirect_faults(draw_schedule(SETTING, KINDS, 0, n))) for n in range(first, first + number)]
    assert not played(monkeypatch, [(0, Schedule(SETTING, ())), (-1, COMES_BACK), *some], use)


def claiming(change):
    """Let a member claim otherwise than it owns when it joins."""

    def changed(member, event):
        taken = step(member, event)
        return Step(taken.state, tuple(_claims(one, change, member) for one in taken.effects))

    return changed


def _claims(effect, change, member):
    if not isinstance(effect, Send) or not isinstance(effect.request, JoinGroup):
        return effect
    protocols = tuple(
        replace(one, metadata=replace(one.metadata, claimed=change(one.metadata.claimed, member)))
        for one in effect.request.protocols
    )
    return Send(effect.token, replace(effect.request, protocols=protocols), effect.node)


def rejoins_not(member, event):
    """Revoke partitions, but do not join again, so that no member gets them."""
    taken = step(member, event)
    joins = [one for one in taken.effects if isinstance(one, Send) and isinstance(one.request, JoinGroup)]
    if not joins or member.phase != "Syncing":
        return taken
    state = replace(taken.state, phase="Stable", asked=None, rejoins=False, joined_as=member.joined_as)
    beats = SetTimer("heartbeat", 3_000)
    return Step(state, (*(one for one in taken.effects if one not in joins), beats))


EVERY = [TopicPartition("t0", number) for number in range(4)]
FAULTY = {
    "keeps_what_it_may": {"change": claiming(lambda *_: ())},
    "claims_what_it_was_given": {"change": claiming(lambda claimed, member: member.had or claimed)},
    "reads_what_it_owns": {"fetches": lambda member: EVERY if member.generation >= 0 else ()},
    "goes_on": {"ends": True},
    "owned_in_time": {"change": rejoins_not},
}
"""Invariant -> a client that breaks it."""


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_client_is_seen(name, monkeypatch):
    monkeypatch.setattr(external_groups, "BOUND_MS", 60_000)
    broken = {of for of, _ in played(monkeypatch, [(0, COMES_BACK)], **FAULTY[name])}
    assert name in broken


def test_what_strikes_no_client_strikes_the_member_after_it():
    faults = (Fault(1, "crash"), Fault(2, "stall"), Fault(3, "commit", 1))
    assert [fault.who for fault in redirect_faults(Schedule(SETTING, faults)).faults] == [0, 1, 1]
    alone = redirect_faults(Schedule(replace(SETTING, members=1), faults[:2]))
    assert [fault.kind for fault in alone.faults] == ["crash"]


def test_what_is_judged_has_a_meaning():
    assert (INVARIANTS | OF_CLIENTS).keys() >= {*CLIENT_INVARIANTS}
    assert all(one.__doc__ for one in OF_CLIENTS.values())


def test_a_run_is_told_in_words(monkeypatch, capsys):
    def run_clients(plan, _report):
        assert [*plan.command] == ["my", "consumer"]
        return run(clients.run_client_schedules(replace_schedules(plan), lambda _: None))

    def replace_schedules(plan):
        return ClientPlan(plan.command, [(0, COMES_BACK)], 1, plan.bounds)

    async def started(_command, told, _data_mb, _ended):
        return MachineClient(COOPERATIVE, told, **FAULTY["keeps_what_it_may"])

    monkeypatch.setattr(client_groups, "started", started)
    monkeypatch.setattr(clients, "run_clients", run_clients)
    assert main(["simulate", "--client", "my consumer", "--partitions", "4"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "The client breaks" in said
    assert (
        "Expected: a cooperative member keeps what it owns while it joins again (KIP-429). (keeps_what_it_may"
        in said
    )

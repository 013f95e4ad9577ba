"""Many schedules with a client in the group: some clients at a time, each a process of its own, beside members that support what it does."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from msgspec.structs import replace

from kassay.errors import InputError
from kassay.families.assignors import ASSIGNORS
from kassay.protocol.server.asking import Bounds
from kassay.protocol.server.groups.client import SLOT, Client, NoClientError
from kassay.protocol.server.groups.coordinator import Numbered, Ran
from kassay.protocol.server.groups.speaking import read_metadata
from kassay.protocol.simulation.schedule import Fault, Schedule, Setting
from kassay.protocol.simulation.steps import machines
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import Protocol
from kassay.reference.group.uses.consumer import Strategy, consumer
from kassay.reference.wire.kinds import MalformedError

OF_PROCESSES = frozenset({"crash", "pause", "cut", "loss", "delay", "reorder", "duplicate"})
"""Faults that strike the client's process and its messages; others that strike a member strike one of kassay's in its place."""
FOREIGN = frozenset({"upgrade", "redeploy", "unreadable", "twin", "grow", "racks", "create"})
"""Faults that would be of the client's program, or of a cluster that it may look at as seldom as it likes."""


@dataclass(frozen=True)
class Clients:
    """Which schedules run, with which client, and within which bounds it is."""

    command: Sequence[str]
    schedules: Iterable[Numbered]
    at_once: int
    bounds: Bounds


def run_clients(plan: Clients, report: Callable[[int], None]) -> Ran:
    """Run a plan; raises InputError where there is no such program or it does not join."""
    return asyncio.run(carried_out(plan, report))


async def carried_out(plan: Clients, report: Callable[[int], None]) -> Ran:
    """Run a plan; where it is cancelled, return what came of it until then."""
    ran, waiting = Ran(), iter(plan.schedules)
    made: list[Client] = []

    async def some() -> None:
        for number, schedule in waiting:
            build = partial(beside, schedule.setting)
            client = Client(plan.command, schedule, build, plan.bounds)
            made.append(client)
            ran.outcomes.append((number, schedule, await client.run()))
            report(len(ran.outcomes))

    tasks = [asyncio.ensure_future(some()) for _ in range(plan.at_once)]
    try:
        await asyncio.gather(*tasks)
    except NoClientError as none:
        raise InputError(f"--client: {none}") from None
    except asyncio.CancelledError:
        ran.whole = False
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(one.cleaning for one in made if one.cleaning is not None))
    ran.outcomes.sort(key=lambda one: (len(one[1].faults), one[0]))
    return ran


def struck_beside(schedule: Schedule) -> Schedule:
    """Return the schedule with what cannot strike a client striking the member after it."""
    faults = [
        fault
        if fault.who != SLOT or fault.kind in OF_PROCESSES or schedule.setting.members == 1
        else replace(fault, who=SLOT + 1)
        for fault in schedule.faults
        if not _needs_another(fault, schedule.setting)
    ]
    return Schedule(schedule.setting, tuple(faults))


def _needs_another(fault: Fault, setting: Setting) -> bool:
    return setting.members == 1 and fault.kind not in OF_PROCESSES


def beside(setting: Setting, protocols: tuple[Protocol, ...]) -> Machines:
    """Return the machines of members that support what a client supports, in its order, and write as it does."""
    use = consumer(*map(_strategy, protocols))
    own = replace(setting, cooperative=use.cooperative)
    made = machines(own, dict)

    def new_member(setting: Setting, slot: int, program: int, cluster: Any) -> Any:
        return replace(made.new_member(setting, slot, program, cluster), use=use)

    return replace(made, new_member=new_member, items=use.items)


def _strategy(protocol: Protocol) -> Strategy:
    data: Any = protocol.metadata
    try:
        version = read_metadata(data).version
    except MalformedError as wrong:
        raise NoClientError(f"its subscription cannot be read: {wrong}") from None
    cooperative = "cooperative" in protocol.name
    name = f"consumer/{protocol.name}"
    usual = "consumer/cooperative-sticky" if cooperative else "consumer/range"
    assignor = ASSIGNORS.get(name) or ASSIGNORS[usual]
    return Strategy(name=protocol.name, assign=assignor.assign, cooperative=cooperative, version=version)

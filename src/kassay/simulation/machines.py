"""The machines of a group: its coordinator's behaviour, and members by what the group is used for."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from kassay.reference.group import coordinator as coordination
from kassay.reference.group.behaviour import PROPOSAL, RELEASES, UNPERSISTED, Behaviour, kafka
from kassay.reference.group.member import KAFKA, Config, new, step
from kassay.reference.group.member import PROPOSAL as PROPOSED
from kassay.simulation.schedule import Setting
from kassay.simulation.uses import USES, Assign
from kassay.simulation.world import HEARTBEAT_MS, REBALANCE_MS, REQUEST_MS, SESSION_MS, Machines

BEHAVIOURS: dict[str, Behaviour] = {
    "proposal": PROPOSAL,
    "unpersisted": UNPERSISTED,
    **{f"kafka@{release}": kafka(release) for release in RELEASES},
}
"""Coordinators by the names that schedules and the command line use."""
NEWEST = f"kafka@{RELEASES[-1]}"
"""The coordinator that stands in a group where none is named."""
VERSIONS = 3
"""An upgrade goes from the first version over one that knows both strategies to the last."""


def machines(setting: Setting, assign: Assign) -> Machines:
    """Put the machines of a setting together; leaders assign by this function where their use takes one.

    Raises InputError where the use allows no static members.
    """
    behaviour, use = BEHAVIOURS[setting.coordinator], USES[setting.use]
    uses = [use.of(setting, version, remembered(assign)) for version in range(VERSIONS)]

    def new_member(setting: Setting, slot: int, upgraded: int, cluster: Any) -> Any:
        return new(
            uses[upgraded], _config(setting, behaviour, slot), use.subscription(setting, slot, None), cluster
        )

    new_member(setting, 0, 0, use.cluster(setting))
    return Machines(
        new_member=new_member,
        step_member=step,
        load=partial(coordination.load, behaviour),
        step_coordinator=partial(coordination.step, behaviour),
        unload=partial(coordination.unload, behaviour),
        items=uses[0].items,
    )


def _config(setting: Setting, behaviour: Behaviour, slot: int) -> Config:
    return Config(
        client_id=f"m{slot}",
        instance_id=f"i{slot}" if setting.static else None,
        session_timeout_ms=SESSION_MS,
        rebalance_timeout_ms=REBALANCE_MS,
        heartbeat_ms=HEARTBEAT_MS,
        max_poll_ms=REBALANCE_MS,
        request_timeout_ms=REQUEST_MS,
        manner=KAFKA if behaviour.persists == "synced" else PROPOSED,
    )


def remembered(assign: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Let a function answer each group once; a group that it fails on is asked again."""
    known: dict[Hashable, Any] = {}

    def answer(group: Hashable) -> Any:
        found = known.get(group)
        if found is None:
            found = known[group] = assign(group)
        return found

    return answer

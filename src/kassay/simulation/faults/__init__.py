"""What can strike a group: each fault is a function that begins it; it ends by itself."""

from collections.abc import Callable
from typing import TypeAlias

from kassay.simulation.faults.of_coordinators import (
    coordinator_crash,
    failover,
    refused_write,
    slow_log,
    zombie,
)
from kassay.simulation.faults.of_members import (
    commit,
    crash,
    cut,
    death,
    delay,
    departure,
    duplicate,
    grow,
    leave,
    loss,
    pause,
    racks,
    reorder,
    stall,
    subscribe,
    twin,
    unreadable,
    upgrade,
)
from kassay.simulation.schedule import Fault
from kassay.simulation.world import World

Begin: TypeAlias = Callable[[World, Fault], None]

FAULTS: dict[str, Begin] = {
    "crash": crash,
    "leave": leave,
    "death": death,
    "departure": departure,
    "upgrade": upgrade,
    "unreadable": unreadable,
    "twin": twin,
    "pause": pause,
    "stall": stall,
    "commit": commit,
    "subscribe": subscribe,
    "grow": grow,
    "racks": racks,
    "cut": cut,
    "loss": loss,
    "delay": delay,
    "reorder": reorder,
    "duplicate": duplicate,
    "failover": failover,
    "coordinator-crash": coordinator_crash,
    "zombie": zombie,
    "refused-write": refused_write,
    "slow-log": slow_log,
}
"""The faults by the names that schedules and the command line use."""

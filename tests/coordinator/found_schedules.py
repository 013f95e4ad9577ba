"""What the simulator found of Kafka's coordinator, as schedules: put to Kafka's own, it answers each request as ours does in the simulation."""

from typing import Any

from of_simulation import asked_in

from kassay.simulation.schedule import Fault, Schedule, Setting

KAFKA = Setting(coordinator="kafka@4.4.0")
STATIC = Setting(coordinator="kafka@4.4.0", static=True)
FOUND: dict[str, tuple[Schedule, str]] = {
    "a generation that was not written is given again": (
        Schedule(KAFKA, (Fault(6_023, "failover"),)),
        "generations_grow",
    ),
    "a static member is fenced by its own old id": (
        Schedule(
            STATIC,
            (Fault(5_979, "grow"), Fault(6_017, "crash", 1), Fault(6_028, "coordinator-crash")),
        ),
        "no_member_fails",
    ),
    "SyncGroup of an id that is none any more is awaited": (
        Schedule(STATIC, (Fault(6_014, "leave", 1, 50),)),
        "stays_stable",
    ),
    "a static leader that comes back leaves a new partition to nobody": (
        Schedule(STATIC, (Fault(5_979, "grow"), Fault(6_024, "leave"))),
        "legal_target_assignment",
    ),
}
"""What was found -> the schedule, and the invariant that breaks."""
SETTINGS = {"delay": 3_000, "max": None}


def sequence(name: str) -> dict[str, Any]:
    """Return what the coordinator is asked, as a sequence."""
    return {"settings": SETTINGS, "asked": asked_in(FOUND[name][0])[0]}

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
    "who was to give something up comes back and nobody is given it": (
        Schedule(
            Setting(coordinator="kafka@4.4.0", partitions=(1, 1), cooperative=True, static=True),
            (Fault(18_020, "subscribe", 0, 0, 1), Fault(21_027, "crash", 1)),
        ),
        "legal_target_assignment",
    ),
    "a static member is fenced by its own JoinGroup that came twice": (
        Schedule(
            Setting(coordinator="kafka@4.4.0", members=3, partitions=(1,), static=True),
            (Fault(35, "duplicate", 2),),
        ),
        "no_member_fails",
    ),
    "a commit is taken in a generation before one that was not written": (
        Schedule(
            Setting("connect", "kafka@4.4.0", 2, (1,)),
            (Fault(12_021, "leave", 0, 300), Fault(12_033, "failover"), Fault(12_162, "commit", 1)),
        ),
        "commits_from_owners",
    ),
    "a static member is fenced by a JoinGroup of the process before it": (
        Schedule(
            Setting(coordinator="kafka@4.4.0", members=1, partitions=(1,), static=True),
            (Fault(9_000, "crash"), Fault(9_003, "duplicate", 0, 1_000), Fault(9_100, "crash")),
        ),
        "no_member_fails",
    ),
    "a static member comes back subscribed to more and nobody is given it": (
        Schedule(
            Setting(coordinator="kafka@4.4.0", members=1, partitions=(1, 1), static=True),
            (Fault(6_500, "subscribe", 0, 0, 1), Fault(11_900, "crash")),
        ),
        "legal_target_assignment",
    ),
}
"""What was found -> the schedule, and the invariant that breaks."""
SETTINGS = {"delay": 3_000, "max": None}


def sequence(name: str) -> dict[str, Any]:
    """Return what the coordinator is asked, as a sequence."""
    return {"settings": SETTINGS, "asked": asked_in(FOUND[name][0])[0]}

"""Fault schedules: a group and its faults, as a value that can be saved, replayed and shrunk; and named schedules, the scenarios.

The client-side assignment proposal says what must happen in each scenario. It runs with the coordinator of the proposal, or with Kafka's:

from kassay.protocol.simulation.schedule import SCENARIOS

schedule = SCENARIOS["before-all-joined"].schedule("kafka@4.4.0")

In all scenarios the group is stable at :data:`BEGINS_MS`. In most of them member 2 then comes back, and the next heartbeats inform the others
that they must join again. The times of faults in the middle of that rebalance are relative to that heartbeat.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from kassay import __version__
from kassay.sentences import refuse_unknown

FORMAT = 1
SEE = "docs/reference/simulation.md"
"""The page with all names that a schedule may have."""
Milliseconds = Annotated[int, Meta(ge=0, le=3_600_000)]
Number = Annotated[int, Meta(ge=0, le=1_000_000)]


class Fault(Struct, frozen=True, order=True, forbid_unknown_fields=True, omit_defaults=True):
    """A fault at a time."""

    at: Milliseconds
    """The time since the first member started."""
    kind: str
    """A name of :data:`kassay.protocol.simulation.faults.FAULTS`."""
    who: Number = 0
    """The number of a member."""
    span: Milliseconds = 0
    """The duration."""
    much: Number = 0
    """A number whose meaning depends on the kind."""


class Setting(Struct, frozen=True, forbid_unknown_fields=True):
    """The simulated group: its use, coordinator, members and partitions."""

    use: str = "consumer"
    coordinator: str = "proposal"
    members: Annotated[int, Meta(ge=1, le=50)] = 2
    partitions: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=1000)], ...], Meta(min_length=1, max_length=20)
    ] = (2,)
    """The number of partitions of each topic, `t0` first."""
    cooperative: bool = False
    static: bool = False
    chooses: Number = 0
    """Selects one of the members that may become leader."""


class Schedule(Struct, frozen=True, forbid_unknown_fields=True):
    """A group and its faults in the order of their times."""

    setting: Setting
    faults: Annotated[tuple[Fault, ...], Meta(max_length=1000)] = ()

    @property
    def heals(self) -> int:
        """The time in milliseconds at which the last fault ends."""
        return max((fault.at + fault.span for fault in self.faults), default=0)


class Saved(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A schedule in a file, with the target in the group, the seed and number that drew it, and the broken invariant."""

    format: int
    kassay: str
    schedule: Schedule
    target: str = ""
    seed: int = 0
    number: int = 0
    breaks: str = ""
    sentences: tuple[str, ...] = ()
    minimised: bool = False


def build_saved(schedule: Schedule, **more: Any) -> Saved:
    """Return a schedule in the form for a file, with these other fields."""
    return Saved(FORMAT, __version__, schedule, **more)


# Scenarios


BEGINS_MS = 16_000
"""The time at which a scenario begins; the events before it bring the group into its first state."""


class Rebalance(Struct, frozen=True):
    """The times of the rebalance in which member 2 of three comes back."""

    told: int
    """The time of the response to the heartbeat of member 0."""
    joined: int
    """The time of the responses to the JoinGroup requests."""


REBALANCES: Mapping[str, Rebalance] = {
    "proposal": Rebalance(18_049, 18_060),
    "unpersisted": Rebalance(18_040, 18_048),
    "kafka": Rebalance(18_036, 18_044),
}
"""By the coordinator, without its release."""


class Scenario(Struct, frozen=True):
    """A named schedule."""

    says: str
    """The events, in one or two sentences."""
    setting: Setting
    faults: Callable[[Rebalance], tuple[Fault, ...]]
    drawn: tuple[str, ...] = ("proposal",)
    """The coordinators for which the page has a diagram."""

    @property
    def target(self) -> str:
        """The assignor of the group; empty if its use assigns by itself."""
        if self.setting.use != "consumer":
            return ""
        return "consumer/cooperative-sticky" if self.setting.cooperative else "consumer/range"

    def schedule(self, coordinator: str) -> Schedule:
        """Return the schedule for a group with this coordinator."""
        times = REBALANCES[coordinator.partition("@")[0]]
        faults = sorted(self.faults(times), key=lambda fault: fault.at)
        return Schedule(replace(self.setting, coordinator=coordinator), tuple(faults))


TWO = Setting(members=2, partitions=(3,))
THREE = Setting(members=3, partitions=(3,))
THIRD = Fault(9_000, "leave", who=2, span=7_000)
"""Member 2 comes back."""
EVERY = ("proposal", "unpersisted", "kafka@4.4.0")
BOTH = ("proposal", "kafka@4.4.0")
KAFKA = ("kafka@4.4.0",)


def _run_program(program: int) -> tuple[Fault, Fault]:
    """Return the faults after which both members of a group run a program before a scenario begins."""
    return Fault(6_500, "redeploy", 0, 0, program), Fault(11_000, "redeploy", 1, 0, program)


def _restart_with(*programs: int) -> tuple[Fault, ...]:
    """Return the restarts of one member after the other, with one program after the other."""
    steps = [(program, who) for program in programs for who in (0, 1)]
    return tuple(
        Fault(16_000 + 10_000 * n, "redeploy", who, 3_000, program) for n, (program, who) in enumerate(steps)
    )


CHAPTERS: Mapping[str, Mapping[str, Scenario]] = {
    "The coordinator fails": {
        "before-all-joined": Scenario(
            "The coordinator fails before all members have joined. A third member makes the others join again; one of the three requests arrives too late for the broker that dies.",
            THREE,
            lambda at: (THIRD, Fault(at.told + 1, "reorder", 0, 50), Fault(at.told + 20, "coordinator-crash")),
            EVERY,
        ),
        "before-all-know-the-generation": Scenario(
            "The coordinator fails when the generation is written, but one member has not received the response to its JoinGroup. The leader synchronises with the new coordinator before that member asks it to join again.",
            THREE,
            lambda at: (
                THIRD, Fault(at.told + 7, "loss", 1), Fault(at.joined + 4, "coordinator-crash", 0, 4_400),
                Fault(at.joined + 5, "slow-log", 0, 5_000, 900),
            ),
            EVERY,
        ),
        "before-the-states-are-written": Scenario(
            "The coordinator fails when all members have sent SyncGroup; the leader's, with the states, comes a moment too late to be written.",
            THREE,
            lambda at: (THIRD, Fault(at.joined + 1, "reorder", 0, 30), Fault(at.joined + 20, "coordinator-crash")),
            EVERY,
        ),
        "before-all-know-their-states": Scenario(
            "The coordinator fails when the states are written, but one member has not received the response to its SyncGroup.",
            THREE,
            lambda at: (THIRD, Fault(at.joined + 7, "loss", 2), Fault(at.joined + 20, "coordinator-crash")),
            EVERY,
        ),
        "it-moves-while-the-group-is-stable": Scenario(
            "The coordinator moves to another broker by a clean handover: if its state is persisted, members find it and go on.",
            TWO, lambda _: (Fault(16_500, "failover"),), ("proposal", "unpersisted"),
        ),
    },
    "The leader fails": {
        "before-it-synchronises": Scenario(
            "The leader crashes after it received its role, but before its SyncGroup arrives; the end of its session ends the generation.",
            THREE, lambda at: (THIRD, Fault(at.joined + 1, "loss", 0), Fault(at.joined + 5, "death", 0)),
        ),
        "while-it-synchronises": Scenario(
            "The leader crashes after its SyncGroup arrived, but before the response: the others get their states.",
            THREE, lambda at: (THIRD, Fault(at.joined + 5, "death", 0)),
        ),
        "after-it-has-synchronised": Scenario(
            "The leader crashes in a stable group; its session ends, and the others join under another leader.",
            THREE, lambda _: (Fault(16_500, "death", 0),),
        ),
        "sends-an-error": Scenario(
            "The leader cannot assign, because the metadata of a member are unreadable. In the proposal all members receive the reason. In Kafka only the leader fails, and then the next one.",
            TWO, lambda _: (Fault(16_500, "unreadable", 1, 20_000),), BOTH,
        ),
    },
    "Topics, racks and subscriptions change": {
        "topic-grows": Scenario(
            "A topic gets a partition: the leader synchronises again, in the same generation (4a); Kafka's leader joins again.",
            TWO, lambda _: (Fault(16_500, "grow"),), BOTH,
        ),
        "resync-takes-from-another": Scenario(
            "A topic gets two partitions, and range moves another one: only the next heartbeat informs its old owner. Until then two members of one generation own it. The proposal does not say how to prevent that.",
            TWO, lambda _: (*_run_program(7), Fault(16_500, "grow"), Fault(16_500, "grow")),
        ),
        "resync-of-a-careful-leader": Scenario(
            "The same with a leader that synchronises again only if no partition moves to another member: here all join again.",
            TWO, lambda _: (*_run_program(9), Fault(16_500, "grow"), Fault(16_500, "grow")),
        ),
        "subscription-changes": Scenario(
            "A member subscribes to another topic as well: all join again (4b).",
            replace(TWO, partitions=(3, 3)),
            lambda _: (Fault(9_000, "subscribe", 1, 0, 0), Fault(16_500, "subscribe", 1, 0, 2)),
        ),
        "pattern-matches-a-new-topic": Scenario(
            "Members subscribe by a regular expression; each finds a new topic that matches, and joins again.",
            TWO, lambda _: (*_run_program(8), Fault(16_500, "create", much=3)),
        ),
        "racks-change-for-a-leader-with-one": Scenario(
            "Replicas move to other racks, and the leader has a rack: it assigns again (KIP-881).",
            TWO, lambda _: (Fault(16_500, "racks"),), BOTH,
        ),
        "racks-change-for-a-leader-without": Scenario(
            "Replicas move to other racks, but the leader has none: nothing happens (KIP-881).",
            TWO, lambda _: (*_run_program(7), Fault(16_500, "racks")),
        ),
    },
    "SyncGroup comes early or late": {
        "follower-synchronises-first": Scenario(
            "The SyncGroup requests of the followers arrive before the request of the leader, and are parked until it arrives.",
            THREE, lambda at: (THIRD, Fault(at.joined + 1, "reorder", 0, 40)),
        ),
        "follower-synchronises-last": Scenario(
            "A follower's SyncGroup arrives when the group is stable, and is answered at once.",
            THREE, lambda at: (THIRD, Fault(at.joined + 1, "reorder", 1, 40)),
        ),
    },
    "Members come and go": {
        "cooperative-member-joins": Scenario(
            "A member joins a cooperative group: the others keep working, and an owner revokes a partition before the new member gets it.",
            replace(TWO, cooperative=True), lambda _: (replace(THIRD, who=1),), KAFKA,
        ),
        "static-member-comes-back": Scenario(
            "A member with an instance id crashes and starts again: Kafka assigns it the same partitions, without a rebalance.",
            replace(TWO, static=True), lambda _: (Fault(16_500, "crash", 1, 1_000),), KAFKA,
        ),
        "single-writer-is-cut-off": Scenario(
            "The writer is cut off: it stops before its session ends, and so before another one begins.",
            Setting("single-writer"), lambda _: (Fault(16_500, "cut", 0, 20_000),),
        ),
    },
    "Protocols": {
        "no-common-protocol": Scenario(
            "A member that supports none of the group's protocols is rejected, and the group goes on undisturbed.",
            THREE,
            lambda _: (Fault(9_000, "redeploy", 2, 7_000, 2), Fault(16_900, "redeploy", 2, 2_000, 0)),
        ),
        "strategy-upgrade": Scenario(
            "Each member is restarted with both strategies, the new one first; the group changes to it after the last restart.",
            TWO, lambda _: _restart_with(1),
        ),
        "metadata-upgrade": Scenario(
            "Each member is restarted with metadata of the old and a new version; the group changes to the new one after the last restart.",
            TWO, lambda _: (*_run_program(3), *_restart_with(4)),
        ),
        "cooperative-upgrade": Scenario(
            "Members change to a cooperative strategy by two restarts each: as long as one supports range, all members revoke everything (KIP-429).",
            TWO, lambda _: _restart_with(5, 6), KAFKA,
        ),
    },
}  # fmt: skip
"""All scenarios by chapter and name, in the order of the page."""
SCENARIOS: Mapping[str, Scenario] = {
    name: scenario for chapter in CHAPTERS.values() for name, scenario in chapter.items()
}
"""Name -> scenario."""


def find_scenario(name: str) -> Scenario:
    """Return the scenario of a name; raises InputError if the name is unknown."""
    refuse_unknown("--scenario", name, SCENARIOS, "kassay simulate --scenario")
    return SCENARIOS[name]

"""What the coordinators of a group have answered so far: what invariants judge the next answer by."""

from collections.abc import Hashable


class History:
    """Generations and what was given in them; `newest` is the highest generation that a member was told of.

    `leaders` and `members` are by generation, the latter as the leader was told; `given` is by generation and member, the items
    of its state; `writers` the first whose commit was accepted, by generation; `twins` are the processes, by slot and number, that ran at the same time as
    another of the same instance id; `static`: whether members are known by instance ids. `rounds` counts the generations that were begun.

    What known defects are recognised by: `told` and `wrote` are the brokers that told members of a generation, and those whose record of it the
    log has; `states` are those that a leader last set, by generation; `moved` pairs of a generation and an item that its leader gave in it to who did not have it; `late`
    are the generations in which a broker answered after another was coordinator; `skipped` the static leaders that were told to leave the assignment as it is, by
    generation; `metadata` are those by which the leader of a generation of static members was to assign; `withdrawn` pairs of a generation and an item that its leader took away
    again before its member was told of it; `came` tells of which process, by slot, the last JoinGroup of a static member without a member id was, whether it came after itself or one that was sent later, and the number of the latest; `stopped` are the
    processes, by slot and number, whose request was refused as another member's metadata cannot be read; `unheard` are the generations and members whose last SyncGroup was answered
    to nobody; `awaited` the last generation in which SyncGroup of an id was awaited that is none any more. `known` says which breach is of which known defect.
    """

    __slots__ = (
        "awaited",
        "came",
        "given",
        "known",
        "late",
        "leaders",
        "members",
        "metadata",
        "moved",
        "newest",
        "rounds",
        "skipped",
        "states",
        "static",
        "stopped",
        "told",
        "twins",
        "unheard",
        "withdrawn",
        "writers",
        "wrote",
    )

    def __init__(self, *, static: bool) -> None:
        self.static = static
        self.leaders: dict[int, str] = {}
        self.members: dict[int, frozenset[str]] = {}
        self.given: dict[tuple[int, str], frozenset[Hashable]] = {}
        self.writers: dict[int, str] = {}
        self.newest = 0
        self.rounds = 0
        self.told: dict[int, frozenset[int]] = {}
        self.wrote: dict[int, frozenset[int]] = {}
        self.states: dict[int, tuple[tuple[str, Hashable], ...]] = {}
        self.moved: frozenset[tuple[int, Hashable]] = frozenset()
        self.late: frozenset[int] = frozenset()
        self.withdrawn: frozenset[tuple[int, Hashable]] = frozenset()
        self.came: dict[int, tuple[int, bool, int]] = {}
        self.stopped: frozenset[tuple[int, int]] = frozenset()
        self.twins: frozenset[tuple[int, int]] = frozenset()
        self.unheard: frozenset[tuple[int, str]] = frozenset()
        self.skipped: dict[int, str] = {}
        self.metadata: dict[int, tuple[Hashable, ...]] = {}
        self.awaited = -1
        self.known: dict[tuple[str, str], str] = {}

    def copy(self) -> "History":
        """Copy all of it."""
        twin = History.__new__(History)
        twin.leaders, twin.members, twin.given = self.leaders.copy(), self.members.copy(), self.given.copy()
        twin.writers, twin.static = self.writers.copy(), self.static
        twin.newest, twin.rounds = self.newest, self.rounds
        twin.told, twin.wrote, twin.states = self.told.copy(), self.wrote.copy(), self.states.copy()
        twin.moved, twin.late, twin.awaited = self.moved, self.late, self.awaited
        twin.withdrawn, twin.stopped, twin.unheard = self.withdrawn, self.stopped, self.unheard
        twin.twins = self.twins
        twin.came, twin.metadata = self.came.copy(), self.metadata.copy()
        twin.skipped, twin.known = self.skipped.copy(), self.known.copy()
        return twin

"""What kafka-streams-groups --describe --members says of one streams group, as read."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from kassay.listings.location import ListingError, Place, quoted, repeated
from kassay.listings.racks import client_of
from kassay.listings.topics import PARTITIONS_MAX
from kassay.model import TopicPartition

_PIECE = re.compile(r"\s*(?:(TARGET-)?(ACTIVE|STANDBY|WARMUP): )?\s*([0-9]{1,9}):\[([0-9,]*)\];")
ROLES = ("ACTIVE", "STANDBY", "WARMUP")
_ADVICE = "give the whole row on one line, as in 'ACTIVE: 0:[0,3]; STANDBY: 1:[2];'"

Tasks = dict[str, list[tuple[str, int]]]
"""By role the tasks, each a subtopology and a partition."""


@dataclass(frozen=True, slots=True)
class TaskMember:
    """A member as listed; `target` and `epoch` are None without --verbose, `protocol` is ``streams`` or ``classic`` with it.

    What the tool does not print and a cluster tells: its instance id, rack and tags, and by task how far it has restored its state, and of how much.
    """

    place: Place
    id: str
    process: str
    client_id: str
    held: Tasks
    target: Tasks | None = None
    epoch: int | None = None
    protocol: str = "streams"
    instance_id: str | None = None
    told_rack: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    offsets: Mapping[tuple[str, int], int] = field(default_factory=dict)
    end_offsets: Mapping[tuple[str, int], int] = field(default_factory=dict)

    def rack(self, racks: Mapping[str, str | None]) -> str | None:
        """Return its rack by member id, process or client id, the first that is there, or else as it was told; None where none is."""
        keys = (self.id, self.process, self.client_id, client_of(self.client_id))
        return next((racks[key] for key in keys if key in racks), self.told_rack)


@dataclass(slots=True)
class StreamsGroupRows:
    """Everything read of one streams group: its members by id, and warnings.

    Where a cluster told it: `sources` are the topics that each subtopology reads, `tasks` how many tasks it has, `stateful` those
    with state, and `standbys` what num.standby.replicas is.
    """

    name: str
    members: dict[str, TaskMember] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    sources: Mapping[str, tuple[str, ...]] | None = None
    tasks: Mapping[str, int] | None = None
    stateful: Collection[str] = ()
    standbys: int | None = None
    problem: ListingError | None = None
    """What is wrong with a row of it, None where nothing is."""
    notice: str = ""
    """Its state as a notice tells it, "" where none does."""
    lags: Mapping[TopicPartition, int] = field(default_factory=dict)
    listed: Mapping[TopicPartition, None] = field(default_factory=dict)
    lag_printed: bool = False

    def add_row(self, place: Place, row: Mapping[str, str]) -> None:
        """Take in a row; raises ListingError where a field is unreadable."""
        held, target = _tasks(place, row["ASSIGNMENTS"])
        epoch = row.get("MEMBER-EPOCH")
        new = TaskMember(
            place,
            row["MEMBER"],
            row["PROCESS"],
            row.get("CLIENT-ID", "-"),
            held,
            target if epoch is not None else None,
            None if epoch is None else place.number("MEMBER-EPOCH", epoch),
            row.get("MEMBER-PROTOCOL", "streams"),
        )
        old = self.members.setdefault(new.id, new)
        if old is not new and old.target is None and new.target is not None:
            self.members[new.id] = new
        elif old is not new and new.target is not None:
            which = "the same" if old.held == new.held else "other"
            self.warnings.append(
                f"{place}: member {quoted(new.id)} is listed again with {which} tasks; {old.place} holds"
            )


_BELOW = re.compile(r"\s*((?:TARGET-)?(?:ACTIVE|STANDBY|WARMUP))-TASKS:\s*(.*?)\s*")


def tasks_below(lines: Sequence[str], position: int) -> tuple[str, int]:
    """Return what Kafka 4.0 prints of a member's tasks on the lines below its row, as later releases do in it, and how many lines that takes."""
    said = []
    taken = 0
    for line in lines[position:]:
        found = _BELOW.fullmatch(line)
        if found is None:
            break
        taken += 1
        if found[2]:
            pieces = found[2].replace(": [", ":[").split()
            said.append(f"{found[1]}: {' '.join(f'{piece};' for piece in pieces)}")
    return " ".join(said), taken


def _tasks(place: Place, text: str) -> tuple[Tasks, Tasks]:
    """Return what a member holds and what it is to hold."""
    held: Tasks = {role: [] for role in ROLES}
    target: Tasks = {role: [] for role in ROLES}
    now: list[tuple[str, int]] | None = None
    position = 0
    while position < len(text):
        match = _PIECE.match(text, position)
        if match is None or (match[2] is None and now is None):
            raise place.error(f"ASSIGNMENTS is unreadable at {quoted(text[position:])}", _ADVICE)
        if match[2] is not None:
            now = (target if match[1] else held)[match[2]]
        assert now is not None
        for number in match[4].split(",") if match[4] else ():
            partition = place.number(f"ASSIGNMENTS {match[3]}", number)
            if partition >= PARTITIONS_MAX:
                raise place.error(
                    f"task {match[3]}_{partition} makes a subtopology of {partition + 1} tasks",
                    f"give subtopologies of at most {PARTITIONS_MAX} tasks",
                )
            now.append((match[3], partition))
        position = match.end()
    twice = repeated(f"{name}_{number}" for some in held.values() for name, number in dict.fromkeys(some))
    if twice is not None:
        raise place.error(f"ASSIGNMENTS has task {twice} in two roles", "give the row as printed")
    return held, target

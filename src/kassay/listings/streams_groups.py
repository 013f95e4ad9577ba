r"""Streams groups (KIP-1071) from the members that kafka-streams-groups prints.

>>> from kassay.listings.reading import read_files
>>> from kassay.listings.streams_groups import write_streams_group
>>> table = "GROUP MEMBER PROCESS CLIENT-ID ASSIGNMENTS"
>>> row = "shop m0 p0 shop-1-StreamThread-1-consumer ACTIVE: 0:[0,1]; STANDBY: 1:[0]; "
>>> rows = read_files([("shop.txt", f"{table}\n{row}")]).streams_groups["shop"]
>>> group, _ = write_streams_group(rows)
>>> group["subtopologies"][1], group["members"][0]["active"]
({'id': '1', 'partitions': 1, 'stateful': True}, ['0_0', '0_1'])
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kassay.errors import InputError
from kassay.listings.details import describe_missing_racks, parse_whole_number, read_pairs, read_thread
from kassay.listings.location import Assumed, ListingError, Place, find_repeated, list_some, quote
from kassay.listings.topics import PARTITIONS_MAX
from kassay.model import INT32_MAX, TopicPartition
from kassay.sentences import format_count

_PIECE = re.compile(r"\s*(?:(TARGET-)?(ACTIVE|STANDBY|WARMUP): )?\s*([0-9]{1,9}):\[([0-9,]*)\];")
ROLES = ("ACTIVE", "STANDBY", "WARMUP")
_ADVICE = "give the whole row on one line, as in 'ACTIVE: 0:[0,3]; STANDBY: 1:[2];'"

Tasks = dict[str, list[tuple[str, int]]]
"""Role -> tasks, each a subtopology and a partition."""


@dataclass(frozen=True, slots=True)
class TaskMember:
    """A member as listed; the tool does not print the last five fields, which come from a cluster."""

    place: Place
    id: str
    process: str
    client_id: str
    held: Tasks
    target: Tasks | None = None
    """Its target assignment, None without --verbose."""
    epoch: int | None = None
    """Its member epoch, None without --verbose."""
    protocol: str = "streams"
    """``streams``, or ``classic`` during a migration."""
    instance_id: str | None = None
    told_rack: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    offsets: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """For each task the sum of the changelog offsets up to which it has restored the state."""
    end_offsets: Mapping[tuple[str, int], int] = field(default_factory=dict)

    @property
    def is_behind(self) -> bool:
        """True if it owns other tasks than its target assignment."""
        target = self.target
        return target is not None and any(
            {*tasks} != {*target.get(role, ())} for role, tasks in self.held.items()
        )

    def find_rack(self, racks: Mapping[str, str | None]) -> str | None:
        """Return its rack by the first known one of member id, process and client id, or else from the cluster, or None."""
        keys = (self.id, self.process, self.client_id, read_thread(self.client_id) or self.client_id)
        return next((racks[key] for key in keys if key in racks), self.told_rack)


@dataclass(slots=True)
class StreamsGroupRows:
    """Everything that was read about one streams group; a cluster sets also the fields from `sources` to `standbys`."""

    name: str
    members: dict[str, TaskMember] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    sources: Mapping[str, tuple[str, ...]] | None = None
    """The topics that each subtopology reads."""
    tasks: Mapping[str, int] | None = None
    """The number of tasks of each subtopology."""
    stateful: Collection[str] = ()
    """The subtopologies with state."""
    standbys: int | None = None
    """The value of num.standby.replicas."""
    problem: ListingError | None = None
    """The problem of one of its rows, None if there is none."""
    notice: str = ""
    """The state in a notice about the group, "" if there is no notice."""
    lags: Mapping[TopicPartition, int] = field(default_factory=dict)
    listed: Mapping[TopicPartition, None] = field(default_factory=dict)
    lag_printed: bool = False

    def add_row(self, place: Place, row: Mapping[str, str]) -> None:
        """Add a row; raise ListingError if a field is unreadable."""
        held, target = _read_tasks(place, row["ASSIGNMENTS"])
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
                f"{place}: member {quote(new.id)} is listed again with {which} tasks; {old.place} holds"
            )


_BELOW = re.compile(r"\s*((?:TARGET-)?(?:ACTIVE|STANDBY|WARMUP))-TASKS:\s*(.*?)\s*")


def read_tasks_below(lines: Sequence[str], position: int) -> tuple[str, int]:
    """Return the tasks that Kafka 4.0 prints below the row of a member, in the layout of later releases, and their number of lines."""
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


def _read_tasks(place: Place, text: str) -> tuple[Tasks, Tasks]:
    """Return the current tasks and the target tasks of a member."""
    held: Tasks = {role: [] for role in ROLES}
    target: Tasks = {role: [] for role in ROLES}
    now: list[tuple[str, int]] | None = None
    position = 0
    while position < len(text):
        match = _PIECE.match(text, position)
        if match is None or (match[2] is None and now is None):
            raise place.error(f"ASSIGNMENTS is unreadable at {quote(text[position:])}", _ADVICE)
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
    twice = find_repeated(
        f"{name}_{number}" for some in held.values() for name, number in dict.fromkeys(some)
    )
    if twice is not None:
        raise place.error(f"ASSIGNMENTS has task {twice} in two roles", "give the row as printed")
    return held, target


STANDBYS, TAGS = "num.standby.replicas", "rack.aware.assignment.tags"


def read_config(texts: Sequence[str]) -> dict[str, Any]:
    """Read settings ``NAME=VALUE``, tags with commas between them; raise InputError with the setting."""
    pairs = read_pairs(texts, (STANDBYS, TAGS), "assignors of streams groups")
    return {
        name: parse_whole_number(name, value, INT32_MAX) if name == STANDBYS else value.split(",")
        for name, value in pairs.items()
    }


def write_streams_group(
    rows: StreamsGroupRows,
    stated: Collection[str] | None = None,
    config: Mapping[str, Any] | None = None,
    member_racks: Mapping[str, str | None] | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """Return the JSON of the group (see contract.md) without its family, and a sentence for each assumption.

    `stated` are the subtopologies with state, None for those that have standby or warm-up tasks; `config` has settings by Kafka's
    names; `member_racks` is keyed by member id, process or client id.
    Raises ListingError if there are too many tasks, InputError if options contradict the rows.
    """
    warnings = list(rows.warnings)
    members = list(rows.members.values())
    counts = dict(rows.tasks) if rows.tasks is not None else _count_tasks(rows, members)
    racks = {one.id: one.find_rack(member_racks or {}) for one in members}
    warnings += _find_contradictions(members)
    active = {task for one in members for task in one.held["ACTIVE"]}
    if free := sum(counts.values()) - len(active):
        idle = (
            f"{name}_{n}" for name, count in counts.items() for n in range(count) if (name, n) not in active
        )
        warnings.append(
            f"no member runs {format_count(free, 'task')} of these subtopologies ({list_some(idle, free)})"
        )
    stateful = rows.stateful if rows.tasks is not None else _find_stateful(counts, members, stated, warnings)
    standbys = rows.standbys
    if standbys is None:
        copies = Counter(task for one in members for task in set(one.held["STANDBY"]))
        standbys = max(copies.values(), default=0)
        if STANDBYS not in (config or {}):
            warnings.append(
                Assumed(
                    f"{STANDBYS} is not printed: it is taken to be {standbys}, the most standby tasks listed of one task; "
                    f"--config {STANDBYS}=N states it"
                )
            )
    group = {
        "subtopologies": [
            {"id": name, "partitions": count, "stateful": name in stateful} for name, count in counts.items()
        ],
        "members": [
            {
                "id": one.id,
                "process_id": one.process,
                "instance_id": one.instance_id,
                "rack": racks[one.id],
                **_write_roles(one.held),
                **({"tags": dict(one.tags)} if one.tags else {}),
                **{
                    name: {
                        f"{subtopology}_{partition}": offset
                        for (subtopology, partition), offset in sums.items()
                    }
                    for name, sums in (("offsets", one.offsets), ("end_offsets", one.end_offsets))
                    if sums
                },
            }
            for one in members
        ],
        "config": {STANDBYS: standbys, **(config or {})},
    }
    if member_racks and None in racks.values():
        warnings.append(
            describe_missing_racks("member", [name for name, rack in racks.items() if rack is None])
        )
    if rows.tasks is None:
        warnings.append(
            Assumed(
                "instance ids, tags of clients and how far members have restored tasks are not printed: no member is taken to have any"
            )
        )
    return group, warnings


def write_targets(rows: StreamsGroupRows) -> dict[str, Any] | None:
    """Return the JSON of the target assignment, None if it is not printed for every member."""
    members = list(rows.members.values())
    if not members or any(one.target is None for one in members):
        return None
    return {one.id: _write_roles(one.target or {}) for one in members}


def _write_roles(tasks: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, list[str]]:
    return {
        role.lower(): [
            f"{subtopology}_{partition}" for subtopology, partition in dict.fromkeys(tasks.get(role, ()))
        ]
        for role in ROLES
    }


def _count_tasks(rows: StreamsGroupRows, members: Sequence[TaskMember]) -> dict[str, int]:
    """Return the number of tasks of each subtopology, by its id."""
    counts: dict[str, int] = {}
    for one in members:
        for tasks in (*one.held.values(), *(one.target or {}).values()):
            for subtopology, partition in tasks:
                counts[subtopology] = max(counts.get(subtopology, 0), partition + 1)
    if sum(counts.values()) > PARTITIONS_MAX:
        raise ListingError(
            f"streams group {quote(rows.name)}: has {sum(counts.values())} tasks. Give listings of at most {PARTITIONS_MAX}."
        )
    return dict(sorted(counts.items(), key=lambda one: (len(one[0]), one[0])))


def _find_contradictions(members: Sequence[TaskMember]) -> Iterator[str]:
    behind = [one for one in members if one.is_behind]
    if behind:
        yield (
            f"{behind[0].place}: {format_count(len(behind), 'member')} ({list_some((quote(one.id) for one in behind), len(behind))}) "
            f"{'holds' if len(behind) == 1 else 'hold'} other tasks than the target assignment; what is held now is taken"
        )
    classic = [one for one in members if one.protocol == "classic"]
    if classic:
        yield (
            f"{classic[0].place}: {format_count(len(classic), 'member')} ({list_some((quote(one.id) for one in classic), len(classic))}) "
            f"{'speaks' if len(classic) == 1 else 'speak'} the classic protocol still: the group is migrating (KIP-1071)"
        )
    active = [(task, one) for one in members for task in dict.fromkeys(one.held["ACTIVE"])]
    twice = find_repeated(f"{task[0]}_{task[1]}" for task, _ in active)
    if twice is not None:
        place = [one.place for task, one in active if f"{task[0]}_{task[1]}" == twice][-1]
        yield f"{place}: task {twice} is active at several members; all of them claim it"


def _find_stateful(
    counts: Mapping[str, int],
    members: Sequence[TaskMember],
    stated: Collection[str] | None,
    warnings: list[str],
) -> set[str]:
    """Return the subtopologies with state: those with standby or warm-up tasks, and those from the option --stateful."""
    unknown = sorted(set(stated or ()) - counts.keys())
    if unknown:
        raise InputError(
            f"--stateful {unknown[0]}: no member has a task of subtopology {unknown[0]!r}. Known are {', '.join(counts) or 'none'}"
        )
    seen = {
        subtopology
        for one in members
        for role in ROLES[1:]
        for subtopology, _ in (*one.held[role], *(one.target or {}).get(role, ()))
    }
    if counts:
        which = "; ".join(f"{name} has {count}" for name, count in list(counts.items())[:5])
        warnings.append(
            Assumed(
                "how many tasks subtopologies have is not printed: they are taken to have one more than the highest listed number "
                f"({which}{f' and {len(counts) - 5} more' if len(counts) > 5 else ''})"
            )
        )
    if stated is None and counts:
        said = list_some((name for name in counts if name in seen), len(seen)) or "none"
        warnings.append(
            Assumed(
                "which subtopologies have state is not printed: those with standby or warm-up tasks are taken to "
                f"({said}); --stateful ID,ID states others"
            )
        )
    return seen | set(stated or ())

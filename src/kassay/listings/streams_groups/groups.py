"""From the rows of a streams group to the group that its coordinator's assignor is given."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kassay.errors import InputError
from kassay.listings.location import Assumed, ListingError, quoted, repeated, some
from kassay.listings.racks import rackless
from kassay.listings.streams_groups.rows import ROLES, StreamsGroupRows, TaskMember
from kassay.listings.topic_catalog import read_pairs, whole_number
from kassay.listings.topics import PARTITIONS_MAX
from kassay.model import INT32_MAX
from kassay.sentences import counted

STANDBYS, TAGS = "num.standby.replicas", "rack.aware.assignment.tags"


@dataclass(frozen=True, slots=True)
class TaskDetails:
    """What kafka-streams-groups does not print, as far as the user states it.

    `stateful` are subtopologies with state, None where nothing is stated; `config` are settings by Kafka's names; `member_racks` are
    by member id, process or client id.
    """

    stateful: Collection[str] | None = None
    config: Mapping[str, Any] | None = None
    member_racks: Mapping[str, str | None] | None = None


NONE_STATED = TaskDetails()


def read_config(texts: Sequence[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` each, tags with commas between them; raises InputError naming the setting."""
    pairs = read_pairs(texts, (STANDBYS, TAGS), "assignors of streams groups")
    return {
        name: whole_number(name, value, INT32_MAX) if name == STANDBYS else value.split(",")
        for name, value in pairs.items()
    }


def group_of(rows: StreamsGroupRows, details: TaskDetails = NONE_STATED) -> tuple[dict[str, Any], list[str]]:
    """Return the JSON of the group, as contract.md has it, without its family, and a sentence for each thing assumed.

    Raises ListingError where it has more tasks than an import may have, InputError where what is stated contradicts the rows.
    """
    warnings = list(rows.warnings)
    members = list(rows.members.values())
    counts = dict(rows.tasks) if rows.tasks is not None else _counts(rows, members)
    racks = {one.id: one.rack(details.member_racks or {}) for one in members}
    warnings += _at_odds(members)
    warnings += _idle(counts, members)
    group = {
        "subtopologies": _subtopologies(counts, members, details.stateful, warnings)
        if rows.tasks is None
        else [_subtopology(name, count, rows.stateful) for name, count in counts.items()],
        "members": [_member(one, racks[one.id]) for one in members],
        "config": _config(members, details.config or {}, warnings)
        if rows.standbys is None
        else {STANDBYS: rows.standbys, **(details.config or {})},
    }
    if details.member_racks and None in racks.values():
        warnings.append(rackless("member", [name for name, rack in racks.items() if rack is None]))
    warnings += [
        Assumed(
            "instance ids, tags of clients and how far members have restored tasks are not printed: no member is taken to have any"
        )
    ] * (rows.tasks is None)
    return group, warnings


def targets_of(rows: StreamsGroupRows) -> dict[str, Any] | None:
    """Return the JSON of what the coordinator wants each member to hold, None where a row does not print that."""
    members = list(rows.members.values())
    if not members or any(one.target is None for one in members):
        return None
    return {one.id: _roles(one.target or {}) for one in members}


def _roles(tasks: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, list[str]]:
    return {
        role.lower(): [
            f"{subtopology}_{partition}" for subtopology, partition in dict.fromkeys(tasks.get(role, ()))
        ]
        for role in ROLES
    }


def _counts(rows: StreamsGroupRows, members: Sequence[TaskMember]) -> dict[str, int]:
    """Return the number of tasks of each subtopology, by its id."""
    counts: dict[str, int] = {}
    for one in members:
        for tasks in (*one.held.values(), *(one.target or {}).values()):
            for subtopology, partition in tasks:
                counts[subtopology] = max(counts.get(subtopology, 0), partition + 1)
    if sum(counts.values()) > PARTITIONS_MAX:
        raise ListingError(
            f"streams group {quoted(rows.name)} has {sum(counts.values())} tasks. Give listings of at most {PARTITIONS_MAX}."
        )
    return dict(sorted(counts.items(), key=lambda one: (len(one[0]), one[0])))


def _member(one: TaskMember, rack: str | None) -> dict[str, Any]:
    return {
        "id": one.id,
        "process_id": one.process,
        "instance_id": one.instance_id,
        "rack": rack,
        **_roles(one.held),
        **({"tags": dict(one.tags)} if one.tags else {}),
        **{
            name: _sums(sums)
            for name, sums in (("offsets", one.offsets), ("end_offsets", one.end_offsets))
            if sums
        },
    }


def _sums(offsets: Mapping[tuple[str, int], int]) -> dict[str, int]:
    return {f"{subtopology}_{partition}": offset for (subtopology, partition), offset in offsets.items()}


def _subtopology(name: str, tasks: int, stateful: Collection[str]) -> dict[str, Any]:
    return {"id": name, "partitions": tasks, "stateful": name in stateful}


def _at_odds(members: Sequence[TaskMember]) -> list[str]:
    said = []
    behind = [one for one in members if one.target is not None and _sets(one.target) != _sets(one.held)]
    if behind:
        said.append(
            f"{behind[0].place}: {counted(len(behind), 'member')} ({some((quoted(one.id) for one in behind), len(behind))}) "
            f"{'holds' if len(behind) == 1 else 'hold'} other tasks than the target assignment; what is held now is taken"
        )
    classic = [one for one in members if one.protocol == "classic"]
    if classic:
        said.append(
            f"{classic[0].place}: {counted(len(classic), 'member')} ({some((quoted(one.id) for one in classic), len(classic))}) "
            f"{'speaks' if len(classic) == 1 else 'speak'} the classic protocol still: the group is migrating (KIP-1071)"
        )
    active = [(task, one) for one in members for task in dict.fromkeys(one.held["ACTIVE"])]
    twice = repeated(f"{task[0]}_{task[1]}" for task, _ in active)
    if twice is not None:
        place = [one.place for task, one in active if f"{task[0]}_{task[1]}" == twice][-1]
        said.append(f"{place}: task {twice} is active at several members; all of them claim it")
    return said


def _idle(counts: Mapping[str, int], members: Sequence[TaskMember]) -> list[str]:
    """Say which tasks nobody runs."""
    active = {task for one in members for task in one.held["ACTIVE"]}
    free = sum(counts.values()) - len(active)
    if not free:
        return []
    tasks = ((name, number) for name, count in counts.items() for number in range(count))
    idle = (f"{name}_{number}" for name, number in tasks if (name, number) not in active)
    return [f"no member runs {counted(free, 'task')} of these subtopologies ({some(idle, free)})"]


def _sets(tasks: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, frozenset[tuple[str, int]]]:
    return {role: frozenset(some_tasks) for role, some_tasks in tasks.items()}


def _subtopologies(
    counts: Mapping[str, int],
    members: Sequence[TaskMember],
    stated: Collection[str] | None,
    warnings: list[str],
) -> list[dict[str, Any]]:
    unknown = sorted(set(stated or ()) - counts.keys())
    if unknown:
        raise InputError(
            f"--stateful {unknown[0]}: no member has a task of subtopology {unknown[0]!r}; known are {', '.join(counts) or 'none'}"
        )
    seen = {
        subtopology
        for one in members
        for role in ROLES[1:]
        for subtopology, _ in (*one.held[role], *(one.target or {}).get(role, ()))
    }
    stateful = seen | set(stated or ())
    if counts:
        which = "; ".join(f"{name} has {count}" for name, count in list(counts.items())[:5])
        warnings.append(
            Assumed(
                "how many tasks subtopologies have is not printed: they are taken to have one more than the highest listed number "
                f"({which}{f' and {len(counts) - 5} more' if len(counts) > 5 else ''})"
            )
        )
    if stated is None and counts:
        said = some((name for name in counts if name in seen), len(seen)) or "none"
        warnings.append(
            Assumed(
                "which subtopologies have state is not printed: those with standby or warm-up tasks are taken to "
                f"({said}); --stateful ID,ID states others"
            )
        )
    return [_subtopology(name, count, stateful) for name, count in counts.items()]


def _config(members: Sequence[TaskMember], stated: Mapping[str, Any], warnings: list[str]) -> dict[str, Any]:
    copies: dict[tuple[str, int], int] = {}
    for one in members:
        for task in dict.fromkeys(one.held["STANDBY"]):
            copies[task] = copies.get(task, 0) + 1
    most = max(copies.values(), default=0)
    if STANDBYS not in stated:
        warnings.append(
            Assumed(
                f"{STANDBYS} is not printed: it is taken to be {most}, the most standby tasks listed of one task; "
                f"--config {STANDBYS}=N states it"
            )
        )
    return {STANDBYS: most, **stated}

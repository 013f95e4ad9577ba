"""Streams groups: their processes as an application with a thread for each member, whose members share tasks evenly."""

from collections import Counter
from typing import Any

from kassay.oracles.proof import applications, tasks
from kassay.oracles.proof.groups import NAME
from kassay.oracles.proof.reading import OPEN, Json, claim, need, said, same, shaped
from kassay.oracles.proof.roles import BALANCES, PARTS, SPREAD

ASKED = ("balance", SPREAD, PARTS, "moves", "restore")
"""The levels that can be asked for. The places of partitions are unknown."""
ROLES = {"active?": [str], "standby?": [str], "warmup?": [str]}
SUBTOPOLOGY = {"id": str, "partitions": int, "stateful?": bool}
MEMBER = {
    "id": str, "process_id": str, **ROLES, "offsets?": {str: int}, "end_offsets?": {str: int}, "tags?": {str: str},
    "rack?": NAME, "instance_id?": NAME,
}  # fmt: skip
CONFIG = {"num.standby.replicas?": int, "rack.aware.assignment.tags?": [str]}
GROUP = {
    "subtopologies": [SUBTOPOLOGY], "members": [MEMBER], "config?": CONFIG, "family?": str, "name?": NAME, "listed?": {None: dict},
}  # fmt: skip
ANSWER = tasks.ANSWER | {"assignment": {str: {**ROLES, OPEN: None}}}
MOST = 10**7
"""The most tasks of a group."""


def application_of(group: Json) -> Json:
    """Return a group as an application whose clients are its processes; raises WrongInputError naming the field.

    A process has the state of a task if one of its members has it in any role or reports an offset of it. Its lag is the difference to
    the greatest end offset that any member reports.
    """
    shaped(group, GROUP, "group")
    sizes = {each["id"]: each["partitions"] for each in group["subtopologies"]}
    need(len(sizes) == len(group["subtopologies"]), "group.subtopologies: one is listed twice; list it once")
    need(min(sizes.values(), default=0) >= 0, "group.subtopologies: partitions: give 0 or more")
    need(sum(sizes.values()) <= MOST, f"group.subtopologies: give {MOST:,} tasks at most")
    names = [member["id"] for member in group["members"]]
    need(len({*names}) == len(names), "group.members: two have one id; rename one")
    fine = all(each["process_id"] for each in group["members"])
    need(fine, "group.members: process_id: one is empty; name it")
    listed = {
        f"{each['id']}_{n}": each.get("stateful", False)
        for each in group["subtopologies"]
        for n in range(each["partitions"])
    }
    need(group["members"] or not listed, "group.members: there are none; list one at least")
    ends = _greatest(group["members"], "end_offsets")
    processes: dict[str, list[Json]] = {}
    for member in group["members"]:
        processes.setdefault(member["process_id"], []).append(member)
    return {
        "tasks": [{"id": task, "stateful": stateful} for task, stateful in listed.items()],
        "clients": [_client(name, members, listed, ends) for name, members in processes.items()],
        "config": group.get("config", {}),
    }


def _client(name: str, members: list[Json], listed: dict[str, bool], ends: dict[str, int]) -> Json:
    active = {task for each in members for task in each.get("active", ()) if task in listed}
    copies = {task for each in members for role in ("standby", "warmup") for task in each.get(role, ())}
    standby = {task for task in copies if task in listed and task not in active}
    offsets = _greatest(members, "offsets")

    def lag(task: str) -> int:
        if task in active:
            return applications.RUNNING
        if task in offsets:
            return max(0, ends.get(task, 0) - offsets[task])
        return 0 if task in standby else applications.UNKNOWN

    return {
        "id": name, "threads": len(members), "active": sorted(active), "standby": sorted(standby), "tags": members[0].get("tags", {}),
        "lags": {task: lag(task) for task, stateful in listed.items() if stateful}, "rack": members[0].get("rack"),
    }  # fmt: skip


def _greatest(members: list[Json], name: str) -> dict[str, int]:
    """Return the greatest sum that is reported of each task."""
    found: dict[str, int] = {}
    for member in members:
        for task, reported in member.get(name, {}).items():
            found[task] = max(reported, found.get(task, 0))
    return found


def verify(group: Json, answer: Json) -> str:
    """Return a sentence on what an answer proves; raises WrongInputError or NotProvedError with the reason."""
    application = application_of(group)
    shaped(answer, ANSWER, "")
    levels, shared = applications.levels_of(answer["question"], ASKED)
    known = applications.known_of(application, levels, shared=shared)
    given, path = answer["assignment"], "assignment"
    process = {member["id"]: member["process_id"] for member in group["members"]}
    claim(given.keys() == process.keys(), f"{path}: its members are not those of the group")
    warming = next((name for name, roles in given.items() if roles.get("warmup")), None)
    claim(warming is None, f"{path}: {warming} warms a task up, so it is provisional")
    held: dict[str, Any] = {name: {"active": [], "standby": []} for name in process.values()}
    for name, roles in given.items():
        for role, whole in held[process[name]].items():
            whole.extend(roles.get(role, ()))
    shown, whole = tasks.check_statements(known, levels, answer | {"assignment": held})
    stated = {each["level"]: each["value"] for each in answer["levels"]}
    for level, counted in zip(BALANCES, (("active",), ("active", "standby")), strict=True):
        if level in stated:
            loads = [sum(len(roles.get(role, ())) for role in counted) for roles in given.values()]
            spread = max(loads, default=0) - min(loads, default=0)
            # at least 2 if one task in another process would even two processes
            threads = Counter(process.values())
            uneven = tasks.apart(
                [(sum(len(held[name][role]) for role in counted), own) for name, own in threads.items()]
            )
            same(f"levels: {level}, among members", stated[level], max(spread, uneven))
    return said(answer["question"], shown, proved=whole)

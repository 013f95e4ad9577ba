"""A streams group as verify_tasks_certificate.py reads an application: processes are clients; like that file it needs Python alone."""

from collections import Counter
from typing import Any

SUMS, NAME = {str: int}, {None: str}
SUBTOPOLOGY = {"id": str, "partitions": int, "stateful?": bool}
ROLES = {"active?": [str], "standby?": [str], "warmup?": [str]}
MEMBER = {
    "id": str, "process_id": str, **ROLES, "offsets?": SUMS, "end_offsets?": SUMS, "tags?": {str: str}, "rack": NAME, "instance_id": NAME,
}  # fmt: skip
CONFIG = {"num.standby.replicas?": int, "rack.aware.assignment.tags?": [str]}
GROUP = {"subtopologies": [SUBTOPOLOGY], "members": [MEMBER], "config?": CONFIG, "name": NAME}
RUNNING, UNKNOWN = -2, -3
MOST = 10**7
"""The most tasks that are looked at."""


def application(group: Any, by: Any) -> dict[str, Any]:
    """Return the group as an application whose clients are its processes, with a thread for each member; `by` is verify_certificate.

    A process has the state of a task that one of its members has in any role or reports an offset of; it lags by what is missing to
    the greatest end that anybody reports.
    """
    by.shaped(group, GROUP, "group")
    sizes = {each["id"]: each["partitions"] for each in group["subtopologies"]}
    by.need(
        len(sizes) == len(group["subtopologies"]), "group.subtopologies: one is listed twice; list it once"
    )
    by.need(min(sizes.values(), default=0) >= 0, "group.subtopologies: partitions: give 0 or more")
    by.need(sum(sizes.values()) <= MOST, f"group.subtopologies: give {MOST:,} tasks at most")
    by.need(
        all(each["process_id"] for each in group["members"]),
        "group.members: process_id: one is empty; name it",
    )
    names = [member["id"] for member in group["members"]]
    by.need(len(set(names)) == len(names), "group.members: two have one id; rename one")
    tasks = {
        f"{each['id']}_{n}": bool(each.get("stateful"))
        for each in group["subtopologies"]
        for n in range(each["partitions"])
    }
    by.need(group["members"] or not tasks, "group.members: there are none; list one at least")
    ends = _greatest(group["members"], "end_offsets")
    processes: dict[str, list[Any]] = {}
    for member in group["members"]:
        processes.setdefault(member["process_id"], []).append(member)
    clients = [_client(name, members, tasks, ends) for name, members in processes.items()]
    listed = [{"id": task, "stateful": stateful} for task, stateful in tasks.items()]
    return {"tasks": listed, "clients": clients, "config": group.get("config", {})}


def _client(name: str, members: list[Any], tasks: dict[str, bool], ends: dict[str, int]) -> dict[str, Any]:
    active = {task: RUNNING for each in members for task in each.get("active") or () if task in tasks}
    copies = [task for role in ("standby", "warmup") for each in members for task in each.get(role) or ()]
    standby = {task: 0 for task in copies if task in tasks and task not in active}
    behind = {task: max(0, ends.get(task, 0) - sum_) for task, sum_ in _greatest(members, "offsets").items()}
    lags = dict.fromkeys((task for task, stateful in tasks.items() if stateful), UNKNOWN)
    lags |= {task: lag for task, lag in (standby | behind | active).items() if task in lags}
    first = members[0]
    return {
        "id": name, "threads": len(members), "active": [*active], "standby": [*standby], "lags": lags,
        "tags": first.get("tags", {}), "rack": first.get("rack"),
    }  # fmt: skip


def _greatest(members: list[Any], name: str) -> dict[str, int]:
    """Return the greatest sum that is reported of each task."""
    found: dict[str, int] = {}
    for member in members:
        for task, sum_ in (member.get(name) or {}).items():
            found[task] = max(sum_, found.get(task, 0))
    return found


def verify(group: Any, answer: Any, tasks: Any, by: Any) -> str:
    """Return what an answer is proved to be, of its processes by `tasks`, and that members of a process share evenly.

    Raises WrongInputError or NotProvedError with the reason.
    """
    known = application(group, by)
    by.shaped(answer, tasks.ANSWER | {"assignment": {str: ROLES}}, "answer")
    given, path = answer["assignment"], "answer.assignment"
    process = {member["id"]: member["process_id"] for member in group["members"]}
    by.claim(given.keys() == process.keys(), f"{path}: its members are not those of the group")
    warming = [name for name, roles in given.items() if roles.get("warmup")]
    by.claim(not warming, f"{path}: {warming[:1]} warms a task up, so it is provisional")
    held: dict[str, Any] = {name: {"active": [], "standby": []} for name in process.values()}
    for name, roles in given.items():
        for role, whole in held[process[name]].items():
            whole.extend(roles.get(role) or ())
    sizes = Counter(process.values())
    said = str(tasks.verify(known, answer | {"assignment": held}, by))
    for level, counted in (("balance", ("active",)), ("total-balance", ("active", "standby"))):
        loads = [sum(len(roles.get(role) or ()) for role in counted) for roles in given.values()]
        spread = max(loads, default=0) - min(loads, default=0)
        of = [(sum(len(held[name][role]) for role in counted), threads) for name, threads in sizes.items()]
        spread = max(spread, by.beside("verify_tasks_prices").apart(of))
        stated = [each["value"] for each in answer["levels"] if each["level"] == level]
        by.claim(stated in ([], [spread]), f"answer.levels: {level} is {spread} among members")
    return said

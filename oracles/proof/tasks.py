"""The value of a placement of tasks, and the lower bounds that its certificate proves."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from heapq import heapify, heapreplace
from itertools import chain
from math import inf
from typing import Any

from kassay.oracles.proof import applications, roles
from kassay.oracles.proof.applications import (
    ROLES,
    ROLES_OF,
    SUMS,
    NumberedApplication,
    read_application,
    read_question,
)
from kassay.oracles.proof.groups import NAME
from kassay.oracles.proof.reading import (
    LARGEST,
    LEVEL,
    OPEN,
    Json,
    compare,
    compare_rows,
    describe_proof,
    prove,
    require,
    require_form,
)
from kassay.oracles.proof.roles import BALANCES, PARTS, SPREAD, Prices, Proof, Roles, Split

PROOF = {"level": str, "value": int, "least": int, "proof": dict, OPEN: None}
CERTIFICATE = {"proved": bool, "loads": {str: (int, int)}, "proofs": [PROOF], OPEN: None}
ANSWER = {
    "question": str, "levels": [LEVEL], "certificate": CERTIFICATE, "assignment": {str: {**ROLES, OPEN: None}}, OPEN: None,
}  # fmt: skip
PRICES = {
    "by": str, "unit": int, "before": [int], "active": SUMS, "every": SUMS, "caps": [(frozenset({int, str}), str, int)], "cases": [int], OPEN: None,
}  # fmt: skip
CASES = {
    "by": str, "tasks": {None: [str]}, "clients": {None: [str]}, "role": str, "most": int, "fewer": dict, "more": dict, OPEN: None,
}  # fmt: skip


def read_placement(known: NumberedApplication, given: Json, path: str) -> list[list[int]]:
    """Return the clients of each task's copies, the active one first; raises NotProvedError if the placement is not legal."""
    prove(given.keys() == known.clients.keys(), f"{path}: its clients are not the application's")
    held: list[list[int]] = [[] for _ in known.tasks]
    for n, role in enumerate(ROLES_OF):
        for name, c in known.clients.items():
            for task in given[name].get(role) or ():
                place = known.tasks.get(task)
                fresh = place is not None and c not in held[place]
                prove(fresh, f"{path}: gives {name} {task[:60]}, which there is not or it has already")
                held[known.tasks[task]].append(c)
        wanted = [1 + n * item.standbys for item in known.problem.items]
        enough = list(map(len, held)) == wanted
        prove(enough, f"{path}: does not give each task to one client, with all its standbys on others")
    count = Counter((item.part, copies[0]) for item, copies in zip(known.problem.items, held, strict=True))
    kept = all(low <= count[cap] <= high for cap, (low, high) in known.problem.caps.items())
    prove(kept, f"{path}: a client has not its share of a subtopology")
    return held


def count_loads(level: str, held: Sequence[Sequence[int]]) -> Counter[int]:
    """Return the load of each client in a balance: its active tasks, or all of its copies."""
    return Counter(c for copies in held for c in (copies if level == BALANCES[1] else copies[:1]))


def measure_imbalance(known: NumberedApplication, level: str, held: Sequence[Sequence[int]]) -> int:
    """Return how far apart the loads of a balance are; see :func:`compute_spread`."""
    load = count_loads(level, held)
    return compute_spread([(load[c], threads) for c, threads in enumerate(known.threads)])


def compute_value(known: NumberedApplication, level: str, held: Sequence[Sequence[int]]) -> int:
    """Return the value of a placement: for balances the sum of the squared loads by threads, times a factor that makes it whole."""
    problem = known.problem
    if level in BALANCES:
        return sum(n * n * problem.weights[c] for c, n in count_loads(level, held).items())
    if level == PARTS:
        places = Counter((item.part, copies[0]) for item, copies in zip(problem.items, held, strict=True))
        return sum(n * n * problem.weights[c] for (_, c), n in places.items())
    if level == SPREAD:
        spread = ([problem.zones[c] for c in copies] for copies in held if len(copies) > 1)
        columns = (
            [zone for zone in column if zone >= 0] for zones in spread for column in zip(*zones, strict=True)
        )
        return sum(len(column) - len({*column}) for column in columns)
    of, total = problem.levels[level], 0
    for item, copies in zip(problem.items, held, strict=True):
        total += of.loss[item.claim] if of.loss else 0
        gains = of.gains[item.claim] if of.gains else {}
        total -= sum(gains[c][place > 0] for place, c in enumerate(copies) if c in gains)
        for place, c in enumerate(copies):
            table = of.standby if place else of.active
            total += 0 if table is None else table[item.profile][problem.kinds[c]]
    return total


def sum_even_squares(problem: Roles) -> int:
    """Return the sum of the weighed squares if each subtopology is as even as whole tasks allow: the next task goes where it costs least."""
    total = 0
    for size in Counter(item.part for item in problem.items).values():
        next_ = [(weight, weight) for weight in problem.weights]
        heapify(next_)
        for _ in range(size):
            cost, weight = next_[0]
            total += cost
            heapreplace(next_, (cost + 2 * weight, weight))
    return total


def compute_spread(loads: Sequence[tuple[int, int]]) -> int:
    """Return how far apart loads by threads are, given tasks and threads of each client; at least 2 if one task elsewhere evens two clients."""
    spread = max((-(-n // k) for n, k in loads), default=0) - min((n // k for n, k in loads), default=0)
    most = max((Fraction(2 * n - 1, k) for n, k in loads if n), default=Fraction(0))
    uneven = any(most > Fraction(2 * n + 1, k) for n, k in loads)
    return 2 if spread < 2 and uneven else spread


def read_proof(known: NumberedApplication, stated: Json, path: str, depth: int = 0) -> Proof:
    """Read a proof: prices, or two cases with a proof for each.

    Raises WrongInputError naming the field, NotProvedError naming an unknown task, client or cap.
    """
    require(
        depth <= roles.DEEPEST, f"{path}: has too many cases within each other. Give at most {roles.DEEPEST}"
    )
    if stated.get("by") == "cases":
        require_form(stated, CASES, path)
        there = {*(stated["tasks"] or ())} <= known.tasks.keys()
        there = there and {*(stated["clients"] or ())} <= known.clients.keys()
        prove(there and stated["role"] in ("active", "every"), f"{path}: names what there is not")
        require(
            abs(stated["most"]) < LARGEST,
            f"{path}.most: has no valid value. Give a number of up to 300 digits",
        )
        items, members = (
            None if stated[name] is None else frozenset(map(numbers.__getitem__, stated[name]))
            for name, numbers in (("tasks", known.tasks), ("clients", known.clients))
        )
        sides = [read_proof(known, stated[side], f"{path}.{side}", depth + 1) for side in ("fewer", "more")]
        return Split(items, members, stated["role"], stated["most"], *sides)
    require_form(stated, PRICES, path)
    require(stated["by"] == "prices", f"{path}.by: is {stated['by'][:60]!r}. Give prices or cases")
    rows = [stated["unit"], *stated["before"], *stated["cases"], *(cap[2] for cap in stated["caps"])]
    rows += [*stated["active"].values(), *stated["every"].values()]
    require(
        all(abs(n) < LARGEST for n in rows), f"{path}: has no valid value. Give prices of up to 300 digits"
    )
    caps = {
        (known.subtopologies.get(part, -1), known.clients.get(name, -1)): price
        for part, name, price in stated["caps"]
    }
    names = (stated["active"].keys() | stated["every"].keys()) <= known.clients.keys()
    names = names and caps.keys() <= known.problem.caps.keys() and len(caps) == len(stated["caps"])
    prove(names, f"{path}: names a client or a cap that there is not, or a cap twice")
    active, every = (
        {known.clients[name]: price for name, price in stated[role].items()} for role in ("active", "every")
    )
    return Prices(stated["unit"], stated["before"], active, every, caps, stated["cases"])


def verify(application: Json, answer: Json) -> str:
    """Return a sentence on what an answer proves; raises WrongInputError or NotProvedError with the reason."""
    require_form(answer, ANSWER, "")
    levels, shared = read_question(answer["question"])
    shown, whole = check_statements(read_application(application, levels, shared=shared), levels, answer)
    return describe_proof(answer["question"], shown, proved=whole)


def check_statements(
    known: NumberedApplication, levels: Sequence[str], answer: Json
) -> tuple[list[dict[str, Json]], bool]:
    """Return the levels of an answer, and True if all are proved; raises as :func:`verify` does."""
    held = read_placement(known, answer["assignment"], "assignment")
    certificate, path = answer["certificate"], "certificate"
    active, copies = Counter(own[0] for own in held), Counter(chain(*held))
    counted = {name: [active[c], copies[c]] for name, c in known.clients.items()}
    compare(f"{path}.loads", certificate["loads"], counted)
    value = [compute_value(known, level, held) for level in levels]
    least: list[int] = []
    prove(len(certificate["proofs"]) <= len(levels), f"{path}.proofs: has more than one for each level")
    for n, each in enumerate(certificate["proofs"]):
        where = f"{path}.proofs[{n}]"
        proof = read_proof(known, each["proof"], f"{where}.proof")
        there = roles.compute_bound(known.problem, levels[: n + 1], value[:n], proof, f"{where}.proof")
        prove(there != inf, f"{where}: shows that nothing is possible")
        least.append(max(int(there), 0))
        stated = {key: each[key] for key in ("level", "value", "least")}
        compare(where, stated, {"level": levels[n], "value": value[n], "least": least[n]})
    shown: list[dict[str, Json]] = []
    for level, own, floor in zip(levels, value, least + [0] * (len(levels) - len(least)), strict=True):
        here = own, floor
        if level in BALANCES:
            spread = measure_imbalance(known, level, held)
            here = spread, spread if own == floor else 0
        elif level == PARTS:
            even = sum_even_squares(known.problem)
            by = (
                2 if all(weight % 2 for weight in known.problem.weights) else 1
            )  # halves of the excess are whole then
            here = (own - even) // by, max(0, -((even - floor) // by))
        shown.append({"level": level, "value": here[0], "least": here[1], "proved": here[0] == here[1]})
        if own != floor:
            break
    compare_rows("levels", answer["levels"], LEVEL, shown)
    whole = value == least  # a level without a proof is not proved, though no value is below 0
    compare(f"{path}.proved", certificate["proved"], whole)
    return shown, whole


ASKED = ("balance", SPREAD, PARTS, "moves", "restore")
"""The levels that can be asked for. The places of partitions are unknown."""
MEMBER_ROLES = {"active?": [str], "standby?": [str], "warmup?": [str]}
SUBTOPOLOGY = {"id": str, "partitions": int, "stateful?": bool}
MEMBER = {
    "id": str, "process_id": str, **MEMBER_ROLES, "offsets?": {str: int}, "end_offsets?": {str: int}, "tags?": {str: str},
    "rack?": NAME, "instance_id?": NAME,
}  # fmt: skip
CONFIG = {"num.standby.replicas?": int, "rack.aware.assignment.tags?": [str]}
GROUP = {
    "subtopologies": [SUBTOPOLOGY], "members": [MEMBER], "config?": CONFIG, "family?": str, "name?": NAME, "listed?": {None: dict},
}  # fmt: skip
STREAMS_GROUP_ANSWER = ANSWER | {"assignment": {str: {**MEMBER_ROLES, OPEN: None}}}
MOST = 10**7
"""The most tasks of a group."""


def build_application(group: Json) -> Json:
    """Return a group as an application whose clients are its processes; raises WrongInputError naming the field.

    A process has the state of a task if one of its members has it in any role or reports an offset of it. Its lag is the difference to
    the greatest end offset that any member reports.
    """
    require_form(group, GROUP, "group")
    sizes = {each["id"]: each["partitions"] for each in group["subtopologies"]}
    require(
        len(sizes) == len(group["subtopologies"]), "group.subtopologies: one is listed twice. List it once"
    )
    require(
        min(sizes.values(), default=0) >= 0,
        "group.subtopologies: partitions: has no valid value. Give 0 or more",
    )
    require(
        sum(sizes.values()) <= MOST, f"group.subtopologies: has no valid value. Give {MOST:,} tasks at most"
    )
    names = [member["id"] for member in group["members"]]
    require(len({*names}) == len(names), "group.members: two have one id. Rename one")
    fine = all(each["process_id"] for each in group["members"])
    require(fine, "group.members: process_id: one is empty. Name it")
    listed = {
        f"{each['id']}_{n}": each.get("stateful", False)
        for each in group["subtopologies"]
        for n in range(each["partitions"])
    }
    require(group["members"] or not listed, "group.members: is empty. List one at least")
    ends = _find_greatest(group["members"], "end_offsets")
    processes: dict[str, list[Json]] = {}
    for member in group["members"]:
        processes.setdefault(member["process_id"], []).append(member)
    return {
        "tasks": [{"id": task, "stateful": stateful} for task, stateful in listed.items()],
        "clients": [_build_client(name, members, listed, ends) for name, members in processes.items()],
        "config": group.get("config", {}),
    }


def _build_client(name: str, members: list[Json], listed: dict[str, bool], ends: dict[str, int]) -> Json:
    active = {task for each in members for task in each.get("active", ()) if task in listed}
    copies = {task for each in members for role in ("standby", "warmup") for task in each.get(role, ())}
    standby = {task for task in copies if task in listed and task not in active}
    offsets = _find_greatest(members, "offsets")

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


def _find_greatest(members: list[Json], name: str) -> dict[str, int]:
    """Return the greatest sum that is reported of each task."""
    found: dict[str, int] = {}
    for member in members:
        for task, reported in member.get(name, {}).items():
            found[task] = max(reported, found.get(task, 0))
    return found


def verify_streams_group(group: Json, answer: Json) -> str:
    """Return a sentence on what an answer proves; raises WrongInputError or NotProvedError with the reason."""
    application = build_application(group)
    require_form(answer, STREAMS_GROUP_ANSWER, "")
    levels, shared = applications.read_question(answer["question"], ASKED)
    known = applications.read_application(application, levels, shared=shared)
    given, path = answer["assignment"], "assignment"
    process = {member["id"]: member["process_id"] for member in group["members"]}
    prove(given.keys() == process.keys(), f"{path}: its members are not the group's")
    warming = next((name for name, roles in given.items() if roles.get("warmup")), None)
    prove(warming is None, f"{path}: {warming} warms a task up, so it is provisional")
    held: dict[str, Any] = {name: {"active": [], "standby": []} for name in process.values()}
    for name, own in given.items():
        for role, whole in held[process[name]].items():
            whole.extend(own.get(role, ()))
    shown, whole = check_statements(known, levels, answer | {"assignment": held})
    stated = {each["level"]: each["value"] for each in answer["levels"]}
    for level, counted in zip(BALANCES, (("active",), ("active", "standby")), strict=True):
        if level in stated:
            loads = [sum(len(roles.get(role, ())) for role in counted) for roles in given.values()]
            spread = max(loads, default=0) - min(loads, default=0)
            # at least 2 if one task in another process would even two processes
            threads = Counter(process.values())
            uneven = compute_spread(
                [(sum(len(held[name][role]) for role in counted), own) for name, own in threads.items()]
            )
            compare(f"levels: {level}, among members", stated[level], max(spread, uneven))
    return describe_proof(answer["question"], shown, proved=whole)

"""Applications of Kafka Streams, read from JSON, with the costs that questions are about."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import lcm
from typing import TypeAlias

from kassay.oracles.proof.groups import (
    NAME,
    NUMBER,
    PARTITION,
    TOPIC,
    format_number,
    refuse_wrong_topic,
)
from kassay.oracles.proof.reading import Json, require, require_form
from kassay.oracles.proof.roles import BALANCES, PARTS, SPREAD, Costs, Item, Roles, Table

ROLES_OF = ("active", "standby")


Claim: TypeAlias = tuple[frozenset[int], frozenset[int], frozenset[int] | None]
"""The clients that ran a task, had a standby of it, and are caught up on it (None if it has no state, or no level needs this)."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The inputs of the levels' costs."""

    far: tuple[Table, Table]
    """For active copies and for standbys: the partitions that a profile reads across racks, by rack."""
    claims: Sequence[Claim]
    standbys: int


def count_moves(facts: Facts) -> Costs:
    """Count copies that find no state: the active copy of a task that ran, and standbys of a task that had some."""
    loss = [bool(ran) + facts.standbys * bool(kept) for ran, kept, _ in facts.claims]
    gains = [{c: (int(c in ran), int(bool(kept))) for c in ran | kept} for ran, kept, _ in facts.claims]
    return Costs(loss=loss, gains=gains)


def restore(facts: Facts) -> Costs:
    """Count tasks with state that are active where they are not caught up."""
    ready = [of for *_, of in facts.claims]
    return Costs(
        loss=[of is not None for of in ready], gains=[dict.fromkeys(of or (), (1, 0)) for of in ready]
    )


READS: dict[str, Callable[[Facts], Costs]] = {
    "active": lambda facts: Costs(facts.far[0], None),
    "standby": lambda facts: Costs(None, facts.far[1]),
    "joint": lambda facts: Costs(*facts.far),
}
"""The levels of reads across racks, which can be asked over time."""
LEVELS: dict[str, Callable[[Facts], Costs]] = {
    **READS,
    "moves": count_moves,
    "restore": restore,
}
"""All levels that are sums over copies. The balances and both spreads are not."""
ANY_LAG, RUNNING, UNKNOWN = 2**63 - 1, -2, -3
MOST_THREADS = 10**6
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SUMS, ROLES = {str: int}, {"active?": [str], "standby?": [str]}
TASK = {"id": str, "stateful?": bool, "inputs?": [PARTITION], "changelogs?": [PARTITION], "weight?": NUMBER}
CLIENT = {
    "id": str, "threads": int, "rack?": NAME, **ROLES, "tags?": {str: str}, "lags?": SUMS, "consumers?": {str: SUMS},
}  # fmt: skip
CONFIG = {
    "num.standby.replicas?": int, "acceptable.recovery.lag?": int, "max.warmup.replicas?": int,
    "rack.aware.assignment.tags?": [str], "rack.aware.assignment.strategy?": str,
    "rack.aware.assignment.traffic_cost?": NUMBER, "rack.aware.assignment.non_overlap_cost?": NUMBER,
}  # fmt: skip
APPLICATION = {
    "topics?": [TOPIC], "tasks": [TASK], "clients": [CLIENT], "config?": CONFIG, "family?": str, "name?": NAME, "listed?": {None: dict}, "weight_unit?": NAME,
}  # fmt: skip


def read_question(question: str, asked: Sequence[str] = ()) -> tuple[list[str], bool]:
    """Read a question: its levels, and True if clients have their shares of each subtopology."""
    words = [word.strip() for word in question.split(",")]
    shared = words[0] == "subtopologies"
    words = words[shared:]
    known = asked or ("balance", SPREAD, PARTS, *LEVELS)
    fine = words != [] and set(words) <= {*known} and len({*words}) == len(words)
    require(fine, f"question: is {question[:60]!r}. Give what `kassay optimum` was asked")
    both = BALANCES[: 1 if PARTS in words else None]  # subtopologies are spread by active tasks alone
    return [level for word in words for level in (both if word == "balance" else (word,))], shared


@dataclass(frozen=True, slots=True)
class NumberedApplication:
    """An application with numbers in place of the names of tasks, clients and subtopologies."""

    tasks: Mapping[str, int]
    clients: Mapping[str, int]
    threads: Sequence[int]
    subtopologies: Mapping[int | str, int]
    problem: Roles


def read_application(
    application: Json, levels: Sequence[str], *, shared: bool = False
) -> NumberedApplication:
    """Read an application; raises WrongInputError naming the field."""
    _refuse_wrong(application)
    tasks, clients, config = application["tasks"], application["clients"], application.get("config", {})
    standbys = min(config.get("num.standby.replicas", 0), len(clients) - 1)
    threads = [client["threads"] for client in clients]
    racks = {rack: n for n, rack in enumerate(dict.fromkeys(c["rack"] for c in clients if c.get("rack")))}
    number: dict[int | str, int] = {}
    parts = [number.setdefault(read_subtopology(task["id"]), len(number)) for task in tasks]
    profiles: dict[tuple[tuple[int, ...], ...], int] = {}
    far = _build_read_counter(application, [*racks])
    profile_of = [profiles.setdefault(far(task), len(profiles)) for task in tasks]
    had: dict[tuple[str, str], set[int]] = defaultdict(set)
    for role in ROLES_OF:
        for c, client in enumerate(clients):
            for name in client.get(role, ()):
                had[role, name].add(c)
    most = config.get("acceptable.recovery.lag", 10_000)
    claims: dict[Claim, int] = {}
    claim_of = []
    for task in tasks:
        ready, name, stateful = None, task["id"], task.get("stateful", False)
        if stateful and "restore" in levels:
            lags = (client["lags"][name] for client in clients)
            ready = frozenset(
                c for c, lag in enumerate(lags) if lag == RUNNING or most == ANY_LAG or 0 <= lag <= most
            )
        kept = frozenset(had["standby", name] if stateful else ())
        claim_of.append(claims.setdefault((frozenset(had["active", name]), kept, ready), len(claims)))
    facts = Facts(([row[0] for row in profiles], [row[1] for row in profiles]), list(claims), standbys)
    whole, every = lcm(*threads), sum(threads)
    sizes = Counter(parts)
    caps = {
        (part, c): (size * own // every, -(-size * own // every)) if shared else (0, size)
        for part, size in sizes.items() if shared or PARTS in levels for c, own in enumerate(threads)
    }  # fmt: skip
    problem = Roles(
        [racks.get(client.get("rack"), len(racks)) for client in clients],
        [whole // own for own in threads],
        _find_zones(clients, config) if SPREAD in levels else [()] * len(clients),
        [
            Item(profile, standbys if task.get("stateful") else 0, of, part)
            for task, profile, of, part in zip(tasks, profile_of, claim_of, parts, strict=True)
        ],
        {level: LEVELS[level](facts) for level in levels if level in LEVELS},
        caps,
    )
    of_tasks, of_clients = ({each["id"]: n for n, each in enumerate(listed)} for listed in (tasks, clients))
    return NumberedApplication(of_tasks, of_clients, threads, number, problem)


def _build_read_counter(application: Json, racks: list[str]) -> Callable[[Json], tuple[tuple[int, ...], ...]]:
    """Return a function that counts, for each rack and for none, the reads across racks of a task's active copy and of a standby."""
    near = {
        (topic["name"], n): of
        for topic in application.get("topics", ())
        for n, some in enumerate(topic.get("racks") or ())
        if (of := {*(some or ())} - {None})
    }

    def row(partitions: Json) -> tuple[int, ...]:
        known = [of for topic, n in partitions if (of := near.get((topic, n)))]
        return (*(sum(rack not in of for of in known) for rack in racks), 0)

    return lambda task: (row(task.get("inputs", ())), row(task.get("changelogs", ())))


def _find_zones(clients: Json, config: Json) -> list[tuple[int, ...]]:
    """Return the zone of each client by each tag, or by racks if no tags are configured; -1 if it is unknown."""
    tags = config.get("rack.aware.assignment.tags", [])
    columns = [[client.get("tags", {}).get(tag) for client in clients] for tag in tags]
    columns = columns or [[client.get("rack") or None for client in clients]]
    numbered = []
    for column in columns:
        places = {
            value: n for n, value in enumerate(dict.fromkeys(each for each in column if each is not None))
        }
        numbered.append([-1 if value is None else places[value] for value in column])
    return list(zip(*numbered, strict=True))


def read_subtopology(task: str) -> int | str:
    """Return a task's subtopology: a number, or in a streams group any other text."""
    name, _, number = task.rpartition("_")
    fine = number.isascii() and number.isdecimal() and len(number) < 11
    require(fine, f"tasks: {task[:60]!r} is not a task. Give one such as 0_3")
    plain = name.isascii() and name.isdecimal() and len(name) < 11 and name == str(int(name))
    return int(name) if plain else name


def _refuse_wrong(application: Json) -> None:
    """Refuse JSON that is no application, or contradicts itself."""
    require_form(application, APPLICATION, "application")
    tasks, clients, config = application["tasks"], application["clients"], application.get("config", {})
    for name, listed in (("tasks", tasks), ("clients", clients)):
        fine = len({each["id"] for each in listed}) == len(listed)
        require(fine, f"application.{name}: one is listed twice. Rename it")
    require(clients or not tasks, "application.clients: is empty. List one at least")
    fine = 0 <= config.get("num.standby.replicas", 0) < 2**31
    require(fine, "application.config: num.standby.replicas: has no valid value. Give 0 or more")
    fine = 0 <= config.get("acceptable.recovery.lag", 0) < 2**63
    require(fine, "application.config: acceptable.recovery.lag: has no valid value. Give 0 or more")
    for client in clients:
        fine = 0 < client["threads"] < 2**31
        require(fine, f"application.clients: {client['id']} has no thread. Give one at least")
    threads = sum(client["threads"] for client in clients)
    fine = threads <= MOST_THREADS
    require(fine, f"application.clients: {threads} threads are too many. Give at most {MOST_THREADS:,}")
    topics = application.get("topics", [])
    for topic in topics:
        refuse_wrong_topic(topic, "application")
    counts = {topic["name"]: topic["partitions"] for topic in topics}
    require(len(counts) == len(topics), "application.topics: one is listed twice. Rename it")
    for task in tasks:
        for topic, n in chain(task.get("inputs", ()), task.get("changelogs", ())):
            there = 0 <= n < counts.get(topic, 0)
            require(
                there,
                f"application.tasks: {task['id']} reads {topic}-{format_number(n)}, which no topic has. List it",
            )
        logs = task.get("changelogs") and not task.get("stateful")
        require(
            not logs, f"application.tasks: {task['id']} has changelogs, but is not stateful. Leave them out"
        )
    known = {task["id"] for task in tasks}
    stateful = {task["id"] for task in tasks if task.get("stateful")}
    for client in clients:
        name, lags = client["id"], client.get("lags", {})
        fit = application.get("family") != "streams" or UUID.fullmatch(name)
        require(fit, f"application.clients: {name[:60]!r} is no UUID. Give one")
        stray = min(lags.keys() - known, default="")
        fine = not stray
        require(
            fine, f"application.clients: {name} has a lag of {stray[:60]}, which there is not. Leave it out"
        )
        silent = min(stateful - lags.keys(), default="")
        require(not silent, f"application.clients: {name} says no lag of {silent}. Give one")
        fine = all(0 <= lag < 2**63 or lag in (RUNNING, UNKNOWN) for lag in lags.values())
        require(
            fine,
            f"application.clients: {name} has a wrong lag. Give 0 or more, {RUNNING} or {UNKNOWN}",
        )
        both = {*client.get("active", ())} & {*client.get("standby", ())}
        require(
            not both, f"application.clients: {name} had {min(both, default='')} in two roles. List it once"
        )

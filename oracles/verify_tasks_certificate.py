"""What verify_certificate.py needs for applications of Kafka Streams and for streams groups; like that file it needs Python alone."""

import sys
from collections import Counter
from itertools import product
from math import inf, lcm
from typing import Any

LEVELS = ("balance", "spread", "active", "standby", "joint", "moves", "restore")
BALANCES = ("balance", "total-balance")
NUMBERS, NAME, NUMBER, PARTITIONS, PLACES = (
    {str: int},
    {None: str},
    {None: int},
    [(str, int)],
    {None: [{None: [{None: str}]}]},
)
TOPIC = {"name": str, "partitions": int, "racks": PLACES, "hosts": PLACES, "id": NAME, "unassignable?": [int]}
TASK = {"id": str, "stateful?": bool, "inputs?": PARTITIONS, "changelogs?": PARTITIONS}
CLIENT = {
    "id": str, "threads": int, "rack": NAME, "active?": [str], "standby?": [str],
    "tags?": {str: str}, "lags?": NUMBERS, "consumers?": {str: NUMBERS},
}  # fmt: skip
CONFIG = {
    "num.standby.replicas?": int, "acceptable.recovery.lag?": int, "rack.aware.assignment.tags?": [str], "max.warmup.replicas?": int,
    "rack.aware.assignment.strategy?": str, "rack.aware.assignment.traffic_cost": NUMBER, "rack.aware.assignment.non_overlap_cost": NUMBER,
}  # fmt: skip
APPLICATION = {"topics?": [TOPIC], "tasks": [TASK], "clients": [CLIENT], "config?": CONFIG, "name": NAME}
LEVEL = {"level": str, "value": int, "least": int, "proved": bool}
PROOF = {"level": str, "value": int, "least": int}
CERTIFICATE = {"proved": bool, "loads": {str: (int, int)}, "proofs": [PROOF]}
ANSWER = {
    "question": str, "levels": [LEVEL], "certificate": CERTIFICATE,
    "assignment": {str: {"active?": [str], "standby?": [str]}},
}  # fmt: skip
ANY_LAG, RUNNING = 2**63 - 1, -2


class Known:
    """An application as a question sees it: how many copies a task has, and what one costs where; `by` is verify_certificate."""

    def __init__(self, application: Any, question: str, by: Any) -> None:
        self.by = by
        self.weights: dict[str, int] = {}  # of levels in a weighted sum of them
        by.shaped(application, APPLICATION, "application")
        self.tasks = {task["id"]: task for task in application["tasks"]}
        self.clients = {client["id"]: client for client in application["clients"]}
        for name, listed in (("tasks", self.tasks), ("clients", self.clients)):
            by.need(
                len(listed) == len(application[name]), f"application.{name}: one is listed twice; rename it"
            )
        by.need(self.clients or not self.tasks, "application.clients: there are none; list one at least")
        for client in self.clients.values():
            by.need(
                client["threads"] > 0, f"application.clients: {client['id']} has no thread; give one at least"
            )
        by.beside("verifiers.applications").refuse_at_odds(application, self, by)
        words = [word.strip() for word in question.split(",")]
        self.shared = words[0] == "subtopologies"
        words = words[self.shared :]
        fine = words != [] and set(words) <= set(LEVELS) and len(set(words)) == len(words)
        by.need(fine, f"answer.question: is {question[:60]!r}; give what `kassay optimum` was asked")
        self.levels = [level for word in words for level in (BALANCES if word == "balance" else (word,))]
        config = application.get("config") or {}
        wanted = config.get("num.standby.replicas") or 0
        by.need(wanted >= 0, "application.config: num.standby.replicas: give 0 or more")
        self.wanted = min(wanted, len(self.clients) - 1)
        lag = config.get("acceptable.recovery.lag")
        self.lag: int = 10_000 if lag is None else lag
        self.near = {  # the racks of each partition's replicas; none where no rack is known
            (topic["name"], n): frozenset(racks or ()) - {None}
            for topic in application.get("topics") or ()
            for n, racks in enumerate(topic.get("racks") or ())
        }
        tags = config.get("rack.aware.assignment.tags") or []
        self.zones = {
            name: tuple((client.get("tags") or {}).get(tag) for tag in tags)
            if tags
            else (client.get("rack") or None,)
            for name, client in self.clients.items()
        }
        self.held = {
            role: {task: frozenset(c for c, client in self.clients.items() if task in (client.get(role) or ())) for task in self.tasks}
            for role in ("active", "standby")
        }  # fmt: skip
        sizes = Counter(self.part(task) for task in self.tasks)
        threads = {name: client["threads"] for name, client in self.clients.items()}
        self.whole = lcm(*threads.values())  # squares of loads by threads, times this, are whole
        whole = sum(threads.values())
        self.caps = {
            (part, name): (size * own // whole, -(-size * own // whole))
            for part, size in sizes.items() if self.shared for name, own in threads.items()
        }  # fmt: skip

    def part(self, task: str) -> int | str:
        """Return a task's subtopology, which is a number, or any text in a streams group."""
        name, _, number = task.rpartition("_")
        self.by.need(
            number.isascii() and number.isdecimal(), f"application.tasks: {task[:60]!r}: give such as 0_3"
        )
        return int(name) if name.isascii() and name.isdecimal() else name

    def standbys(self, task: str) -> int:
        """Return how many standbys a task has."""
        return self.wanted if self.tasks[task].get("stateful") else 0

    def cost(self, level: str, task: str, client: str, role: str) -> int:
        """Return what a copy of a task in a role costs at a client, in a level that is a sum over copies."""
        if level in {"active": ("active", "joint"), "standby": ("standby", "joint")}[role]:
            home = self.clients[client].get("rack")
            read = self.tasks[task].get("inputs" if role == "active" else "changelogs") or ()
            near = (self.near.get((topic, n)) for topic, n in read)
            return sum(1 for racks in near if home and racks and home not in racks)
        had = self.held[role][task]
        if level == "moves":
            finds = had if role == "active" else had | self.held["active"][task]
            return int(bool(had) and client not in finds)
        if level == "restore" and role == "active" and self.tasks[task].get("stateful"):
            lag: Any = (self.clients[client].get("lags") or {}).get(task)
            self.by.need(lag is not None, f"application.clients: {client} says no lag of {task}; give one")
            return int(not (lag == RUNNING or self.lag == ANY_LAG or 0 <= lag <= self.lag))
        return 0

    def kind(self, task: str) -> tuple[Any, ...]:
        """Return all that the costs of a task and its caps depend on."""
        of = self.tasks[task]
        near = (
            tuple(self.near.get((t, n)) for t, n in of.get(role) or ()) for role in ("inputs", "changelogs")
        )
        lags: Any = ()
        if "restore" in self.levels:
            lags = tuple((client.get("lags") or {}).get(task) for client in self.clients.values())
        return (
            of.get("stateful"),
            *near,
            self.held["active"][task],
            self.held["standby"][task],
            lags,
            self.shared and self.part(task),
        )


def values(known: Known, level: str, held: dict[str, list[str]], prices: Any) -> int:
    """Return what a placement is worth: for balance the sum of the squared loads by threads, made whole."""
    if level in BALANCES:
        count = loads(held)[level == "total-balance"]
        return sum(
            count[name] ** 2 * (known.whole // client["threads"]) for name, client in known.clients.items()
        )
    if level == "spread":
        return sum(
            prices.collisions([known.zones[c] for c in copies]) for copies in held.values() if len(copies) > 1
        )
    roles = (("active", slice(1)), ("standby", slice(1, None)))
    return sum(
        known.cost(level, task, c, role)
        for task, copies in held.items()
        for role, some in roles
        for c in copies[some]
    )


def loads(held: dict[str, list[str]]) -> tuple[Counter[str], Counter[str]]:
    """Return how many active tasks and how many copies each client has."""
    return Counter(copies[0] for copies in held.values()), Counter(
        c for copies in held.values() for c in copies
    )


def placed(known: Known, given: dict[str, dict[str, list[str]]]) -> dict[str, list[str]]:
    """Return the clients of each task's copies, the active one first; raises NotProvedError where it is not legal."""
    by, path = known.by, "answer.assignment"
    by.claim(given.keys() == known.clients.keys(), f"{path}: its clients are not those of the application")
    held: dict[str, list[str]] = {task: [] for task in known.tasks}
    for role, name in product(("active", "standby"), given):
        for task in given[name].get(role) or ():
            fresh = task in held and name not in held[task]
            by.claim(fresh, f"{path}: gives {name} {task}, which there is not or it has already")
            held[task].append(name)
        if role == "active" and name == [*given][-1]:
            by.claim(all(len(copies) == 1 for copies in held.values()), f"{path}: a task is not active once")
    enough = all(len(copies) == 1 + known.standbys(task) for task, copies in held.items())
    by.claim(enough, f"{path}: a task has not as many standbys as it should have")
    count = Counter((known.part(task), copies[0]) for task, copies in held.items())
    kept = all(low <= count[cap] <= high for cap, (low, high) in known.caps.items())
    by.claim(kept, f"{path}: a client has not its share of a subtopology")
    return held


def verify(application: Any, answer: Any, by: Any) -> str:
    """Return what an answer is proved to be; raises WrongInputError or NotProvedError with the reason."""
    if application.get("family") == "streams-group":
        return str(
            by.beside("verifiers.streams_groups").verify(application, answer, sys.modules[__name__], by)
        )
    by.shaped(answer, ANSWER, "answer")
    known, certificate, path = (
        Known(application, answer["question"], by),
        answer["certificate"],
        "answer.certificate",
    )
    held = placed(known, answer["assignment"])
    active, copies = loads(held)
    counted = {name: [active[name], copies[name]] for name in known.clients}
    by.claim(certificate["loads"] == counted, f"{path}.loads: are not {counted}")
    prices = by.beside("verify_tasks_prices")
    worth = [values(known, level, held, prices) for level in known.levels]
    stated, least, levels = certificate["proofs"], [], []
    by.claim(len(stated) <= len(worth), f"{path}.proofs: has {len(stated)}, more than one for each level")
    for n, each in enumerate(stated):
        there = prices.bound(
            known, known.levels[: n + 1], worth[:n], each.get("proof"), [], f"{path}.proofs[{n}].proof"
        )
        by.claim(there != inf, f"{path}.proofs[{n}]: shows that nothing is possible")
        least.append(max(int(there), 0))
        again = {"level": known.levels[n], "value": worth[n], "least": least[n]}
        by.claim({key: each[key] for key in PROOF} == again, f"{path}.proofs[{n}]: is not {again}")
    for level, value, floor in zip(known.levels, worth, least + [0] * (len(worth) - len(least)), strict=True):
        shown = (value, floor)
        if level in BALANCES:
            of = [
                (counted[name][level != "balance"], client["threads"])
                for name, client in known.clients.items()
            ]
            spread = prices.apart(of)
            shown = spread, spread if value == floor else 0
        levels.append({"level": level, "value": shown[0], "least": shown[1], "proved": shown[0] == shown[1]})
        if value != floor:
            break
    by.claim(
        [{key: each[key] for key in LEVEL} for each in answer["levels"]] == levels,
        f"answer.levels: are not {levels}",
    )
    proved = worth == least
    by.claim(certificate["proved"] == proved, f"{path}.proved: is not {proved}")
    said = ", ".join(f"{each['level']} {each['value']} (least {each['least']})" for each in levels)
    by.claim(proved, f"what it states holds, but it does not prove an optimum: {said}")
    return f"nothing is better in {answer['question']}: {said}"

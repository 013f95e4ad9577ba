"""The truth about optima: all assignments of a small group, tried without the checker and without a solver.

Each truth takes an answer that the checker accepted, and returns the first false statement in it. The checker accepts an answer as PROVED,
or says that it HOLDS: its statements are true, but they prove less than an optimum.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from typing import Any, Protocol, TypeAlias

from drawing_streams_groups import placements as member_placements
from second_opinions.every_assignment import yield_choices
from second_opinions.every_placement import yield_answers

from kassay.model import Group, TopicPartition
from kassay.model.streams_group import StreamsGroup
from kassay.model.tasks import Application
from kassay.model.workers import Cluster
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.question import parse_question as of_partitions
from kassay.oracles.partitions.question import remeasure
from kassay.oracles.tasks.optimum import remeasure as remeasure_tasks
from kassay.oracles.tasks.question import parse_question as of_tasks
from kassay.properties.streams_group import MEASURES as OF_MEMBERS

Json: TypeAlias = Any
Row: TypeAlias = tuple[Any, ...]
Placing: TypeAlias = Any
"""An assignment in a form that can be looked up."""
PROVED, HOLDS, REFUSED = "proved", "holds", "refused"
"""The verdicts of the checker on an answer."""
MOST = 64
"""So many questions are remembered with all assignments."""


@dataclass(frozen=True)
class Worth:
    """The worth of an assignment in the levels of a question: the numbers to compare, and the numbers that people see."""

    compared: Row
    shown: Callable[[], Mapping[str, int]]


@dataclass(frozen=True)
class Tried:
    """All assignments of a group under a question."""

    levels: Sequence[str]
    """The levels in which assignments are compared, in order."""
    listed: Sequence[str]
    """The levels that an answer lists."""
    every: Mapping[Placing, Worth]

    @property
    def least(self) -> Row:
        """The worth of the best assignment."""
        return min(each.compared for each in self.every.values())

    def iterate_best(self, number: int) -> Iterator[Worth]:
        """Yield the worth of each assignment that is optimal in the first `number` levels."""
        least = self.least
        return (each for each in self.every.values() if each.compared[:number] == least[:number])


class Truth(Protocol):
    """All assignments of a group, by question, and how an assignment is read."""

    def try_all(self, text: str) -> Tried:
        """Try all assignments under a question; raises ImpossibleError if it cannot be asked."""

    def read_assignment(self, assignment: Json) -> Placing:
        """Return an assignment as one that can be looked up."""


def find_false_in_optimum(truth: Truth, answer: Json, verdict: str) -> str:
    """Return the first false statement of an answer to a question, or an empty string."""
    try:
        known = truth.try_all(answer["question"])
    except ImpossibleError as wrong:
        return f"there is no such question: {wrong}"
    own = known.every.get(truth.read_assignment(answer["assignment"]))
    if own is None:
        return "the assignment is not legal"
    names = [each["level"] for each in answer["levels"]]
    if names != [*known.listed][: len(names)]:
        return f"the levels are {known.listed}, not {names}"
    wrong = next(filter(None, (_find_false_in_level(known, own, each) for each in answer["levels"])), "")
    if wrong:
        return wrong
    whole = own.compared == known.least
    if verdict == PROVED and (names != [*known.listed] or not whole):
        return f"something is better: {known.least}, not {own.compared}"
    if answer["certificate"]["proved"] and not whole:
        return "the certificate says that all is proved, and something is better"
    return ""


def _find_false_in_level(known: Tried, own: Worth, stated: Json) -> str:
    level, place, value = stated["level"], known.levels.index(stated["level"]), own.shown()[stated["level"]]
    if stated["value"] != value:
        return f"{level} is {value}, not {stated['value']}"
    if stated["proved"] != (stated["value"] == stated["least"]):
        return f"the flag `proved` of {level} is wrong"
    if own.compared[:place] != known.least[:place]:
        return f"{level} is stated, though a level before it is not the least"
    floor = min(other.shown()[level] for other in known.iterate_best(place + 1))
    if stated["least"] > floor:
        return f"the least of {level} is {floor}, not {stated['least']}"
    best = own.compared[: place + 1] == known.least[: place + 1]
    return "" if best or not stated["proved"] else f"{level} has a lesser value"


def list_members(assignment: Json) -> dict[tuple[str, int], tuple[str, ...]]:
    """Return the members of each partition in order of the assignment; twice at one member is twice."""
    held: dict[tuple[str, int], list[str]] = {}
    for member, own in assignment.items():
        for topic, number in own:
            held.setdefault((topic, number), []).append(member)
    return {partition: tuple(sorted(holders)) for partition, holders in held.items()}


class OfPartitions:
    """Groups of members and partitions."""

    def __init__(self, group: Group) -> None:
        self.group = group

    @lru_cache(maxsize=MOST)  # noqa: B019  # truths do not live longer than a few cases
    def try_all(self, text: str) -> Tried:
        """Try all assignments under a question."""
        asked = of_partitions(text)
        if has_unknown_weights(self.group, asked.levels):
            raise ImpossibleError("something weighs nothing that is known")
        every = {}
        for values, choice in yield_choices(self.group, asked):
            given = {
                m.id: [p for p, holders in choice.items() if m.id in holders] for m in self.group.members
            }
            shown = cache(lambda given=given: remeasure(self.group, given, asked))
            every[self._convert_choice(choice)] = Worth(values, shown)
        if not every:
            raise ImpossibleError("there is no assignment")
        return Tried(asked.levels, asked.shown, every)

    def read_assignment(self, assignment: Json) -> Placing:
        """Return the members of each partition."""
        if assignment.keys() != {member.id for member in self.group.members}:
            return None
        return frozenset(list_members(assignment).items())

    def _convert_choice(self, choice: Mapping[TopicPartition, Sequence[str]]) -> Placing:
        return frozenset(((p.topic, p.partition), tuple(sorted(own))) for p, own in choice.items() if own)

    def find_false(self, answer: Json, verdict: str) -> str:
        """Return the first false statement of an answer, or an empty string."""
        return find_false_in_optimum(self, answer, verdict) or self._find_false_in_certificate(answer)

    def _find_false_in_certificate(self, answer: Json) -> str:
        """Look at the numbers of a certificate, which are sums of squares and of all that is lost."""
        known = self.try_all(answer["question"])
        own = known.every[self.read_assignment(answer["assignment"])].compared
        certificate, weigh = answer["certificate"], [name for name in known.levels if LEVELS[name].weighs]
        listed = [each["level"] for each in certificate.get("weights", [])]
        if sorted(listed) != sorted(weigh) or ("weights" in certificate and not weigh):
            return f"weights are stated of {listed}, not of {weigh}"
        for each in certificate.get("weights", []):
            place = known.levels.index(each["level"])
            if each["value"] != own[place]:
                return f"the certificate's {each['level']} is {own[place]}, not {each['value']}"
            if own[:place] == known.least[:place] and each["least"] > known.least[place]:
                return f"the certificate's least {each['level']} is {known.least[place]}, not {each['least']}"
        flows = [name for name in known.levels if name not in weigh]
        fixed = of_partitions(answer["question"])
        if len(certificate["parts"]) != 1 or not flows or fixed.together or fixed.joined:
            return ""  # such a contract fixes the loads, so their sum is not compared
        part, asked = (
            certificate["parts"][0],
            self.try_all(",".join([*find_contract(answer["question"]), *flows])),
        )
        mine = asked.every[self.read_assignment(answer["assignment"])].compared
        scale = [2 if name == "topic-spread" else 1 for name in flows]
        best = [
            value + by * (least - at)
            for value, by, least, at in zip(part["value"], scale, asked.least, mine, strict=True)
        ]
        return f"the least of a part is {best}, not {part['least']}" if part["least"] > best else ""


def find_contract(text: str) -> list[str]:
    """Return the contract of a question about partitions."""
    first = text.split(",", maxsplit=1)[0].strip()
    if first in ("shared", "redundancy"):
        return ["shared" if first == "shared" else "copies=2"]
    return [first] if first.startswith("copies=") else []


def has_unknown_weights(group: Group, levels: Sequence[str]) -> bool:
    """Return True if a level weighs partitions, and some that are read weigh nothing that is known, or no member has a capacity."""
    weigh = [level for level in levels if LEVELS[level].weighs]
    read = [t for t in group.topics if t.partitions and any(t.name in m.topics for m in group.members)]
    unknown = any(topic.weights is None or None in topic.weights for topic in read)
    limits = any(member.capacity is not None for member in group.members)
    return bool(weigh) and (unknown or ("capacity" in weigh and not limits))


class OfTasks:
    """Applications of Kafka Streams."""

    def __init__(self, application: Application) -> None:
        self.application = application

    @lru_cache(maxsize=MOST)  # noqa: B019  # truths do not live longer than a few cases
    def try_all(self, text: str) -> Tried:
        """Try all placements under a question."""
        asked = of_tasks(text)
        every = {}
        for values, answer in yield_answers(self.application, asked):
            shown = cache(lambda answer=answer: remeasure_tasks(self.application, answer, asked))
            every[convert_tasks(answer.clients)] = Worth(values, shown)
        if not every:
            raise ImpossibleError("no placement keeps the shares")
        return Tried(asked.levels, asked.levels, every)

    def read_assignment(self, assignment: Json) -> Placing:
        """Return what each client has, in order."""
        return read_tasks(assignment)

    def find_false(self, answer: Json, verdict: str) -> str:
        """Return the first false statement of an answer, or an empty string."""
        return find_false_in_optimum(self, answer, verdict) or self._find_false_in_proofs(answer)

    def _find_false_in_proofs(self, answer: Json) -> str:
        """Look at what proofs state: nothing is below `least` where the levels before are at most as they are."""
        known = self.try_all(answer["question"])
        own = known.every[self.read_assignment(answer["assignment"])].compared
        for place, each in enumerate(answer["certificate"]["proofs"]):
            if each["level"] != known.levels[place]:
                return f"proof {place} is of {each['level']}"
            if each["level"] == "subtopology-spread":
                continue  # of which squares are stated
            if each["value"] != own[place]:
                return f"the proof's {each['level']} is {own[place]}, not {each['value']}"
            least = min(
                other.compared[place]
                for other in known.every.values()
                if all(a <= b for a, b in zip(other.compared[:place], own, strict=False))
            )
            if each["least"] > least:
                return f"the proof's least {each['level']} is {least}, not {each['least']}"
        return ""


def convert_tasks(held: Mapping[str, Any]) -> Placing:
    """Return the tasks of clients or members as :func:`read_tasks` does."""
    return frozenset(
        (name, tuple(sorted(map(str, own.active))), tuple(sorted(map(str, own.standby))))
        for name, own in held.items()
    )


def read_tasks(assignment: Json) -> Placing:
    """Return what each client or member has, in order."""
    return frozenset(
        (name, tuple(sorted(own.get("active") or ())), tuple(sorted(own.get("standby") or ())))
        for name, own in assignment.items()
    )


SHOWN: Mapping[str, Sequence[str]] = {
    "balance": ["active_imbalance"],
    "total-balance": ["total_imbalance"],
    "spread": ["tag_collisions"],
    "moves": ["active_moves", "standby_moves"],
    "restore": ["not_caught_up"],
    "subtopology-spread": ["subtopology_excess"],
}
"""Level of a streams group -> the measures that it adds up."""


class OfStreamsGroups:
    """Streams groups: members have loads, and so have the processes that they share."""

    def __init__(self, group: StreamsGroup) -> None:
        self.group = group

    @lru_cache(maxsize=MOST)  # noqa: B019  # truths do not live longer than a few cases
    def try_all(self, text: str) -> Tried:
        """Try all assignments under a question."""
        asked = of_tasks(text, ("balance", "spread", "subtopology-spread", "moves", "restore"))
        if asked.contracts:
            raise ImpossibleError("no contract is counted out")
        every = {}
        for answer in member_placements(self.group):
            shown = {
                level: sum(OF_MEMBERS[name](self.group, answer) for name in some)
                for level, some in SHOWN.items()
            }
            values = tuple(
                self._measure_loads(answer, 1 if level == "balance" else 2)
                if "balance" in level
                else shown[level]
                for level in asked.levels
            )
            every[convert_tasks(answer)] = Worth(values, lambda shown=shown: shown)
        return Tried(asked.levels, asked.levels, every)

    def _measure_loads(self, answer: Mapping[str, Any], roles: int) -> Row:
        """Return how uneven processes are, weighed by their members, and then members."""
        count = {name: sum(map(len, held[:roles])) for name, held in answer.items()}
        shares = [(sum(count[m.id] for m in each), len(each)) for each in self.group.processes.values()]
        return sum(Fraction(n * n, k) for n, k in shares), sorted(count.values(), reverse=True)

    def read_assignment(self, assignment: Json) -> Placing:
        """Return what each member has, in order; a member that warms a task up has no place here."""
        warm = any(own.get("warmup") for own in assignment.values())
        return None if warm else read_tasks(assignment)

    def find_false(self, answer: Json, verdict: str) -> str:
        """Return the first false statement of an answer, or an empty string."""
        return find_false_in_optimum(self, answer, verdict)


class OfWorkers:
    """Clusters of Connect: connectors and tasks, each balanced by themselves, and the moves of both."""

    KINDS = ("connectors", "tasks")

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.kinds = [self._list_all(n) for n in (0, 1)]

    def _list_all(self, kind: int) -> dict[Placing, tuple[int, int, int]]:
        """Return for each way to give a kind out: squared loads, moves, and most less fewest."""
        items, found = self.cluster.configured[kind], {}
        names = [worker.id for worker in self.cluster.workers]
        runs: dict[Any, list[str]] = {}
        for worker in self.cluster.workers:
            for item in worker.work[kind]:
                runs.setdefault(item, []).append(worker.id)
        for owners in product(names, repeat=len(items)) if names or not items else ():
            loads = [owners.count(name) for name in names]
            moves = sum(
                len(runs.get(item, ())) == 1 and owner not in runs[item]
                for item, owner in zip(items, owners, strict=True)
            )
            key = frozenset((convert_item(item), owner) for item, owner in zip(items, owners, strict=True))
            found[key] = sum(n * n for n in loads), moves, max(loads, default=0) - min(loads, default=0)
        return found

    def read_assignment(self, assignment: Json, kind: int) -> Placing:
        """Return which worker has each item of a kind; twice is no placing."""
        pairs = [
            (convert_item(item), worker)
            for worker, own in assignment.items()
            for item in own.get(self.KINDS[kind], ())
        ]
        legal = len(pairs) == len({item for item, _ in pairs})
        legal = legal and assignment.keys() == {worker.id for worker in self.cluster.workers}
        return frozenset(pairs) if legal else None

    def find_false(self, answer: Json, verdict: str) -> str:
        """Return the first false statement of an answer, or an empty string."""
        asked = ",".join(word.strip() for word in answer["question"].split(",")).replace(
            "connector-balance,task-balance", "balance"
        )
        if asked not in ("balance", "balance,moves", "moves"):
            return f"there is no such question: {asked}"
        order = [("balance", "moves").index(level) for level in asked.split(",")]
        value = {}
        for kind, every in enumerate(self.kinds):
            own = every.get(self.read_assignment(answer["assignment"], kind))
            if own is None:
                return f"the {self.KINDS[kind]} are not each at one worker"
            value[kind] = own
            best = min(tuple(each[level] for level in order) for each in every.values())
            if verdict == PROVED and best != tuple(own[level] for level in order):
                return f"something is better for {self.KINDS[kind]}: {best}"
        true = {
            "connector-balance": value[0][2],
            "task-balance": value[1][2],
            "moves": value[0][1] + value[1][1],
        }
        names = [
            name for name in true if ("balance" in name and 0 in order) or (name == "moves" and 1 in order)
        ]
        stated = [(each["level"], each["value"], each["least"], each["proved"]) for each in answer["levels"]]
        wanted = [(name, true[name], true[name], True) for name in names]
        return "" if stated == wanted else f"the levels are {wanted}, not {stated}"


def convert_item(item: Any) -> Any:
    """Return a connector or a task as what can be looked up."""
    return item if isinstance(item, str) else tuple(item)

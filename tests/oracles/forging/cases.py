"""Small groups of every kind with what kassay proves of them, and the truth about each."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from random import Random
from typing import Any, TypeAlias

from drawing import QUESTIONS, asking, group
from drawing_streams_groups import tiny
from drawing_tasks import QUESTIONS as OF_TASKS
from drawing_tasks import some_tiny
from families.tables import generated
from forging import frontier_truth, truth
from forging.sequence_truth import OfSequences
from second_opinions.every_placement import placements
from verifying import write_frontier, write_sequence

from kassay.errors import InputError
from kassay.families import family
from kassay.model import Config, Group, Member, Topic
from kassay.oracles.assignment import sequence_optimum as solving
from kassay.oracles.errors import OracleError
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.proof import command
from kassay.properties.partitions.extras import SORTS, add_capacities, add_weights

Json: TypeAlias = Any
False_: TypeAlias = Callable[[Json, str, str], str]
"""A search for a false statement in an answer, given the verdict and the sentence of the checker; it returns "" if it finds none."""
DIVIDED = 0.3
"""In so large a part of the answers proofs are divided into cases, which small groups hardly need."""
FEW, TRIVIAL = 3, 0.9
"""Of the frontiers with fewer points so large a part is left out."""
MANY = 200
"""With more placements at a rebalance no sequence is counted out."""


@dataclass(frozen=True)
class Case:
    """A group and an answer to it, as JSON, and a search for what is false in an altered answer; `events` are what happens over time."""

    kind: str
    group: Json
    answer: Json
    find_false: False_
    events: tuple[str, int] | None = None

    @property
    def proof_kind(self) -> str:
        """The kind of the group as the checker names it."""
        return command.FAMILIES[self.group["family"]]


def convert_to_json(value: Any) -> Json:
    """Return a value as it is read from what was printed."""
    return json.loads(json.dumps(value))


def write_group(name: str, of: Any) -> Json:
    """Return a group as JSON with its family."""
    return convert_to_json({"family": name, **family(name).shape.write_group(of)})


TRUTHS: Mapping[str, Callable[[Any], Any]] = {
    "consumer": truth.OfPartitions,
    "broker": truth.OfPartitions,
    "share": truth.OfPartitions,
    "streams": truth.OfTasks,
    "streams-group": truth.OfStreamsGroups,
    "connect": truth.OfWorkers,
}


def build_optimum_case(kind: str, name: str, of: Any, asked: str) -> Case:
    """Return the case of an answer of `kassay optimum`."""
    known, true = family(name), TRUTHS[name](of)
    best = known.oracles.optimum(asked, of, None)
    answer = best.record(known.shape.write_assignment(best.assignment))
    del answer["because"]  # sentences for people prove nothing

    def find_false(given: Json, verdict: str, _: str) -> str:
        return true.find_false(given, verdict)

    return Case(kind, write_group(name, of), convert_to_json(answer), find_false)


def draw_groups(name: str, questions: list[str], r: Random, kind: str) -> Iterator[Case]:
    """Yield optima of a group of partitions."""
    asked = r.choice(questions)
    of = asking(r, asked)
    if asked.startswith("joined"):
        if len(of.topics) < 2:  # nothing to join
            return
        of = replace(of, config=Config(joined_topics=(tuple(t.name for t in of.topics[:2]),)))
    yield build_optimum_case(kind, name, of, asked)


def draw_weights(r: Random, kind: str) -> Iterator[Case]:
    """Yield optima of a group whose partitions weigh something."""
    of = add_capacities(r, add_weights(r, group(r, members=r.choice([1, 1, 3, 3]), total=5), r.choice(SORTS)))
    yield build_optimum_case(kind, "consumer", of, r.choice(WEIGHED))


WEIGHED = [
    "weighted-balance", "capacity", "balance,weighted-balance", "balance,weighted-balance", "balance,capacity", "balance,weighted-balance,moves",
    "weighted-balance,moves", "balance,moves,weighted-balance", "balance,cross-rack,weighted-balance", "weighted-balance,capacity",
    "balance,weighted-balance,capacity", "balance,topic-spread,weighted-balance", "moves,capacity", "capacity,moves",
]  # fmt: skip


def draw_applications(questions: list[str], r: Random, kind: str) -> Iterator[Case]:
    """Yield optima of an application."""
    yield build_optimum_case(kind, "streams", some_tiny(r.randrange(10**6)), r.choice(questions))


def draw_streams_groups(r: Random, kind: str) -> Iterator[Case]:
    """Yield optima of a streams group."""
    asked = (
        "balance,moves",
        "moves,restore",
        "balance,moves,restore",
        "balance,subtopology-spread",
        "balance,spread",
    )
    yield build_optimum_case(kind, "streams-group", tiny(r.randrange(10**6)), r.choice(asked))


def draw_clusters(r: Random, kind: str) -> Iterator[Case]:
    """Yield optima of a cluster of Connect."""
    yield build_optimum_case(
        kind, "connect", draw_small_cluster(r), r.choice(["balance", "balance,moves", "moves"])
    )


def draw_small_cluster(r: Random) -> Any:
    """Draw a cluster whose assignments can all be tried."""
    while True:
        (of,) = generated("connect", 1, r.randrange(10**6))
        if max(map(len, of.configured)) <= 5 and 0 < len(of.workers) <= 3:
            return of


def draw_trading_group(r: Random) -> Group:
    """Draw a group in which moves buy something: all is owned, and what is near lies anywhere."""
    racks = "ab"
    counts = r.choice([(4,), (5,), (6,), (3, 3), (2, 2), (2, 3)])
    topics = tuple(
        Topic(f"t{t}", count, tuple((r.choice(racks),) for _ in range(count)))
        for t, count in enumerate(counts)
    )
    by_topic = r.random() < 0.5
    owner = {p: t % 2 if by_topic else r.randrange(2) for t, topic in enumerate(topics) for p in topic}
    members = tuple(
        Member(
            f"m{m}", tuple(topic.name for topic in topics if m or r.random() < 0.9),
            tuple(p for p, own in owner.items() if own == m), 1, None, racks[m % 2],
        )
        for m in range(r.choice([2, 2, 3]))
    )  # fmt: skip
    return Group(topics, members)


def draw_bare_group(r: Random) -> Group:
    """Draw a group in which nothing is owned, and no racks are known: no assignment moves or crosses anything."""
    topics = tuple(Topic(f"t{t}", r.randint(1, 3)) for t in range(r.randint(1, 2)))
    every = tuple(topic.name for topic in topics)
    return Group(
        topics,
        tuple(Member(f"m{m}", every if r.random() < 0.8 else every[:1]) for m in range(r.randint(2, 3))),
    )


def draw_frontiers(name: str, r: Random, kind: str, *, level: str = "") -> Iterator[Case]:
    """Yield the frontiers of a group, or those in which a level is compared."""
    known = family(name)
    draw = r.choice([draw_trading_group, draw_bare_group, lambda r: group(r, members=3, total=5)])
    of = some_tiny(r.randrange(10**6)) if name == "streams" else draw(r)
    true: Any = frontier_truth.OfPartitions(of, shared=name == "share")
    if name == "streams":
        true = frontier_truth.OfTasks(of)
    every = [one for one in known.oracles.frontiers(of, None) if level in ("", *one.levels)]
    if all(len(one.points) < FEW for one in every) and r.random() < TRIVIAL:
        return
    for one in every:
        answer = write_frontier(one, known.shape.write_assignment)
        yield Case(kind, write_group(name, of), answer, true.find_false)


def draw_sequences(
    name: str, r: Random, kind: str, *, spread: bool = False, bound: bool = False
) -> Iterator[Case]:
    """Yield the least sums over time of a group; with `bound` without assignments, as of a long sequence."""
    known = family(name)
    over = known.oracles.over_time
    of = {
        "consumer": lambda: group(r, members=3, total=4),
        "streams": lambda: replace_threads(r, some_tiny(r.randrange(10**6))),
        "connect": lambda: draw_small_cluster(r),
    }[name]()
    if name == "streams" and sum(1 for _ in islice(placements(of), MANY + 1)) > MANY:
        return
    events = r.choice([*over.kinds]), r.choice([1, 1, 1, 2])
    timeline = over.kinds[events[0]](of, events[1])
    asked = r.choice([text for text in over.questions if ("topic-spread" in text) is spread])
    with find_bounds_alone() if bound else nullcontext():
        best = over.optimum(asked, timeline, None)
    answer = write_sequence(best, known.shape.write_answer, order=over.members(of))
    true = OfSequences(known, of, events)

    def find_false(given: Json, verdict: str, _: str) -> str:
        return true.find_false(given, verdict)

    yield Case(kind, write_group(name, of), answer, find_false, events)


def replace_threads(r: Random, of: Any) -> Any:
    """Return an application some of whose clients have many more threads than others, which makes even shares rare."""
    return replace(of, clients=tuple(replace(each, threads=r.choice([1, 1, 2, 3, 6])) for each in of.clients))


@contextmanager
def find_bounds_alone() -> Iterator[None]:
    """Let kassay take every sequence for one that is too large for more than a bound."""
    pairs = solving.PAIRS
    solving.PAIRS = 0
    try:
        yield
    finally:
        solving.PAIRS = pairs


COPIES = [asked for asked in QUESTIONS if asked.startswith(("copies", "redundancy"))]
FLOWS = [asked for asked in QUESTIONS if asked not in COPIES and "shared" not in asked]
KINDS: Mapping[str, Callable[[Random, str], Iterator[Case]]] = {
    "consumer": partial(draw_groups, "consumer", [asked for asked in FLOWS if "topic-spread" not in asked]),
    "topic spread": partial(draw_groups, "consumer", [asked for asked in FLOWS if "topic-spread" in asked]),
    "copies": partial(draw_groups, "consumer", COPIES),
    "joined": partial(draw_groups, "consumer", ["joined", "joined,cross-rack,moves"]),
    "broker": partial(draw_groups, "broker", ["balance,moves,cross-rack", "moves,balance"]),
    "share": partial(draw_groups, "share", ["shared", "shared,moves,balance", "shared,cross-rack"]),
    "weights": draw_weights,
    "streams": partial(draw_applications, [asked for asked in OF_TASKS if "subtopolog" not in asked and "spread" not in asked]),
    "streams spread": partial(draw_applications, [asked for asked in OF_TASKS if "spread" in asked.split(",")]),
    "subtopologies": partial(draw_applications, [asked for asked in OF_TASKS if "subtopolog" in asked]),
    "streams-group": draw_streams_groups,
    "connect": draw_clusters,
    "frontier of consumer": partial(draw_frontiers, "consumer", level="cross-rack"),
    "frontier of topic spread": partial(draw_frontiers, "consumer", level="topic-spread"),
    "frontier of share": partial(draw_frontiers, "share"),
    "frontier of streams": partial(draw_frontiers, "streams"),
    "over time, consumer": partial(draw_sequences, "consumer"),
    "over time, topic spread": partial(draw_sequences, "consumer", spread=True),
    "over time, streams": partial(draw_sequences, "streams"),
    "over time, connect": partial(draw_sequences, "connect"),
    "bound over time, consumer": partial(draw_sequences, "consumer", bound=True),
    "bound over time, streams": partial(draw_sequences, "streams", bound=True),
    "bound over time, connect": partial(draw_sequences, "connect", bound=True),
}  # fmt: skip
assert {*LEVELS} <= {level for asked in (*FLOWS, *WEIGHED) for level in asked.split(",")}


def split_proofs(value: Json) -> Json:
    """Return an answer in which each proof by prices is divided into two cases, both proved by the same prices."""
    if isinstance(value, list):
        return [split_proofs(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.get("by") == "prices" and value["cases"] == []:
        side = {**value, "cases": [0]}
        told = {"by": "cases", "tasks": None, "clients": None, "role": "every", "most": 1}
        return {**told, "fewer": side, "more": convert_to_json(side)}
    if value.keys() == {"rows", "places"} and value["rows"][0] and value["places"] == []:
        side = {**value, "places": [[0, 0, 0, 0]]}
        return {"place": [0, 0, 0], "most": 1, "fewer": side, "more": convert_to_json(side)}
    return {key: split_proofs(each) for key, each in value.items()}


def has_items(group: Json) -> bool:
    """Return True if there is something of each kind to assign, about which a case can be."""
    if "connectors" in group:
        return any(each.get("tasks") for each in group["connectors"])
    return bool(
        group.get("tasks")
        or group.get("subtopologies")
        or any(t["partitions"] for t in group.get("topics", ()))
    )


@lru_cache(maxsize=512)  # each lends its values to the cases before it
def draw_cases(kind: str, number: int) -> list[Case]:
    """Return the cases of a kind with a number, always the same ones; groups that a question has no answer for are drawn again."""
    r = Random(f"{kind} {number}")
    while True:
        try:
            found = [*KINDS[kind](r, kind)]
        except (OracleError, InputError):
            continue
        if found:
            divide = r.random() < DIVIDED and all(has_items(each.group) for each in found)
            return [replace(each, answer=split_proofs(each.answer)) for each in found] if divide else found

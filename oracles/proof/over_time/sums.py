"""Sums over a sequence of rebalances: no sequence of assignments that are as even as possible has less.

The stages are the group as JSON at each rebalance of a rolling restart, a bounce or a scale-out. A member that leaves comes back with nothing.
Owners count at the first rebalance alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias
from uuid import UUID

from kassay.oracles.proof import partitions, tasks, workers
from kassay.oracles.proof.over_time.network import PROVED, SCALE, Network, decides, prove
from kassay.oracles.proof.over_time.of_partitions import SPREAD_AT_EACH, Partitions
from kassay.oracles.proof.over_time.of_tasks import Tasks
from kassay.oracles.proof.reading import OPEN, Json, claim, need, same, same_rows, shaped
from kassay.oracles.proof.topic_spread import SPREAD

Events: TypeAlias = tuple[str, int]
"""The kind of the events, and the number of members."""
KINDS = {
    "restart": "the first N leave and join again, one after the other",
    "bounce": "the first N leave before the first of them is back",
    "scale-out": "N join, one by one",
}
"""Kind of events -> description."""
MOST = 10_000
"""The most members that join."""


class Shape(NamedTuple):
    """The members of a kind of groups."""

    field: str
    held: Sequence[str]
    """The keys that a member loses when it leaves."""
    kept: Sequence[str] | None = None
    """The keys that a new member has in common with the one that it is like; None for all but those that are lost."""
    name: Callable[[int], str] = "joined-{:05}".format
    """The names of new members."""


SHAPES: Mapping[str, Shape] = {
    "partitions": Shape("members", ("owned", "generation"), ("topics", "rack")),
    "tasks": Shape("clients", ("active", "standby"), name=lambda n: str(UUID(int=2**124 + n))),
    "workers": Shape("workers", ("connectors", "tasks")),
}


def stages(kind: str, group: Json, events: Events, order: list[str] | None = None) -> list[Json]:
    """Return the group at each rebalance, its members in an order; raises WrongInputError if it is no group or has too few members."""
    field = SHAPES[kind].field
    shaped(group, {field: [{"id": str, OPEN: None}], OPEN: None}, "group")
    (what, number), members = events, {each["id"]: each for each in group[field]}
    ordered = [*members] if order is None else order
    need(len(members) == len(group[field]), f"group.{field}: two have one id; rename one")
    claim(sorted(ordered) == sorted(members), f"order: is not one of the group's {field}")
    there = [members[name] for name in ordered]
    most = MOST if what == "scale-out" else len(there) - (what == "bounce" or len(there) == 1)
    fine = 1 <= number <= most and (there or kind == "workers")
    need(fine, f"{what}: {number} of {len(there)} {field}; give as many as there can be")
    found = [there]
    for leaves, who in _happened(kind, there, events):
        if leaves:
            found.append([each for each in found[-1] if each["id"] != who["id"]])
        else:
            static = who.get("instance_id")
            known = any(
                each["id"] == who["id"] or (static is not None and each.get("instance_id") == static)
                for each in found[-1]
            )
            found.append(found[-1] if known else [*found[-1], who])
    if kind == "workers" and what == "bounce":  # the others wait until all are back: one rebalance
        found = [found[0], found[-1]]
    return [{**group, field: members} for members in found]


def _happened(kind: str, there: list[Json], events: Events) -> Iterator[tuple[bool, Json]]:
    """Yield for each event True if a member leaves, and the member that leaves or joins."""
    (what, number), shape = events, SHAPES[kind]
    known = {each["id"] for each in there}
    names = [each for n in range(number + len(known)) if (each := shape.name(n)) not in known][:number]
    if what == "scale-out":
        for n, name in enumerate(names):
            like = there[n % len(there)] if there else {}
            kept = [key for key in like if key not in shape.held] if shape.kept is None else shape.kept
            yield False, {key: like.get(key) for key in kept} | {"id": name}
        return
    gone = there[:number]
    # a worker comes back under another name
    back = names if kind == "workers" else [each["id"] for each in gone]
    again = [
        {key: of for key, of in each.items() if key not in shape.held} | {"id": name}
        for each, name in zip(gone, back, strict=True)
    ]
    if what == "restart":
        for leaving, joining in zip(gone, again, strict=True):
            yield True, leaving
            yield False, joining
    else:
        yield from ((True, leaving) for leaving in gone)
        yield from ((False, joining) for joining in again)


TOTAL = {"name": str, "least": int, "value": {None: int}, "proved": bool, OPEN: None}
CERTIFICATE = {"scale": int, "proofs": [PROVED], OPEN: None}
PART = {"question": str, "rebalances": int, "totals": [TOTAL], "certificate": CERTIFICATE, OPEN: None}
Verdict: TypeAlias = tuple[bool | None, str]
Totals: TypeAlias = Mapping[str, int]


def form_of(assignment: object, certificate: object = CERTIFICATE) -> Mapping[str, object]:
    """Return the form of an answer, given that of its assignments."""
    each = {"assignment": assignment, "delay_ms?": int, OPEN: None}
    return PART | {"assignments": [each], "order?": [str], "certificate": certificate}


ANSWERS = {
    "partitions": form_of(partitions.ASSIGNMENT, CERTIFICATE | {"spread?": [SPREAD_AT_EACH]}),
    "tasks": form_of(tasks.ANSWER["assignment"]),
    "workers": form_of(workers.ANSWER["assignment"], {**dict.fromkeys(workers.KINDS, PART), OPEN: None}),
}
"""Kind of group -> the form of an answer over time."""


def verify(kind: str, group: Json, answer: Json, events: Events) -> Verdict:
    """Return True if all sums are proved to be the least, None if they are bounds, and a sentence.

    Raises NotProvedError if a statement is false, WrongInputError if it is no answer.
    """
    need(kind in ANSWERS, f"record: nothing is proved over time of {kind}")
    shaped(answer, ANSWERS[kind], "")
    there = stages(kind, group, events, answer.get("order"))
    given = answer["assignments"]
    if kind == "workers":
        return _of_workers(there, answer, events)
    same("assignments: their number", len(given), len(there) if given else 0)
    course: Tasks | Partitions
    if kind == "tasks":
        course = Tasks(answer["question"], there)
    else:
        spread = answer["certificate"].get("spread")
        asked = bool(given) and SPREAD in answer["question"].split(",")
        need(
            (spread is not None) is asked,
            f"certificate.spread: give prices where, and only where, {SPREAD} is asked and there are assignments",
        )
        course = Partitions(answer["question"], there, spread)
    return _proved(course.network, answer, len(there), course.totals(given) if given else None)


def _proved(
    network: Network, stated: Json, rebalances: int, totals: Totals | None, path: str = ""
) -> Verdict:
    """Return what the proofs about a network prove; `totals` are the sums of the assignments, None if there are none."""
    same(f"{path}rebalances", stated["rebalances"], rebalances)
    need(stated["certificate"]["scale"] == SCALE, f"{path}certificate.scale: give prices in {SCALE}ths")
    proofs = stated["certificate"]["proofs"]
    for n, each in enumerate(proofs):
        prove(network, each, f"{path}certificate.proofs[{n}]")
    if totals is None:
        bounds, levels = {tuple(each["weights"]): each["bound"] for each in proofs}, network.levels
        least = [max(0, bounds.get(tuple(int(one == other) for one in levels), 0)) for other in levels]
    else:
        whole = next((each for each in proofs if decides(network, each["weights"])), None)
        claim(
            whole is not None, f"{path}certificate.proofs: none is by weights with which each level decides"
        )
        assert whole is not None
        # the bound of the weighted sum bounds each level up to the first that it does not prove; 0 bounds those after it
        bound, least, tight = whole["bound"], [], True
        for weight, level in zip(whole["weights"], network.levels, strict=True):
            least.append(max(0, bound // weight) if tight else 0)
            bound -= least[-1] * weight
            tight = tight and least[-1] == totals[level]
    found = []
    for level, floor in zip(network.levels, least, strict=True):
        value = None if totals is None else totals[level]
        found.append({"name": level, "least": floor, "value": value, "proved": value == floor})
    same_rows(f"{path}totals", stated["totals"], TOTAL, found)
    said = ", ".join(
        f"{each['name']} {each['value']}" if each["proved"] else f"{each['name']} at least {each['least']}"
        for each in found
    )
    if all(each["proved"] for each in found):
        return True, f"proved: no sequence has less in {stated['question']}: {said}"
    return None, f"what it states holds, but it does not prove an optimum: {said}"


def _of_workers(there: Sequence[Json], answer: Json, events: Events) -> Verdict:
    """Return what is proved of a cluster: of connectors and of tasks, each as a group; their sums add up."""
    asked = workers.question_of(answer["question"], ("balance,moves",))
    split = [workers.groups_of(cluster) for cluster in there]
    given = _without_waiting(there, answer["assignments"], events)
    values: dict[str, Totals] = {}
    said, proved = [], True
    for kind, part in ((kind, answer["certificate"][kind]) for kind in workers.KINDS):
        path = f"certificate.{kind}."
        same(f"{path}question", part["question"], asked)
        course = Partitions(asked, [groups[kind] for groups in split])
        own = [
            {"assignment": workers.partitions_of(cluster, each, kind)}
            for cluster, each in zip(there, given, strict=bool(given))
        ]
        totals = course.totals(own) if given else None
        values |= {} if totals is None else {kind: totals}
        holds, sentence = _proved(course.network, part, len(there), totals, path)
        proved = proved and bool(holds)
        said.append(f"{kind}: {sentence.removeprefix('proved: ')}")
    summed = []
    for level, (of, kinds) in workers.LEVELS.items():
        parts = [
            each for kind in kinds for each in answer["certificate"][kind]["totals"] if each["name"] == of
        ]
        if len(parts) == len(kinds):
            value = sum(values[kind][of] for kind in kinds) if given else None
            least = sum(each["least"] for each in parts)
            summed.append({"name": level, "least": least, "value": value, "proved": value == least})
    same("rebalances", answer["rebalances"], len(there))
    same_rows("totals", answer["totals"], TOTAL, summed)
    return (True if proved else None), ("proved: " if proved else "") + "; ".join(said)


def _without_waiting(there: Sequence[Json], given: Json, events: Events) -> list[Json]:
    """Return the assignments without the one of a bounce while workers are away; the others must keep what they run."""
    answers = [each["assignment"] for each in given]
    if events[0] == "bounce" and given:
        same("assignments: their number", len(given), 3)
        names = {worker["id"] for worker in there[1]["workers"]}
        stay = {name: work for name, work in workers.in_order(answers[0]).items() if name in names}
        waits = given[1].get("delay_ms", 0) > 0 and workers.in_order(answers.pop(1)) == stay
        claim(waits, "assignments[1]: the others do not keep what they run, and wait")
    elif given:
        same("assignments: their number", len(given), len(there))
    return answers

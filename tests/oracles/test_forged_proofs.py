"""Of answers of all kinds that are altered in any way only those are taken that are still true, and each has one sentence.

What is true is known without the checker: the optimum of the question as it is stated, measured on the assignment by the properties'
own measures; the points of the frontier; the least sums over time. `nox -s whole` alters 60,000 answers.
"""

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from io import StringIO
from operator import getitem
from random import Random
from typing import Any

import pytest
from drawing import QUESTIONS, asking, group
from drawing_tasks import QUESTIONS as OF_TASKS
from drawing_tasks import some_tiny
from families.tables import generated
from hypothesis import given, settings
from hypothesis import strategies as st
from mutations import mutated
from tasks.test_streams_groups import tiny
from verifying import altered, altered_tasks
from whole import some

from kassay.families import family
from kassay.model import Config
from kassay.oracles.errors import ImpossibleError, OracleError
from kassay.oracles.partitions.question import question as of_partitions
from kassay.oracles.partitions.question import remeasure
from kassay.oracles.proof import (
    command,
    frontier,
    levels,
    partitions,
    reading,
    roles,
    streams_groups,
    tasks,
    workers,
)
from kassay.oracles.proof.over_time import of_partitions as sequences
from kassay.oracles.proof.over_time import of_tasks as of_application
from kassay.oracles.proof.over_time import sums
from kassay.oracles.proof.reading import WrongInputError
from kassay.oracles.tasks.optimum import remeasure as remeasure_tasks
from kassay.oracles.tasks.question import question as of_tasks
from kassay.properties.streams_group import MEASURES as OF_MEMBERS
from kassay.properties.workers import measures as of_workers

PER_CASE = 25
"""How many alterations an answer has."""


@dataclass(frozen=True)
class Case:
    """A group and a true answer to it, as JSON; `judge` raises AssertionError where an answer that was taken is not true."""

    kind: str
    group: Any
    answer: Any
    judge: Callable[[Any, bool | None], None]
    events: tuple[str, int] | None = None


def plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


def stated(name: str, of: Any, asked: str, measure: Callable[[Any, str], dict[str, int]]) -> Case:
    """Return the case of an optimum; `measure` says of an assignment what it is worth in the levels of a question."""
    known = family(name)
    optimum = cache(lambda text: known.oracles.optimum(text, of, None))
    best = optimum(asked)
    answer = best.record(known.shape.write_assignment(best.assignment))
    del answer["because"]  # nothing is proved of sentences

    def judge(given: Any, proved: bool | None) -> None:
        assert proved is True
        shown = {each["level"]: each["value"] for each in given["levels"]}
        assert shown == optimum(given["question"]).values
        measured = measure(known.shape.read_assignment(given["assignment"]), given["question"])
        assert shown == {level: measured[level] for level in shown}

    data = plain({"family": name, **known.shape.write_group(of)})
    return Case(command.FAMILIES[name], data, plain(answer), judge)


def of_groups(name: str, questions: list[str], r: Random) -> Case:
    asked = r.choice(questions)
    of = asking(r, asked)
    if asked.startswith("joined"):
        of = replace(of, config=Config(joined_topics=(tuple(t.name for t in of.topics[:2]),)))
    return stated(name, of, asked, lambda given, text: remeasure(of, given, of_partitions(text)))


def of_applications(questions: list[str], r: Random) -> Case:
    of = some_tiny(r.randrange(10**6))
    return stated(
        "streams",
        of,
        r.choice(questions),
        lambda given, text: remeasure_tasks(of, given, of_tasks(text)),
    )


def of_streams_groups(r: Random) -> Case:
    of = tiny(r.randrange(10**6))
    names = {
        "balance": ["active_imbalance"],
        "total-balance": ["total_imbalance"],
        "spread": ["tag_collisions"],
        "moves": ["active_moves", "standby_moves"],
        "restore": ["not_caught_up"],
        "subtopology-spread": ["subtopology_excess"],
    }

    def measure(given: Any, _: str) -> dict[str, int]:
        return {level: sum(OF_MEMBERS[name](of, given) for name in some) for level, some in names.items()}

    return stated(
        "streams-group",
        of,
        r.choice(["balance,moves", "moves,restore", "balance,moves,restore", "balance,subtopology-spread"]),
        measure,
    )


CLUSTERS = generated("connect", 12, 8)


def of_clusters(r: Random) -> Case:
    of = r.choice(CLUSTERS)

    def measure(given: Any, _: str) -> dict[str, int]:
        return {
            "connector-balance": of_workers.connector_imbalance(of, given),
            "task-balance": of_workers.task_imbalance(of, given),
            "moves": of_workers.moves(of, given),
        }

    return stated("connect", of, r.choice(["balance", "balance,moves"]), measure)


def of_frontiers(name: str, r: Random, *, spread: bool = False) -> Case:
    known = family(name)
    of = some_tiny(r.randrange(10**6)) if name == "streams" else group(r)
    found = known.oracles.frontiers(of, None)
    one = r.choice([each for each in found if ("topic-spread" in each.levels) == spread])
    true = [dict(point.values) for point in one.points]
    answer = {
        "record": "frontier",
        "title": one.title,
        "levels": one.levels,
        "points": [
            {
                "values": point.values,
                "supported": point.supported,
                "proved_by": point.proved_by,
                "proof": point.proof,
                "assignment": known.shape.write_assignment(point.assignment),
            }
            for point in one.points
        ],
        "proofs": one.proofs,
        "extreme": one.extreme,
        "whole": one.whole,
        "bought": [{"moves": b.moves, "least": b.least, "most": b.most} for b in one.bought],
    }

    def judge(given: Any, proved: bool | None) -> None:
        assert given["title"] == one.title
        shown = [point["values"] for point in given["points"]]
        assert all(value in true for value in shown)
        assert proved is None or shown == true
        for point in given["points"]:
            place = one.place(known.shape.read_assignment(point["assignment"]))
            assert place.values == point["values"]
            assert place.on_it is not False
        for step in given["bought"] if proved else ():  # a weaker floor is true, too
            best = min(value[one.levels[1]] for value in true if value["moves"] <= step["moves"])
            assert step["least"] <= step["most"] == best

    data = plain({"family": name, **known.shape.write_group(of)})
    return Case(command.FAMILIES[name], data, plain(answer), judge)


def of_sequences(name: str, r: Random, *, spread: bool = False) -> Case:
    known = family(name)
    over = known.oracles.over_time
    of = {
        "consumer": lambda: group(r),
        "streams": lambda: some_tiny(r.randrange(10**6)),
        "connect": lambda: r.choice(CLUSTERS),
    }[name]()
    events = r.choice([*over.kinds]), r.randint(1, 2)
    timeline = over.kinds[events[0]](of, events[1])
    optimum = cache(lambda text: over.optimum(text, timeline, None))
    best = optimum(r.choice([asked for asked in over.questions if ("topic-spread" in asked) is spread]))
    answer = {
        "record": "over-time",
        "question": best.question,
        "rebalances": best.rebalances,
        "order": over.members(of),
        "totals": [
            {"name": t.name, "least": t.least, "value": t.value, "proved": t.proved} for t in best.totals
        ],
        "assignments": [known.shape.write_answer(each) for each in best.assignments],
        "certificate": best.certificate,
    }

    def judge(given: Any, proved: bool | None) -> None:
        if given.get("order", answer["order"]) != answer["order"]:
            return  # of another sequence, of which it is proved
        true = {total.name: total.value for total in optimum(given["question"]).totals}
        for total in given["totals"]:
            assert total["least"] <= true[total["name"]]
            assert total["value"] is None or total["value"] >= true[total["name"]]
            assert not proved or total["value"] == true[total["name"]]

    data = plain({"family": name, **known.shape.write_group(of)})
    return Case(command.FAMILIES[name], data, plain(answer), judge, events)


JOINED = ["joined", "joined,cross-rack,moves"]
COPIES = [asked for asked in QUESTIONS if asked.startswith(("copies", "redundancy"))]
KINDS: dict[str, Callable[[Random], Case]] = {
    "consumer": partial(of_groups, "consumer", [asked for asked in QUESTIONS if asked not in COPIES and "shared" not in asked]),
    "copies": partial(of_groups, "consumer", COPIES),
    "joined": partial(of_groups, "consumer", JOINED),
    "broker": partial(of_groups, "broker", ["balance,moves,cross-rack", "moves,balance"]),
    "share": partial(of_groups, "share", ["shared", "shared,moves,balance"]),
    "streams": partial(of_applications, [asked for asked in OF_TASKS if "subtopolog" not in asked]),
    "spread": partial(of_applications, [asked for asked in OF_TASKS if "spread" in asked.split(",")]),
    "subtopology spread": partial(of_applications, ["balance,subtopology-spread", "subtopology-spread,active,balance", "balance,subtopology-spread,moves"]),
    "subtopologies": partial(of_applications, [asked for asked in OF_TASKS if "subtopologies" in asked]),
    "streams-group": of_streams_groups,
    "connect": of_clusters,
    **{f"frontier of {name}": partial(of_frontiers, name) for name in ("consumer", "share", "streams")},
    "frontier of spread": partial(of_frontiers, "consumer", spread=True),
    **{f"over time, {name}": partial(of_sequences, name) for name in ("consumer", "streams", "connect")},
    "over time, spread": partial(of_sequences, "consumer", spread=True),
}  # fmt: skip


def cases(kind: str, number: int) -> Iterator[Case]:
    """Yield so many cases of a kind; groups that a question has no answer for are left out."""
    r, found = Random(kind), 0
    while found < number:
        try:
            case = KINDS[kind](r)
        except (OracleError, ImpossibleError, ValueError):
            continue
        found += 1
        yield case


def nudged(r: Random, value: Any) -> Any:
    """Return a value with one of its whole numbers a little more or less."""
    changed = deepcopy([value])
    places: list[tuple[Any, Any]] = []

    def look(at: Any) -> None:
        for key, of in at.items() if isinstance(at, dict) else enumerate(at):
            if type(of) is int:
                places.append((at, key))
            elif isinstance(of, dict | list):
                look(of)

    look(changed)
    if places:
        at, key = r.choice(places)
        at[key] = r.choice([at[key] - 1, at[key] + 1, -at[key], at[key] + 2, 0])
    return changed[0]


def handed_over(r: Random, value: Any) -> Any:
    """Return an answer in which an assignment hands something over, and now and then counts loads again."""
    changed = deepcopy(value)
    given = [changed, *changed.get("points", ()), *changed.get("assignments", ())]
    owners = r.choice([each["assignment"] for each in given if "assignment" in each] or [{}])
    if len(owners) < 2:
        return changed
    giver, taker = r.sample([*owners], 2)
    own, others = owners[giver], owners[taker]
    if isinstance(own, dict) and own:
        role = r.choice([*own])
        own, others = own[role], others.setdefault(role, [])
    if isinstance(own, list) and own:
        others.append(own.pop(r.randrange(len(own))))
    loads = changed.get("certificate", {}).get("loads")
    if loads and isinstance(owners[giver], list) and r.random() < 0.8:
        changed["certificate"]["loads"] = {name: len(held) for name, held in owners.items()}
    return changed


def forged(r: Random, case: Case) -> Any:
    """Return an answer that was altered in one place, and now and then in more."""
    ways: list[Callable[[Random, Any], Any]] = [altered, nudged, nudged, handed_over]
    if case.answer.get("certificate", {}).get("proofs") and case.events is None:
        ways.append(altered_tasks)
    answer = r.choice(ways)(r, case.answer)
    for _ in range(r.choice([0, 0, 0, 1, 2])):
        answer = r.choice([altered, nudged])(r, answer)
    return answer


def asked(case: Case, answer: Any) -> tuple[bool | None, str]:
    """Return the verdict on an answer and its one sentence; anything but a refusal of the checker's own is a fault."""
    try:
        proved, said = command.verified(case.kind, case.group, answer, case.events)
    except WrongInputError as wrong:
        proved, said = False, str(wrong)
    assert said
    assert "\n" not in said.encode("unicode_escape").decode()
    return proved, said


CONTRADICTED = re.compile(r"NOT proved: ([^:]+): states .*, but it is (.*)")


def made_consistent(r: Random, case: Case) -> Any:
    """Return an answer with one thing altered, in which all that the checker counts again is as it counts it: only a proof is missing."""
    answer = r.choice([handed_over, nudged])(r, case.answer)
    for _ in range(12):
        proved, said = asked(case, answer)
        told = None if proved else CONTRADICTED.fullmatch(said)
        if told is None or told[2].endswith("..."):
            break
        *way, last = (int(key) if key.isdecimal() else key for key in re.findall(r"[^.\[\]]+", told[1]))
        try:
            at, found = reduce(getitem, way, answer), ast.literal_eval(told[2])
            at[last] = at[last] | found if isinstance(found, dict) and "level" in found else found
        except (KeyError, TypeError, IndexError):
            break
    return answer


@pytest.mark.parametrize("kind", KINDS)
def test_of_what_is_altered_only_what_is_true_is_taken(kind):
    taken, refused = all_is_well(kind, cases(kind, some(3, 160)))
    assert refused > taken > 0


def all_is_well(kind: str, found: Iterable[Case]) -> tuple[int, int]:
    """Assert that true answers are taken, and altered ones only where they are true; return how many of these were taken and refused."""
    taken = refused = 0
    for n, case in enumerate(found):
        proved, said = asked(case, case.answer)
        assert proved is not False, (n, said)
        case.judge(case.answer, proved)
        r = Random(f"{kind}{n}")
        for _ in range(PER_CASE):
            answer = (made_consistent if r.random() < 0.2 else forged)(r, case)
            proved, _ = asked(case, answer)
            taken, refused = taken + (proved is not False), refused + (proved is False)
            if proved is not False:
                case.judge(answer, proved)
    return taken, refused


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_keys_and_keys_that_are_not_known_change_nothing(kind):
    for case in cases(kind, some(2, 40)):
        answer = {"of_no_concern": [1.5], **dict(reversed([*case.answer.items()]))}
        assert asked(case, answer) == asked(case, case.answer)


@cache
def one_of_each() -> list[Case]:
    return [case for kind in KINDS for case in cases(kind, 1)]


@settings(max_examples=some(80, 5000))
@given(st.data())
def test_any_bytes_have_one_sentence(folder, data):
    case = data.draw(st.sampled_from(one_of_each()))
    files = [folder / "answer", folder / "group"]
    for file, value in zip(files, (case.answer, case.group), strict=True):
        file.write_bytes(json.dumps(value).encode())
    which = data.draw(st.sampled_from([0, 0, 1]))
    files[which].write_bytes(data.draw(st.one_of(mutated([case.answer, case.group][which]), st.binary())))
    what = [] if case.events is None else [f"--{case.events[0]}", str(case.events[1])]
    with redirect_stdout(StringIO()) as told, redirect_stderr(StringIO()) as wrong:
        status = command.main([*map(str, files), *what])
    assert status in (0, 1, 2, 3)
    assert told.getvalue().count("\n") >= 1 if status != 2 else not told.getvalue()
    assert wrong.getvalue().count("\n") == (status == 2)


MUTANTS: dict[str, tuple[Any, str, Any, str]] = {
    "believes what is stated": (reading, "same", lambda *_: None, "joined"),
    "believes every claim": (reading, "claim", lambda *_: None, "consumer"),
    "takes what is no optimum": (partitions, "said", lambda asked, *_, **__: f"proved: {asked}", "consumer"),
    "counts no reads across racks": (levels, "IN_RACK", {"cross-rack": lambda *_: 0}, "consumer"),
    "forgets what members have left": (partitions, "slots", lambda *_: 0, "consumer"),
    "takes the dearest slots": (partitions, "slots", lambda square, price, most: square * most * most - price * most, "consumer"),
    "counts no collisions": (tasks, "collisions", lambda _: 0, "spread"),
    "takes copies to cost nothing": (roles, "cheapest", lambda *_: 0, "streams"),
    "lets clients have what they have left": (roles, "_left", lambda *_: 0, "streams"),
    "squares what lies at a place for nothing": (roles, "_place", lambda *_: 0, "subtopology spread"),
    "takes every spread for a bad one": (tasks, "even_squares", lambda _: 0, "subtopology spread"),
    "takes members for even": (streams_groups, "_apart", lambda *_: 0, "streams-group"),
    "sees nothing run": (workers, "Counter", lambda *_: Counter(), "connect"),
    "shuts every box": (frontier, "shut", lambda *_: True, "frontier of consumer"),
    "takes every loads for even": (sequences, "uneven_path", lambda *_: [], "over time, consumer"),
    "lets partitions be anywhere": (sequences, "_parts", lambda arcs: dict.fromkeys(arcs, 0), "over time, consumer"),
    "takes all moves for free": (of_application, "_moved", lambda *_: 0, "over time, streams"),
    "believes bounds over time": (sums, "prove", lambda *_: None, "over time, consumer"),
}  # fmt: skip
"""What a checker does wrong: where, what instead, and answers of which kind show it."""


@pytest.mark.parametrize("name", MUTANTS)
def test_a_checker_that_does_something_wrong_is_caught(name, monkeypatch):
    module, function, instead, kind = MUTANTS[name]
    found = [*cases(kind, 12)]
    right = getattr(module, function)
    for other in [each for own, each in sys.modules.items() if own.startswith("kassay.oracles.proof.")]:
        if getattr(other, function, None) is right:
            monkeypatch.setattr(other, function, instead)
    with pytest.raises(AssertionError):
        all_is_well(kind, found)

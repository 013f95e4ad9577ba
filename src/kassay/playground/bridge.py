"""The questions of the playground's page: text in, text out, in a browser as in CPython.

The sentences are the same as on the terminal and on the group's page. The best possible answer is the textbook's, as a browser has no solvers.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from kassay.comparison.advice import advise
from kassay.comparison.facts import Facts, label_targets
from kassay.comparison.group_facts import gather_facts
from kassay.comparison.headline import list_gaps, reaches_optimum, render_headline
from kassay.comparison.measured import NOW, Measured, measure_answer, measure_current_assignment, play_steps
from kassay.comparison.strategies import build_strategies, has_known_racks
from kassay.errors import InputError
from kassay.families.consumer import CONSUMER
from kassay.families.convergence import rest
from kassay.families.family import Oracles
from kassay.families.names import UUID, cut
from kassay.files.reading import read_groups
from kassay.model import AssignorError
from kassay.oracles.answers import Answer, Gap, Level, Optima
from kassay.oracles.partitions.textbook import Best, solve_by_textbook
from kassay.properties.partitions.measures import moves
from kassay.properties.partitions.rounds import apply_assignment
from kassay.properties.partitions.timelines import Join, Leave, Timeline
from kassay.reference.releases import has_release
from kassay.sentences import join_names
from kassay.targets.reference import open_reference
from kassay.targets.target import Target

BEST = "best"
LASTING_FIRST = "cross-rack", "moves", "topic-spread"
"""The order of the levels after even loads in which everybody compares: what lasts, then what passes."""
Tell = Callable[[str], object]
"""Is called with the name of the strategy that is asked now, so that a clock can be started."""


@lru_cache(maxsize=64)
def _find_best(group: Any, order: tuple[str, ...]) -> Best:
    return solve_by_textbook(group, order)


def _find_optima(group: Any) -> Optima:
    levels = CONSUMER.oracles.measures if CONSUMER.oracles else {}
    best = _find_best(group, LASTING_FIRST).values
    # Without racks, nothing comes before moves.
    by_moves = _find_best(group, ("moves",)).values if has_known_racks(CONSUMER, group) else best
    least = {
        **{name: best[name] for name in ("balance", "cross-rack")}, "moves": by_moves["moves"],
        "topic-spread": _find_best(group, ("topic-spread",)).values["topic-spread"],
    }  # fmt: skip
    least = {level: least[level] for level in CONSUMER.oracles.levels} if CONSUMER.oracles else {}

    def gaps(assignment: Any) -> Sequence[Gap]:
        if any(next(CONSUMER.invariants[name](group, assignment), None) for name in CONSUMER.legal):
            return ()
        value = {level: CONSUMER.measures[levels[level]](group, assignment) for level in least}
        return tuple(Gap(level, value[level], best, CONSUMER.level(level)) for level, best in least.items())

    return Optima(least, gaps)


def _make_oracles() -> Oracles:
    oracles = CONSUMER.oracles
    assert oracles is not None
    assert oracles.over_time is not None
    over_time = replace(oracles.over_time, uneven=lambda group, answer: False)  # noqa: ARG005 - not asked for here

    def find_optimum(question: str, group: Any, _: float | None) -> Answer:
        best = _find_best(group, tuple(level for level in question.split(",") if level != "balance"))
        levels = tuple(Level(name, value, value) for name, value in best.values.items())
        return Answer(question, levels, best.assignment, best.reasons, {"proved": True})

    return replace(
        oracles, optimum=find_optimum, optima=_find_optima, dominance=None,
        over_time=over_time,
    )  # fmt: skip


FAMILY = replace(CONSUMER, oracles=_make_oracles())
"""The consumer family with the textbook's optima."""
USUAL = 2
"""The number of rebalances that members need to hand something over."""
LATE = "no answer in 5 seconds: its worker was ended"
"""The reason of a missing answer if the page's clock ran out."""


def answer(text: str, tell: Tell = lambda _: None) -> str:
    """Return the answers of each strategy to a group, the best possible, and all sentences about them.

    `late` names the strategies that the clock has ended before.
    """
    asked = json.loads(text)
    group, late = FAMILY.shape.read_group(asked["group"]), asked.get("late", [])
    targets, missing = _open_targets(asked.get("kafka", ""))
    if BEST not in late:
        tell(BEST)
    family = FAMILY if BEST not in late else replace(FAMILY, oracles=None)
    optima = _find_optima(group) if family.oracles else None
    now = measure_current_assignment(family, group, optima)
    row = []
    for name, target in targets.items():
        if name in late:
            row.append(Measured(target.name, None, {}, failure=LATE, family=FAMILY.name))
        else:
            tell(name)
            row.append(measure_answer(target, family, group, optima))
    name = asked.get("name") or NAME
    facts = gather_facts(
        family, group, row, now, [*targets.values()], name=name, restarts=RESTARTED, solve=False
    )
    told = _describe(facts, dict(zip(targets, row, strict=True)), missing, targets, late)
    # An old release is not to be set up.
    older = {"advice": "", "lines": [], "price": ""} if asked.get("kafka") else {}
    return json.dumps(told | older)


RESTARTED = 400
"""Groups up to this product of members and partitions are restarted, so that an edit takes no longer than a moment."""
NAME = "group"
"""The name of a group that has none."""


def _open_targets(kafka: str) -> tuple[dict[str, Target], dict[str, str]]:
    """Return Kafka's strategies that a release has, and why others are missing; "" is the newest release."""
    names = [name.partition("/")[2] for name in FAMILY.settable]
    there = {name: not kafka or has_release(f"consumer/{name}", kafka) for name in names}
    at = f"@{kafka}" * bool(kafka)
    return (
        {name: open_reference(f"consumer/{name}{at}") for name in names if there[name]},
        {name: f"Kafka {kafka} does not have it" for name in names if not there[name]},
    )


def _describe(
    facts: Facts,
    row: Mapping[str, Measured],
    missing: Mapping[str, str],
    targets: Mapping[str, Target],
    late: Sequence[str],
) -> dict[str, Any]:
    told, group, labels = advise(facts), facts.group, label_targets(facts)
    racks = has_known_racks(FAMILY, group)
    says = told.headline.removeprefix(f"{facts.name}: ")
    is_, even, would = says.rpartition("Balanced is ")
    rows = {one.target: one for one in build_strategies(FAMILY, facts.answers, facts.now, facts.best, None)}
    every = [(labels[one.target], one) for one in facts.answers]
    cards: dict[str, Any] = {name: {"missing": why} for name, why in missing.items()}
    for name, one in row.items():
        card = cards[name] = _make_card(group, one)
        card |= {
            "trouble": rows[one.target].trouble,
            "misses": list_gaps(one),
            "reaches": reaches_optimum(one, facts.together),
        }
        if one.legal and name not in late:
            following = apply_assignment(group, one.settled)
            with suppress(AssignorError):
                card["again"] = 0
                # The partitions that move if the group rebalances once more and nothing has changed.
                card["again"] = moves(following, rest(FAMILY, targets[name].assign, following).answer)
    if facts.now is not None:
        cards[NOW] = _make_card(group, facts.now) | {"misses": list_gaps(facts.now)}
    if facts.best is not None:
        cards[BEST] = _measure(group, facts.best.assignment)
    return {
        "headline": [is_, f"{even}{would}"] if even else [says, ""],
        "reach": render_headline(every, facts.together) if facts.now is not None else "",
        "troubles": _describe_troubles(cards),
        "advice": told.says, "lines": told.lines, "price": told.price,
        "reasons": facts.best.words if facts.best is not None else [],
        "racks": racks, "cards": cards, "late": late, "names": cut([member.id for member in group.members]),
        "notes": [
            *(f"{name}: {LATE}; the others were asked again" for name in late),
            *(f"{name} then moves {card['again']:,} more at the next rebalance, though nothing changed" for name, card in cards.items() if card.get("again")),
            *(f"{name} converges after {card['rebalances']} rebalances" for name, card in cards.items() if card.get("rebalances", 1) > USUAL),
            *["racks are not known, so reads across racks are not counted"] * (not racks),
        ],
    }  # fmt: skip


def _describe_troubles(cards: Mapping[str, Any]) -> list[str]:
    """Name the strategies that give no right answer, and why; those with the same trouble together."""
    by: dict[str, list[str]] = {}
    for name, card in cards.items():
        if trouble := card.get("trouble"):
            told = f"{trouble}: {card['wrong'][0]}" if card.get("wrong") else trouble
            by.setdefault(told, []).append(name)
    return [f"{join_names(names)}: {trouble}." for trouble, names in by.items()]


def _make_card(group: Any, one: Measured) -> dict[str, Any]:
    """Return the numbers of an answer, and of a wrong one what is wrong with it."""
    if one.failure is not None:
        return {"fails": one.failure}
    return _measure(group, one.settled) | {
        "wrong": [*one.broken.values()],
        "rebalances": one.rebalances,
        "rests": one.at_rest,
    }


def _measure(group: Any, given: Any) -> dict[str, Any]:
    existing = {topic.name for topic in group.topics if topic.partitions}
    readers = [member for member in group.members if existing.intersection(member.topics)]
    loads = [len(given.get(member.id, ())) for member in readers] or [0]
    measures = {name: FAMILY.measures[name](group, given) for name in ("moves", "cross_rack")}
    return {
        "given": FAMILY.shape.write_assignment(given),
        "most": max(loads),
        "least": min(loads),
        **measures,
    }


def roll(text: str, tell: Tell = lambda _: None) -> str:
    """Play a rolling restart with each strategy, and the best possible of each step.

    Each member leaves and comes back, by default under a new id.
    """
    asked = json.loads(text)
    group, late = FAMILY.shape.read_group(asked["group"]), asked.get("late", [])
    back = {
        m.id: m.id if asked.get("same_ids") or m.instance_id else _rename(m.id, group) for m in group.members
    }
    events = [
        event
        for m in group.members
        for event in (Leave(m.id), Join(replace(m, id=back[m.id], owned=(), generation=None)))
    ]
    targets, _ = _open_targets(asked.get("kafka", ""))
    sequences = FAMILY.oracles.over_time if FAMILY.oracles else None
    assert sequences is not None

    def find_best(group: Any) -> Any:
        return _find_best(group, LASTING_FIRST[:2]).assignment

    best = Target(BEST, FAMILY.name, find_best, find_best)
    played: dict[str, Any] = {}
    for name, target in (targets | {BEST: best}).items():
        if name in late:
            played[name] = {"trouble": LATE, "frames": [], "moves": 0}
            continue
        tell(name)
        sums, done = play_steps(target, FAMILY, sequences, Timeline(group, tuple(events)))
        frames = [
            {
                "given": FAMILY.shape.write_assignment(rounds[-1][1]),
                "moves": sum(moves(*each) for each in rounds),
            }
            for rounds in done
        ]
        played[name] = {
            "trouble": sums.trouble,
            "frames": frames,
            "moves": sum(frame["moves"] for frame in frames),
        }
    happens = ["the group rebalances once, before any member stops"]
    for m in group.members:
        happens += [
            f"{m.id} stops",
            f"{m.id} is back" if back[m.id] == m.id else f"{m.id} is back as {back[m.id]}",
        ]
    return json.dumps({"happens": happens, "back": back, "played": played})


def _rename(member: str, group: Any) -> str:
    """Return the id under which a member comes back: with another UUID where it has one, as clients of Kafka do."""
    known_ids = {m.id for m in group.members}
    if UUID.search(member):
        return UUID.sub(str(uuid5(NAMESPACE_URL, member)), member)
    stem = re.sub(r"~\d+$", "", member)
    return next(name for n in range(2, len(known_ids) + 3) if (name := f"{stem}~{n}") not in known_ids)


PASTED = "what you pasted"


def read(text: str) -> str:
    """Make a group of a text: a listing of Kafka's tools, kassay's JSON or a finding; otherwise return what is wrong.

    `name` is the name of the text.
    """
    asked = json.loads(text)
    given, name = asked["text"], asked.get("name", PASTED)
    with suppress(ValueError, RecursionError):  # a listing, or neither, or too deep: the reader says so
        value = json.loads(given)
        if isinstance(value, dict) and isinstance(value.get("group"), dict):
            given = json.dumps(value["group"])
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(given, encoding="utf-8")
        try:
            found = read_groups([str(path)], FAMILY)
        except InputError as wrong:
            return json.dumps({"error": str(wrong).replace(f"{folder}/", ""), "copy": wrong.copy})
    one = max(found, key=lambda each: len(each.value.members))
    notes = [str(warning).replace(f"{folder}/", "") for warning in one.warnings]
    notes += [f"{len(found)} groups are listed; this is the one with most members"] * (len(found) > 1)
    return json.dumps({"group": FAMILY.shape.write_group(one.value), "notes": notes})


def take_effect(text: str) -> str:
    """Return the group as it stands once an answer has taken effect."""
    asked = json.loads(text)
    group = FAMILY.shape.read_group(asked["group"])
    return json.dumps(
        FAMILY.shape.write_group(apply_assignment(group, FAMILY.shape.read_assignment(asked["given"])))
    )


QUESTIONS: Mapping[str, Callable[..., str]] = {
    "answer": answer,
    "roll": roll,
    "read": read,
    "take_effect": take_effect,
}
"""All that the page may ask."""

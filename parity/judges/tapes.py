"""Tapes of wrong assignors: what each answered when kassay's judge asked it, so that judges in other languages can be given the same answers.

A tape has the answers in the order of asking. Each has a `print` of the group that it belongs to (topics with their partitions; members with generation and number of partitions owned): a judge
that asks about another group gets an error instead.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests")]

from conformance.rows import mutants, releases  # noqa: E402
from mutants import honest  # noqa: E402

from kassay.conformance.fixture_runner import Judge  # noqa: E402
from kassay.conformance.fixtures import (  # noqa: E402
    Declared,
    Form,
    load_form,
    read_family_fixtures,
)
from kassay.errors import SkippedError  # noqa: E402
from kassay.families.assignors import ASSIGNORS  # noqa: E402
from kassay.families.shape import Assign  # noqa: E402
from kassay.model import AssignorError  # noqa: E402

FAMILIES = ("consumer", "broker", "share", "streams", "streams-group")
OUTCOMES = ("active_loads", "loads", "moves", "cross_rack", "left_out", "order", "names", "repeat", "again")
"""The aims of tasks that judges outside kassay know: those of one outcome, and twins."""
NEVER = "never"
"""Says in a tape that no answer comes."""
STOPS_AT = "consumer-0007"
"""The case in which an assignor of the tapes comes to no end: each judge waits for it once."""
LIMIT = "time_limit"


@dataclass(frozen=True)
class Wrong:
    """A wrong assignor, and what it is held to."""

    family: str
    title: str
    assign: Assign
    declared: Declared
    exact: str = ""


def wrongs(family: str) -> Iterator[Wrong]:
    """Yield all mutants of a family's assignors, Kafka's classes by release, and those that no group shows: one that fails, one that never answers."""
    for row in (*mutants(family), *releases(family)):
        declared = replace(row.declared, copies=1)
        if family.startswith("streams"):
            declared = Declared(OUTCOMES)
        yield Wrong(family, row.title.rpartition("/")[2], row.affected, declared, row.exact)
    if family == "consumer":
        right = ASSIGNORS["consumer/range"].assign
        declared = load_form(family).declared["consumer/range"]
        yield Wrong(family, "raises", _raising(right), declared)
        yield Wrong(family, "never_answers", right, declared)
        yield Wrong(family, "of_an_older_release", right, declared, "range@3.4.1")
        at_rest = Declared(("loads", "rounds"), cooperative=True)
        yield Wrong(family, "never_rests", _never_resting, at_rest)


def _raising(right: Assign) -> Assign:
    """Fail where three members are asked about."""

    def assign(group: Any) -> Any:
        if len(group.members) == 3:
            raise AssignorError("list index out of range")
        return right(group)

    return assign


def _never_resting(group: Any) -> Any:
    """Hold back one partition that its owner may keep, another one in each rebalance."""
    answer = honest.cooperative(group)
    kept = ((m.id, p) for m in group.members for p in answer.get(m.id, ()) if p in m.owned)
    member, held = next(kept, ("", None))
    return {name: tuple(p for p in given if (name, p) != (member, held)) for name, given in answer.items()}


@dataclass(frozen=True)
class Tape:
    """What was answered to whom, and what kassay's judge found: "CASE/CHECK" -> whether it is kept."""

    json: str
    found: dict[str, bool]


def recorded(wrong: Wrong) -> Tape:
    """Ask a wrong assignor as kassay's judge does, about cases that need no time limit."""
    of = load_form(wrong.family)
    asked: list[dict[str, Any]] = []
    found: dict[str, bool] = {}

    def listening(group: Any) -> Any:
        said = {"print": printed(of.write_group(group))}
        asked.append(said)
        try:
            answer = wrong.assign(group)
        except (AssignorError, SkippedError) as failure:
            said["why"] = str(failure).partition("\n")[0] or "it fails"
            raise AssignorError(said["why"]) from None
        said["answer"] = _told(of, answer)
        return answer

    judge = Judge(of, listening, wrong.declared, wrong.exact)
    for case in read_family_fixtures(wrong.family).cases:
        if LIMIT in case.needs:
            continue
        if wrong.title == "never_answers" and case.id == STOPS_AT:
            asked.append({"print": printed(of.write_group(case.group)), "why": NEVER})
            found[f"{case.id}/answers"] = False
            continue
        found |= {f"{case.id}/{check}": not said for check, said in judge.judge(case).items()}
    head = {
        "family": wrong.family, "name": wrong.title, "aims": wrong.declared.aims, "limits": wrong.declared.limits,
        "exact": wrong.exact, "cooperative": wrong.declared.cooperative, "can": sorted(of.needs), "asked": asked,
    }  # fmt: skip
    return Tape(json.dumps(head), found)


def _told(of: Form, answer: Any) -> Any:
    """Make the JSON of an answer that names all whom the answer names: fixtures leave out whom it gives no task."""
    written = of.write_answer(answer)
    nothing: dict[str, list[str]] = {"active": [], "standby": [], "warmup": []}
    if of.family == "streams":
        named = {name: written["assignment"].get(name, nothing) for name in answer.clients}
        return {**written, "assignment": named}
    return {name: written.get(name, nothing) for name in answer} if of.family == "streams-group" else written


def printed(group: dict[str, Any]) -> str:
    """Return what tells groups apart, which is quickly written in every language."""
    if "topics" in group and "members" in group:
        topics = [f"{t['name']} {t['partitions']}" for t in group["topics"]]
        return "; ".join(topics + [_member(m) for m in group["members"]])
    tasks = group["tasks"] if "tasks" in group else group["subtopologies"]
    having = group["clients"] if "clients" in group else group["members"]
    return "; ".join(
        [str(len(tasks)), *(f"{h['id']} {len(h['active'])} {len(h['standby'])}" for h in having)]
    )


def _member(member: dict[str, Any]) -> str:
    return f"{member['id']} {member.get('generation', 0)} {sum(map(len, member['owned'].values()))}"

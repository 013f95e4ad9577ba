"""Tapes of wrong assignors: what each answered when kassay's judge asked it, so that judges in other languages can be given the same answers.

A tape has the answers in the order of asking. Each has a `print` of the group that it belongs to (topics with their partitions; members with generation and number of partitions owned): a judge
that asks about another group gets an error instead.
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests")]

from conformance.rows import mutants, releases  # noqa: E402

from kassay.assignors import ASSIGNORS  # noqa: E402
from kassay.conformance.folder import fixtures_of  # noqa: E402
from kassay.conformance.form import Declared, form  # noqa: E402
from kassay.conformance.judge import Judge  # noqa: E402
from kassay.model import AssignorError  # noqa: E402
from kassay.shape import Assign  # noqa: E402

FAMILY = "consumer"
NEVER = "never"
"""Says in a tape that no answer comes."""
STOPS_AT = "consumer-0007"
"""The case in which an assignor of the tapes comes to no end: each judge waits for it once."""
LIMIT = "time_limit"


@dataclass(frozen=True)
class Wrong:
    """A wrong assignor, and what it is held to."""

    title: str
    assign: Assign
    declared: Declared
    exact: str = ""


def wrongs() -> Iterator[Wrong]:
    """Yield all mutants of consumer assignors, Kafka's classes by release, and those that no group shows: one that fails, one that never answers."""
    for row in (*mutants(FAMILY), *releases(FAMILY)):
        yield Wrong(
            row.title.removeprefix("consumer/"), row.affected, replace(row.declared, copies=1), row.exact
        )
    right = ASSIGNORS["consumer/range"].assign
    declared = form(FAMILY).declared["consumer/range"]
    yield Wrong("raises", _raising(right), declared)
    yield Wrong("never_answers", right, declared)
    yield Wrong("of_an_older_release", right, declared, "range@3.4.1")


def _raising(right: Assign) -> Assign:
    """Fail where three members are asked about."""

    def assign(group: Any) -> Any:
        if len(group.members) == 3:
            raise AssignorError("list index out of range")
        return right(group)

    return assign


@dataclass(frozen=True)
class Tape:
    """What was answered to whom, and what kassay's judge found: "CASE/CHECK" -> whether it is kept."""

    json: str
    found: dict[str, bool]


def recorded(wrong: Wrong, keep: Callable[[str], bool] = lambda _: True) -> Tape:
    """Ask a wrong assignor as kassay's judge does, about cases that need no time limit."""
    of, asked, found = form(FAMILY), [], {}

    def listening(group: Any) -> Any:
        told = of.write_group(group)
        said: dict[str, Any] = {"print": printed(told)}
        asked.append(said)
        try:
            answer = wrong.assign(group)
        except AssignorError as failure:
            said["why"] = str(failure).splitlines()[0] if str(failure) else "it fails"
            raise
        said["answer"] = of.write_answer(answer)
        return answer

    judge = Judge(of, listening, wrong.declared, wrong.exact)
    for case in fixtures_of(FAMILY).cases:
        if LIMIT in case.needs or not keep(case.id):
            continue
        if wrong.title == "never_answers" and case.id == STOPS_AT:
            asked.append({"print": printed(of.write_group(case.group)), "why": NEVER})
            found[f"{case.id}/answers"] = False
            continue
        found |= {f"{case.id}/{check}": not said for check, said in judge.judge(case).items()}
    head = {
        "name": wrong.title, "aims": wrong.declared.aims, "limits": wrong.declared.limits, "exact": wrong.exact,
        "cooperative": wrong.declared.cooperative, "can": sorted({*form(FAMILY).needs}), "asked": asked,
    }  # fmt: skip
    return Tape(json.dumps(head), found)


def printed(group: dict[str, Any]) -> str:
    """Return what tells groups apart, which is quickly written in every language."""
    topics = (f"{t['name']} {t['partitions']}" for t in group["topics"])
    members = (f"{m['id']} {m['generation']} {sum(map(len, m['owned'].values()))}" for m in group["members"])
    return "; ".join((*topics, *members))

"""The evidence of a finding: the calls that show it, and the numbers that a test asserts of their answers.

All languages share it. Groups and answers are JSON here, so that the same code serves every family.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kassay.engine.finding import Finding
from kassay.engine.judge import ASKED, CRASH_FREE
from kassay.engine.lives import DETERMINISTIC
from kassay.errors import InputError, SkippedError
from kassay.exported_tests.probing import Probe, find_checks
from kassay.exported_tests.rows import (
    PROBING,
    Check,
    Count,
    Rows,
    count_rows,
    is_named,
    list_answer_rows,
    list_members,
    list_owned,
    sort_rows,
)
from kassay.families.family import Family
from kassay.model import AssignorError
from kassay.properties.runs import DIFFERENCES, MOVES, READS, REST, TwoRuns
from kassay.targets.target import Target


@dataclass(frozen=True, slots=True)
class Call:
    """One question to the assignor."""

    group: Mapping[str, Any]
    answer: Rows | None
    """The answer of the target, None if it failed."""
    fed: int | None = None
    """The call whose answer the members own in this group, None if the group states what they own."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The calls of a finding, and the checks of which at least one fails on the answers of the target."""

    calls: Sequence[Call]
    checks: Sequence[Check]


def collect_evidence(finding: Finding, target: Target, of: Family) -> Evidence:
    """Ask a target about the groups of a finding, and return what a test has to ask and to assert.

    Raises InputError if the target keeps the property, or a call other than the judged one fails.
    """
    asked: list[tuple[Any, Any]] = []
    found: list[str] = []
    instance = target.instance() if finding.before and target.instance else None
    try:
        asked += [(group, (instance or target.assign)(group)) for group in finding.before]
        usual = ASKED[finding.property](target) if finding.property in ASKED else target.assign
        found = _judge(finding, of, _record(instance or usual, asked))
    except (AssignorError, SkippedError) as failure:
        raise InputError(
            f"target {target.name}: gives no answer that could be judged: {failure}. Run kassay explain without --as"
        ) from None
    if not found:
        raise InputError(
            f"target {target.name}: keeps {finding.property} on this group, so no test would fail. "
            "Give the target of the finding (--target)"
        )
    calls = [_write_call(of, each) for each in asked]
    if finding.property == CRASH_FREE:
        said = re.split(r" \[at |; its standard error", found[0])[0]  # without the stack, which varies
        return Evidence(calls, [Check("answers", len(calls) - 1, message=said)])
    first, last, checks = _select(finding, of, asked, calls, found)
    start = 0 if finding.before else first
    kept = _with_feeds(calls[start : last + 1])
    moved = [each.shift(start) for each in checks]
    if not any(each.is_failed_by([one.answer or {} for one in kept]) for each in moved):
        moved = [Check("unlike", len(kept) - 1, rows=kept[-1].answer or {}, message=found[0])]
    return Evidence(kept, moved)


def _record(assign: Callable[[Any], Any], asked: list[tuple[Any, Any]]) -> Callable[[Any], Any]:
    def answer(group: Any) -> Any:
        asked.append((group, None))
        asked[-1] = (group, assign(group))
        return asked[-1][1]

    return answer


def _judge(finding: Finding, of: Family, assign: Callable[[Any], Any]) -> list[str]:
    """Return the violations of an invariant, or the first one of a law; its last calls are then the judged ones."""
    if finding.property in of.invariants:
        return list(of.invariants[finding.property](finding.group, assign(finding.group)))
    first = next(of.laws[finding.property](assign, finding.group), None)
    return [] if first is None else [first]


def _write_call(of: Family, asked: tuple[Any, Any]) -> Call:
    group, answer = asked
    return Call(
        of.write_group(group), None if answer is None else list_answer_rows(of.shape.write_answer(answer))
    )


def _with_feeds(calls: Sequence[Call]) -> list[Call]:
    """Return the calls, with the earlier call whose answer the members own."""
    found = []
    for at, call in enumerate(calls):
        before = calls[at - 1].answer if at else None
        fed = at - 1 if before and any(before.values()) and _is_fed(call.group, before) else None
        found.append(replace(call, fed=fed))
    return found


def _is_fed(group: Mapping[str, Any], before: Rows) -> bool:
    owned = list_owned(group)
    return any(owned.values()) and all(
        sorted(items) == sorted({*before.get(owner, ())}) for owner, items in owned.items()
    )


def _select(
    finding: Finding,
    of: Family,
    asked: Sequence[tuple[Any, Any]],
    calls: Sequence[Call],
    found: Sequence[str],
) -> tuple[int, int, Sequence[Check]]:
    """Return the first and the last call that the violation needs, and the checks."""
    violation, last = found[0], len(calls) - 1
    if finding.property in of.invariants:
        return last, last, find_checks(_probe(of, finding.property, asked[last]), last, found)
    subject, pair = getattr(violation, "of", ""), _find_runs(asked, violation)
    if subject == REST and isinstance(violation, TwoRuns):
        return last - 1, last, [Check("same", last, than=last - 1, message=violation)]
    lacks = list(of.invariants["complete"](*asked[1])) if subject == REST and last else []
    if lacks:  # two rebalances have to suffice
        return 0, 1, find_checks(_probe(of, "complete", asked[1]), 1, lacks)
    if pair is not None and subject == READS:
        return _check_reads(of, asked, pair, violation)
    if pair is not None and (subject == DIFFERENCES or finding.property == DETERMINISTIC):
        return *pair, [Check("same", pair[1], than=pair[0], message=violation)]
    if pair is not None and subject == MOVES and _has_same_members(calls, pair):
        return *pair, [Check("kept", pair[1], than=pair[0], message=violation)]
    first = last
    if isinstance(violation, TwoRuns):
        first, last = _find_chain(asked, calls, violation)
    judged = asked[first][0], asked[last][1]
    return first, last, _check_last(of, judged, Call(calls[first].group, calls[last].answer), last, violation)


def _find_chain(
    asked: Sequence[tuple[Any, Any]], calls: Sequence[Call], violation: TwoRuns
) -> tuple[int, int]:
    """Return the first and the last call of the second run: the answers are fed back until they repeat."""
    run = violation.runs[1]
    last = next(
        at for at, (group, answer) in enumerate(asked) if answer is run.assignment or group is run.group
    )
    last = next((at for at, (_, answer) in enumerate(asked) if answer is run.assignment), last)
    first = last
    while first and _has_same_members(calls, (first - 1, first)):
        first -= 1
    while last > first and sort_rows(calls[last].answer or {}) == sort_rows(calls[last - 1].answer or {}):
        last -= 1
    return first, last


def _has_same_members(calls: Sequence[Call], pair: tuple[int, int]) -> bool:
    before, after = ({each["id"] for each in list_members(calls[at].group)} for at in pair)
    return before == after and _is_fed(calls[pair[1]].group, calls[pair[0]].answer or {})


def _check_last(of: Family, asked: tuple[Any, Any], call: Call, at: int, violation: str) -> Sequence[Check]:
    """Check the last answer of a law: its moves, an invariant that it breaks, or the rows that the violation names."""
    rows = call.answer or {}
    if PROBING in rows and PROBING in violation:
        return [Check("count", at, (Count(1, (PROBING,)),), "<=", 0, message=violation)]
    moves = list(_check_moves(call, at, violation)) or list(_check_levels(of, asked, call, at, violation))
    if moves:
        return moves
    for name, invariant in of.invariants.items():
        again = [one for one in invariant(*asked) if str(one) in violation]
        if again:
            return find_checks(_probe(of, name, asked), at, again)
    return [
        Check("count", at, (Count(1, (owner,), (item,)),), "<=", 0, message=violation)
        for owner, items in rows.items()
        for item in items
        if is_named(item, violation) and not owner.endswith(("standby", "revoked"))
    ]


def _probe(of: Family, name: str, asked: tuple[Any, Any]) -> Probe:
    group, answer = asked
    return Probe(of, name, group, of.write_group(group), of.shape.write_answer(answer))


def _find_runs(asked: Sequence[tuple[Any, Any]], violation: str) -> tuple[int, int] | None:
    """Return the calls of the two runs that a violation compares, None if it compares none that were asked as they are."""
    if not isinstance(violation, TwoRuns):
        return None
    places = [
        [at for at, (_, answer) in enumerate(asked) if answer is run.assignment] for run in violation.runs
    ]
    if not all(places):
        return None
    first, last = places[0][0], places[1][-1]
    return (first, last) if first < last else None


def _check_reads(
    of: Family, asked: Sequence[tuple[Any, Any]], pair: tuple[int, int], violation: str
) -> tuple[int, int, Sequence[Check]]:
    """Check that no more is read across racks than by the answer that knows no racks."""
    measure = of.measures["cross_rack"]
    values = {at: measure(asked[pair[1]][0], asked[at][1]) for at in pair}
    judged = max(pair, key=values.__getitem__)
    best = min(values.values())
    group = asked[judged][0]
    probe = _probe(of, "", asked[judged])
    counts = tuple(
        Count(1, (owner,), (item,))
        for owner in probe.owners
        for item in probe.items
        for _ in range(measure(group, probe.build({owner: [item]})))
    )
    proof = f"Another answer of the same class reads {best}: it is given the group without racks."
    return judged, judged, [Check("count", judged, counts, "<=", best, message=violation, proof=proof)]


def _check_moves(call: Call, at: int, violation: str) -> Iterator[Check]:
    """Yield checks of the rows that members gained or lost and that the violation names."""
    if "not forced" in violation:  # the optimum says how many may move
        return
    owned, answer = list_owned(call.group), call.answer or {}
    lost, gained = (
        [
            (owner, item)
            for owner, items in those.items()
            for item in items
            if item not in others.get(owner, ())
            and {*map(_match_names(violation), (owner.split(" ")[0], item))} == {True}
        ]
        for those, others in ((owned, answer), (answer, owned))
    )
    plus, minus = (
        tuple(Count(sign, (owner,), (item,)) for owner, item in rows)
        for sign, rows in ((1, gained), (-1, lost))
    )
    if plus and minus and plus[0].owners != minus[0].owners and "copy" in violation:
        yield Check("count", at, plus + minus, "<=", 0, message=violation)
    elif minus:
        yield from (Check("count", at, (replace(one, sign=1),), ">=", 1, message=violation) for one in minus)
    elif plus:
        yield Check("count", at, plus, "<=", 0, message=violation)


def _match_names(sentence: str) -> Callable[[str], bool]:
    return lambda name: is_named(name, sentence)


def _check_levels(of: Family, asked: tuple[Any, Any], call: Call, at: int, violation: str) -> Iterator[Check]:
    """Yield the check that no more moves than the proved minimum at the most even loads."""
    if of.oracles is None or "move" not in violation:
        return
    for gap in of.oracles.optima(asked[0]).gaps(asked[1]):
        if gap.words is not None and gap.words.counts == "moving" and gap.value > gap.optimum:
            owned = list_owned(call.group)
            kept = tuple(Count(1, (owner,), tuple(items)) for owner, items in owned.items() if items)
            now = sum(count_rows(call.answer or {}, each) for each in kept)
            least = now + int(gap.value) - int(gap.optimum)
            proof = f"Proved: the most even loads need {gap.optimum} moves. So {least} partitions can stay."
            yield Check("count", at, kept, ">=", least, message=violation, proof=proof)

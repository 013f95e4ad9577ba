"""What `kassay explain` says of a finding: what is wrong, who does better, and the same as a test for pytest."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pprint import pformat
from typing import Any

from kassay.cli.saying.picture import with_short_names
from kassay.comparison.headline import label_of
from kassay.engine.finding import Finding
from kassay.engine.verdict import BROKEN, ERRORED, KEPT, KNOWN_DEFECT, LIMIT
from kassay.families.words import plainest_first, when
from kassay.family import Family
from kassay.output import Block
from kassay.output.block import one_line
from kassay.sentences import first_sentence, listed, lowered, sentence
from kassay.shape import TextTable

STATUS = {
    BROKEN: "Exit status 1: the finding still holds.",
    KEPT: "Exit status 0: the promise is kept on this group.",
    LIMIT: "Exit status 0: it is not made for this.",
    ERRORED: "Exit status 3: could not tell.",
}
"""Outcome -> the last line; of a known defect and of what is not promised it says what --strict does."""


FRAMES = 3
"""So many places of the target's own code are named where it fails, the innermost first."""


def mark(outcome: str, *, strict: bool) -> str:
    """Return what stands before the headline."""
    if outcome == ERRORED:
        return "open"
    return "FAIL" if outcome == BROKEN or (strict and outcome == KNOWN_DEFECT) else "ok"


def meaning(of: Family, name: str) -> str:
    """Say what a property asks, without its full stop."""
    return first_sentence(of.properties[name].__doc__)


def headline(spec: str, of: Family, name: str, outcome: str, messages: Sequence[str], failure: str) -> str:
    """Say what became of the finding; `messages` are what is wrong, names cut."""
    target = label_of(spec)
    said = {
        BROKEN: f"{target}: {_first(messages)}",
        KNOWN_DEFECT: f"{target} has a known defect: {_first(messages)}",
        LIMIT: f"{target} is not made for this, a limit: {_first(messages)}",
        KEPT: f"{target} keeps {name} on this group: {lowered(meaning(of, name))}",
        ERRORED: f"{target} cannot be tested on this group: {failure}",
    }.get(outcome, f"{target} does not promise {name}, and breaks it: {_first(messages)}")
    return sentence(said)


def _first(messages: Sequence[str]) -> str:
    return messages[0] if messages else "it is not kept"


def story(
    shown: Finding,
    of: Family,
    outcome: str,
    messages: Sequence[str],
    own_failure: str,
    stack: str,
    grid: TextTable,
) -> Iterator[Block]:
    """Show the group with what was answered, then what the promise asks, and when the defect is known; `messages` have cut names."""
    yield Block(prose=True, grid=grid)
    asks = f"{meaning(of, shown.property)} ({shown.property})."
    more = list(messages[1:]) if outcome not in {KEPT, ERRORED} else []
    text = [*[asks] * (outcome != KEPT), *more]
    if outcome == KNOWN_DEFECT:
        text.append(
            f"A known defect when there is {' or '.join(when(of, each) for each in plainest_first(shown.met))}."
        )
    if outcome == LIMIT:
        text.append(
            f"A limit when there is {' or '.join(when(of, each) for each in plainest_first(shown.met))}."
        )
    told = any(own_failure in message for message in messages)
    text += [f"It gives no assignment: {own_failure}."] * (bool(own_failure) and not told)
    text += [f"  {frame}" for frame in stack.splitlines()[:FRAMES]]
    yield Block(prose=True, text="\n".join(text))


def better(
    group: Any,
    of: Family,
    name: str,
    keeping: Mapping[str, Any],
    differing: Mapping[str, Any],
    short: Mapping[str, str],
) -> Iterator[Block]:
    """Name who keeps the promise here; where all of them answer alike, one answer is shown, else two that differ; names are cut to `short`."""
    if not keeping:
        yield Block(prose=True, text=f"None of kassay's {of.name} assignors keeps {name} on this group.")
        return
    names = [each.removeprefix(f"{of.name}/") for each in keeping]
    who = listed(names)
    kept = f"{who} keep{'s' if len(names) == 1 else ''} it on this group"
    if not differing:
        yield Block(prose=True, text=f"{kept}, with the same answer to the group alone.")
        return
    answers: dict[str, Any] = {}
    for each, answer in differing.items():
        if not any(of.shape.same(answer, known) for known in answers.values()):
            answers[each.removeprefix(f"{of.name}/")] = answer
    first = dict(list(answers.items())[:2])
    said = f"{kept}, all with one answer:" if len(answers) == 1 and len(names) > 1 else f"{kept}:"
    yield Block(prose=True, text=said, grid=with_short_names(of.shape.show(group, first), short))


def ending(outcome: str, *, promised: bool, strict: bool) -> str:
    """Say the exit status in words."""
    if outcome == KNOWN_DEFECT:
        return (
            "Exit status 1: a known defect, and --strict."
            if strict
            else "Exit status 0: a known defect. With --strict it is 1."
        )
    if not promised and outcome != ERRORED:
        return "Exit status 0: it is not promised."
    return STATUS[outcome]


def as_pytest(finding: Finding, target: str, of: Family) -> str:
    """Write a test that fails as long as the finding holds."""
    group = pformat(of.write_group(finding.group), width=100, sort_dicts=False)
    asked = f"properties=[{finding.property!r}]" if finding.against else f"promises=[{finding.property!r}]"
    against = f", against={finding.against!r}" if finding.against else ""
    name = re.sub(r"\W", "_", finding.property)
    about = one_line(f"{label_of(target)}: {_first(finding.messages)}")
    return f"""# {about}
# {meaning(of, finding.property) if finding.property in of.properties else "Both answer the same"}.

import kassay

GROUP = {group}


def test_{name}():
    group = kassay.read_group(GROUP, family={finding.family!r})
    report = kassay.check({target!r}, [group], {asked}{against}, family={finding.family!r})
    assert report.kept and not report.findings, report"""

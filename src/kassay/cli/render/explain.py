"""The output of `kassay explain`: what is wrong on the group of a finding, who does better, and the same as a test for pytest."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pprint import pformat
from typing import Any

from kassay.cli.render.findings import describe_known_defect, draw_group, with_short_names
from kassay.comparison.headline import label_target
from kassay.comparison.measured import Measured
from kassay.engine.finding import Finding
from kassay.engine.judge import Breach
from kassay.engine.verdict import Verdict
from kassay.families.family import Family
from kassay.families.names import within
from kassay.families.words import plainest_first, when
from kassay.output import Block, JUnitCase
from kassay.output.block import BROKEN, ERRORED, KEPT, KNOWN_DEFECT, LIMIT, MARKS, one_line
from kassay.sentences import end_sentence, join_names, lower_first, read_first_sentence

STATUS = {
    BROKEN: "Exit status 1: the finding still occurs.",
    KEPT: "Exit status 0: the finding does not occur any more.",
    LIMIT: "Exit status 0: it is a design limit.",
    ERRORED: "Exit status 3: the target gave no assignment.",
}
"""Outcome -> the last line, for all outcomes but known defects and what is not promised."""


FRAMES = 3
"""The number of stack frames of the target's own code that are shown if it fails, the innermost first."""
NOT_KEPT = "the promise is broken"
"""The message of a finding without messages."""


def describe_property(of: Family, name: str) -> str:
    """Return what a property asks, without a full stop."""
    return read_first_sentence(of.properties[name].__doc__)


def render_explanation(
    shown: Finding,
    verdict: Verdict,
    breach: Breach | None,
    own: Measured,
    of: Family,
    short: Mapping[str, str],
    status: int,
) -> Iterator[Block]:
    """Yield the verdict, the group with the assignment or with two contradicting runs, and the promise.

    `short` cuts names, `status` is the exit status.
    """
    messages = [within(each, short) for each in breach.messages] if breach else []
    stack = breach.stack.splitlines() if breach else []
    record = {
        "record": "explained", "target": shown.target, "property": shown.property, "outcome": verdict.outcome,
        "messages": breach.messages if breach else (),
        "stack": breach.stack if breach else "",
        "runs": [
            {"title": run.title, "group": of.write_group(run.group), **of.shape.write_answer(run.assignment)}
            for run in (breach.runs if breach else ())
        ],
    }  # fmt: skip
    asks = describe_property(of, shown.property)
    body = [f"{shown.property}: {asks}.", *messages]
    body += [verdict.message] * bool(verdict.message)
    body += [describe_known_defect(shown)] * (breach is not None and shown.known)
    body += [f"No assignment: {own.failure}"] * bool(own.failure)
    body += [f"  {frame}" for frame in stack]
    outcome = BROKEN if status == 1 else verdict.outcome
    case = JUnitCase(shown.target, shown.property, outcome, "; ".join(body[1:]), "\n".join(body))
    says = _render_headline(shown, verdict.outcome, messages, within(verdict.message, short), asks)
    yield Block(says=says, mark=MARKS[status], records=[record], cases=[case])
    answer = None if own.failure else own.assignment
    said, runs = (breach.messages, breach.runs) if breach else ((), ())
    yield Block(prose=True, grid=draw_group(of, shown.group, answer, runs, said))
    text = [f'Promise "{shown.property}": {lower_first(asks)}.'] * (verdict.outcome != KEPT)
    text += messages[1:] if verdict.outcome not in {KEPT, ERRORED} else []
    if verdict.outcome in {KNOWN_DEFECT, LIMIT}:
        plain = " or ".join(when(of, each) for each in plainest_first(shown.met))
        text.append(f"{verdict.outcome.capitalize()}: happens when there is {plain}.")
    failed = within(own.failure or "", short) if verdict.outcome != ERRORED else ""
    if failed and not any(failed in message for message in messages):
        text.append(f"No assignment: {end_sentence(failed)}")
    yield Block(prose=True, text="\n".join([*text, *(f"  {frame}" for frame in stack[:FRAMES])]))


def _render_headline(shown: Finding, outcome: str, messages: Sequence[str], failure: str, asks: str) -> str:
    """Return the result in one sentence; `messages` have shortened names, `asks` is the title of the property."""
    target, first = label_target(shown.target), messages[0] if messages else NOT_KEPT
    said = {
        BROKEN: f"{target}: {first}",
        KNOWN_DEFECT: f"{target} has a known defect: {first}",
        LIMIT: f"{target} has a design limit: {first}",
        KEPT: f"{target} keeps {shown.property} on this group: {lower_first(asks)}",
        ERRORED: f"{target} cannot be tested on this group: {failure}",
    }.get(outcome, f"{target} breaks {shown.property}, which it does not promise: {first}")
    return end_sentence(said)


def render_better(
    finding: Finding, of: Family, own: Measured, keeping: Sequence[Measured], short: Mapping[str, str]
) -> Iterator[Block]:
    """Yield which assignors keep the promise here, with their answer, or with two if they differ; names are cut to `short`."""
    differing = [one for one in keeping if own.failure or not of.shape.same(one.assignment, own.assignment)]
    records = [
        {"record": "better", "target": one.target, "measures": one.measures, **of.shape.write_answer(one.assignment)}
        for one in differing
    ]  # fmt: skip
    yield Block(prose=True, records=records)
    if not keeping:
        text = f"No {of.name} assignor of kassay keeps {finding.property} on this group."
        yield Block(prose=True, text=text)
        return
    names = [one.target.removeprefix(f"{of.name}/") for one in keeping]
    kept = f"Kept by {join_names(names)}"
    if not differing:
        yield Block(prose=True, text=f"{kept}, with the same assignment.")
        return
    answers: dict[str, Any] = {}
    for one in differing:
        if not any(of.shape.same(one.assignment, known) for known in answers.values()):
            answers[one.target.removeprefix(f"{of.name}/")] = one.assignment
    first = dict(list(answers.items())[:2])
    said = f"{kept}, with one assignment:" if len(answers) == 1 and len(names) > 1 else f"{kept}:"
    grid = with_short_names(of.shape.show(finding.group, first), short)
    yield Block(prose=True, text=said, grid=grid)


def describe_exit_status(outcome: str, *, promised: bool, strict: bool) -> str:
    """Return the exit status in words."""
    if outcome == KNOWN_DEFECT and strict:
        return "Exit status 1: a known defect, and --strict is set."
    if outcome == KNOWN_DEFECT:
        return "Exit status 0: a known defect. With --strict: 1."
    if not promised and outcome != ERRORED:
        return "Exit status 0: it is not promised."
    return STATUS[outcome]


def render_test(finding: Finding, target: str, of: Family) -> str:
    """Return a test for pytest that fails as long as the finding holds."""
    group = pformat(of.write_group(finding.group), width=100, sort_dicts=False)
    asked = f"properties=[{finding.property!r}]" if finding.against else f"promises=[{finding.property!r}]"
    against = f", against={finding.against!r}" if finding.against else ""
    name = re.sub(r"\W", "_", finding.property)
    written = [of.write_group(each) for each in finding.before]
    equal = written[1:] and all(each == written[0] for each in written)
    shown = pformat(written[:1] if equal else written, width=100, sort_dicts=False)
    listed = f"\nBEFORE = {shown}{f' * {len(written)}' if equal else ''}\n" if written else ""
    followed = (
        f"""
    before = [kassay.read_group(each, family={finding.family!r}) for each in BEFORE]"""
        if written
        else ""
    )
    asked += ", before=before" * bool(written)
    about = one_line(f"{label_target(target)}: {finding.messages[0] if finding.messages else NOT_KEPT}")
    return f"""# {about}
# {describe_property(of, finding.property) if finding.property in of.properties else "Both answer the same"}.

import kassay

GROUP = {group}
{listed}

def test_{name}():
    group = kassay.read_group(GROUP, family={finding.family!r}){followed}
    report = kassay.check({target!r}, [group], {asked}{against}, family={finding.family!r})
    assert report.kept and not report.findings, report"""

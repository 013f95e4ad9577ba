"""Replay a saved finding, and say in words what is wrong and who does better."""

import argparse
import shlex
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from kassay.cli.options import add_http, add_limits, add_named, options

if TYPE_CHECKING:
    from kassay.comparison.measured import Measured
    from kassay.engine.finding import Finding
    from kassay.engine.judge import Breach
    from kassay.engine.verdict import Verdict
    from kassay.family import Family
    from kassay.output import Block
    from kassay.properties.runs import Run

JUDGES = True

EXAMPLE = "kassay explain kassay-findings/finding-0123456789.json --target consumer/fair"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument("file", metavar="FILE", help="a finding saved by kassay check")
    parser.add_argument(
        "--target", metavar="TARGET", help="replay with this assignor; default: the finding's own"
    )
    add_named(parser)
    add_limits(parser)
    add_http(parser)
    parser.add_argument(
        "--trust", action="store_true", help="run the assignor that the file names, also one that is code"
    )
    parser.add_argument("--strict", action="store_true", help="let a known defect give status 1, too")
    parser.add_argument(
        "--as", dest="as_", choices=["pytest", "junit"],
        help="print a test file for pytest that fails as long as the finding holds, which runs nothing now; or JUnit XML",
    )  # fmt: skip


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield what is wrong and what would be better; the status is that of a check of this group alone."""
    from dataclasses import replace

    from kassay.cli.saying.explained import ending
    from kassay.cli.saying.picture import short_names
    from kassay.comparison.measured import measured
    from kassay.engine.differential import with_equality
    from kassay.engine.finding import load_finding
    from kassay.engine.judge import judge, remembering
    from kassay.engine.promises import Exceptions
    from kassay.engine.verdict import ERRORED, KEPT, Verdict, exit_status
    from kassay.errors import SkippedError
    from kassay.families import family
    from kassay.families.names import within
    from kassay.files.writing import refuse_code
    from kassay.model import AssignorError
    from kassay.output import Block
    from kassay.playground.link import link
    from kassay.targets import open_target
    from kassay.targets.reference import open_reference

    finding = load_finding(args.file, trust=args.trust)
    if args.as_ == "pytest":
        yield _test(finding, args.target or finding.target)
        return 0
    named = [("target", finding.target)] if args.target is None else []
    named += [] if finding.against is None else [("against", finding.against)]
    for field, spec in named:
        refuse_code(
            f"{args.file}: {field}",
            [spec],
            trust=args.trust,
            instead="--target TARGET",
            copy=[f"kassay explain {shlex.quote(args.file)} --trust"],
        )
    of_family = family(finding.family)
    how = options(args, finding.family)
    with ExitStack() as stack:
        target = stack.enter_context(open_target(args.target or finding.target, how))
        if finding.against is not None:
            of_family = with_equality(
                of_family, target, stack.enter_context(open_target(finding.against, how))
            )
        assign, breach, failure = remembering(target.assign), None, ""
        beside = open_reference(finding.beside) if finding.beside else None
        exceptions = Exceptions(finding.except_in, finding.wholly, beside, target.fails)
        try:
            breach = judge(of_family, finding.property, finding.group, assign, target, exceptions)
        except (AssignorError, SkippedError) as unjudged:
            failure = str(unjudged)
        own = measured(target, of_family, finding.group)
    shown = replace(finding, target=target.name)
    outcome = KEPT
    if breach:
        shown = replace(shown, messages=breach.messages, met=tuple(sorted(breach.met)), stack=breach.stack)
        outcome = shown.outcome
    elif failure:
        outcome = ERRORED
    verdict = Verdict(
        target.name, finding.property, outcome, failure, finding.except_in, 1, int(breach is not None)
    )
    short = short_names(of_family, finding.group, breach.runs if breach else ())
    yield from _told(shown, verdict, breach, own, of_family, short, strict=args.strict)
    if of_family.oracles is not None and own.failure is None:
        exact = of_family.oracles.explain(finding.group, own.assignment)
        records = [{"record": "exact", "sentences": exact}] * bool(exact)
        yield Block(prose=True, text="\n".join(within(each, short) for each in exact), records=records)
    if breach and finding.against is None:
        yield from _better(finding, of_family, own, _others(finding, of_family), short)
    yield from _in_the_playground(link(of_family.write_group(finding.group), target.name))
    yield Block(prose=True, text=finding.title if breach and args.target is None else "")
    yield Block(prose=True, text=ending(outcome, promised=finding.promised, strict=args.strict))
    if not finding.promised and outcome != ERRORED:
        return 0
    return exit_status([verdict], strict=args.strict)


def _in_the_playground(link: str) -> "Iterator[Block]":
    from kassay.output import Block

    records = [{"record": "playground", "link": link}]
    if link:
        yield Block(prose=True, text="Change the group in the playground:", code=[link], records=records)


def _test(finding: "Finding", target: str) -> "Block":
    """Return the finding as a test for pytest, without running anything."""
    from kassay.cli.saying.explained import as_pytest
    from kassay.families import family
    from kassay.output import Block

    source = as_pytest(finding, target, family(finding.family))
    return Block(code=[source], records=[{"record": "test", "source": source}])


def _told(
    shown: "Finding",
    verdict: "Verdict",
    breach: "Breach | None",
    own: "Measured",
    of_family: "Family",
    short: "Mapping[str, str]",
    *,
    strict: bool,
) -> "Iterator[Block]":
    """Say what became of the property, and show the group with the answer, or the two runs that contradict each other."""
    from kassay.cli.saying.checking.results import known_defect
    from kassay.cli.saying.explained import headline, mark, story
    from kassay.cli.saying.picture import picture
    from kassay.engine.verdict import BROKEN, ERRORED, KNOWN_DEFECT
    from kassay.families.names import within
    from kassay.output import Block, JUnitCase

    messages = [within(each, short) for each in breach.messages] if breach else []
    text = [_meaning(of_family, shown), *messages]
    text += [verdict.message] * bool(verdict.message)
    text += [known_defect(shown)] * (breach is not None and shown.known)
    text += [f"it gives no assignment: {own.failure}"] * bool(own.failure)
    text += [f"  {frame}" for frame in (breach.stack if breach else "").splitlines()]
    answer = None if own.failure else own.assignment
    said, runs = (breach.messages, breach.runs) if breach else ((), ())
    grid = picture(of_family, shown.group, answer, runs, said)
    record = {
        "record": "explained",
        "target": shown.target,
        "property": shown.property,
        "outcome": verdict.outcome,
        "messages": breach.messages if breach else (),
        "stack": breach.stack if breach else "",
        "runs": [_run(run, of_family) for run in breach.runs] if breach else [],
    }
    outcome = BROKEN if strict and verdict.outcome == KNOWN_DEFECT else verdict.outcome
    case = JUnitCase(shown.target, shown.property, outcome, "; ".join(text[1:]), "\n".join(text))
    says = headline(
        shown.target, of_family, shown.property, verdict.outcome, messages, within(verdict.message, short)
    )
    yield Block(says=says, mark=mark(verdict.outcome, strict=strict), records=[record], cases=[case])
    failed = own.failure or "" if verdict.outcome != ERRORED else ""
    stack = breach.stack if breach else ""
    yield from story(shown, of_family, verdict.outcome, messages, within(failed, short), stack, grid)


def _run(run: "Run", of_family: "Family") -> dict[str, object]:
    return {
        "title": run.title,
        "group": of_family.write_group(run.group),
        **of_family.shape.write_answer(run.assignment),
    }


def _meaning(of_family: "Family", finding: "Finding") -> str:
    from kassay.sentences import first_sentence

    return f"{finding.property}: {first_sentence(of_family.properties[finding.property].__doc__)}."


def _others(finding: "Finding", of_family: "Family") -> "list[Measured]":
    """Measure kassay's assignors that keep the property here, and what is expected of every assignor."""
    from kassay.comparison.measured import measured
    from kassay.engine.judge import remembering, violations
    from kassay.families.assignors import ASSIGNORS
    from kassay.targets import Options, open_target

    others = [
        open_target(name, Options()) for name, each in ASSIGNORS.items() if each.family == of_family.name
    ]
    keeping = []
    for other in others:
        assign = remembering(other.assign)
        demanded = {finding.property} | of_family.expected
        if not any(violations(of_family, name, finding.group, assign, other) for name in demanded):
            keeping.append(measured(other, of_family, finding.group))
    return [one for one in keeping if one.failure is None and not of_family.provisional(one.assignment)]


def _better(
    finding: "Finding",
    of_family: "Family",
    own: "Measured",
    keeping: "Sequence[Measured]",
    short: "Mapping[str, str]",
) -> "Iterator[Block]":
    """Name kassay's assignors that keep the property here, and show their answers where they differ."""
    from kassay.cli.saying.explained import better
    from kassay.output import Block

    differing = [
        one for one in keeping if own.failure or not of_family.shape.same(one.assignment, own.assignment)
    ]
    records = [
        {
            "record": "better",
            "target": one.target,
            "measures": one.measures,
            **of_family.shape.write_answer(one.assignment),
        }
        for one in differing
    ]
    yield Block(prose=True, records=records)
    yield from better(
        finding.group,
        of_family,
        finding.property,
        {one.target: one.assignment for one in keeping},
        {one.target: one.assignment for one in differing},
        short,
    )

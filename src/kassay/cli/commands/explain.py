"""Replay a finding and show a better assignment."""

import argparse
import shlex
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from kassay.cli.options import add_assignor_name, add_http, add_limits, build_options, get_option_group
from kassay.engine.verdict import Verdict, exit_status
from kassay.errors import SkippedError
from kassay.model import AssignorError
from kassay.output import Block
from kassay.output.block import ERRORED, KEPT
from kassay.playground.link import link
from kassay.sentences import end_sentence

if TYPE_CHECKING:
    from kassay.comparison.measured import Measured
    from kassay.engine.finding import Finding
    from kassay.families.family import Family

JUDGES = True

EXAMPLE = "kassay explain kassay-findings/finding-0123456789.json --target consumer/fair"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument("file", metavar="FILE", help="a finding that kassay check wrote")
    runs = get_option_group(parser, "target")
    runs.add_argument(
        "--target", metavar="TARGET", help="replay with this assignor (default: the assignor of the finding)"
    )
    runs.add_argument("--trust", action="store_true", help="run the third-party code that the finding names")
    runs.add_argument("--strict", action="store_true", help="let a known defect fail")
    get_option_group(parser, "output").add_argument(
        "--as", dest="as_", choices=["pytest", "java", "go", "js", "rust", "junit"],
        help="print a test that fails while the finding occurs (junit: the result as JUnit XML)",
    )  # fmt: skip
    add_assignor_name(parser)
    add_limits(parser)
    add_http(parser)


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the violation and a better assignment; return the exit status of a check of this group alone."""
    from kassay.cli.render.explain import describe_exit_status, render_better, render_explanation
    from kassay.cli.render.findings import draw_earlier, short_names
    from kassay.comparison.measured import measure_answer
    from kassay.engine.differential import with_equality
    from kassay.engine.finding import load_finding
    from kassay.engine.judge import cache_answers, judge
    from kassay.engine.lives import Comparison, choose_start
    from kassay.engine.promises import Exceptions
    from kassay.families import family
    from kassay.families.names import within
    from kassay.targets import open_target
    from kassay.targets.reference import open_reference

    finding = load_finding(args.file, trust=args.trust)
    if args.as_ not in {None, "junit"}:
        source = _write_test(args, finding)
        yield Block(code=[source], records=[{"record": "test", "source": source}])
        return 0
    _refuse_code(args, finding)
    of_family = family(finding.family)
    how = build_options(args, finding.family)
    with ExitStack() as stack:
        target = stack.enter_context(open_target(args.target or finding.target, how))
        if finding.against is not None:
            against = stack.enter_context(open_target(finding.against, how))
            of_family = with_equality(of_family, target, against)
        assign, breach, failure = cache_answers(target.assign), None, ""
        beside = open_reference(finding.beside) if finding.beside else None
        exceptions = Exceptions(finding.except_in, finding.wholly, beside, target.fails)
        compared = Comparison(of_family, target, finding.property, choose_start(target), exceptions)
        memory = compared.find_memory(finding.before, finding.group)
        if memory is not None:
            assign, breach = memory.assign, memory.breach
        try:
            breach = breach or judge(of_family, finding.property, finding.group, assign, target, exceptions)
        except (AssignorError, SkippedError) as unjudged:
            failure = str(unjudged)
        own = measure_answer(replace(target, assign=assign), of_family, finding.group)
    shown = replace(finding, target=target.name)
    outcome = ERRORED if failure else KEPT
    if breach:
        shown = replace(shown, messages=breach.messages, met=tuple(sorted(breach.met)), stack=breach.stack)
        outcome = shown.outcome
    verdict = Verdict(
        target.name, finding.property, outcome, failure, finding.except_in, 1, int(breach is not None)
    )
    status = exit_status([verdict], strict=args.strict) if finding.promised or failure else 0
    short = short_names(of_family, finding.group, breach.runs if breach else ())
    earlier = [{"record": "before", "groups": [of_family.write_group(each) for each in finding.before]}]
    yield from render_explanation(shown, verdict, breach, own, of_family, short, status)
    yield Block(prose=True, grid=draw_earlier(finding), records=earlier * bool(finding.before))
    if breach and args.target is None:
        yield Block(prose=True, text=f"Cause: {end_sentence(finding.title)}" if finding.title else "")
    if of_family.oracles is not None and own.failure is None:
        exact = of_family.oracles.explain(finding.group, own.assignment)
        records = [{"record": "exact", "sentences": exact}] * bool(exact)
        yield Block(prose=True, text="\n".join(within(each, short) for each in exact), records=records)
    if breach and finding.against is None:
        yield from render_better(finding, of_family, own, _measure_others(finding, of_family), short)
    page = link(of_family.write_group(finding.group), target.name)
    yield Block(records=[{"record": "playground", "link": page}] * bool(page))
    commands = _find_next_commands(args, finding, page) if breach else []
    ends = describe_exit_status(outcome, promised=finding.promised, strict=args.strict)
    yield Block(commands=commands, status=ends)
    return status


def _refuse_code(args: argparse.Namespace, finding: "Finding") -> None:
    """Raise InputError if the finding names third-party code, and the user has not said that the file is trusted."""
    from kassay.files.writing import refuse_code

    named = [("target", finding.target)] if args.target is None else []
    named += [] if finding.against is None else [("against", finding.against)]
    for field, spec in named:
        wanted = f" --as {args.as_}" * (args.as_ is not None)
        copy = [f"kassay explain {shlex.quote(args.file)} --trust{wanted}"]
        refuse_code(f"{args.file}: {field}", [spec], trust=args.trust, instead="--target TARGET", copy=copy)


def _write_test(args: argparse.Namespace, finding: "Finding") -> str:
    """Return a test in a language: without kassay if the language can call the target, else for pytest with kassay."""
    from kassay.cli.render.explain import render_test
    from kassay.exported_tests import find_obstacle, refuse_language, write_test
    from kassay.families import family

    target = args.target or finding.target
    with_kassay = args.as_ == "pytest" and (find_obstacle("pytest", finding, target) or not args.trust)
    if with_kassay:
        return render_test(finding, target, family(finding.family))
    refuse_language(args.as_, finding, target)
    _refuse_code(args, finding)
    return write_test(args.as_, finding, target, build_options(args, finding.family))


def _find_next_commands(args: argparse.Namespace, finding: "Finding", page: str) -> list[tuple[str, str]]:
    trust = " --trust" * (args.target is None and ":" in finding.target)
    target = f" --target {shlex.quote(args.target)}" if args.target is not None else ""
    own = f"kassay explain {shlex.quote(args.file)}{target}{trust} --as pytest"
    return [(own, ""), *[(page, "")] * bool(page)]


def _measure_others(finding: "Finding", of_family: "Family") -> "list[Measured]":
    """Measure the assignors of kassay that keep the property, and all expected ones, on this group."""
    from kassay.comparison.measured import measure_answer
    from kassay.engine.judge import cache_answers, find_violations
    from kassay.families.assignors import ASSIGNORS
    from kassay.targets import Options, open_target

    keeping = []
    for name, each in ASSIGNORS.items():
        if each.family == of_family.name:
            other = open_target(name, Options())
            assign = cache_answers(other.assign)
            demanded = {finding.property} | of_family.expected
            if not any(find_violations(of_family, name, finding.group, assign, other) for name in demanded):
                keeping.append(measure_answer(other, of_family, finding.group))
    return [one for one in keeping if one.failure is None and not of_family.provisional(one.assignment)]

"""Test assignors on what they must keep, and show the smallest group on which one breaks a promise."""

import argparse
import os
from collections.abc import Generator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.cli.options import (
    add_groups,
    add_targets,
    build_options,
    count_examples,
    expand_targets,
    parse_natural,
    print_warnings,
)
from kassay.cli.progress import progress
from kassay.cli.settling import add_profile, apply_settings, name_settings_in_errors
from kassay.defaults import CHECKED, REPLAY
from kassay.engine.verdict import BROKEN, exit_status, fails
from kassay.errors import InputError, UnwritableError
from kassay.output import Block
from kassay.output.telling import tell

if TYPE_CHECKING:
    from kassay.cli.render.findings import Results
    from kassay.engine.failures import Failure

JUDGES = True

EXAMPLE = "kassay check python:my_package.assignors:assign --promises-of consumer/sticky"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    add_targets(parser, "*")
    add_groups(parser, CHECKED)
    parser.add_argument(
        "--property",
        action="append",
        default=[],
        metavar="PATTERN",
        help="test only these promises; may be repeated",
    )
    parser.add_argument(
        "--timed", action=argparse.BooleanOptionalAction,
        help="test also whether answers take longer than --timeout, or ever longer as groups double (a minute or more)",
    )  # fmt: skip
    parser.add_argument("--all", action="store_true", help="test and show what is not promised, too")
    parser.add_argument(
        "--known", action="store_true", help="show each known defect, how often and when it shows"
    )
    held = parser.add_argument_group("what assignors must keep, by default what each promises")
    replaced = held.add_mutually_exclusive_group()
    replaced.add_argument(
        "--promise",
        action="append",
        metavar="PATTERN",
        help="these promises, without exceptions; may be repeated",
    )
    replaced.add_argument(
        "--promises-of",
        metavar="NAME",
        help="what this assignor of kassay's promises, such as consumer/range",
    )
    held.add_argument(
        "--like-kafka", action=argparse.BooleanOptionalAction,
        help="with --promises-of: count what Kafka's own class is known to break alike as a known defect, also in other assignors",
    )  # fmt: skip
    held.add_argument(
        "--except", action="append", default=[], dest="excepted", metavar="PROPERTY=SITUATION",
        help="count what breaks PROPERTY in SITUATION (or SITUATION+SITUATION) as a known defect; may be repeated",
    )  # fmt: skip
    held.add_argument(
        "--strict",
        action=argparse.BooleanOptionalAction,
        help="let known defects fail the check (status 1), too",
    )
    held.add_argument(
        "--baseline", metavar="FILE",
        help="findings that are known: only new ones fail the check, and those that pass now",
    )  # fmt: skip
    held.add_argument(
        "--write-baseline", metavar="FILE",
        help="write what fails into this file, for --baseline; what the check does not ask about stays as it stands there",
    )  # fmt: skip
    held.add_argument("--against", metavar="TARGET", help="demand also the same answers as this one gives")
    parser.add_argument(
        "-j",
        dest="jobs",
        type=parse_natural,
        default=0,
        metavar="N",
        help="targets at a time; default: one a core",
    )
    add_profile(parser)


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Take from the project's settings what the command line leaves open, and return the check."""
    project = apply_settings(args)
    return name_settings_in_errors(checked(args, project), args, project)


def checked(args: argparse.Namespace, project: Path) -> Generator[Block, None, int]:
    """Yield the verdicts, then the findings, then how much was tried; see the contract for the status."""
    from kassay.cli.render.check import render_check
    from kassay.cli.render.compare import split_states
    from kassay.cli.render.findings import Results
    from kassay.engine.failures import (
        failure_of,
        keep_last,
        last_failures,
        read_baseline,
        still_open,
    )  # fmt: skip
    from kassay.engine.parallel import check_targets
    from kassay.engine.plan import Plan, exceptions
    from kassay.files.reading import read_stated

    specs = expand_targets(args, args.family)
    given, states = split_states(read_stated(args.group))
    yield from states
    if args.group and not given and not args.examples:
        return 3  # nothing was tested
    print_warnings(given)
    number = count_examples(args, CHECKED)
    if args.like_kafka and not args.promises_of:
        raise InputError("--like-kafka: says how --promises-of is meant; give that, too, or leave it out")
    replay = args.replay and os.environ.get(REPLAY) != "0"
    before = last_failures(project) if replay else []
    known = read_baseline(args.baseline, args.write_baseline)
    plan = Plan(
        number, args.seeds[0], tuple(args.property), None if args.promise is None else frozenset(args.promise),
        build_options(args, args.family),
        args.against, args.promises_of, exceptions(args.excepted), args.all, args.timed,
        len(specs) == 1, like_kafka=args.like_kafka, sampled=args.examples is None, more_seeds=tuple(args.seeds[1:]),
        failures=(*before, *known),
    )  # fmt: skip
    results = Results(
        specs,
        args.seeds,
        strict=args.strict,
        usual=not args.targets,
        known=args.known,
        before=before,
        baseline=known,
    )
    if args.folder is not None:
        results.try_folder(Path(args.folder))
    with progress(specs, number) as report:
        for item in check_targets(specs, plan, given, args.jobs or os.cpu_count() or 1, report):
            results.add(item, Path(args.folder or "kassay-findings"))
    left = partial(still_open, verdicts=results.verdicts, whole=not args.property)
    if args.write_baseline is not None:
        _write_baseline(args, results, known, left(known))
    results.accept()
    yield from render_check(results)
    if replay:
        failed = [failure_of(one) for one, _ in results.findings if one.outcome == BROKEN]
        try:
            keep_last(project, before, failed, left(before))
        except InputError as wrong:  # the answer stands without it
            if results.unwritable is None:
                tell(f"what failed is not kept for the next run: {wrong} Or add --no-replay.")
    if results.unwritable is not None:
        raise results.unwritable
    return exit_status(results.verdicts, strict=args.strict)


def _write_baseline(
    args: argparse.Namespace, results: "Results", known: "Sequence[Failure]", still: "Sequence[Failure]"
) -> None:
    """Write what fails, and what is still open of what was known, or note why it cannot be written: the answer comes first."""
    from kassay.engine.failures import OF_BASELINE, failure_of, read_baseline, update_failures

    failed = [failure_of(one) for one, _ in results.findings if fails(one.outcome, strict=args.strict)]
    same = args.baseline in (None, args.write_baseline)
    try:
        held = known if same else read_baseline(None, args.write_baseline)
        results.baseline = update_failures(Path(args.write_baseline), OF_BASELINE, held, failed, still)
        results.written = args.write_baseline
    except InputError as wrong:
        results.unwritable = results.unwritable or UnwritableError(str(wrong))

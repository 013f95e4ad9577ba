"""Test assignors and show the smallest group that breaks a promise."""

import argparse
import os
import re
from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kassay.cli.options import (
    add_groups,
    add_targets,
    build_options,
    count_examples,
    expand_targets,
    get_option_group,
    parse_natural,
    print_warnings,
)
from kassay.cli.progress import Advance, show_progress
from kassay.conformance.fixtures import list_groups
from kassay.defaults import CHECKED, FAMILY, REPLAY
from kassay.engine.verdict import exit_status, is_failure
from kassay.errors import InputError, UnwritableError
from kassay.output import Block
from kassay.output.block import BROKEN
from kassay.output.telling import tell

if TYPE_CHECKING:
    from kassay.cli.render.findings import Results
    from kassay.engine.failures import Failure

JUDGES = True
EXAMPLE = "kassay check python:my_package.assignors:assign --promises-of consumer/sticky"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    add_targets(parser, "*", "the project settings, or Kafka's four consumer assignors")
    add_groups(parser, CHECKED)
    promises = get_option_group(parser, "promises", "default: the promises that each target declares")
    replaced = promises.add_mutually_exclusive_group()
    replaced.add_argument(
        "--promises-of", metavar="NAME", help="test the promises of this assignor, such as consumer/range"
    )
    replaced.add_argument(
        "--promise", action="append", metavar="PATTERN",
        help="test these promises, without exceptions (repeatable)",
    )  # fmt: skip
    promises.add_argument(
        "--property", action="append", default=[], metavar="PATTERN",
        help="test only these properties (repeatable)",
    )  # fmt: skip
    promises.add_argument(
        "--except", action="append", default=[], dest="excepted", metavar="P=SITUATION",
        help="treat violations of P in SITUATION (or S1+S2) as known defects (repeatable)",
    )  # fmt: skip
    promises.add_argument(
        "--like-kafka", action=argparse.BooleanOptionalAction,
        help="with --promises-of: also accept the known defects of Kafka's class",
    )  # fmt: skip
    promises.add_argument(
        "--strict", action=argparse.BooleanOptionalAction, help="let known defects fail the check"
    )
    promises.add_argument("--against", metavar="TARGET", help="require the same assignments as TARGET")
    promises.add_argument(
        "--timed", action=argparse.BooleanOptionalAction,
        help="also test response time as groups grow (over 1 minute)",
    )  # fmt: skip
    promises.add_argument("--baseline", metavar="FILE", help="fail only on findings that are not in FILE")
    promises.add_argument("--write-baseline", metavar="FILE", help="write the current findings to FILE")
    output = get_option_group(parser, "output")
    output.add_argument(
        "--known", action="store_true", help="list each known defect with its count and situation"
    )
    output.add_argument(
        "--all", action="store_true", help="also test and show properties that are not promised"
    )
    get_option_group(parser, "more").add_argument(
        "-j", dest="jobs", type=parse_natural, default=0, metavar="N",
        help="number of targets tested in parallel (default: one per core)",
    )  # fmt: skip
    add_profile(parser)


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Take from the project's settings what the command line leaves open, and return the check."""
    project = apply_settings(args)
    return name_settings_in_errors(_check(args, project), args, project)


def _check(args: argparse.Namespace, project: Path) -> Generator[Block, None, int]:
    """Yield the result, the findings and their scope; return the exit status."""
    from kassay.cli.render.check import render_check
    from kassay.cli.render.compare import split_states
    from kassay.cli.render.findings import Results
    from kassay.engine.failures import keep_last, make_failure, read_baseline, read_last_failures, select_open
    from kassay.engine.plan import Plan, parse_exceptions
    from kassay.engine.processes import check_targets
    from kassay.files.reading import read_stated

    specs = expand_targets(args, args.family)
    given, states = split_states(read_stated(args.group))
    yield from states
    if args.group and not given and not args.examples:
        yield Block(status="Exit status 3: no group of --group can be tested.")
        return 3
    print_warnings(given)
    number = count_examples(args, CHECKED)
    if args.like_kafka and not args.promises_of:
        raise InputError("--like-kafka: says how --promises-of is meant. Give that, too, or leave it out")
    replay = args.replay and os.environ.get(REPLAY) != "0"
    before = read_last_failures(project) if replay else []
    known = read_baseline(args.baseline, args.write_baseline)
    plan = Plan(
        number, args.seeds[0], tuple(args.property), None if args.promise is None else frozenset(args.promise),
        build_options(args, args.family),
        args.against, args.promises_of, parse_exceptions(args.excepted), args.all, args.timed,
        len(specs) == 1, like_kafka=args.like_kafka, sampled=args.examples is None, more_seeds=tuple(args.seeds[1:]),
        failures=(*before, *known), fixtures=list_groups,
    )  # fmt: skip
    results = Results(
        specs, args.seeds, strict=args.strict, usual=not args.targets, known=args.known, before=before, baseline=known, everything=args.all,
    )  # fmt: skip
    if args.folder is not None:
        results.try_folder(Path(args.folder))
    with show_progress(specs, number) as advance:
        report = partial(_report, advance)
        for item in check_targets(specs, plan, given, args.jobs or os.cpu_count() or 1, report):
            results.add(item, Path(args.folder or "kassay-findings"))
    left = partial(select_open, verdicts=results.verdicts, whole=not args.property)
    if args.write_baseline is not None:
        _write_baseline(args, results, known, left(known))
    results.accept()
    yield from render_check(results)
    if replay:
        failed = [make_failure(one) for one, _ in results.findings if one.outcome == BROKEN]
        try:
            keep_last(project, before, failed, left(before))
        except InputError as wrong:  # the answer stands without it
            if results.unwritable is None:
                tell(f"what failed is not kept for the next run: {wrong} Or add --no-replay.")
    if results.unwritable is not None:
        raise results.unwritable
    return exit_status(results.verdicts, strict=args.strict)


def _report(advance: Advance, spec: str, news: int | str) -> None:
    """Show the number of groups so far, or print a sentence at once."""
    if isinstance(news, str):
        tell(news)
    else:
        advance(spec, news)


def _write_baseline(
    args: argparse.Namespace, results: "Results", known: "Sequence[Failure]", still: "Sequence[Failure]"
) -> None:
    """Write what fails, and what is still open of what was known, or note why it cannot be written: the answer comes first."""
    from kassay.engine.failures import OF_BASELINE, make_failure, read_baseline, update_failures

    counts = {(one.target, one.property): (one.breaches, one.judged) for one in results.verdicts}
    failed = []
    for one, _ in results.findings:
        if is_failure(one.outcome, strict=args.strict):
            broken, checked = counts[one.target, one.property]
            failed.append(replace(make_failure(one), broken=broken, checked=checked))
    same = args.baseline in (None, args.write_baseline)
    try:
        held = known if same else read_baseline(None, args.write_baseline)
        results.baseline = update_failures(Path(args.write_baseline), OF_BASELINE, held, failed, still)
        results.written = args.write_baseline
    except InputError as wrong:
        results.unwritable = results.unwritable or UnwritableError(str(wrong))


USUAL: dict[str, Any] = {
    "targets": [], "family": FAMILY, "promise": None, "promises_of": None, "like_kafka": False, "excepted": [],
    "examples": None, "seeds": [0], "timed": False, "strict": False, "timeout": None, "baseline": None,
}  # fmt: skip
"""Argument that settings may give -> its default."""
SPELLED = {"promise": "promises", "excepted": "except_"}
"""Argument -> its field in the settings, if that has another name."""
PATHS = ("folder", "group", "baseline", "write_baseline")


def add_profile(parser: argparse.ArgumentParser) -> None:
    """Add which profile of the settings holds, and let what settings may say be open."""
    more = get_option_group(parser, "more")
    more.add_argument("--profile", metavar="NAME", help="profile in kassay.toml: ci, deep or your own")
    more.add_argument(
        "--no-replay", dest="replay", action="store_false",
        help="do not test the failures of the last run first",
    )  # fmt: skip
    parser.set_defaults(seed=None, **{name: None for name in USUAL if name != "seeds"})


def apply_settings(args: argparse.Namespace) -> Path:
    """Fill in what the command line leaves open, and return the project's folder: of its settings, or else the working directory.

    If the settings name the targets, the check runs in their folder. Raises InputError naming the file and the key that is wrong.
    """
    from kassay.files.settings import read_settings

    here = Path.cwd()
    found = read_settings(here, args.profile)
    project = Path(found.folder or here)
    args.seeds = None if args.seed is None else [args.seed]
    said = {name: getattr(found, SPELLED.get(name, name)) for name in USUAL}
    if args.promise is not None or args.promises_of is not None:
        said |= {"promise": None, "promises_of": None, "like_kafka": None}
    if args.group:  # then none are generated unless the command line says so
        said["examples"] = None
    if said["baseline"] is not None:
        said["baseline"] = str(project / said["baseline"])
    if said["targets"] and not args.targets and project != here:
        for name in PATHS:
            setattr(args, name, _resolve_paths(here, getattr(args, name)))
        tell(f"runs in {project}, whose settings name what is checked")
        os.chdir(project)
    args.settled = {}
    for name, usual in USUAL.items():
        given = getattr(args, name)
        if given is None or given == []:
            setattr(args, name, usual if said[name] is None else said[name])
            if said[name] is not None:
                args.settled[name] = said[name]
    return project


def name_settings_in_errors(
    checked: Generator[Block, None, int], args: argparse.Namespace, project: Path
) -> Generator[Block, None, int]:
    """Pass a check on; if an error is about a value from the settings, let the sentence name their file and key, too."""
    from kassay.files.settings import OWN, SHARED

    try:
        return (yield from checked)
    except UnwritableError:  # settings name nothing that is written
        raise
    except InputError as wrong:
        for name, value in args.settled.items():
            key = SPELLED.get(name, name).rstrip("_").replace("_", "-")
            # The sentence is about a setting if it names the option, or what stands in the file.
            words = [f"--{name.replace('_', '-')}", f"--{key}"]
            words += [
                each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
            ]
            if any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", str(wrong)) for word in words):
                own = (project / OWN).exists()
                place = f"{project / (OWN if own else SHARED)}: {'' if own else 'tool.kassay.'}{key}"
                raise InputError(f"{place}: {wrong}", wrong.copy) from None
        raise


def _resolve_paths(here: Path, value: Any) -> Any:
    """Return paths of the command line as they are seen from another folder."""
    if isinstance(value, list):
        return [_resolve_paths(here, each) for each in value]
    return value if value in {None, "-"} else str(here / value)

"""Make and verify the conformance fixtures, run an assignor on them, and compare two versions of them."""

import argparse
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.cli.options import add_http, add_limits, add_named, options
from kassay.defaults import FAMILY

if TYPE_CHECKING:
    from kassay.conformance.case import Fixtures
    from kassay.conformance.form import Declared
    from kassay.conformance.running import Runner
    from kassay.output import Block
    from kassay.targets import Target

JUDGES = True
EXAMPLE = "kassay fixtures run python:my_package.assignors:assign --promises-of consumer/sticky"
ACTIONS = {
    "write": "kassay fixtures write [FAMILY...]",
    "verify": "kassay fixtures verify [FAMILY...]",
    "run": "kassay fixtures run TARGET",
    "diff": "kassay fixtures diff OLD.json NEW.json",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument(
        "action", choices=list(ACTIONS), metavar="ACTION",
        help="write: make the files; verify: test every expectation on its proof and on kassay's assignors; run: test an assignor; diff: what changed",
    )  # fmt: skip
    parser.add_argument(
        "named", nargs="*", metavar="WHAT",
        help="families to write or verify, default: all; the assignor to run; two files to compare",
    )  # fmt: skip
    parser.add_argument(
        "--fixtures", metavar="DIR", help="the folder of the fixtures; default: those that came with kassay"
    )
    parser.add_argument(
        "--check", action="store_true", help="with write: change nothing, and fail where a file would change"
    )
    parser.add_argument("--classes", action="store_true", help="with verify: also ask Kafka's own classes")
    asked = parser.add_argument_group(
        "who is run, and what it aims at", "by default what the assignor of that name in Kafka does"
    )
    asked.add_argument(
        "--promises-of",
        metavar="NAME",
        help="aims and limits of this assignor of kassay's, such as consumer/sticky",
    )
    asked.add_argument("--aim", action="append", metavar="AIM", help="an aim, such as loads; may be repeated")
    asked.add_argument(
        "--limit",
        action="append",
        metavar="FLAG",
        help="a flag under which it aims at nothing; may be repeated",
    )
    asked.add_argument(
        "--cooperative", action="store_true", help="it may hold back what has to be given up first"
    )
    asked.add_argument(
        "--exact", metavar="NAME@RELEASE", help="it must answer as Kafka's class does, such as range@4.4.0"
    )
    asked.add_argument(
        "--can",
        action="append",
        metavar="NEED",
        help="what its call can say, such as owned; may be repeated; default: everything",
    )
    asked.add_argument(
        "--name", help="its name in the file of known failures; default: the last part of how it is given"
    )
    asked.add_argument("--known", metavar="FILE", help="known failures, lines of ASSIGNOR CASE CHECK")
    asked.add_argument(
        "--case", action="append", default=[], metavar="PATTERN", help="only these cases; may be repeated"
    )
    asked.add_argument("--badge", metavar="FILE", help="also write what shields.io shows as a badge")
    asked.add_argument(
        "--family",
        default=FAMILY,
        metavar="NAME",
        help=f"the family of a python: function; default: {FAMILY}",
    )
    add_limits(parser)
    add_http(parser)
    add_named(parser)


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Do what is asked; 1 where an expectation does not hold or a check fails that is not known to, 3 where nothing was checked."""
    return (yield from {"write": _write, "verify": _verify, "run": _run, "diff": _diff}[args.action](args))


def _families(args: argparse.Namespace) -> list[str]:
    from kassay.conformance.form import FORMS, form
    from kassay.conformance.group import GROUP

    for name in args.named:
        if name != GROUP:
            form(name)
    return args.named or [*FORMS, GROUP]


def _folder(args: argparse.Namespace) -> Path:
    from kassay.conformance.folder import OURS

    return OURS if args.fixtures is None else Path(args.fixtures)


def _write(args: argparse.Namespace) -> "Generator[Block, None, int]":
    from kassay.cli.saying.fixtures import wrote
    from kassay.files.writing import write_whole

    status = 0
    for name in _families(args):
        cases, written = _made(name)
        stale = {}
        for file, text in written.items():
            path = _folder(args) / file
            if not path.exists() or path.read_text("utf-8") != text:
                stale[str(path)] = text
        for file, text in ({} if args.check else stale).items():
            write_whole(Path(file), text)
        status = max(status, int(args.check and bool(stale)))
        yield wrote(name, cases, list(stale), check=args.check)
    return status


def _made(name: str) -> tuple[int, dict[str, str]]:
    """Make the files of a family, or of the group protocol: how many cases there are, and the files by name."""
    from kassay.conformance import group
    from kassay.conformance.folder import texts
    from kassay.conformance.form import form
    from kassay.conformance.making import made

    if name == group.GROUP:
        return len(group.chosen()), {f"{name}.json": group.made()}
    found = made(form(name))
    return len(found.fixtures.cases), texts(found)


def _verify(args: argparse.Namespace) -> "Generator[Block, None, int]":
    from kassay.cli.saying.fixtures import verified
    from kassay.conformance import group
    from kassay.conformance.folder import fixtures_of, proofs_of
    from kassay.conformance.verifying import by_classes, doubts

    status = 0
    for name in _families(args):
        if name == group.GROUP:
            cases, found = len(group.chosen()), list(group.doubts(_folder(args), classes=args.classes))
            by = "by kassay's coordinator and member" + " and the recorded steps of Kafka's" * args.classes
        else:
            fixtures = fixtures_of(name, _folder(args))
            found = list(doubts(fixtures, proofs_of(fixtures.form, _folder(args))))
            if args.classes:
                found += by_classes(fixtures, options(args, name))
            cases = len(fixtures.cases)
            by = "by their proofs and kassay's assignors" + " and Kafka's classes" * args.classes
        status = max(status, int(bool(found)))
        yield from verified(name, cases, found, by, classes=args.classes)
    return status


def _run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    from kassay.cli.saying.fixtures import Ran, badge, ran
    from kassay.conformance.folder import fixtures_of
    from kassay.conformance.form import OF_NO_ASSIGNOR, form
    from kassay.conformance.running import run
    from kassay.errors import InputError
    from kassay.files.writing import write_whole
    from kassay.targets import open_target

    if len(args.named) != 1:
        raise InputError(
            f"fixtures run takes one assignor, and {len(args.named) or 'none'} is named. For example:"
            if len(args.named) < 2
            else f"fixtures run takes one assignor, and {len(args.named)} are named. For example:",
            [EXAMPLE],
        )
    (spec,) = args.named
    for words in {spec, Path(spec).stem, args.family} & OF_NO_ASSIGNOR.keys():
        form(words)  # which says what they are for
    with open_target(spec, options(args, args.family)) as target:
        fixtures = fixtures_of(target.family, _folder(args))
        runner = _runner(args, target, fixtures.form.declared)
        _refuse_unknown(fixtures, runner)
        told = Ran(spec, fixtures, runner, run(fixtures, runner), args.known or "")
    if args.badge:
        write_whole(Path(args.badge), badge(told))
    yield from ran(told)
    return told.run.status


def _runner(args: argparse.Namespace, target: "Target", declared: "Mapping[str, Declared]") -> "Runner":
    """Say who is run and what it aims at: what is named, else what kassay's assignor of that name does."""
    from dataclasses import replace

    from kassay.conformance.form import Declared
    from kassay.conformance.known import KnownFailures, read_known
    from kassay.conformance.running import Runner
    from kassay.errors import InputError
    from kassay.suggesting import unknown

    if args.promises_of is not None and args.promises_of not in declared:
        raise InputError(
            unknown("assignor with fixtures", args.promises_of, declared, "--promises-of: kassay list")
        )
    like = args.promises_of or (target.reference or target.name).partition("@")[0]
    aims = declared.get(like, Declared())
    if args.aim is not None:
        aims = replace(aims, aims=tuple(args.aim))
    if args.limit is not None:
        aims = replace(aims, limits=tuple(args.limit))
    if args.cooperative:
        aims = replace(aims, cooperative=True)
    name = args.name or target.name.split("#")[-1].split(":")[-1].split("/")[-1].split(" ")[-1]
    known = read_known(args.known) if args.known else KnownFailures("")
    return Runner(name, target.assign, aims, args.exact or "", args.can, known, args.case)


def _refuse_unknown(fixtures: "Fixtures", runner: "Runner") -> None:
    """Raise InputError where an aim, limit, need, release or case is named that the fixtures do not have."""
    from fnmatch import filter as matching

    from kassay.errors import InputError
    from kassay.suggesting import meant

    of = fixtures.form
    ids = [case.id for case in fixtures.cases]
    exact = list(dict.fromkeys(name for case in fixtures.cases for name in case.exact))
    aims = list(dict.fromkeys([aim for case in fixtures.cases for aim in case.should] + [*of.relations]))
    needs = list(dict.fromkeys(need for case in fixtures.cases for need in case.needs))
    for option, given, known in (
        ("--aim", runner.declared.aims, aims),
        ("--limit", runner.declared.limits, list(of.flags)),
        ("--can", runner.can or (), needs),
        ("--exact", [runner.exact] if runner.exact else [], exact),
    ):
        for name in given:
            if name not in known:
                raise InputError(f"{option} {name}: the fixtures know {', '.join(known)}{meant(name, known)}")
    for pattern in runner.cases:
        if not matching(ids, pattern):
            raise InputError(f"--case {pattern}: fits none of {ids[0]} to {ids[-1]}")


def _diff(args: argparse.Namespace) -> "Generator[Block, None, int]":
    from kassay.cli.saying.fixtures import differ
    from kassay.conformance.case import read_fixtures
    from kassay.conformance.comparing import changes
    from kassay.errors import InputError

    if len(args.named) != 2:
        raise InputError(
            f"fixtures diff takes two files, and {len(args.named) or 'none'} {'are' if len(args.named) > 1 else 'is'} named:",
            [ACTIONS["diff"]],
        )
    old, new = map(read_fixtures, args.named)
    if old.form.family != new.form.family:
        raise InputError(
            f"{args.named[1]}: family: is {new.form.family}, that of {args.named[0]} {old.form.family}; give two versions of one"
        )
    yield from differ(old, new, changes(old, new))
    return 0

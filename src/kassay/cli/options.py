"""Options that several commands share, and the checks of their values."""

import argparse


def add_targets(parser: argparse.ArgumentParser, number: str) -> None:
    """Add the targets and how they are opened."""
    name = "targets" if number == "+" else "target"
    parser.add_argument(
        name, metavar="TARGET", nargs=number if number == "+" else None,
        help="a reference assignor or pattern (consumer/range, 'consumer/*'), python:MODULE:ATTRIBUTE, "
        "exec:COMMAND LINE, kafka:VERSION#NAME, maven:GROUP:ARTIFACT:VERSION#CLASS or jar:PATH#CLASS",
    )  # fmt: skip
    parser.add_argument(
        "--timeout", type=seconds, default=5.0, metavar="SECONDS", help="time for one answer; default: 5"
    )
    parser.add_argument(
        "--assignor", metavar="NAME", help="the assignor to take of an exec: program that offers several"
    )
    parser.add_argument(
        "--family",
        default="consumer",
        metavar="NAME",
        help="the family of a python: function; default: consumer",
    )


def add_groups(parser: argparse.ArgumentParser, examples: int) -> None:
    """Add where groups come from."""
    parser.add_argument(
        "--group", action="append", default=[], metavar="FILE",
        help="take the groups of this file (JSON or JSON lines, - for standard input) instead of generated ones",
    )  # fmt: skip
    parser.add_argument(
        "--examples",
        type=natural,
        metavar="N",
        help=f"generate this many groups; default: {examples}, none with --group",
    )
    parser.add_argument(
        "--seed", type=natural, default=0, metavar="N", help="seed of the generated groups; default: 0"
    )


def tables(args: argparse.Namespace) -> bool:
    """Say whether the chosen format shows tables: those of a large group take longer than its answer."""
    return (args.format or getattr(args, "usual_format", "pretty")) not in {"json", "junit"}


def examples(args: argparse.Namespace, usual: int) -> int:
    """Say how many groups are to be generated."""
    given: int | None = args.examples
    return given if given is not None else 0 if args.group else usual


def natural(text: str) -> int:
    """Read a whole number from 0."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0; give one such as 100")
    return value


def seconds(text: str) -> float:
    """Read a positive number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no time in seconds; give one such as 5 or 0.5")
    return value

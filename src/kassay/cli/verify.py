"""Verification of what `--json` printed: the certificates of an optimum, a frontier or a sequence."""

import argparse
from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kassay.cli.options import print_warnings, refuse_options
from kassay.errors import InputError
from kassay.families import family
from kassay.families.family import Family, Oracles
from kassay.files.reading import Read, read_groups_of_any_family, read_json
from kassay.files.texts import name_file
from kassay.output import Block, JUnitCase

STATUSES = {
    0: "Exit status 0: all proofs hold.",
    1: "Exit status 1: a proof does not hold.",
    3: "Exit status 3: a value has no proof.",
}


def verify(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Verify the proof of each answer; return 1 if one does not hold."""
    refuse_options(args, "--verify", "verifies existing output", "time_limit")
    files = ["-"] if args.question is None else [args.question, *args.files]  # no question stands before them
    if files[0] != "-" and not Path(files[0]).exists():
        raise InputError(
            f"{files[0]}: is not a file. Give groups only with --verify, because the answers name their objectives."
        )
    answers = read_json(args.verify)
    if args.family is not None:
        _get_oracles(family(args.family))
    of_family, groups = read_groups_of_any_family(files, args.family)
    oracles = _get_oracles(of_family)
    if len(answers) != len(groups):
        raise InputError(
            f"--verify {name_file(args.verify)}: has {len(answers)} answers, but {len(groups)} groups are given. "
            "Give one answer for each group, in the same order."
        )
    status = 0
    for answer, group in zip(answers, print_warnings(groups), strict=True):
        try:
            proved, sentence = oracles.verify(group.value, answer.value)
        except InputError as wrong:
            raise InputError(f"{answer.where}: {wrong}") from None
        status = status if proved else 1
        record = {"where": group.where, "answer": answer.where, "proved": proved, "sentence": sentence}
        case = JUnitCase(
            "certificate", group.where, "kept" if proved else "broken", "" if proved else sentence
        )
        yield Block(group.where, sentence, records=[record], cases=[case])
    yield Block(status=STATUSES[status])
    return status


def verify_frontiers(file: str, group: Read, oracles: Oracles) -> Generator[Block, None, int]:
    """Verify the certificates of each frontier; return 1 if one does not hold, 3 if one is missing."""
    frontiers = _read_records(file, "frontier", "kassay frontier --json")
    return (
        yield from _verify_each(
            (group.where, each, partial(oracles.verify, group.value, each.value)) for each in frontiers
        )
    )


def verify_over_time(
    file: str, of_family: Family, events: tuple[str, int], groups: Sequence[tuple[str, Any]]
) -> Generator[Block, None, int]:
    """Verify the optimum of the sequence of each group; return 1 if a proof does not hold, 3 if only a bound is proven."""
    verify = _get_oracles(of_family).verify
    answers = _read_records(file, "over-time", "kassay over-time --json")
    if len(answers) != len(groups):
        raise InputError(
            f"--verify {name_file(file)}: has {len(answers)} optima, but {len(groups)} groups are given. Give one group for each."
        )
    return (yield from _verify_each(
        (title, answer, partial(verify, group, answer.value, events))
        for (title, group), answer in zip(groups, answers, strict=True)
    ))  # fmt: skip


def _read_records(file: str, record: str, command: str) -> list[Read]:
    """Return the records of one kind in the output of a command."""
    read = [each for each in read_json(file) if isinstance(each.value, dict)]
    lines = [each for each in read if each.value.get("record") == record]
    if not lines:
        raise InputError(
            f"--verify {name_file(file)}: has no record {record!r}. Give the output of `{command}`."
        )
    return lines


def _verify_each(
    found: Iterable[tuple[str, Read, Callable[[], tuple[bool | None, str]]]],
) -> Generator[Block, None, int]:
    """Yield the result of verifying each answer; return the exit status."""
    status = 0
    for where, answer, verify_answer in found:
        try:
            proved, sentence = verify_answer()
        except InputError as wrong:
            raise InputError(f"{answer.where}: {wrong}") from None
        status = 1 if proved is False else status if proved else status or 3
        record = {"where": where, "answer": answer.where, "proved": proved, "sentence": sentence}
        verdict = "kept" if proved else "errored" if proved is None else "broken"
        case = JUnitCase("certificate", answer.where, verdict, "" if proved else sentence)
        yield Block(where, sentence, records=[record], cases=[case])
    yield Block(status=STATUSES[status])
    return status


def _get_oracles(of_family: Family) -> Oracles:
    if of_family.oracles is None:
        raise InputError(
            f"--verify: no oracle is known for the {of_family.name} family. Use groups of another family."
        )
    return of_family.oracles

"""Compare two runs of check, compare or sweep."""

import argparse
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.cli.options import get_option_group, require_extra
from kassay.errors import InputError
from kassay.families.shape import TextTable
from kassay.files.texts import name_file
from kassay.output import Block, JUnitCase
from kassay.output.block import MARKS

if TYPE_CHECKING:
    from kassay.comparison.run_diff import Change, Standings

JUDGES = True
EXAMPLE = "kassay diff before.jsonl after.jsonl"
NOT_PRINTED, AGAIN = "a record does not have the format of kassay", "Run the command again with --json."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    for name, which in (("before", "first"), ("after", "second")):
        parser.add_argument(
            name,
            metavar=name.upper(),
            help=f"JSON output of the {which} run, its folder, or the folder of a sweep",
        )
    get_option_group(parser, "more").add_argument(
        "--trust", action="store_true", help="import the family that the sweep names"
    )


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the result and a table of the changes; return 1 if something is worse, 3 if something is unknown now."""
    from kassay.comparison.run_diff import ALIKE, BETTER, OTHER_GROUPS, UNTOLD, WORSE, compute_changes
    from kassay.properties.runs import format_count

    before, after = (_read_standings(path, trust=args.trust) for path in (args.before, args.after))
    found = compute_changes(before, after)
    if not before.keys() & after.keys():
        raise InputError(
            f"{args.before} and {args.after}: have no target and criterion in common. Give two runs of one command on the same targets."
        )
    of: dict[str, list[Change]] = {}
    for each in found:
        of.setdefault(each.change, []).append(each)
    worse, untold = of.get(WORSE, []), of.get(UNTOLD, [])
    status = 1 if worse else 3 if untold else 0
    counts = ", ".join(f"{len(some)} {name}" for name, some in of.items() if name not in {WORSE, UNTOLD})
    says = "nothing is worse"
    if worse or untold:
        (one, *more), what = (worse, "worse") if worse else (untold, "unknown now")
        rest = f"; {len(more)} more {'is' if len(more) == 1 else 'are'} {what}" if more else ""
        says = f"{one.target} is {what} in {one.question}: before {one.before}, after {one.now}{rest}"
    outcome = {WORSE: "broken", UNTOLD: "errored"}
    records = [{"record": "diff", "status": status, **{name: len(some) for name, some in of.items()}}]
    records += [
        {
            "record": "change", "change": each.change, "target": each.target, "question": each.question,
            "before": each.before, "after": each.now,
        }
        for each in found
        if each.change != ALIKE
    ]  # fmt: skip
    yield Block(
        says=f"{says}{f' ({counts})' if counts else ''}.", mark=MARKS[status], records=records,
        cases=[
            JUnitCase(each.target, each.question, outcome.get(each.change, "kept"), f"was {each.before}, is {each.now}")
            for each in found
        ],
    )  # fmt: skip
    for name, some in of.items():
        if name not in {ALIKE, OTHER_GROUPS}:
            rows = [[one.target, one.question, one.before or "-", one.now or "-"] for one in some]
            yield Block(prose=True, grid=TextTable([name, "criterion", "before", "after"], rows))
    if others := of.get(OTHER_GROUPS, []):
        text = (
            f"{format_count(len(others), 'percentage')} {'is' if len(others) == 1 else 'are'} of different groups in the two runs, so the difference may be random. "
            "Compare runs with the same seeds and numbers of groups."
        )
        yield Block(caveats=[text])
    ends = {
        0: f"nothing is worse{'' if of.get(BETTER) else ' or better'}", 1: "something is worse", 3: "something is unknown now",
    }  # fmt: skip
    yield Block(status=f"Exit status {status}: {ends[status]}.")
    return status


def _read_standings(path: str, *, trust: bool) -> "Standings":
    from kassay.comparison.run_diff import read_standings
    from kassay.files.reading import read_json

    kept = [
        str(file) for file in (Path(path) / "check.jsonl", Path(path) / "compare.jsonl") if file.is_file()
    ]
    if kept or not Path(path).is_dir():
        records = [read.value for file in kept or [path] for read in read_json(file)]
        try:
            found = read_standings(name_file(path), records)
        except InputError:
            raise
        except ValueError as wrong:  # such as a text for a number
            raise InputError(f"{name_file(path)}: {NOT_PRINTED} ({wrong}). {AGAIN}") from None
        for name in (name for key in found for name in key):
            if not isinstance(name, str):
                raise InputError(f"{name_file(path)}: {NOT_PRINTED} ({name!r} is no name). {AGAIN}")
        return found

    require_extra("reports")
    from kassay.reports.sweep.frames import read_sweep, sweep_standings

    return sweep_standings(read_sweep(path, trust=trust))

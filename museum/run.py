"""Search for the bugs of old releases in museum.toml, and print how each is found.

    python museum/run.py [ISSUE...] [--json] [--record] [--releases]

Assignors are checked with the default settings and seed (evidence.py), the group protocol is simulated (by_schedule.py). Exit status 1: a bug was
not found.
"""

import argparse
import json
import sys
from pathlib import Path

import msgspec

sys.path.append(str(Path(__file__).parents[1] / "docs" / "scripts"))

from bug_records import MUSEUM, Exhibit, StagedBug, read_bugs
from by_schedule import describe_schedule, find_schedule, render_timeline, save_schedule
from evidence import Evidence, find_affected_releases, find_evidence, read_evidence, save_evidence

from kassay.errors import InputError

COLUMNS = ("issue", "affected", "fixed", "found by", "smallest group or schedule")


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("issues", nargs="*", metavar="ISSUE")
    parser.add_argument("--json", action="store_true", help="print one JSON object per bug")
    parser.add_argument(
        "--record", action="store_true", help="keep what is found in groups.json and schedules.json"
    )
    parser.add_argument(
        "--releases", action="store_true", help="search no group: replay the kept ones in all releases"
    )
    options = parser.parse_args()
    try:
        bugs = read_bugs(MUSEUM)
    except InputError as wrong:
        parser.error(str(wrong))
    chosen = [
        bug for table in bugs.values() for bug in table if not options.issues or bug.key in options.issues
    ]
    if unknown := {*options.issues} - {bug.key for bug in chosen}:
        parser.error(f"{', '.join(sorted(unknown))}: museum.toml has no such issue. Add an entry")
    if not options.json:
        print(f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}", sep="\n")
    all_found = True
    for bug in chosen:
        if isinstance(bug, Exhibit):
            all_found &= bool(_search_groups(bug, options))
        elif not options.releases:
            all_found &= _search_schedules(bug, options)
    return 0 if all_found else 1


def _search_groups(bug: Exhibit, options: argparse.Namespace) -> list[Evidence]:
    found = read_evidence()[bug.name] if options.releases else find_evidence(bug)
    if found and (options.record or options.releases):
        found = find_affected_releases(bug, found)
        save_evidence({bug.name: found})
    if options.json:
        print(json.dumps({"bug": msgspec.to_builtins(bug), "found": msgspec.to_builtins(found)}), flush=True)
        return found
    for one in found:
        group = f"`{json.dumps(one.group)}`" if one.group else one.message
        print_row(bug, one.by, f"{one.releases}: {group}" if one.releases else group)
    if not found:
        print_row(bug, "NOT FOUND", "")
    return found


def _search_schedules(bug: StagedBug, options: argparse.Namespace) -> bool:
    found = find_schedule(bug)
    if options.json:
        print(json.dumps({"bug": msgspec.to_builtins(bug), "found": msgspec.to_builtins(found)}), flush=True)
        return found is not None
    if found is None:
        print_row(bug, "NOT FOUND", "")
        return False
    print_row(bug, found.breaks, describe_schedule(found.schedule))
    if options.issues:
        print(f"\n{bug.title}: {bug.effect}\n\n{render_timeline(bug, found.schedule)}", flush=True)
    if options.record:
        save_schedule(bug, found)
    return True


def print_row(bug: Exhibit | StagedBug, by: str, cell: str) -> None:
    """Print one row of the table."""
    print(f"| {bug.key} | {bug.affected} | {bug.fixed} | {by} | {cell} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())

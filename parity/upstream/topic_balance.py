"""Measure how often the sticky assignment is dominated in topic balance, with the released class and with the change that the KIP draft proposes.

    python parity/upstream/topic_balance.py [--groups N] [--write]

The groups are those of ``docs/scripts/spread.py`` in which all members have the same subscription, and one comes or leaves. --write keeps the figures for the page.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "scripts"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from figures import today
from spread import ROWS, Counts, build_group, judge_answer
from upstream.patches import HERE, RELEASE, Report, patch_classes

from kassay.defaults import cache_folder
from kassay.families import family
from kassay.families.convergence import rest
from kassay.oracles.partitions.question import parse_question, remeasure
from kassay.targets import Options, open_target

REPORT = Report(HERE / "kip-topic-balance")
GROUPS = 60
NAME = "consumer/sticky"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--groups", type=int, default=GROUPS, help="generated groups in each row")
    parser.add_argument("--write", action="store_true", help="keep the figures")
    asked = parser.parse_args(arguments)
    classes = patch_classes(REPORT, cache_folder() / "upstream" / REPORT.name)
    specs = {"released": f"kafka:{RELEASE}#{NAME}", "proposed": REPORT.write_target(NAME, classes)}
    rows = []
    of_family, moves = family("consumer"), parse_question("moves")
    with (
        open_target(specs["released"], Options()) as released,
        open_target(specs["proposed"], Options()) as proposed,
    ):
        for row in (row for row in ROWS if row.subscriptions == "the same" and row.event != "fresh"):
            found = {"row": row.said}
            for name, target in (("released", released), ("proposed", proposed)):
                # Both classes are asked about the same groups, whose members own what the released class gave them.
                counts, moved = Counts(), 0
                for number in range(asked.groups):
                    group = build_group(of_family, released.assign, row, number)
                    answer = rest(of_family, target.assign, group).answer
                    moved += remeasure(group, answer, moves)["moves"]
                    judge_answer(group, answer, counts)
                found[name] = {**asdict(counts), "moves": moved}
            rows.append(found)
            print(json.dumps(found), flush=True)
    if asked.write:
        command = f"python parity/upstream/topic_balance.py --groups {asked.groups} --write"
        REPORT.write_measured({"command": command, "on": today(), "groups": asked.groups, "rows": rows})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""How many schedules a core simulates in a second, by the size of the group.

``python benchmarks/simulate.py [--schedules 5000] [--coordinator kafka@4.4.0] [--write]``

Processor time of one process; as many schedules before, other ones, from which the group's steps become known, are not timed. The last column
is the part of the time that drawing the schedules takes. ``--write`` keeps them for docs/results/speed.md.
"""

import argparse
import sys
import time
from pathlib import Path

from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import digits, keep, today

from kassay.families.assignors import ASSIGNORS
from kassay.families.shape import TextTable
from kassay.oracles.gc_paused import pause_gc
from kassay.output.pretty import build_table
from kassay.protocol.simulation.campaign import Runner, draw_schedule, list_fitting_faults
from kassay.protocol.simulation.schedule import Schedule, Setting
from kassay.protocol.simulation.steps import make_machines

GROUPS = ((1, (2,)), (2, (2,)), (2, (4,)), (3, (2,)), (3, (4,)), (5, (10,)))
SHORT = ("crash", "failover")
"""Faults of a short schedule: one of them strikes, once."""


def rate(setting: Setting, kinds: list[str], number: int, most: int | None = None) -> tuple[float, float]:
    """Return schedules a second, and the share of drawing; of each schedule the first `most` faults."""
    runner = Runner(lambda one: make_machines(one, ASSIGNORS["consumer/range"].assign))
    with pause_gc():
        for place in range(number):
            runner.run(_cut(setting, kinds, place, most))
        start = time.process_time()
        schedules = [_cut(setting, kinds, place, most) for place in range(number, 2 * number)]
        drawing = time.process_time() - start
        for schedule in schedules:
            runner.run(schedule)
        whole = time.process_time() - start
    return number / whole, drawing / whole


def _cut(setting: Setting, kinds: list[str], place: int, most: int | None) -> Schedule:
    schedule = draw_schedule(setting, kinds, 0, place)
    return Schedule(setting, schedule.faults[:most])


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=5000)
    parser.add_argument("--coordinator", default="kafka@4.4.0")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows, kept = [], {}
    for members, partitions in GROUPS:
        setting = Setting(coordinator=args.coordinator, members=members, partitions=partitions)
        short, _ = rate(setting, list(SHORT), args.schedules, 1)
        usual, drawing = rate(setting, list_fitting_faults(setting, None), args.schedules)
        kept[f"{members} x {sum(partitions)}"] = {
            "one fault, crash or failover": digits(short),
            "up to four of all faults": digits(usual),
        }
        rows.append([str(members), str(sum(partitions)), f"{short:,.0f}", f"{usual:,.0f}", f"{drawing:.0%}"])
    columns = ["members", "partitions", "one fault: schedules/s", "up to four of all: schedules/s", "drawing"]
    Console().print(build_table(TextTable(columns, rows)))
    if args.write:
        command = f"python benchmarks/simulate.py --schedules {args.schedules} --coordinator {args.coordinator} --write"
        keep("simulated-speed", command, today(), {"schedules a second": kept})


if __name__ == "__main__":
    main()

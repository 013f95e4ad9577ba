"""How many schedules a core simulates in a second, by the size of the group.

``python benchmarks/simulate.py [--schedules 2000] [--rounds 3] [--coordinator kafka@4.4.0] [--write]``

Processor time of one process, the best of some rounds. Each round begins with a new group, whose steps are not known: its first schedules are the cold
ones. The warm ones begin when as many schedules have run as are then timed. Groups of more than three members get fewer schedules, by the
square of their members. Drawing the schedules is timed too. ``--write`` keeps the figures for docs/results/speed.md.
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

GROUPS = ((1, 2), (2, 2), (2, 4), (3, 3), (5, 10), (10, 10), (25, 25), (50, 50))
"""Members and partitions."""
SHORT = ("crash", "failover")
"""Faults of a short schedule: one of them strikes, once."""
COLD = 4
"""The cold schedules are the first of all that run: one in this many of the timed warm ones."""
FEWEST = 20


def time_rates(
    setting: Setting, kinds: list[str], number: int, most: int | None = None
) -> tuple[float, float]:
    """Return the cold and the warm schedules a second of a new group; each schedule has its first `most` faults."""
    runner = Runner(lambda one: make_machines(one, ASSIGNORS["consumer/range"].assign))
    times = []
    with pause_gc():
        for places in (range(number // COLD), range(number // COLD, number), range(number, 2 * number)):
            start = time.process_time()
            for place in places:
                schedule = draw_schedule(setting, kinds, 0, place)
                runner.run(Schedule(setting, schedule.faults[:most]))
            times.append(len(places) / (time.process_time() - start))
    cold, _, warm = times
    return cold, warm


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--coordinator", default="kafka@4.4.0")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows, kept = [], {}
    for members, partitions in GROUPS:
        setting = Setting(coordinator=args.coordinator, members=members, partitions=(partitions,))
        number = max(FEWEST, min(args.schedules, args.schedules * 9 // members**2))
        usual = list_fitting_faults(setting, None)
        short = [time_rates(setting, list(SHORT), number, 1) for _ in range(args.rounds)]
        whole = [time_rates(setting, usual, number) for _ in range(args.rounds)]
        figures = {
            "one fault, crash or failover": digits(max(warm for _, warm in short)),
            "up to four of all faults": digits(max(warm for _, warm in whole)),
            "the first schedules, up to four": digits(max(cold for cold, _ in whole)),
        }
        kept[f"{members} x {partitions}"] = figures
        rows.append([str(members), str(partitions), *(f"{figure:,}" for figure in figures.values())])
    columns = ["members", "partitions", "one fault: schedules/s", "up to four of all: schedules/s", "cold"]
    Console().print(build_table(TextTable(columns, rows)))
    if args.write:
        command = f"python benchmarks/simulate.py --schedules {args.schedules} --rounds {args.rounds} --coordinator {args.coordinator} --write"
        keep("simulated-speed", command, today(), {"schedules a second": kept})


if __name__ == "__main__":
    main()

"""How many states there are of all that can happen to a small group: ``python docs/scripts/exhausted.py --write`` keeps them for docs/reference/simulation.md."""

import sys
from pathlib import Path

from figures import keep, today

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from simulation.catching import honest

from kassay.protocol.simulation.exhaustive import explore
from kassay.protocol.simulation.schedule import Setting

CASES = (("proposal", 2, 12), ("kafka@4.4.0", 2, 12), ("proposal", 3, 9))
"""The coordinator, how many members a group has, and how many steps are taken."""


def main() -> None:
    """Explore each case, and keep what was found."""
    rows = {}
    for coordinator, members, steps in CASES:
        setting = Setting(coordinator=coordinator, members=members)
        explored = explore(setting, honest(setting), depth=steps)
        if unknown := [breach for breach in explored.breaches if not breach[3]]:
            raise SystemExit(f"{coordinator}, {members} members: {unknown}")
        row = f"{coordinator}, {members} members"
        rows[row] = {
            "steps": steps,
            "states": sum(explored.states),
            "in Stable with all members": explored.groups["Stable", members],
        }
        print(row, rows[row], flush=True)
    if "--write" in sys.argv:
        keep("exhaustive", "python docs/scripts/exhausted.py --write", today(), {"nothing new breaks": rows})


if __name__ == "__main__":
    main()

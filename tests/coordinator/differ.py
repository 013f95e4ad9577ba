"""Hold our coordinator against Kafka's own on random sequences, resumably.

    python tests/coordinator/differ.py [--sequences N] [--seed N] [--release RELEASE]...

Exit status 1: a sequence went differently; its seed, the smallest part of it that still does, and both sides are printed.
"""

import argparse
import json
import random
import sys
from collections.abc import Sequence
from typing import Any

from holding import DifferenceError, hold
from judge import judge
from sequences import sequence

from kassay.reference.group.behaviour import RELEASES, kafka
from kassay.targets.conversation import Conversation

AT_ONCE, LONGEST_S = 64, 60.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sequences", type=int, default=40_000, help="how many for each release")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--release", action="append", choices=RELEASES)
    asked = parser.parse_args(arguments)
    found = 0
    for release in asked.release or RELEASES:
        java = judge(release)
        steps = 0
        for first in range(0, asked.sequences, AT_ONCE):
            seeds = [f"{asked.seed}/{n}" for n in range(first, min(first + AT_ONCE, asked.sequences))]
            taken, differences = several(
                java, release, {seed: sequence(random.Random(seed)) for seed in seeds}
            )
            steps += taken
            for seed, difference in differences.items():
                found += 1
                print(json.dumps({"release": release, "seed": seed, "difference": difference.args}))
                print(json.dumps(smallest(java, release, sequence(random.Random(seed)))), flush=True)
            if found > 3:
                return 1
        java.close()
        print(f"{release}: {asked.sequences} sequences, {steps} steps, {found} differ", flush=True)
    return int(found > 0)


def several(
    java: Conversation, release: str, sequences: dict[str, dict[str, Any]]
) -> tuple[int, dict[str, DifferenceError]]:
    """Run sequences side by side; return how many steps there were, and the differences by seed."""
    steps, differences = 0, {}
    running = {}
    for number, (seed, one) in enumerate(sequences.items()):
        settings = {"group.initial.rebalance.delay.ms": str(one["settings"]["delay"])}
        if one["settings"]["max"]:
            settings["group.max.size"] = str(one["settings"]["max"])
        holding = hold(kafka(release), one)
        asked = next(holding)
        java.send({"n": number, "settings": settings, "outcome": "now", **asked})
        running[number] = (seed, holding)
    while running:
        for number, (seed, holding) in list(running.items()):
            answer = java.receive(LONGEST_S)
            steps += 1
            try:
                asked = holding.send(answer)
            except StopIteration:
                asked = None
            except DifferenceError as difference:
                differences[seed] = difference
                asked = None
            if asked is None:
                del running[number]
            else:
                java.send({"n": number, **asked})
    for number in range(len(sequences)):
        java.send({"n": number, "do": "forget"})
    for _ in sequences:
        java.receive(LONGEST_S)
    return steps, differences


def smallest(java: Conversation, release: str, one: dict[str, Any]) -> dict[str, Any]:
    """Take actions out of a sequence as long as it goes differently."""
    actions = one["actions"]
    at = 0
    while at < len(actions):
        fewer = [*actions[:at], *actions[at + 1 :]]
        if several(java, release, {"": one | {"actions": fewer}})[1]:
            actions = fewer
        else:
            at += 1
    return one | {"actions": actions}


if __name__ == "__main__":
    sys.exit(main())

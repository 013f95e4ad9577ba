"""Ask Kafka's coordinators again what is recorded of them: ours must do the same; with ``--write``, keep what they did.

    python parity/coordinator/record_coordinators.py [--write]

Another recording may differ in the leaders that Kafka chooses, which is chance.
"""

import random
import sys
from contextlib import closing
from typing import Any

from against_kafka import hold, judge
from named import NAMED
from of_simulation import FOUND
from of_simulation import sequence as of_schedule
from random_actions import sequence
from recorded import BEGIN, FOLDER, changes, path, written
from side_by_side import run
from situations import SITUATIONS

from kassay.reference.group.behaviour import RELEASES, kafka
from kassay.targets.conversation import Conversation

COUNT, LONGEST = 170, 14
"""Sequences for each release, and how many actions one has at most."""


def main() -> int:
    """Run from the command line."""
    FOLDER.mkdir(exist_ok=True)
    for release in RELEASES:
        with closing(judge(release)) as java:
            sequences = [of_seed(java, release, number) for number in range(COUNT)]
            named = [of_name(java, release, name, made) for name, made in (NAMED | SITUATIONS).items()]
            named += [of_name(java, release, name, of_schedule(one)) for name, (one, _) in FOUND.items()]
        if "--write" in sys.argv:
            path(release).write_text(written(release, [*named, *sequences]), encoding="utf-8")
        print(f"{release}: {len(named)} named and {len(sequences)} random sequences, as ours")
    return 0


def of_seed(java: Conversation, release: str, number: int) -> dict[str, Any]:
    """Record a random sequence."""
    seed = f"{release}/{number}"
    made = sequence(random.Random(seed), LONGEST)
    return {"seed": seed, "settings": made["settings"], "steps": steps(java, release, made)}


def of_name(java: Conversation, release: str, name: str, made: dict[str, Any]) -> dict[str, Any]:
    """Record a named sequence."""
    return {"name": name, "settings": made["settings"], "steps": steps(java, release, made)}


def steps(java: Conversation, release: str, made: dict[str, Any]) -> list[Any]:
    """Return what Kafka's coordinator did in each step; raises DifferenceError where ours does something else."""
    kept: list[tuple[Any, Any]] = []
    _, differences = run(java, [hold(kafka(release), made, kept)])
    if differences:
        raise differences[0]
    befores = [BEGIN, *(seen for _, seen in kept)]
    return [[asked, changes(before, seen)] for before, (asked, seen) in zip(befores[:-1], kept, strict=True)]


if __name__ == "__main__":
    sys.exit(main())

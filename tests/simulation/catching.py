"""Look for the smallest schedule that shows a mutant, and run schedules with mutants.

``python tests/simulation/catching.py [NAME...]`` writes tests/simulation/caught.json and the corpus that `kassay simulate` runs first anew (some minutes).
"""

import sys
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1]))

from simulation.coordinator_mutants import COORDINATOR_MUTANTS
from simulation.member_mutants import MEMBER_MUTANTS

from kassay.assignors import ASSIGNORS
from kassay.simulation.machines import machines
from kassay.simulation.running import Runner
from kassay.simulation.schedule import Schedule
from kassay.simulation.search import corpus
from kassay.simulation.search.drawing import drawn, fitting
from kassay.simulation.search.smaller import smallest

MUTANTS = {mutant.name: mutant for mutant in (*COORDINATOR_MUTANTS, *MEMBER_MUTANTS)}
FILE = Path(__file__).with_name("caught.json")
CORPUS = Path(corpus.__file__).with_name(corpus.FILE)
TRIES = 5_000
"""How many drawn schedules a mutant may live through; the last to be caught takes 3,521."""


def honest(setting):
    """Return the machines of a setting as they are."""
    name = "consumer/cooperative-sticky" if setting.cooperative else "consumer/range"
    return machines(setting, ASSIGNORS[name].assign)


def mutated(mutant):
    """Return what makes the machines of a setting with the mutant's change."""
    return lambda setting: mutant.change(honest(setting))


def breaking(mutant):
    """Return what says which invariants a schedule breaks under the mutant and not without it."""
    under, sound = Runner(mutated(mutant)), Runner(honest)

    def broken(schedule):
        found = [name for name, _ in under.run(schedule).breaches]
        known = dict(sound.run(schedule).breaches) if found else {}
        return [name for name in found if name not in known]

    return broken


def drawn_for(mutant, broken):
    """Return the first drawn schedule that shows the mutant, with the invariant that breaks; None where none is found."""
    kinds = fitting(mutant.setting, mutant.faults or ("commit",))
    if found := broken(Schedule(mutant.setting)):
        return found[0], Schedule(mutant.setting)
    for number in range(TRIES):
        schedule = drawn(mutant.setting, kinds, 0, number)
        if found := broken(schedule):
            return found[0], schedule
    return None


def caught(mutant):
    """Return the invariant that breaks under the mutant and not without it, with the smallest schedule; None where none is found."""
    broken = breaking(mutant)
    first = drawn_for(mutant, broken)
    if first is None:
        return None
    name, schedule = first
    return name, smallest(schedule, lambda one: name in broken(one)).group


def main():
    chosen = sys.argv[1:] or [*MUTANTS]
    known = msgspec.json.decode(FILE.read_bytes()) if FILE.exists() else {}
    for name in chosen:
        found = caught(MUTANTS[name])
        print(name, None if found is None else (found[0], found[1].faults), flush=True)
        if found is None:
            known.pop(name, None)
        else:
            known[name] = {"breaks": found[0], "schedule": msgspec.to_builtins(found[1])}
        ordered = {name: known[name] for name in MUTANTS if name in known}
        FILE.write_bytes(msgspec.json.format(msgspec.json.encode(ordered)) + b"\n")
    schedules = [one["schedule"] for one in ordered.values()]
    CORPUS.write_bytes(msgspec.json.format(msgspec.json.encode(schedules)) + b"\n")


if __name__ == "__main__":
    main()

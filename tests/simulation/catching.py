"""Look for the smallest schedule that shows a mutant, and run schedules with mutants.

``python tests/simulation/catching.py [NAME...]`` writes tests/simulation/caught.json and the corpus that `kassay simulate` runs first anew (some minutes).
``python tests/simulation/catching.py --reach [--write]`` shows how many mutants the default command finds, and when. The exit status is 1 if it misses one of the corpus, or a harmful fresh one.
``--write`` keeps the counts for docs/reference/simulation.md.
"""

import dataclasses
import sys
import time
from pathlib import Path

import msgspec
from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "scripts"))

from figures import keep, today
from simulation.client_mutants import CLIENT_MUTANTS, RARE
from simulation.fresh_mutants import FRESH, HARMLESS
from simulation.handover_mutants import HANDOVER_MUTANTS
from simulation.log_mutants import LOG_MUTANTS
from simulation.member_mutants import MEMBER_MUTANTS
from simulation.rebalance_mutants import KAFKA, REBALANCE_MUTANTS
from simulation.request_mutants import REQUEST_MUTANTS

from kassay.families.assignors import ASSIGNORS
from kassay.protocol.simulation import campaign
from kassay.protocol.simulation.campaign import (
    Runner,
    draw_run,
    draw_schedule,
    list_fitting_faults,
    shrink_schedule,
    vary_setting,
)
from kassay.protocol.simulation.monitor import find_defects
from kassay.protocol.simulation.schedule import Schedule
from kassay.protocol.simulation.steps import make_machines

MUTANTS = {mutant.name: mutant for mutant in (*REBALANCE_MUTANTS, *LOG_MUTANTS, *MEMBER_MUTANTS)}
PROTOCOL_MUTANTS = (*REQUEST_MUTANTS, *HANDOVER_MUTANTS, *CLIENT_MUTANTS)
"""Mutants that were planted from Kafka's protocol, without a look at the invariants."""
COMMANDS = (KAFKA, replace(KAFKA, cooperative=True), replace(KAFKA, static=True))
"""The groups of `kassay simulate` by default, with a cooperative assignor, and with --static."""
FILE = Path(__file__).with_name("caught.json")
CORPUS = Path(campaign.__file__).with_name("corpus.json")
DRAWN = 1_000
"""How many schedules the default command draws."""
TRIES = 5_000
"""How many drawn schedules a mutant may live through; the last to be caught takes 3,521."""


def honest(setting):
    """Return the machines of a setting as they are."""
    name = "consumer/cooperative-sticky" if setting.cooperative else "consumer/range"
    return make_machines(setting, ASSIGNORS[name].assign)


def apply_mutant(mutant):
    """Return what makes the machines of a setting with the mutant's change."""
    return lambda setting: mutant.change(honest(setting))


def find_breach(mutant):
    """Return what says which invariants a schedule breaks under the mutant and not without it."""
    under, sound = Runner(apply_mutant(mutant)), Runner(honest)

    def broken(schedule):
        found = [name for name, _ in under.run(schedule).breaches]
        known = dict(sound.run(schedule).breaches) if found else {}
        return [name for name in found if name not in known]

    return broken


def find_schedule(mutant, broken):
    """Return the first drawn schedule that shows the mutant, with the broken invariant, None if there is none."""
    kinds = list_fitting_faults(mutant.setting, mutant.faults or ("commit",))
    if found := broken(Schedule(mutant.setting)):
        return found[0], Schedule(mutant.setting)
    for number in range(TRIES):
        schedule = draw_schedule(mutant.setting, kinds, 0, number)
        if found := broken(schedule):
            return found[0], schedule
    return None


def catch_mutant(mutant):
    """Return the invariant that breaks under the mutant and not without it, with the smallest schedule; None if there is none."""
    broken = find_breach(mutant)
    first = find_schedule(mutant, broken)
    if first is None:
        return None
    name, schedule = first
    return name, shrink_schedule(schedule, lambda one: name in broken(one)).group


def find_first_breach(mutant, *, known=True, by=None, static=False):
    """Return the number of the first schedule of the default command with a new violation, of the invariant `by` if given.

    Schedules of the corpus have numbers below 0 and run only if `known`. The result is None if no schedule has one.
    """
    setting = replace(mutant.setting, static=static)
    runner, kinds = Runner(apply_mutant(mutant)), list_fitting_faults(vary_setting(setting, -1), None)
    first = list(campaign.read_corpus(setting, kinds)) if known else []
    more = ((number, draw_run(setting, None, 0, number)) for number in range(DRAWN))
    for number, schedule in (*enumerate(first, -len(first)), *more):
        outcome = runner.run(schedule)
        if any(not find_defects(outcome, name) and by in {None, name} for name, _ in outcome.breaches):
            return number
    return None


def find_by_command(mutant, *, known=True):
    """Return the place in COMMANDS of the first command that finds a mutant, the nearest to its setting first; None if none does."""
    own = mutant.setting.cooperative + 2 * mutant.setting.static
    for place in sorted(range(len(COMMANDS)), key=lambda one: one != own):
        if (
            find_first_breach(replace_setting(mutant, COMMANDS[place]), known=known, static=place == 2)
            is not None
        ):
            return place
    return None


def replace_setting(mutant, setting):
    """Return the mutant for a group of another setting."""
    return dataclasses.replace(mutant, setting=setting)


def reach(*, write):
    """Print which mutants the default command finds, and keep the counts if `write`; return the exit status."""
    escaped, counts = 0, {}
    rows = (
        ("the mutants of this table", MUTANTS.values(), True),
        ("the mutants of this table", MUTANTS.values(), False),
        ("fresh mutants, of which no known schedule knows", FRESH, False),
        ("mutants planted from the protocol, by one of three commands", PROTOCOL_MUTANTS, True),
        ("mutants planted from the protocol, by one of three commands", PROTOCOL_MUTANTS, False),
    )
    for planted, mutants, known in rows:
        find = find_by_command if mutants is PROTOCOL_MUTANTS else find_first_breach
        start = time.process_time()
        missed = [mutant.name for mutant in mutants if find(mutant, known=known) is None]
        how, found = "runs first what is known" if known else "draws alone", len(mutants) - len(missed)
        print(
            f"{planted}: {how}: {found} of {len(mutants)} in {time.process_time() - start:.0f} s; missed: {', '.join(missed) or 'none'}",
            flush=True,
        )
        counts.setdefault(planted, {})[how] = f"{found} of {len(mutants)}"
        escaped += len({*missed} - {*HARMLESS, *RARE}) if known or mutants is FRESH else 0
    if write:
        keep("reach", "python tests/simulation/catching.py --reach --write", today(), {"found": counts})
    return int(escaped > 0)


def main():
    if "--reach" in sys.argv:
        return reach(write="--write" in sys.argv)
    chosen = sys.argv[1:] or [*MUTANTS]
    known = msgspec.json.decode(FILE.read_bytes()) if FILE.exists() else {}
    for name in chosen:
        found = catch_mutant(MUTANTS[name])
        print(name, None if found is None else (found[0], found[1].faults), flush=True)
        if found is None:
            known.pop(name, None)
        else:
            known[name] = {"breaks": found[0], "schedule": msgspec.to_builtins(found[1])}
        ordered = {name: known[name] for name in MUTANTS if name in known}
        FILE.write_bytes(msgspec.json.format(msgspec.json.encode(ordered)) + b"\n")
    schedules = [one["schedule"] for one in ordered.values()]
    CORPUS.write_bytes(msgspec.json.format(msgspec.json.encode(schedules)) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Compare targets on the rows of a sweep: effects with intervals, and gates."""

import argparse
from collections.abc import Generator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.cli.live import is_live
from kassay.cli.options import leave_out

if TYPE_CHECKING:
    from kassay.output import Block
    from kassay.reports.comparison.gates import Gate
    from kassay.reports.sweep.manifest import Run


def on_sweep(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield the answer, a row for each gate or question, and what to do next; 1 where one is broken, 3 where nothing could be compared."""
    from kassay.cli.requirements import require_reports

    refuse_of_groups(args)
    require_reports()
    from kassay.cli.saying.comparing.gates import blocks, effect_record
    from kassay.families import family
    from kassay.reports.comparison.effects import NOTHING, effects
    from kassay.reports.comparison.gates import BROKEN, UNTOLD, not_worse, read_gaps, within
    from kassay.reports.comparison.pairs import UNANSWERED, count_pairs
    from kassay.reports.sweep.manifest import read_run
    from kassay.reports.sweep.rows import REBALANCES
    from kassay.reports.tables.rebalances import withholding

    folder = Path(args.sweep)
    run = read_run(folder, trust=args.trust)
    targets, reference = _asked(args, run)
    most = read_gaps(args.max_gap, run.levels)
    of_family = family(run.family)
    levels = {level: of_family.level(level) for level in run.levels}
    found = count_pairs(folder, run, targets, reference)
    names = [UNANSWERED, *run.levels, *(f"{measure} (measure)" for measure in run.measures)]
    names += [REBALANCES] * withholding(run)
    partly = f"{found.waves:,} of {run.waves:,} waves" if found.waves < run.waves else ""
    gates: list[Gate] = list(within(found, targets, most))
    compared = {
        target: effects(found, target, names)
        for target in (targets if reference else ())
        if target != reference
    }
    for of_target in compared.values() if args.not_worse_than else ():
        gates += not_worse(of_target, levels)
    order = {target: n for n, target in enumerate(targets)}
    gates.sort(key=lambda gate: (order[gate.target], gate.effect is None))
    records = [{"record": "waves", "complete": found.waves, "waves": run.waves}] if partly else []
    records += [effect_record(effect) for of_target in compared.values() for effect in of_target]
    records += [
        {"record": "gate", "target": gate.target, "name": gate.name, "outcome": gate.outcome,
         "message": f"{gate.says}; {partly}" if partly else gate.says}
        for gate in gates
    ]  # fmt: skip
    yield from blocks(gates, compared, levels, partly, args.sweep, records)
    outcomes = {gate.outcome for gate in gates}
    if BROKEN in outcomes:
        return 1
    silent = all(
        effect.verdict == NOTHING
        for of_target in compared.values()
        for effect in of_target
        if effect.name != UNANSWERED
    )
    return 3 if UNTOLD in outcomes or (silent and not gates) else 0


def refuse_of_groups(args: argparse.Namespace) -> None:
    """Raise InputError where an option says something of groups that are given."""
    from kassay.errors import InputError

    is_live(args)
    leave_out(args, "--sweep", "has groups of its own", "group", "examples", "bootstrap_server")
    for name, value in (("--vary", args.vary), ("--in-use", args.in_use)):
        if value is not None:
            raise InputError(f"{name} {value}: is of one group, not of a sweep; give --group FILE")
    if args.html is not None:
        raise InputError(
            f"--html {args.html}: shows one group, and a sweep has its report; give --group FILE, or use `kassay report`"
        )


def _asked(args: argparse.Namespace, run: "Run") -> tuple[list[str], str | None]:
    """Say which targets of the sweep are compared, and with which one: that of --not-worse-than, or the first named."""
    from kassay.errors import InputError

    def of_run(pattern: str) -> list[str]:
        matching = [name for name in run.names if name == pattern or fnmatchcase(name, pattern)]
        if not matching:
            raise InputError(f"target {pattern!r}: is not in the sweep; it has {', '.join(run.names)}")
        return matching

    if not args.targets:
        raise InputError(
            f"--sweep {args.sweep}: name the targets that are compared; it has {', '.join(run.names)}"
        )
    targets = list(dict.fromkeys(name for pattern in args.targets for name in of_run(pattern)))
    if args.not_worse_than:
        (reference, *more) = of_run(args.not_worse_than)
        others = [name for name in targets if name != reference]
        if more or not others:
            raise InputError(
                f"--not-worse-than {args.not_worse_than}: name one target, and another one to hold against it"
            )
        return others, reference
    if len(targets) == 1 and not args.max_gap:
        raise InputError(
            f"target {targets[0]!r}: there is nothing to compare it with; name another, or give --max-gap"
        )
    return targets, targets[0] if len(targets) > 1 else None

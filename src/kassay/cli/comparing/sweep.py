"""Compare targets on the rows of a sweep: effects with intervals, and gates."""

import argparse
from collections.abc import Generator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kassay.output import Block
    from kassay.reports.comparing.effects import Effect
    from kassay.reports.comparing.gates import Gate
    from kassay.reports.sweep.manifest import Run

NOTE = (
    "difference: target less reference, mean over the groups to which both have a complete and legal answer, with a 95 % interval (Hall's, which allows "
    "for skewness); groups: these, of all; without a complete and legal answer: share of the groups; lower, higher: groups in which the target's value is; superiority: share of these with the lower one, ties half. Verdicts: Holm-corrected over the rows of the table, at 5 %; fewer "
    "than 30 groups that differ are judged by the exact sign test. Less is better, but for the measure kept."
)


def on_sweep(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield a table for each target, then the gates; 1 where one is broken, 3 where nothing could be compared."""
    from kassay.cli.requirements import require_reports

    refuse_of_groups(args)
    require_reports()
    from kassay.output import Block
    from kassay.reports.comparing.effects import NOTHING, effects
    from kassay.reports.comparing.gates import BROKEN, UNTOLD, not_worse, read_gaps, within
    from kassay.reports.comparing.pairs import UNANSWERED, counted
    from kassay.reports.sweep.manifest import read_run
    from kassay.reports.sweep.rows import REBALANCES
    from kassay.reports.tables.rebalances import withholding

    folder = Path(args.sweep)
    run = read_run(folder, trust=args.trust)
    targets, reference = _asked(args, run)
    most = read_gaps(args.max_gap, run.levels)
    found = counted(folder, run, targets, reference)
    names = [UNANSWERED, *run.levels, *(f"{measure} (measure)" for measure in run.measures)]
    names += [REBALANCES] * withholding(run)
    partly = f"{found.waves:,} of {run.waves:,} waves" if found.waves < run.waves else ""
    if partly:
        record = {"record": "waves", "complete": found.waves, "waves": run.waves}
        yield Block(text=f"on {partly}: the others are not complete", records=[record])
    gates: list[Gate] = list(within(found, targets, most))
    compared = []
    for target in targets if reference else ():
        if target != reference:
            of_target = effects(found, target, names)
            compared += of_target
            if args.not_worse_than:
                gates += not_worse(of_target, run.levels)
            yield _table(of_target)
    if gates:
        yield _told([replace(gate, says=f"{gate.says}; {partly}") for gate in gates] if partly else gates)
    outcomes = {gate.outcome for gate in gates}
    if BROKEN in outcomes:
        return 1
    silent = all(effect.verdict == NOTHING for effect in compared if effect.name != UNANSWERED)
    return 3 if UNTOLD in outcomes or (silent and not gates) else 0


def refuse_of_groups(args: argparse.Namespace) -> None:
    """Raise InputError where an option says something of groups that are given."""
    from kassay.errors import InputError

    if args.group or args.examples is not None:
        raise InputError("--sweep: the groups are those of the sweep; leave --group and --examples out")
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


def _table(effects: "Sequence[Effect]") -> "Block":
    from kassay.output import Block
    from kassay.shape import TextTable

    first = effects[0]
    rows = [_row(effect) for effect in effects]
    columns = [
        "",
        "target",
        "reference",
        "difference",
        "lower",
        "higher",
        "groups",
        "superiority",
        "verdict",
    ]
    records = [
        {
            "record": "effect", "target": effect.target, "reference": effect.reference, "name": effect.name,
            "pairs": effect.pairs, "unpaired": effect.unpaired, "means": effect.means, "difference": effect.difference,
            "interval": effect.interval, "lower": effect.lower, "higher": effect.higher,
            "superiority": effect.superiority, "p": effect.p, "verdict": effect.verdict, "groups": effect.groups,
        }
        for effect in effects
    ]  # fmt: skip
    return Block(
        f"{first.target} against {first.reference}", grid=TextTable(columns, rows, NOTE), records=records
    )


def _row(effect: "Effect") -> list[str]:
    groups = f"{effect.pairs:,} of {effect.groups:,}"
    if not effect.pairs:
        return [effect.name, *["-"] * 5, groups, "-", effect.verdict]
    low, high = effect.interval or (0.0, 0.0)
    between = f" ({low:+.3g} to {high:+.3g})" if effect.interval else ""
    verdict = effect.verdict
    if verdict == "equal":
        verdict = f"equal; they differ in less than {100 * effect.differing_at_most:.2g} % of groups"
    return [
        effect.name, f"{effect.means[0]:.4g}", f"{effect.means[1]:.4g}", f"{effect.difference:+.3g}{between}",
        f"{effect.lower:,}", f"{effect.higher:,}", groups, f"{100 * effect.superiority:.1f} %", verdict,
    ]  # fmt: skip


def _told(gates: "Sequence[Gate]") -> "Block":
    from kassay.output import Block, JUnitCase
    from kassay.shape import TextTable

    words = {"kept": "kept", "broken": "BROKEN", "errored": "could not tell"}
    rows = [[gate.target, gate.name, words[gate.outcome], gate.says] for gate in gates]
    records = [
        {
            "record": "gate",
            "target": gate.target,
            "name": gate.name,
            "outcome": gate.outcome,
            "message": gate.says,
        }
        for gate in gates
    ]
    cases = [JUnitCase(gate.target, gate.name, gate.outcome, gate.says) for gate in gates]
    grid = TextTable(["target", "gate", "outcome", "because"], rows)
    return Block("Gates", grid=grid, records=records, cases=cases)

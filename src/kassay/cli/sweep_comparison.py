"""`kassay compare --sweep`: the gates on the rows of a sweep, and the criteria in which targets differ."""

import argparse
import shlex
from collections.abc import Generator, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kassay.cli.options import is_live, refuse_options, require_extra
from kassay.comparison.headline import label_targets_uniquely
from kassay.errors import InputError
from kassay.families.shape import TextTable
from kassay.oracles.levels import LevelWords
from kassay.output import Block, JUnitCase
from kassay.output.block import BROKEN, ERRORED, KEPT, MARKS, WORDS
from kassay.reports.comparison.effects import ALIKE, EQUAL, HIGHER, LOWER, NOTHING, UNANSWERED, Effect, decide
from kassay.reports.comparison.gates import Gate
from kassay.sentences import join_names

if TYPE_CHECKING:
    from kassay.reports.sweep.manifest import Run


def compare_sweep(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the result, a row for each gate or criterion, and the next command; return 1 if a gate fails, 3 if nothing is comparable."""
    is_live(args)  # refuses how to reach a cluster without one
    refuse_options(args, "--sweep", "has groups of its own", "group", "examples", "bootstrap_server")
    for name, value in (("--vary", args.vary), ("--in-use", args.in_use)):
        if value is not None:
            raise InputError(f"{name} {value}: needs a group, not a sweep. Give --group FILE.")
    if args.html is not None:
        raise InputError(
            f"--html {args.html}: shows one group, not a sweep. Give --group FILE, or use `kassay report`."
        )
    require_extra("reports")
    from kassay.families import family
    from kassay.reports.comparison.effect_table import write_effects
    from kassay.reports.comparison.effects import UNANSWERED, compute_effects, count_pairs
    from kassay.reports.comparison.gates import BROKEN, UNTOLD, check_gaps, check_not_worse, read_gaps
    from kassay.reports.sweep.manifest import read_run
    from kassay.reports.sweep.rows import REBALANCES
    from kassay.reports.tables.rebalances import has_withholding

    folder = Path(args.sweep)
    run = read_run(folder, trust=args.trust)
    targets, reference = _select_targets(args, run)
    most = read_gaps(args.max_gap, run.levels)
    of_family = family(run.family)
    levels = {level: of_family.level(level) for level in run.levels}
    found = count_pairs(folder, run, targets, reference)
    names = [UNANSWERED, *run.levels, *(f"{measure} (measure)" for measure in run.measures)]
    names += [REBALANCES] * has_withholding(run)
    partly = f"{found.waves:,} of {run.waves:,} waves" if found.waves < run.waves else ""
    gates: list[Gate] = list(check_gaps(found, targets, most))
    compared = {
        target: compute_effects(found, target, names)
        for target in (targets if reference else ())
        if target != reference
    }
    for of_target in compared.values() if args.not_worse_than else ():
        gates += check_not_worse(of_target, levels)
    if args.tables is not None:
        if not compared:
            raise InputError(f"--tables {args.tables}: needs another target to compare. Name one.")
        write_effects((one for of_target in compared.values() for one in of_target), Path(args.tables))
    order = {target: n for n, target in enumerate(targets)}
    gates.sort(key=lambda gate: (order[gate.target], gate.effect is None))
    records = [{"record": "waves", "complete": found.waves, "waves": run.waves}] if partly else []
    records += [effect_record(effect) for of_target in compared.values() for effect in of_target]
    records += [
        {"record": "gate", "target": gate.target, "name": gate.name, "outcome": gate.outcome,
         "message": f"{gate.says}; {partly}" if partly else gate.says}
        for gate in gates
    ]  # fmt: skip
    yield from render_sweep(gates, compared, levels, partly, args.sweep, records)
    outcomes = {gate.outcome for gate in gates}
    if BROKEN in outcomes:
        return 1
    return 3 if UNTOLD in outcomes or not (gates or _has_conclusion(compared)) else 0


def _has_conclusion(compared: Mapping[str, Sequence[Effect]]) -> bool:
    """Return True if a criterion of some target can be compared."""
    effects = (effect for of_target in compared.values() for effect in of_target)
    return any(effect.verdict != NOTHING for effect in effects if effect.name != UNANSWERED)


def _select_targets(args: argparse.Namespace, run: "Run") -> tuple[list[str], str | None]:
    """Return the targets to compare, and the target of --not-worse-than or else the first one."""

    def match(pattern: str) -> list[str]:
        matching = [name for name in run.names if name == pattern or fnmatchcase(name, pattern)]
        if not matching:
            raise InputError(f"target {pattern!r}: is not in the sweep. Use one of {', '.join(run.names)}.")
        return matching

    if not args.targets:
        raise InputError(f"--sweep {args.sweep}: no target is named. Use one of {', '.join(run.names)}.")
    targets = list(dict.fromkeys(name for pattern in args.targets for name in match(pattern)))
    if args.not_worse_than:
        (reference, *more) = match(args.not_worse_than)
        others = [name for name in targets if name != reference]
        if more or not others:
            raise InputError(
                f"--not-worse-than {args.not_worse_than}: needs another target to compare. Name one."
            )
        return others, reference
    if len(targets) == 1 and not args.max_gap:
        raise InputError(
            f"target {targets[0]!r}: needs another target to compare. Name one, or add --max-gap."
        )
    return targets, targets[0] if len(targets) > 1 else None


FEW = 2
"""The largest number of targets that the answer describes."""
STATUSES = {KEPT: 0, BROKEN: 1, ERRORED: 3}
"""Outcome of a gate -> the exit status."""
ENDS = {
    KEPT: "Exit status 0: all gates hold.",
    BROKEN: "Exit status 1: a gate failed.",
    ERRORED: "Exit status 3: a gate has no conclusion.",
}
SILENT = (
    "Exit status 3: no criterion can be compared, because no group has correct answers of both assignors."
)
WRONG = "is more often incorrect"
VERDICTS = {
    LOWER: "better",
    HIGHER: "worse",
    ALIKE: "not significant",
    EQUAL: "equal",
    NOTHING: "not compared",
}


def render_sweep(
    gates: Sequence[Gate], compared: Mapping[str, Sequence[Effect]], levels: Mapping[str, LevelWords], partly: str, folder: str,
    records: Sequence[Mapping[str, Any]],
) -> Iterator[Block]:  # fmt: skip
    """Show the result, a row for each gate or criterion of each target, the significance, and the exit status."""
    names = list(
        dict.fromkeys(
            [*compared, *(gate.target for gate in gates), *(e[0].reference for e in compared.values() if e)]
        )
    )
    labels = label_targets_uniquely(names)
    outcome = next((each for each in (BROKEN, ERRORED) if any(gate.outcome == each for gate in gates)), KEPT)
    says = _describe_targets(gates, compared, labels, levels)
    yield Block(says=says, mark=MARKS[STATUSES[outcome]] if gates else "", records=records)
    for target in _list_targets(gates, compared):
        own = [gate for gate in gates if gate.target == target]
        yield _build_table(target, own, compared.get(target, ()), labels, levels)
    notes = [f"Only {partly} are complete."] if partly else []
    notes += [_describe_chance(compared, levels)] if compared else []
    yield Block(caveats=[*filter(None, notes), "Means, confidence intervals and all measures: add --json."])
    broken = any(gate.outcome == BROKEN for gate in gates)
    compares = _has_conclusion(compared)
    commands = [(f"kassay report {shlex.quote(folder)}", "pictures of these groups")] * broken
    yield Block(commands=commands, status=ENDS[outcome] if gates else "" if compares else SILENT)


def _describe_targets(
    gates: Sequence[Gate],
    compared: Mapping[str, Sequence[Effect]],
    labels: Mapping[str, str],
    levels: Mapping[str, LevelWords],
) -> str:
    """Return the failed gates by target, or the comparison of all targets if no gate fails; after the first few they are counted."""
    targets = _list_targets(gates, compared)
    failing = [
        each for each in targets if any(gate.target == each and gate.outcome == BROKEN for gate in gates)
    ]
    chosen = failing or targets
    told = [
        _describe_target(target, gates, compared.get(target, ()), labels, levels) for target in chosen[:FEW]
    ]
    more = len(chosen) - FEW
    told += [f"{more} more {'fail' if failing else 'are below'}."] if more > 0 else []
    held = len(targets) - len(failing)
    if failing and held:
        told.append(f"All gates of {held} more {'target' if held == 1 else 'targets'} hold.")
    return " ".join(told)


def _list_targets(gates: Sequence[Gate], compared: Mapping[str, Sequence[Effect]]) -> list[str]:
    return list(dict.fromkeys([*compared, *(gate.target for gate in gates)]))


def _describe_target(
    target: str,
    gates: Sequence[Gate],
    effects: Sequence[Effect],
    labels: Mapping[str, str],
    levels: Mapping[str, LevelWords],
) -> str:
    """Return the criteria in which a target is worse, how often both are correct, and the gaps above --max-gap."""
    own, name = [gate for gate in gates if gate.target == target], labels[target]
    told = []
    reference = labels[effects[0].reference] if effects else ""
    of = {effect.name: effect for effect in effects if effect.name in (UNANSWERED, *levels)}
    failed = [gate.about for gate in own if gate.outcome == BROKEN and gate.effect is not None]
    judged = any(gate.effect is not None for gate in own)
    worse = [each for each in of if (each in failed if judged else decide(of[each]) == HIGHER)]
    better = [_name_level(each, levels) for each in of if decide(of[each]) == LOWER]
    if worse:
        said = [levels[each].worse if each in levels else WRONG for each in worse]
        said[0] += f" than {reference}"
        told.append(f"{name} {join_names(said)}.")
    elif effects and any(of[each].verdict != NOTHING for each in of if each != UNANSWERED):
        more = f" and better in {join_names(better)}" if better else ""
        told.append(f"{name} is not worse than {reference} in any criterion{more}.")
    elif effects:
        told.append(f"{name} and {reference} have no comparable group.")
    if UNANSWERED in of and of[UNANSWERED].pairs:
        effect = of[UNANSWERED]
        mine, other = (effect.groups - round(mean * effect.pairs) for mean in effect.means)
        if mine == other == effect.groups:
            told.append(f"Both are correct on all {effect.groups:,} groups.")
        else:
            whole = f"all {effect.groups:,}" if mine == effect.groups else f"{mine:,} of {effect.groups:,}"
            theirs = "all" if other == effect.groups else f"{other:,}"
            told.append(f"{name} is correct on {whole} groups, {reference} on {theirs}.")
    gaps = [gate for gate in own if gate.effect is None]
    if broken := [gate for gate in gaps if gate.outcome == BROKEN]:
        beyond = "; ".join(_describe_gap(gate, levels) for gate in broken)
        told.append(f"{name} {'also ' if worse else ''}exceeds --max-gap: {beyond}.")
    elif gaps and not effects:
        unsure = [gate for gate in gaps if gate.outcome == ERRORED]
        told.append(
            f"{name} has no conclusion: {_describe_gap(unsure[0], levels)}."
            if unsure
            else f"{name} does not exceed --max-gap."
        )
    return " ".join(told)


def _name_level(name: str, levels: Mapping[str, LevelWords]) -> str:
    return levels[name].asked if name in levels else "correct"


def _build_table(
    target: str,
    gates: Sequence[Gate],
    effects: Sequence[Effect],
    labels: Mapping[str, str],
    levels: Mapping[str, LevelWords],
) -> Block:
    reference = labels[effects[0].reference] if effects else ""
    rows, cases = [], []
    for gate in gates:
        told = (
            describe_effect(gate.effect, reference)
            if gate.effect is not None
            else _describe_gap(gate, levels)
        )
        rows.append([gate.short, WORDS[MARKS[STATUSES[gate.outcome]]], told])
        cases.append(JUnitCase(gate.target, gate.name, gate.outcome, told, gate.says))
    if not any(gate.effect is not None for gate in gates):
        rows += [
            [
                _name_level(each.name, levels),
                VERDICTS[decide(each)] if each.name != UNANSWERED else "",
                describe_effect(each, reference).removesuffix("; may be random"),
            ]
            for each in effects
            if each.name in (UNANSWERED, *levels)
        ]
    compared = f"{labels[target]} and {reference}, if both are correct" if effects else labels[target]
    return Block(
        prose=True, grid=TextTable(["gate" if gates else "criterion", "result", compared], rows), cases=cases
    )


def describe_effect(effect: Effect, reference: str) -> str:
    """Return the number of groups in which a target is better, worse or equal."""
    if effect.name == UNANSWERED and effect.higher:
        return f"incorrect on {effect.higher:,} groups where {reference} is correct"
    if effect.name == UNANSWERED and effect.lower:
        return f"correct on {effect.lower:,} groups where {reference} is not"
    if effect.name == UNANSWERED:
        return "correct on the same groups"
    if effect.verdict == NOTHING:
        return f"not compared on any of {effect.groups:,} groups"
    if effect.verdict == EQUAL:
        return f"equal on all {effect.pairs:,}"
    said = [f"better on {effect.lower:,}", f"worse on {effect.higher:,}"]
    if effect.higher > effect.lower:
        said.reverse()
    # The numbers of groups and the means are different claims: a target can be worse on average, but on fewer groups.
    if effect.verdict == effect.sign_verdict:
        why = "; may be random" if effect.verdict == ALIKE else ""
    elif effect.verdict == ALIKE:
        why = "; the means may be equal"
    else:
        why = f"; {VERDICTS[effect.verdict]} on average"
    return f"{', '.join(said)} of {effect.pairs:,}{why}"


def _describe_gap(gate: Gate, levels: Mapping[str, LevelWords]) -> str:
    """Return the reason for the outcome of a gap gate: incorrect answers, the largest gap, or unproven answers."""
    told = []
    if gate.failed:
        told.append(f"{gate.failed:,} of {gate.rows:,} answers are incorrect")
    worst = gate.worst
    if worst is not None and worst.gap:
        words = levels[gate.about]
        step = f", after {worst.step:,} change{'s' if worst.step > 1 else ''}" if worst.step else ""
        told.append(f"{worst.value:,} {words.many} (best {worst.optimum:,}; group {worst.id:,}{step})")
    left = gate.rows - gate.compared - gate.failed
    if left and gate.outcome != BROKEN:
        told.append(f"not proven for {left:,} of {gate.rows:,} answers")
    if not told:
        told.append(f"all {gate.rows:,} answers are optimal")
    return "; ".join(told)


def _describe_chance(compared: Mapping[str, Sequence[Effect]], levels: Mapping[str, LevelWords]) -> str:
    """Return in one sentence which differences are statistically significant."""
    own = [
        effect
        for effects in compared.values()
        for effect in effects
        if effect.name in levels and effect.verdict not in (NOTHING, EQUAL)
    ]
    alike = [effect for effect in own if decide(effect) == ALIKE]
    how = "(5 % level, corrected for multiple tests)"
    if not own:
        return ""
    if not alike:
        return f"All differences are statistically significant {how}."
    said = (
        "Other differences are statistically significant"
        if len(alike) < len(own)
        else "No difference is statistically significant"
    )
    return f"{said} {how}."


def effect_record(effect: Effect) -> dict[str, Any]:
    """Make the JSON of an effect."""
    return {
        "record": "effect", "target": effect.target, "reference": effect.reference, "name": effect.name,
        "pairs": effect.pairs, "unpaired": effect.unpaired, "means": effect.means, "difference": effect.difference,
        "interval": effect.interval, "lower": effect.lower, "higher": effect.higher,
        "superiority": effect.superiority, "standardized": effect.standardized, "p": effect.p, "verdict": effect.verdict,
        "sign_p": effect.sign_p, "sign_verdict": effect.sign_verdict, "groups": effect.groups,
    }  # fmt: skip

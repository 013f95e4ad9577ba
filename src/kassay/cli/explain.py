"""Replay a saved finding, and say in words what is wrong and who does better."""

import argparse
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from kassay.cli.options import seconds

if TYPE_CHECKING:
    from kassay.family import Family
    from kassay.finding import Finding
    from kassay.measuring import Measured
    from kassay.output import Block


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument("file", metavar="FILE", help="a finding saved by kassay check")
    parser.add_argument(
        "--target", metavar="TARGET", help="replay with this target; default: the finding's own"
    )
    parser.add_argument(
        "--assignor", metavar="NAME", help="the assignor to take of an exec: program that offers several"
    )
    parser.add_argument(
        "--timeout", type=seconds, default=5.0, metavar="SECONDS", help="time for one answer; default: 5"
    )


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield what is wrong and what would be better; status 1 where the property is still broken, 0 where it is not."""
    from kassay.against import with_equality
    from kassay.check import remembering, violations
    from kassay.families import family
    from kassay.finding import load_finding
    from kassay.measuring import measured
    from kassay.output import Block, Case
    from kassay.targets import Options, open_target

    finding = load_finding(args.file)
    forms = family(finding.family)
    options = Options(args.timeout, args.assignor, finding.family)
    with ExitStack() as stack:
        target = stack.enter_context(open_target(args.target or finding.target, options))
        if finding.against is not None:
            forms = with_equality(forms, target, stack.enter_context(open_target(finding.against, options)))
        said = violations(forms, finding.property, finding.group, remembering(target.assign), target)
        own = measured(target, forms, finding.group)
    outcome = "broken" if said else "kept"
    title = f"{target.name} {'breaks' if said else 'keeps'} {finding.property} on this group"
    record = {
        "record": "explained",
        "target": target.name,
        "property": finding.property,
        "outcome": outcome,
        "messages": said,
    }
    case = Case(target.name, finding.property, outcome, "; ".join(said))
    answers = {} if own.failure else {"is given": own.assignment}
    text = "\n".join(
        [
            _meaning(forms, finding),
            *said,
            *([f"it gives no assignment: {own.failure}"] if own.failure else []),
        ]
    )
    yield Block(title, text, forms.show(finding.group, answers), records=[record], cases=[case])

    if forms.oracles is not None and own.failure is None:
        exact = forms.oracles.explain(finding.group, own.assignment)
        yield Block(
            "how far from the optimum", "\n".join(exact), records=[{"record": "exact", "sentences": exact}]
        )
    if said and finding.against is None:
        yield _better(finding, forms, own, _others(finding, forms))
    return 1 if said else 0


def _meaning(forms: "Family", finding: "Finding") -> str:
    from kassay.cli.listing import first_sentence

    return f"{finding.property}: {first_sentence(forms.properties[finding.property].__doc__)}."


def _others(finding: "Finding", forms: "Family") -> "list[Measured]":
    """Measure the reference assignors that keep the property here, and whatever is expected of everybody."""
    from kassay.check import remembering, violations
    from kassay.measuring import measured
    from kassay.reference import ASSIGNORS
    from kassay.targets import Options, open_target

    others = [open_target(name, Options()) for name, each in ASSIGNORS.items() if each.family == forms.name]
    keeping = []
    for other in others:
        assign = remembering(other.assign)
        demanded = {finding.property} | forms.expected
        if not any(violations(forms, name, finding.group, assign, other) for name in demanded):
            keeping.append(measured(other, forms, finding.group))
    return [one for one in keeping if one.failure is None]


def _better(finding: "Finding", forms: "Family", own: "Measured", better: "Sequence[Measured]") -> "Block":
    from kassay.family import Grid
    from kassay.output import Block

    if not better:
        return Block(
            text=f"no reference assignor of the {forms.name} family keeps {finding.property} on this group"
        )
    answers = {one.target: one.assignment for one in better}
    shown = forms.show(finding.group, answers)
    blank = [""] * (len(shown.columns) - len(better) - 1)
    numbers = [[name, *blank, *(str(one.measures[name]) for one in better)] for name in forms.measures]
    compared = [] if own.failure else [f"{name} {own.measures[name]}" for name in forms.measures]
    text = f"the measures of {own.target}: {', '.join(compared)}" if compared else ""
    records = [
        {
            "record": "better",
            "target": one.target,
            "measures": one.measures,
            "assignment": forms.write_assignment(one.assignment),
        }
        for one in better
    ]
    return Block(
        "what would be better",
        text,
        Grid(shown.columns, [*shown.rows, *numbers], shown.note),
        records=records,
    )

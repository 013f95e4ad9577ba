"""Show the assignors, properties, measures, oracles and situations."""

import argparse
from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING, Any

from kassay.docstring import first_sentence

if TYPE_CHECKING:
    from kassay.model import Assignor
    from kassay.output import Block

EXAMPLE = "kassay list --family consumer"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument("--family", metavar="NAME", help="show what belongs to this family alone")


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield a table for each kind of thing, with each one's first sentence."""
    from kassay.assignors import ASSIGNORS
    from kassay.families import FAMILIES, family
    from kassay.reference.releases import behaviours

    names = [args.family] if args.family else list(FAMILIES)
    assignors = {name: a for name, a in ASSIGNORS.items() if a.family in names}
    yield _block(
        "assignors",
        ((name, first_sentence(of_module(a.assign)), a) for name, a in assignors.items()),
    )
    alike = [(name, behaviour) for name in assignors for behaviour in behaviours(name)]
    if alike:
        yield _block(
            "releases that assign alike",
            ((f"{name}@{b.releases[-1]}", f"assigns as Kafka {b}", None) for name, b in alike),
        )
    for each in map(family, names):
        kinds: dict[str, dict[str, Any]] = {
            "invariants": dict(each.invariants),
            "laws": dict(each.laws),
            "measures": {**each.measures, **each.run_measures},
            "situations": dict(each.situations),
        }
        if each.oracles is not None:
            asked = each.oracles.questions.items()
            yield _block(
                f"oracles of the {each.name} family", ((name, text.rstrip("."), None) for name, text in asked)
            )
            if each.oracles.frontiers is not None:
                kinds["frontiers"] = {"frontier": each.oracles.frontiers}
        for kind, table in kinds.items():
            yield _block(
                f"{kind} of the {each.name} family",
                ((name, first_sentence(f.__doc__), None) for name, f in table.items()),
            )
    return 0


def _block(title: str, rows: "Iterable[tuple[str, str, Assignor | None]]") -> "Block":
    from kassay.output import Block
    from kassay.shape import TextTable

    kind, of_family = (
        title.split(maxsplit=1)[0].rstrip("s"),
        title.partition(" of the ")[2].removesuffix(" family"),
    )
    kept = list(rows)
    records = [
        {"kind": kind, "name": name, "sentence": sentence}
        | ({"family": of_family} if of_family else {})
        | ({} if assignor is None else _promised(assignor))
        for name, sentence, assignor in kept
    ]
    grid = TextTable(
        [kind, "what it is"] + ["promises"] * any(assignor for _, _, assignor in kept),
        [[name, sentence] + ([_promises(assignor)] if assignor else []) for name, sentence, assignor in kept],
    )
    return Block(title.capitalize(), grid=grid, records=records)


def _promised(assignor: "Assignor") -> dict[str, object]:
    limits = {name: sorted(terms) for name, terms in sorted(assignor.except_in.items())}
    return {"promises": sorted(assignor.promises)} | ({"except_in": limits} if limits else {})


def _promises(assignor: "Assignor") -> str:
    """Write promises, those with the same exceptions together."""
    from kassay.reports.matrix import words

    limits: dict[str, list[str]] = {}
    for name in sorted(assignor.promises):
        limits.setdefault(words(assignor.except_in.get(name, ())), []).append(name)
    return "; ".join(
        ", ".join(names) + (f", except in {scope}" if scope else "")
        for scope, names in sorted(limits.items())
    )


def of_module(function: Any) -> str | None:
    """Give the docstring of the module in which a function stands."""
    from inspect import getmodule

    return getattr(getmodule(function), "__doc__", None)

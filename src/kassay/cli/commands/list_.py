"""Show the assignors on one screen, the card of one, or what they must keep."""

import argparse
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from inspect import getmodule
from typing import Any

from kassay.errors import InputError
from kassay.model import Assignor
from kassay.output import Block
from kassay.sentences import first_sentence
from kassay.shape import TextTable
from kassay.suggesting import nearest

EXAMPLE = "kassay list consumer/sticky"
TOPICS = {
    "promises": ("invariants", "laws"),
    "situations": ("situations",),
    "measures": ("measures",),
    "questions": ("oracles", "frontiers"),
    "releases": ("releases",),
}
"""What can be listed beside assignors -> the kinds of things that are shown then."""
OTHER_NAMES = {
    "properties": "promises", "invariants": "promises", "laws": "promises",
    "oracles": "questions", "objectives": "questions", "levels": "questions", "frontiers": "questions",
}  # fmt: skip
"""Another name of a topic -> the topic."""
TITLES = {
    "invariants": "{}: what each answer must keep",
    "laws": "{}: what several answers must keep together",
    "situations": "{}: when a promise may have an exception",
    "measures": "{}: what is measured",
    "oracles": "{}: what the best possible can be asked for",
    "frontiers": "{}: what one gives up for another",
    "releases": "How older Kafka did it: the same answers as these releases",
}
"""Kind -> the title over its names, of a family."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument(
        "what", nargs="?", metavar="NAME",
        help=f"an assignor, whose card is shown; or {', '.join(TOPICS)}; default: all assignors on one screen",
    )  # fmt: skip
    parser.add_argument("--family", metavar="NAME", help="show what belongs to this family alone")
    parser.add_argument(
        "--all", action="store_true", help="show everything that there is, each with its first sentence, as --json does"
    )  # fmt: skip


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the screen, a card or tables."""
    from kassay.families import FAMILIES, family
    from kassay.families.assignors import ASSIGNORS

    args.what = OTHER_NAMES.get(args.what, args.what)
    names = [args.family] if args.family else list(FAMILIES)
    for name in names:
        family(name)  # refuse one that does not exist
    own = [name for name, assignor in ASSIGNORS.items() if assignor.family in names]
    whole = args.all or (args.format or "pretty") == "json" or not own
    if args.what is not None and args.what not in TOPICS:
        yield from _card(args.what)
    elif args.what is not None:
        yield from (_told(kind, block) for kind, block in _tables(names) if kind in TOPICS[args.what])
    elif whole:
        yield from (block for _, block in _tables(names))
    else:
        from kassay.cli.render.assignors import render_assignors

        yield from render_assignors(own, names)
    return 0


def _told(kind: str, block: Block) -> Block:
    """Lay a table out for reading: a name and what it is in each row."""
    of = block.title.partition(" of the ")[2].removesuffix(" family")
    title = TITLES[kind].format(of)
    rows = [row[:2] for row in block.grid.rows] if block.grid else []
    return replace(block, title=title, grid=TextTable(["", ""], rows), prose=True)


def _card(name: str) -> Iterator[Block]:
    from kassay.cli.render.assignors import render_card
    from kassay.families.assignors import ASSIGNORS
    from kassay.targets.reference import open_reference

    if "/" not in name and (near := nearest(name, TOPICS)):
        raise InputError(f"there is no {name} to list. Did you mean this?", [f"kassay list {near}"])
    open_reference(name)  # refuses what is no assignor of kassay's, or no release of it
    bare, _, release = name.partition("@")
    assignor = ASSIGNORS[bare]
    yield from render_card(assignor, release, _record("assignor", bare, _sentence(assignor), assignor))


def _sentence(assignor: Assignor) -> str:
    return first_sentence(of_module(assignor.assign))


def _tables(names: Sequence[str]) -> Iterator[tuple[str, Block]]:
    """Yield a table for each kind of thing, with each one's first sentence."""
    from kassay.families import family
    from kassay.families.assignors import ASSIGNORS
    from kassay.reference.releases import behaviours

    assignors = {name: a for name, a in ASSIGNORS.items() if a.family in names}
    yield "assignors", _block("assignors", ((name, _sentence(a), a) for name, a in assignors.items()))
    alike = [(name, behaviour) for name in assignors for behaviour in behaviours(name)]
    if alike:
        yield (
            "releases",
            _block(
                "releases that assign alike",
                ((f"{name}@{b.releases[-1]}", f"same answers as Kafka {b}", None) for name, b in alike),
            ),
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
            yield (
                "oracles",
                _block(
                    f"oracles of the {each.name} family",
                    ((name, text.rstrip("."), None) for name, text in asked),
                ),
            )
            if each.oracles.frontiers is not None:
                kinds["frontiers"] = {"frontier": each.oracles.frontiers}
        for kind, table in kinds.items():
            rows = ((name, _says(f), None) for name, f in table.items())
            yield kind, _block(f"{kind} of the {each.name} family", rows)


def _says(function: Any) -> str:
    """Return the first sentence of a function's docstring; of one that is called with arguments bound, the function's own."""
    return first_sentence(getattr(function, "func", function).__doc__)


def _block(title: str, rows: Iterable[tuple[str, str, Assignor | None]]) -> Block:

    kind, of_family = (
        title.split(maxsplit=1)[0].rstrip("s"),
        title.partition(" of the ")[2].removesuffix(" family"),
    )
    kept = list(rows)
    records = [_record(kind, name, sentence, assignor, of_family) for name, sentence, assignor in kept]
    grid = TextTable(
        [kind, "what it is"] + ["promises"] * any(assignor for _, _, assignor in kept),
        [[name, sentence] + ([_promises(assignor)] if assignor else []) for name, sentence, assignor in kept],
    )
    return Block(title.capitalize(), grid=grid, records=records)


def _record(
    kind: str, name: str, sentence: str, assignor: Assignor | None, of_family: str = ""
) -> dict[str, object]:
    return (
        {"kind": kind, "name": name, "sentence": sentence}
        | ({"family": of_family} if of_family else {})
        | ({} if assignor is None else _promised(assignor))
    )


def _promised(assignor: Assignor) -> dict[str, object]:
    known = {name: sorted(terms) for name, terms in sorted(assignor.except_in.items())}
    record: dict[str, object] = {"promises": sorted(assignor.promises)}
    if known:
        record["except_in"] = known
    if assignor.limits:
        record["limits"] = sorted(assignor.limits)
    return record


def _promises(assignor: Assignor) -> str:
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
    return getattr(getmodule(function), "__doc__", None)

"""List assignors, or describe one."""

import argparse
from collections.abc import Generator

from kassay.errors import InputError
from kassay.output import Block
from kassay.sentences import find_nearest

EXAMPLE = "kassay list consumer/sticky"
TOPICS = {
    "promises": ("invariants", "laws"),
    "situations": ("situations",),
    "measures": ("measures",),
    "questions": ("oracles", "frontiers"),
    "releases": ("releases",),
}
"""Topic that can be listed, next to assignors -> the kinds of things that are shown for it."""
OTHER_NAMES = {
    "properties": "promises", "invariants": "promises", "laws": "promises",
    "oracles": "questions", "objectives": "questions", "levels": "questions", "frontiers": "questions",
}  # fmt: skip
"""Another name of a topic -> the topic."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument(
        "what", nargs="?", metavar="NAME",
        help=f"an assignor, or {', '.join(TOPICS)} (default: all assignors)",
    )  # fmt: skip
    parser.add_argument("--family", metavar="NAME", help="show this family only")
    parser.add_argument("--all", action="store_true", help="describe all items, as --json does")


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the screen, a card or tables."""
    from kassay.cli.render.assignors import TITLES, build_tables, lay_out_table, render_assignors, render_card
    from kassay.families import FAMILIES, family
    from kassay.families.assignors import ASSIGNORS
    from kassay.targets.reference import open_reference

    what = OTHER_NAMES.get(args.what, args.what)
    names = [args.family] if args.family else list(FAMILIES)
    for name in names:
        family(name)  # refuse one that does not exist
    own = [name for name, assignor in ASSIGNORS.items() if assignor.family in names]
    if what in TOPICS:
        tables = (table for table in build_tables(names) if table[0] in TOPICS[what])
        yield from (lay_out_table(TITLES[kind], block) for kind, block in tables)
    elif what is not None:
        if "/" not in what and (near := find_nearest(what, TOPICS)):
            raise InputError(f"list: there is no {what}. Did you mean this?", [f"kassay list {near}"])
        open_reference(what)  # refuse what is no assignor of kassay's, or no release of it
        bare, _, release = what.partition("@")
        yield from render_card(ASSIGNORS[bare], release)
    elif args.all or args.format == "json" or not own:
        yield from (block for _, block in build_tables(names))
    else:
        yield from render_assignors(own, names)
    return 0

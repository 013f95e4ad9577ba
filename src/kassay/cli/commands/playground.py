"""Open an interactive page that assigns a group in the browser."""

import argparse
import webbrowser
from collections.abc import Generator
from pathlib import Path

from kassay.output import Block
from kassay.playground.link import fragment

EXAMPLE = "kassay playground --group members.txt"
FOLDER = "kassay-playground"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument(
        "--group", metavar="FILE",
        help="open with this group: JSON, a finding or output of Kafka's tools",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="FOLDER", default=FOLDER, help=f"folder of the page (default: {FOLDER})"
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield where the playground is, with the group in its link; 0, since nothing is judged here."""
    from kassay.playground.folder import read_given, write_page

    yours = [] if args.group is None else [read_given(args.group)]
    folder = Path(args.out)
    write_page(folder, yours)
    state = [fragment({name: one[name] for name in ("group", "notes")}) for one in yours]
    link = "#".join([(folder.resolve() / "index.html").as_uri(), *state])
    told = [
        f"The playground is {folder / 'index.html'}.",
        *(f"{one['name']}: {headline(one)}" for one in yours),
    ]
    record = {
        "record": "playground",
        "page": str(folder / "index.html"),
        "link": link,
        "engine": has_engine(folder),
    }
    if not has_engine(folder):
        told.append(MISSING.format(folder=folder))
    yield Block(text="\n".join(told), records=[record], prose=True)
    yield Block(commands=[(link, "")], status="Exit status 0: the page is written.")
    if not args.no_browser and args.format in (None, "pretty"):
        webbrowser.open(link)
    return 0


MISSING = (
    "It shows what is answered already, and answers nothing new: {folder}/engine is not there. "
    "In a checkout of kassay, `nox -s playground -- {folder}` makes it, of 17 MB."
)


def has_engine(folder: Path) -> bool:
    """Return True if a folder holds the engine, which the wheel of kassay does not."""
    return (folder / "engine" / "parts.js").exists()


def headline(one: dict[str, object]) -> str:
    """Return the first sentence about an answered preset."""
    answer = one["answer"]
    assert isinstance(answer, dict)
    return "".join(answer["headline"])

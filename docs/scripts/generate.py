"""Write the generated parts of README and docs from kassay itself; without ``--write`` only check that they are fresh.

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``; names as arguments choose some of them.
Parts in ``SLOW`` are only made if their inputs changed since they were written; ``--anew`` makes them in any case.
"""

import io
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from clients_page import write_client_settings
from command import run_kassay
from commands import write_commands
from coordinators import write_differences, write_errors
from figures import find_pages
from findings import VIEWS
from hero import GROUP, draw_hero
from imports import draw_imports
from index import write_index
from judged import check_assignors
from kept_parts import hash_inputs, is_fresh, keep
from listing import PAGES, write_family, write_properties
from old_bugs import write_old_bugs, write_staged_bugs
from promise_matrix import build_matrix
from scenarios import FOLDER, build_table, draw_diagrams
from shares import build_shares
from simulated import list_faults, list_invariants, list_known_defects, list_mutants, list_programs
from speeds import write_speeds
from spread import write_report, write_spread_of_topics
from spread_drawn import NAME, draw_spread
from spread_of_tasks import write_spread_of_subtopologies
from tables import TABLES, write_recorded_table
from upstream_reports import VIEWS as UPSTREAM

from kassay.defaults import FAMILY
from kassay.engine.verdict import Distance, Verdict
from kassay.families.assignors import ASSIGNORS
from kassay.families.shape import TextTable
from kassay.output import Block
from kassay.output.formats import write_markdown
from kassay.reports.sweep.rows import COLUMNS

ROOT = Path(__file__).parents[2]
PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def write_blocks(blocks: Sequence[Block]) -> str:
    """Write blocks as Markdown."""
    out = io.StringIO()
    write_markdown(blocks, out)
    return out.getvalue()


def write_table(grid: TextTable) -> str:
    """Write a table of kassay's own words, in which no sign has to be escaped."""
    return (
        write_blocks([Block(grid=grid)])
        .replace("\\_", "_")
        .replace("\\`", "`")
        .replace("\\[", "[")
        .replace("\\]", "]")
    )


@cache
def check_all() -> tuple[list[Verdict], list[Distance]]:
    """Return verdicts and distances of the assignors of the family that is meant where none is named."""
    return check_assignors([name for name, assignor in ASSIGNORS.items() if assignor.family == FAMILY])


def write_verdicts() -> str:
    """Make the matrix of properties and assignors."""
    return write_blocks([Block(grid=build_matrix(*check_all()))])


def write_assignors() -> str:
    """Make the README's table: how often the assignors are right, and two of their promises."""
    return write_blocks([Block(grid=build_shares(ROOT / "grids" / "quick.toml", check_all()[0]))]).replace(
        "\\_", "_"
    )


def write_comparison() -> str:
    """Return the output of the README's command, up to the recommendation."""
    shown = run_kassay("compare", "--group", GROUP, "--client", "java").partition("\nClient:")[0]
    return f"```text\n{shown.rstrip()}\n...\n```\n"


def write_next_rebalance() -> str:
    """Print what the command of docs/guides/changes.md prints."""
    return f"```text\n{run_kassay('what-if', '--group', GROUP, '--join', '2').rstrip()}\n```\n"


def write_scoreboard() -> str:
    """Show what released clients keep of the fixtures."""
    return run_kassay("scoreboard", "--format", "markdown")


def write_columns() -> str:
    """Return a row for each column of a sweep, and for each key of a cell."""
    return write_table(
        TextTable(["column", "meaning"], [[f"`{column.name}`", column.says] for column in COLUMNS])
    )


def write_imports() -> str:
    """Draw what imports what."""
    return draw_imports(ROOT / "src" / "kassay")


LISTS: dict[str, Callable[[], TextTable]] = {
    "scenarios": build_table, "faults": list_faults, "programs": list_programs, "invariants": list_invariants, "known": list_known_defects,
    "mutants": list_mutants,
}  # fmt: skip
"""Part of a page -> the function that builds its table."""
PARTS: dict[str, Callable[[], str]] = {
    "index": write_index, "commands": write_commands, **VIEWS, **UPSTREAM,
    "verdicts": write_verdicts, "assignors": write_assignors, "compared": write_comparison, "next": write_next_rebalance, "imports": write_imports, "scoreboard": write_scoreboard,
    "properties": write_properties,
    **{f"family_{name.replace('-', '_')}": lambda name=name: write_family(name) for name in PAGES},
    "columns": write_columns, "speeds": write_speeds,
    "spread_happened": write_report, "spread_of_topics": write_spread_of_topics, "spread_of_subtopologies": write_spread_of_subtopologies,
    "differences": write_differences, "errors": write_errors, "client_settings": write_client_settings,
    "old_bugs": write_old_bugs, "staged_bugs": write_staged_bugs,
    **{name: lambda rows=rows: write_table(rows()) for name, rows in LISTS.items()},
    **{part: lambda part=part: write_recorded_table(part) for part in TABLES},
}  # fmt: skip
SLOW = ("verdicts", "assignors")
"""Parts that take minutes: they check assignors on thousands of groups."""
PICTURES: dict[str, bool] = {"hero.svg": False, "hero-narrow.svg": True}
"""The README's picture in docs/, and whether it is the narrow one."""


def main() -> int:
    """Write or check all files; return 1 if one is stale."""
    chosen = [argument for argument in sys.argv[1:] if not argument.startswith("--")] or [*PARTS]
    if unknown := set(chosen) - PARTS.keys():
        raise SystemExit(f"there is no part {', '.join(sorted(unknown))}; known are {', '.join(PARTS)}")
    read = {file: file.read_text(encoding="utf-8") for file in find_pages()}
    shown = {
        part[2]: part[0][len(part[1]) : -len(part[3])]
        for text in read.values()
        for part in PART.finditer(text)
    }
    inputs = hash_inputs()
    made = {
        name: PARTS[name]()
        for name in chosen
        if name not in SLOW or "--anew" in sys.argv or not is_fresh(name, inputs, shown[name])
    }
    fresh = {
        file: PART.sub(
            lambda part: f"{part[1]}{made[part[2]]}{part[3]}" if part[2] in made else part[0], text
        )
        for file, text in read.items()
    }
    fresh |= {ROOT / "docs" / name: draw_hero(ROOT, narrow=narrow) for name, narrow in PICTURES.items()}
    fresh[ROOT / "docs" / NAME] = draw_spread()
    fresh |= {ROOT / "docs" / FOLDER / name: picture for name, picture in draw_diagrams().items()}
    stale = 0
    for file, text in fresh.items():
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            if "--write" in sys.argv:
                file.write_text(text, encoding="utf-8")
            else:
                print(f"{file.relative_to(ROOT)} is stale: run `nox -s site -- --write`", file=sys.stderr)
                stale = 1
    if "--write" in sys.argv:
        for name in made.keys() & {*SLOW}:
            keep(name, inputs, made[name])
    return stale


if __name__ == "__main__":
    raise SystemExit(main())

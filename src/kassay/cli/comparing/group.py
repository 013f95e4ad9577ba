"""Show what each target does with one group, beside what the group has now: as a table, and on a page."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.cli.options import tables

if TYPE_CHECKING:
    from kassay.comparison.advice import Advice, Known
    from kassay.comparison.measured import Measured
    from kassay.family import Family
    from kassay.files.reading import Read
    from kassay.output import Block
    from kassay.shape import TextTable
    from kassay.targets.target import Target


def on_group(
    args: Namespace, read: "Read", row: "Sequence[Measured]", of_family: "Family", targets: "Sequence[Target]"
) -> "Iterator[Block]":
    """Show what each target does with one group, say what to change, and make a page where one is asked for."""
    from kassay.comparison.advice import advice
    from kassay.comparison.knowing import known
    from kassay.comparison.measured import present

    order = args.order if of_family.leader_order else "as-given"
    now = present(of_family, read.value)
    facts = known(
        of_family, read.value, row, now, targets,
        in_use=args.in_use or read.in_use, home=read.family, wanted=read.wanted, file=read.file,
    )  # fmt: skip
    told = advice(facts)
    yield of_group(read, row, now, of_family, order, shown=tables(args))
    yield advised(read, told)
    if args.html is not None:
        yield on_a_page(Path(args.html), read, facts, told, order)


def of_group(
    read: "Read",
    row: "Sequence[Measured]",
    now: "Measured | None",
    of_family: "Family",
    order: str,
    *,
    shown: bool,
) -> "Block":
    """Say what each target gives the members of one group, with measures and gaps to the optimum; as a table where shown."""
    from kassay.kafka_tools.listed import ORDERED
    from kassay.output import Block

    said = [f"{one.target} {trouble}" for one in row if (trouble := _trouble(one, of_family))]
    if now is not None and now.broken:
        said.insert(
            0,
            f"what the group has now is not complete and legal, it breaks {', '.join(now.broken)}; its measures are not comparable",
        )
    said += [ORDERED] * (order == "leader")
    records = [] if now is None else [
        {
            "record": "present", "where": read.where, "measures": now.measures, **of_family.shape.write_answer(now.assignment),
            "legal": now.legal, "broken": now.broken, "gaps": [asdict(gap) for gap in now.gaps],
        }
    ]  # fmt: skip
    records += [
        {
            "record": "compared", "where": read.where, "order": order, "target": one.target, "family": one.family, "measures": one.measures, "failure": one.failure,
            **({"assignment": None} if one.failure else of_family.shape.write_answer(one.assignment)),
            "legal": one.legal, "broken": one.broken, "rebalances": one.rebalances, "at_rest": one.at_rest,
            "gaps": [asdict(gap) for gap in one.gaps],
        }
        for one in row
    ]  # fmt: skip
    return Block(
        read.where, "\n".join(said), _table(read, now, row, of_family) if shown else None, records=records
    )


def _table(
    read: "Read", now: "Measured | None", row: "Sequence[Measured]", of_family: "Family"
) -> "TextTable":
    """Make a table of what each target gives the members of a group, with measures and gaps to the optimum below.

    Those of the present assignment stand in its own column, the last before the targets'.
    """
    from kassay.shape import TextTable

    answered = [one for one in row if one.failure is None]
    shown = of_family.shape.show(read.value, {one.target: one.assignment for one in answered})
    known = [*([now] if now is not None else []), *answered]
    blank = [""] * (len(shown.columns) - len(known) - 1)
    names = [*of_family.measures, *of_family.run_measures]
    numbers = [[name, *blank, *(str(one.measures.get(name, "-")) for one in known)] for name in names]
    if any(one.rebalances > 1 for one in known):
        numbers.append(["rebalances", *blank, *map(_rebalances, known)])
    levels = dict.fromkeys(gap.level for one in known for gap in one.gaps) or (
        of_family.oracles.levels if of_family.oracles else ()
    )
    numbers += [[f"gap in {level}", *blank, *(_gap(one, level) for one in known)] for level in levels]
    return TextTable(shown.columns, [*shown.rows, *numbers], shown.note)


def advised(read: "Read", told: "Advice") -> "Block":
    """Say in sentences what came out for one group, and what to change."""
    from kassay.output import Block

    record = {
        "record": "advice", "where": read.where, "advice": told.says, "assignor": told.assignor or None,
        "set": list(told.lines), "compare": list(told.compare),
    }  # fmt: skip
    return Block(says=told.headline, text=told.says, code=told.lines, records=[record], prose=True)


def on_a_page(path: Path, read: "Read", known: "Known", told: "Advice", order: str) -> "Block":
    """Write the page of one group, and say where it is."""
    from kassay.output import Block
    from kassay.reports.page.groups.group_page import write_group_page

    write_group_page(path, read, known, told, order)
    record = {"record": "page", "page": str(path), "sentences": told.sentences}
    return Block(text=f"page: {path}", records=[record])


def _trouble(one: "Measured", of_family: "Family") -> str:
    """Say why there is nothing to measure, or what the numbers are of; "" where they are of a complete and legal answer at once."""
    if one.failure is not None:
        return f"gives no assignment: {one.failure}"
    if one.broken:
        return f"gives no complete and legal answer, it breaks {', '.join(one.broken)}; its measures are not comparable"
    if not one.at_rest:
        return f"does not come to rest within {one.rebalances} rebalances; its measures are not comparable"
    if one.rebalances > 1:
        return f"comes to rest after {one.rebalances} rebalances; measures and gaps are of the last answer"
    if of_family.oracles and of_family.provisional(one.assignment):
        return "asks for another rebalance: its answer is provisional, and not compared with the optimum"
    return ""


def _rebalances(one: "Measured") -> str:
    from kassay.comparison.measured import NOW

    return "-" if one.target == NOW else str(one.rebalances) if one.at_rest else f"> {one.rebalances}"


def _gap(one: "Measured", level: str) -> str:
    from kassay.comparison.headline import written

    gaps = {gap.level: gap for gap in one.gaps}
    return written(gaps[level]) if level in gaps else "-"

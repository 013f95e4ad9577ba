"""Show what each target does with one group, beside what the group has now: as a table, and on a page."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kassay.comparison.advice import Advice, Known
    from kassay.comparison.measured import Measured
    from kassay.comparison.strategies import Restart
    from kassay.family import Family
    from kassay.files.reading import Read
    from kassay.oracles.answers import Dominated, Gap
    from kassay.output import Block
    from kassay.targets.target import Target


def on_group(
    args: Namespace, read: "Read", row: "Sequence[Measured]", of_family: "Family", targets: "Sequence[Target]"
) -> "Iterator[Block]":
    """Show what each target does with one group, say what to change, and make a page where one is asked for."""
    from kassay.cli.saying.comparing.group import advised, assumed, blocks
    from kassay.comparison.advice import advice
    from kassay.comparison.knowing import known
    from kassay.comparison.measured import present
    from kassay.comparison.strategies import restart
    from kassay.files.reading import called

    order = args.order if of_family.leader_order else "as-given"
    now = present(of_family, read.value)
    facts = known(
        of_family, read.value, row, now, targets,
        in_use=args.in_use or read.in_use, home=read.family, wanted=read.wanted, file=read.file, name=called(read),
        listed=bool(read.listed), warnings=read.warnings,
    )  # fmt: skip
    told = advice(facts)
    rolling = restart(of_family, read.value, targets)
    records = records_of(read, row, now, of_family, order, rolling, facts.dominated)
    yield from blocks(facts, told, rolling, records)
    yield from advised(told, advice_record(read, told))
    yield from assumed(facts, rolling, page=args.html is not None)
    if args.html is not None:
        yield on_a_page(Path(args.html), read, facts, told, order, rolling, targets)


def records_of(
    read: "Read",
    row: "Sequence[Measured]",
    now: "Measured | None",
    of_family: "Family",
    order: str,
    rolling: "Restart | None" = None,
    dominated: "Mapping[str, Dominated] | None" = None,
) -> list[dict[str, Any]]:
    """Make the JSON of what a group has now, and of what each target gives its members, with all measures and gaps to the optimum."""
    records = [] if now is None else [
        {
            "record": "present", "where": read.where, "measures": now.measures, **of_family.shape.write_answer(now.assignment),
            "legal": now.legal, "broken": now.broken, "gaps": [_gap(gap) for gap in now.gaps],
        }
    ]  # fmt: skip
    records += [
        {
            "record": "compared", "where": read.where, "order": order, "target": one.target, "family": one.family, "measures": one.measures, "failure": one.failure,
            **({"assignment": None} if one.failure else of_family.shape.write_answer(one.assignment)),
            "legal": one.legal, "broken": one.broken, "rebalances": one.rebalances, "at_rest": one.at_rest,
            "gaps": [_gap(gap) for gap in one.gaps],
            "rolling_restart": rolling.moves.get(one.target) if rolling else None,
            "dominated": _dominated((dominated or {}).get(one.target), of_family),
        }
        for one in row
    ]  # fmt: skip
    return records


def advice_record(read: "Read", told: "Advice") -> dict[str, Any]:
    """Make the JSON of what to change."""
    return {
        "record": "advice", "where": read.where, "says": told.headline, "advice": told.says, "assignor": told.assignor or None,
        "set": list(told.lines), "compare": list(told.compare), "price": told.price,
    }  # fmt: skip


def on_a_page(
    path: Path,
    read: "Read",
    known: "Known",
    told: "Advice",
    order: str,
    rolling: "Restart | None",
    targets: "Sequence[Target]",
) -> "Block":
    """Write the page of one group, and say where it is."""
    from kassay.cli.saying.comparing.group import why
    from kassay.comparison.strategies import restart
    from kassay.output import Block
    from kassay.reports.page.groups.group_page import write_group_page
    from kassay.targets.reference import open_reference

    others = [open_reference(one.target) for one in known.others]
    if others:
        rolling = restart(known.family, read.value, [*targets, *others])
    write_group_page(path, read, known, told, order, rolling, why(known))
    record = {"record": "page", "page": str(path), "sentences": told.sentences}
    return Block(text=f"The page: {path}", records=[record])


def _dominated(found: "Dominated | None", of_family: "Family") -> "dict[str, Any] | None":
    """Make the JSON of a verdict: true, false or not known, the level's value and the least that costs nothing, and an assignment that has it."""
    if found is None:
        return None
    better = of_family.shape.write_answer(found.better) if found.verdict else {"assignment": None}
    return {
        "level": found.level, "value": found.value, "least": found.least, "verdict": found.verdict, "better": better["assignment"],
        "question": found.question or None,
    }  # fmt: skip


def _gap(gap: "Gap") -> dict[str, Any]:
    return {"level": gap.level, "value": gap.value, "optimum": gap.optimum}

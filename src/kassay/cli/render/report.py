"""The output of `kassay report` and `kassay sweep`: a row for each assignor, and what to do next."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from kassay.comparison.headline import label_targets_uniquely
from kassay.families.family import Question
from kassay.families.shape import TextTable
from kassay.output import Block

if TYPE_CHECKING:
    from kassay.reports.page.report import Report

STATUSES = {
    "ok": "correct", "settled": "converged", "illegal": "incorrect", "unsettled": "not converged", "refused": "error", "skipped": "skipped",
    "timeout": "timeout", "died": "crashed", "memory": "out of memory",
}  # fmt: skip
"""Status of an answer -> the head of its column."""


def render_report(
    made: "Report",
    asked: Sequence[Question],
    studies: Sequence[str],
    sweep: Path,
    record: Mapping[str, object],
) -> Iterator[Block]:
    """Yield the result, a row for each target with research assignors last, the other sentences, and the path of the page."""
    frame, (says, *rest) = made.questions.frame, made.sentences
    yield Block(says=says, records=[record])
    yield Block(prose=True, grid=_build_table(frame, asked, studies))
    meant = "; ".join(f"{each.shown}: {each.says}" for each in asked)
    text = f"Each column counts the groups in which a target can fail. {meant[:1].upper()}{meant[1:]}."
    yield Block(prose=True, text=text)
    yield Block(prose=True, text="\n".join(rest))
    if made.unwritable is None:
        yield Block(prose=True, text="Page:", code=[f"  {made.page}"])
    names = [name for name in _sort_targets(frame, studies) if name not in studies]
    if len(names) > 1:
        one, other = (shlex.quote(name) for name in names[:2])
        command = f"kassay compare {one} --sweep {shlex.quote(str(sweep))} --not-worse-than {other}"
        yield Block(commands=[(command, "")])


def _build_table(frame: pd.DataFrame, asked: Sequence[Question], studies: Sequence[str]) -> TextTable:
    """Return the percentages of the targets, the best first; each column names its number of groups."""
    from kassay.reports.tables.table import format_value

    found = {(row["question"], row["target"]): row for row in frame.to_dict("records")}
    targets = [str(name) for name in dict.fromkeys(frame["target"])]
    known = label_targets_uniquely(targets)
    order = _sort_targets(frame, studies)
    headed = bool(studies) and len(studies) < len(targets)
    rows: list[list[str]] = []
    for name in order:
        if headed and name in studies and all(row[0] != "research" for row in rows):
            rows.append(["research", *[""] * len(asked)])
        indent = "  " * (headed and name in studies)
        shares = [format_value(found[each.name, name]["share"], "share") for each in asked]
        rows.append([f"{indent}{known[name]}", *shares])
    columns = [f"{each.shown}\nof {int(found[each.name, order[0]]['of']):,}" for each in asked]
    return TextTable(["assignor\n", *columns], rows)


def _sort_targets(frame: pd.DataFrame, studies: Sequence[str]) -> list[str]:
    """Return the targets by decreasing sum of percentages, research assignors last."""
    total = frame.groupby("target")["share"].sum()
    names = [str(name) for name in dict.fromkeys(frame["target"])]
    return sorted(names, key=lambda name: (name in studies, -float(total[name])))


def render_sweep(
    folder: Path, groups: int, run: str, counts: Mapping[str, Mapping[str, int]]
) -> Iterator[Block]:
    """Yield the number of evaluated groups, and a row for each target with its answers by status."""
    every = sum(sum(counted.values()) for counted in counts.values())
    who = f"{len(counts)} assignors" if len(counts) > 1 else next(iter(counts))
    each = {sum(counted.values()) for counted in counts.values()}
    changes = f" and their changes: {every:,} answers" if max(each) > groups else ""
    used = [name for name in STATUSES if any(counted.get(name) for counted in counts.values())]
    shown = [name for name in STATUSES if name in used or name == "ok"]
    known = label_targets_uniquely(list(counts))
    rows = [
        [known[target], *(f"{counted.get(status, 0):,}" for status in shown)]
        for target, counted in counts.items()
    ]
    yield Block(
        says=f"{folder}: {who} evaluated on {groups:,} group{'s' * (groups != 1)}{changes}.",
        records=[
            {"record": "swept", "folder": str(folder), "run": run, "groups": groups, "target": target, "rows": counted}
            for target, counted in counts.items()
        ],
    )  # fmt: skip
    yield Block(prose=True, grid=TextTable(["assignor", *(STATUSES[name] for name in shown)], rows))
    if "settled" in used:
        yield Block(prose=True, text="converged: correct after the follow-up rebalances (KIP-429).")
    yield Block(commands=[(f"kassay report {shlex.quote(str(folder))}", "the HTML report")])

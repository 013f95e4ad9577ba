"""What `kassay simulate` shows: the verdicts on the invariants, the schedules that break one, how many were tried."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from kassay.cli.verdicts import verdict_record
from kassay.docstring import first_sentence
from kassay.engine.verdict import Verdict
from kassay.output import Block, JUnitCase
from kassay.output.block import json_line
from kassay.shape import TextTable
from kassay.simulation.group import Simulation, save
from kassay.simulation.picture.timeline import timeline, written
from kassay.simulation.picture.wording import fault_line
from kassay.simulation.search.campaign import Campaign, Found
from kassay.simulation.search.promises import INVARIANTS

SHOWN = 100
"""How many lines of a timeline are printed, the last ones; the file and the diagram have all."""


def judged_table(group: Simulation, judged: list[Verdict], of: str = "schedules") -> Block:
    """Show the verdict on each invariant; `of` says of what the counts are."""
    rows = [[one.property, one.outcome, f"{one.breaches:,} of {one.judged:,}", one.message] for one in judged]
    return Block(
        f"{group.name} in a group of the use {group.setting.use}, coordinator {group.setting.coordinator}",
        grid=TextTable(["invariant", "verdict", of, "because"], rows),
        records=[verdict_record(one) for one in judged],
        cases=[JUnitCase(one.target, one.property, one.outcome, one.message) for one in judged],
    )


def shown(args: argparse.Namespace, group: Simulation, one: Found) -> Block:
    """Show a schedule that breaks an invariant: what breaks, the faults, the timeline, and how to see it again."""
    does = f"known to break in {'+'.join(one.known)}" if one.known else "broken"
    block = happened(args, group, one)
    meaning = f"{one.invariant}: {first_sentence(INVARIANTS[one.invariant].__doc__)}"
    return replace(block, title=f"{one.invariant} ({does})", text=f"{meaning}\n{one.sentence}\n{block.text}")


def happened(args: argparse.Namespace, group: Simulation, one: Found) -> Block:
    """Show the faults of a schedule and the timeline of its run; save both where a folder is given."""
    trace = timeline(group.run(one.schedule, trace=True).trace)
    saved = group.saved(one, args.seed)
    lines = written(trace).splitlines()
    cut = [f"... {len(lines) - SHOWN} lines before"] if len(lines) > SHOWN else []
    faults = [f"  {fault_line(fault)}" for fault in one.schedule.faults] or ["  none"]
    size = "smallest schedule" if one.minimised else "smallest schedule found in the tries there were"
    code = [f"seed {args.seed}, schedule {one.number}, {size}, as JSON: {json_line(saved)}"]
    if args.folder is not None:
        path = save(Path(args.folder), saved, trace)
        trust = " --trust" if ":" in saved.target else ""
        code.append(f"replay: kassay simulate --replay {path}{trust}   (diagram: {path.with_suffix('.svg')})")
    text = "\n".join(["faults:", *faults, "what happens:", *cut, *lines[-SHOWN:]])
    record: dict[str, Any] = {
        "record": "schedule",
        "invariant": one.invariant,
        "known": one.known,
        "schedule": saved,
    }
    return Block("what happens", text, code=code, records=[record])


def tried(args: argparse.Namespace, group: Simulation, campaign: Campaign, *, whole: bool) -> Block:
    """Say how many schedules were run, and how long the groups took to become stable."""
    rounds = max(campaign.rounds, default=0)
    said = [
        f"{campaign.ran:,} schedules with seed {args.seed}"
        + ("" if whole else f" of {args.schedules:,}: interrupted"),
        f"stable at most {campaign.slowest_ms / 1000:g} s and {rounds} generations after the last fault",
    ]
    said += [f"the assignor failed: {failure}" for failure in group.failures]
    record = {
        "record": "simulated", "target": group.name, "schedules": campaign.ran, "seed": args.seed, "whole": whole,
        "slowest_ms": campaign.slowest_ms, "rounds": rounds, "failures": group.failures,
    }  # fmt: skip
    return Block(text="\n".join(said), records=[record])


def on_a_page(
    args: argparse.Namespace,
    group: Simulation,
    judged: list[Verdict],
    findings: list[Found],
    campaign: Campaign,
) -> Block:
    """Write the page of verdicts and schedules, and say where it is."""
    from kassay.reports.page.simulation_page import write_simulation_page

    headline = write_simulation_page(Path(args.html), group, judged, findings, campaign.ran, args.seed)
    record = {"record": "page", "page": args.html, "sentences": [headline]}
    return Block(text=f"{headline}\npage: {args.html}", records=[record])

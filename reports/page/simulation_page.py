"""The page of a simulation: the failure causes, each with its faults, sequence diagram and timeline, and the checked invariants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from kassay import __version__
from kassay.engine.verdict import Verdict
from kassay.families.shape import TextTable
from kassay.files.output import write_whole
from kassay.output.block import BROKEN, KEPT, KNOWN_DEFECT
from kassay.protocol.server.outside_invariants import OF_CLIENTS
from kassay.protocol.simulation.group import INVARIANTS, Shown
from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.timeline import (
    build_timeline,
    describe_timed_fault,
    render_diagram,
    render_text,
)
from kassay.reports.page.inline import as_script, mark_trusted, render_page
from kassay.sentences import read_first_sentence

LOOKS = {BROKEN: "broken", KEPT: "kept", KNOWN_DEFECT: "known"}
"""Outcome of a verdict -> class of its cell."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One failure cause: its smallest schedule, the violations, and the meaning of the violated invariants."""

    shown: Shown
    broke: Sequence[str]
    meant: Sequence[str]


@dataclass(frozen=True, slots=True)
class Played:
    """The group of the page: the name of its assignor or client, its setting and coordinator."""

    name: str
    setting: Setting
    coordinator: str
    properties: Mapping[str, Any]
    """The properties of the assignor's answers."""


def write_simulation_page(
    path: Path,
    group: Played,
    says: str,
    judged: Sequence[Verdict],
    told: Sequence[Cause],
    seed: int,
    differences: TextTable | None = None,
) -> None:
    """Write the page into a file, with the terminal's first sentence as headline; raises InputError if the file cannot be written.

    `differences` has the responses of an external coordinator that differ from Kafka's.
    """
    setting = group.setting
    kind = ["cooperative"] * setting.cooperative + ["static"] * setting.static
    meta = [
        ("kassay", __version__),
        ("client" if group.name.startswith("client:") else "assignor", group.name),
        ("use", setting.use),
        ("coordinator", group.coordinator),
        ("members of the group", " ".join([str(setting.members), *kind])),
        ("partitions of topics", ", ".join(map(str, setting.partitions))),
        ("seed", str(seed)),
    ]
    page = {
        "title": f"{group.name} under faults: {says}",
        "headline": says,
        "meta": meta,
        "verdicts": [
            [one.property, describe_property(one.property, group.properties), one.outcome, LOOKS.get(one.outcome, "none"), f"{one.breaches:,} of {one.judged:,}", one.message]
            for one in judged
        ],
        "schedules": [_schedule(one) for one in told],
        "differences": differences,
        "style": "",
        "foot": f"Made by kassay {__version__}. This page needs no network.",
    }  # fmt: skip
    write_whole(path, render_page("simulation", page))


def describe_property(name: str, properties: Mapping[str, Any]) -> str:
    """Return the meaning of an invariant of the group or of clients, or of a property of the assignor's answers."""
    return read_first_sentence((INVARIANTS | OF_CLIENTS | {**properties})[name].__doc__)


def _schedule(told: Cause) -> dict[str, Any]:
    one = told.shown.found
    title = told.broke[0] if told.broke else "What happens"
    file = as_script(msgspec.to_builtins(told.shown.saved))
    trace = build_timeline(told.shown.notes)
    drawing, messages = render_diagram(trace, title), render_text(trace)
    return {
        "title": title,
        "known": bool(one.known),
        "broke": told.broke[1:],
        "meant": told.meant,
        "size": "the smallest schedule" if one.minimised else "the smallest schedule found so far",
        "number": one.number,
        "faults": [describe_timed_fault(fault) for fault in one.schedule.faults],
        "diagram": mark_trusted(drawing),
        "timeline": messages,
        "json": file,
    }

"""The page of a simulation: the verdicts on the invariants, and of each schedule its faults, timeline and sequence diagram."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from kassay import __version__
from kassay.docstring import first_sentence
from kassay.engine.verdict import BROKEN, KEPT, KNOWN_DEFECT, Verdict
from kassay.files.writing import write_whole
from kassay.reports.page.rendering import as_script, ours, rendered
from kassay.simulation.group import Simulation
from kassay.simulation.picture.diagram import diagram
from kassay.simulation.picture.timeline import timeline, written
from kassay.simulation.picture.wording import fault_line
from kassay.simulation.search.campaign import Found
from kassay.simulation.search.promises import INVARIANTS

LOOKS = {BROKEN: "broken", KEPT: "kept", KNOWN_DEFECT: "known"}
"""Class of a verdict's cell; the others have none."""


def write_simulation_page(
    path: Path, group: Simulation, judged: Sequence[Verdict], found: Sequence[Found], ran: int, seed: int
) -> str:
    """Write the page into a file and return its headline; raises InputError where the file cannot be written."""
    setting, said = group.setting, headline(judged, ran)
    kind = ["cooperative"] * setting.cooperative + ["static"] * setting.static
    meta = [
        ("kassay", __version__),
        ("assignor", group.name),
        ("use", setting.use),
        ("coordinator", setting.coordinator),
        ("members of the group", " ".join([str(setting.members), *kind])),
        ("partitions of topics", ", ".join(map(str, setting.partitions))),
        ("seed", str(seed)),
    ]
    page = {
        "title": f"{group.name} under faults: {said}",
        "headline": said,
        "meta": meta,
        "verdicts": [
            [one.property, meaning(one.property, group), one.outcome, LOOKS.get(one.outcome, "none"), f"{one.breaches:,} of {one.judged:,}", one.message]
            for one in judged
        ],
        "schedules": [_schedule(group, one, seed) for one in found],
        "style": "",
        "foot": f"Made by kassay {__version__}. This page needs no network.",
    }  # fmt: skip
    write_whole(path, rendered("simulation", page))
    return said


def headline(judged: Sequence[Verdict], ran: int) -> str:
    """Say how many invariants broke in how many schedules, and how many of them are known to."""
    schedules = f"{ran:,} schedule{'s' * (ran != 1)}"
    number = {outcome: sum(one.outcome == outcome for one in judged) for outcome in LOOKS}
    parts = [
        f"{number[outcome]} of {len(judged)} invariants {words}"
        for outcome, words in ((BROKEN, "broke"), (KNOWN_DEFECT, "broke as is known"))
        if number[outcome]
    ]
    if not ran:
        return "No schedule ran: nothing was judged."
    return f"{' and '.join(parts) or f'None of {len(judged)} invariants broke'} in {schedules}."


def meaning(name: str, group: Simulation) -> str:
    """Return the sentence that says what must hold: of the whole group, or of the assignor's answers."""
    of = INVARIANTS.get(name)
    if of is None and group.answers is not None:
        of = group.answers.family.properties[name]
    return first_sentence(of.__doc__)


def _schedule(group: Simulation, one: Found, seed: int) -> dict[str, Any]:
    trace = timeline(group.run(one.schedule, trace=True).trace)
    title = one.invariant or "what happens"
    return {
        "title": title,
        "known": "+".join(one.known),
        "meaning": meaning(one.invariant, group) if one.invariant else "",
        "sentence": one.sentence,
        "size": "smallest schedule" if one.minimised else "smallest schedule found in the tries there were",
        "number": one.number,
        "faults": [fault_line(fault) for fault in one.schedule.faults],
        "diagram": ours(diagram(trace, f"{title}: {one.sentence}" if one.sentence else title)),
        "timeline": written(trace),
        "json": as_script(msgspec.to_builtins(group.saved(one, seed))),
    }

"""The generated tables of docs/reference/simulation.md: faults, invariants, what is known to break, and mutants with their smallest schedules."""

import re
import sys
from pathlib import Path

import msgspec

from kassay.families.shape import TextTable
from kassay.protocol.simulation.faults import FAULTS
from kassay.protocol.simulation.group import INVARIANTS, LIVENESS
from kassay.protocol.simulation.known_defects import DEFECTS
from kassay.protocol.simulation.schedule import Schedule
from kassay.protocol.simulation.timeline import describe_timed_fault
from kassay.protocol.simulation.uses import CONSUMERS
from kassay.sentences import read_first_sentence

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from simulation.catching import FILE, MUTANTS

PUBLISHED = re.compile(r"\n\n +(?P<name>(?:[A-Z][a-z]+){2,})[.,]")
"""The name of an invariant in the TLA+ specification of KIP-848, as the last paragraph of its docstring begins with it."""


def list_faults() -> TextTable:
    """Return the effect of each fault."""
    return TextTable(
        ["fault", "what happens"], [[name, _read_sentence(fault.begin)] for name, fault in FAULTS.items()]
    )


def list_programs() -> TextTable:
    """Return the behavior of each program of a consumer."""
    rows = [[str(number), f"It {program.says}"] for number, program in enumerate(CONSUMERS)]
    return TextTable(["program", "what such a consumer does"], rows)


def list_invariants() -> TextTable:
    """Return the meaning of each invariant."""
    live = {one.__name__ for one in LIVENESS}
    rows = []
    for name, one in INVARIANTS.items():
        published = PUBLISHED.search(one.__doc__ or "")
        kind = "liveness" if name in live else "safety"
        rows.append([name, kind, _read_sentence(one), published["name"] if published else ""])
    return TextTable(["invariant", "kind", "what must hold", "in KIP-848's TLA+"], rows)


def list_known_defects() -> TextTable:
    """Return the known defects, the invariants that they violate, and the events that identify them."""
    rows = [[one.name, ", ".join(one.coordinators), one.breaks, _read_sentence(one.meets)] for one in DEFECTS]
    return TextTable(["known defect", "coordinator", "breaks", "where"], rows)


def list_mutants() -> TextTable:
    """Show each mutant, the invariant that it breaks, and the smallest schedule that was found for it."""
    caught = msgspec.json.decode(FILE.read_bytes())
    rows = []
    for name, found in caught.items():
        mutant, schedule = MUTANTS[name], msgspec.convert(found["schedule"], Schedule)
        setting = schedule.setting
        members = f"{setting.members} member{'s' * (setting.members > 1)}"
        kind = " cooperative" * setting.cooperative + " static" * setting.static
        group = f"{setting.use}, {setting.coordinator}: {members}{kind}, {sum(setting.partitions)} partition{'s' * (sum(setting.partitions) > 1)}"
        said = "; ".join(map(describe_timed_fault, schedule.faults)) or "no fault"
        rows.append([mutant.says, found["breaks"], group, said])
    return TextTable(["mutant", "breaks", "smallest group", "smallest schedule"], rows)


def _read_sentence(of: object) -> str:
    return read_first_sentence(of.__doc__)

"""The table of scenarios for docs/reference/simulation.md: how each one ends with each coordinator, and the sequence diagrams."""

import sys
from pathlib import Path

from kassay.families.shape import TextTable
from kassay.protocol.simulation.campaign import Runner
from kassay.protocol.simulation.monitor import Outcome
from kassay.protocol.simulation.schedule import BEGINS_MS, CHAPTERS, EVERY, SCENARIOS, Scenario
from kassay.protocol.simulation.timeline import build_timeline, render_diagram

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from simulation.catching import honest

FOLDER = "results/group"
"""The folder of the diagrams, in docs/."""
NAMES = {
    "proposal": "the proposal",
    "unpersisted": "the proposal without persistence",
    "kafka@4.4.0": "Kafka 4.4.0",
}


def draw_diagrams() -> dict[str, str]:
    """Return the diagrams, SVG by file name."""
    return {
        _name_file(name, coordinator): render_diagram(
            build_timeline([note for note in _play(one, coordinator).trace if note[0] >= BEGINS_MS]),
            f"{name.replace('-', ' ').capitalize()}: {NAMES[coordinator]}",
        )
        for name, one in SCENARIOS.items()
        for coordinator in one.drawn
    }


def build_table() -> TextTable:
    """Return a row for each scenario: its story, its last generation and the known defects with each coordinator, and its diagrams."""
    rows = [
        [
            f"`{name}`",
            one.says,
            *(_describe_end(_play(one, each)) for each in EVERY),
            _link_diagrams(name, one),
        ]
        for scenarios in CHAPTERS.values()
        for name, one in scenarios.items()
    ]
    return TextTable(["scenario", "what happens", *(NAMES[each] for each in EVERY), "diagrams"], rows)


def _play(one: Scenario, coordinator: str) -> Outcome:
    return Runner(honest).run(one.schedule(coordinator), trace=True)


def _link_diagrams(name: str, one: Scenario) -> str:
    return ", ".join(f"[{NAMES[each]}](../{FOLDER}/{_name_file(name, each)})" for each in one.drawn)


def _name_file(name: str, coordinator: str) -> str:
    return f"{name}-{coordinator.partition('@')[0]}.svg"


def _describe_end(outcome: Outcome) -> str:
    """Return the last stable generation, and the invariants that known defects violate."""
    *_, last = (about[2] for _, what, *about in outcome.trace if what == "becomes" and about[1] == "Stable")
    return ", ".join([f"generation {last}", *dict.fromkeys(invariant for invariant, _ in outcome.known)])

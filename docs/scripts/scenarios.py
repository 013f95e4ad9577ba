"""The page of scenarios: what each of them comes to with each coordinator, counted from runs, and its sequence diagrams."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kassay.protocol.simulation.campaign import Runner
from kassay.protocol.simulation.monitor import Outcome
from kassay.protocol.simulation.schedule import BEGINS_MS, CHAPTERS, EVERY, SCENARIOS, Scenario
from kassay.protocol.simulation.timeline import diagram, timeline
from kassay.reference.group.messages import Error, JoinGroupResponse, SyncGroupResponse

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from simulation.catching import honest

FOLDER = "group"
"""Where the diagrams are, in docs/."""
NAMES = {
    "proposal": "the proposal",
    "unpersisted": "the proposal without persistence",
    "kafka@4.4.0": "Kafka 4.4.0",
}


def diagrams() -> dict[str, str]:
    """Return the diagrams, SVG by file name."""
    return {
        _file(name, coordinator): diagram(
            timeline(_told(_played(one, coordinator))), f"{_title(name)}: {NAMES[coordinator]}"
        )
        for name, one in SCENARIOS.items()
        for coordinator in one.drawn
    }


def chapters() -> str:
    """Return the page but for its introduction, as Markdown."""
    return "\n".join(line for title, scenarios in CHAPTERS.items() for line in _chapter(title, scenarios))


def _chapter(title: str, scenarios: Mapping[str, Scenario]) -> Iterator[str]:
    yield f"## {title}\n"
    for name, one in scenarios.items():
        yield f"### {_title(name)}\n"
        yield f"`kassay simulate --scenario {name}`: {one.says}\n"
        yield "| with | JoinGroup | SyncGroup | errors | ends in generation | what is known to break |"
        yield "| --- | ---: | ---: | --- | ---: | --- |"
        for coordinator in EVERY:
            yield _row(NAMES[coordinator], _played(one, coordinator))
        yield ""
        for coordinator in one.drawn:
            summary = f"Sequence diagram with {NAMES[coordinator]}"
            yield f"<details><summary>{summary}</summary>\n"
            yield f"![{_title(name)}: {NAMES[coordinator]}]({FOLDER}/{_file(name, coordinator)})\n"
            yield "</details>\n"


def _played(one: Scenario, coordinator: str) -> Outcome:
    return Runner(honest).run(one.schedule(coordinator), trace=True)


def _told(outcome: Outcome) -> list[tuple[Any, ...]]:
    """Return what happened in the scenario itself."""
    return [note for note in outcome.trace if note[0] >= BEGINS_MS]


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _file(name: str, coordinator: str) -> str:
    return f"{name}-{coordinator.partition('@')[0]}.svg"


def _row(name: str, outcome: Outcome) -> str:
    heard = [about[2] for _, what, *about in _told(outcome) if what == "hears"]
    answered = Counter(map(type, heard))
    errors = Counter(response.error for response in heard)
    told = sorted(f"{error.name} {times}" for error, times in errors.items() if error is not Error.NONE)
    *_, ends = (about[2] for _, what, *about in outcome.trace if what == "becomes" and about[1] == "Stable")
    broke = ", ".join(invariant for invariant, _ in outcome.known) or "none"
    cells = [
        name,
        answered[JoinGroupResponse],
        answered[SyncGroupResponse],
        ", ".join(told) or "none",
        ends,
        broke,
    ]
    return f"| {' | '.join(map(str, cells))} |"

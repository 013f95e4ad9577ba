"""The page of scenarios: what each of them comes to with each coordinator, counted from runs, and its sequence diagrams."""

from collections import Counter
from collections.abc import Iterator
from inspect import getdoc

from kassay.reference.group.messages import Error, JoinGroup, SyncGroup
from kassay.simulation.picture.diagram import diagram
from kassay.simulation.scenarios import BEHAVIOURS, CHAPTERS, SCENARIOS, Scenario
from kassay.simulation.scenarios.stage import Stage

FOLDER = "group"
"""Where the diagrams are, in docs/."""
NAMES = {
    "proposal": "the proposal",
    "unpersisted": "the proposal without persistence",
    "kafka": "Kafka 4.4.0",
}


def diagrams() -> dict[str, str]:
    """Return the diagrams, SVG by file name."""
    return {
        f"{scenario.name}-{name}.svg": diagram(
            scenario.play(BEHAVIOURS[name]).trace, f"{_title(scenario)}: {NAMES[name]}"
        )
        for scenario in SCENARIOS.values()
        for name in scenario.drawn
    }


def chapters() -> str:
    """Return the page but for its introduction, as Markdown."""
    return "\n".join(line for title, scenarios in CHAPTERS.items() for line in _chapter(title, scenarios))


def _chapter(title: str, scenarios: tuple[Scenario, ...]) -> Iterator[str]:
    yield f"## {title}\n"
    for scenario in scenarios:
        yield f"### {_title(scenario)}\n"
        yield f"`{scenario.name}`: {' '.join((getdoc(scenario.play) or '').split())}\n"
        yield "| with | JoinGroup | SyncGroup | errors | ends in generation |"
        yield "| --- | ---: | ---: | --- | ---: |"
        for name, behaviour in BEHAVIOURS.items():
            yield _row(NAMES[name], scenario.play(behaviour))
        yield ""
        for name in scenario.drawn:
            summary = f"Sequence diagram with {NAMES[name]}"
            yield f"<details><summary>{summary}</summary>\n"
            yield f"![{_title(scenario)}: {NAMES[name]}]({FOLDER}/{scenario.name}-{name}.svg)\n"
            yield "</details>\n"


def _title(scenario: Scenario) -> str:
    return scenario.name.replace("_", " ").capitalize()


def _row(name: str, stage: Stage) -> str:
    asked = Counter(type(heard.request) for heard in stage.heard)
    errors = Counter(heard.response.error for heard in stage.heard)
    told = sorted(f"{error.name} {times}" for error, times in errors.items() if error is not Error.NONE)
    ends = {member.generation for member in stage.members.values() if member.phase == "Stable"}
    listed = ", ".join(map(str, sorted(ends))) or "none"
    return f"| {name} | {asked[JoinGroup]} | {asked[SyncGroup]} | {', '.join(told) or 'none'} | {listed} |"

"""Traces of an external coordinator reach the step that breaks an invariant, and show the response and what was expected."""

import json
import re

import pytest
from msgspec.structs import replace
from over_the_wire.test_coordinators import SETTING, played
from simulation.rebalance_mutants import REBALANCE_MUTANTS

from kassay.cli import main
from kassay.protocol.server import external_groups
from kassay.protocol.simulation.schedule import Fault, Schedule
from kassay.protocol.simulation.timeline import build_timeline, find_breach, render_text
from kassay.reference.group.messages import Error, HeartbeatResponse, JoinGroupResponse, Reply

pytestmark = pytest.mark.usefixtures("many_connections")
MUTANTS = {mutant.name: mutant.change for mutant in REBALANCE_MUTANTS}


def change_responses(kind, change):
    """Return a mutation whose coordinator changes its responses of a kind."""

    def mutate(machines):
        def step(coordinator, event, choose):
            taken = machines.step_coordinator(coordinator, event, choose)
            effects = [
                replace(one, response=change(one.response))
                if type(one) is Reply and type(one.response) is kind
                else one
                for one in taken.effects
            ]
            return replace(taken, effects=tuple(effects))

        return replace(machines, step_coordinator=step)

    return mutate


def count_back(response):
    """Return a response with the generation before, if its member follows."""
    follows = response.generation > 1 and not response.members
    return replace(response, generation=response.generation - 1) if follows else response


def call_unknown(response):
    """Return UNKNOWN_MEMBER_ID instead of REBALANCE_IN_PROGRESS."""
    again = response.error is Error.REBALANCE_IN_PROGRESS
    return replace(response, error=Error.UNKNOWN_MEMBER_ID) if again else response


REJOINS = (Fault(9_000, "crash", 1, 100),)
PLANTED = {
    "two leaders": (MUTANTS["everybody_leads"], (), "one_leader", ", leads"),
    "a forgotten member": (MUTANTS["leader_misses_the_last"], (), "leader_hears_of_all", "generation 1, own"),
    "a wrong generation": (change_responses(JoinGroupResponse, count_back), REJOINS, "leader_hears_of_all", "generation 1, own"),
    "a wrong error": (change_responses(HeartbeatResponse, call_unknown), REJOINS, "dropped_for_a_cause", "UNKNOWN_MEMBER_ID"),
    "a state of another": (MUTANTS["same_state_for_all"], (), "given_as_set", "its state"),
}  # fmt: skip


@pytest.mark.parametrize("planted", PLANTED)
def test_a_trace_reaches_the_response_that_breaks_an_invariant(planted, monkeypatch):
    monkeypatch.setattr(external_groups, "BOUND_MS", 20_000)
    mutate, faults, invariant, answered = PLANTED[planted]
    ran, _ = played([(0, Schedule(SETTING, faults))], mutate, asks=False)
    ((_, _, outcome),) = ran.outcomes
    assert invariant in dict(outcome.breaches), outcome.breaches
    time_ms, _, step = find_breach(outcome.trace, [invariant])
    lines = render_text(build_timeline(outcome.trace)).splitlines()
    first = next(at for at, line in enumerate(lines) if f"** {invariant}: " in line)
    marked = next(line for line in reversed(lines[:first]) if "**" not in line)
    assert marked.startswith(f"{time_ms / 1000:>8.3f}  broker 0 -> member {step.slot}: ")
    assert answered in marked
    assert marked.endswith("  <- here")
    assert marked[8:].removesuffix("  <- here") not in {line[8:] for line in lines[first : first + 3]}


def test_page_and_records_of_a_real_clock_show_the_step(monkeypatch, tmp_path, capsys):
    def run_here(_cluster, plan, _report):
        return played([*plan.schedules][-1:], MUTANTS["everybody_leads"])[0]

    monkeypatch.setattr(external_groups, external_groups.run_plan.__name__, run_here)
    page = tmp_path / "run.html"
    line = ["simulate", "--coordinator", "127.0.0.1:9", "--schedules", "1", "--html", str(page)]
    assert main(line) == 1
    said = " ".join(capsys.readouterr().out.split())
    (expected,) = re.findall(r"Expected: (all members of a generation receive the same leader\.)", said)
    (answered,) = re.findall(r"Answered to member \d at [\d.]+ s: (.*?, leads)\.", said)
    text = page.read_text()
    assert f'<p class="sub">Expected: {expected}' in text
    assert f"{answered}</text>" in text
    assert 'marker-end="url(#tipbreach)"' in text
    assert "127.0.0.1:9, compared with kafka@4.4.0" in text
    assert "<h2>Responses that differ from Kafka</h2>" in text
    assert main([*line, "--json"]) == 1
    records = [json.loads(one) for one in capsys.readouterr().out.splitlines()]
    (step,) = [one["step"] for one in records if one["record"] == "schedule"]
    assert step["expected"].lower() == expected
    assert step["answered"] == answered

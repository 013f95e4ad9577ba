"""The rows of the kill matrix of group.json: coordinators with a fault each, and members with one."""

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from simulation.log_mutants import LOG_MUTANTS
from simulation.rebalance_mutants import REBALANCE_MUTANTS

from kassay.conformance.group import (
    COORDINATOR,
    MEMBER,
    NEWEST,
    Chosen,
    Watched,
    play_coordinator,
    play_member,
    read_chosen_cases,
)
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.coordinator import load, step, unload

FAULTS = Path(__file__).parents[2] / "parity" / "member" / "faults.py"


def build_mutant(change: Callable[[Machines], Machines]) -> type[Watched]:
    """Return a coordinator, alone on its clock, with a mutant's change; it is not watched for chance."""

    class Changed(Watched):
        def machines(self) -> Machines:
            def read(log: Any, first_id: int) -> Any:
                return load(self.behaviour, log, first_id, self._choose)

            def stepped(state: Any, event: Any, choose: Any) -> Any:
                return step(self.behaviour, state, event, choose)

            def unloaded(state: Any) -> Any:
                return unload(self.behaviour, state)

            return change(Machines(None, None, read, stepped, unloaded, None))  # type: ignore[arg-type]

        def _step(self, event: Any) -> Any:
            return self.machines().step_coordinator(self.coordinator, event, self._choose)

        def _read(self, records: Any) -> Any:
            return self.machines().load(records, self.coordinator.next_member)

        def watch(self, asked: Any) -> None:
            """Look at nothing."""

    return Changed


def mutants() -> Iterator[tuple[str, str, Callable[[Chosen], Any]]]:
    """Yield of each mutant its name, its side and what does a case with it."""
    for mutant in (*REBALANCE_MUTANTS, *LOG_MUTANTS):
        kind = build_mutant(mutant.change)
        yield mutant.name, COORDINATOR, lambda case, kind=kind: play_coordinator(case, NEWEST, kind)
    spec = importlib.util.spec_from_file_location("faults_of_members", FAULTS)
    faults = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(faults)
    for title, fault in faults.FAULTS.items():
        yield title, MEMBER, lambda case, fault=fault: play_member(case, fault)


def kills(side: str, asked: Callable[[Chosen], Any]) -> dict[str, list[str]]:
    """Return by case at which step a mutant is found."""
    found = {}
    for case in read_chosen_cases():
        if case.side == side and (at := first(case, asked)) is not None:
            found[case.id] = [f"step {at}"]
    return found


def first(case: Chosen, asked: Callable[[Chosen], Any]) -> int | None:
    """Return the first step in which a mutant differs from our state machine, 0 if it stops before."""
    ours = play_coordinator(case, NEWEST) if case.side == COORDINATOR else play_member(case)
    try:
        theirs = asked(case)
    except (
        LookupError,
        StopIteration,
        ValueError,
    ):  # nothing is open, no such timer runs, or nothing is being written
        return 0
    pairs = zip(ours.steps, theirs.steps, strict=True)
    return next((number for number, (one, other) in enumerate(pairs, 1) if one != other), None)

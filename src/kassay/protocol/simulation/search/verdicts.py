"""Which invariants a group under faults keeps, by what its assignor promises, and what a campaign says of each: kept, broken, or known to break."""

from collections.abc import Callable, Collection
from typing import Any

from kassay.engine.verdict import BROKEN, KEPT, KNOWN_DEFECT, NOT_PROMISED, SKIPPED, Verdict
from kassay.protocol.simulation.judging import invariants
from kassay.protocol.simulation.judging.coordination import STEPS, heeds_what_it_is_told, taken_over_whole
from kassay.protocol.simulation.judging.invariants import eventually_converges, legal_target_assignment
from kassay.protocol.simulation.search.campaign import Campaign, Counterexample
from kassay.protocol.simulation.search.exhaustive import OF_CLOCKS, Explored

SAFETY: tuple[Callable[..., Any], ...] = (
    invariants.no_double_client_assignment,
    invariants.revoked_before_given,
    invariants.one_leader,
    invariants.generations_grow,
    invariants.member_generations_grow,
    invariants.commits_from_owners,
    invariants.single_writer,
    invariants.one_writer_at_a_time,
    invariants.supported_strategy,
    invariants.no_member_fails,
    invariants.lost_for_a_cause,
    *STEPS,
    taken_over_whole,
    heeds_what_it_is_told,
)
LIVENESS: tuple[Callable[..., Any], ...] = (
    invariants.eventually_converges,
    invariants.legal_target_assignment,
    invariants.bounded_rounds,
    invariants.owned_in_time,
    invariants.stays_stable,
)
INVARIANTS: dict[str, Callable[..., Any]] = {one.__name__: one for one in (*SAFETY, *LIVENESS)}
"""All invariants by name; the first sentence of the docstring says what each is."""


RESTS_ON = {
    "no_double_client_assignment": "exclusive",
    "revoked_before_given": "exclusive",
    "legal_target_assignment": "complete",
}
"""Invariant -> the property that the assignor must promise for it; one that promises nothing is held to all."""


def promised(name: str, promises: frozenset[str] | None) -> bool:
    """Say whether a group whose assignor promises this is held to an invariant."""
    return promises is None or RESTS_ON.get(name) in {None, *promises}


def verdicts(
    campaign: Campaign,
    findings: list[Counterexample],
    target: str,
    promises: frozenset[str] | None,
    names: Collection[str] = tuple(INVARIANTS),
) -> list[Verdict]:
    """Give the verdict on each invariant of these names; nothing was judged where no schedule ran."""
    return [_verdict(name, campaign, findings, target, promises) for name in names]


EXPLORED = (
    *(one.__name__ for one in SAFETY if one.__name__ not in OF_CLOCKS),
    eventually_converges.__name__,
    legal_target_assignment.__name__,
)
"""Invariants that are judged where all that can happen is visited."""


def explored_verdicts(explored: Explored, target: str, promises: frozenset[str] | None) -> list[Verdict]:
    """Give the verdict on each invariant of what was explored; could not tell where not all was visited and nothing broke."""
    number, judged = sum(explored.states), []
    for name in EXPLORED:
        broke = [one for one in explored.breaches if one[0] == name]
        outcome, said = KEPT if explored.whole else SKIPPED, explored.stopped
        terms: tuple[str, ...] = ()
        if broke:
            _, sentence, steps, defect = broke[0]  # what is of no known defect comes first
            outcome, terms = (KNOWN_DEFECT, (defect,)) if defect else (BROKEN, ())
            said = f"{sentence}, after {steps} steps"
        if not promised(name, promises):
            outcome = NOT_PROMISED
        judged.append(Verdict(target, name, outcome, said, terms, number, len(broke)))
    return judged


def _verdict(
    name: str,
    campaign: Campaign,
    findings: list[Counterexample],
    target: str,
    promises: frozenset[str] | None,
) -> Verdict:
    unknown = campaign.broken.get((name, ()), 0)
    known = {
        situation: count for (of, situation), count in campaign.broken.items() if of == name and situation
    }
    breaches, outcome = unknown, BROKEN
    if not unknown:
        breaches, outcome = sum(known.values()), KNOWN_DEFECT if known else KEPT
    if not campaign.ran:
        outcome = SKIPPED
    elif not promised(name, promises):
        outcome = NOT_PROMISED
    said = [one.sentence for one in findings if one.invariant == name and bool(one.known) == (not unknown)]
    except_in = tuple("+".join(situation) for situation in known)
    message = said[0] if said and breaches else "" if campaign.ran else "no schedule ran"
    return Verdict(target, name, outcome, message, except_in, campaign.ran, breaches)

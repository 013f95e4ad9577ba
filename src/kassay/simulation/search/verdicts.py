"""What a campaign says of each invariant: kept, broken, or known to break."""

from kassay.engine.verdict import BROKEN, KEPT, KNOWN_DEFECT, NOT_PROMISED, SKIPPED, Verdict
from kassay.simulation.search.campaign import Campaign, Found
from kassay.simulation.search.promises import INVARIANTS, promised


def verdicts(
    campaign: Campaign, findings: list[Found], target: str, promises: frozenset[str] | None
) -> list[Verdict]:
    """Give the verdict on each invariant; nothing was judged where no schedule ran."""
    return [_verdict(name, campaign, findings, target, promises) for name in INVARIANTS]


def _verdict(
    name: str, campaign: Campaign, findings: list[Found], target: str, promises: frozenset[str] | None
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

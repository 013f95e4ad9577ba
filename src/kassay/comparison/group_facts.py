"""The facts of one group for its advice, its state if nothing can be compared, and the severe known defects of targets."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kassay.comparison.facts import Defect, Facts, add_rows, resolve_assignor_name
from kassay.comparison.headline import build_objective_order, describe_loads, reaches_optimum
from kassay.comparison.measured import Measured, compute_holdings, measure_all, measure_assignment
from kassay.comparison.ranking import compute_dominance
from kassay.comparison.strategies import WORK, play_restart
from kassay.engine.finding import Finding
from kassay.engine.promises import AND, find_terms
from kassay.families import family
from kassay.families.family import Family
from kassay.families.words import SEVERITIES, does, gravest, plainest_first, severity, way_out, when
from kassay.files.reading import Read
from kassay.listings.listed_groups import ListingFacts
from kassay.oracles.answers import Answer, Optima
from kassay.output.block import KNOWN_DEFECT
from kassay.reference.releases import behaviours
from kassay.sentences import format_count, format_size
from kassay.targets.reference import open_reference
from kassay.targets.target import Target

SMALL = 10_000
"""The largest number of members, partitions and so on of a group for which all settable assignors are run, in a few seconds."""


def gather_facts(
    family: Family,
    group: Any,
    row: Sequence[Measured],
    now: Measured | None,
    targets: Sequence[Target],
    *,
    in_use: str = "",
    home: str = "",
    wanted: Any = None,
    file: str = "",
    name: str = "",
    listed: bool = False,
    warnings: Sequence[str] = (),
    has: Collection[str] | None = None,
    strategy: str = "",
    labels: Mapping[str, str] | None = None,
    restarts: int = WORK,
    solve: bool = True,
) -> Facts:
    """Return all facts about a group (see :class:`Facts`), with a rolling restart if it is not larger than `restarts`.

    `wanted` is the target assignment of its coordinator, `has` are the strategies that its clients have.
    """
    proved = family.oracles.optima(group) if family.oracles else None
    asked = {resolve_assignor_name(target.name) for target in targets}
    more = (
        [
            open_reference(name)
            for name in family.settable
            if name not in asked and (has is None or name in has)
        ]
        if _is_small(family, group)
        else []
    )
    others = measure_all(more, family, [group])[0] if more else []
    targets, row = [*targets, *more], [*row]
    everything = [*row, *others]
    none_reaches = (
        proved is not None
        and any(one.gaps for one in everything)
        and not any(map(reaches_optimum, everything))
    )
    best = find_best(family, group, proved) if none_reaches or _is_small(family, group) else None
    return add_rows(
        Facts(
            family, row, others, now,
            None if wanted is None else measure_assignment(family, group, wanted, proved),
            resolve_assignor_name(in_use), home, best.values if best is not None and none_reaches else None,
            _find_defects(family, group, targets), file, group, name, best, listed, warnings, compute_dominance(family, group, everything),
            rolling=play_restart(family, group, targets, solve=solve, work=restarts), has=has, strategy=strategy, labels=labels or {},
        )
    )  # fmt: skip


def _is_small(family: Family, group: Any) -> bool:
    """Return True if a group is small enough to run all settable assignors on it, not only the named ones."""
    return all(count(group) <= SMALL for count in family.shape.sizes.values())


def find_best(family: Family, group: Any, proved: Optima | None = None) -> Answer | None:
    """Return the optimal assignment of a group, state objectives before costs of a rebalance; None if the family has no oracles.

    `proved` has the optima of the compared objectives; by default they are computed.
    """
    known = family.oracles
    if known is None:
        return None
    compared_in = (proved or known.optima(group)).least
    return known.optimum(f"{known.contract}{build_objective_order(family, compared_in)}", group, None)


def _find_defects(family: Family, group: Any, targets: Sequence[Target]) -> dict[str, list[Defect]]:
    """Return the severe defects of targets that the situations of the group may trigger."""
    grave = {target.name: gravest(target.except_in) for target in targets}
    asked = {
        situation
        for target in targets
        for promise in grave[target.name]
        for term in target.except_in[promise]
        for situation in term.split(AND)
    }
    met = {name for name in asked if name in family.situations and family.situations[name](group)}
    return {
        target.name: [
            Defect(
                promise,
                SEVERITIES[severity(promise)],
                ", or ".join(when(family, term) for term in plainest_first(terms)),
            )
            for promise in grave[target.name]
            if (terms := find_terms(met, target.except_in[promise]))
        ]
        for target in targets
    }


@dataclass(frozen=True, slots=True)
class SevereDefect:
    """A severe known defect of a target, with the smallest group that shows it."""

    target: str
    property: str
    graveness: str
    """One of SEVERITIES."""
    does: str
    when: str
    way_out: str
    """The workaround, "" if there is none."""
    releases: str
    """The affected releases of Kafka, "" if the target is not an assignor of Kafka."""
    groups: int
    """The number of groups that triggered it."""
    sizes: dict[str, int]
    """The sizes of the smallest group, which is in `finding`."""
    finding: Finding

    def json(self) -> dict[str, Any]:
        """Return the JSON without the finding, which is a separate record."""
        return {
            "record": "grave defect",
            **{name: getattr(self, name) for name in self.__dataclass_fields__ if name != "finding"},
        }


def find_severe_defects(findings: Sequence[Finding]) -> list[SevereDefect]:
    """Return the severe known defects among findings by target, the most severe first, and the plainest cause of a promise first."""
    grave = [one for one in findings if one.outcome == KNOWN_DEFECT and severity(one.property)]
    targets = list(dict.fromkeys(one.target for one in grave))
    order = gravest({one.property for one in grave})
    plain = plainest_first({_find_term(one) for one in grave})
    found = []
    for one in sorted(
        grave,
        key=lambda one: (
            targets.index(one.target), order.index(one.property), plain.index(_find_term(one)), -one.count,
        ),
    ):  # fmt: skip
        of, term = family(one.family), _find_term(one)
        sizes = {name: count(one.group) for name, count in of.shape.sizes.items()}
        found.append(SevereDefect(
            one.target, one.property, severity(one.property), does(of, one.property), when(of, term), way_out(term),
            describe_releases(one.target), one.count, sizes, one,
        ))  # fmt: skip
    return found


def _find_term(finding: Finding) -> str:
    return plainest_first(finding.met)[0]


def describe_releases(target: str) -> str:
    """Return the releases of Kafka that behave like a target, which is a reference or a class of Kafka; "" for other targets."""
    if target.startswith("kafka:"):
        release, _, name = target.removeprefix("kafka:").partition("#")
    else:
        name, _, release = target.partition("@")
    known = behaviours(name)
    return next((str(one) for one in known[::-1] if not release or release in one.releases), "")


REBALANCING = {"PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling", "NotReady"}
"""States in which the assignment is about to change."""
EMPTY, DEAD = "Empty", "Dead"


@dataclass(frozen=True, slots=True)
class GroupState:
    """The state of a group in which nothing is compared."""

    name: str
    state: str
    facts: ListingFacts
    owners: str
    """The word for the members: members, clients or workers."""
    idle: int = 0
    """The number of members that own nothing yet."""
    target: str = ""
    """A sentence on the coordinator's target assignment (KIP-848), "" if it is not printed."""

    @property
    def says(self) -> str:
        """The result: the state, then members, partitions and lag."""
        known = self.facts
        state = _STATE.get(self.state, "the group is rebalancing")
        said = f"{self.name}: {state}{f' ({self.state})' if self.state in REBALANCING else ''}."
        parts = [format_count(known.partitions, "partition")] if known.partitions else []
        if self.state not in {EMPTY, DEAD}:
            members = format_size(known.members, self.owners)
            if self.idle == known.members and self.idle:
                members += (
                    f", {'which owns nothing yet' if self.idle == 1 else 'none of which owns anything yet'}"
                )
            elif self.idle:
                members += f", {self.idle:,} of which {'owns' if self.idle == 1 else 'own'} nothing yet"
            parts.insert(0, members)
        if known.lag_printed and known.partitions:
            unknown = (
                f" (unknown for {format_count(known.lag_unknown, 'partition')})" if known.lag_unknown else ""
            )
            parts.append(f"lag {known.lag:,}{unknown}")
        text = ", ".join(parts)
        return f"{said} {text[:1].upper()}{text[1:]}." if parts else said

    @property
    def caveat(self) -> str:
        """The explanation of the state."""
        if self.state == EMPTY:
            return "Programs that assign partitions themselves, such as Flink and Spark, only commit offsets here and are never members."
        if self.state == DEAD:
            return "The group does not exist: its name may be wrong, or its offsets have expired."
        return "Members own different partitions before and after the rebalance, so nothing is compared and nothing is recommended."

    def record(self, where: str) -> dict[str, Any]:
        """Build the JSON of the state."""
        known = self.facts
        return {
            "record": "state", "where": where, "says": self.says, "state": self.state, "members": known.members,
            "partitions": known.partitions, "lag": known.lag if known.lag_printed else None, "lag_unknown": known.lag_unknown,
            "idle": self.idle, "target": self.target or None,
        }  # fmt: skip


_STATE = {EMPTY: "the group has no active members", DEAD: "the group does not exist"}


def find_state(
    name: str, family: Family, group: Any, wanted: Any, facts: ListingFacts | None
) -> GroupState | None:
    """Return the state of a group if nothing can be compared in it, else None.

    `wanted` is the coordinator's target assignment, or None. While members have not reached it the group is reconciling (KIP-848).
    """
    owners, count = next(iter(family.shape.sizes.items()))
    members = count(group)
    known = facts if facts is not None else ListingFacts(members=members)
    state = known.state
    if state in {"", "Stable"} and known.target_reached is False:
        state = "Reconciling"
    if state in {EMPTY, DEAD} or not (members or known.members):
        return GroupState(name, state or EMPTY, known, owners)
    if state not in REBALANCING:
        return None
    has = compute_holdings(family.shape, family.shape.present(group))
    idle = members - sum(1 for of in has.values() if any(of.values()))
    best = find_best(family, group) if wanted is not None else None
    target = ""
    if best is not None:
        loads = describe_loads(family, measure_assignment(family, group, wanted), best)
        target = f"The coordinator's target assignment counts: {loads}"
    return GroupState(name, state, known, owners, idle, target)


def describe_unlisted(name: str, facts: ListingFacts) -> str:
    """Describe a group whose listing does not print the owners of partitions."""
    said = [facts.state] if facts.state else []
    said += [format_count(facts.members, "member")] if facts.members else []
    if facts.loads:
        least, most = min(facts.loads), max(facts.loads)
        said.append(
            f"{least:,} to {most:,} partitions each"
            if least < most
            else f"{format_count(most, 'partition')} each"
        )
    said += [f"strategy {facts.strategy}"] if facts.strategy else []
    said += [f"lag {facts.lag:,}"] if facts.lag_printed else []
    return f"{name}: {', '.join(said)}. The listing does not print who owns which partition, so nothing is compared."


FAMILIES = {"consumer", "broker", "share"}


def has_other_reading(read: Read) -> bool:
    """Return True if subscriptions were assumed and members own partitions of different topics.

    A member without partitions is no evidence: it may be idle because another member owns everything.
    """
    if read.facts is None or not read.facts.subscriptions_assumed or read.family not in FAMILIES:
        return False
    owned = {frozenset(one.topic for one in member.owned) for member in read.value.members if member.owned}
    return len(owned) > 1


def read_only_owned(group: Any) -> Any:
    """Return the group with members that subscribe only to the topics of their partitions."""
    members = tuple(
        replace(
            member,
            topics=tuple(name for name in member.topics if name in {one.topic for one in member.owned}),
        )
        for member in group.members
    )
    return replace(group, members=members)

"""The rows of the kill matrix: wrong assignors, each with a correct one, from mutants, from the museum and from releases."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from bug_records import MUSEUM, Exhibit, read_bugs
from conformance.limits import list_limited_bases
from conformance.scale import Base, list_bases
from families.tables import tables
from mutants import honest, sharing

from kassay.conformance.fixture_runner import CheckResults, Judge
from kassay.conformance.fixtures import Case, Declared, Form, count_pairs, load_form
from kassay.errors import SkippedError
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.families.shape import Assign
from kassay.reference.releases import behaviours, build_release, has_release
from kassay.targets.target import wrap_function

MOST_PAIRS = 20_000
"""Cases with more pairs of members and partitions, or tasks, are not given to mutants, which take too long."""

_CALM = ("again", "left_out", "order", "names", "repeat")
_STICKY = ("loads", "moves", *_CALM)


def _ours(name: str) -> Base:
    return Base(ASSIGNORS[name].assign, load_form(name.partition("/")[0]).declared[name])


def _consumer() -> dict[str, Base]:
    cooperative = Base(honest.cooperative, Declared((*_STICKY, "rounds"), cooperative=True))
    by_topic = Base(honest.by_topic, Declared(("per_topic", "apart", *_CALM)))
    together = Base(honest.together, Declared(("apart", *_CALM)))
    copied = Base(honest.copied, Declared(_CALM, copies=2))
    dealt = _ours("consumer/roundrobin")
    of = {
        cooperative: "hands_over_at_once forgets_older_owners lets_the_overruled_keep withholds_for_ever hands_over_one_at_a_time",
        by_topic: "strides_through_topics begins_each_topic_elsewhere shares_from_the_first shuffles_its_lists",
        together: "joins_who_reads_any begins_each_join_elsewhere forgets_the_last_join",
        copied: "copies_once copies_to_one_member copies_thrice",
        dealt: "remembers_its_calls serves_in_order_of_arrival deals_topics_as_listed deals_by_hash hashes_topics "
        "turns_with_generations takes_turns prefers_first_subscriptions",
        _ours("consumer/range"): "sorts_static_members_by_id",
        _ours("consumer/optimal"): "looks_at_no_racks reads_from_afar",
        _ours("consumer/sticky"): "keeps_the_first_topics",
    }
    return {title: base for base, titles in of.items() for title in titles.split()}


def _find_base_of_tasks(family: str, mutant: str) -> Base:
    """Return the honest assignor that keeps what a mutant breaks, or Kafka's own where none promises that; both are held to everything."""
    of, known = load_form(family), tables(family)
    breaks = known.mutants[mutant].breaks
    kept = {title: len(breaks & each.keeps) for title, each in known.honest.items()}
    best = max(kept, key=kept.__getitem__)
    ours = next(iter(of.declared))
    assign = known.honest[best].assign if kept[best] == len(breaks) else ASSIGNORS[ours].assign
    aims = (*of.zeroes, *of.laws, *of.relations, "active_loads", "loads", "left_out")
    return Base(assign, Declared(aims))


def find_base(family: str, mutant: str) -> Base:
    """Return the base of a mutant."""
    if family.startswith("streams"):
        return _find_base_of_tasks(family, mutant)
    if family == "connect":
        eager = mutant in {"gives_out_as_listed", "turns_with_each_call", "incremental", "gives_all_to_one"}
        return _ours(f"connect/{'eager' if eager else 'incremental-cooperative'}")
    if family == "share":
        return Base(sharing.in_turn, Declared(("loads", "sharing", "idle", *_CALM)))
    return _consumer().get(mutant, Base(honest.sticky, Declared(_STICKY)))


@dataclass(frozen=True)
class Row:
    """A wrong assignor, and a right one that passes where the fault shows; both are held to the same."""

    title: str
    kind: str
    affected: Assign
    fixed: Assign
    declared: Declared
    exact: str = ""


def rows(name: str) -> list[Row]:
    """Return the rows of a family."""
    return [
        *mutants(name),
        *list_mutants_of_scale(name),
        *list_limited_mutants(name),
        *museum(name),
        *releases(name),
    ]


def mutants(name: str) -> Iterator[Row]:
    """Yield the mutants of a family, each with the correct assignor that it was made from."""
    for title, mutant in tables(name).mutants.items():
        base = find_base(name, title)
        yield Row(
            title,
            "mutant",
            wrap_function(mutant.assign, family(name)),
            wrap_function(base.assign, family(name)),
            base.declared,
        )


def list_mutants_of_scale(name: str) -> Iterator[Row]:
    """Yield the mutants of a family that only large groups show."""
    return _list_rows(name, "scale", list_bases(name))


def list_limited_mutants(name: str) -> Iterator[Row]:
    """Yield the mutants of a family with limits and shortcuts."""
    return _list_rows(name, "limit", list_limited_bases(name))


def _list_rows(name: str, kind: str, bases: Iterable[Base]) -> Iterator[Row]:
    of = family(name)
    for base in bases:
        for mutant in base.mutants:
            affected = wrap_function(partial(mutant, base.assign), of)
            yield Row(mutant.__name__, kind, affected, wrap_function(base.assign, of), base.declared)


def exhibits(name: str) -> list[Exhibit]:
    """Return the museum's exhibits of a family."""
    of_clients = "pypi:" if name == "consumer" else name
    return [
        one
        for one in read_bugs(MUSEUM)["exhibit"]
        if one.assignor.startswith(f"{name}/") or one.affected.startswith(of_clients)
    ]


def museum(name: str) -> Iterator[Row]:
    """Yield the released faults of the museum that show in answers, by the references of both releases."""
    for one in exhibits(name):
        if not one.affected.startswith("kafka:"):
            continue
        of = load_form(name)
        if not (has_release(one.assignor, one.version) and has_release(one.assignor, one.fixed_version)):
            continue  # released classes alone know it: kill_matrix.py asks them
        exact = next((key for key in keys(of, one.assignor)), "") if "static_identity" in one.shows else ""
        yield Row(
            one.name,
            "museum",
            as_of(one.assignor, one.version),
            as_of(one.assignor, one.fixed_version),
            of.declared[one.assignor],
            exact,
        )


def keys(of: Form, assignor: str) -> list[str]:
    """Return the keys of `exact` of an assignor, oldest first."""
    return [f"{assignor.partition('/')[2]}@{release}" for release in of.exact.get(assignor, ())]


def releases(name: str) -> Iterator[Row]:
    """Yield each behaviour of Kafka's classes, each with a correct one: failures of a release are not failures of the runner."""
    of = load_form(name)
    for assignor in of.exact:
        newest = keys(of, assignor)[-1]
        for behaviour in behaviours(assignor):
            release = behaviour.releases[-1]
            exact = newest if behaviour is behaviours(assignor)[-1] else ""
            yield Row(
                f"{assignor}@{release}",
                "release",
                as_of(assignor, release),
                build_correct_answer,
                of.declared[assignor],
                exact,
            )


def build_correct_answer(_group):
    """Stand for an assignor without fault: everything that a release fails counts."""
    raise SkippedError("nothing fails")


def as_of(assignor: str, release: str) -> Assign:
    """Return the reference of a release, which answers as a target does."""
    return wrap_function(
        build_release(ASSIGNORS[assignor], release).assign, family(assignor.partition("/")[0])
    )


def find_failures(judge: Judge, case: Case) -> CheckResults:
    """Return the checks that an answer fails, {} if the assignor skips the case."""
    try:
        return {check: wrong for check, wrong in judge.judge(case).items() if wrong}
    except SkippedError:
        return {}


def kills(row: Row, cases: list[Case], of: Form, enough: int = 0) -> dict[str, list[str]]:
    """Return by case the checks that the wrong assignor fails and the right one passes; only cases that have some.

    Stop when `enough` cases are found, 0 for never.
    """
    wrong, well = (Judge(of, assign, row.declared, row.exact) for assign in (row.affected, row.fixed))
    found: dict[str, list[str]] = {}
    for case in cases:
        if count_pairs(case.group, of) > MOST_PAIRS:
            continue  # those are for released classes and a clock
        failed = find_failures(wrong, case)
        passed = find_failures(well, case)  # also where nothing failed: a later twin is compared with it
        checks = [check for check in failed if check not in passed]
        if checks:
            found[case.id] = checks
            if len(found) == enough:
                break
    return found

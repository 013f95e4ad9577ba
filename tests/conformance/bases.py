"""What each mutant is made of: the honest assignor beside it, and what both are held to."""

from dataclasses import dataclass

from families.tables import tables
from mutants import honest, sharing

from kassay.conformance.form import Declared, form
from kassay.families.assignors import ASSIGNORS
from kassay.shape import Assign


@dataclass(frozen=True)
class Base:
    """An honest assignor and what it aims at."""

    assign: Assign
    declared: Declared


_CALM = ("again", "left_out", "order", "names", "repeat")
_STICKY = ("loads", "moves", *_CALM)


def _ours(name: str) -> Base:
    return Base(ASSIGNORS[name].assign, form(name.partition("/")[0]).declared[name])


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


def _of_tasks(family: str, mutant: str) -> Base:
    """Return the honest assignor that keeps what a mutant breaks, or Kafka's own where none promises that; both are held to everything."""
    of, known = form(family), tables(family)
    breaks = known.mutants[mutant].breaks
    kept = {title: len(breaks & each.keeps) for title, each in known.honest.items()}
    best = max(kept, key=kept.__getitem__)
    ours = next(iter(of.declared))
    assign = known.honest[best].assign if kept[best] == len(breaks) else ASSIGNORS[ours].assign
    aims = (*of.zeroes, *of.laws, *of.relations, "active_loads", "loads", "left_out")
    return Base(assign, Declared(aims))


def base_of(family: str, mutant: str) -> Base:
    """Return the base of a mutant."""
    if family.startswith("streams"):
        return _of_tasks(family, mutant)
    if family == "connect":
        eager = mutant in {"gives_out_as_listed", "turns_with_each_call", "incremental", "gives_all_to_one"}
        return _ours(f"connect/{'eager' if eager else 'incremental-cooperative'}")
    if family == "share":
        return Base(sharing.in_turn, Declared(("loads", "sharing", "idle", *_CALM)))
    return _consumer().get(mutant, Base(honest.sticky, Declared(_STICKY)))

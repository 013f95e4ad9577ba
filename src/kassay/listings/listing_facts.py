"""Facts about a listed group in addition to the input of an assignor: its state, strategy and lag, and labels of its members."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kassay.listings.groups import GroupRows
from kassay.listings.location import State, UnlistedPartitionsError, state_name
from kassay.listings.streams_groups import StreamsGroupRows


@dataclass(frozen=True, slots=True)
class ListingFacts:
    """Facts that a listing tells about a group in addition to the input of an assignor.

    `state` is Kafka's own name, such as Stable, Empty, Dead, PreparingRebalance, CompletingRebalance, Assigning, Reconciling or NotReady;
    "" if the listing does not tell. `strategy` is as printed, also one that kassay does not know; "" if none is. `client_ids` and
    `hosts` are by member id, of the members for which they are printed. `lag` adds up what is known, `lag_unknown` counts the
    partitions of which it is not. `target_reached` is whether members own what their coordinator wants (KIP-848), None if that is
    not printed. `problem` is why the group cannot be read, "" if it can.
    """

    state: str = ""
    strategy: str = ""
    client_ids: Mapping[str, str] = field(default_factory=dict)
    hosts: Mapping[str, str] = field(default_factory=dict)
    members: int = 0
    partitions: int = 0
    lag: int = 0
    lag_unknown: int = 0
    lag_printed: bool = False
    target_reached: bool | None = None
    skipped_lines: int = 0
    problem: str = ""
    subscriptions_assumed: bool = False
    """True if subscriptions are not printed, so that members were taken to subscribe to all topics or to those that they own."""
    unlisted: bool = False
    """True if the only problem is that the listing does not print which partitions members own."""
    loads: tuple[int, ...] = ()
    """The number of partitions of each member in that case, as far as #PARTITIONS says it."""


def collect_facts(rows: GroupRows, state: State | None, skipped: int = 0) -> ListingFacts:
    """Return the facts about a consumer or share group."""
    members = rows.members.values()
    targets = [row for row in members if row.target is not None]
    unlike = any(set(row.target or ()) != set(row.held or ()) for row in targets)
    listed = len(rows.listed) or sum(row.partition_count or 0 for row in members if row.held is None)
    total = state.lag if state is not None and not listed else None
    return ListingFacts(
        _choose_state(rows.notice, state) or _infer_state(rows),
        (state.assignor or "") if state else "",
        {row.id: row.client_id for row in members if row.client_id not in ("", "-")},
        {row.id: row.host for row in members if row.host not in ("", "-")},
        max(len(rows.members), state.members if state else 0),
        listed,
        sum(rows.lags.values()) if total is None else total,
        listed - len(rows.lags),
        rows.lag_printed or total is not None,
        _compare_target(state, bool(targets) and len(targets) == len(rows.members), unlike=unlike),
        skipped,
        "" if rows.problem is None else str(rows.problem),
        any(row.topics is None for row in members),
        isinstance(rows.problem, UnlistedPartitionsError),
        tuple(row.partition_count for row in members if row.partition_count is not None)
        if isinstance(rows.problem, UnlistedPartitionsError)
        else (),
    )


def collect_streams_facts(rows: StreamsGroupRows, state: State | None, skipped: int = 0) -> ListingFacts:
    """Return the facts about a streams group."""
    members = rows.members.values()
    targets = [one for one in members if one.target is not None]
    unlike = any(
        {role: set(tasks) for role, tasks in one.held.items()}
        != {role: set((one.target or {}).get(role, ())) for role in one.held}
        for one in targets
    )
    return ListingFacts(
        _choose_state(rows.notice, state),
        (state.assignor or "") if state else "",
        {one.id: one.client_id for one in members if one.client_id not in ("", "-")},
        {},
        max(len(rows.members), state.members if state else 0),
        len(rows.listed),
        sum(rows.lags.values()),
        len(rows.listed) - len(rows.lags),
        rows.lag_printed,
        _compare_target(state, bool(targets) and len(targets) == len(rows.members), unlike=unlike),
        skipped,
        "" if rows.problem is None else str(rows.problem),
    )


def _choose_state(notice: str, state: State | None) -> str:
    return (state_name(state.name) if state else "") or notice


def _infer_state(rows: GroupRows) -> str:
    """Return Empty if the listing has columns for owners, but neither owners nor members."""
    return "Empty" if rows.names_owners and rows.listed and not rows.members else ""


def _compare_target(state: State | None, printed: bool, *, unlike: bool) -> bool | None:
    """Check whether members own their targets, None if that is not printed."""
    epochs = state is not None and state.epoch is not None and state.target_epoch is not None
    if not printed and not epochs:
        return None
    return not (unlike and printed) and not (state is not None and state.behind)

"""Facts about a listed group in addition to the input of an assignor: its state, strategy and lag, and labels of its members."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kassay.listings.groups import GroupRows
from kassay.listings.location import State, UnlistedPartitionsError, state_name
from kassay.listings.streams_groups import StreamsGroupRows


@dataclass(frozen=True, slots=True)
class ListingFacts:
    """Facts that a listing tells about a group in addition to the input of an assignor.

    `client_ids` and `hosts` are by member id, of the members for which they are printed.
    """

    state: str = ""
    """Kafka's own name, such as Stable or PreparingRebalance, "" if the listing does not tell."""
    strategy: str = ""
    """As printed, also one that kassay does not know, "" if none is."""
    client_ids: Mapping[str, str] = field(default_factory=dict)
    hosts: Mapping[str, str] = field(default_factory=dict)
    members: int = 0
    partitions: int = 0
    lag: int = 0
    """The sum over the partitions whose lag is known."""
    lag_unknown: int = 0
    """The number of partitions whose lag is not known."""
    lag_printed: bool = False
    target_reached: bool | None = None
    """True if members own what their coordinator wants (KIP-848), None if that is not printed."""
    skipped_lines: int = 0
    problem: str = ""
    """Why the group cannot be read, "" if it can."""
    subscriptions_assumed: bool = False
    """True if subscriptions are not printed, so that members were taken to subscribe to all topics or to those that they own."""
    unlisted: bool = False
    """True if the only problem is that the listing does not print which partitions members own."""
    loads: tuple[int, ...] = ()
    """The number of partitions of each member in that case, as far as #PARTITIONS says it."""


def collect_facts(rows: GroupRows, state: State | None, skipped: int = 0) -> ListingFacts:
    """Return the facts about a consumer or share group."""
    members = rows.members.values()
    unlike = any(row.target is not None and set(row.target) != set(row.held or ()) for row in members)
    listed = len(rows.listed) or sum(row.partition_count or 0 for row in members if row.held is None)
    total = state.lag if state is not None and not listed else None
    unlisted = isinstance(rows.problem, UnlistedPartitionsError)
    facts = replace(
        _collect(rows, state, skipped, unlike=unlike),
        hosts={row.id: row.host for row in members if row.host not in ("", "-")},
        partitions=listed,
        lag=sum(rows.lags.values()) if total is None else total,
        lag_unknown=listed - len(rows.lags),
        lag_printed=rows.lag_printed or total is not None,
        subscriptions_assumed=any(row.topics is None for row in members),
        unlisted=unlisted,
        loads=tuple(row.partition_count for row in members if unlisted and row.partition_count is not None),
    )
    # The listing has columns for owners, but neither owners nor members.
    is_empty = rows.names_owners and rows.listed and not rows.members
    return replace(facts, state="Empty") if is_empty and not facts.state else facts


def collect_streams_facts(rows: StreamsGroupRows, state: State | None, skipped: int = 0) -> ListingFacts:
    """Return the facts about a streams group."""
    unlike = any(
        one.target is not None
        and any(set(tasks) != set(one.target.get(role, ())) for role, tasks in one.held.items())
        for one in rows.members.values()
    )
    return _collect(rows, state, skipped, unlike=unlike)


def _collect(
    rows: GroupRows | StreamsGroupRows, state: State | None, skipped: int, *, unlike: bool
) -> ListingFacts:
    """Return the facts that groups of all kinds have; `unlike` tells whether a member does not own its target."""
    members = rows.members.values()
    printed = bool(members) and all(row.target is not None for row in members)
    epochs = state is not None and state.epoch is not None and state.target_epoch is not None
    reached = not (unlike and printed) and not (state is not None and state.behind)
    return ListingFacts(
        state=(state_name(state.name) if state else "") or rows.notice,
        strategy=(state.assignor or "") if state else "",
        client_ids={row.id: row.client_id for row in members if row.client_id not in ("", "-")},
        members=max(len(members), state.members if state else 0),
        partitions=len(rows.listed),
        lag=sum(rows.lags.values()),
        lag_unknown=len(rows.listed) - len(rows.lags),
        lag_printed=rows.lag_printed,
        target_reached=reached if printed or epochs else None,
        skipped_lines=skipped,
        problem="" if rows.problem is None else str(rows.problem),
    )

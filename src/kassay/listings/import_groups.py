"""Groups of every family from what Kafka's tools print or a cluster told, with all that had to be assumed."""

import gc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kassay.errors import InputError
from kassay.families import family
from kassay.listings.applications import Details, find_applications, is_application
from kassay.listings.connect import is_connect, read_connectors
from kassay.listings.details import NOTHING_STATED, ListedDetails
from kassay.listings.listed_groups import (
    CONSUMERS,
    ListingFacts,
    collect_facts,
    collect_streams_facts,
    listings_of,
)
from kassay.listings.location import LEADERS_ORDER, ListingError
from kassay.listings.reading import Reading, Taken, is_listing, read_files
from kassay.listings.streams_groups import group_of, read_config, targets_of
from kassay.listings.texts import find_json, strip_marks
from kassay.listings.topologies import read_settings
from kassay.model import TopicPartition
from kassay.model.partitions_json import write_assignment
from kassay.properties.tasks.rounds import LOG
from kassay.sentences import counted

ORDERED = LEADERS_ORDER


@dataclass(frozen=True, slots=True)
class Listed:
    """A group read from listings, with a sentence for each assumption or contradiction."""

    name: str
    family: str
    group: Any
    """The group as assignors of the family take it, None if it could not be read."""
    warnings: tuple[str, ...]
    beside: Mapping[str, Any] = field(default_factory=dict)
    """`in_use`, the assignor of the group; `target`, its target assignment; `progress`, how far it has read. Each if it is known."""
    facts: ListingFacts | None = None
    """Other facts of the listings, None of a cluster of Connect."""

    @property
    def record(self) -> Mapping[str, Any]:
        """The JSON of the group without family and name, {} of one that could not be read."""
        written: Mapping[str, Any] = (
            {} if self.group is None else family(self.family).shape.write_group(self.group)
        )
        return written

    @property
    def problem(self) -> str:
        """Why the group could not be read, "" where it could."""
        return self.facts.problem if self.facts is not None else ""


def is_listed(text: str) -> bool:
    """Check whether a text is what Kafka's tools or Connect's REST interface print, whether or not it can be read."""
    return is_connect(text) or is_listing(text)


def read_listed(
    files: Sequence[tuple[str, str]] | Taken,
    *,
    leader: bool,
    details: ListedDetails = NOTHING_STATED,
    of_family: str | None = None,
) -> list[Listed]:
    """Read groups from (name, text) pairs, or what a cluster told, in the order of the leader or coordinator where asked.

    With `of_family` groups are taken to be of that family where :func:`kassay.listings.read_listings` allows it; raises InputError
    where something cannot be read.
    """
    # Millions of rows have no cycles: the collector would look through them again and again, a third of the time.
    was_enabled = gc.isenabled()
    try:
        if isinstance(files, Taken):
            return _take_cluster(files, details, of_family, leader=leader)
        gc.disable()
        return _read_texts(files, details, of_family, leader=leader)
    except ListingError as wrong:
        raise InputError(str(wrong)) from None
    finally:
        if was_enabled:
            gc.enable()


def _read_texts(
    files: Sequence[tuple[str, str]], details: ListedDetails, of_family: str | None, *, leader: bool
) -> list[Listed]:
    connect = [(name, text) for name, text in files if is_connect(text)]
    tables = [
        (name, _blank_json(name, text) if is_connect(text) else text)
        for name, text in files
        if not is_connect(text) or is_listing(text)
    ]
    found = (
        _make_groups(read_files(tables), details, of_family, leader=leader) if tables or not connect else []
    )
    if connect:
        try:
            cluster, said = read_connectors(connect, details.workers, details.config)
            found.append(Listed(connect[0][0], "connect", _make_group("connect", cluster), tuple(said)))
        except ListingError as wrong:
            if not found:
                raise
            # With other groups in the texts, the problem stays with the cluster.
            facts = ListingFacts(problem=str(wrong))
            found.append(Listed(connect[0][0], "connect", None, (), facts=facts))
    return [_order_group(one, leader=leader) for one in found]


def _make_group(name: str, record: Mapping[str, Any]) -> Any:
    """Make a group of a family of its JSON."""
    return family(name).shape.read_group({"family": name, **record})


def _blank_json(name: str, text: str) -> str:
    """Return a text with tables without what Connect printed between them; its lines stay where they are."""
    text = strip_marks(text)
    found = text.split("\n")
    for one in find_json(name, text):
        found[one.line - 1 : one.end] = [""] * (one.end - one.line + 1)
    return "\n".join(found)


def _take_cluster(
    taken: Taken, details: ListedDetails, of_family: str | None, *, leader: bool
) -> list[Listed]:
    details = replace(details, broker_racks=details.broker_racks or taken.broker_racks)
    for name, rows in taken.reading.groups.items():
        for topic, partitions in taken.progress.get(name, {}).items():
            for number, (committed, end) in enumerate(partitions):
                rows.listed[TopicPartition(topic, number)] = None
                rows.lag_printed = True
                if end is not None:
                    rows.ends[TopicPartition(topic, number)] = end
                if committed is not None and end is not None:
                    rows.lags[TopicPartition(topic, number)] = max(0, end - committed)
    details = replace(details, end_offsets=details.end_offsets or taken.ends)
    try:
        found = _make_groups(taken.reading, details, of_family, leader=leader)
        for number, one in enumerate(found):
            if progress := taken.progress.get(one.name):
                found[number] = replace(one, beside={**one.beside, "progress": progress})
        return [_order_group(one, leader=leader) for one in found]
    except (InputError, ListingError):
        raise
    except ValueError as wrong:  # no listing can say such a thing
        raise InputError(f"{taken.name}: tells what cannot be: {wrong}") from None


def _make_groups(
    reading: Reading, details: ListedDetails, of_family: str | None, *, leader: bool
) -> list[Listed]:
    applications = _take_applications(reading, details, leader=leader)
    of_consumers = of_family if of_family in {*CONSUMERS, "share"} else None
    found = [
        Listed(
            one.name, one.family, None if one.facts and one.facts.problem else one.group, one.warnings,
            _list_known(one.in_use, one.target and write_assignment(one.target)), one.facts,
        )
        for one in listings_of(reading, details, of_consumers)
    ] + applications  # fmt: skip
    meant = [name for name in reading.streams_groups if details.only in {None, name}]
    if details.stateful is not None and len(meant) > 1:
        raise InputError(
            f"--stateful: the listings show {len(meant)} streams groups ({', '.join(meant)}); choose one by --consumer-group"
        )
    config = read_config(details.config) if meant else {}
    for rows in reading.streams_groups.values():
        state = reading.states.get(rows.name)
        group: Any = None
        said: list[str] = []
        try:
            if rows.problem is None:
                stated = (details.stateful, config, details.member_racks) if rows.name in meant else ()
                record, said = group_of(rows, *stated)
                group = _make_group("streams-group", record)
        except ListingError as wrong:
            rows.problem = wrong
        if state is not None:
            said = [*state.said(len(rows.members)), *said]
        told = _list_known(
            state.in_use("streams-group") if state else "",
            None if state is not None and state.behind else targets_of(rows),
        )
        facts = collect_streams_facts(rows, state, len(reading.skipped))
        found.append(Listed(rows.name, "streams-group", group, tuple(said), told, facts))
    return _refuse_if_none(found, reading)


def _refuse_if_none(found: list[Listed], reading: Reading) -> list[Listed]:
    """Return the groups, with what was not read said once; raises ListingError where none of them could be read."""
    if found and all(one.problem and not (one.facts and one.facts.unlisted) for one in found):
        raise ListingError(found[0].problem)
    used = any(one.family == "streams" for one in found)
    said = [
        f"{name}: The listing has no threads of the Kafka Streams topology next to it. kassay skipped the topology."
        for name, _ in reading.topologies
        if not used
    ]
    if reading.skipped:
        lines = counted(len(reading.skipped), "line")
        first = reading.skipped[0]
        said.append(
            f"{first}: This line is part of no table. kassay skipped it."
            if len(reading.skipped) == 1
            else f"{first}: kassay skipped {lines}, of which this is the first. They are part of no table."
        )
    number = next((number for number, one in enumerate(found) if not one.problem), None)
    if number is not None:
        found[number] = replace(found[number], warnings=(*found[number].warnings, *said))
    return found


def _take_applications(reading: Reading, details: ListedDetails, *, leader: bool) -> list[Listed]:
    """Take the applications of Kafka Streams out of the consumer groups read; one that cannot be read has its problem."""
    meant = [
        rows for name, rows in reading.groups.items() if details.only in {None, name} and is_application(rows)
    ]
    if details.as_consumers or not any(map(is_application, reading.groups.values())):
        return []
    stated = Details(
        read_settings(details.config if meant else ()), details.subtopologies, details.end_offsets, details.broker_racks,
        details.member_racks, leader, LOG,
    )  # fmt: skip
    read, problems = [], []
    for name, one in find_applications(reading, stated, reading.topologies, details.only).items():
        facts = collect_facts(reading.groups.pop(name), reading.states.get(name), len(reading.skipped))
        if isinstance(one, str):
            problems.append(Listed(name, "streams", None, (), facts=replace(facts, problem=one)))
        else:
            read.append(Listed(name, "streams", one.application, one.warnings, facts=facts))
    return read + problems


def _list_known(in_use: str, target: Any) -> dict[str, Any]:
    return {name: told for name, told in (("in_use", in_use), ("target", target)) if told}


def _order_group(one: Listed, *, leader: bool) -> Listed:
    """Return the group in the order of the leader where asked."""
    leader_order = family(one.family).leader_order if leader and one.group is not None else None
    ordered = one.group if leader_order is None else leader_order(one.group)
    return one if ordered == one.group else replace(one, group=ordered, warnings=(*one.warnings, ORDERED))

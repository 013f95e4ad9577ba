"""Groups of every family from the output of Kafka's tools or from a cluster, with all assumptions."""

import gc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.families import family
from kassay.listings.applications import Details, find_applications, is_application
from kassay.listings.connect import is_connect, read_connectors
from kassay.listings.details import NOTHING_STATED, ListedDetails
from kassay.listings.listed_groups import CONSUMERS, ListingFacts, build_listings, collect_facts
from kassay.listings.location import LEADERS_ORDER, ListingError
from kassay.listings.reading import Reading, Taken, is_listing, read_files
from kassay.listings.streams_groups import read_config, write_streams_group, write_targets
from kassay.listings.texts import find_json, strip_marks
from kassay.listings.topologies import read_settings
from kassay.model import TopicPartition
from kassay.model.partitions_json import write_assignment
from kassay.properties.tasks.rounds import LOG
from kassay.sentences import format_count

ORDERED = LEADERS_ORDER


@dataclass(frozen=True, slots=True)
class Listed:
    """A group read from listings, with a sentence for each assumption or contradiction."""

    name: str
    family: str
    group: Any
    """The input of assignors of the family, None if it could not be read."""
    warnings: tuple[str, ...]
    beside: Mapping[str, Any] = field(default_factory=dict)
    """If known: `in_use`, the assignor of the group; `target`, its target assignment; `progress`, its committed and end offsets."""
    facts: ListingFacts | None = None
    """Other facts of the listings, None for a Connect cluster."""

    @property
    def record(self) -> Mapping[str, Any]:
        """The JSON of the group without family and name, {} if it could not be read."""
        if self.group is None:
            return {}
        written: Mapping[str, Any] = family(self.family).shape.write_group(self.group)
        return written

    @property
    def problem(self) -> str:
        """The reason why the group could not be read, or ""."""
        return self.facts.problem if self.facts is not None else ""


def is_listed(text: str) -> bool:
    """Return True if a text is output of Kafka's tools or of Connect's REST interface, even if it cannot be read."""
    return is_connect(text) or is_listing(text)


def read_listed(
    files: Sequence[tuple[str, str]] | Taken,
    *,
    leader: bool,
    details: ListedDetails = NOTHING_STATED,
    of_family: str | None = None,
) -> list[Listed]:
    """Read groups from (name, text) pairs or from a cluster.

    `leader` puts members into the order in which a live leader or coordinator receives them. `of_family` is the family of groups, if
    :func:`kassay.listings.read_listings` allows it. Raises InputError if something cannot be read.
    """
    # Millions of rows have no cycles, and the garbage collector would take a third of the time.
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
    tables = []
    for name, text in files:
        if not is_connect(text):
            tables.append((name, text))
        elif is_listing(text):  # tables with output of Connect between them, whose lines become blank
            bare = strip_marks(text)
            lines = bare.split("\n")
            for each in find_json(name, bare):
                lines[each.line - 1 : each.end] = [""] * (each.end - each.line + 1)
            tables.append((name, "\n".join(lines)))
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
    """Read a group of a family from its JSON."""
    return family(name).shape.read_group({"family": name, **record})


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
    except ValueError as wrong:  # no listing can have such values
        raise InputError(f"{taken.name}: has impossible values: {wrong}") from None


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
        for one in build_listings(reading, details, of_consumers)
    ] + applications  # fmt: skip
    meant = [name for name in reading.streams_groups if details.only in {None, name}]
    if details.stateful is not None and len(meant) > 1:
        raise InputError(
            f"--stateful: the listings show {len(meant)} streams groups ({', '.join(meant)}). Choose one by --consumer-group"
        )
    config = read_config(details.config) if meant else {}
    for rows in reading.streams_groups.values():
        state = reading.states.get(rows.name)
        group: Any = None
        said: list[str] = []
        try:
            if rows.problem is None:
                stated = (details.stateful, config, details.member_racks) if rows.name in meant else ()
                record, said = write_streams_group(rows, *stated)
                group = _make_group("streams-group", record)
        except ListingError as wrong:
            rows.problem = wrong
        if state is not None:
            said = [*state.describe_caveats(len(rows.members)), *said]
        target = None if state is not None and state.behind else write_targets(rows)
        told = _list_known(state.find_assignor("streams-group") if state else "", target)
        facts = collect_facts(rows, state, len(reading.skipped))
        found.append(Listed(rows.name, "streams-group", group, tuple(said), told, facts))
    return _refuse_if_none(found, reading)


def _refuse_if_none(found: list[Listed], reading: Reading) -> list[Listed]:
    """Return the groups, one of them with caveats on all skipped text; raise ListingError if no group could be read."""
    if found and all(one.problem and not (one.facts and one.facts.unlisted) for one in found):
        raise ListingError(found[0].problem)
    used = any(one.family == "streams" for one in found)
    said = [
        f"{name}: The listing has no threads of the Kafka Streams topology next to it. kassay skipped the topology."
        for name, _ in reading.topologies
        if not used
    ]
    if reading.skipped:
        lines = format_count(len(reading.skipped), "line")
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
    """Move the applications of Kafka Streams out of the consumer groups of a reading; an unreadable one has its problem."""
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
            problems.append(
                Listed(name, "streams", None, (), facts=msgspec.structs.replace(facts, problem=one))
            )
        else:
            read.append(Listed(name, "streams", one.application, one.warnings, facts=facts))
    return read + problems


def _list_known(in_use: str, target: Any) -> dict[str, Any]:
    return {name: told for name, told in (("in_use", in_use), ("target", target)) if told}


def _order_group(one: Listed, *, leader: bool) -> Listed:
    """Return the group in the leader's order if `leader` asks for it."""
    leader_order = family(one.family).leader_order if leader and one.group is not None else None
    ordered = one.group if leader_order is None else leader_order(one.group)
    return (
        one if ordered == one.group else replace(one, group=ordered, warnings=(*one.warnings, LEADERS_ORDER))
    )

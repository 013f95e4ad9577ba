"""The rows of one consumer or share group, as read, and the partitions that each member owns according to them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kassay.listings.details import read_thread
from kassay.listings.location import Assumed, ListingError, Place, list_some, quote
from kassay.listings.tables import Header
from kassay.listings.topics import refuse_many
from kassay.model import TopicPartition
from kassay.sentences import format_count


class MemberRow(NamedTuple):
    """A member as listed; the tools do not print the last three fields, which come from a cluster."""

    place: Place
    id: str
    instance_id: str | None = None
    host: str = "-"
    client_id: str = "-"
    partition_count: int | None = None
    """The number in #PARTITIONS, None in an offsets table."""
    held: tuple[TopicPartition, ...] | None = None
    """Its partitions, None if the table does not print them (--members without --verbose)."""
    target: tuple[TopicPartition, ...] | None = None
    """The partitions that its coordinator has assigned to it (KIP-848), None if the table does not print them."""
    epoch: int | None = None
    """Its member epoch, None for the classic protocol."""
    classic: bool = False
    """True if it uses the classic protocol in a group that the coordinator assigns."""
    topics: tuple[str, ...] | None = None
    """Its subscription, None if it is unknown."""
    pattern: str | None = None
    """A regular expression for further topics that it subscribes to (KIP-848)."""
    told_rack: str | None = None

    @property
    def known(self) -> tuple[TopicPartition, ...]:
        """All partitions in its row, current or target."""
        return (*(self.held or ()), *(self.target or ()))

    @property
    def is_behind(self) -> bool:
        """True if it owns other partitions than its target assignment."""
        return self.target is not None and set(self.target) != set(self.held or ())

    def find_rack(self, racks: Mapping[str, str | None]) -> str | None:
        """Return its rack by the first known one of member id, client id and host, or else from the cluster, or None.

        A thread of Kafka Streams is found by the client id of its consumer and by the client.id of the application.
        """
        clients = (self.client_id, read_thread(self.client_id) or self.client_id)
        keys = (self.id, *clients, self.host, self.host.rpartition("/")[2])
        return next((racks[key] for key in keys if key in racks), self.told_rack)


@dataclass(slots=True)
class GroupRows:
    """Everything that was read about one group, in order: members by id, partition rows by member, and warnings."""

    name: str
    shares: bool = False
    """True if it is a share group (KIP-932), by its columns or notices."""
    told: bool = False
    """True if it comes from a cluster and is complete, False if a tool printed it."""
    members: dict[str, MemberRow] = field(default_factory=dict)
    offsets: dict[str, dict[TopicPartition, Place]] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    """The highest listed partition number of each topic, owned or not, also in target assignments."""
    unread: dict[str, list[int]] = field(default_factory=dict)
    """For each topic the partitions that have a committed offset and no member."""
    warnings: list[str] = field(default_factory=list)
    lags: dict[TopicPartition, int] = field(default_factory=dict)
    """The LAG of each partition: the number of records that the group has not read."""
    ends: dict[TopicPartition, int] = field(default_factory=dict)
    """The LOG-END-OFFSET of each partition: the number of records that were ever written."""
    listed: dict[TopicPartition, None] = field(default_factory=dict)
    """The partitions that are listed, owned or not."""
    lag_printed: bool = False
    """True if a table has a column LAG."""
    names_owners: bool = False
    """True if a table of partitions names their owners."""
    notice: str = ""
    """The state in a notice about the group, "" if there is no notice."""
    problem: ListingError | None = None
    """The problem of one of its rows, None if there is none."""
    unsaid: int = 0
    """The number of warnings that were left out, of the kind that each row may cause."""
    place: Place | None = None
    """The place of its first row."""

    @property
    def family(self) -> str:
        """The family of assignors for the group: its coordinator assigns if members have an epoch (KIP-848)."""
        if self.shares:
            return "share"
        return "broker" if any(row.epoch is not None for row in self.members.values()) else "consumer"

    @property
    def called(self) -> str:
        """Its name in messages."""
        return f"{'share' if self.shares else 'consumer'} group {quote(self.name)}"

    def add_row(self, place: Place, header: Header, row: dict[str, str]) -> None:
        """Add a row of a members, offsets or positions table; raise ListingError if a field is unreadable."""
        self.place = self.place or place
        if "CONSUMER-ID" not in row and "CLIENT-ID" in row:
            # The table has no CONSUMER-ID, so CLIENT-ID is its replacement.
            name = row["CONSUMER-ID"] = row["CLIENT-ID"]
            known = self.members.get(name)
            if known is not None and (header.kind == "members" or row.get("HOST", "-") != known.host):
                raise place.error(
                    f"CLIENT-ID {quote(name)} stands at {known.place} too",
                    "give the table with CONSUMER-ID, which tells members apart",
                )
        if header.kind == "members":
            held = row.get("ASSIGNMENT", "-")
            self.shares |= "MEMBER-EPOCH" in row or ":" in held or not held
            self.add_member(_read_member(place, row))
        else:
            self.shares |= header.shares
            self.names_owners |= header.names_members
            self.lag_printed |= "LAG" in row
            self._add_offset(place, row)

    def add_unlisted(self, place: Place, members: int) -> None:
        """Add the members that the tool counts but does not list, because they own nothing."""
        missing = members - len(self.members)
        for number in range(1, missing + 1):
            name = f"(not listed {number})"
            self.members[name] = MemberRow(place, name, held=())
        if missing > 0:
            who = "1 member owns" if missing == 1 else f"{missing} members own"
            self.warnings.append(
                f"{place}: MEMBERS is {members}, but {members - missing} {'is' if members - missing == 1 else 'are'} listed. "
                f"{who} no partition, and rpk does not print {'its id' if missing == 1 else 'their ids'}."
            )

    def add_member(self, new: MemberRow) -> None:
        """Add a member; raise ListingError if it has too many partitions."""
        old = self.members.get(new.id)
        if old is None or (old.partition_count is None and old.held is None):
            self.members[new.id] = new
            for partition in new.known:
                self._add_partition(new.place, partition)
            return
        same = (old.held, old.instance_id, old.host) == (new.held, new.instance_id, new.host)
        which = "the same" if same else "other"
        self._add_repeated(
            f"{new.place}: member {quote(new.id)} is listed again with {which} values. kassay uses {old.place}."
        )

    def _add_offset(self, place: Place, row: dict[str, str]) -> None:
        member, topic, number = row.get("CONSUMER-ID", "-"), row["TOPIC"], row["PARTITION"]
        if member in _UNKNOWN:
            member = "-"
        elif member not in self.members:
            instance = row.get("GROUP-INSTANCE-ID", "")
            instance_id = None if instance in ("", "-") else instance
            host, client_id = row.get("HOST") or "-", row.get("CLIENT-ID") or "-"
            self.members[member] = MemberRow(place, member, instance_id, host, client_id)
            self.offsets.setdefault(member, {})
        if topic == number == "-":
            return
        partition = TopicPartition(place.topic("TOPIC", topic), place.number("PARTITION", number))
        self._add_partition(place, partition)
        for column, numbers in (("LAG", self.lags), ("LOG-END-OFFSET", self.ends)):
            text = row.get(column, "-")
            if text[:1] == "-" and text[1:].isdecimal():  # the committed offset is above the end of the log
                self._add_repeated(f"{place}: {column} of {partition} is {text}. It counts as unknown.")
            elif text not in _UNKNOWN:
                numbers.setdefault(partition, place.offset(column, text))
        if member == "-":
            if row.get("CURRENT-OFFSET", row.get("START-OFFSET", "-")) not in _UNKNOWN:
                self.unread.setdefault(partition.topic, []).append(partition.partition)
            return
        first = self.offsets.setdefault(member, {}).setdefault(partition, place)
        if first is not place:
            self._add_repeated(
                f"{place}: {partition} is listed again for member {quote(member)}. kassay uses {first}."
            )

    def _add_repeated(self, said: str) -> None:
        """Add a warning that each row may cause, but count all after the first few."""
        if self.unsaid or len(self.warnings) >= _SAID_MAX:
            self.unsaid += 1
        else:
            self.warnings.append(said)

    def _add_partition(self, place: Place, partition: TopicPartition) -> None:
        refuse_many(place, f"partition {partition.partition}", partition.partition + 1)
        self.listed[partition] = None
        if partition.partition >= self.known.get(partition.topic, 0):
            self.known[partition.topic] = partition.partition


_SAID_MAX = 5
_UNKNOWN = {"-", "", "unknown", "none"}
"""Texts that tools print in place of a missing number or owner; "none" and "unknown" up to Kafka 0.10."""


def _read_member(place: Place, row: dict[str, str]) -> MemberRow:
    column = "CURRENT-ASSIGNMENT" if "CURRENT-ASSIGNMENT" in row else "ASSIGNMENT"
    epochs = next((name for name in ("CURRENT-EPOCH", "MEMBER-EPOCH") if name in row), None)
    epoch, instance_id = row.get(epochs or "", "-"), row.get("GROUP-INSTANCE-ID", "")
    # Members of the classic protocol have no target: kafka-consumer-groups prints "-" in both columns.
    target = None if row.get("TARGET-EPOCH") == "-" else row.get("TARGET-ASSIGNMENT")
    return MemberRow(
        place=place,
        id=row["CONSUMER-ID"],
        instance_id=None if instance_id in ("", "-") else instance_id,
        host=row.get("HOST", "-"),
        client_id=row.get("CLIENT-ID", "-"),
        partition_count=place.number("#PARTITIONS", row["#PARTITIONS"]) if "#PARTITIONS" in row else None,
        held=read_holdings(place, column, row[column]) if column in row else None,
        target=None if target is None else read_holdings(place, "TARGET-ASSIGNMENT", target),
        epoch=None if epochs is None or epoch == "-" else place.number(epochs, epoch),
        classic=row.get("UPGRADED") == "false",
    )


_OLD = re.compile(r"\s*([^\s(),:;]+)\(([^()]*)\)\s*(?:,(?=.)|$)")


_NEW = re.compile(r"\s*([^\s(),:;]+):([^:;]*?)(?:;(?=.)|$|,(?=\s*[^\s(),:;]+:))")
"""Kafka 4.0 prints the topic again for each partition of a share group, with commas."""


def read_holdings(place: Place, field: str, text: str) -> tuple[TopicPartition, ...]:
    """Return the partitions in printed order; raise ListingError if the text is incomplete or malformed."""
    if text in ("-", ""):
        return ()
    layout = _OLD if "(" in text else _NEW
    held: list[TopicPartition] = []
    position = 0
    while position < len(text):
        match = layout.match(text, position)
        if match is None:
            raise place.error(
                f"{field} is unreadable at {quote(text[position:])}",
                "give the whole row on one line, as in 'orders(0,1)' or 'orders:0,1;payments:2'",
            )
        topic = place.topic(field, match[1])
        name = f"{field} {topic}"
        held += [TopicPartition(topic, place.number(name, number.strip())) for number in match[2].split(",")]
        position = match.end()
    return tuple(held)


def find_owned(rows: GroupRows, warnings: list[str]) -> dict[str, tuple[TopicPartition, ...]]:
    """Return the partitions of each member in printed order; listed partitions have precedence over counts.

    Members of a share group share partitions. Raises ListingError if the partitions of a member are not printed.
    """
    held: dict[str, tuple[TopicPartition, ...]] = {}
    holders: dict[TopicPartition, list[str]] = {}
    for row in rows.members.values():
        held[row.id] = _find_held(row, rows, warnings)
        for partition in held[row.id]:
            holders.setdefault(partition, []).append(row.id)
    double = [(partition, ids) for partition, ids in holders.items() if len(ids) > 1 and not rows.shares]
    for partition, ids in double[:5]:
        warnings.append(
            f"{rows.members[ids[-1]].place}: {partition} is listed for {len(ids)} members "
            f"({list_some(map(quote, ids), len(ids))}). kassay takes each of them to own it."
        )
    if len(double) > 5:
        warnings.append(f"So are {len(double) - 5} more partitions of {rows.called}.")
    return held


def _find_held(row: MemberRow, rows: GroupRows, warnings: list[str]) -> tuple[TopicPartition, ...]:
    elsewhere = rows.offsets.get(row.id)
    if row.held is not None:
        printed = row.held
        if elsewhere and set(elsewhere) != set(printed):
            warnings.append(
                f"{row.place}: member {quote(row.id)} lists {format_count(len(printed), 'partition')}, but the "
                f"table of offsets names {len(elsewhere)}, not the same ones. kassay uses {row.place}."
            )
    elif elsewhere is None and row.partition_count:
        raise row.place.build_unlisted_error(
            f"#PARTITIONS is {row.partition_count}, but the table does not print which",
            f"add --verbose to kafka-{'share' if rows.shares else 'consumer'}-groups --describe --members",
        )
    else:
        printed = tuple(elsewhere or ())
    once = tuple(dict.fromkeys(printed))
    if len(once) < len(printed):
        twice = next(partition for n, partition in enumerate(printed) if once[n : n + 1] != (partition,))
        warnings.append(f"{row.place}: member {quote(row.id)} lists {twice} twice. It counts once.")
    if row.partition_count is not None and row.partition_count != len(once):
        warnings.append(
            f"{row.place}: #PARTITIONS is {row.partition_count}, but the line lists {format_count(len(once), 'partition')}. kassay uses {len(once)}."
        )
    return once


def find_generation(rows: GroupRows, warnings: list[str]) -> int | None:
    """Return the generation of all owned partitions: the highest member epoch, None for the classic protocol.

    The coordinator itself reports what a member owns, so nothing is outdated, even at a lower epoch.
    """
    classic = [row for row in rows.members.values() if row.classic]
    if classic:
        warnings.append(
            f"{classic[0].place}: {format_count(len(classic), 'member')} "
            f"({list_some((quote(row.id) for row in classic), len(classic))}) "
            f"{'speaks' if len(classic) == 1 else 'speak'} the classic protocol still (UPGRADED). The group is migrating (KIP-848)."
        )
    epochs = sorted({row.epoch for row in rows.members.values() if row.epoch is not None})
    behind = [row for row in rows.members.values() if row.epoch is not None and row.is_behind]
    if behind:
        warnings.append(
            f"{behind[0].place}: {format_count(len(behind), 'member')} "
            f"({list_some((quote(row.id) for row in behind), len(behind))}) "
            f"{'owns' if len(behind) == 1 else 'own'} other partitions than the target assignment."
        )
    if len(epochs) > 1:
        warnings.append(
            Assumed(
                f"members of {rows.called} are at epochs {list_some(epochs, len(epochs))}, and all own what they own since epoch {epochs[-1]}"
            )
        )
    return epochs[-1] if epochs else None

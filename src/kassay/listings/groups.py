"""Rows of one consumer or share group, as read, and what each member holds by them, before they become a group."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kassay.listings.details import read_thread
from kassay.listings.location import Assumed, ListingError, Place, quoted, some
from kassay.listings.tables import Header
from kassay.listings.topics import refuse_many
from kassay.model import TopicPartition
from kassay.sentences import counted


class MemberRow(NamedTuple):
    """A member as listed.

    `partition_count` is what #PARTITIONS says, None in an offsets table; `held` is None if the table does not print
    partitions (--members without --verbose); `target` is what the coordinator wants it to hold (KIP-848), None if the table does
    not print it; `epoch` is its member epoch, None for the classic protocol; `classic` is whether it speaks that in a group that the
    coordinator assigns. What the tools do not print and a cluster tells: `topics` is its subscription, None if it is not told,
    `pattern` an expression for names of topics that it subscribes to besides (KIP-848), and `told_rack` its rack.
    """

    place: Place
    id: str
    instance_id: str | None = None
    host: str = "-"
    client_id: str = "-"
    partition_count: int | None = None
    held: tuple[TopicPartition, ...] | None = None
    target: tuple[TopicPartition, ...] | None = None
    epoch: int | None = None
    classic: bool = False
    topics: tuple[str, ...] | None = None
    pattern: str | None = None
    told_rack: str | None = None

    @property
    def known(self) -> tuple[TopicPartition, ...]:
        """The partitions that the table shows of it, held or to be held."""
        return (*(self.held or ()), *(self.target or ()))

    def rack(self, racks: Mapping[str, str | None]) -> str | None:
        """Return its rack by member id, client id or host, the first that is there, or else as it was told; None if none is.

        The client id of a thread of Kafka Streams is that of its consumer, or the client.id of the application.
        """
        clients = (self.client_id, read_thread(self.client_id) or self.client_id)
        keys = (self.id, *clients, self.host, self.host.rpartition("/")[2])
        return next((racks[key] for key in keys if key in racks), self.told_rack)


@dataclass(slots=True)
class GroupRows:
    """Everything read of one group, in order: members by id, partition rows by member, and warnings."""

    name: str
    shares: bool = False
    """True if it is a share group (KIP-932), by its columns or notices."""
    told: bool = False
    """True if a cluster told it, and so all of it; False if a tool printed it."""
    members: dict[str, MemberRow] = field(default_factory=dict)
    offsets: dict[str, dict[TopicPartition, Place]] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    """The highest listed partition number of each topic, owned or not, also in target assignments."""
    unread: dict[str, list[int]] = field(default_factory=dict)
    """By topic the partitions that have a committed offset and no member."""
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
    """The state of the group as a notice tells it, "" where none does."""
    problem: ListingError | None = None
    """The problem of a row of it, None if there is none."""
    unsaid: int = 0
    """How many sentences of the kind that each row may cause were left out."""
    place: Place | None = None
    """The place of its first row."""

    @property
    def shown(self) -> bool:
        """True if a table or a cluster shows its members or partitions, and not its state alone."""
        return self.told or bool(self.members or self.listed)

    @property
    def family(self) -> str:
        """The family of assignors that serves the group: the coordinator assigns where members have an epoch (KIP-848)."""
        if self.shares:
            return "share"
        return "broker" if any(row.epoch is not None for row in self.members.values()) else "consumer"

    @property
    def called(self) -> str:
        """Its name in messages."""
        return f"{'share' if self.shares else 'consumer'} group {quoted(self.name)}"

    def add_row(self, place: Place, header: Header, row: dict[str, str]) -> None:
        """Take in a row of a members, offsets or positions table; raise ListingError where a field is unreadable."""
        self.place = self.place or place
        if "CONSUMER-ID" not in row and "CLIENT-ID" in row:
            # CLIENT-ID stands for the CONSUMER-ID that the table does not have.
            name = row["CONSUMER-ID"] = row["CLIENT-ID"]
            known = self.members.get(name)
            if known is not None and (header.kind == "members" or row.get("HOST", "-") != known.host):
                raise place.error(
                    f"CLIENT-ID {quoted(name)} stands at {known.place} too",
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
        """Make members of those that the tool counts and does not list, for they own nothing."""
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
        """Take in a member; raise ListingError if it has too many partitions."""
        old = self.members.get(new.id)
        if old is None or (old.partition_count is None and old.held is None):
            self.members[new.id] = new
            for partition in new.known:
                self._know(new.place, partition)
            return
        same = (old.held, old.instance_id, old.host) == (new.held, new.instance_id, new.host)
        which = "the same" if same else "other"
        self._add_repeated(
            f"{new.place}: member {quoted(new.id)} is listed again with {which} values. kassay uses {old.place}."
        )

    def _add_offset(self, place: Place, row: dict[str, str]) -> None:
        member, topic, number = row.get("CONSUMER-ID", "-"), row["TOPIC"], row["PARTITION"]
        if member in _NOBODY:
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
        self._know(place, partition)
        self._add_lag(place, partition, row)
        if member == "-":
            if row.get("CURRENT-OFFSET", row.get("START-OFFSET", "-")) not in _UNKNOWN:
                self.unread.setdefault(partition.topic, []).append(partition.partition)
            return
        first = self.offsets.setdefault(member, {}).setdefault(partition, place)
        if first is not place:
            self._add_repeated(
                f"{place}: {partition} is listed again for member {quoted(member)}. kassay uses {first}."
            )

    def _add_lag(self, place: Place, partition: TopicPartition, row: dict[str, str]) -> None:
        for column, numbers in (("LAG", self.lags), ("LOG-END-OFFSET", self.ends)):
            text = row.get(column, "-")
            if text in _UNKNOWN:
                continue
            if text[0] == "-" and text[1:].isdecimal():  # more is committed than there is
                self._add_repeated(f"{place}: {column} of {partition} is {text}. It counts as unknown.")
            else:
                numbers.setdefault(partition, place.offset(column, text))

    def _add_repeated(self, said: str) -> None:
        """Keep a sentence of which there may be one for each row, but the first few only, and count the others."""
        if self.unsaid or len(self.warnings) >= _SAID_MAX:
            self.unsaid += 1
        else:
            self.warnings.append(said)

    def _know(self, place: Place, partition: TopicPartition) -> None:
        refuse_many(place, f"partition {partition.partition}", partition.partition + 1)
        self.listed[partition] = None
        if partition.partition >= self.known.get(partition.topic, 0):
            self.known[partition.topic] = partition.partition


_SAID_MAX = 5
_UNKNOWN = {"-", "", "unknown", "none"}
_NOBODY = {"-", "", "none", "unknown"}
"""Texts that tools print in place of a missing owner; "none" and "unknown" up to Kafka 0.10."""


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
    """Return the partitions in printed order; raise ListingError where the text is cut off or odd."""
    if text in ("-", ""):
        return ()
    layout = _OLD if "(" in text else _NEW
    held: list[TopicPartition] = []
    position = 0
    while position < len(text):
        match = layout.match(text, position)
        if match is None:
            raise place.error(
                f"{field} is unreadable at {quoted(text[position:])}",
                "give the whole row on one line, as in 'orders(0,1)' or 'orders:0,1;payments:2'",
            )
        topic = place.topic(field, match[1])
        name = f"{field} {topic}"
        held += [TopicPartition(topic, place.number(name, number.strip())) for number in match[2].split(",")]
        position = match.end()
    return tuple(held)


def claims(rows: GroupRows, warnings: list[str]) -> dict[str, tuple[TopicPartition, ...]]:
    """Return what each member holds, in printed order; what the rows list holds against what they count.

    Members of a share group hold partitions together. Raises ListingError where a member has partitions that are printed nowhere.
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
            f"({some(map(quoted, ids), len(ids))}). kassay takes each of them to own it."
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
                f"{row.place}: member {quoted(row.id)} lists {counted(len(printed), 'partition')}, but the "
                f"table of offsets names {len(elsewhere)}, not the same ones. kassay uses {row.place}."
            )
    elif elsewhere is None and row.partition_count:
        raise row.place.unlisted(
            f"#PARTITIONS is {row.partition_count}, but the table does not print which",
            f"add --verbose to kafka-{'share' if rows.shares else 'consumer'}-groups --describe --members",
        )
    else:
        printed = tuple(elsewhere or ())
    once = tuple(dict.fromkeys(printed))
    if len(once) < len(printed):
        twice = next(partition for n, partition in enumerate(printed) if once[n : n + 1] != (partition,))
        warnings.append(f"{row.place}: member {quoted(row.id)} lists {twice} twice. It counts once.")
    if row.partition_count is not None and row.partition_count != len(once):
        warnings.append(
            f"{row.place}: #PARTITIONS is {row.partition_count}, but the line lists {counted(len(once), 'partition')}. kassay uses {len(once)}."
        )
    return once


def generation(rows: GroupRows, warnings: list[str]) -> int | None:
    """Return the generation of all claims: the highest member epoch, None for the classic protocol.

    The coordinator itself says what a member holds, so no claim is stale, also at a lower epoch.
    """
    classic = [row for row in rows.members.values() if row.classic]
    if classic:
        warnings.append(
            f"{classic[0].place}: {counted(len(classic), 'member')} "
            f"({some((quoted(row.id) for row in classic), len(classic))}) "
            f"{'speaks' if len(classic) == 1 else 'speak'} the classic protocol still (UPGRADED). The group is migrating (KIP-848)."
        )
    epochs = sorted({row.epoch for row in rows.members.values() if row.epoch is not None})
    behind = [
        row
        for row in rows.members.values()
        if row.epoch is not None and row.target is not None and set(row.target) != set(row.held or ())
    ]
    if behind:
        warnings.append(
            f"{behind[0].place}: {counted(len(behind), 'member')} "
            f"({some((quoted(row.id) for row in behind), len(behind))}) "
            f"{'owns' if len(behind) == 1 else 'own'} other partitions than the target assignment."
        )
    if len(epochs) > 1:
        warnings.append(
            Assumed(
                f"members of {rows.called} are at epochs {some(epochs, len(epochs))}, and all own what they own since epoch {epochs[-1]}"
            )
        )
    return epochs[-1] if epochs else None

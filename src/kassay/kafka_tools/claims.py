"""Who holds what: each member's partitions, and a sentence wherever the rows contradict themselves.

The partitions of one member as the tool prints them, in the layout of either generation.

Kafka before 4.0: ``orders(0,1), payments(2)``; from 4.0 (KIP-1099): ``orders:0,1;payments:2``; none: ``-``.
"""

from kassay.kafka_tools.groups import GroupRows, MemberRow
from kassay.kafka_tools.place import Assumed, plural, quoted, some
from kassay.model import TopicPartition


def claims(rows: GroupRows, warnings: list[str]) -> dict[str, tuple[TopicPartition, ...]]:
    """Return what each member holds, in printed order; what the rows list holds against what they count.

    Members of a share group hold partitions together. Raises ListingError where a member has partitions that are printed nowhere.
    """
    held: dict[str, tuple[TopicPartition, ...]] = {}
    holders: dict[TopicPartition, list[str]] = {}
    for row in rows.members.values():
        held[row.id] = _held(row, rows, warnings)
        for partition in held[row.id]:
            holders.setdefault(partition, []).append(row.id)
    double = [(partition, ids) for partition, ids in holders.items() if len(ids) > 1 and not rows.shares]
    for partition, ids in double[:5]:
        warnings.append(
            f"{rows.members[ids[-1]].place}: {partition} is listed for {len(ids)} members "
            f"({some(map(quoted, ids), len(ids))}); all of them claim it"
        )
    if len(double) > 5:
        warnings.append(f"{rows.called}: so are {len(double) - 5} more partitions")
    return held


def _held(row: MemberRow, rows: GroupRows, warnings: list[str]) -> tuple[TopicPartition, ...]:
    elsewhere = rows.offsets.get(row.id)
    if row.held is not None:
        printed = row.held
        if elsewhere and set(elsewhere) != set(printed):
            warnings.append(
                f"{row.place}: member {quoted(row.id)} lists {plural(len(printed), 'partition')}, but the "
                f"table of offsets names {len(elsewhere)}, not the same ones; {row.place} holds"
            )
    elif elsewhere is None and row.count:
        raise row.place.error(
            f"#PARTITIONS is {row.count}, but the table does not print which",
            f"add --verbose to kafka-{'share' if rows.shares else 'consumer'}-groups --describe --members",
        )
    else:
        printed = tuple(elsewhere or ())
    once = tuple(dict.fromkeys(printed))
    if len(once) < len(printed):
        twice = next(partition for n, partition in enumerate(printed) if once[n : n + 1] != (partition,))
        warnings.append(f"{row.place}: member {quoted(row.id)} lists {twice} twice; it counts once")
    if row.count is not None and row.count != len(once):
        warnings.append(
            f"{row.place} says {plural(row.count, 'partition')} (#PARTITIONS) and lists {len(once)}: taken as {len(once)}"
        )
    return once


def generation(rows: GroupRows, warnings: list[str]) -> int | None:
    """Return the generation of all claims: the highest member epoch, None for the classic protocol.

    The coordinator itself says what a member holds, so no claim is stale, also at a lower epoch.
    """
    classic = [row for row in rows.members.values() if row.classic]
    if classic:
        warnings.append(
            f"{classic[0].place}: {plural(len(classic), 'member')} "
            f"({some((quoted(row.id) for row in classic), len(classic))}) "
            f"{'speaks' if len(classic) == 1 else 'speak'} the classic protocol still (UPGRADED): the group is migrating (KIP-848)"
        )
    epochs = sorted({row.epoch for row in rows.members.values() if row.epoch is not None})
    behind = [
        row
        for row in rows.members.values()
        if row.epoch is not None and row.target is not None and set(row.target) != set(row.held or ())
    ]
    if behind:
        warnings.append(
            f"{behind[0].place}: {plural(len(behind), 'member')} "
            f"({some((quoted(row.id) for row in behind), len(behind))}) "
            f"{'holds' if len(behind) == 1 else 'hold'} other partitions than the target assignment; "
            "what is held now is taken"
        )
    if len(epochs) > 1:
        warnings.append(
            Assumed(
                f"{rows.called}: members are at epochs {some(epochs, len(epochs))}; "
                f"all claims are taken to be of epoch {epochs[-1]}"
            )
        )
    return epochs[-1] if epochs else None

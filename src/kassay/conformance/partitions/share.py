"""The record of the fixtures of share groups: each partition goes to as many members as there are for each (KIP-932)."""

from collections.abc import Iterator
from typing import Any

from kassay.conformance.form import Best, Declared, Form, Value
from kassay.conformance.making import proved
from kassay.conformance.partitions.broker import BROKER
from kassay.conformance.partitions.consumer import read_answer, renamed, write_answer
from kassay.conformance.partitions.musts import strangers
from kassay.conformance.partitions.server_form import read_group, write_group
from kassay.model import Assignment, Group
from kassay.properties.partitions import measures
from kassay.properties.partitions.invariants import balance, contract
from kassay.properties.partitions.owners import holdings, owners, partition_counts, subscribers
from kassay.properties.partitions.rounds import after


def broken(group: Group, answer: Assignment, _declared: Declared) -> dict[str, str]:
    """Say by check what an answer breaks, the first thing of each; "" where it keeps it."""
    subscribed: Iterator[str] = contract.subscribed(group, answer)
    return {
        "existing": next(contract.existing(group, answer), ""),
        "subscribed": next((said for found in (subscribed, strangers(group, answer)) for said in found), ""),
        "distinct": next(balance.distinct(group, answer), ""),
        "complete": next(contract.complete(group, answer), ""),
    }


def may_keep(group: Group) -> list[dict[str, Any]]:
    """Return who may keep each partition that exists and may be given: all that have it and still read its topic."""
    counts, readers = partition_counts(group), subscribers(group)
    withheld = {(topic.name, number) for topic in group.topics for number in topic.unassignable}
    found = []
    for (topic, number), members in sorted(owners(group).items()):
        staying = [member for member in members if member in readers.get(topic, ())]
        if staying and number < counts[topic] and (topic, number) not in withheld:
            found.append({"topic": topic, "partition": number, "members": staying})
    return found


def values(group: Group, answer: Assignment) -> dict[str, Value]:
    """Measure an answer, by aim."""
    kept = {
        (each["topic"], each["partition"], member) for each in may_keep(group) for member in each["members"]
    }
    given = {(p.topic, p.partition, member) for member, own in answer.items() for p in own}
    return {
        "loads": sorted((len(own) for own in holdings(group, answer).values()), reverse=True),
        "sharing": sum(1 for _ in balance.evenly_shared(group, answer)),
        "idle": measures.idle_members(group, answer),
        "moves": len(kept - given),
        "left_out": sum(member.id not in answer for member in group.members),
    }


def best(group: Group) -> Best:
    """Ask the oracles for the best values of a group, and for one assignment that has them."""
    found, proof = proved("share", "shared,balance,moves", group, ("loads", "moves"))
    reached = values(group, found.assignment)
    keys = ["loads", "sharing", "idle", *(["moves"] if may_keep(group) else [])]
    should: dict[str, Value] = {key: reached[key] for key in keys}
    return Best({**should, "again": 0, "left_out": 0}, found.assignment, (proof,))


SHARE = Form(
    family="share",
    needs=BROKER.needs,
    flags=BROKER.flags,
    read_group=read_group,
    write_group=write_group,
    read_answer=read_answer,
    write_answer=write_answer,
    owners=may_keep,
    musts=("existing", "subscribed", "distinct", "complete"),
    broken=broken,
    values=values,
    best=best,
    after=after,
    renamed=renamed,
    exact={"share/simple": ("4.0.2", "4.4.0")},
    declared={
        "share/simple": Declared(("loads", "idle", "again", "left_out", "repeat"), ("mixed-subscriptions",))
    },
    proved_of=lambda group: group,
    conditional=frozenset({"moves"}),
    relations=BROKER.relations,
    proved_aims=("loads", "moves"),
)

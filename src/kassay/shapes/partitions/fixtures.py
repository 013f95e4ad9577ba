"""The fixtures of consumer groups: what a case looks like, what every answer must keep, and what the best values are."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from kassay.conformance.form import Best, Declared, Form, Proof, Value
from kassay.errors import InputError
from kassay.model import Assignment, Config, Group, Member, Topic, TopicPartition
from kassay.model.joins import joins
from kassay.model.partitions_json import write_assignment
from kassay.model.shaped import shaped
from kassay.oracles.answers import Answer
from kassay.properties.consumer import SITUATIONS
from kassay.properties.partitions import measures
from kassay.properties.partitions.holdings import holdings, partition_counts, subscribers
from kassay.properties.partitions.invariants import contract
from kassay.properties.partitions.owners import owners
from kassay.properties.partitions.rounds import after

Given = dict[str, list[int]]


class _TopicForm(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    partitions: int
    racks: list[list[str | None]]


class _MemberForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    topics: list[str]
    owned: Given
    generation: int
    instance_id: str | None
    rack: str | None


class _GroupForm(msgspec.Struct, forbid_unknown_fields=True):
    topics: list[_TopicForm]
    members: list[_MemberForm]
    joined: list[list[str]] = []


def read_group(data: Any) -> Group:
    """Make a group of the JSON of a fixture; raises InputError naming the field."""
    form = shaped(data, _GroupForm)
    try:
        return Group(
            tuple(Topic(t.name, t.partitions, _racks(t)) for t in form.topics),
            tuple(
                Member(
                    m.id, tuple(m.topics), tuple(_flat(m.owned)), None if m.generation < 0 else m.generation,
                    m.instance_id, m.rack,
                )
                for m in form.members
            ),
            Config(joined_topics=tuple(map(tuple, form.joined))),
        )  # fmt: skip
    except ValueError as wrong:
        raise InputError(str(wrong)) from None


def _racks(topic: _TopicForm) -> tuple[tuple[str | None, ...], ...] | None:
    if len(topic.racks) != topic.partitions:
        raise ValueError(
            f"racks: topic {topic.name!r} has {topic.partitions} partitions but {len(topic.racks)} entries; "
            "give one entry per partition, [] where no rack is known"
        )
    return tuple(map(tuple, topic.racks)) if any(topic.racks) else None


def _flat(given: Mapping[str, Sequence[int]]) -> Iterator[TopicPartition]:
    return (TopicPartition(topic, number) for topic, numbers in given.items() for number in numbers)


def _by_topic(given: Sequence[TopicPartition]) -> Given:
    found: Given = {}
    for topic, number in given:
        found.setdefault(topic, []).append(number)
    return found


def write_group(group: Group) -> dict[str, Any]:
    """Make the JSON of a group with nothing left to a default; raises InputError where it has what no fixture can say."""
    hosts = any(topic.hosts or topic.id or topic.unassignable for topic in group.topics)
    if hosts or group.config.rack_from_host or any(member.user_data is not None for member in group.members):
        raise InputError("hosts, ids, unassignable, rack.from.host, user_data: no consumer fixture says these; leave them out")
    joined = [list(names) for names in group.config.joined_topics]
    return {
        "topics": [
            {"name": t.name, "partitions": t.partitions, "racks": list(map(list, t.racks or [()] * t.partitions))}
            for t in group.topics
        ],
        "members": [
            {
                "id": m.id, "topics": list(m.topics), "owned": _by_topic(m.owned),
                "generation": -1 if m.generation is None else m.generation, "instance_id": m.instance_id, "rack": m.rack,
            }
            for m in group.members
        ],
        **({"joined": joined} if joined else {}),
    }  # fmt: skip


def read_answer(data: Any) -> Assignment:
    """Make an assignment of the JSON of a fixture; raises InputError where it is none."""
    return {member: tuple(_flat(given)) for member, given in shaped(data, dict[str, Given]).items()}


def write_answer(assignment: Assignment) -> dict[str, Given]:
    """Make the JSON of an assignment: topics and numbers ascending, as sets are compared."""
    return {member: _by_topic(sorted(given)) for member, given in assignment.items()}


def counted(group: Group) -> Group:
    """Return the group with the claims alone that count in moves: of one member, which reads the topic, to what exists.

    Where several members claim a partition in the newest generation, none of them can be believed: whoever gets it, nothing has moved.
    """
    single = {(o["topic"], o["partition"]): o["members"][0] for o in may_keep(group) if len(o["members"]) == 1}
    return replace(
        group,
        members=tuple(
            replace(member, owned=tuple(p for p in member.owned if single.get(tuple(p)) == member.id))
            for member in group.members
        ),
    )


def may_keep(group: Group) -> list[dict[str, Any]]:
    """Return who may keep each claimed partition that exists: the newest claimants that still read its topic."""
    counts, readers = partition_counts(group), subscribers(group)
    found = []
    for (topic, number), members in sorted(owners(group).items()):
        staying = [member for member in members if member in readers.get(topic, ())]
        if staying and number < counts[topic]:
            found.append({"topic": topic, "partition": number, "members": staying})
    return found


def broken(group: Group, answer: Assignment, declared: Declared) -> dict[str, str]:
    """Say by check what an answer breaks, the first thing of each; "" where it keeps it."""
    ids = {member.id for member in group.members}
    strangers = (f"{given[0]} is given to {name}, which is no member" for name, given in answer.items() if given and name not in ids)
    found = {
        "existing": next(contract.existing(group, answer), ""),
        "subscribed": next((*contract.subscribed(group, answer), *strangers).__iter__(), ""),
        "exclusive": _not_exclusive(group, answer, declared.copies),
        "complete": _incomplete(group, answer, declared),
    }
    if declared.cooperative:
        found["cooperative"] = next(contract.cooperative(group, answer), "")
    return found


def _not_exclusive(group: Group, answer: Assignment, copies: int) -> str:
    if copies == 1:
        return next(contract.exclusive(group, answer), "")
    for member, given in answer.items():
        twice = [p for p, times in Counter(given).items() if times > 1]
        if twice:
            return f"{twice[0]} is given to {member} twice"
    times = Counter(p for given in answer.values() for p in given)
    return next((f"{p} is given to {n} members instead of {copies}" for p, n in times.items() if n > copies), "")


def _incomplete(group: Group, answer: Assignment, declared: Declared) -> str:
    claimed = {p for member in group.members for p in member.owned} if declared.cooperative else set()
    if declared.copies == 1:
        missing = (said for said in contract.complete(group, answer) if getattr(said, "of", None) not in claimed)
        return next(missing, "")
    times = Counter(p for given in holdings(group, answer).values() for p in given)
    wanted = {p: min(declared.copies, len(readers)) for topic, readers in zip(group.topics, subscribers(group).values(), strict=True) for p in topic}
    return next((f"{p} is given to {times[p]} members instead of {n}" for p, n in wanted.items() if times[p] < n), "")


def values(group: Group, answer: Assignment) -> dict[str, Value]:
    """Measure an answer at rest, by aim."""
    return {
        "loads": sorted((len(given) for given in holdings(group, answer).values()), reverse=True),
        "per_topic": measures.topic_spread(group, answer),
        "apart": _apart(group, answer),
        "joined": measures.topic_spread(group, answer),
        "moves": measures.moves(counted(group), answer),
        "cross_rack": measures.cross_rack(group, answer),
        "left_out": sum(member.id not in answer for member in group.members),
    }


def _sets(group: Group) -> list[tuple[Topic, ...]]:
    """Return the topics that belong together: those with equally many partitions and the same readers, or those that are joined."""
    alike: dict[tuple[int, frozenset[str]], list[Topic]] = {}
    readers = subscribers(group)
    for topic in group.topics:
        if topic.partitions and len(readers[topic.name]) > 1:
            alike.setdefault((topic.partitions, frozenset(readers[topic.name])), []).append(topic)
    joined = [join.topics for join in joins(group) if join.wrong is None]
    return [tuple(topics) for topics in [*alike.values(), *joined] if len(topics) > 1]


def _apart(group: Group, answer: Assignment) -> int:
    """Count the numbers of topics that belong together which are not all with one member."""
    holder = {p: member for member, given in answer.items() for p in given}
    return sum(
        len({holder.get(TopicPartition(topic.name, number)) for topic in topics}) > 1
        for topics in _sets(group)
        for number in range(topics[0].partitions)
    )


def _joins_a_lone_one(group: Group) -> bool:
    """Say whether a second member joins one that has everything and reads the same topics, which have equally many partitions."""
    if len(group.members) != 2 or len({frozenset(m.topics) for m in group.members}) > 1 or len(group.topics) < 2:  # noqa: PLR2004
        return False
    everything = {p for topic in group.topics for p in topic}
    alike = len({topic.partitions for topic in group.topics}) == 1 and {t.name for t in group.topics} == {*group.members[0].topics}
    return alike and bool(everything) and {frozenset(m.owned) for m in group.members} == {frozenset(everything), frozenset()}


def best(group: Group) -> Best:
    """Ask the oracles for the best values of a group, and for one assignment that has them."""
    of = counted(group)
    near = any(topic.racks for topic in group.topics) and any(member.rack for member in group.members)
    together = _asked("balance,moves,cross-rack", of)
    proofs = [Proof(("loads", "moves", "cross_rack"), _printed(together))]
    should = dict(values(group, together.assignment))
    keys = ["loads", "per_topic"]
    should["per_topic"] = max(
        (int(t.partitions % len(readers) > 0) for t, readers in zip(group.topics, subscribers(group).values(), strict=True) if readers),
        default=0,
    )
    if _sets(group):
        keys.append("apart")
        should["apart"] = 0
    if _joins_a_lone_one(group):
        keys.append("joined")
        should["joined"] = group.topics[0].partitions % 2
    if any(member.owned for member in of.members):
        keys.append("moves")
    if near:
        nearest = _asked("balance,cross-rack", of)
        proofs.append(Proof(("cross_rack",), _printed(nearest)))
        if nearest.values["cross-rack"] == together.values["cross-rack"]:
            keys.append("cross_rack")
    kept = {key: should[key] for key in keys}
    return Best({**kept, "again": 0, "rounds": 2, "left_out": 0}, together.assignment, tuple(proofs))


def _asked(question: str, group: Group) -> Answer:
    from kassay.oracles.partitions.optimum import optimum

    found = optimum(question, group, None)
    if not found.proved:
        raise InputError(f"{question}: is not proved; take a smaller group")
    return found


def _printed(answer: Answer) -> dict[str, Any]:
    levels = [{"level": one.name, "value": one.value, "least": one.least, "proved": one.proved} for one in answer.levels]
    return {
        "question": answer.question, "levels": levels, "assignment": write_assignment(answer.assignment),
        "because": list(answer.words), "certificate": answer.certificate,
    }  # fmt: skip


def renamed(answer: Assignment, topics: Mapping[str, str], members: Mapping[str, str]) -> Assignment:
    """Return an assignment with other names for topics and members; what has none keeps its own."""
    return {
        members.get(member, member): tuple(TopicPartition(topics.get(p.topic, p.topic), p.partition) for p in given)
        for member, given in answer.items()
    }


def _generations_differ(group: Group) -> bool:
    """Say whether the generations of claims make a difference: all members that have one, or claim something, have the same otherwise."""
    return len({m.generation for m in group.members if m.owned or m.generation is not None}) > 1


def _mixed(group: Group) -> bool:
    """Say whether members read different ones of the topics that exist."""
    existing = {topic.name for topic in group.topics}
    return len({frozenset(existing.intersection(member.topics)) for member in group.members}) > 1


def _having(*names: str) -> Callable[[Group], bool]:
    return lambda group: any(SITUATIONS[name](group) for name in names)


_CALM = ("again", "left_out", "order", "names", "repeat")
_STICKY = ("loads", "moves", "joined", *_CALM)

CONSUMER = Form(
    family="consumer",
    needs={
        "owned": lambda group: any(member.owned for member in group.members),
        "generation": _generations_differ,
        "instance_id": lambda group: any(member.instance_id is not None for member in group.members),
        "racks": lambda group: any(t.racks for t in group.topics) or any(m.rack is not None for m in group.members),
        "unknown_topic": _having("unknown_topic"),
        "orphan_topic": _having("unread_topic"),
        "joined": lambda group: bool(group.config.joined_topics),
    },
    flags={
        "mixed-subscriptions": _mixed,
        "no-subscription": _having("no_subscription"),
        "repeated-topic": _having("repeated_topic"),
        "unknown-topic": _having("unknown_topic"),
        "orphan-topic": _having("unread_topic"),
        "empty-topic": _having("empty_topic"),
        "static": _having("static_members"),
        "racks": _having("racks"),
        "double-claim": _having("double_claim"),
        "late-claim": _having("overruled_claim"),
        "unsubscribed-owner": _having("unsubscribed_owner"),
        "vanished-partition": _having("vanished_partition", "vanished_topic"),
        "odd-names": _having("hostile_name", "hostile_rack", "partition_like_topic"),
        "large": _having("large_group", "many_partitions"),
        "joined": _having("joined_topics"),
    },
    read_group=read_group,
    write_group=write_group,
    read_answer=read_answer,
    write_answer=write_answer,
    owners=may_keep,
    musts=("existing", "subscribed", "exclusive", "complete", "cooperative"),
    broken=broken,
    values=values,
    best=best,
    after=after,
    renamed=renamed,
    exact={
        "consumer/range": ("3.4.1", "4.4.0"),
        "consumer/roundrobin": ("4.4.0",),
        "consumer/sticky": ("4.4.0",),
        "consumer/cooperative-sticky": ("4.4.0",),
    },
    declared={
        "consumer/range": Declared(("per_topic", "apart", *_CALM, "static")),
        "consumer/roundrobin": Declared(("loads", *_CALM, "static"), ("mixed-subscriptions",)),
        "consumer/sticky": Declared((*_STICKY, "cross_rack")),
        "consumer/cooperative-sticky": Declared((*_STICKY, "cross_rack", "rounds"), cooperative=True),
        "consumer/fair": Declared(("loads", *_CALM), ("mixed-subscriptions",)),
        "consumer/optimal": Declared((*_STICKY, "cross_rack")),
        "consumer/optimal-cooperative": Declared((*_STICKY, "cross_rack", "rounds"), cooperative=True),
        "consumer/redundant": Declared(_CALM, copies=2),
    },
    proved_of=counted,
    conditional=frozenset({"moves", "cross_rack", "joined"}),
    relations=("order", "names", "static", "repeat"),
    proved_aims=("loads", "moves", "cross_rack"),
)

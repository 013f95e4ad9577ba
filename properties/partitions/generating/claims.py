"""Claims of generated groups: what earlier generations gave the members, and what has happened since."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from kassay.model import Group, TopicPartition
from kassay.properties.choices import Choices
from kassay.properties.partitions.generating.ownership import Past, claimed, with_claims
from kassay.properties.partitions.holdings import partition_counts

SCATTERED = 24
"""How many different partitions are claimed at most where claims are scattered."""
VANISHED = "vanished"
"""A topic that is claimed though it does not exist."""
_WAYS = {"evenly": 2, "in turn": 1, "in runs": 1, "anyhow": 1, "to the first": 1}
_ORDERS = {"dealt": 2, "backwards": 1, "by number": 1, "shuffled": 1}


def _none(_: Choices, group: Group) -> Group:
    """Nobody claims anything."""
    return group


def _even(choices: Choices, group: Group) -> Group:
    """The last generation was dealt evenly among the same members."""
    return claimed(choices, group, Past())


def _newcomers(choices: Choices, group: Group) -> Group:
    """Some members have joined since, and claim nothing."""
    ids = _ids(group)
    return claimed(choices, group, Past(joined=frozenset(choices.part(ids) if len(ids) > 1 else ())))


def _joined(choices: Choices, group: Group) -> Group:
    """The last member of the list has joined since."""
    return claimed(choices, group, Past(joined=frozenset(_ids(group)[1:][-1:])))


def _leavers(choices: Choices, group: Group) -> Group:
    """Some members have left since, and what they owned is nobody's."""
    return claimed(choices, group, Past(gone=1 + choices.below(len(group.members))))


def _uneven(choices: Choices, group: Group) -> Group:
    """The last generation was dealt at random."""
    return claimed(choices, group, Past(ways={"anyhow": 1}))


def _stale(choices: Choices, group: Group) -> Group:
    """Some members have missed the last generation, and claim what they had before (KAFKA-12984)."""
    return claimed(choices, group, Past(missed=dict.fromkeys(choices.part(_ids(group)), 1)))


def _contested(choices: Choices, group: Group) -> Group:
    """Two members claim the same partition in the same generation (KAFKA-7026)."""
    return claimed(choices, group, Past(contested=1 + choices.below(3)))


def _vanished(choices: Choices, group: Group) -> Group:
    """Topics have lost partitions since, or are gone, and are claimed still."""
    counts = {name: count + choices.below(4) for name, count in partition_counts(group).items()}
    return claimed(choices, group, Past(counts=counts | {VANISHED: 1 + choices.below(3)}, everybody=True))


def _resubscribed(choices: Choices, group: Group) -> Group:
    """Everybody subscribed to everything at the last generation, and claims it still."""
    return claimed(choices, group, Past(everybody=True))


def _anyhow(choices: Choices, group: Group) -> Group:
    """Members have joined or left, missed generations, resubscribed, and topics have changed since; or not."""
    ids = _ids(group)
    kind = choices.below(8)
    joined = frozenset(() if kind < 3 else (choices.pick(ids),) if kind < 6 else choices.some(ids))
    missed = dict.fromkeys(choices.some(ids), 1) if choices.chance(20) else {}
    missed |= dict.fromkeys(filter(missed.__contains__, choices.some(ids) if missed else ()), 2)
    counts = partition_counts(group)
    if counts and choices.chance(30):
        name = choices.pick(list(counts))
        counts[name] = max(0, counts[name] + choices.pick((-1, 1, -2, 2, 3)))
    if choices.chance(10):
        counts[VANISHED] = 1 + choices.below(3)
    past = Past(
        joined, missed, choices.below(3), counts, everybody=choices.chance(12), contested=int(choices.chance(8)),
        ways=_WAYS, order=choices.weighed(_ORDERS), generation=2 + choices.below(4),
    )  # fmt: skip
    return claimed(choices, group, past)


def _scattered(choices: Choices, group: Group) -> Group:
    """Members claim partitions of any generation, twice, never subscribed to, and in half the groups vanished."""
    beyond = choices.below(2)
    known = [
        TopicPartition(topic.name, n)
        for topic in group.topics
        for n in range(min(topic.partitions + beyond, 8))
    ]
    if beyond and choices.chance(40):
        known.insert(0, TopicPartition(VANISHED, choices.below(3)))
    known = known[:SCATTERED]
    members = []
    for member in group.members:
        owned = choices.some(known)
        if choices.chance(60):  # half as many
            owned = owned[choices.below(2) :: 2]
        members.append(with_claims(member, owned, choices.pick((1, 1, 1, 2, 2, 3, None, 0))))
    return replace(group, members=tuple(members))


CLAIMS: Mapping[str, Callable[[Choices, Group], Group]] = {
    "none": _none,
    "even": _even,
    "newcomers": _newcomers,
    "joined": _joined,
    "leavers": _leavers,
    "uneven": _uneven,
    "stale": _stale,
    "contested": _contested,
    "vanished": _vanished,
    "resubscribed": _resubscribed,
    "anyhow": _anyhow,
    "scattered": _scattered,
}
"""Kind of claims -> how a group gets them."""


def _ids(group: Group) -> list[str]:
    return [member.id for member in group.members]

"""Groups of members and partitions (consumers, brokers, share groups), read from JSON for a question."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from kassay.oracles.proof.reading import LARGEST, Json, require, require_form

Near: TypeAlias = tuple[frozenset[str], ...]
"""The racks of the replicas of each partition of an item; empty if no rack is known."""


def count_across(near: Near, home: str | None) -> int:
    """Count the partitions with known racks that have no replica in the member's rack."""
    return 0 if home is None else sum(1 for racks in near if racks and home not in racks)


IN_RACK: Mapping[str, Callable[[Near, str | None], int]] = {
    "cross-rack": count_across,
}
"""Level -> what an item costs with a member in a rack, or in none."""
WEIGHTS = ("weighted-balance", "capacity")
"""The levels of unequal partitions, which counts bound."""
LEVELS = ("balance", "moves", "topic-spread", *IN_RACK, *WEIGHTS)
"""The levels that can be asked for."""


def minimize_square(square: int, price: int, low: int, high: int) -> int:
    """Return the least of square * n^2 - price * n over n from `low` to `high`."""
    # one more than n costs 2 n + 1 squares; those that cost no more than the price are taken
    n = (price + square) // (2 * square) if square else high * (price > 0)
    n = min(max(n, low), high)
    return square * n * n - price * n


Partition: TypeAlias = tuple[str, int]
Names: TypeAlias = tuple[str, ...]
Members: TypeAlias = tuple[int, ...]
"""Members by their numbers."""

CONTRACTS = ("co-partition", "joined", "shared")
SHORT = {
    "redundancy": "copies=2,balance,moves,cross-rack",
    "co-partition": "co-partition,cross-rack,moves",
    "joined": "joined,balance,moves,cross-rack",
    "shared": "shared,balance,moves,cross-rack",
}
"""Short names of questions."""
FAMILIES = ("consumer", "broker", "share")
OTHERS = ("consumer/roundrobin", "consumer/range", "consumer/fair", "consumer/sticky")
MOST, MOST_SHARED = 10**7, 10**6
"""The most partitions, and the most of a share group."""
MOST_WEIGHT = 2**63 - 1
NAME, NUMBER, PARTITION = {None: str}, {None: int}, (str, int)
PLACES = {None: [{None: [NAME]}]}
TOPIC = {
    "name": str, "partitions": int, "racks?": PLACES, "hosts?": PLACES, "id?": NAME, "unassignable?": [int], "weights?": {None: [NUMBER]},
}  # fmt: skip
MEMBER = {
    "id": str, "topics": [str], "owned?": [PARTITION], "generation?": NUMBER, "rack?": NAME, "instance_id?": NAME, "user_data?": NAME,
    "capacity?": NUMBER,
}  # fmt: skip
CONFIG = {"rack.from.host?": NAME, "joined.topics?": [[str]], "other.topics.assignor?": str}
GROUP = {
    "topics": [TOPIC], "members": [MEMBER], "config?": CONFIG, "family?": str, "name?": NAME, "listed?": {None: dict},
    "weight_unit?": NAME,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """Levels in order, the number of members for each partition, and a contract or ""."""

    levels: tuple[str, ...]
    copies: int
    contract: str


def read_question(text: str) -> Question:
    """Read a question as `kassay optimum` does."""
    first, *words = [word.strip() for word in SHORT.get(text.strip(), text).split(",")]
    number, contract = first.removeprefix("copies="), first if first in CONTRACTS else ""
    if contract or number == first:
        words, number = words if contract else [first, *words], "1"
    fine = number.isascii() and number.isdecimal() and len(number) <= 4 and 0 < int(number) <= 1000
    fine = fine and words != [] and set(words) <= set(LEVELS) and len(set(words)) == len(words)
    alone = {"topic-spread", *WEIGHTS}.intersection(words)
    fine = fine and not (alone and (contract or number != "1"))
    require(fine, f"question: is {text[:60]!r}. Give what `kassay optimum` was asked")
    if contract in ("co-partition", "joined"):  # which fix the loads
        words = ["balance", *(word for word in words if word != "balance")]
    return Question(tuple(words), int(number), contract)


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic with readers; for each partition the number of members that it goes to, its racks and its owners."""

    readers: Members
    copies: Sequence[int]
    near: Sequence[frozenset[str]]
    owners: Sequence[Members]


@dataclass(frozen=True, slots=True)
class Group:
    """A group for a question: members in order with their racks, and the topics with readers."""

    question: Question
    members: Mapping[str, int]
    racks: Sequence[str | None]
    subscriptions: Sequence[frozenset[str]]
    topics: Mapping[str, Topic]
    parts: Sequence[Sequence[Names]]
    """Independent problems, each a list of topics whose partitions of equal number go to members together."""
    tied: frozenset[str]
    """The topics under a contract."""
    lost: int
    """The moves that no assignment avoids: partitions without readers."""


def read_group(data: Json, question: Question) -> Group:
    """Read a group; raises WrongInputError naming the field."""
    _refuse_wrong(data)
    counts = {topic["name"]: topic["partitions"] for topic in data["topics"]}
    members = {member["id"]: n for n, member in enumerate(data["members"])}
    subscriptions = [frozenset(member["topics"]) for member in data["members"]]
    every = {name: tuple(m for m, topics in enumerate(subscriptions) if name in topics) for name in counts}
    readers: dict[str, Members] = {name: some for name, some in every.items() if some and counts[name]}
    owners = find_owners(data)
    several = question.copies > 1 or question.contract == "shared"
    gone = [own for name, column in owners.items() if name not in readers for own in column]
    lost = sum(len(own) if several else bool(own) for own in gone)
    joins = data.get("config", {}).get("joined.topics", []) if question.contract == "joined" else []
    parts, tied = _split_into_parts(question.contract, joins, readers, counts, subscriptions)
    shared: dict[str, int] = {}
    if question.contract == "shared":
        # as many members for each partition as there are readers for each, rounded up: over all topics if all members subscribe to the same
        free = {
            topic["name"]: topic["partitions"] - len({*topic.get("unassignable", ())})
            for topic in data["topics"]
            if topic["name"] in readers
        }
        if len({*subscriptions}) == 1:
            free = dict.fromkeys(free, sum(free.values()))
        shared = {name: -(-len(readers[name]) // each) if each else 0 for name, each in free.items()}
    known: dict[frozenset[str], frozenset[str]] = {}
    topics = {}
    for topic in data["topics"]:
        name, count = topic["name"], topic["partitions"]
        if name in readers:
            sets = (frozenset(racks or ()) - {None} for racks in topic.get("racks") or [()] * count)
            copies = [shared.get(name, question.copies)] * count
            for withheld in topic.get("unassignable", ()) if shared else ():
                copies[withheld] = 0
            near = [known.setdefault(racks, racks) for racks in sets]
            topics[name] = Topic(readers[name], copies, near, owners[name])
    racks = [member.get("rack") or None for member in data["members"]]
    return Group(question, members, racks, subscriptions, topics, parts, tied, lost)


def _refuse_wrong(data: Json) -> None:
    require_form(data, GROUP, "group")
    family, config, topics = data.get("family"), data.get("config", {}), data["topics"]
    require(
        family in (None, *FAMILIES), f"group.family: has no valid value. Give one of {', '.join(FAMILIES)}"
    )
    require(
        config.get("rack.from.host") is None,
        "group.config.rack.from.host: has no valid value. Give racks in place of hosts",
    )
    others = config.get("other.topics.assignor", OTHERS[0])
    require(
        others in OTHERS,
        f"group.config.other.topics.assignor: has no valid value. Give one of {', '.join(OTHERS)}",
    )
    require(
        len({topic["name"] for topic in topics}) == len(topics), "group.topics: two have one name. Rename one"
    )
    ids = [member["id"] for member in data["members"]]
    require(len({*ids}) == len(ids), "group.members: two have one id. Rename one")
    for topic in topics:
        refuse_wrong_topic(topic, "group")
    weights = [weight for topic in topics for weight in topic.get("weights") or () if weight is not None]
    limits = [limit for member in data["members"] if (limit := member.get("capacity")) is not None]
    fine = all(0 <= number <= MOST_WEIGHT for number in (*weights, *limits)) and sum(weights) <= MOST_WEIGHT
    require(
        fine,
        f"group: weights and capacities: has no valid value. Give 0 to {MOST_WEIGHT}, all weights together too",
    )
    total, most = sum(topic["partitions"] for topic in topics), MOST_SHARED if family == "share" else MOST
    require(total <= most, f"group.topics: {total} partitions in all are too many. Give at most {most:,}")
    joined: set[str] = set()
    for names in config.get("joined.topics", ()):
        require(len(names) > 1, "group.config.joined.topics: joins one topic alone. List two or more")
        require(
            len({*names} - joined) == len(names),
            "group.config.joined.topics: a topic is listed twice. List it once",
        )
        joined |= {*names}
    for member in data["members"]:
        owned = member.get("owned", ())
        require(
            len({*map(tuple, owned)}) == len(owned),
            f"group: member {member['id']}: owned: lists one twice. List it once",
        )
    if family in ("broker", "share"):
        unknown = [topic.get("hosts") for topic in topics]
        unknown += [member.get("user_data") for member in data["members"]]
        fine = unknown.count(None) == len(unknown)
        require(fine, "group: a coordinator's assignor knows no hosts and user_data. Leave them out")
        fine = not joined and others == OTHERS[0]
        require(fine, "group.config: a coordinator's assignors are not configured by the group. Leave it out")


def refuse_wrong_topic(topic: Json, path: str) -> None:
    """Refuse a topic with a wrong number of partitions or of entries."""
    name, count = topic["name"], topic["partitions"]
    fine = 0 <= count < 2**31
    require(fine, f"{path}: topic {name}: partitions: is {format_number(count)}. Give 0 to 2147483647")
    for field in ("racks", "hosts", "weights"):
        entries = topic.get(field)
        fine = entries is None or len(entries) == count
        require(fine, f"{path}: topic {name}: {field}: has no valid value. Give one for each partition")
    for number in topic.get("unassignable", ()):
        fine = 0 <= number < count
        require(fine, f"{path}: topic {name}: unassignable: lists {number}, which there is not. Leave it out")


def format_number(number: int) -> str:
    """Return a number as text, or "very large"."""
    return str(number) if abs(number) < LARGEST else "very large"


def find_owners(data: Json) -> dict[str, list[Members]]:
    """Return the owners of each partition of each topic: the members with the claim of the highest generation."""
    owners: dict[str, list[Members]] = {
        topic["name"]: [()] * topic["partitions"] for topic in data["topics"] if topic["partitions"]
    }
    members = data["members"]
    generations = [-1 if member.get("generation") is None else member["generation"] for member in members]
    for m, member in enumerate(members):
        alone, own = (m,), generations[m]
        for topic, number in member.get("owned", ()):
            column = owners.get(topic)
            if column is None or not 0 <= number < len(column):
                continue
            before = column[number]
            if not before or own > generations[before[0]]:
                column[number] = alone
            elif own == generations[before[0]]:
                column[number] = (*before, m)
    return owners


def _split_into_parts(
    contract: str,
    joins: list[list[str]],
    readers: dict[str, Members],
    counts: Mapping[str, int],
    subscriptions: Sequence[frozenset[str]],
) -> tuple[list[list[Names]], frozenset[str]]:
    """Return the parts of a group, and the topics that are tied to others.

    Joined topics can only go to members that read all of them: the others are taken out of `readers`.
    """
    if contract == "co-partition":
        sets: dict[tuple[int, Members], list[str]] = {}
        for name, some in readers.items():
            sets.setdefault((counts[name], some), []).append(name)
        return [[(*names,)] for names in sets.values()], frozenset(readers)
    joined: list[list[Names]] = []
    for names in joins:
        there = [name for name in readers if name in names]
        fine = len({counts[name] for name in there}) < 2
        require(fine, f"question: has no answer: {there} are joined, but not equally large. Leave one out")
        able = tuple(m for m, topics in enumerate(subscriptions) if topics.issuperset(there))
        require(
            able or not there,
            f"question: has no answer: no member subscribes to all of {there}. Leave the join out",
        )
        readers.update(dict.fromkeys(there, able))
        joined += [[tuple(there)]] if there else []
    tied = frozenset(chain(*joins))
    free: list[Names] = [(name,) for name in readers if name not in tied]
    return [part for part in (free, *joined) if part], tied

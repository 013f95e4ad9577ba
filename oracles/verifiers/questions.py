"""What verify_certificate.py reads of a question about a group, and who is to hold what; like that file it needs Python alone."""

from typing import Any

LEVELS = ("balance", "moves", "cross-rack")
CONTRACTS = ("co-partition", "joined", "shared")
OTHERS = ("consumer/roundrobin", "consumer/range", "consumer/fair", "consumer/sticky")
SHORT = {
    "redundancy": f"copies=2,{','.join(LEVELS)}",
    "co-partition": "co-partition,cross-rack,moves",
    "joined": f"joined,{','.join(LEVELS)}",
    "shared": f"shared,{','.join(LEVELS)}",
}


def question_of(text: str, by: Any) -> tuple[list[str], int, str]:
    """Return the levels of a question, how many copies it asks for, and its contract or ""; `by` is verify_certificate."""
    first, *words = [word.strip() for word in SHORT.get(text.strip(), text).split(",")]
    copies, contract = first.removeprefix("copies="), first if first in CONTRACTS else ""
    if contract or copies == first:
        words, copies = words if contract else [first, *words], "1"
    fine = copies.isascii() and copies.isdecimal() and len(copies) <= 4 and 0 < int(copies) <= 1000
    fine = fine and words != [] and set(words) <= set(LEVELS) and len(set(words)) == len(words)
    by.need(fine, f"answer.question: is {text[:60]!r}; give what `kassay optimum` was asked")
    if contract in ("co-partition", "joined"):
        words = ["balance", *(word for word in words if word != "balance")]
    return words, int(copies), contract


def refuse_short(topic: Any, path: str, by: Any) -> None:
    """Refuse a topic that has not as many entries as partitions, where it has any."""
    for name in ("racks", "hosts"):
        fits = topic.get(name) is None or len(topic[name]) == topic["partitions"]
        by.need(fits, f"{path}: {name}: give one for each partition")


def refuse_told(group: Any, by: Any) -> None:
    """Refuse what a coordinator's assignor is not told: hosts, user data, and a configuration that says anything."""
    told = [
        *(topic.get("hosts") for topic in group["topics"]),
        *(of.get("user_data") for of in group["members"]),
    ]
    by.need(
        all(each is None for each in told),
        "group: a coordinator's assignor knows no hosts and user_data; leave them out",
    )
    config = group.get("config", {})
    said = config.get("joined.topics") or config.get("other.topics.assignor", OTHERS[0]) != OTHERS[0]
    by.need(not said, "group.config: a coordinator's assignors are not configured by the group; leave it out")


def parted(known: Any, joins: Any, by: Any) -> tuple[list[list[str]], set[str]]:
    """Return the topics that are looked at together, part by part, and those of which partitions of one number go to one member.

    Only who reads all topics that go together can be given them: the others are taken from their readers.
    """
    sets: dict[object, list[str]] = {}
    if known.contract == "co-partition":
        for topic, readers in known.readers.items():
            sets.setdefault((known.counts[topic], readers), []).append(topic)
        return [*sets.values()], {*known.readers}
    tied: set[str] = set()
    for n, names in enumerate(joins):
        by.need(len(names) > 1, "group.config.joined.topics: joins one topic alone; list two or more")
        by.need(len({*names} - tied) == len(names), "group.config.joined.topics: a topic is listed twice")
        tied |= {*names}
        there = [topic for topic in known.readers if topic in names]
        sizes = {known.counts[topic] for topic in there}
        by.need(len(sizes) < 2, f"answer.question: has no answer: {there} are joined, but not equally large")
        readers = [name for name in known.members if all(name in known.readers[topic] for topic in there)]
        by.need(readers or not there, f"answer.question: has no answer: nobody subscribes to all of {there}")
        known.readers.update(dict.fromkeys(there, tuple(readers)))
        sets[n] = there
    free = [topic for topic in known.readers if topic not in tied]
    return [part for part in (free, *sets.values()) if part], tied


def withheld(topics: dict[str, Any], by: Any) -> set[tuple[str, int]]:
    """Return the partitions that may not be given yet."""
    found = {(name, n) for name, topic in topics.items() for n in topic.get("unassignable") or ()}
    for name, number in sorted(found):
        known = 0 <= number < topics[name]["partitions"]
        by.need(known, f"group: topic {name}: unassignable: lists {number}, which there is not; leave it out")
    return found


def shared(group: Any, topics: dict[str, Any], readers: dict[str, Any], kept: set[Any]) -> dict[str, int]:
    """Return at how many members a share group wants each partition of a topic: as many as there are for each, rounded up.

    They are counted over all topics where all members subscribe to the same ones, and otherwise topic by topic.
    """
    free = {name: topics[name]["partitions"] - sum(name == one for one, _ in kept) for name in readers}
    if len({frozenset(member["topics"]) for member in group["members"]}) == 1:
        free = dict.fromkeys(free, sum(free.values()))
    return {name: -(-len(readers[name]) // each) if each else 0 for name, each in free.items()}

"""Check an answer that `kassay optimum --json` printed, trusting nothing of kassay: this file needs Python alone.

``python verify_certificate.py GROUP.json ANSWER.json``; exit status 0: proved, 1: not proved, 2: wrong input.
Whatever its readers ask for a slot, every assignment costs at least what each partition pays at its cheapest readers, cost and
price together, and each reader's least (load^2 - price * load). What costs just that is optimal. Costs and prices are rows, one
number per level, compared like words in a dictionary. Beside this file stand verifiers/reading.py and questions.py, which it needs,
and verify_tasks_certificate.py, which checks Kafka Streams', with verifiers/streams_groups.py for streams groups (KIP-1071).
"""

import sys
from collections import Counter
from heapq import nsmallest
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = tuple[int, ...]
Partition: TypeAlias = tuple[str, int]
PARTITION, ROW, NAME, NUMBER = (str, int), [int], {None: str}, {None: int}
PLACES = {None: [{None: [NAME]}]}
TOPIC = {"name": str, "partitions": int, "racks": PLACES, "hosts": PLACES, "id": NAME, "unassignable?": [int]}
FAMILIES = ("consumer", "broker", "share")
MEMBER = {
    "id": str, "topics": [str], "owned?": [PARTITION], "generation": NUMBER, "rack": NAME, "instance_id": NAME, "user_data": NAME,
}  # fmt: skip
CONFIG = {"rack.from.host": NAME, "joined.topics?": [[str]], "other.topics.assignor?": str}
GROUP = {"family?": str, "name": NAME, "topics": [TOPIC], "members": [MEMBER], "config?": CONFIG}
LEVEL = {"level": str, "value": int, "least": int, "proved": bool}
PART = {"topics": [str], "value": ROW, "least": ROW, "price": ROW, "except": {str: ROW}}
CERTIFICATE = {"proved": bool, "loads": {str: int}, "parts": [PART]}
ANSWER = {"question": str, "levels": [LEVEL], "assignment": {str: [PARTITION]}, "certificate": CERTIFICATE}


def beside(name: str) -> Any:
    """Load a file that stands beside this one, where Python may not look by itself."""
    if __package__:
        return import_module(f"{__package__}.{name}")
    sys.path.insert(0, str(Path(__file__).parent))
    return import_module(name)


reading, questions = beside("verifiers.reading"), beside("verifiers.questions")
WrongInputError, NotProvedError = reading.WrongInputError, reading.NotProvedError
need, claim, shaped, decoded, read = (
    reading.need,
    reading.claim,
    reading.shaped,
    reading.decoded,
    reading.read,
)


class Known:
    """A group as a question sees it: who may read what, whose claims stand, and what is near."""

    def __init__(self, group: Any, question: str) -> None:
        shaped(group, GROUP, "group")
        need(group.get("family") in (None, *FAMILIES), f"group.family: give one of {', '.join(FAMILIES)}")
        config = group.get("config", {})
        need(
            config.get("rack.from.host") is None, "group.config.rack.from.host: give racks in place of hosts"
        )
        others = config.get("other.topics.assignor", questions.OTHERS[0])
        need(
            others in questions.OTHERS, f"group.config.other.topics.assignor: give one of {questions.OTHERS}"
        )
        topics = {topic["name"]: topic for topic in group["topics"]}
        self.members = {member["id"]: member for member in group["members"]}
        need(len(topics) == len(group["topics"]), "group.topics: two have one name; rename one")
        need(len(self.members) == len(group["members"]), "group.members: two have one id; rename one")
        for name, topic in topics.items():
            count = topic["partitions"]
            need(count >= 0, f"group: topic {name}: partitions: is {count}; give 0 or more")
            questions.refuse_short(topic, f"group: topic {name}", sys.modules[__name__])
        total = sum(topic["partitions"] for topic in topics.values())
        most = 10**6 if group.get("family") == "share" else 10**7
        need(total <= most, f"group.topics: {total} partitions in all are too many; give at most {most:,}")
        if group.get("family") in ("broker", "share"):
            questions.refuse_told(group, sys.modules[__name__])
        self.levels, copies, contract = questions.question_of(question, sys.modules[__name__])
        self.contract, several = contract, copies > 1 or contract == "shared"
        readers: dict[str, list[str]] = {name: [] for name, topic in topics.items() if topic["partitions"]}
        claims: dict[Partition, dict[str, int]] = {}
        for name, member in self.members.items():
            for topic in readers.keys() & set(member["topics"]):
                readers[topic].append(name)
            generation = -1 if member.get("generation") is None else member["generation"]
            for topic, number in member.get("owned") or ():
                if topic in readers and 0 <= number < topics[topic]["partitions"]:
                    claims.setdefault((topic, number), {})[name] = generation
        self.readers = {topic: tuple(some) for topic, some in readers.items() if some}
        self.counts = {topic: topics[topic]["partitions"] for topic in self.readers}
        joins = config.get("joined.topics", ()) if contract == "joined" else ()
        self.sets, self.tied = questions.parted(self, joins, sys.modules[__name__])
        kept = questions.withheld(topics, sys.modules[__name__]) if contract == "shared" else set()
        shared = questions.shared(group, topics, self.readers, kept) if contract == "shared" else {}
        self.copies = {topic: shared.get(topic, copies) for topic in self.readers}
        self.withheld = kept
        self.owners = {  # a claim stands unless there is one of a higher generation
            partition: frozenset(name for name, generation in of.items() if generation == max(of.values()))
            for partition, of in claims.items()
        }
        self.near = {}  # the racks of each partition's replicas; none where no rack is known
        for topic in self.readers:
            for n, racks in enumerate(topics[topic].get("racks") or ()):
                self.near[topic, n] = frozenset(racks or ()) - {None}
        self.left = len if several else bool  # the moves of a partition that leaves all its owners
        self.lost = sum(self.left(of) for (topic, _), of in self.owners.items() if topic not in self.readers)

    def row(self, far: int, moved: int) -> Row:
        """Return a cost level by level."""
        return tuple({"cross-rack": far, "moves": moved}.get(level, 0) for level in self.levels)

    def items(self, topics: list[str]) -> list[list[Partition]]:
        """Return what goes to one member as a whole: each partition, or those of one number."""
        if topics and topics[0] in self.tied:
            return [[(topic, n) for topic in topics] for n in range(self.counts[topics[0]])]
        return [[(topic, n)] for topic in topics for n in range(self.counts[topic])]

    def asked(self, partition: Partition) -> int:
        """Return at how many members a partition is to be."""
        return 0 if partition in self.withheld else self.copies[partition[0]]

    def kind(self, item: list[Partition]) -> tuple[Any, ...]:
        """Return all that the cost of an item depends on: readers, racks and owners of its partitions, and how many it goes to."""
        near, owners = (tuple(of.get(each, frozenset()) for each in item) for of in (self.near, self.owners))
        return self.readers[item[0][0]], near, owners, self.asked(item[0])

    def paid(self, kind: tuple[Any, ...], holders: dict[str, Row]) -> Row:
        """Return what an item costs at the cheapest of these members, with what they ask for a slot."""
        _, near, owners, copies = kind
        offers = []
        for name, price in holders.items():
            home = self.members[name].get("rack")
            far = sum(1 for racks in near if home and racks and home not in racks)
            offers.append(plus(price, self.row(far, -sum(name in of for of in owners))))
        return plus(self.row(0, sum(map(self.left, owners))), *nsmallest(copies, offers))


def plus(*rows: Row) -> Row:
    """Add rows up."""
    return tuple(map(sum, zip(*rows, strict=True)))


def holders_of(known: Known, given: dict[str, list[Partition]]) -> dict[Partition, set[str]]:
    """Return who holds each partition that is read; raises NotProvedError where the assignment is not legal."""
    claim(given.keys() == known.members.keys(), "answer.assignment: its members are not those of the group")
    held: dict[Partition, set[str]] = {(t, n): set() for t, many in known.counts.items() for n in range(many)}
    for name, partitions in given.items():
        may = set(known.members[name]["topics"])
        for topic, number in partitions:
            legal = topic in may and (topic, number) in held
            claim(legal, f"answer.assignment: gives {name} {topic}-{number}, which it cannot read")
            claim(name not in held[topic, number], f"answer.assignment: gives {name} {topic}-{number} twice")
            held[topic, number].add(name)
    for (topic, number), names in held.items():
        many, asked = len(names), known.asked((topic, number))
        claim(many == asked, f"answer.assignment: gives {topic}-{number} to {many}, not {asked}")
    return held


def worth(known: Known, items: list[list[Partition]], held: dict[Partition, set[str]]) -> Row:
    """Return what an assignment costs in some topics; for balance the sum of the squared loads."""
    loads, rows = Counter[str](), [known.row(0, 0)]
    for item in items:
        names = held[item[0]]
        joined = all(held[each] == names for each in item)
        claim(joined, f"answer.assignment: parts {item}, which the contract joins")
        rows.append(known.paid(known.kind(item), dict.fromkeys(names, rows[0])))
        loads.update(names)
    rows.append(tuple((level == "balance") * sum(n * n for n in loads.values()) for level in known.levels))
    return plus(*rows)


def least_slots(levels: list[str], price: Row, most: int) -> Row:
    """Return the least of load^2 for balance, less price * load, over the loads 0 to `most`."""
    low, high = 0, most  # the loads that are least so far
    for level, own in zip(levels, price, strict=True):
        if level == "balance":
            low, high = min(max(own // 2, low), high), min(max((own + 1) // 2, low), high)
        elif own:
            low = high = high if own > 0 else low
    return tuple((level == "balance") * low * low - price[n] * low for n, level in enumerate(levels))


def bound(known: Known, items: list[list[Partition]], price: dict[str, Row], slots: Any = least_slots) -> Row:
    """Return what the prices of some topics' readers prove that no assignment goes below; `slots` is the least that one has left."""
    rows = [slots(known.levels, each, len(items)) for each in price.values()]
    cheapest: dict[tuple[str, ...], set[str]] = {}
    for kind, count in Counter(map(known.kind, items)).items():
        readers, _, owners, _ = kind
        if readers not in cheapest:  # of those in one rack who own nothing here
            racks: dict[str | None, list[str]] = {}
            for name in readers:
                racks.setdefault(known.members[name].get("rack"), []).append(name)
            most = max(known.copies.values())
            some = (nsmallest(most, each, key=price.__getitem__) for each in racks.values())
            cheapest[readers] = set(chain(*some))
        asked = {name: price[name] for name in cheapest[readers] | set(chain(*owners)).intersection(readers)}
        rows.append(tuple(count * each for each in known.paid(kind, asked)))
    return plus(*rows)


def levels_of(known: Known, held: dict[Partition, set[str]], value: Row, least: Row) -> list[dict[str, Any]]:
    """Return the levels down to the first that is not proved, as people are shown them."""
    levels: list[dict[str, Any]] = []
    tight = True  # so far the prices prove all; beyond, that nothing is below 0 is all that is known
    for level, own, proved in zip(known.levels, value, least, strict=True):
        floor = max(proved, 0) if tight else 0
        tight = tight and own == proved
        if level == "balance" and known.contract in ("co-partition", "joined"):
            claim(tight, "answer.certificate.parts: do not prove that loads are as even as the contract asks")
        if level == "balance" and known.contract == "co-partition":
            continue
        lost = known.lost if level == "moves" else 0
        shown = own + lost, floor + lost
        if level == "balance":
            free = known.readers.keys() - known.tied
            loads = Counter(name for (topic, _), names in held.items() if topic in free for name in names)
            able = [loads[name] for name in set(chain(*(known.readers[topic] for topic in free)))]
            spread = max(able, default=0) - min(able, default=0)
            shown = spread, spread if tight else 0
        levels.append({"level": level, "value": shown[0], "least": shown[1], "proved": shown[0] == shown[1]})
        if shown[0] != shown[1]:
            break
    return levels


def verify(group: Any, answer: Any) -> str:
    """Return what an answer is proved to be; raises WrongInputError or NotProvedError with the reason."""
    if isinstance(group, dict) and group.get("family") in ("streams", "streams-group"):
        return str(beside("verify_tasks_certificate").verify(group, answer, sys.modules[__name__]))
    shaped(answer, ANSWER, "answer")
    known, certificate = Known(group, answer["question"]), answer["certificate"]
    parts, path = certificate["parts"], "answer.certificate"
    for n, part in enumerate(parts):
        for row in (part["value"], part["least"], part["price"], *part["except"].values()):
            fits = len(row) == len(known.levels) and all(abs(number) < 10**300 for number in row)
            need(fits, f"{path}.parts[{n}]: {str(row)[:60]}: give one number of up to 300 digits per level")
    held = holders_of(known, answer["assignment"])
    loads = {name: len(partitions) for name, partitions in answer["assignment"].items()}
    claim(certificate["loads"] == loads, f"{path}.loads: are not {loads}")
    stated = [part["topics"] for part in parts]
    claim(stated == known.sets, f"{path}.parts: the topics that belong together are {known.sets}")
    value = least = known.row(0, 0)
    for n, part in enumerate(parts):
        items, usual = known.items(part["topics"]), tuple(part["price"])
        price = dict.fromkeys(chain(*(known.readers[topic] for topic in part["topics"])), usual)
        able = part["except"].keys() <= price.keys()
        claim(able, f"{path}.parts[{n}].except: names a member that reads none of the topics")
        price |= {name: tuple(row) for name, row in part["except"].items()}
        for field, row in (("value", worth(known, items, held)), ("least", bound(known, items, price))):
            claim(tuple(part[field]) == row, f"{path}.parts[{n}].{field}: is not {row}")
        value, least = plus(value, part["value"]), plus(least, part["least"])
    levels = levels_of(known, held, value, least)
    stated = [{key: each[key] for key in LEVEL} for each in answer["levels"]]
    claim(stated == levels, f"answer.levels: are not {levels}")
    claim(certificate["proved"] == (value == least), f"{path}.proved: is not {value == least}")
    shown = [f"{each['level']} {each['value']} (least {each['least']})" for each in levels]
    said = ", ".join(shown) or "no level"
    claim(value == least, f"what it states holds, but it does not prove an optimum: {said}")
    return f"nothing is better in {answer['question']}: {said}"


def main(arguments: list[str]) -> int:
    """Print whether the answer is proved; return the exit status."""
    try:
        need(len(arguments) == 2, "give two files: GROUP.json ANSWER.json")
        status, said = 0, f"proved: {verify(*map(read, arguments))}"
    except NotProvedError as wrong:
        status, said = 1, f"NOT proved: {wrong}"
    except WrongInputError as wrong:
        status, said = 2, f"wrong input: {wrong}"
    print(said[:1000].encode("unicode_escape").decode(), file=sys.stderr if status == 2 else sys.stdout)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

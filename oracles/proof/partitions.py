"""The value of an assignment of partitions, and the lower bound that prices prove.

Each member has a price for a slot. For any prices, an assignment costs at least the total of two sums:

- the cost and price of each partition at its cheapest reader
- the least (load^2 - price * load) of each member

An assignment with that cost is optimal. Costs and prices are rows, a number for each level, compared lexicographically. Here a row is one
whole number in a base that no sum reaches, so that rows are added and compared as numbers: see docs/explanation/certificates.md.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias

from kassay.oracles.proof import topic_spread, weights
from kassay.oracles.proof.groups import (
    IN_RACK,
    PARTITION,
    WEIGHTS,
    Group,
    Members,
    Names,
    Near,
    format_number,
    minimize_square,
    read_group,
    read_question,
)
from kassay.oracles.proof.reading import (
    LARGEST,
    LEVEL,
    OPEN,
    Json,
    compare,
    compare_rows,
    describe_proof,
    prove,
    require,
    require_form,
)

Kind: TypeAlias = tuple[Near, tuple[Members, ...]]
"""All that an item's cost depends on: the racks and the owners of its partitions."""
PART = {
    "topics": [str], "value": [int], "least": [int], "price": [int], "except": {str: [int]}, "spread?": topic_spread.STATED, OPEN: None,
}  # fmt: skip
CERTIFICATE = {"proved": bool, "loads": {str: int}, "parts": [PART], "weights?": [weights.STATED], OPEN: None}
ASSIGNMENT = {str: [PARTITION]}
ANSWER = {
    "question": str, "levels": [LEVEL], "assignment": ASSIGNMENT, "certificate": CERTIFICATE, OPEN: None,
}  # fmt: skip

Held: TypeAlias = Mapping[str, Sequence[Members]]
"""The holders of each partition of each topic, in the group's order."""


def read_holders(group: Group, given: Json, path: str) -> Held:
    """Return the holders in an assignment; raises NotProvedError if it is not legal."""
    prove(given.keys() == group.members.keys(), f"{path}: its members are not the group's")
    held: dict[str, list[Members]] = {name: [()] * len(topic.near) for name, topic in group.topics.items()}
    for name, m in group.members.items():
        mine, alone = group.subscriptions[m], (m,)
        may = {topic: column for topic, column in held.items() if topic in mine}
        for topic, number in given[name]:
            column = may.get(topic)
            if column is None or not 0 <= number < len(column):
                prove(False, f"{path}: gives {name} {topic}-{format_number(number)}, which it cannot read")
            elif not (before := column[number]):
                column[number] = alone
            else:
                prove(before[-1] != m, f"{path}: gives {name} {topic}-{number} twice")
                column[number] = (*before, m)
    for topic, column in held.items():
        wanted = group.topics[topic].copies
        if list(map(len, column)) != wanted:
            number = next(n for n, own in enumerate(column) if len(own) != wanted[n])
            prove(
                False,
                f"{path}: gives {topic}-{number} to {len(column[number])} members; {wanted[number]} is asked",
            )
    return held


@dataclass(frozen=True, slots=True)
class Part:
    """The items of some topics, counted by readers, copies and kind; and the readers of any of them."""

    readers: Sequence[int]
    items: int
    width: int
    copies: int
    kinds: Mapping[tuple[Members, int], Mapping[Kind, int]]


def count_items(group: Group, sets: Sequence[Names]) -> Part:
    """Count the items of a part: an item of topics that go together has a partition of each."""
    kinds: dict[tuple[Members, int], Counter[Kind]] = {}
    items = 0
    for names in sets:
        topics = [group.topics[name] for name in names]
        first = topics[0]
        near = zip(*(each.near for each in topics), strict=True)
        owners = zip(*(each.owners for each in topics), strict=True)
        items += len(first.near)
        rows = zip(near, owners, strict=True)
        if len({*first.copies}) == 1:
            kinds.setdefault((first.readers, first.copies[0]), Counter()).update(rows)
        else:
            for copies, row in zip(first.copies, rows, strict=True):
                kinds.setdefault((first.readers, copies), Counter())[row] += 1
    readers = sorted({*chain(*(some for some, _ in kinds))})
    most = max((copies for _, copies in kinds), default=0)
    return Part(readers, items, max(map(len, sets), default=0), most, kinds)


def compute_values(group: Group, sets: Sequence[Names], held: Held, path: str) -> dict[str, int]:
    """Return the cost of an assignment in some topics by level; for balance the sum of the squared loads."""
    several = group.question.copies > 1 or group.question.contract == "shared"
    loads: Counter[Members] = Counter()
    moves, in_rack = 0, dict.fromkeys(IN_RACK, 0)
    for names in sets:
        topics, columns = [group.topics[name] for name in names], [held[name] for name in names]
        for other in columns[1:]:
            prove(other == columns[0], f"{path}: parts {', '.join(names)}, which the contract joins")
        loads.update(columns[0])
        for topic, column in zip(topics, columns, strict=True):
            alike = Counter(zip(topic.near, topic.owners, column, strict=True))
            for (near, owners, holders), count in alike.items():
                kept = sum(m in owners for m in holders)
                moves += count * (len(owners) - kept if several else bool(owners) and not kept)
                homes = [group.racks[m] for m in holders] if near else []
                for level, cost in IN_RACK.items() if homes else ():
                    in_rack[level] += count * sum(cost((near,), home) for home in homes)
    each: Counter[int] = Counter()
    for holders, count in loads.items():
        for m in holders:
            each[m] += count
    by_topic = Counter((name, m) for (name, *_) in sets for holders in held[name] for m in holders)
    balance, spread = (sum(n * n for n in counts.values()) for counts in (each, by_topic))
    return {"balance": balance, "moves": moves, topic_spread.SPREAD: spread, **in_rack}


def compute_bound(group: Group, part: Part, unit: Mapping[str, int], price: Mapping[int, int]) -> int:
    """Return the lower bound of all assignments of a part, given the weight of each level and the price of each reader."""
    several = group.question.copies > 1 or group.question.contract == "shared"
    square, moved = unit.get("balance", 0), unit.get("moves", 0)
    paid = [(unit[level], cost) for level, cost in IN_RACK.items() if unit.get(level)]

    def far(near: Near, home: str | None) -> int:
        return sum(weight * cost(near, home) for weight, cost in paid)

    total = sum(minimize_square(square, each, 0, part.items) for each in price.values())
    for (readers, copies), kinds in part.kinds.items():
        racks: dict[str | None, list[tuple[int, int]]] = {}
        for m in readers:
            racks.setdefault(group.racks[m], []).append((price[m], m))
        for some in racks.values():
            some.sort()
            del some[max(copies, 1) :]  # only these and owners can be among the cheapest
        reads, usual = {*readers}, dict[Near, list[tuple[int, int]]]()
        for (near, owners), count in kinds.items():
            offers = usual.get(near)
            if offers is None:
                offers = usual[near] = [
                    (cost + far(near, home), m) for home, some in racks.items() for cost, m in some
                ]
                offers.sort()
            if not any(owners):
                total += count * sum(cost for cost, _ in offers[:copies])
                continue
            loss = sum(len(own) if several else bool(own) for own in owners)
            kept = Counter(chain(*owners))
            stay = [
                price[m] + far(near, group.racks[m]) - moved * own for m, own in kept.items() if m in reads
            ]
            cheapest = sorted([*stay, *(cost for cost, m in offers if m not in kept)])[:copies]
            total += count * (sum(cheapest) + moved * loss)
    return total


def verify(data: Json, answer: Json) -> str:
    """Return a sentence on what an answer proves; raises WrongInputError or NotProvedError with the reason."""
    require_form(answer, ANSWER, "")
    asked = read_question(answer["question"])
    question = replace(asked, levels=tuple(level for level in asked.levels if level not in WEIGHTS))
    for n, part in enumerate(answer["certificate"]["parts"]):
        _refuse_wrong_rows(part, question.levels, f"certificate.parts[{n}]")
    group = read_group(data, question)
    held = read_holders(group, answer["assignment"], "assignment")
    certificate, path = answer["certificate"], "certificate"
    compare(
        f"{path}.loads", certificate["loads"], {name: len(own) for name, own in answer["assignment"].items()}
    )
    some = [sets for sets in group.parts if question.levels]
    topics = [[name for names in sets for name in names] for sets in some]
    compare(f"{path}.parts.topics", [part["topics"] for part in certificate["parts"]], topics)
    value, least = [0] * len(question.levels), [0] * len(question.levels)
    for n, (part, sets) in enumerate(zip(certificate["parts"], some, strict=True)):
        counted = compute_values(group, sets, held, "assignment")
        own = [counted[level] for level in question.levels]
        proved = compute_row_bound(group, sets, part, f"{path}.parts[{n}]")
        for field, row in (("value", own), ("least", proved)):
            compare(f"{path}.parts[{n}].{field}", part[field], row)
        value, least = [*map(int.__add__, value, own)], [*map(int.__add__, least, proved)]
    weighs = asked != question
    fine = weighs or "weights" not in certificate
    require(fine, f"{path}.weights: no level of the question weighs partitions. Leave them out")
    unequal = weights.read_unequal(data, group, asked.levels, held, certificate) if weighs else None
    levels = _list_levels(replace(group, question=asked), held, value, least, unequal)
    every = value == least
    if unequal is not None:
        every = len(levels) == len(asked.levels) and all(each["proved"] for each in levels)
    compare_rows("levels", answer["levels"], LEVEL, levels)
    compare(f"{path}.proved", certificate["proved"], every)
    return describe_proof(answer["question"], levels, proved=every)


def _refuse_wrong_rows(part: Json, levels: Sequence[str], path: str) -> None:
    rows = {field: part[field] for field in ("value", "least", "price")}
    named = [*rows.items(), *((f"except.{name}", row) for name, row in part["except"].items())]
    asked, stated = topic_spread.SPREAD in levels, part.get("spread")
    fine = (stated is not None) is asked
    require(
        fine,
        f"{path}.spread: has no valid value. Give prices of topics if, and only if, {topic_spread.SPREAD} is asked",
    )
    named += [("spread", row) for row in (topic_spread.list_rows(stated) if stated is not None else ())]
    for field, row in named:
        fine = len(row) == len(levels) and all(abs(number) < LARGEST for number in row)
        require(
            fine, f"{path}.{field[:60]}: has no valid value. Give a number of up to 300 digits for each level"
        )


def compute_row_bound(group: Group, sets: Sequence[Names], stated: Json, path: str) -> list[int]:
    """Return the lower bound that the prices of a part prove, level by level."""
    part = count_items(group, sets)
    levels, readers = group.question.levels, {*part.readers}
    rows: dict[int, list[int]] = dict.fromkeys(part.readers, stated["price"])
    for name, row in stated["except"].items():
        able = group.members.get(name) in readers
        prove(able, f"{path}.except: member {name[:60]!r} reads none of the topics")
        rows[group.members[name]] = row
    # in this base no sum of prices, costs or squares carries over to the next digit
    racks = {group.racks[m] for m in rows}
    nears = {near for kinds in part.kinds.values() for near, _ in kinds}
    costs = [cost for level, cost in IN_RACK.items() if level in levels]
    dearest = max((cost(near, home) for cost in costs for near in nears for home in racks), default=0)
    topics = topic_spread.list_rows(stated["spread"]) if topic_spread.SPREAD in levels else []
    asked = max((abs(number) for row in [*rows.values(), *topics] for number in row), default=0)
    most = asked + part.items + part.width + dearest + 1
    bits = 8 + (most * (part.items + 1) * (part.copies + 1) * (len(rows) + 1)).bit_length()
    shift = [bits * n for n in reversed(range(len(levels)))]
    unit = {level: 1 << by for level, by in zip(levels, shift, strict=True)}
    packed = {
        id(row): sum(number << by for number, by in zip(row, shift, strict=True))
        for row in [*rows.values(), *topics]
    }
    price = {m: packed[id(row)] for m, row in rows.items()}
    if topics:
        proof = topic_spread.read_proof(group, unit, price, stated["spread"], packed, f"{path}.spread")
        total = proof.least([name for (name,) in sets])
    else:
        total = compute_bound(group, part, unit, price)
    found = []
    for _ in levels:
        digit = (total + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
        found.append(digit)
        total = (total - digit) >> bits
    return found[::-1]


def _list_levels(
    group: Group, held: Held, value: list[int], least: list[int], unequal: weights.Unequal | None
) -> list[dict[str, Json]]:
    """Return the levels as users see them, down to the first that is not proved; stated weights are checked in all of them."""
    levels: list[dict[str, Json]] = []
    rows = iter(zip(value, least, strict=True))
    tight = True  # after the first level that the prices do not prove, 0 is the only bound
    open_ = False
    for level in group.question.levels:
        if unequal and level in WEIGHTS:
            shown = unequal.level(level)
        elif open_:
            continue
        else:
            own, proved = next(rows)
            floor = max(proved, 0) if tight else 0
            tight = tight and own == proved
            if unequal and level == "moves":
                floor = max(floor, unequal.shed())
            found = _show_level(group, held, level, own, floor, tight=tight)
            if found is None:
                continue
            shown = found
        if not open_:
            proved = shown[0] == shown[1]
            levels.append({"level": level, "value": shown[0], "least": shown[1], "proved": proved})
            open_ = not proved
    return levels


def _show_level(
    group: Group, held: Held, level: str, own: int, floor: int, *, tight: bool
) -> tuple[int, int] | None:
    """Return the value and bound of a level as users see them, None if the contract fixes it; raises NotProvedError for unproved contracts."""
    if level == "balance":
        contract = group.question.contract
        even = tight or contract not in ("co-partition", "joined")
        prove(even, "certificate.parts: do not prove that loads are as even as the contract asks")
        spread = compute_imbalance(group, held)
        return None if contract == "co-partition" else (spread, spread if tight else 0)
    if level == topic_spread.SPREAD:
        squares = topic_spread.sum_even_squares(group)
        return (own - squares) // 2, max(0, -((squares - floor) // 2))
    lost = group.lost if level == "moves" else 0
    return own + lost, floor + lost


def compute_imbalance(group: Group, held: Held) -> int:
    """Return the greatest load less the least, of the readers of topics that are not tied to others."""
    loads: Counter[int] = Counter()
    for name, topic in group.topics.items():
        if name not in group.tied:
            loads.update(dict.fromkeys(topic.readers, 0))
            for holders, count in Counter(held[name]).items():
                loads.update(dict.fromkeys(holders, count))
    return max(loads.values(), default=0) - min(loads.values(), default=0)

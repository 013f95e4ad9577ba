"""What `kassay compare` shows of one group: who holds what and will, a row for each strategy, why nothing is better, and what to set."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from kassay.cli.saying.comparing.bars import pictures
from kassay.comparison.advice import Advice, Facts, called, ranked
from kassay.comparison.dominance import bought
from kassay.comparison.headline import in_words
from kassay.comparison.holdings import called as items_called
from kassay.comparison.holdings import excess, has_lag, held, loads, roles
from kassay.comparison.measured import Measured
from kassay.comparison.strategies import Restart, Strategy, racks_known, strategies, total
from kassay.family import Family
from kassay.files.reading import Read
from kassay.kafka_tools.import_groups import ORDERED
from kassay.kafka_tools.location import Assumed
from kassay.oracles.answers import Dominated, Gap, Weighing
from kassay.output import Block
from kassay.sentences import listed
from kassay.shape import TextTable

NUMBERS = 3
"""So many numbers stand in a row beside the loads: moves, reads across racks, and one more."""
USUAL = 2
"""So many rebalances it takes members to hand something over."""
LABEL = 20
"""Longer names of strategies leave less room for the names of columns."""
BEST = "the best possible"
UNKNOWN = "-"
Column: TypeAlias = tuple[str, Callable[[Strategy], str]]
"""What a column is called, and what stands in it."""


def blocks(
    known: Facts,
    told: Advice,
    rolling: Restart | None,
    records: Sequence[Mapping[str, Any]],
    *,
    heading: str = "strategy",
    more: Column | None = None,
) -> Iterator[Block]:
    """Show the answer, the picture, the strategies with one column more if asked, why nothing is better, what to set and what is assumed."""
    yield Block(says=told.headline, records=records)
    yield from pictures(known, told)
    rows = strategies(known.family, known.answers, known.now, known.best, rolling)
    yield table(known, rows, rolling, heading, more)
    labels = called(known)
    if known.weighing is not None:
        yield by_weight(known.weighing, labels)
        closest = listed([labels[name] for name in known.weighing.closest])
        yield Block(
            prose=True, text=f"Closest to that by weight: {closest}. What follows goes by counts alone."
        )
    said = [f"{labels[row.target]}: {row.trouble}." for row in rows if row.trouble]
    said += [f"{labels[one.target]} {late}" for one in known.answers if (late := _lasts(one))]
    said += [why(known)] if why(known) else []
    better: dict[str, list[str]] = {}
    for one in known.answers:
        better.setdefault(bought(known.family, one, known.dominated.get(one.target)), []).append(
            labels[one.target]
        )
    said += [f"{listed(names)}: {sentence}" for sentence, names in better.items() if sentence]
    if said:
        yield Block(prose=True, text="\n".join(said))
    checks = [each for each in known.warnings if each != ORDERED and not isinstance(each, Assumed)]
    if checks:
        yield Block(prose=True, text="\n".join(f"check: {each}" for each in checks))


def by_weight(of: Weighing, labels: Mapping[str, str]) -> Block:
    """Show what the heaviest and the lightest member of each answer weigh, beside the least that even counts allow."""
    rows = [
        [labels.get(name, name), f"{most:,}", f"{least:,}", _above(most, of.level.value)]
        for name, most, least in of.rows
    ]
    best = of.best_held
    rows.append([BEST, f"{of.level.value:,}", f"{min(best, default=0):,}", ""])
    columns = [f"by weight,\n{of.unit}", "heaviest\nmember", "lightest\nmember", "above the\nbest"]
    return Block(says=of.says, prose=True, grid=TextTable(columns, rows), records=[of.record("")])


def _above(most: int, least: int) -> str:
    """Write how much more is held than the best that is known, in percent from 1 on; less where counts are not even."""
    if most <= least:
        return "-" if most == least else "counts are uneven"
    return f"{100 * (most - least) / least:,.0f} %" if least else f"{most:,}"


def advised(told: Advice, record: Mapping[str, Any]) -> Iterator[Block]:
    """Say what to set, as lines to copy, and what that takes."""
    yield Block(text=told.says, code=told.lines, records=[record], prose=True)
    if told.price:
        yield Block(prose=True, text=told.price)


def assumed(known: Facts, rolling: Restart | None, *, page: bool) -> Iterator[Block]:
    """Say in one paragraph what was taken to be so, and what was not looked at."""
    told = [str(each) for each in known.warnings if isinstance(each, Assumed)]
    if "racks" in known.family.situations and not racks_known(known.family, known.group):
        told.append("racks are not known, so reads across racks are not counted")
    sequences = known.family.oracles.over_time if known.family.oracles else None
    if rolling is not None and sequences is not None and sequences.assumed.get("restart"):
        who = next(iter(known.family.shape.sizes))
        told.append(f"in a rolling restart {who} come back under new ids, one after the other")
    told += ["lag does not count"] * (has_lag(known.family.shape) and known.weighing is None)
    text = f"Assumed: {'; '.join(told)}." if told else ""
    number = next(iter(known.family.shape.sizes.values()))(known.group)
    unplayed = rolling is None and sequences is not None and known.file and not page
    told = [*[text] * bool(text), *["What a rolling restart moves:"] * bool(unplayed)]
    restarting = [f"  kassay over-time --group {known.file} --restart {number}"] if unplayed else []
    yield Block(prose=True, text="\n".join(told), code=restarting)
    if not page and known.file:
        yield Block(prose=True, text="More, with pictures to send on: add --html page.html")


def why(known: Facts) -> str:
    """Say by counting why fewer moves are not possible; "" where nothing moves, or counting is not the proof."""
    best, now, shape = known.best, known.now, known.family.shape
    values = best.values if best is not None else {}
    counted = {known.family.level(name).counts: value for name, value in values.items()}
    moves = counted.get("moving", 0)
    if best is None or now is None or not moves:
        return ""
    has, then = held(shape, now.assignment), held(shape, best.assignment)
    used = roles(has, then)
    near = (
        ", and reads as little across racks,"
        if "reading" in counted and racks_known(known.family, known.group)
        else ""
    )
    proved = f"Nothing is as even{near} with fewer than {moves:,} move{'s' if moves > 1 else ''}: proved."
    if len(used) > 1:
        return proved
    before, after = loads(has, [*then], used[0]), loads(then, [*then], used[0])
    gone = sum(len(given.get(used[0], ())) for owner, given in has.items() if owner not in then)
    said, leave = excess(before, max(after, default=0), next(iter(shape.sizes)))
    if leave == moves and not gone:
        over = Counter(number - max(after) for number in before if number > max(after))
        first = said.split(" ", 1)
        if len(over) > 2:
            who = next(iter(shape.sizes))
            said = f"{over.total():,} {who} hold more than {max(after):,}, {leave:,} more together"
        elif len(over) == 1:
            said = f"{in_words(over.total())} {first[1]}"
        return f"Nothing as even moves fewer: {said}, so {leave:,} must move."
    return proved


def table(
    known: Facts,
    rows: Sequence[Strategy],
    rolling: Restart | None,
    heading: str,
    more: Column | None = None,
) -> Block:
    """Show a row for each strategy, the best first, with the numbers that are asked for; the best possible is the last."""
    family, labels = known.family, called(known)
    used = list(dict.fromkeys(role for row in rows for role, _, _ in row.loads))
    who = next(iter(family.shape.sizes)).removesuffix("s")
    moving = known.now is not None and any(
        any(given.values()) for given in held(family.shape, known.now.assignment).values()
    )
    racks = racks_known(family, known.group) and any(row.reads is not None for row in rows)
    restoring = any(row.restore for row in rows)
    many = next(iter(family.shape.sizes.values()))(known.group)
    several = len(used) > 1
    columns = [heading]
    for role in used:
        name = role or items_called(family.shape, role)
        columns += [f"{name}:\nmost, least"] if several else [f"fullest\n{who}", f"emptiest\n{who}"]
    asked: list[Column] = []
    if not used:  # nobody holds anything: what the family measures stands for that
        measures = {one.target: one.measures for one in known.answers}
        asked += [
            (name, lambda row, name=name: _number(measures.get(row.target, {}).get(name)))  # type: ignore[misc]
            for name in family.measures
        ]
    if moving and known.now is not None:
        number, _ = total(family, known.now.assignment)
        asked.append((f"moves now,\nof {number:,}", lambda row: _number(row.moves)))
    asked += [more] if more else []
    if racks:
        columns_of = known.best.assignment if known.best else known.answers[0].settled
        asked.append(
            (f"reads across\nracks, of {total(family, columns_of)[0]:,}", lambda row: _number(row.reads))
        )
    if restoring:
        asked.append(("tasks to\nrestore", lambda row: _number(row.restore)))
    if rolling is not None:
        of_all = {1: "it", 2: "both"}.get(many, f"all {many:,}")
        longest = max(len(labels[row.target]) + len(" (as now)") * row.as_now for row in rows if row.target)
        wide = several or racks or longest > LABEL
        head = "in a rolling\nrestart" if wide else f"moves in a rolling\nrestart of {of_all}"
        asked.append(
            (head, lambda row: _number(row.restart) if row.proved else f"at least {_number(row.restart)}")
        )
    asked = asked[:NUMBERS]
    columns += [name for name, _ in asked]
    made = []
    places = {one.target: place for place, one in enumerate(ranked(known, known.answers))}
    for row in sorted(rows, key=lambda row: (row.target == "", places.get(row.target, len(places)))):
        label = labels[row.target] if row.target else BEST
        label += " (as now)" if row.as_now and row.target else ""
        found = {role: (most, least) for role, most, least in row.loads}
        cells = [label]
        for role in used:
            most, least = (_number(each) for each in found.get(role, (None, None)))
            cells += (
                [f"{most} and {least}"] if several and role in found else [most] if several else [most, least]
            )
        made.append([*cells, *(write(row) for _, write in asked)])
    return Block(prose=True, grid=TextTable(columns, made))


def _lasts(one: Measured) -> str:
    """Say of an answer that it is not the last one; "" where it is, or the one after it is, as is usual where members hand over."""
    if one.legal and one.rebalances > USUAL:
        return f"comes to rest after {one.rebalances} rebalances; its numbers are of the last one."
    return ""


def _number(number: int | None) -> str:
    return UNKNOWN if number is None else f"{number:,}"


def records_of(
    read: Read,
    row: Sequence[Measured],
    now: Measured | None,
    of_family: Family,
    order: str,
    rolling: Restart | None = None,
    dominated: Mapping[str, Dominated] | None = None,
) -> list[dict[str, Any]]:
    """Make the JSON of what a group has now, and of what each target gives its members, with all measures and gaps to the optimum."""
    records = [] if now is None else [
        {
            "record": "present", "where": read.where, "measures": now.measures, **of_family.shape.write_answer(now.assignment),
            "legal": now.legal, "broken": [*now.broken], "gaps": [_gap(gap) for gap in now.gaps],
        }
    ]  # fmt: skip
    records += [
        {
            "record": "compared", "where": read.where, "order": order, "target": one.target, "family": one.family, "measures": one.measures, "failure": one.failure,
            **({"assignment": None} if one.failure else of_family.shape.write_answer(one.assignment)),
            "legal": one.legal, "broken": [*one.broken], "rebalances": one.rebalances, "at_rest": one.at_rest,
            "gaps": [_gap(gap) for gap in one.gaps],
            "rolling_restart": rolling.moves.get(one.target) if rolling else None,
            "dominated": _dominated((dominated or {}).get(one.target), of_family),
        }
        for one in row
    ]  # fmt: skip
    return records


def advice_record(read: Read, told: Advice) -> dict[str, Any]:
    """Make the JSON of what to change."""
    return {
        "record": "advice", "where": read.where, "says": told.headline, "advice": told.says, "assignor": told.assignor or None,
        "set": list(told.lines), "compare": list(told.compare), "price": told.price,
    }  # fmt: skip


def _dominated(found: Dominated | None, of_family: Family) -> dict[str, Any] | None:
    """Make the JSON of a verdict: true, false or not known, the level's value and the least that costs nothing, and an assignment that has it."""
    if found is None:
        return None
    better = of_family.shape.write_answer(found.better) if found.verdict else {"assignment": None}
    return {
        "level": found.level, "value": found.value, "least": found.least, "verdict": found.verdict, "better": better["assignment"],
        "question": found.question or None,
    }  # fmt: skip


def _gap(gap: Gap) -> dict[str, Any]:
    return {"level": gap.level, "value": gap.value, "optimum": gap.optimum}

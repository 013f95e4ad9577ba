"""The output of `kassay compare`: of one group, of many groups, and of a group that cannot be compared now."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import Any

from kassay.cli.options import describe_warnings
from kassay.cli.render.load_bars import render_loads
from kassay.cli.render.verdicts import name_objective
from kassay.comparison.advice import Advice
from kassay.comparison.facts import Facts, find_load_ratio, label_targets, resolve_assignor_name
from kassay.comparison.group_facts import DEAD, EMPTY, REBALANCING, GroupState, describe_unlisted, find_state
from kassay.comparison.headline import build_objective_order
from kassay.comparison.measured import (
    Measured,
    compute_holdings,
    compute_loads,
    describe_excess,
    has_lag,
    list_roles,
)
from kassay.comparison.ranking import describe_gain, rank_targets
from kassay.comparison.strategies import UNKNOWN, Column, Restart, Strategy, has_known_racks
from kassay.errors import InputError
from kassay.families import FAMILIES, family
from kassay.families.family import Family
from kassay.families.shape import TextTable
from kassay.files.reading import Read, build_group, find_group_name
from kassay.files.writing import read_listing_facts
from kassay.listings.listed_groups import ListingFacts
from kassay.oracles.answers import Dominated, Weighing
from kassay.output import Block
from kassay.sentences import end_sentence, format_size, join_names

USUAL = 2
"""A cooperative strategy needs this many rebalances: members give partitions up before others get them."""
OPTIMUM = "optimum"


def render_comparison(
    facts: Facts,
    advice: Advice,
    records: Sequence[Mapping[str, Any]],
    *,
    heading: str = "strategy",
    more: Column | None = None,
) -> Iterator[Block]:
    """Show the result and the evidence: the picture, a row for each strategy with one more column if given, and what explains them."""
    yield Block(says=advice.headline, records=records)
    yield from render_loads(facts, advice)
    named = {one.target for one in facts.answers}
    rows = [row for row in facts.rows if row.target in named or not row.target]
    yield _build_table(facts, rows, heading, more)
    labels = label_targets(facts)
    if facts.weighing is not None:
        yield render_weights(facts.weighing, labels)
        closest = join_names([labels[name] for name in facts.weighing.closest])
        yield Block(
            prose=True, text=f"Closest to the optimum by weight: {closest}. The rest counts partitions."
        )
    notes = [*_describe_evidence(facts, rows), *_describe_troubles(facts, rows)]
    better: dict[str, list[str]] = {}
    for one in facts.answers:
        better.setdefault(describe_gain(facts.family, one, facts.dominated.get(one.target)), []).append(
            labels[one.target]
        )
    notes += [f"{join_names(names)}: {said}" for said, names in better.items() if said]
    if notes:
        yield Block(prose=True, text="\n".join(notes))


def _describe_evidence(facts: Facts, rows: Sequence[Strategy]) -> Iterator[str]:
    """Yield what explains the table: the load ratio, which strategies stop members, the order of objectives, why moves are minimal."""
    family, labels = facts.family, label_targets(facts)
    owners = next(iter(family.shape.sizes))
    if facts.now is not None and facts.best is not None:
        ratio = find_load_ratio(family.shape, facts.now, facts.best)
        if ratio is not None and not ratio.balanced:
            yield f"Current load: {ratio}."
    if facts.strategy and facts.in_use not in family.settable:
        yield f"Strategy in use: {facts.strategy}. kassay does not know it, so it is not compared."
    stopping = [labels[row.target] for row in rows if row.stops]
    if stopping and any(row.stops is False for row in rows) and family.shape.sizes[owners](facts.group) > 1:
        yield f"All {owners} stop at each rebalance with {join_names(stopping)}."
    if facts.rolling is not None and facts.rolling.static:
        count = family.shape.sizes[owners](facts.group)
        all_of = f"All {format_size(count, owners)}" if count > 2 else f"Both {owners}"
        yield (
            f"{all_of} are static (GROUP-INSTANCE-ID). A member that returns within session.timeout.ms keeps its partitions: "
            "0 moves and 0 rebalances."
        )
    best = next((row for row in rows if not row.target), None)
    if best is not None and _has_better_row(facts, rows, best):
        order = build_objective_order(family, (gap.level for one in facts.answers for gap in one.gaps)).split(
            ","
        )
        racks = has_known_racks(family, facts.group)
        known = [name for name in order if name and (family.level(name).counts != "reading" or racks)]
        if len(known) > 1:
            first, *rest = (name_objective(family.level(name)) for name in known)
            yield f"The optimum ranks {first} first, then {', then '.join(rest)}."
    if said := explain_moves(facts):
        yield said


def _has_better_row(facts: Facts, rows: Sequence[Strategy], best: Strategy) -> bool:
    """Return True if a strategy costs less than the optimum in any quantity."""
    for quantity in (each for column in facts.columns for each in column.quantities):
        least = quantity.cost(best)
        costs = [cost for row in rows if (cost := quantity.cost(row)) is not None]
        if least is not None and min(costs, default=least) < least:
            return True
    return False


def _describe_troubles(facts: Facts, rows: Sequence[Strategy]) -> Iterator[str]:
    """Yield a sentence for each strategy without numbers, or with more rebalances than usual."""
    labels = label_targets(facts)
    for row in rows:
        if row.trouble:
            yield f"{labels[row.target]}: {end_sentence(row.trouble)}"
    for one in facts.answers:
        if one.legal and one.rebalances > USUAL:
            yield f"{labels[one.target]} converges after {one.rebalances} rebalances. Its numbers count the last one."


def render_weights(of: Weighing, labels: Mapping[str, str]) -> Block:
    """Show the maximum and minimum weight per member of each answer, next to the least maximum that balanced counts allow."""
    best, rows = of.level.value, []
    for name, most, least in of.rows:
        if most > best:
            above = f"{100 * (most - best) / best:,.0f} %" if best else f"{most:,}"
        else:
            above = UNKNOWN if most == best else "counts are not balanced"
        rows.append([labels.get(name, name), f"{most:,}", f"{least:,}", above])
    rows.append([OPTIMUM, f"{best:,}", f"{min(of.best_held, default=0):,}", ""])
    columns = [f"by weight,\n{of.unit}", "max\nweight", "min\nweight", "above the\noptimum"]
    return Block(says=of.says, prose=True, grid=TextTable(columns, rows), records=[of.record("")])


def render_advice(
    advice: Advice, record: Mapping[str, Any], clients: Iterable[Block] = ()
) -> Iterator[Block]:
    """Show the recommendation, then the setting of the group's clients or else the lines to copy, and what to know."""
    settings = [*clients]
    code = () if settings else advice.lines
    yield Block(text=f"Recommendation: {advice.says}", code=code, records=[record], prose=True)
    yield from settings
    if advice.price:
        yield Block(prose=True, text=advice.price)


def render_caveats(facts: Facts) -> Iterator[Block]:
    """Show problems of the input, assumptions with the options that replace them, and what was not considered."""
    said = describe_warnings(facts.warnings)
    sequences = facts.family.oracles.over_time if facts.family.oracles else None
    if (
        facts.rolling is not None
        and not facts.rolling.static
        and sequences is not None
        and sequences.assumed.get("restart")
    ):
        said.append(f"Assumed: {next(iter(facts.family.shape.sizes))} restart one by one, with new ids.")
    if facts.rolling is not None and facts.rolling.unknown:
        said.append(f"The minimum of a rolling restart is unknown: {end_sentence(facts.rolling.unknown)}")
    ignored = ["racks (unknown)"] * (
        "racks" in facts.family.situations and not has_known_racks(facts.family, facts.group)
    )
    ignored += ["lag"] * (has_lag(facts.family.shape) and facts.weighing is None)
    said += [f"Not considered: {join_names(ignored)}."] if ignored else []
    yield Block(caveats=said)


def explain_moves(facts: Facts) -> str:
    """Return why fewer moves are not possible, by counting if that is the proof; "" if nothing moves."""
    best, now, shape = facts.best, facts.now, facts.family.shape
    values = best.values if best is not None else {}
    counted = {facts.family.level(name).counts: value for name, value in values.items()}
    moves = counted.get("moving", 0)
    if best is None or now is None or not moves:
        return ""
    has, then = compute_holdings(shape, now.assignment), compute_holdings(shape, best.assignment)
    used = list_roles(has, then)
    near = (
        " and minimal cross-rack reads"
        if "reading" in counted and has_known_racks(facts.family, facts.group)
        else ""
    )
    proved = f"Balanced loads{near} need {moves:,} move{'s' if moves > 1 else ''} at least (proven)."
    if len(used) > 1:
        return proved
    before, after = compute_loads(has, [*then], used[0]), compute_loads(then, [*then], used[0])
    gone = sum(len(given.get(used[0], ())) for owner, given in has.items() if owner not in then)
    owners = next(iter(shape.sizes))
    said, leave = describe_excess(before, max(after, default=0), owners)
    if leave != moves or gone:
        return proved
    over = Counter(number - max(after) for number in before if number > max(after))
    if len(over) > 2:
        said = (
            f"{over.total():,} {owners} own more than {max(after):,} {shape.items}, {leave:,} more in total"
        )
    return f"Balanced loads need {moves:,} move{'s' if moves > 1 else ''} at least: {said}."


def _build_table(facts: Facts, rows: Sequence[Strategy], heading: str, more: Column | None) -> Block:
    """Return a row for each strategy, the recommended one first and the optimum last."""
    labels, columns = label_targets(facts), [*facts.columns]
    if not any(row.loads for row in rows):
        # The assignment is not by owners, so the measures of the family are shown.
        measures = {one.target: one.measures for one in facts.answers}

        def build_column(name: str) -> Column:
            def write_cell(row: Strategy) -> str:
                number = measures.get(row.target, {}).get(name)
                return UNKNOWN if number is None else f"{number:,}"

            return Column(name, write_cell, ())

        columns = [build_column(name) for name in facts.family.measures]
    columns += [more] if more else []
    places = {target: place for place, target in enumerate(rank_targets(facts))}
    made = []
    for row in sorted(rows, key=lambda row: (row.target == "", places.get(row.target, len(places)))):
        label = labels[row.target] if row.target else OPTIMUM
        notes = ["in use"] * (bool(facts.in_use) and resolve_assignor_name(row.target) == facts.in_use)
        notes += ["now"] * (row.as_now and bool(row.target))
        label += f" ({', '.join(notes)})" if notes else ""
        made.append([label, *(column.cell(row) for column in columns)])
    return Block(prose=True, grid=TextTable([heading, *(column.head for column in columns)], made))


def build_records(
    read: Read,
    row: Sequence[Measured],
    now: Measured | None,
    of_family: Family,
    order: str,
    rolling: Restart | None = None,
    dominated: Mapping[str, Dominated] | None = None,
) -> list[dict[str, Any]]:
    """Build the JSON of the current assignment and of the answer of each target, with all measures and gaps to the optimum."""

    def build_gaps(one: Measured) -> list[dict[str, Any]]:
        return [{"level": gap.level, "value": gap.value, "optimum": gap.optimum} for gap in one.gaps]

    records = [] if now is None else [
        {
            "record": "present", "where": read.where, "measures": now.measures, **of_family.shape.write_answer(now.assignment),
            "legal": now.legal, "broken": [*now.broken], "gaps": build_gaps(now),
        }
    ]  # fmt: skip
    records += [
        {
            "record": "compared", "where": read.where, "order": order, "target": one.target, "family": one.family, "measures": one.measures, "failure": one.failure,
            **({"assignment": None} if one.failure else of_family.shape.write_answer(one.assignment)),
            "legal": one.legal, "broken": [*one.broken], "rebalances": one.rebalances, "at_rest": one.at_rest,
            "gaps": build_gaps(one),
            "rolling_restart": rolling.moves.get(one.target) if rolling else None,
            "dominated": _build_dominance_record((dominated or {}).get(one.target), of_family),
        }
        for one in row
    ]  # fmt: skip
    return records


def build_advice_record(read: Read, advice: Advice) -> dict[str, Any]:
    """Build the JSON of the recommendation."""
    return {
        "record": "advice", "where": read.where, "says": advice.headline, "advice": advice.says, "assignor": advice.assignor or None,
        "set": list(advice.lines), "compare": list(advice.compare), "price": advice.price, "optional": advice.optional,
    }  # fmt: skip


def _build_dominance_record(found: Dominated | None, of_family: Family) -> dict[str, Any] | None:
    """Build the JSON of a search for a better spread: the verdict, the value, the best value at the same price, and its assignment."""
    if found is None:
        return None
    better = of_family.shape.write_answer(found.better) if found.verdict else {"assignment": None}
    return {
        "level": found.level, "value": found.value, "least": found.least, "verdict": found.verdict, "better": better["assignment"],
        "question": found.question or None,
    }  # fmt: skip


STATES = {*REBALANCING, EMPTY, DEAD}
TOOLS = {"share": "kafka-share-groups.sh", "streams-group": "kafka-streams-groups.sh"}
"""Family -> the tool of Kafka that lists its groups, if it is not kafka-consumer-groups."""


def render_unlisted(read: Read, facts: ListingFacts) -> Iterator[Block]:
    """Show what is known of a group whose partitions are not listed, and the listing to take instead."""
    if facts.state in STATES:
        yield from render_state(
            GroupState(find_group_name(read), facts.state, facts, "members"), read, many=True
        )
        return
    says = describe_unlisted(find_group_name(read), facts)
    record = {"record": "state", "where": read.where, "says": says, "state": facts.state, "members": facts.members}  # fmt: skip
    yield Block(says=says, records=[record])
    yield Block(prose=True, text=facts.problem)


def render_state(state: GroupState, read: Read, *, many: bool, again: str = "") -> Iterator[Block]:
    """Show the state in the first line, then what it means and the command that lists the group again."""
    yield Block(says=state.says, records=[state.record(read.where)])
    yield Block(prose=True, text="\n".join(filter(None, (state.target, state.caveat))))
    if again:
        yield Block(commands=[(again, "")])
    elif read.family == "connect":
        yield Block(commands=[("curl -s http://HOST:8083/connectors?expand=status > cluster.json", "")])
    elif read.file:
        tool = TOOLS.get(read.family, "kafka-consumer-groups.sh")
        name = quote(read.where) if many or read.listed else "GROUP"
        command = f"{tool} --bootstrap-server HOST:PORT --describe --members --verbose --group {name}"
        yield Block(commands=[(command, "")])


def find_group_state(read: Read) -> GroupState | None:
    """Return the state of a group that was read as one of its family, or None if it can be used."""
    return find_state(find_group_name(read), family(read.family), read.value, read.wanted, read.facts)


def render_unusable(read: Read, *, many: bool) -> list[Block]:
    """Return what is shown about a group that cannot be used now, [] if it can; raise InputError if it could not be read."""
    if read.value is None and read.facts is not None:
        if not read.facts.unlisted:
            raise InputError(read.facts.problem)
        return [*render_unlisted(read, read.facts)]
    state = find_group_state(read)
    return [] if state is None else [*render_state(state, read, many=many)]


def split_states(reads: Sequence[Read]) -> tuple[list[Read], list[Block]]:
    """Return the groups of JSON values that can be used, and what is shown about the others, which listings describe."""
    usable: list[Read] = []
    blocks: list[Block] = []
    for read in reads:
        state = None
        name = read.listed or (read.value.get("family", "") if isinstance(read.value, dict) else "")
        # If the family is unknown, the reader of the group says what is wrong with it.
        if isinstance(name, str) and name in FAMILIES:
            known = family(name)
            _, wanted, facts = read_listing_facts(read.where, read.value, known)
            if facts is not None:
                state = find_state(find_group_name(read), known, build_group(read, known), wanted, facts)
        if state is None:
            usable.append(read)
        else:
            blocks += render_state(state, read, many=len(reads) > 1)
    return usable, blocks

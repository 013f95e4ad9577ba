"""The recommendation for one group: keep the current strategy, set another one, or wait.

All commands and pages take the recommendation from this module. Rules, in this order:

1. Consider only strategies that an operator can configure in the clients of this group. Research assignors and assignors inside
   Kafka are never recommended.
2. Take the answer with the smallest distance to the optimum. Objectives that describe the assignment come first, then costs of the
   rebalance (such as moves), then secondary objectives (such as topic spread), then moves in a rolling restart.
3. Do not introduce stop-the-world rebalances. If the best strategy is eager, prefer the first cooperative one with equal state
   objectives, unless the strategy in use is known to be eager. State the cost of that in other numbers.
4. Break ties in favour of the strategy in use, then Kafka's default, then a cooperative strategy, then the order of the family.
5. So a strategy is never recommended if another one that stops no more members is as good in every number shown and better in one.
6. Never recommend a strategy with a severe known defect that the group may trigger if another one without it is as good in every
   number shown.
7. If a settable strategy was not evaluated and may be better, recommend only to compare it.
8. If the strategy in use, or the current assignment, stays although another strategy is better in a number shown, state the trade-off.

The order of the arguments never matters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kassay.comparison.facts import (
    Facts,
    add_rows,
    describe_colocation,
    find_default,
    find_family_order,
    find_load_ratio,
    find_standing,
    label_targets,
)
from kassay.comparison.headline import (
    compute_distance,
    compute_state_distance,
    describe_loads,
    is_optimal_in_place,
    list_gaps,
    reaches_optimum,
    render_headline,
)
from kassay.comparison.measured import Measured, count_holdings
from kassay.comparison.ranking import (
    Candidate,
    describe_equal_cost,
    describe_loss,
    describe_topic_balance,
    describe_trade_offs,
    find_candidates,
    has_strategy,
    is_equal,
    rank,
)
from kassay.sentences import format_size, join_names


@dataclass(frozen=True, slots=True)
class Advice:
    """The result for a group and the recommendation."""

    headline: str
    says: str
    """The recommendation in a few sentences."""
    assignor: str = ""
    """The assignor to set, or to keep; "" if there is none."""
    lines: tuple[str, ...] = ()
    """Configuration lines to copy."""
    compare: tuple[str, ...] = ()
    """Settable strategies that were not evaluated and may be better."""
    price: str = ""
    """The effort of the change, and cautions."""
    shown: Measured | None = None
    """The answer to draw next to the current assignment, or None if the current assignment stays."""
    optional: bool = False
    """True if the imbalance is small, so that the change is not urgent."""

    @property
    def sentences(self) -> list[str]:
        """The headline, the recommendation with its lines to copy, and the cautions."""
        return [self.headline, *filter(None, (self.says, *self.lines, self.price))]


def join_sentences(*sentences: str) -> str:
    """Return sentences as one text, without those that are empty."""
    return " ".join(filter(None, sentences))


def advise(facts: Facts) -> Advice:
    """Return the result for a group and the recommendation."""
    facts = facts if facts.rows else add_rows(facts)
    result = describe_group(facts)
    if waiting := _describe_pending_target(facts):
        return Advice(result, waiting)
    candidates = find_candidates(facts)
    unasked = tuple(
        name for name in facts.family.settable
        if has_strategy(facts, name) and name not in {one.name for one in candidates}
    )  # fmt: skip
    if facts.now is not None and is_optimal_in_place(facts.now):
        text = "Change nothing: the current assignment is optimal."
        return _advise_keeping(facts, result, text, rank(facts, candidates))
    if not candidates:
        text = "None of the compared assignors can be configured in this group"
        return _advise_comparison(facts, result, text, unasked)
    # The strategy in use (or else Kafka's default), if it is correct but has no gaps: nothing can be said to be better.
    standing = [one for one in candidates if one.name == find_standing(facts)]
    unmeasured = next((one for one in standing if one.answer.legal and not one.answer.gaps), None)
    if unmeasured is not None:
        reason = _describe_missing_items(facts, unmeasured.answer) or "cannot be compared with the optimum"
        if len(facts.family.settable) == 1:
            text = f"{unmeasured.label} {reason}. {ONLY}"
            return Advice(result, text, shown=_find_best_answer(facts))
        which = "in use" if unmeasured.name == facts.in_use else "Kafka's default"
        text = f"No recommendation: {unmeasured.label} ({which}) {reason}."
        return Advice(result, text, shown=_find_best_answer(facts))
    ranking = rank(facts, candidates)
    if not ranking:
        if any(one.answer.legal for one in candidates):
            text = "No recommendation: the answers cannot be compared with an optimum. Compare the numbers."
            return Advice(result, text, shown=_find_best_answer(facts))
        subject = "This assignor gives no" if len(candidates) == 1 else "None of these assignors gives a"
        text = f"{subject} correct assignment for this group. Use another assignor"
        return replace(_advise_comparison(facts, result, text, unasked), shown=_find_best_answer(facts))
    best = ranking[0]
    if (
        facts.now is not None
        and facts.now.gaps
        and compute_state_distance(facts.now) <= compute_state_distance(best.answer)
    ):
        text = "Change nothing: no strategy balances the loads better than the current assignment"
        text = f"{text}.{_describe_uncompared(facts, unasked)}"
        return replace(_advise_keeping(facts, result, text, ranking), compare=unasked)
    if text := _describe_next_rebalance(facts, candidates, ranking):
        return _advise_keeping(facts, result, text, ranking)
    found = _advise_best(
        facts, result, ranking, () if reaches_optimum(best.answer, facts.together) else unasked
    )
    return replace(found, shown=best.answer)


def describe_group(facts: Facts) -> str:
    """Return the result in one or two sentences: the current loads, or else the assignors that reach the optimum."""
    labels = label_targets(facts)
    answers = sorted(facts.answers, key=lambda one: find_family_order(facts, one))
    result = render_headline([(labels[one.target], one) for one in answers], facts.together)
    prefix = f"{facts.name}: " if facts.name else ""
    if facts.now is None:
        unit = next(iter(facts.family.shape.sizes)).removesuffix("s")
        return f"{prefix}no {unit} owns anything yet. {result}" if prefix else result
    if facts.best is None:
        return f"{prefix}{result}"
    loads = describe_loads(facts.family, facts.now, facts.best)
    ratio = find_load_ratio(facts.family.shape, facts.now, facts.best)
    if ratio is not None and ratio.is_small and not facts.now.broken:
        return f"{facts.name}: the imbalance is small ({ratio}), so a change is optional. {loads}"
    return f"{facts.name}: {loads}"


def _find_best_answer(facts: Facts) -> Measured | None:
    """Return the best correct answer of the named targets, settable or not; None if no answer is correct."""
    right = [one for one in facts.answers if one.legal]
    return min(
        right,
        key=lambda one: (not one.gaps, compute_distance(one), find_family_order(facts, one)),
        default=None,
    )


def _describe_pending_target(facts: Facts) -> str:
    """Return the advice to wait if the coordinator's target assignment is balanced and not yet reached, else ""."""
    target = facts.wanted
    if target is None or not target.gaps or (facts.now and facts.now.assignment == target.assignment):
        return ""
    if any(gap.over > 0 for gap in target.gaps if gap.said.counts == "loads"):
        return ""
    remaining = [gap for gap in target.gaps if gap.over > 0 and gap.said.turn == 0]
    rest = (
        f" Then compare again: the target assignment has {join_names(list_gaps(replace(target, gaps=tuple(remaining))))}."
        if remaining
        else ""
    )
    return f"Change nothing and wait. The coordinator's target assignment is balanced, and members have not reached it yet.{rest}"


def _advise_keeping(facts: Facts, result: str, text: str, ranking: Sequence[Candidate]) -> Advice:
    """Advise to keep what is in use; state each number in which another strategy is better than it, or than the current assignment."""
    keeper = next((one for one in ranking if one.name == facts.in_use), None)
    if keeper is not None:
        if keeper.defects:
            text = " ".join((text, _describe_cautions(facts, keeper, ranking)))
        trade = describe_trade_offs(
            facts, keeper.row, keeper.stops, [one for one in ranking if one is not keeper]
        )
        return Advice(result, join_sentences(text, trade), keeper.name)
    trade = describe_trade_offs(facts, facts.current, True, ranking) if facts.current is not None else ""
    moves = {one.label: one.row.restart for one in ranking if one.row.restart is not None}
    differences = ""  # between strategies in a rolling restart, as the strategy in use is unknown
    if facts.rolling is not None and len({*moves.values()}) > 1:
        least = min(moves.values())
        fewest = [label for label, number in moves.items() if number == least]
        rest = [f"{label} {number:,}" for label, number in moves.items() if number > least]
        verb = "moves" if len(fewest) == 1 else "move"
        differences = (
            f"For rolling restarts the strategy matters: {join_names(fewest)} {verb} {least:,} {facts.family.shape.items}, {join_names(rest)}. "
            "If yours is not the best, a change is worth considering."
        )
    return Advice(result, join_sentences(text, trade, differences))


def _describe_missing_items(facts: Facts, one: Measured) -> str:
    """Return the number of unassigned items if the answer assigns fewer than the optimum (for example a lost copy), else ""."""
    if facts.best is None:
        return ""
    assigned, possible = (
        sum(sum(by_role.values()) for by_role in count_holdings(facts.family.shape, answer).values())
        for answer in (one.assignment, facts.best.assignment)
    )
    unit = facts.family.shape.items
    return (
        f"assigns only {assigned:,} of {possible:,} {unit}, and no other number shows this"
        if assigned < possible
        else ""
    )


def _advise_comparison(facts: Facts, result: str, text: str, unasked: tuple[str, ...]) -> Advice:
    return Advice(result, f"{text}.{_describe_uncompared(facts, unasked)}", compare=unasked)


def _describe_uncompared(facts: Facts, unasked: Sequence[str]) -> str:
    """Return the settable strategies that were not compared, with the command that compares them."""
    if not unasked:
        return ""
    command = f"kassay compare {' '.join(unasked)} --group {facts.file}" if facts.file else ""
    return f" Not compared: {join_names(unasked)}.{f' {command}' if command else ''}"


ONLY = "Kafka has no other one, so there is nothing to set."


def _describe_next_rebalance(
    facts: Facts, candidates: Sequence[Candidate], ranking: Sequence[Candidate]
) -> str:
    """Return that the next rebalance assigns what has no owner, if nothing else is wrong and the strategy in use balances it, else "".

    If the strategy in use is not known, every strategy has to.
    """
    if facts.now is None or set(facts.now.broken) != {"complete"} or not ranking:
        return ""
    standing = [one for one in candidates if one.name == facts.in_use] or candidates
    if not all(one.answer.gaps and not any(compute_state_distance(one.answer)) for one in standing):
        return ""
    which = standing[0].label if len(standing) == 1 else "every strategy"
    owner = next(iter(facts.family.shape.sizes)).removesuffix("s")
    return (
        f"Change nothing: at the next rebalance, such as after a restart of one {owner}, {which} assigns the "
        f"{facts.family.shape.items} without owner and balances the loads."
    )


def _advise_best(facts: Facts, result: str, ranking: Sequence[Candidate], unasked: tuple[str, ...]) -> Advice:
    """Advise to set the first of the ranking, or to keep it if it is in use."""
    best = ranking[0]
    optimal = reaches_optimum(best.answer, facts.together)
    verdict = "is optimal" if optimal else f"is closest to the optimum: {'; '.join(list_gaps(best.answer))}"
    cautions = _describe_cautions(facts, best, ranking)
    if best.name == facts.in_use:
        when = " at the next rebalance" if facts.now is not None else ""
        text = f"Change nothing: {best.label} is in use and {verdict}{when}.{_describe_uncompared(facts, unasked)}"
        trade = describe_trade_offs(facts, best.row, best.stops, ranking[1:])
        return Advice(result, join_sentences(text, trade), best.name, (), unasked, cautions)
    if unasked:  # a strategy that was not evaluated may be better, so there is nothing to set yet
        text = f"{best.label} {verdict} (among the compared strategies)"
        return _advise_comparison(facts, result, text, unasked)
    before = describe_colocation(facts.family, facts.now, best.answer, best.label)
    ratio = facts.now and facts.best and find_load_ratio(facts.family.shape, facts.now, facts.best)
    optional = bool(ratio and ratio.is_small) or bool(before)
    also = join_sentences(_describe_alternatives(facts, best, ranking), describe_loss(facts, best, ranking))
    first = "" if optimal else f"{best.label} {verdict}."
    if best.setting is None:
        text = f"{best.label} {verdict}. It is third-party code: configure it as its documentation says."
        return Advice(result, join_sentences(before, text, also), best.name, (), unasked, cautions)
    if len(facts.family.settable) == 1:
        text = f"{first or f'{best.label} is optimal.'} {ONLY}"
        return Advice(result, text, best.name, (), unasked, cautions)
    where = best.setting.on  # with the number of members if it is known: *all 9 members*
    owners, count = next(iter(facts.family.shape.sizes.items()))
    if facts.group is not None and where == f"all {owners}":
        number = count(facts.group)
        few = {1: f"the {owners.removesuffix('s')}", 2: f"both {owners}"}
        where = few.get(number, f"all {format_size(number, owners)}")
    # Known clients have defaults of their own, which their settings describe.
    is_default = best.name == find_default(facts) and facts.has is None and not facts.strategy
    default = (
        f"{best.label} is Kafka's default: change nothing if no other one was set." if is_default else ""
    )
    begin = "Otherwise set" if is_default else "Optional: set" if optional else "Set"
    action = (
        f"{begin} {best.label} on {where}." if best.setting.lines else f"On {where}: {best.setting.note}."
    )
    text = join_sentences(before, first, default, action, also)
    effort = f"It takes {best.setting.how}." if best.setting.lines else ""
    price = join_sentences(effort, cautions)
    return Advice(result, text, best.name, best.setting.lines, unasked, price, optional=optional)


def _describe_alternatives(facts: Facts, best: Candidate, ranking: Sequence[Candidate]) -> str:
    """Return the strategies that are equally good, and what an eager one that is not recommended would save."""
    equal = [one for one in ranking[1:] if is_equal(facts, one, best) and one.name != best.name]
    goes_on = [one.label for one in equal if one.stops <= best.stops]
    stopping = [one.label for one in equal if one.stops > best.stops]
    owners = next(iter(facts.family.shape.sizes))
    said = []
    if goes_on:
        said.append(f"{join_names(goes_on)} {'is' if len(goes_on) == 1 else 'are'} equally good.")
    if stopping:
        verb, stop = ("is", "it stops") if len(stopping) == 1 else ("are", "they stop")
        said.append(f"{join_names(stopping)} {verb} equally good, but {stop} all {owners} at each rebalance.")
    nearer = [one for one in ranking[1:] if compute_distance(one.answer) < compute_distance(best.answer)]
    if nearer:  # rule 3 prefers a cooperative strategy, rule 6 one without severe defects
        values = {gap.level: gap.value for gap in best.answer.gaps}
        other = nearer[0]
        fewer = [gap.said.counted(gap.value) for gap in other.answer.gaps if gap.value < values[gap.level]]
        but = (
            f"it stops all {owners} at each rebalance"
            if other.stops and not best.stops
            else "it has a severe known defect"
        )
        said.append(f"{other.label} has only {join_names(fewer)}, but {but}.")
    return " ".join(said)


def _describe_cautions(facts: Facts, best: Candidate, ranking: Sequence[Candidate]) -> str:
    """Return avoidable topic imbalance and severe known defects of the recommended strategy, and alternatives without them."""
    spread = ""  # said if the same number of moves could also balance each topic
    found = facts.dominated.get(best.answer.target)
    if found is not None and found.verdict:
        how = describe_topic_balance(best.answer, facts.family.level(found.level))
        better = "spread it better" if found.least else "balance it"
        spread = f"{best.label} is {how}; {describe_equal_cost(best.answer)} could {better}."
    if not best.defects:
        avoided = [
            one.label
            for one in ranking[1:]
            if one.defects and compute_distance(one.answer) <= compute_distance(best.answer)
        ]
        if not avoided:
            return spread
        has = "has" if len(avoided) == 1 else "have"
        defects = f"{join_names(sorted(avoided))} {has} severe known defects that this group may trigger."
        return join_sentences(spread, defects)
    text = "; ".join(f"{best.label} {one.says} with {one.when} ({one.promise})" for one in best.defects)
    without = [
        one.label
        for one in ranking[1:]
        if not one.defects and compute_state_distance(one.answer) == compute_state_distance(best.answer)
    ]
    other = (
        f"Without them, and equal in everything but the costs of a rebalance: {join_names(without)}."
        if without
        else ""
    )
    return join_sentences(spread, f"Known defects that this group may trigger: {text}.", other)

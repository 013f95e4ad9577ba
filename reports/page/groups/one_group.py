"""The drawings of one group (now, each answer, the optimum) with their scores, and the table of strategies of its page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from kassay.comparison.facts import Facts, label_targets, resolve_assignor_name
from kassay.comparison.headline import (
    UNEVEN,
    compute_distance,
    find_moves_gap,
    is_unbalanced,
    label_targets_uniquely,
)
from kassay.comparison.measured import (
    Measured,
    compute_holdings,
    compute_loads,
    count_holdings,
    list_roles,
    measure_assignment,
    simplify_reason,
)
from kassay.comparison.ranking import describe_gain, list_changes
from kassay.comparison.strategies import Restart, count_moves
from kassay.families.family import Family
from kassay.oracles.answers import Answer, Optima
from kassay.reports.page.groups.holders import draw_columns
from kassay.reports.shapes import find_picture
from kassay.sentences import join_names, read_first_sentence

ANSWER, BEST, PRESENT = "answer", "best", "now"
NOTHING = "-"


@dataclass(frozen=True, slots=True)
class Score:
    """The value of an objective, next to the best value; `off` if it is worse than the best."""

    name: str
    says: str
    value: str
    beside: str = ""
    off: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """An assignment of the group: its title, its picture or None, its scores, and its defect."""

    look: str
    title: str
    picture: Markup | None
    scores: Sequence[Score]
    trouble: str = ""


def draw_assignments(
    family: Family,
    group: Any,
    now: Measured | None,
    answers: Sequence[tuple[str, Measured]],
    best: Answer | None,
    optima: Optima | None,
) -> Iterator[Drawing]:
    """Yield the present assignment, the answers with their labels, and the best possible, as far as there are any."""
    html = find_picture(family.shape).html
    if now is not None:
        yield Drawing(
            PRESENT,
            "Now",
            html("now", group, now.assignment),
            compute_scores(family, now, still=True),
            describe_problem(family, now, still=True),
        )
    for label, one in answers:
        shown = html(label, group, one.settled) if one.failure is None else None
        yield Drawing(ANSWER, label, shown, compute_scores(family, one), describe_problem(family, one))
    if best is not None and optima is not None:
        proved = [
            Score(
                family.level(level.name).head,
                _describe_objective(family, level.name),
                f"{level.value:,}",
                # The optimum of one level can be worse than its minimum alone: levels before it come first.
                "proved"
                if level.value == (least := optima.least[level.name])
                else f"proved; alone {least:,}",
            )
            for level in best.levels
        ]
        yield Drawing(BEST, "The best possible", html("the best possible", group, best.assignment), proved)


def draw_better_answers(known: Facts) -> list[tuple[str, list[Drawing], list[tuple[str, str, str]]]]:
    """Return for each dominated answer a sentence, drawings of it and of the better one, and the changes; equal ones once."""
    told: dict[str, list[Measured]] = {}
    for one in known.answers:
        told.setdefault(describe_gain(known.family, one, known.dominated.get(one.target)), []).append(one)
    labels = label_targets(known)
    return [
        (
            f"{join_names([labels[one.target] for one in of])}: {sentence}",
            _draw_better(known, of[0], labels[of[0].target]),
            list_changes(known.family.shape, of[0].settled, known.dominated[of[0].target].better),
        )
        for sentence, of in told.items()
        if sentence
    ]


def _draw_better(known: Facts, one: Measured, label: str) -> list[Drawing]:
    family, found, html = known.family, known.dominated[one.target], find_picture(known.family.shape).html
    level, other = family.level(found.level), measure_assignment(family, known.group, found.better)
    excess = [
        Score(
            level.head,
            _describe_objective(family, found.level),
            f"{found.value:,}",
            f"best {found.least:,}",
            off=True,
        ),
        Score(level.head, _describe_objective(family, found.level), f"{found.least:,}", ""),
    ]
    title = f"Better than {label}"
    # The level may be compared anyway: it is shown once, with the best value at the same price.
    own, better = (
        [score for score in compute_scores(family, each) if score.name != level.head] for each in (one, other)
    )
    return [
        Drawing(ANSWER, label, html(f"{label} by topic", known.group, one.settled), [*own, excess[0]]),
        Drawing(BEST, title, html(title, known.group, found.better), [*better, excess[1]]),
    ]


def compute_scores(family: Family, one: Measured, *, still: bool = False) -> list[Score]:
    """Return a score for each level; an assignment that stays as it is (`still`) has no transition costs.

    An assignment that is not complete and legal has values, but no comparison with the best.
    """
    told = []
    gaps = {gap.level: gap for gap in one.gaps}
    for level in gaps or (family.oracles.levels if family.oracles else ()):
        gap, says, head = gaps.get(level), _describe_objective(family, level), family.level(level).head
        if one.failure is not None or (still and level in family.timeline_measures):
            told.append(Score(head, says, NOTHING))
        elif gap is None:
            value = one.measures.get(_measure(family, level))
            told.append(Score(head, says, NOTHING if value is None else f"{value:,}", "not compared"))
        else:
            beside = "the best" if not gap.over else f"best {gap.optimum:,}"
            beside += f"; below it {UNEVEN}" * (gap.over < 0)
            told.append(Score(head, says, f"{gap.value:,}", beside, gap.over > 0))
    return told


def describe_problem(family: Family, one: Measured, *, still: bool = False) -> str:
    """Return why there are no scores, or which answer they belong to; "" for a right answer at once."""
    if one.failure is not None:
        return f"It returns no assignment: {one.failure}"
    if one.broken:
        first = next(iter(one.broken.values()))
        return f"It is incorrect. {', '.join(one.broken).capitalize()}: {first}."
    if not one.at_rest:
        return f"It does not converge within {one.rebalances} rebalances. This is the last answer."
    if not still and one.rebalances > 1:
        first = "warms up tasks at their new owners" if family.probing else "waits for revocations"
        return f"It first {first}. This is its answer in rebalance {one.rebalances}."
    return ""


def join_reasons(words: Sequence[str]) -> str:
    """Return an oracle's reasons as sentences, without trivial ones."""
    told = [simplify_reason(word) for word in words if not word.endswith("nothing is less than 0")]
    return " ".join(f"{word[:1].upper()}{word[1:]}." for word in told)


def _describe_objective(family: Family, level: str) -> str:
    """Return the meaning of a level, from its measure."""
    measure = family.measures.get(_measure(family, level))
    return read_first_sentence(measure.__doc__) if measure else level


def _measure(family: Family, level: str) -> str:
    return family.oracles.measures.get(level, level) if family.oracles else level


@dataclass(frozen=True, slots=True)
class Cell:
    """A number, a remark below it, and whether it is worse than the best possible."""

    value: str
    says: str = ""
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Strategy:
    """A row of the table: the name, tags, a note, a small picture of its loads, and its numbers."""

    name: str
    picked: bool
    tags: Sequence[str]
    says: str
    picture: Markup | str
    cells: Sequence[Cell]


def render_column_heads(restarted: Restart | None, family: Family, owners: int) -> list[str]:
    """Return the heads of the number columns."""
    noun = next(iter(family.shape.sizes))
    found = [f"max and min load of the {noun}", "moves at the change"]
    return found + (
        [f"moves in a rolling restart of {'both' if owners == 2 else f'all {owners:,}'}"] if restarted else []
    )


def list_strategies(known: Facts, pick: str, restarted: Restart | None) -> list[Strategy]:
    """Return the compared and the other configurable strategies: the recommended one first, then by distance to the optimum."""
    labels = label_targets_uniquely([one.target for one in [*known.answers, *known.others]])
    all_ = [*known.answers, *known.others]

    def order(one: Measured) -> tuple[object, ...]:
        return (resolve_assignor_name(one.target) != pick, not one.gaps, compute_distance(one))

    # The greatest load over all answers: one scale for all small pictures.
    most = 0
    for one in all_:
        if one.failure is None:
            given = compute_holdings(known.family.shape, one.settled)
            most = max(most, *compute_loads(given, list(given), list_roles(given)[0]), 0)
    return [
        _build_row(known, one, labels[one.target], pick, restarted, most or 1)
        for one in sorted(all_, key=order)
    ]


def _build_row(
    known: Facts, one: Measured, label: str, pick: str, restarted: Restart | None, most: int
) -> Strategy:
    family = known.family
    setting = family.settable.get(resolve_assignor_name(one.target))
    tags = ["take this"] * (resolve_assignor_name(one.target) == pick)
    if known.now is not None and one.failure is None and family.shape.same(one.settled, known.now.assignment):
        tags.append("as now")
    elif known.in_use and resolve_assignor_name(one.target) == known.in_use:
        tags.append("in use")
    short = label.removeprefix(f"{family.name}/")
    if one.failure is not None:
        return Strategy(
            short, False, tags, "returns no answer", "", [Cell("\N{EN DASH}")] * (2 + (restarted is not None))
        )
    said = setting.note if setting else ""
    gap, counted = find_moves_gap(one), count_moves(one)
    if gap is None:
        moves = Cell("\N{EN DASH}" if counted is None else f"{counted:,}")
    elif gap.over > 0:
        moves = Cell(f"{gap.value:,}", f"minimum {gap.optimum:,}", bad=True)
    else:
        moves = Cell(f"{gap.value:,}", "by less balanced loads" if gap.over < 0 else "the minimum")
    return Strategy(
        short, resolve_assignor_name(one.target) == pick, tags, said if one.legal else "incorrect answer: items are unassigned, assigned twice, or at the wrong owner",
        _draw_loads(family, known.now, one, most), [_describe_loads(family, one), moves, *([_describe_restart(one, restarted)] if restarted else [])],
    )  # fmt: skip


def _describe_loads(family: Family, one: Measured) -> Cell:
    given = count_holdings(family.shape, one.settled)
    found = []
    for role in list_roles(given):
        numbers = [own.get(role, 0) for own in given.values()] or [0]
        found.append(f"{max(numbers):,} · {min(numbers):,}")
    uneven = is_unbalanced(one)
    if not one.gaps:
        return Cell(", ".join(found), "not compared with the best")
    return Cell(", ".join(found), "not balanced" if uneven else "balanced", uneven)


def _describe_restart(one: Measured, restarted: Restart) -> Cell:
    own, total = restarted.moves.get(one.target), restarted.least
    least = total.least if total is not None and total.proved else None
    if own is None:
        return Cell("\N{EN DASH}", "unknown")
    if least is None:
        return Cell(f"{own:,}")
    if own <= least:
        return Cell(f"{own:,}", "the minimum")
    if not least:
        return Cell(f"{own:,}", "minimum 0", bad=True)
    times = f"{own / least:.1f}".removesuffix(".0")
    return Cell(f"{own:,}", f"minimum {least:,}" if times == "1" else f"{times} times the minimum", bad=True)


def _draw_loads(family: Family, now: Measured | None, one: Measured, most: int) -> Markup:
    """Draw a column for each owner, for the first role: items that stay, and above them items that arrive."""
    after = compute_holdings(family.shape, one.settled)
    before = compute_holdings(family.shape, now.assignment) if now is not None else {}
    role = list_roles(after)[0]
    owners = list(after)
    full = compute_loads(after, owners, role)
    stays = (
        [len({*after[o].get(role, ())} & {*before.get(o, {}).get(role, ())}) for o in owners]
        if before
        else full
    )
    return draw_columns(stays, full, most)

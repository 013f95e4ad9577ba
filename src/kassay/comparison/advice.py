"""What to change in Kafka for one group: nothing, an assignor to set, or to wait; the one place that decides it.

The rule: of what can be set, the least distance from the best possible, level by level, those that last before those that a rebalance
costs once, and what is asked behind these last; among equals what is in use now, then Kafka's
default, then what lets members go on with what they keep, then the order in which the family shows its assignors. Where that one would
have all members begin to stop at each rebalance, the first that lets them go on and is as good in what lasts comes before it, but not before an equal default. What is compared
in which order decides nothing. Studies, and what Kafka uses inside, are never advised; nor is, without saying so, what has a declared
defect in a situation that the group is in by which it never comes to rest, fails, or gives something to two or to nobody. While something
that can be set and may be better was not asked, as the group is large, nothing is advised but to compare it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kassay.comparison.dominance import by_each, same_price
from kassay.comparison.headline import distance, headline, holding, lasting, missed, reaches, target_labels
from kassay.comparison.holdings import sizes
from kassay.comparison.measured import Measured
from kassay.family import SETTABLE, Family, Setting
from kassay.oracles.answers import Answer, Dominated
from kassay.sentences import listed


@dataclass(frozen=True, slots=True)
class Defect:
    """A declared known defect that a group may meet: the promise, what the assignor may do, and when, in words."""

    promise: str
    says: str
    when: str


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is known of one group when it is advised.

    `answers` are the targets', `others` those of assignors that can be set and were not asked about; `now` is what the group has and `wanted` what its coordinator wants it to have, each None where that is
    not known. `in_use` is the full name of the assignor that it uses now, "" where nobody says; `home` the family that it is of.
    `together` are the values of the levels in one best assignment, where no answer has the optimum of each. `defects` are the grave
    ones by target. `file` is what the group was read from, as commands name it; `listed` says that it is a listing of Kafka's tools, and `warnings`
    what was assumed of it or is at odds. `group` is the group itself, `name` what it is called, and `best` one best assignment, None where that takes long.
    `dominated` says by target whether an answer that is no worse shares topics better.
    """

    family: Family
    answers: Sequence[Measured]
    others: Sequence[Measured] = ()
    now: Measured | None = None
    wanted: Measured | None = None
    in_use: str = ""
    home: str = ""
    together: Mapping[str, int] | None = None
    defects: Mapping[str, Sequence[Defect]] = field(default_factory=dict)
    file: str = ""
    group: Any = None
    name: str = ""
    best: Answer | None = None
    listed: bool = False
    warnings: Sequence[str] = ()
    dominated: Mapping[str, Dominated] = field(default_factory=dict)
    weighing: Any = None
    """What the answers weigh (:class:`kassay.oracles.answers.Weighing`), where that is asked for."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What came out and what to change: the headline, sentences, and the assignor to set with the lines to copy, if there is one.

    `compare` are assignors that can be set and were not compared, where one of them may be better. `price` says what the change takes, and
    what to know of it; `shown` is the answer that is worth a picture beside the present, None where the present is to stay.
    """

    headline: str
    says: str
    assignor: str = ""
    lines: tuple[str, ...] = ()
    compare: tuple[str, ...] = ()
    price: str = ""
    shown: Measured | None = None

    @property
    def sentences(self) -> list[str]:
        """The headline, the advice with its lines to copy, and its price."""
        return [self.headline, *filter(None, (self.says, *self.lines, self.price))]


def advice(known: Facts) -> Advice:
    """Say what came out and what to change."""
    return _change(known, says(known))


def says(known: Facts) -> str:
    """Return the answer in a sentence: who holds what now and what is even; where nobody holds anything, who is as good as can be."""
    labels = called(known)
    reach = headline([(labels[one.target], one) for one in known.answers], known.together)
    whose = f"{known.name}: " if known.name else ""
    if known.now is None:
        return f"{whose}nobody holds anything yet. {reach}" if whose else reach
    if known.best is None:
        return f"{whose}{reach}"
    held = holding(known.family.shape, known.now, known.best, is_listing=known.listed)
    return f"{known.name}: {held}"


def called(known: Facts) -> dict[str, str]:
    """Return what targets are called: without the family where all are references of one."""
    return target_labels([one.target for one in (*known.answers, *known.others)])


def named(target: str) -> str:
    """Return the name of a target as the family knows it: that of Kafka's class also where a release or a jar has it."""
    kind, colon, rest = target.partition(":")
    name = rest.partition("#")[2] if colon and kind == "kafka" else target
    return name.partition("@")[0]


def _change(known: Facts, told: str) -> Advice:
    if waiting := _waiting(known):
        return Advice(told, waiting)
    if known.now is not None and _as_good_as_can_be(known.now):
        return Advice(told, "Change nothing: what the group has now is as good as can be.")
    offered = [one for one in (*known.answers, *known.others) if _can_be_set(known, one.target)]
    more = tuple(name for name in known.family.settable if name not in {named(one.target) for one in offered})
    if not offered:
        return replace(
            _compare(known, told, "Nothing that was compared can be set in Kafka", more), shown=_drawn(known)
        )
    order = ranked(known, offered)
    uncompared = _uncompared(known, offered)
    if uncompared:
        who, what = called(known)[uncompared.target], _fewer(known, uncompared)
        what = what or "gives an answer that is not compared with the best possible"
        said = f"No change is advised: {who}, {_why(known, uncompared.target)}, {what}."
        return Advice(told, said, shown=_drawn(known))
    if not order:
        return replace(_unranked(known, told, offered, more), shown=_drawn(known))
    best = order[0]
    if known.now is not None and known.now.gaps and lasting(known.now) <= lasting(best):
        return _compare(known, told, "Change nothing: no answer is better than what the group has now", more)
    return replace(_chosen(known, told, order, () if reaches(best, known.together) else more), shown=best)


def _drawn(known: Facts) -> Measured | None:
    """Return the best answer of those that were asked for, whether or not it can be set; None where none is right."""
    return next((one for one in (*ranked(known, known.answers), *known.answers) if one.legal), None)


def _waiting(known: Facts) -> str:
    """Say to wait where the coordinator has decided already what makes the loads even; "" where it has not."""
    wanted = known.wanted
    if wanted is None or not wanted.gaps or (known.now and known.now.assignment == wanted.assignment):
        return ""
    if any(gap.over > 0 for gap in wanted.gaps if gap.said.counts == "loads"):
        return ""
    left = [gap for gap in wanted.gaps if gap.over > 0 and gap.said.turn == 0]
    rest = f" Then compare again: it has {listed(missed(replace(wanted, gaps=tuple(left))))}." if left else ""
    return f"The target is even: wait until members hold what it gives them, and change nothing.{rest}"


def _as_good_as_can_be(now: Measured) -> bool:
    return bool(now.gaps) and not any(lasting(now))


def _can_be_set(known: Facts, target: str) -> bool:
    """Say whether an operator can set a target: an assignor of Kafka's that the family lists so, or code that is none of kassay's."""
    name = named(target)
    return known.family.standing(name) == SETTABLE or ":" in name


def _default(known: Facts) -> str:
    """Return Kafka's default for a group of its family."""
    of_home = (n for n, s in known.family.settable.items() if s.default and n.startswith(f"{known.home}/"))
    return next(of_home, known.family.default)


def ranked(known: Facts, answers: Sequence[Measured]) -> list[Measured]:
    """Return the answers that are compared with the best possible, the one to advise first."""
    order = sorted((one for one in answers if one.gaps), key=lambda one: _rank(known, one))
    if order and _begins_to_stop(known, order[0]):
        as_good = (one for one in order if lasting(one) == lasting(order[0]))
        others = (one for one in as_good if (of := _setting(known, one)) is not None and of.cooperative)
        other = next(others, order[0])
        if named(order[0].target) != _default(known) or distance(other) > distance(order[0]):
            order.remove(other)
            order.insert(0, other)
    return order


def _setting(known: Facts, one: Measured) -> Setting | None:
    return known.family.settable.get(named(one.target))


def _begins_to_stop(known: Facts, one: Measured) -> bool:
    """Say whether with it all members stop at each rebalance, which is not known of what is in use."""
    setting, standing = _setting(known, one), known.family.settable.get(known.in_use)
    return setting is not None and not setting.cooperative and (standing is None or standing.cooperative)


def _rank(known: Facts, one: Measured) -> tuple[object, ...]:
    """Return what answers are ordered by, the best one first."""
    name, order, setting = named(one.target), [*known.family.settable], _setting(known, one)
    return (
        distance(one),
        name != known.in_use,
        name != _default(known),
        not (setting and setting.cooperative),
        order.index(name) if name in order else len(order),
        one.target,
    )


def _uncompared(known: Facts, offered: Sequence[Measured]) -> Measured | None:
    """Return the answer of what is in use, or else of Kafka's default, where it is right but has no gaps: nothing is better than that."""
    standing = known.in_use or _default(known)
    return next(
        (one for one in offered if named(one.target) == standing and one.legal and not one.gaps), None
    )


def _fewer(known: Facts, one: Measured) -> str:
    """Say that an answer gives out less than the best possible one does, as where it loses a copy; "" where it does not."""
    if known.best is None:
        return ""
    given, possible = (
        sum(sum(by_role.values()) for by_role in sizes(known.family.shape, answer).values())
        for answer in (one.assignment, known.best.assignment)
    )
    what = known.family.shape.items
    return (
        f"gives out {given:,} of {possible:,} {what}, which no other number here shows"
        if given < possible
        else ""
    )


def _why(known: Facts, target: str) -> str:
    return "which is in use" if named(target) == known.in_use else "Kafka's default"


def _unranked(known: Facts, told: str, offered: Sequence[Measured], more: tuple[str, ...]) -> Advice:
    if any(one.legal for one in offered):
        return Advice(told, "None of these answers is compared with an optimum: compare the numbers.")
    who = "This assignor gives no" if len(offered) == 1 else "None of these assignors gives a"
    return _compare(known, told, f"{who} right answer to this group: use another one", more)


def _compare(known: Facts, told: str, said: str, more: tuple[str, ...]) -> Advice:
    return Advice(told, f"{said}.{_next(known, more)}", compare=more)


def _next(known: Facts, more: Sequence[str]) -> str:
    """Say what can be set and was not compared, with the command that compares it."""
    if not more:
        return ""
    command = f"kassay compare {' '.join(more)} --group {known.file}" if known.file else ""
    return f" Not compared: {listed(more)}.{f' {command}' if command else ''}"


def _chosen(known: Facts, told: str, order: Sequence[Measured], more: tuple[str, ...]) -> Advice:
    best, name = order[0], named(order[0].target)
    label, setting = called(known)[best.target], _setting(known, best)
    whole = reaches(best, known.together)
    good, near = "is as good as can be", "" if whole else _nearer(known, order)
    if not whole:
        good = f"{'has' if near else 'comes nearest to the best possible:'} {'; '.join(missed(best))}{near}"
    as_good = [one for one in order[1:] if distance(one) == distance(best) and named(one.target) != name]
    equals = [] if near else as_good
    if name == known.in_use:
        said = f"Change nothing: {label}, which is in use, {good}{' at the next rebalance' if whole else ''}."
        return Advice(told, said + _next(known, more), name, (), more, _cautions(known, best, equals).strip())
    if more:  # what was not asked may be better, so nothing is to be set yet
        return _compare(
            known,
            told,
            f"{label} {good}{', of what was compared' if whole else ' (of what was compared)'}",
            more,
        )
    if setting is None:
        said = f"{label} {good}. It is none of Kafka's: set it up as it says."
        return Advice(
            told,
            f"{said}{_equals(known, best, equals)}",
            name,
            (),
            more,
            _cautions(known, best, equals).strip(),
        )
    on = _on(known, setting)
    also, unasked = (
        _equals(known, best, equals).strip(),
        ", though it was not asked about" * (best in known.others),
    )
    whose = f"{label} {good}{unasked}." if unasked or not whole else ""
    if name == _default(known):
        whose = whose or f"{label} is as good as can be."
        if len(known.family.settable) == 1:
            return Advice(told, f"{whose} {ONLY}", name, (), more, _cautions(known, best, equals).strip())
        otherwise = f"Otherwise set this on {on}" if setting.lines else f"Otherwise, on {on}: {setting.note}."
        said = " ".join(filter(None, (whose, DEFAULT, also, otherwise)))
    elif setting.lines:
        said = f"{whose} Set this on {on}{f'; {also}' if also else ''}".strip()
    else:
        said = " ".join(filter(None, (whose, f"On {on}: {setting.note}.", also)))
    said = f"{said.rstrip('.')}:" if setting.lines else said
    price = f"It takes {setting.how}." if setting.lines else ""
    return Advice(told, said, name, setting.lines, more, f"{price}{_cautions(known, best, equals)}".strip())


DEFAULT = "It is Kafka's default: change nothing where nothing else is set."
ONLY = "It is the only one that Kafka has: there is nothing to set."


def _on(known: Facts, setting: Setting) -> str:
    """Say where to set something, with how many these are where that is counted: all 9 members."""
    who, count = next(iter(known.family.shape.sizes.items()))
    if known.group is None or setting.on != f"all {who}" or count(known.group) < 2:
        return setting.on
    number = count(known.group)
    return f"both {who}" if number == 2 else f"all {number:,} {who}"


def _equals(known: Facts, best: Measured, equals: Sequence[Measured]) -> str:
    """Say who is as good as the one advised, and why that one is; "" where nobody is."""
    if not equals or named(best.target) == known.in_use:
        return ""
    settable, labels = known.family.settable, called(known)
    setting, also = settable.get(named(best.target)), [labels[one.target] for one in equals]
    verb = "is" if len(also) == 1 else "are"
    cooperative = [settable[n].cooperative for n in (named(one.target) for one in equals) if n in settable]
    if setting is not None and setting.cooperative and not any(cooperative):
        return f" {listed(also)} {verb} as good, but {'stops' if len(also) == 1 else 'stop'} all of them at each rebalance."
    return f" {listed(also)} {verb} as good."


def _nearer(known: Facts, order: Sequence[Measured]) -> str:
    """Say what the one would cost less that is not advised as all members would stop; "" where the one advised is nearest."""
    best, *others = order
    if not others or distance(others[0]) >= distance(best):
        return ""
    values = {gap.level: gap.value for gap in best.gaps}
    less = [gap.said.counted(gap.value) for gap in others[0].gaps if gap.value < values[gap.level]]
    who = next(iter(known.family.shape.sizes))
    return f"; {called(known)[others[0].target]} has {listed(less)}, but stops all {who} at each rebalance"


def _cautions(known: Facts, best: Measured, equals: Sequence[Measured]) -> str:
    """Say where the one advised shares topics badly for nothing, and which grave defects it may show in this group; and who is as good without."""
    defects, labels = known.defects.get(best.target, ()), called(known)
    spread = _by_each(known, best)
    if not defects:
        return spread
    told = "; ".join(f"it {one.says} with {one.when} ({one.promise})" for one in defects)
    without = [labels[one.target] for one in equals if not known.defects.get(one.target)]
    other = f" As good and without them: {listed(without)}." if without else ""
    return f"{spread} Known defects of {labels[best.target]} that this group may meet: {told}.{other}"


def _by_each(known: Facts, best: Measured) -> str:
    """Say that the one advised is even in sum alone though the same moves would do."""
    found = known.dominated.get(best.target)
    if found is None or not found.verdict:
        return ""
    return f" {called(known)[best.target]} is {by_each(best, known.family.level(found.level))}; {same_price(best)} would {'spread it better' if found.least else 'make it so'}."

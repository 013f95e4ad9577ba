"""What to change in Kafka for one group: nothing, an assignor to set, or to wait; the one place that decides it.

The rule: of what can be set, the least distance from the best possible, level by level, those that last before those that a rebalance
costs once; among equals what is in use now, then Kafka's
default, then what lets members go on with what they keep, then the order in which the family shows its assignors. What is compared
in which order decides nothing. Studies, and what Kafka uses inside, are never advised; nor is, without saying so, what has a declared
defect in a situation that the group is in by which it never comes to rest, fails, or gives something to two or to nobody. While something
that can be set and may be better was not asked, as the group is large, nothing is advised but to compare it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kassay.comparison.headline import PASSING, distance, headline, lasting, missed, reaches
from kassay.comparison.measured import Measured
from kassay.comparison.target_labels import listed, target_labels
from kassay.family import SETTABLE, Family, Setting

EVEN = "balance"
"""What the names of levels end with that say how even the loads are."""


@dataclass(frozen=True, slots=True)
class Defect:
    """A declared known defect that a group may meet: the promise, what the assignor may do, and when, in words."""

    promise: str
    says: str
    when: str


@dataclass(frozen=True, slots=True)
class Known:
    """All that is known of one group when it is advised.

    `answers` are the targets', `others` those of assignors that can be set and were not asked about; `now` is what the group has and `wanted` what its coordinator wants it to have, each None where that is
    not known. `in_use` is the full name of the assignor that it uses now, "" where nobody says; `home` the family that it is of.
    `together` are the values of the levels in one best assignment, where no answer has the optimum of each. `defects` are the grave
    ones by target. `file` is what the group was read from, as commands name it.
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


@dataclass(frozen=True, slots=True)
class Advice:
    """What came out and what to change: the headline, sentences, and the assignor to set with the lines to copy, if there is one.

    `compare` are assignors that can be set and were not compared, where one of them may be better.
    """

    headline: str
    says: str
    assignor: str = ""
    lines: tuple[str, ...] = ()
    compare: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """The headline and the advice."""
        return [self.headline, self.says]


def advice(known: Known) -> Advice:
    """Say what came out and what to change."""
    labels = target_labels([one.target for one in known.answers])
    told = headline([(labels[one.target], one) for one in known.answers], known.together)
    return _change(known, told)


def named(target: str) -> str:
    """Return the name of a target as the family knows it: that of Kafka's class also where a release or a jar has it."""
    kind, colon, rest = target.partition(":")
    name = rest.partition("#")[2] if colon and kind == "kafka" else target
    return name.partition("@")[0]


def _change(known: Known, told: str) -> Advice:
    if waiting := _waiting(known):
        return Advice(told, waiting)
    if known.now is not None and _as_good_as_can_be(known.now):
        return Advice(told, "Change nothing: what the group has now is as good as can be.")
    offered = [one for one in (*known.answers, *known.others) if _can_be_set(known, one.target)]
    more = tuple(name for name in known.family.settable if name not in {named(one.target) for one in offered})
    if not offered:
        return _compare(known, told, "Nothing that was compared can be set in Kafka", more)
    ranked = sorted((one for one in offered if one.gaps), key=lambda one: _rank(known, one))
    uncompared = _uncompared(known, offered)
    if uncompared:
        return Advice(
            told,
            f"No change is advised: the answer of {uncompared.target}, {_why(known, uncompared.target)}, is not compared with the optimum.",
        )
    if not ranked:
        return _unranked(known, told, offered, more)
    best = ranked[0]
    if known.now is not None and known.now.gaps and lasting(known.now) <= lasting(best):
        said = "Change nothing: no answer is better than what the group has now"
        return _compare(known, told, said, more)
    return _chosen(known, told, ranked, () if reaches(best, known.together) else more)


def _waiting(known: Known) -> str:
    """Say to wait where the coordinator has decided already what makes the loads even; "" where it has not."""
    wanted = known.wanted
    if wanted is None or not wanted.gaps or (known.now and known.now.assignment == wanted.assignment):
        return ""
    if any(gap.over > 0 for gap in wanted.gaps if gap.level.endswith(EVEN)):
        return ""
    left = [gap.level for gap in wanted.gaps if gap.over > 0 and gap.level not in PASSING]
    rest = f" Then compare again: it is not the best in {listed(left)}." if left else ""
    return f"The target is even: wait until members hold what it gives them, and change nothing.{rest}"


def _as_good_as_can_be(now: Measured) -> bool:
    return bool(now.gaps) and not any(lasting(now))


def _can_be_set(known: Known, target: str) -> bool:
    """Say whether an operator can set a target: an assignor of Kafka's that the family lists so, or code that is none of kassay's."""
    name = named(target)
    return known.family.standing(name) == SETTABLE or ":" in name


def _default(known: Known) -> str:
    """Return Kafka's default for a group of its family."""
    of_home = (n for n, s in known.family.settable.items() if s.default and n.startswith(f"{known.home}/"))
    return next(of_home, known.family.default)


def _rank(known: Known, one: Measured) -> tuple[object, ...]:
    """Return what assignors are ordered by: the one to advise is the least."""
    name, order = named(one.target), [*known.family.settable]
    setting = known.family.settable.get(name)
    return (
        distance(one),
        name != known.in_use,
        name != _default(known),
        not (setting and setting.cooperative),
        order.index(name) if name in order else len(order),
        one.target,
    )


def _uncompared(known: Known, offered: Sequence[Measured]) -> Measured | None:
    """Return the answer of what is in use, or else of Kafka's default, where it is right but has no gaps: nothing is better than that."""
    standing = known.in_use or _default(known)
    return next(
        (one for one in offered if named(one.target) == standing and one.legal and not one.gaps), None
    )


def _why(known: Known, target: str) -> str:
    return "which is in use" if named(target) == known.in_use else "Kafka's default"


def _unranked(known: Known, told: str, offered: Sequence[Measured], more: tuple[str, ...]) -> Advice:
    if any(one.legal for one in offered):
        return Advice(told, "None of these answers is compared with an optimum: compare the measures.")
    one = len(offered) == 1
    who = "This assignor gives" if one else "None of these assignors gives"
    return _compare(
        known,
        told,
        f"{who} {'no' if one else 'a'} complete and legal answer to this group: use another one",
        more,
    )


def _compare(known: Known, told: str, said: str, more: tuple[str, ...]) -> Advice:
    return Advice(told, f"{said}.{_next(known, more)}", compare=more)


def _next(known: Known, more: Sequence[str]) -> str:
    """Say what can be set and was not compared, with the command that compares it."""
    if not more:
        return ""
    command = f"kassay compare {' '.join(more)} --group {known.file}" if known.file else ""
    return f" Not compared: {listed(more)}.{f' {command}' if command else ''}"


def _chosen(known: Known, told: str, ranked: Sequence[Measured], more: tuple[str, ...]) -> Advice:
    best = ranked[0]
    name = named(best.target)
    setting = known.family.settable.get(name)
    good = (
        "gives the best possible"
        if reaches(best, known.together)
        else f"comes nearest to the best possible ({', '.join(missed(best))})"
    )
    unasked = best in known.others
    good += ", though it was not asked about" * unasked
    if name == known.in_use:
        said = f"Change nothing: {best.target}, which is in use, {good} at the next rebalance."
    elif more:  # what was not asked may be better, so nothing is to be set yet
        return _compare(known, told, f"{best.target} {good} of what was compared", more)
    elif setting is None:
        said = f"{best.target} {good}. It is none of Kafka's: set it up as it says."
    elif name == _default(known) and not known.in_use:
        otherwise = (
            f" Otherwise: {_set(setting)}"
            if setting.lines
            else f" Otherwise, on {setting.on}: {setting.note}."
        )
        said = f"{best.target} {good}. It is Kafka's default: change nothing where nothing else is set.{otherwise}"
    else:
        said = f"{best.target} {good}. {_set(setting)}"
    equals = [one for one in ranked[1:] if distance(one) == distance(best) and named(one.target) != name]
    said += _equals(known, best, equals) + _cautions(known, best, equals) + _next(known, more)
    lines = setting.lines if setting is not None and name != known.in_use else ()
    return Advice(told, said, name, lines, more)


def _set(setting: Setting) -> str:
    if not setting.lines:
        return f"On {setting.on}: {setting.note}."
    return f"Set {' and '.join(setting.lines)} on {setting.on}, {setting.how}."


def _equals(known: Known, best: Measured, equals: Sequence[Measured]) -> str:
    """Say who is as good as the one advised, and why that one is; "" where nobody is."""
    if not equals or named(best.target) == known.in_use:
        return ""
    setting, also = known.family.settable.get(named(best.target)), [one.target for one in equals]
    as_good = f" As good: {listed(also)}"
    if named(best.target) == _default(known) or setting is None:
        return f"{as_good}."
    cooperative = [
        known.family.settable[n].cooperative for n in map(named, also) if n in known.family.settable
    ]
    if setting.cooperative and not all(cooperative):
        return f"{as_good}; with {best.target} members go on with what they keep while the group rebalances."
    return f"{as_good}."


def _cautions(known: Known, best: Measured, equals: Sequence[Measured]) -> str:
    """Say which grave defects the one advised may show in this group, and who is as good without them."""
    defects = known.defects.get(best.target, ())
    if not defects:
        return ""
    said = "; ".join(f"it {one.says} where {one.when} ({one.promise})" for one in defects)
    without = [one.target for one in equals if not known.defects.get(one.target)]
    other = f" As good and without them: {listed(without)}." if without else ""
    return f" Known defects of {best.target} that this group may meet: {said}.{other}"

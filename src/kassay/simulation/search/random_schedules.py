"""Draw schedules from a seed: each is the same on every machine, and no other has to be drawn before it.

Before them stand the smallest schedules that show what was planted in coordinator and member, which are run on whatever is simulated.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from importlib.resources import files

import msgspec
from msgspec.structs import replace

from kassay.errors import InputError
from kassay.properties.choices import Choices, from_seed
from kassay.simulation.faults import FAULTS
from kassay.simulation.schedule import SEE, Fault, Schedule, Setting
from kassay.simulation.uses import USES
from kassay.simulation.world import HEARTBEAT_MS, REBALANCE_MS, REQUEST_MS, SESSION_MS
from kassay.suggesting import refuse_unknown

MOST_FAULTS = 4
FIRST_MS = 12_000
"""The first fault strikes before."""
SPANS_MS = (30, 400, 4_000, 16_000)
"""How long faults take, and how far they are apart, at most: a message's journey, a rebalance, a heartbeat, a session."""
LIMITS_MS = (SESSION_MS, REBALANCE_MS, REQUEST_MS)
"""What ends sessions, join phases and the patience of members."""
FORMED_MS = 6_000
"""When the first generation of a group begins, where its coordinator waits for more members."""
OF_STATIC_ONES = frozenset({"twin"})
"""Faults that need two static members."""
STATIC = 8
"""One in so many groups has static members, and one more topic."""
MOST_TOPICS = 20
LOSSES, SLOWER_MS = 3, 500


def fitting(setting: Setting, kinds: Sequence[str] | None) -> list[str]:
    """Return the faults that fit a use, or those that are asked for; raises InputError for one that is unknown or does not fit."""
    unfit = USES[setting.use].unfit
    if not setting.static or setting.members == 1:
        unfit |= OF_STATIC_ONES
    if kinds is None:
        return [kind for kind, fault in FAULTS.items() if fault.drawn and kind not in unfit]
    for kind in kinds:
        refuse_unknown("--faults", kind, FAULTS, SEE)
        if kind in OF_STATIC_ONES & unfit:
            raise InputError(
                f"--faults: {kind!r} strikes two static members; add --static, with --members 2 or more"
            )
        if not FAULTS[kind].drawn:
            raise InputError(f"--faults: {kind!r} is never drawn; write it into a schedule for --replay")
        if kind in unfit:
            raise InputError(f"--faults: {kind!r} does not fit the use {setting.use}; leave it out")
    return list(kinds)


def varied(setting: Setting, number: int) -> Setting:
    """Return in which group the schedule of this number is drawn: one in eight has static members, where the use knows them, and another one in eight one more topic."""
    static = setting.static or (USES[setting.use].knows_static and number % STATIC == STATIC - 1)
    more = number % STATIC == STATIC // 2 and len(setting.partitions) < MOST_TOPICS
    partitions = (*setting.partitions, 1) if more else setting.partitions
    return replace(setting, static=static, partitions=partitions)


def drawn(setting: Setting, kinds: Sequence[str], seed: int, number: int) -> Schedule:
    """Draw the schedule of this number, of faults of these kinds."""
    choices = from_seed(seed << 32 | number)
    at = choices.below(FIRST_MS) if choices.below(4) else choices.below(SPANS_MS[1])
    faults = []
    for _ in range(1 + choices.below(MOST_FAULTS)):
        at = _where_it_hurts(choices, at)
        faults.append(_fault(choices, setting, kinds[choices.below(len(kinds))], at))
        at += _span(choices)
    return Schedule(setting, tuple(faults))


def _where_it_hurts(choices: Choices, at: int) -> int:
    """Return when the next fault strikes: then, or when members join and synchronise, or about when a session or a time limit ends."""
    near = choices.below(SPANS_MS[0] * 2)
    match choices.below(8):
        case 0 | 1 | 2:  # a rebalance mostly begins when a member hears of it by its heartbeat
            return at + -at % HEARTBEAT_MS + near
        case 3:  # a group forms when its first members have waited for others
            return FORMED_MS + near if at < FORMED_MS else at
        case 4:
            return at + LIMITS_MS[choices.below(len(LIMITS_MS))] + near - SPANS_MS[0]
    return at


def _fault(choices: Choices, setting: Setting, kind: str, at: int) -> Fault:
    most = MUCH.get(kind, 0)
    much = choices.below(most) if most else choices.below(len(setting.partitions) + 1)
    return Fault(at, kind, choices.below(setting.members), _span(choices) * LONGER.get(kind, 1), much)


MUCH = {"loss": LOSSES, "refused-write": LOSSES, "delay": SLOWER_MS, "slow-log": SLOWER_MS}
"""Below what the number of a fault is drawn, where it does not count topics."""

LONGER = {"stall": 2}
"""How many times as long a fault may take: a member that does not poll is only missed after a rebalance timeout."""


def _span(choices: Choices) -> int:
    return choices.below(SPANS_MS[choices.below(len(SPANS_MS))])


FILE = "corpus.json"
"""Beside this file; written by ``python tests/simulation/catching.py``."""


def corpus(setting: Setting, kinds: Collection[str]) -> Iterator[Schedule]:
    """Yield the schedules that have faults of these kinds alone, for what a setting simulates: its use and coordinator.

    Members, partitions and whether members are static are those that the schedule needs, where the use knows static members.
    """
    known: dict[Schedule, None] = {}
    for one in _written():
        if all(fault.kind in kinds for fault in one.faults):
            static = setting.static or (one.setting.static and USES[setting.use].knows_static)
            own = replace(
                one.setting,
                use=setting.use,
                coordinator=setting.coordinator,
                cooperative=setting.cooperative,
                static=static,
            )
            known[Schedule(own, one.faults)] = None
    yield from known


@cache
def _written() -> tuple[Schedule, ...]:
    text = files(__package__).joinpath(FILE).read_bytes()
    return msgspec.json.decode(text, type=tuple[Schedule, ...])

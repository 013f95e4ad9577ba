"""Random sequences of what happens to a coordinator, from a seed; plain JSON, so that they can be kept and made smaller.

An action names members by the order in which their ids appeared, so what is left of a sequence after some are taken out still means
something.
"""

import random
from typing import Any, TypeAlias

Action: TypeAlias = dict[str, Any]
INSTANCES = ("i", "j", "k")
SESSIONS_MS = (6_000, 10_000, 20_000, 45_000)
REBALANCES_MS = (5_000, 6_000, 10_000, 20_000, 60_000)
"""Some are sessions' too, so that timers of both kinds run out at once."""
PROTOCOLS = ("range", "roundrobin", "sticky")
PLAIN = ("m", "m", "n")
BAD = (
    "m",
    "m",
    "m",
    "0x00",
    "0x0001ffffffff",
    "0x000000000001000574",
    "0x00000000000100017400000005aa",
    "0x0000",
    "0xffff00000000ffffffff",
    "0xffff00000001000174",
    "0x8cad02dca729",
)
"""Metadata of which some are bytes that are no subscription; the last three have a negative version, which Kafka's coordinator does not look at."""
OUTCOMES = ("NOT_ENOUGH_REPLICAS", "KAFKA_STORAGE_ERROR", "MESSAGE_TOO_LARGE")


def sequence(rng: random.Random, longest: int = 40) -> dict[str, Any]:
    """Make a sequence: the broker's settings and some ten actions, at most `longest`."""
    settings = {"delay": rng.choice((0, 3_000)), "max": rng.choice((None, None, None, 2, 3))}
    static, metadata = rng.random() < 0.5, rng.choice((PLAIN,) * 5 + (BAD,))
    length = rng.randint(10, longest)
    actions = [_action(rng, metadata, static=static) for _ in range(length)]
    return {"settings": settings, "actions": actions}


def _action(rng: random.Random, metadata: tuple[str, ...], *, static: bool) -> Action:
    kind = rng.choices(
        (
            "next",
            "join",
            "sync",
            "heartbeat",
            "leave",
            "commit",
            "timer",
            "wait",
            "written",
            "timed out",
            "fail over",
        ),
        (50, 12, 7, 5, 5, 6, 8, 5, 5, 5, 4),
    )[0]
    action: Action = {"do": kind, "outcome": _outcome(rng)}
    if kind == "join":
        action |= _join(rng, metadata, static=static)
    elif kind == "wait":
        action["ms"] = rng.choice((1, 1_000, 3_000, 6_000, 30_000, 300_000))
    elif kind == "timer":
        action["tie"] = rng.randrange(4)
    elif kind == "fail over":
        action |= {"crashes": rng.random() < 0.5, "kept": rng.randrange(3)}
    elif kind == "leave":
        action["members"] = [_who(rng, static=static) for _ in range(rng.choice((1, 1, 1, 2)))]
    elif kind not in {"written", "timed out"}:
        action |= _who(rng, static=static)
    if kind in {"sync", "heartbeat", "commit"}:
        action["generation"] = rng.choice((0, 0, 0, 0, -1, 1, None))
    if kind == "sync":
        action["protocol"] = rng.choice((None, None, "same", "other"))
    if kind == "next":
        action["metadata"] = rng.choice(("m", *metadata))
        action["protocols"] = [
            [name, rng.choice(metadata) if metadata is BAD else "m"]
            for name in rng.sample(PROTOCOLS, rng.choice((2, 3, 3)))
        ]
        action["rebalance"] = rng.choice((10_000, 20_000))
    return action


def _outcome(rng: random.Random) -> str:
    return rng.choices(("now", "later", rng.choice(OUTCOMES)), (80, 12, 8))[0]


def _who(rng: random.Random, *, static: bool) -> Action:
    """Name a member by the number of its id, -1 for an id that nobody has, None for no id; perhaps with an instance id.

    `own`: the number is one among those that are in the group now, and the instance id is the member's.
    """
    who = rng.choice((None, -1, *range(6), *range(6)))
    instance = rng.choice((None, *INSTANCES)) if static or rng.random() < 0.05 else None
    return {"who": who, "instance": instance, "own": rng.random() < 0.7}


def _join(rng: random.Random, metadata: tuple[str, ...], *, static: bool) -> Action:
    protocols = rng.sample(PROTOCOLS, rng.choice((0, 1, 2, 2, 3, 3, 3)))
    return {
        **_who(rng, static=static),
        **({"who": None} if rng.random() < 0.6 else {}),
        "session": rng.choice(SESSIONS_MS),
        "rebalance": rng.choice(REBALANCES_MS),
        "type": rng.choices(("consumer", "connect", ""), (90, 8, 2))[0],
        "protocols": [[name, rng.choice(metadata)] for name in protocols],
        "version": rng.choice((3, 5, 8, 9, 9)),
    }

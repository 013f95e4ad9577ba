"""Scripts of additions and removals for Java's HashMap of strings, hostile enough to grow and shrink trees in it."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

import jpype
from classes.recorder.machine import start_java


@dataclass(frozen=True)
class Script:
    """The capacity given to the constructor, and the steps: a key with "+" before it is put, with "?" if absent, with "-" removed."""

    capacity: int
    steps: tuple[str, ...]


def scripts(seed: int) -> Iterator[Script]:
    """Yield scripts without end."""
    rng = random.Random(seed)
    while True:
        keys = _keys(rng)
        steps = []
        signs = rng.choice(("++", "??", "+?"))
        for _ in range(rng.randint(1, 4)):
            share = rng.random()
            steps += [
                (rng.choice(signs) if rng.random() < share else "-") + rng.choice(keys)
                for _ in range(rng.randint(0, 60))
            ]
        yield Script(rng.choice((16, 16, 16, 0, 1, 2, 5, 64, 100)), tuple(steps))


def _keys(rng: random.Random) -> list[str]:
    """Make keys of which many share a hash code, a table slot, or neither."""
    match rng.randrange(4):
        case 0:  # one hash code
            return ["".join(parts) for parts in itertools.product(("Aa", "BB"), repeat=6)]
        case 1:  # a few hash codes
            return ["".join(parts) for parts in itertools.product(("Aa", "BB", "C#", "x"), repeat=4)]
        case 2:  # different hash codes, but one slot as long as the table has no more than so many
            apart = rng.choice((64, 128))
            return [chr(apart * number) for number in range(200)]
        case _:
            return [str(number) for number in range(200)]


def javas_order(script: Script) -> list[str]:
    """Run a script on java.util.HashMap and return the order in which it iterates then."""
    start_java()
    keys = jpype.JClass("java.util.HashMap")(script.capacity)
    itself = jpype.JProxy("java.util.function.Function", dict={"apply": lambda key: key})
    for step in script.steps:
        match step[0]:
            case "+":
                keys.put(step[1:], "")
            case "?":
                keys.computeIfAbsent(step[1:], itself)
            case _:
                keys.remove(step[1:])
    return [str(key) for key in keys.keySet().toArray()]

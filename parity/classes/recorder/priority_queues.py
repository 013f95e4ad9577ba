"""Scripts of additions and removals for Java's PriorityQueue, with many elements that are equal in order but not the same."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import jpype
from classes.recorder.machine import start_java


@dataclass(frozen=True)
class Script:
    """The decimals given to the constructor, and the steps: one with "+" before it is offered, with "-" removed; "!" polls.

    1.0 and 1.00 are equal in order, and two different elements.
    """

    first: tuple[str, ...]
    steps: tuple[str, ...]


def scripts(seed: int) -> Iterator[Script]:
    """Yield scripts without end."""
    rng = random.Random(seed)
    while True:
        values = [f"{whole}.{'0' * rng.randint(1, 3)}" for whole in range(rng.choice((3, 9, 30)))] * 2
        values += [f"{value}0" for value in values]
        first = tuple(rng.choice(values) for _ in range(rng.randint(0, 20)))
        steps = tuple(
            rng.choice(("+", "-", "-", "!")) + rng.choice(values) for _ in range(rng.randint(0, 20))
        )
        yield Script(first, tuple(step[0] if step[0] == "!" else step for step in steps))


def javas_heaps(script: Script) -> list[str]:
    """Run a script on java.util.PriorityQueue and return its elements as they lie in the heap then, step by step."""
    start_java()
    decimal = jpype.JClass("java.math.BigDecimal")
    first = jpype.JClass("java.util.ArrayList")()
    for value in script.first:
        first.add(decimal(value))
    queue = jpype.JClass("java.util.PriorityQueue")(first)
    heaps = [_shown(queue)]
    for step in script.steps:
        match step[0]:
            case "+":
                queue.offer(decimal(step[1:]))
            case "-":
                queue.remove(decimal(step[1:]))
            case _:
                queue.poll()
        heaps.append(_shown(queue))
    return heaps


def _shown(queue: jpype.JObject) -> str:
    return " ".join(str(element.toPlainString()) for element in queue.toArray())

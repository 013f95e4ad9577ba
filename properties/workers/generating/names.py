"""Names for generated workers and connectors: plain ones, as Kafka makes them, and ones that assignors trip over."""

from collections.abc import Sequence

from kassay.properties.choices import Choices

COLLIDING = ("AaAa", "BBBB", "AaBB", "BBAa")
"""Different names with the same String.hashCode."""
HOSTILE = (
    "connect-1-2b6d2ffc-5a1e-4f2e-9d1b-0d6c3c9e5b1a", "a b", 'a"b', "a\nb", "\x00", "null", "-1", "w0-0", "\u00e9", "\u65e5\u672c",
    "w" * 300, "\U0001f600", "\uff5e", "\ue000", "",
)  # fmt: skip
"""Names of any text; on the order of the last ones UTF-16 units (Java) and code points (Python) disagree."""
_POOLS: dict[str, Sequence[str]] = {"colliding": COLLIDING, "hostile": HOSTILE}


def worker_ids(choices: Choices, number: int, kind: str) -> list[str]:
    """Return ids of workers: w0, w1, ..., others among them by the kind."""
    return _names(choices, "w", number, kind)


def connector_names(choices: Choices, number: int, kind: str) -> list[str]:
    """Return names of connectors: c0, c1, ..., others among them by the kind."""
    return _names(choices, "c", number, kind)


def _names(choices: Choices, letter: str, number: int, kind: str) -> list[str]:
    plain = [f"{letter}{at}" for at in range(number)]
    if kind == "random":
        return [f"{letter}{choices.below(1 << 32):08x}-{at}" for at in range(number)]
    if kind not in _POOLS:
        return plain
    pool = _POOLS[kind]
    start, shift = choices.below(len(pool)), choices.below(max(1, number))
    for at in range(min(1 + choices.below(len(pool)), number)):
        plain[(shift + at) % number] = pool[(start + at) % len(pool)]
    return plain

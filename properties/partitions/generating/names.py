"""Names for generated groups: plain ones, and ones that assignors trip over.

Topics and instance ids are legal in Kafka ([a-zA-Z0-9._-], up to 249 characters, neither ``.`` nor ``..``); member ids
and racks may be any text.
"""

from collections.abc import Sequence

from kassay.properties.choices import Choices

COLLIDING = ("AaAa", "BBBB", "AaBB", "BBAa")
"""Different names with the same String.hashCode."""
HOSTILE_TOPICS = (
    "t", "t-1", "t-0", "t_0", "t.0", "T0", "t00", "0", "-", "_", "...", "null", "__consumer_offsets", "a-0-1",
    "z" * 249, "app-store-changelog", "app-KSTREAM-0000000001-repartition",
)  # fmt: skip
HOSTILE_MEMBERS = (
    "consumer-1-2b6d2ffc-5a1e-4f2e-9d1b-0d6c3c9e5b1a", "a b", "a,b", 'a"b', "a'b", "a\\b", "a\nb", "\t", "\x00", "{}",
    "[]", "null", "0", "-1", "m0-0", "\u00e9", "e\u0301", "\u00df", "\u0130", "\u202eabc", "\u65e5\u672c", "m" * 300,
)  # fmt: skip
ASTRAL = ("\U0001f600", "\uff5e", "\U0001d4dc0", "\uffee", "\U00020000", "\ue000")
"""Names on whose order UTF-16 units (Java) and code points (Python) disagree."""
HOSTILE_RACKS = ("r0", "\U0001f4a5", "", "a,b")

_TOPIC_POOLS = (HOSTILE_TOPICS, COLLIDING)
_MEMBER_POOLS = (HOSTILE_MEMBERS, COLLIDING, ASTRAL)


def topic_names(choices: Choices, number: int, *, hostile: bool) -> list[str]:
    """Return topic names: t0, t1, ..., if hostile with others among them."""
    plain = [f"t{at}" for at in range(number)]
    return _mixed(choices, plain, choices.pick(_TOPIC_POOLS)) if hostile else plain


def member_ids(choices: Choices, number: int, *, hostile: bool) -> list[str]:
    """Return member ids: m0, m1, ..., if hostile with others among them."""
    plain = [f"m{at}" for at in range(number)]
    return _mixed(choices, plain, choices.pick(_MEMBER_POOLS)) if hostile else plain


def instance_ids(choices: Choices, number: int, *, permuted: bool) -> list[str]:
    """Return group.instance.ids: i0, i1, ..., in this order or not."""
    plain = [f"i{at}" for at in range(number)]
    return choices.shuffled(plain) if permuted else plain


def rack_names(number: int, *, hostile: bool) -> list[str]:
    """Return names of racks: r0, r1, ..., or hostile ones, of which there are four."""
    return list(HOSTILE_RACKS[:number]) if hostile else [f"r{at}" for at in range(number)]


def _mixed(choices: Choices, plain: list[str], pool: Sequence[str]) -> list[str]:
    """Replace a run of the plain names by a run of the pool."""
    start, length = choices.below(len(pool)), 1 + choices.below(len(pool))
    shift = choices.below(max(1, len(plain)))
    mixed = list(plain)
    for at in range(min(length, len(plain))):
        mixed[(shift + at) % len(plain)] = pool[(start + at) % len(pool)]
    return mixed

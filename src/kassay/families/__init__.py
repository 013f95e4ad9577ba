"""The families kassay knows: a name and where its record stands."""

from collections.abc import Callable
from importlib import import_module

from kassay.errors import InputError
from kassay.family import Family, Oracles
from kassay.sentences import meant

FAMILIES = {
    "consumer": "kassay.families.consumer:CONSUMER",
    "broker": "kassay.families.broker:BROKER",
    "share": "kassay.families.share:SHARE",
    "streams": "kassay.families.streams:STREAMS",
    "streams-group": "kassay.families.streams_group:STREAMS_GROUP",
    "connect": "kassay.families.connect:CONNECT",
}


def family(name: str) -> Family:
    """Load a family by its name, or a foreign one by ``MODULE:ATTRIBUTE``; raises InputError where there is none."""
    place = FAMILIES.get(name, name)
    module, colon, attribute = place.partition(":")
    if not colon:
        raise InputError(
            f"there is no family {name!r}; known are {', '.join(FAMILIES)}{meant(name, FAMILIES)}"
        )
    try:
        found = getattr(import_module(module), attribute)
    except Exception as wrong:
        if name in FAMILIES:
            raise
        raise InputError(
            f"family {name!r}: cannot be imported ({type(wrong).__name__}: {wrong}); name an importable MODULE:ATTRIBUTE"
        ) from None
    if not isinstance(found, Family):
        raise InputError(f"{place} is no kassay.family.Family")
    return found


def families_with(has: Callable[[Oracles], object]) -> str:
    """Name the known families whose oracles have something, with commas between."""
    oracles = {name: family(name).oracles for name in FAMILIES}
    return ", ".join(name for name, known in oracles.items() if known and has(known))

"""The families that kassay knows, with the module of each record."""

from collections.abc import Callable
from importlib import import_module

from kassay.errors import InputError
from kassay.families.family import Family, Oracles
from kassay.sentences import suggest_name

FAMILIES = {
    "consumer": "kassay.families.consumer:CONSUMER",
    "broker": "kassay.families.broker:BROKER",
    "share": "kassay.families.share:SHARE",
    "streams": "kassay.families.streams:STREAMS",
    "streams-group": "kassay.families.streams_group:STREAMS_GROUP",
    "connect": "kassay.families.connect:CONNECT",
}


def family(name: str) -> Family:
    """Load a family by its name, or a foreign one by ``MODULE:ATTRIBUTE``; raises InputError if it does not exist."""
    place = FAMILIES.get(name, name)
    module, colon, attribute = place.partition(":")
    if not colon:
        raise InputError(
            f"family {name!r}: is unknown. Known are {', '.join(FAMILIES)}{suggest_name(name, FAMILIES)}"
        )
    try:
        found = getattr(import_module(module), attribute)
    except Exception as wrong:
        if name in FAMILIES:
            raise
        raise InputError(
            f"family {name!r}: cannot be imported ({type(wrong).__name__}: {wrong}). Name an importable MODULE:ATTRIBUTE"
        ) from None
    if not isinstance(found, Family):
        raise InputError(f"family {name!r}: {place} is not a kassay.families.family.Family. Name one")
    return found


def families_with(has: Callable[[Oracles], object]) -> str:
    """Return the names of the families whose oracles have a feature, separated by commas."""
    oracles = {name: family(name).oracles for name in FAMILIES}
    return ", ".join(name for name, known in oracles.items() if known and has(known))

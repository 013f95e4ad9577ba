"""How grave it is that a promise is broken: what an endless rebalance, a failure, or something lost or given twice goes by."""

from collections.abc import Collection

ENDLESS, CRASHING, DOUBLING, LOSSY = "endless", "crashing", "doubling", "lossy"
"""What is grave, the gravest first."""
GRAVE: dict[str, str] = {
    "settling": ENDLESS,
    "settles": ENDLESS,
    "probing_ends": ENDLESS,
    "reconciles": ENDLESS,
    "crash_free": CRASHING,
    "exclusive": DOUBLING,
    "distinct": DOUBLING,
    "one_copy_per_client": DOUBLING,
    "one_copy_per_process": DOUBLING,
    "cooperative": DOUBLING,
    "revoked_first": DOUBLING,
    "complete": LOSSY,
    "subscribed": LOSSY,
    "all_run_at_rest": LOSSY,
    "given_out_after_delay": LOSSY,
}
"""Promise -> what an assignor is that breaks it; a promise that is not here is not grave."""
SAYS = {
    ENDLESS: "may never come to rest",
    CRASHING: "may fail or never answer",
    DOUBLING: "may give the same to two",
    LOSSY: "may leave something with nobody who reads or runs it",
}
"""What an assignor may do, in words."""


def graveness(promise: str) -> str | None:
    """Say what an assignor is that breaks a promise: endless, crashing, doubling or lossy; None where that is not grave."""
    return GRAVE.get(promise)


def gravest(promises: Collection[str]) -> list[str]:
    """Return the grave ones of some promises, the gravest first, by name among equals."""
    order = list(SAYS)
    return sorted(
        (name for name in promises if name in GRAVE), key=lambda name: (order.index(GRAVE[name]), name)
    )

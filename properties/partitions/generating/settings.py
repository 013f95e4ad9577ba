"""Settings: between which limits, by which weights and with which oddities a group of topics and members is generated."""

from collections.abc import Mapping

from kassay.properties.choices import Choices
from kassay.properties.settings import Settings

USUAL: Mapping[str, tuple[int, int]] = {
    "members": (1, 6),
    "topics": (1, 4),
    "partitions": (0, 6),
    "partitions_per_member": (0, 0),
    "racks": (0, 0),
    "replication": (1, 3),
    "static_percent": (0, 0),
    "churn": (0, 0),
}
"""The limits where none are given: `partitions` of each topic, `churn` changes. No racks: nobody knows any.

`partitions_per_member` above 0 overrules `partitions`: the topics share that many for each member evenly."""
PLAIN: Mapping[str, Mapping[str, int]] = {
    "subscriptions": {"all": 1},
    "claims": {"none": 1},
    "order": {"listed": 1},
    "names": {"plain": 1},
    "static": {"percent": 1},
    "racks": {"plain": 1},
    "replicas": {"in turn": 1},
    "homes": {"in turn": 1},
    "extras": {"none": 1},
    "events": {"rest": 2, "join": 5, "leave": 5, "miss": 2, "resubscribe": 2, "grow": 2},
}
"""The weights of the kinds where none are given."""

SIZES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "small": {"racks": (1, 4)},
    "medium": {"members": (1, 20), "topics": (1, 12), "partitions": (0, 12), "racks": (1, 4)},
    "large": {"members": (50, 80), "topics": (4, 8), "partitions": (0, 99), "racks": (1, 4)},
}
"""How large groups of any kind are."""
_WEIGHTS = {"small": 215, "medium": 37, "large": 4}
ANY_CLAIMS = {"none": 4, "scattered": 3, "anyhow": 9}
ANY: Mapping[str, Mapping[str, int]] = {
    "subscriptions": {"all": 3, "same": 1, "any": 3, "odd": 1},
    "order": {"listed": 17, "members": 17, "topics": 3, "shuffled": 3},
    "names": {"plain": 58, "hostile": 20, "topics": 16, "both": 6},
    "static": {"none": 4, "all": 1, "some": 1},
    "racks": {"none": 60, "plain": 35, "hostile": 5},
    "replicas": {"in turn": 6, "anywhere": 6, "some unknown": 3, "unknown": 1},
    "homes": {"anywhere": 4, "some unknown": 2, "some elsewhere": 1, "unknown": 1},
    "extras": {"none": 48, "user data": 4, "hosts": 6, "joined": 6},
    "events": {
        "rest": 1, "join": 3, "leave": 3, "miss": 3, "subscribe": 2, "alter": 2, "delete": 1, "move": 1
    },
}  # fmt: skip
OF_BROKERS = {"none": 3, "ids": 1}
OF_SHARES = {"none": 3, "ids": 1, "withheld": 1}
"""Extras of groups whose assignor is a coordinator's: of user data, hosts and joins it is told nothing."""

ODDITIES = {"unknown topic": 9, "repeated topic": 4, "permuted subscriptions": 12, "permuted instances": 40}


def anything(
    choices: Choices,
    claims: Mapping[str, int] = ANY_CLAIMS,
    churn: tuple[int, int] = (0, 0),
    extras: Mapping[str, int] = ANY["extras"],
) -> Settings:
    """Choose settings of which groups of every kind come: small ones mostly, medium ones sometimes, large ones rarely."""
    size = SIZES[choices.weighed(_WEIGHTS)]
    return Settings({**USUAL, **size, "churn": churn}, {**ANY, "claims": claims, "extras": extras}, ODDITIES)

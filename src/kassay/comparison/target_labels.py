"""What targets are called in sentences, tables and figures."""

from collections.abc import Sequence

DISTRIBUTED_AS = {"kafka": "kafka-python"}
"""Package -> what it is installed as, where people know it by that name."""


def label_of(target: str) -> str:
    """Return what people call a target: code by its class or function, without the scheme and the path to it; a name of kassay's is that."""
    scheme, colon, place = target.partition(":")
    if not colon:
        return target
    if scheme == "python":
        module, _, attribute = place.partition(":")
        package, dot, _ = module.partition(".")
        if dot and attribute[:1].isupper():
            return f"{DISTRIBUTED_AS.get(package, package)}'s {attribute}"
        return f"{module.rpartition('.')[2]}:{attribute}" if attribute else target
    before, hash_, name = place.rpartition("#")
    if scheme == "kafka" and hash_:
        return f"Kafka {before}'s {name.rpartition('/')[2]}"
    return name if hash_ else place or target


def target_labels(targets: Sequence[str]) -> dict[str, str]:
    """Give every target its label: what people call it, without the family where all are of one; where two are called alike, whole."""
    families = {name.partition("/")[0] for name in targets if ":" not in name}
    short = {
        name: name.partition("/")[2]
        if "/" in name and ":" not in name and len(families) == 1
        else label_of(name)
        for name in targets
    }
    said = [*short.values()]
    return {name: label if said.count(label) == 1 else name for name, label in short.items()}


def listed(names: Sequence[str]) -> str:
    """Write names as a sentence does: ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

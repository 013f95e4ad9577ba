"""What targets are called in sentences, tables and figures."""

from collections.abc import Sequence


def target_labels(targets: Sequence[str]) -> dict[str, str]:
    """Give every target its label: its name, without the family where all are references of one."""
    families = {name.partition("/")[0] for name in targets}
    alike = len(families) == 1 and all("/" in name and ":" not in name for name in targets)
    return {name: name.partition("/")[2] if alike else name for name in targets}


def listed(names: Sequence[str]) -> str:
    """Write names as a sentence does: ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

"""What a target is held to: the one rule for check, sweep, report, compare and tests."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from kassay.engine.except_in import refuse_unknown
from kassay.family import Family


@dataclass(frozen=True, slots=True)
class Promises:
    """The properties a target is held to, and for each the situations in which it is known to be broken.

    `except_in` is as in :class:`kassay.model.Assignor`; it has no entry for what is not promised.
    """

    names: frozenset[str]
    except_in: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)

    def excepted(self, name: str) -> frozenset[str]:
        """Return the situations in which a property is known to be broken."""
        return self.except_in.get(name, frozenset())


def held(
    promises: Collection[str] | None, except_in: Mapping[str, Collection[str]], family: Family
) -> Promises:
    """Return what a target is held to: what it promises, or what its family expects of everybody.

    Raises InputError where an exception names a property or situation that the family does not know.
    """
    refuse_unknown(except_in, family)
    if promises is None:
        return Promises(family.expected)
    names = frozenset(promises)
    return Promises(names, {name: frozenset(terms) for name, terms in except_in.items() if name in names})

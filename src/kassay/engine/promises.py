"""What a target is held to: the one rule for check, sweep, report, compare and tests."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from kassay.engine.except_in import NONE, Exceptions, refuse_unknown
from kassay.family import Family
from kassay.targets.reference import open_reference
from kassay.targets.target import Target


@dataclass(frozen=True, slots=True)
class Promises:
    """The properties a target is held to, and for each the situations in which it is known to be broken.

    `except_in` is as in :class:`kassay.model.Assignor`; it has no entry for what is not promised. `wholly` are those of these
    situations in which whatever breaks the promise is excused; `beside` and `fails` say what is in the others, as
    :class:`kassay.engine.except_in.Exceptions` does. `limits` are promises whose exceptions are limits, not defects: what the target
    was never made for.
    """

    names: frozenset[str]
    except_in: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    wholly: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    beside: Target | None = field(default=None, compare=False)
    fails: frozenset[str] = frozenset()
    limits: frozenset[str] = frozenset()

    def excepted(self, name: str) -> frozenset[str]:
        """Return the situations in which a property is known to be broken."""
        return self.except_in.get(name, frozenset())

    def exceptions(self, name: str) -> Exceptions:
        """Return the exceptions to a promise."""
        terms = self.excepted(name)
        return (
            Exceptions(terms, self.wholly.get(name, frozenset()), self.beside, self.fails) if terms else NONE
        )


def held(
    promises: Collection[str] | None,
    except_in: Mapping[str, Collection[str]],
    family: Family,
    reference: str = "",
    fails: Collection[str] = (),
    limits: Collection[str] = (),
) -> Promises:
    """Return what a target is held to: what it promises, or what its family expects of everybody.

    The exceptions are those of the `reference`, which is asked beside the target, if one is named. Raises InputError where an
    exception names a property or situation that the family does not know.
    """
    refuse_unknown(except_in, family)
    if promises is None:
        return Promises(family.expected)
    names = frozenset(promises)
    excepted = {name: frozenset(terms) for name, terms in except_in.items() if name in names}
    beside = open_reference(reference) if reference and excepted else None
    return Promises(
        names, excepted, beside=beside, fails=frozenset(fails), limits=frozenset(limits) & excepted.keys()
    )


def own_promises(target: Target, family: Family) -> Promises:
    """Return what a target is held to by its own word, beside the reference whose exceptions it has."""
    return held(target.promises, target.except_in, family, target.reference, target.fails, target.limits)

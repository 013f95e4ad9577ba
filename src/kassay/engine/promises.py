"""The promises of a target, and the situations in which they are known to be broken: the one rule for all commands and tests.

A situation is named as in the family's table; names joined by ``+`` stand for the groups that are in all of them. A breach in such a
group is a known defect if the reference that declares the exception, asked about the same group, breaks the promise alike.
"""

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePath

from kassay.errors import DiedError, InputError
from kassay.family import Family
from kassay.model import AssignorError, shortened
from kassay.sentences import meant
from kassay.targets.reference import open_reference
from kassay.targets.target import Target

AND = "+"
JAVA_STACK, JAVA_CALLER = " [at ", " < "
"""What stands in the text of a Java failure before the innermost frame, and between frames."""
UNEXCUSED = "not excused by "
"""How the sentence begins that says why a breach in an excepted situation is no known defect."""
SILENT = "no answer"
"""What stands in every failure of what never answers, of a process and of a reference that knows of itself that it would not."""
_PYTHON_FRAME = re.compile(r"(?P<path>.*):\d+ in (?P<name>\S+?)(?::|$)")


def terms_met(met: Collection[str], excepted: Collection[str]) -> frozenset[str]:
    """Return the excepted terms that are true of a group in the situations `met`."""
    return frozenset(term for term in excepted if all(name in met for name in term.split(AND)))


def refuse_unknown(except_in: Mapping[str, Collection[str]], family: Family) -> None:
    """Raise InputError where an exception names a property or a situation that the family does not know."""
    for promise, excepted in except_in.items():
        if promise not in family.properties:
            raise InputError(
                f"except_in: there is no property {promise!r} in the {family.name} family"
                f"{meant(promise, family.properties)}"
            )
        for term in excepted:
            for name in term.split(AND):
                if name not in family.situations:
                    raise InputError(
                        f"except_in: {promise}: there is no situation {name!r}; `kassay list` shows them"
                        f"{meant(name, family.situations)}"
                    )


@dataclass(frozen=True, slots=True)
class Exceptions:
    """The exceptions to one promise: the situations, and what in them is excused.

    In the situations of `terms` a breach is a known defect where the reference `beside` breaks the promise alike, in those of `wholly`
    in any case, and so everywhere if there is no such reference. `fails` are the failures that are known, as :attr:`Failure.where`
    writes them; if there are any, no other is excused.
    """

    terms: Collection[str] = frozenset()
    wholly: Collection[str] = frozenset()
    beside: Target | None = field(default=None, compare=False)
    fails: Collection[str] = frozenset()


NONE = Exceptions()


@dataclass(frozen=True, slots=True)
class Failure:
    """How an assignor failed: the kind, such as an exception's class; the innermost frame of its own code; all frames.

    `died` says that its process died, or answered no more; where it was then is different each time. `kind` is "" where nothing failed.
    """

    kind: str = ""
    frame: str = ""
    stack: str = ""
    died: bool = False

    @classmethod
    def of(cls, error: AssignorError | None) -> "Failure":
        """Take a failure apart."""
        if error is None:
            return _NO_FAILURE
        words, _, place = str(error).partition(JAVA_STACK)
        kind, stack = words.partition(";")[0].partition(":")[0], error.stack
        innermost = (stack or place.replace(JAVA_CALLER, "\n").rstrip("]")).partition("\n")[0]
        return cls(kind, innermost, stack, isinstance(error, DiedError))

    @property
    def cause(self) -> str:
        """What tells failures apart: the kind, and the frame."""
        return self.kind if self.died or not self.frame else f"{self.kind} at {self.frame}"

    @property
    def function(self) -> str:
        """The file and function of a frame in Python, ""  where there is none."""
        found = _PYTHON_FRAME.match(self.frame)
        return f"{PurePath(found['path']).name} in {found['name']}" if found else ""

    @property
    def where(self) -> str:
        """The kind, and file and function where they are known: what does not change with line numbers."""
        return f"{self.kind} at {self.function}" if self.function else self.kind

    def alike(self, other: "Failure") -> bool:
        """Say whether two failures are of one kind and, of two in Python, in one function."""
        if SILENT in self.kind or SILENT in other.kind:
            return SILENT in self.kind and SILENT in other.kind
        known = self.function and other.function
        return self.kind == other.kind and (not known or self.function == other.function)


_NO_FAILURE = Failure()


def beyond(target: Counter[Hashable], reference: Counter[Hashable], name: str, met: Iterable[str]) -> str:
    """Say in what a breach goes beyond the reference's of the same promise on the same group; "" where it does not."""
    for of, amount in target.items():
        if of not in reference:
            is_name = " " not in str(of)  # and no whole sentence
            return unexcused(met, f"{name} breaks it otherwise" + (f", not at {of}" if is_name else ""))
        if amount > reference[of]:
            return unexcused(met, f"{of} are {_number(amount)}, with {name} {_number(reference[of])}")
    return ""


def unexcused(met: Iterable[str], why: str) -> str:
    """Say that a breach in excepted situations is no known defect, and why."""
    return shortened(f"{UNEXCUSED}{', '.join(sorted(met))}: {why}")


def _number(amount: int | Fraction) -> str:
    return f"{float(amount):.3g}" if isinstance(amount, Fraction) else f"{amount:,}"


@dataclass(frozen=True, slots=True)
class Promises:
    """The properties a target is held to, and for each the situations in which it is known to be broken.

    `except_in` is as in :class:`kassay.model.Assignor`; it has no entry for what is not promised. `wholly` are those of these
    situations in which whatever breaks the promise is excused; `beside` and `fails` say what is in the others, as
    :class:`kassay.engine.promises.Exceptions` does. `limits` are promises whose exceptions are limits, not defects: what the target
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

    The exceptions are those of the `reference`, which is asked beside the target, if one is named. Raises InputError where a
    promise or an exception names a property or situation that the family does not know.
    """
    refuse_unknown(except_in, family)
    if promises is None:
        return Promises(family.expected)
    names = frozenset(promises)
    for name in sorted(names - family.properties.keys()):
        raise InputError(
            f"promises: there is no property {name!r} in the {family.name} family{meant(name, family.properties)}"
        )
    excepted = {name: frozenset(terms) for name, terms in except_in.items() if name in names}
    beside = open_reference(reference) if reference and excepted else None
    return Promises(
        names, excepted, beside=beside, fails=frozenset(fails), limits=frozenset(limits) & excepted.keys()
    )


def own_promises(target: Target, family: Family) -> Promises:
    """Return what a target is held to by its own word, beside the reference whose exceptions it has."""
    return held(target.promises, target.except_in, family, target.reference, target.fails, target.limits)

"""The promises of a target, and the situations in which they are known to be broken.

A situation has a name in the family's table; names joined by ``+`` stand for the groups that are in all of them. A breach in such a
group is a known defect if the reference that declares the exception breaks the promise on the same group in the same way.
All commands and tests use these functions.
"""

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePath

from kassay.errors import DiedError, InputError
from kassay.families.family import Family
from kassay.model import AssignorError, shorten
from kassay.sentences import suggest_name
from kassay.targets.reference import open_reference
from kassay.targets.target import Target

AND = "+"
JAVA_STACK, JAVA_CALLER = " [at ", " < "
"""The marks in the text of a Java failure: before the innermost frame, and between frames."""
UNEXCUSED = "not excused by "
"""The first words of the sentence that says why a breach in an excepted situation is not a known defect."""
SILENT = "no answer"
"""The words in every failure to answer: of a process that hangs, and of a reference that detects its endless loop."""
_PYTHON_FRAME = re.compile(r"(?P<path>.*):\d+ in (?P<name>\S+?)(?::|$)")


def find_terms(met: Collection[str], excepted: Collection[str]) -> frozenset[str]:
    """Return the excepted terms that are true of a group in the situations `met`."""
    return frozenset(term for term in excepted if all(name in met for name in term.split(AND)))


def refuse_unknown(except_in: Mapping[str, Collection[str]], family: Family) -> None:
    """Raise InputError if an exception names a property or a situation that the family does not know."""
    for promise, excepted in except_in.items():
        if promise not in family.properties:
            raise InputError(
                f"except_in: there is no property {promise!r} in the {family.name} family. "
                f"`kassay list promises` shows all{suggest_name(promise, family.properties)}"
            )
        for term in excepted:
            for name in term.split(AND):
                if name not in family.situations:
                    raise InputError(
                        f"except_in: {promise}: there is no situation {name!r}. `kassay list` shows all"
                        f"{suggest_name(name, family.situations)}"
                    )


@dataclass(frozen=True, slots=True)
class Exceptions:
    """The exceptions to one promise."""

    terms: Collection[str] = frozenset()
    """The situations in which a breach may be a known defect."""
    wholly: Collection[str] = frozenset()
    """The situations that excuse every breach."""
    beside: Target | None = field(default=None, compare=False)
    """The reference that must break the promise in the same way, outside `wholly`. Without it, every breach is excused."""
    fails: Collection[str] = frozenset()
    """The known failures, as :attr:`Failure.where` writes them. If there are any, no other failure is excused."""


NONE = Exceptions()


@dataclass(frozen=True, slots=True)
class Failure:
    """The failure of an assignor."""

    kind: str = ""
    """The class of the exception or the first words; "" if nothing failed."""
    frame: str = ""
    """The innermost frame of the assignor's own code."""
    stack: str = ""
    died: bool = False
    """True if its process died or hung. Its place in the code then differs from run to run."""

    @classmethod
    def from_error(cls, error: AssignorError | None) -> "Failure":
        """Parse the text and the stack of an error."""
        if error is None:
            return _NO_FAILURE
        words, _, place = str(error).partition(JAVA_STACK)
        kind, stack = words.partition(";")[0].partition(":")[0], error.stack
        innermost = (stack or place.replace(JAVA_CALLER, "\n").rstrip("]")).partition("\n")[0]
        return cls(kind, innermost, stack, isinstance(error, DiedError))

    @property
    def cause(self) -> str:
        """The identity of a failure: the kind and the frame."""
        return self.kind if self.died or not self.frame else f"{self.kind} at {self.frame}"

    @property
    def function(self) -> str:
        """The file and function of a Python frame, "" if there is no such frame."""
        found = _PYTHON_FRAME.match(self.frame)
        return f"{PurePath(found['path']).name} in {found['name']}" if found else ""

    @property
    def where(self) -> str:
        """The kind, with file and function if they are known. It does not change with line numbers."""
        return f"{self.kind} at {self.function}" if self.function else self.kind

    def matches(self, other: "Failure") -> bool:
        """Return True if two failures have the same kind and, for Python code, the same function."""
        if SILENT in self.kind or SILENT in other.kind:
            return SILENT in self.kind and SILENT in other.kind
        known = self.function and other.function
        return self.kind == other.kind and (not known or self.function == other.function)


_NO_FAILURE = Failure()


def describe_excess(
    target: Counter[Hashable], reference: Counter[Hashable], name: str, met: Iterable[str]
) -> str:
    """Return in what a breach exceeds the breach of the reference on the same group; "" if it does not."""
    for of, amount in target.items():
        if of not in reference:
            is_name = " " not in str(of)  # and no whole sentence
            return describe_unexcused(
                met, f"{name} breaks it otherwise" + (f", not at {of}" if is_name else "")
            )
        if amount > reference[of]:
            return describe_unexcused(
                met, f"{of} are {_format_number(amount)}, with {name} {_format_number(reference[of])}"
            )
    return ""


def describe_unexcused(met: Iterable[str], why: str) -> str:
    """Return a sentence: a breach in excepted situations is not a known defect, with the reason."""
    return shorten(f"{UNEXCUSED}{', '.join(sorted(met))}: {why}")


def _format_number(amount: int | Fraction) -> str:
    return f"{float(amount):.3g}" if isinstance(amount, Fraction) else f"{amount:,}"


@dataclass(frozen=True, slots=True)
class Promises:
    """The promises of a target, and for each the situations in which it is known to be broken."""

    names: frozenset[str]
    except_in: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    """Promise -> situations, as in :class:`kassay.model.Assignor`."""
    wholly: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    """Promise -> the situations that excuse every breach."""
    beside: Target | None = field(default=None, compare=False)
    """The reference of the exceptions, as in :class:`kassay.engine.promises.Exceptions`."""
    fails: frozenset[str] = frozenset()
    limits: frozenset[str] = frozenset()
    """The promises whose exceptions are design limits, not defects."""

    def list_situations(self, name: str) -> frozenset[str]:
        """Return the situations in which a property is known to be broken."""
        return self.except_in.get(name, frozenset())

    def select_exceptions(self, name: str) -> Exceptions:
        """Return the exceptions to a promise."""
        terms = self.list_situations(name)
        return (
            Exceptions(terms, self.wholly.get(name, frozenset()), self.beside, self.fails) if terms else NONE
        )


def build_promises(
    promises: Collection[str] | None,
    except_in: Mapping[str, Collection[str]],
    family: Family,
    reference: str = "",
    fails: Collection[str] = (),
    limits: Collection[str] = (),
) -> Promises:
    """Return the promises of a target: its own, or those that its family expects of every assignor.

    If a `reference` is named, it declares the exceptions and is run on the same groups. Raises InputError if a
    promise or an exception names a property or situation that the family does not know.
    """
    refuse_unknown(except_in, family)
    if promises is None:
        return Promises(family.expected)
    names = frozenset(promises)
    for name in sorted(names - family.properties.keys()):
        raise InputError(
            f"promises: there is no property {name!r} in the {family.name} family. `kassay list promises` shows all{suggest_name(name, family.properties)}"
        )
    excepted = {name: frozenset(terms) for name, terms in except_in.items() if name in names}
    beside = open_reference(reference) if reference and excepted else None
    return Promises(
        names, excepted, beside=beside, fails=frozenset(fails), limits=frozenset(limits) & excepted.keys()
    )


def read_promises(target: Target, family: Family) -> Promises:
    """Return the promises that a target declares itself, with the exceptions of its reference."""
    return build_promises(
        target.promises, target.except_in, family, target.reference, target.fails, target.limits
    )

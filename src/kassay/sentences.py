"""Sentences for people, and the known name that was meant by an unknown one."""

from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from inspect import cleandoc

from kassay.errors import InputError


def first_sentence(docstring: str | None) -> str:
    """Return the first sentence of a docstring, on one line, without its full stop."""
    paragraph = " ".join(cleandoc(docstring or "").partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".")


def sentence(text: str) -> str:
    """End a sentence with a full stop, where it has none."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def capital(text: str) -> str:
    """Write a sentence's first letter large, unless it begins with a name such as m0-0."""
    first = text.partition(" ")[0]
    return text if any(sign.isdigit() for sign in first) else text[:1].upper() + text[1:]


def lowered(text: str) -> str:
    """Write a sentence's first letter small, unless it begins with a name."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def listed(names: Sequence[str]) -> str:
    """Write names as a sentence does: ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(number: int, one: str, many: str = "") -> str:
    """Write a number with what it counts, whose plural ends in s unless it is given: 1 group, 1,000 groups."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def counted_of(number: int, many: str) -> str:
    """Write a number with what it counts, given in the plural, as sizes of a shape are."""
    one = {"subtopologies": "subtopology", "processes": "process"}.get(many, many.removesuffix("s"))
    return counted(number, one, many)


ALIKE = 0.6
"""How alike a name and what was meant are at least, as difflib counts."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest, or the first that ends in it behind a slash; None where none is near.

    Of names with a slash the part behind it has to be near by itself, and counts alone where the name has none.
    """
    names = list(known)
    if "/" not in name and all("/" in each for each in names):
        tails = {each.partition("/")[2]: each for each in reversed(names)}
        near = get_close_matches(name, tails, n=1, cutoff=ALIKE)
        return next((tails[each] for each in near), None)
    ending = [each for each in names if name and each.endswith(f"/{name}")]
    near = [
        each for each in get_close_matches(name, names, n=5, cutoff=ALIKE) if _tails_are_alike(name, each)
    ]
    return next(iter([*ending, *near]), None)


def _tails_are_alike(name: str, other: str) -> bool:
    one, two = (each.partition("/")[2] or each for each in (name, other))
    return SequenceMatcher(None, one, two).ratio() >= ALIKE


def meant(name: str, known: Iterable[str]) -> str:
    """Return a question to put behind an error, with the known name that is nearest; empty where none is near."""
    near = nearest(name, known)
    return f"; did you mean {near!r}?" if near else ""


FEW = 6
"""A sentence names no more than so many things that there are."""


def there_is_no(where: str, name: str, known: Collection[str], see: str) -> str:
    """Say that a name is none of the known ones: which they are where they are few, else the nearest and the command that shows all."""
    if len(known) <= FEW:
        return f"{where}: there is no {name!r}; known are {', '.join(known)}{meant(name, known)}"
    near = nearest(name, known)
    return f"{where}: there is no {name!r}.{f' Did you mean {near}?' if near else ''} {see} shows all {len(known)}."


def refuse_unknown(where: str, name: str, known: Collection[str], see: str) -> None:
    """Raise InputError where a name is none of the known ones."""
    if name not in known:
        raise InputError(there_is_no(where, name, known, see))


def unknown(what: str, name: str, known: Collection[str], see: str) -> str:
    """Say that there is nothing of a kind with that name, what is nearest, and which command shows all: there may be many."""
    near = nearest(name, known)
    asked = f" Did you mean {near}?" if near else ""
    return f"there is no {what} {name}.{asked} {see} shows all {len(known)}."

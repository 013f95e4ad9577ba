"""Sentences as people read them: the first of a docstring, full stops, first letters, lists, numbers of things."""

from collections.abc import Sequence
from inspect import cleandoc


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

"""The format of lists, numbers and sentences, and suggestions for unknown names."""

from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from inspect import cleandoc

from kassay.errors import InputError

MOST_WORDS = 25
"""A sentence has at most this many words, if it can be split."""


def read_first_sentence(docstring: str | None) -> str:
    """Return the first sentence of a docstring, on one line, without its full stop."""
    paragraph = " ".join(cleandoc(docstring or "").partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".")


def end_sentence(text: str) -> str:
    """Return a sentence with a full stop at its end."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def capitalize(text: str) -> str:
    """Return a sentence with a capital first letter, unless it begins with a name such as m0-0."""
    first = text.partition(" ")[0]
    return text if any(sign.isdigit() for sign in first) else text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """Return a sentence with a small first letter, unless it begins with a name."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def join_names(names: Sequence[str]) -> str:
    """Return names as in a sentence: ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def format_count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: 1 group, 1,000 groups. The plural ends in s unless `many` gives it."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def format_size(number: int, many: str) -> str:
    """Return a number with its noun, which is given in the plural, such as the sizes of a shape."""
    one = {"subtopologies": "subtopology", "processes": "process"}.get(many, many.removesuffix("s"))
    return format_count(number, one, many)


ALIKE = 0.6
"""The lowest similarity of a name and its suggestion, as difflib measures it."""


def find_nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar, or the first one that ends with it after a slash; None if no name is similar.

    In names with a slash, the part after the slash must be similar by itself. Only that part counts if the name has no slash.
    """
    names = list(known)
    if "/" not in name and all("/" in each for each in names):
        tails = {each.partition("/")[2]: each for each in reversed(names)}
        near = get_close_matches(name, tails, n=1, cutoff=ALIKE)
        return next((tails[each] for each in near), None)
    ending = [each for each in names if name and each.endswith(f"/{name}")]
    near = [
        each for each in get_close_matches(name, names, n=5, cutoff=ALIKE) if _has_similar_tail(name, each)
    ]
    return next(iter([*ending, *near]), None)


def _has_similar_tail(name: str, other: str) -> bool:
    one, two = (each.partition("/")[2] or each for each in (name, other))
    return SequenceMatcher(None, one, two).ratio() >= ALIKE


def suggest_name(name: str, known: Iterable[str]) -> str:
    """Return a question for the end of an error, with the most similar known name; "" if no name is similar."""
    near = find_nearest(name, known)
    return f". Did you mean {near!r}?" if near else ""


FEW = 6
"""The most known names that a sentence lists."""


def describe_unknown(where: str, name: str, known: Collection[str], see: str) -> str:
    """Return an error on an unknown name. It lists up to FEW known names, else the most similar one and the command that shows all."""
    if len(known) <= FEW:
        return f"{where}: there is no {name!r}. Known are {', '.join(known)}{suggest_name(name, known)}"
    near = find_nearest(name, known)
    return f"{where}: there is no {name!r}.{f' Did you mean {near}?' if near else ''} {see} shows all {len(known)}."


def refuse_unknown(where: str, name: str, known: Collection[str], see: str) -> None:
    """Raise InputError if a name is unknown."""
    if name not in known:
        raise InputError(describe_unknown(where, name, known, see))


def describe_missing(what: str, name: str, known: Collection[str], see: str) -> str:
    """Return an error on an unknown name of a kind, with the most similar name and the command that shows all."""
    near = find_nearest(name, known)
    asked = f" Did you mean {near}?" if near else ""
    return f"{what} {name}: is unknown.{asked} {see} shows all {len(known)}."

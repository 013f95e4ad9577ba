"""What somebody may have meant by a name that does not exist."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest, or the first that ends in it behind a slash; None where none is near."""
    names = list(known)
    ending = [each for each in names if name and each.endswith(f"/{name}")]
    return next(iter([*ending[:1], *get_close_matches(name, names, n=1, cutoff=0.6)]), None)


def meant(name: str, known: Iterable[str]) -> str:
    """Return a question to put behind an error, with the known name that is nearest; empty where none is near."""
    near = nearest(name, known)
    return f"; did you mean {near!r}?" if near else ""


def unknown(what: str, name: str, known: Collection[str], see: str) -> str:
    """Say that there is nothing of a kind with that name, what is nearest, and which command shows all: there may be many."""
    near = nearest(name, known)
    asked = f" Did you mean {near}?" if near else ""
    return f"there is no {what} {name}.{asked} {see} shows all {len(known)}."

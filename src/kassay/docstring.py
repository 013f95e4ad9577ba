"""What a docstring says in short, for people."""

from inspect import cleandoc


def first_sentence(docstring: str | None) -> str:
    """Return the first sentence of a docstring, on one line, without its full stop."""
    paragraph = " ".join(cleandoc(docstring or "").partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".")

"""Sentences as people read them: the first of a docstring, with a full stop, with a large or a small letter at the beginning."""

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

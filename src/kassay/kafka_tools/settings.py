"""Settings as the user states them, ``NAME=VALUE``, for the tools do not print them."""

from collections.abc import Collection, Sequence

from kassay.errors import InputError
from kassay.kafka_tools.place import repeated
from kassay.suggesting import meant


def read_pairs(texts: Sequence[str], known: Collection[str], who: str) -> dict[str, str]:
    """Split ``NAME=VALUE`` each; raises InputError naming the setting where `who` reads none of that name, or it is given twice."""
    pairs = [text.partition("=") for text in texts]
    for name, equals, value in pairs:
        if not equals or not value:
            raise InputError(
                f"--config {name}{equals}: has no value; give NAME=VALUE, such as {next(iter(known))}=1"
            )
        if name not in known:
            raise InputError(
                f"--config {name}: {who} read no such setting; known are {', '.join(known)}{meant(name, known)}"
            )
    if twice := repeated(name for name, _, _ in pairs):
        raise InputError(f"--config {twice}: is given twice; give it once")
    return {name: value for name, _, value in pairs}


def whole_number(name: str, text: str, most: int) -> int:
    """Return the number of a setting, 0 to `most`; raises InputError naming it otherwise."""
    if text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= most:
        return int(text)
    raise InputError(f"--config {name}: is {text!r}; give a number from 0 to {most}")

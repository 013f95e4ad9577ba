r"""The JSON values that stand in a text, also between lines of a shell: each with the lines that it takes.

>>> [(one.line, one.value) for one in find_json("t", '$ curl x\n{"a": 1}{"b": 2}\n$ curl y\n[3]')]
[(2, {'a': 1}), (2, {'b': 2}), (4, [3])]
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kassay.listings.location import Place, quoted, repeated

_BEGINS = re.compile(r"^[ \t>]*(?=[{\[])", re.MULTILINE)
_NEXT = re.compile(r"[\s,]*(?=[{\[])")


@dataclass(frozen=True, slots=True)
class Found:
    """A value, the line on which it begins, and that on which it ends."""

    line: int
    end: int
    value: Any


class _TwiceError(ValueError):
    """A key stands twice in an object."""


def find_json(name: str, text: str) -> Iterator[Found]:
    """Yield the objects and lists that begin on a line, or right behind another; other text is passed over.

    Raises ListingError where a value is cut off, is nested too deeply, or has a key twice.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_make_object)
    position, line, counted = 0, 1, 0
    while True:
        begins = _BEGINS.search(text, position)
        if begins is None:
            return
        position = begins.end()
        while True:
            line += text.count("\n", counted, position)
            counted = position
            try:
                value, end = decoder.raw_decode(text, position)
            except json.JSONDecodeError as wrong:
                if wrong.pos >= len(text.rstrip()):
                    raise Place(name, line).error(
                        "the JSON that begins here is cut off", "give the whole output"
                    ) from None
                position += 1
                break
            except _TwiceError as wrong:
                raise Place(name, line).error(str(wrong), "give the output as it was printed") from None
            except (RecursionError, ValueError) as wrong:
                raise Place(name, line).error(
                    f"not JSON ({wrong})", "give the output as it was printed"
                ) from None
            yield Found(line, line + text.count("\n", position, end), value)
            position = end
            following = _NEXT.match(text, position)
            if following is None:
                break
            position = following.end()


def _make_object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    twice = repeated(key for key, _ in pairs)
    if twice is not None:
        raise _TwiceError(f"the key {quoted(twice)} stands twice in an object")
    return dict(pairs)

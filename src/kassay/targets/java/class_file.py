"""What a compiled Java class says of itself: the classes that it is built on."""

MAGIC = b"\xca\xfe\xba\xbe"
_CLASS, _UTF8 = 7, 1
_SIZES = {
    3: 4,
    4: 4,
    5: 8,
    6: 8,
    _CLASS: 2,
    8: 2,
    9: 4,
    10: 4,
    11: 4,
    12: 4,
    15: 3,
    16: 2,
    17: 4,
    18: 4,
    19: 2,
    20: 2,
}
"""Tag of a constant -> its bytes (Java Virtual Machine Specification, 4.4)."""
_WIDE = {5, 6}
"""Constants that take two numbers: long and double."""


_PUBLIC, _INTERFACE, _ABSTRACT = 0x1, 0x200, 0x400


def supertypes(data: bytes) -> list[str]:
    """Return the superclass and the interfaces of a class file, such as ``java/lang/Object``.

    None where it is no whole class file: what is wrong with it, Java says when it loads it.
    """
    return _said(data)[1]


def usable(data: bytes) -> bool:
    """Say whether a class file is of a public class of which there can be instances."""
    return _said(data)[0] & (_PUBLIC | _INTERFACE | _ABSTRACT) == _PUBLIC


def _said(data: bytes) -> tuple[int, list[str]]:
    """Return the flags and the supertypes of a class file; none where it is no whole one."""
    try:
        return _parsed(data) if data[:4] == MAGIC else (0, [])
    except (IndexError, KeyError):
        return 0, []


def _parsed(data: bytes) -> tuple[int, list[str]]:
    texts: dict[int, str] = {}
    classes: dict[int, int] = {}
    at, number = 10, 1
    while number < _short(data, 8):
        tag = data[at]
        if tag == _UTF8:
            size = 2 + _short(data, at + 1)
            texts[number] = data[at + 3 : at + 1 + size].decode("utf-8", "replace")
        else:
            size = _SIZES[tag]
            if tag == _CLASS:
                classes[number] = _short(data, at + 1)
        at += 1 + size
        number += 2 if tag in _WIDE else 1
    count = _short(data, at + 6)
    named = [_short(data, at + 4), *(_short(data, at + 8 + 2 * n) for n in range(count))]
    return _short(data, at), [texts[classes[number]] for number in named if number]


def _short(data: bytes, at: int) -> int:
    return data[at] << 8 | data[at + 1]

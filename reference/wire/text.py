"""Text as Java writes and reads it: UTF-8 with replacements, and the modified UTF-8 of its data streams.

Source: the documentation of java.lang.String and java.io.DataInput; checked against OpenJDK 17.
"""

import codecs
import struct

_SURROGATE_LEAD = 0xED
"""The first byte of what would be a surrogate in UTF-8."""
_JAVA = "kassay.reference.wire.java"


def _replace(wrong: UnicodeError) -> tuple[str, int]:
    """Replace ill-formed bytes: as Python does, but an encoded surrogate counts as one piece."""
    assert isinstance(wrong, UnicodeDecodeError)
    data, at = wrong.object, wrong.start
    if data[at] == _SURROGATE_LEAD and _continues(data, at + 1):
        return "\ufffd", at + 2 + _continues(data, at + 2)
    return "\ufffd", wrong.end


def _continues(data: bytes, at: int) -> bool:
    return at < len(data) and data[at] & 0xC0 == 0x80


codecs.register_error(_JAVA, _replace)


def text(data: bytes) -> str:
    """Read UTF-8 as Java's String does: what is ill-formed becomes U+FFFD, and nothing is refused."""
    return data.decode("utf-8", _JAVA)


def modified(text: str) -> bytes:
    """Write modified UTF-8: NUL takes two bytes, and a character above U+FFFF two surrogates of three bytes each."""
    if text.isascii() and "\0" not in text:
        return text.encode("ascii")
    units = text.encode("utf-16-be", "surrogatepass")
    return b"".join(map(_unit, struct.unpack(f">{len(units) // 2}H", units)))


def _unit(unit: int) -> bytes:
    if 0 < unit < 0x80:
        return bytes((unit,))
    if unit < 0x800:
        return bytes((0xC0 | unit >> 6, 0x80 | unit & 0x3F))
    return bytes((0xE0 | unit >> 12, 0x80 | unit >> 6 & 0x3F, 0x80 | unit & 0x3F))


def from_modified(data: bytes) -> str:
    """Read modified UTF-8, also characters written longer than need be; raises ValueError where Java refuses the bytes.

    Surrogates without their other half stay as they are.
    """
    if data.isascii():
        return data.decode("ascii")
    units, at = [], 0
    while at < len(data):
        first = data[at]
        length = 1 if first < 0x80 else 2 if first >> 5 == 0b110 else 3 if first >> 4 == 0b1110 else 0
        rest = data[at + 1 : at + length]
        if not length or len(rest) != length - 1 or any(byte & 0xC0 != 0x80 for byte in rest):
            raise ValueError(f"byte {first:#04x} begins no character of modified UTF-8")
        unit = first & (0x7F, 0x1F, 0x0F)[length - 1]
        for byte in rest:
            unit = unit << 6 | byte & 0x3F
        units.append(unit)
        at += length
    return struct.pack(f">{len(units)}H", *units).decode("utf-16-be", "surrogatepass")

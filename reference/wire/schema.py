"""What fields hold, and how it is read and written: numbers, text, bytes, arrays.

A :class:`Kind` depends on the version of its message: flexible ones (KIP-482) have lengths of few bytes.
Reading refuses a length that is larger than what remains before anything is made of it. Writing raises InputError for a value
that does not fit. Source: the protocol guide of Apache Kafka, and what its generated classes do.

The one error of all readers.

Text as Java writes and reads it: UTF-8 with replacements, and the modified UTF-8 of its data streams.

Source: the documentation of java.lang.String and java.io.DataInput; checked against OpenJDK 17.
"""

import codecs
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar
from uuid import UUID

import msgspec

from kassay.errors import InputError
from kassay.model.partitions import INT32_MAX
from kassay.reference.java.strings import int32

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


class MalformedError(ValueError):
    """Bytes that are no such message: `field` is what was read, `at` the byte where it starts, `why` what is wrong there."""

    def __init__(self, why: str, at: int) -> None:
        super().__init__(why, at)
        self.why, self.at, self.field = why, at, ""

    def __str__(self) -> str:
        return f"{self.field.removeprefix('.') or 'message'}: {self.why}, from byte {self.at} on"

    def inside(self, place: str) -> "MalformedError":
        """Return itself, with the place around its field noted."""
        self.field = place + self.field
        return self


LONGEST_STRING = 0x7FFF
MOST_ELEMENTS, MOST_TAGS = 1_000_000, 10_000
"""How many elements, and tagged fields, the generated classes of kafka-clients read from 4.4.0 on."""
Read: TypeAlias = Callable[[bytes, int], tuple[Any, int]]
"""Reads from a byte on; returns the value and the byte after it, or raises MalformedError."""
Write: TypeAlias = Callable[[Any, list[bytes]], None]
"""Appends a value's bytes; raises InputError, which begins with the place inside the value."""


class Kind(NamedTuple):
    """What a field holds in one version: how it is read and written, and the fewest bytes it takes."""

    read: Read
    write: Write
    least: int
    code: str = ""
    """That of the struct module, if it is a number."""


class Form(NamedTuple):
    """A version of a message, and whether that is flexible."""

    version: int = 0
    flexible: bool = False


Type: TypeAlias = Callable[[Form], Kind]
"""What a field holds: its kind in a version."""


def cut(data: bytes, at: int, length: int) -> int:
    """Return the byte after a number of bytes; raises MalformedError where fewer remain."""
    end = at + length
    if not at <= end <= len(data):
        raise MalformedError(f"{length} bytes are wanted and {len(data) - at} remain", at)
    return end


def room(data: bytes, at: int, count: int, least: int, most: int) -> int:
    """Return the first byte where a number of elements can end; raises MalformedError where they are too many, or fewer than none."""
    if count > most:
        raise MalformedError(f"{count} elements are more than {most}", at)
    return cut(data, at, count * least)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Read an unsigned number of one to five bytes; what is above 31 bits makes it negative, as in Java."""
    if at < len(data) and data[at] < 0x80:
        return data[at], at + 1
    value, start = 0, at
    for shift in range(0, 35, 7):
        cut(data, at, 1)
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return int32(value), at
    raise MalformedError("this number has more than five bytes", start)


def varint(value: int) -> bytes:
    """Write a number from 0 on in as few bytes as it takes."""
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def _number(code: str) -> Type:
    form = struct.Struct(f">{code}")
    unpack, size, pack = form.unpack_from, form.size, form.pack

    def read(data: bytes, at: int) -> tuple[int, int]:
        end = at + size
        if end > len(data):
            cut(data, at, size)
        return unpack(data, at)[0], end

    def write(value: int, out: list[bytes]) -> None:
        try:
            out.append(pack(value))
        except struct.error:
            most = 2 ** (8 * size - 1)
            raise InputError(f": is {value!r}; give {-most} to {most - 1}") from None

    kind = Kind(read, write, size, code)
    return lambda _: kind


INT8, INT16, INT32, INT64 = map(_number, "bhiq")


def _truth(form: Form) -> Kind:
    number = INT8(form)

    def read(data: bytes, at: int) -> tuple[bool, int]:
        value, end = number.read(data, at)
        return value != 0, end

    return Kind(read, number.write, 1)


def _uuid(_: Form) -> Kind:
    def read(data: bytes, at: int) -> tuple[UUID, int]:
        end = cut(data, at, 16)
        return UUID(bytes=data[at:end]), end

    return Kind(read, lambda value, out: out.append(value.bytes), 16)


BOOL: Type = _truth
"""A truth value: any byte but 0 is true."""
UUID16: Type = _uuid
"""A UUID, the most significant byte first."""


def string(null_from: int | None = None) -> Type:
    """Return the type of text; from a version on, if any, it may be None."""

    def type_(form: Form) -> Kind:
        length = _length(INT16, form, null_from)

        def read(data: bytes, at: int) -> tuple[str | None, int]:
            size, start = length.read(data, at)
            if size is None:
                return None, start
            if size > LONGEST_STRING:
                raise MalformedError(f"a text of {size} bytes is longer than {LONGEST_STRING}", at)
            end = start + size
            if end > len(data):
                cut(data, start, size)
            return text(data[start:end]), end

        def write(value: str | None, out: list[bytes]) -> None:
            written = None if value is None else _encoded(value)
            if written is not None and len(written) > LONGEST_STRING:
                raise InputError(f": takes {len(written)} bytes; give at most {LONGEST_STRING}")
            length.write(None if written is None else len(written), out)
            out.append(written or b"")

        return Kind(read, write, length.least)

    return type_


def _encoded(value: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise InputError(f": {value!r} has half a surrogate pair; give whole characters") from None


def bytes_(null_from: int | None = None) -> Type:
    """Return the type of bytes; from a version on, if any, they may be None."""

    def type_(form: Form) -> Kind:
        length = _length(INT32, form, null_from)

        def read(data: bytes, at: int) -> tuple[bytes | None, int]:
            size, start = length.read(data, at)
            if size is None:
                return None, start
            end = cut(data, start, size)
            return data[start:end], end

        def write(value: bytes | None, out: list[bytes]) -> None:
            length.write(None if value is None else len(value), out)
            out.append(value or b"")

        return Kind(read, write, length.least)

    return type_


def array(of: Type, null_from: int | None = None, most: int = INT32_MAX) -> Type:
    """Return the type of a tuple, of which readers take no more than `most`; from a version on, if any, it may be None."""

    def type_(form: Form) -> Kind:
        length, one = _length(INT32, form, null_from), of(form)

        def read(data: bytes, at: int) -> tuple[tuple[Any, ...] | None, int]:
            count, at = length.read(data, at)
            if count is None:
                return None, at
            end = room(data, at, count, one.least, most)
            if one.code:
                return struct.unpack_from(f">{count}{one.code}", data, at), end
            values = []
            try:
                for _ in range(count):
                    value, at = one.read(data, at)
                    values.append(value)
            except MalformedError as wrong:
                raise wrong.inside(f"[{len(values)}]") from None
            return tuple(values), at

        def write(value: tuple[Any, ...] | None, out: list[bytes]) -> None:
            length.write(None if value is None else len(value), out)
            for n, each in enumerate(value or ()):
                try:
                    one.write(each, out)
                except InputError as wrong:
                    raise InputError(f"[{n}]{wrong}") from None

        return Kind(read, write, length.least)

    return type_


def _length(of: Type, form: Form, null_from: int | None) -> Kind:
    """Return the kind of a length: None where there is nothing, in versions that allow it."""
    number, nullable = of(form), null_from is not None and form.version >= null_from
    read_number = _read_compact if form.flexible else number.read

    def read(data: bytes, at: int) -> tuple[int | None, int]:
        size, end = read_number(data, at)
        if size >= 0:
            return size, end
        if nullable:
            return None, end
        raise MalformedError(f"its length is {size}", at)

    def write(size: int | None, out: list[bytes]) -> None:
        if size is None and not nullable:
            raise InputError(f": is None, which version {form.version} cannot say")
        if form.flexible:
            out.append(varint(0 if size is None else size + 1))
        else:
            number.write(-1 if size is None else size, out)

    return Kind(read, write, 1 if form.flexible else number.least)


def _read_compact(data: bytes, at: int) -> tuple[int, int]:
    size, end = read_varint(data, at)
    return int32(size - 1), end


T = TypeVar("T", bound=msgspec.Struct)
NEVER = 2**15
"""Above every version."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a message: its name, what it holds, and the first and the last version that have it.

    In other versions it has its default; what else it has is lost where it is `ignorable`, and refused elsewhere.
    """

    name: str
    of: Type
    since: int = 0
    until: int = NEVER
    ignorable: bool = False


@dataclass(frozen=True, slots=True)
class Structure:
    """The type of a struct: its class, whose fields all have defaults, and these fields in the same order."""

    kind: type[msgspec.Struct]
    fields: tuple[Field, ...]

    def __call__(self, form: Form) -> Kind:
        """Return its kind in a version."""
        usual = msgspec.structs.astuple(self.kind())
        there, lost = [], []
        for n, (field, default) in enumerate(zip(self.fields, usual, strict=True)):
            if field.since <= form.version <= field.until:
                there.append((n, field.name, field.of(form)))
            elif not field.ignorable:
                lost.append((field.name, default))
        least = sum(of.least for *_, of in there) + form.flexible
        return Kind(_reader(self.kind, usual, there, form), _writer(there, lost, form), least)


def structure(kind: type[msgspec.Struct], *fields: Field) -> Structure:
    """Return the type of a struct with these fields."""
    assert tuple(field.name for field in fields) == kind.__struct_fields__, kind
    return Structure(kind, fields)


def _reader(
    kind: type[msgspec.Struct], usual: tuple[Any, ...], there: list[tuple[int, str, Kind]], form: Form
) -> Read:
    readers = [(n, of.read) for n, _, of in there]

    def read(data: bytes, at: int) -> tuple[Any, int]:
        values, n = [*usual], -1
        try:
            for n, one in readers:
                values[n], at = one(data, at)
        except MalformedError as wrong:
            raise wrong.inside(f".{kind.__struct_fields__[n]}") from None
        return kind(*values), after_tags(data, at) if form.flexible else at

    return read


def _writer(there: list[tuple[int, str, Kind]], lost: list[tuple[str, Any]], form: Form) -> Write:
    writers = [(name, of.write) for _, name, of in there]

    def write(value: Any, out: list[bytes]) -> None:
        for name, default in lost:
            if getattr(value, name) != default:
                raise InputError(f".{name}: version {form.version} has no such field; leave it out")
        name = ""
        try:
            for name, one in writers:
                one(getattr(value, name), out)
        except InputError as wrong:
            raise InputError(f".{name}{wrong}") from None
        if form.flexible:
            out.append(b"\0")

    return write


def after_tags(data: bytes, at: int) -> int:
    """Return the byte after the tagged fields: no message here has any, and unknown ones are passed over (KIP-482)."""
    try:
        count, at = read_varint(data, at)
        room(data, at, count, 1, MOST_TAGS)
        for _ in range(count):
            _, at = read_varint(data, at)
            size, at = read_varint(data, at)
            at = cut(data, at, size)
    except MalformedError as wrong:
        raise wrong.inside(".tagged fields") from None
    return at


@dataclass(frozen=True, slots=True, eq=False)
class Message(Generic[T]):
    """A message: its type, its newest version, and its first flexible one."""

    of: Type
    newest: int
    flexible: int = NEVER
    oldest: int = 0

    def read(self, data: bytes, version: int, at: int = 0) -> T:
        """Read a value from a byte on; what follows it is left alone. Raises MalformedError; InputError for an unknown version."""
        return self.read_on(data, version, at)[0]

    def read_on(self, data: bytes, version: int, at: int = 0) -> tuple[T, int]:
        """Read a value from a byte on; returns the byte after it, too. Raises as `read` does."""
        value: T
        value, end = _kind(self, version).read(data, at)
        return value, end

    def read_whole(self, data: bytes, version: int, at: int = 0) -> T:
        """Read a value from a byte on, which must be the last thing there; raises as `read` does."""
        value, end = self.read_on(data, version, at)
        if end != len(data):
            raise MalformedError(f"{len(data) - end} bytes follow the message", end)
        return value

    def write(self, value: T, version: int) -> bytes:
        """Write a value; raises InputError for one that the version cannot say."""
        out: list[bytes] = []
        try:
            _kind(self, version).write(value, out)
        except InputError as wrong:
            raise InputError(str(wrong).removeprefix(".")) from None
        return b"".join(out)


@cache
def _kind(message: Message[Any], version: int) -> Kind:
    if not message.oldest <= version <= message.newest:
        raise InputError(f"version: is {version}; give {message.oldest} to {message.newest}")
    return message.of(Form(version, version >= message.flexible))


def read_version(data: bytes, of: Type = INT16, oldest: int = 0) -> int:
    """Read the version that a message begins with; raises MalformedError where there was never such a one."""
    try:
        version: int = of(Form()).read(data, 0)[0]
    except MalformedError as wrong:
        raise wrong.inside(".version") from None
    if version < oldest:
        raise MalformedError(f"{version} was never one", 0).inside(".version")
    return version

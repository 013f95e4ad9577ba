"""Schemas of messages: the types of fields, and messages as structs whose annotations say which version has which field.

>>> from typing import Annotated
>>> class Asked(msgspec.Struct, frozen=True):
...     group_id: Annotated[str, string()] = ""
...     instance_id: Annotated[str | None, Field(string(null_from=1), since=1)] = None
>>> Message(structure(Asked), newest=1).write(Asked("g", "i"), 1).hex()
'000167000169'

Flexible versions (KIP-482) have lengths of few bytes. Reading refuses a length that is larger than what remains before it makes anything of
it. Source: the protocol guide of Apache Kafka, and the behaviour of its generated classes. Text is as Java has it: UTF-8 with
replacements, and the modified UTF-8 of its data streams (java.lang.String, java.io.DataInput; checked against OpenJDK 17).
"""

import codecs
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, get_args, get_type_hints
from uuid import UUID

import msgspec

from kassay.errors import InputError
from kassay.model.partitions import INT32_MAX
from kassay.reference.java.strings import int32

_SURROGATE_LEAD = 0xED
"""The first byte of an encoded surrogate."""
_JAVA = "kassay.reference.wire.java"


def _replace(wrong: UnicodeError) -> tuple[str, int]:
    """Replace ill-formed bytes as Python does, but an encoded surrogate as one piece."""
    assert isinstance(wrong, UnicodeDecodeError)
    data, at = wrong.object, wrong.start
    following = [byte & 0xC0 == 0x80 for byte in data[at + 1 : at + 3]]
    if data[at] == _SURROGATE_LEAD and following[:1] == [True]:
        return "\ufffd", at + 1 + sum(following)
    return "\ufffd", wrong.end


codecs.register_error(_JAVA, _replace)


def encode_modified_utf8(text: str) -> bytes:
    """Write modified UTF-8: NUL takes two bytes, and a character above U+FFFF two surrogates of three bytes each."""
    if text.isascii() and "\0" not in text:
        return text.encode("ascii")
    units = text.encode("utf-16-be", "surrogatepass")
    written = bytearray()
    for unit in struct.unpack(f">{len(units) // 2}H", units):
        if 0 < unit < 0x80:
            written.append(unit)
        elif unit < 0x800:
            written += bytes((0xC0 | unit >> 6, 0x80 | unit & 0x3F))
        else:
            written += bytes((0xE0 | unit >> 12, 0x80 | unit >> 6 & 0x3F, 0x80 | unit & 0x3F))
    return bytes(written)


def from_modified(data: bytes) -> str:
    """Read modified UTF-8, also characters written longer than need be; raises ValueError if Java refuses the bytes.

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
    """Bytes that are not a message: `field` could not be read from byte `at` on, and `why` is the reason."""

    def __init__(self, why: str, at: int) -> None:
        super().__init__(why, at)
        self.why, self.at, self.field = why, at, ""

    def __str__(self) -> str:
        return f"{self.field.removeprefix('.') or 'message'}: {self.why}, from byte {self.at} on"

    def inside(self, place: str) -> "MalformedError":
        """Return itself, with the place around its field added."""
        self.field = place + self.field
        return self


LONGEST_STRING = 0x7FFF
MOST_ELEMENTS, MOST_TAGS = 1_000_000, 10_000
"""The most elements, and tagged fields, that the generated classes of kafka-clients read from 4.4.0 on."""
Read: TypeAlias = Callable[[bytes, int], tuple[Any, int]]
"""Reads from a byte on; returns the value and the byte after it, or raises MalformedError."""
Write: TypeAlias = Callable[[Any, list[bytes]], None]
"""Appends a value's bytes; raises InputError, which begins with the place inside the value."""


class Kind(NamedTuple):
    """A type of fields in one version: how it is read and written, and the fewest bytes it takes."""

    read: Read
    write: Write
    least: int
    code: str = ""
    """The code of the struct module, if it is a number."""


class Form(NamedTuple):
    """A version of a message."""

    version: int = 0
    flexible: bool = False


Type: TypeAlias = Callable[[Form], Kind]
"""A type of fields: its kind in each version."""


def cut(data: bytes, at: int, length: int) -> int:
    """Return the byte after `length` bytes; raises MalformedError if fewer remain."""
    end = at + length
    if not at <= end <= len(data):
        raise MalformedError(f"{length} bytes are wanted and {len(data) - at} remain", at)
    return end


def room(data: bytes, at: int, count: int, least: int, most: int) -> int:
    """Return the first byte at which `count` elements can end; raises MalformedError for too many, or a number below 0."""
    if count > most:
        raise MalformedError(f"{count} elements are more than {most}", at)
    return cut(data, at, count * least)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Read an unsigned number of one to five bytes; a number of more than 31 bits is negative, as in Java."""
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
    """Write a number from 0 on in the fewest bytes."""
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def _ignore_versions(kind: Kind) -> Type:
    return lambda _: kind


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
            raise InputError(f": is {value!r}. Give {-most} to {most - 1}") from None

    return _ignore_versions(Kind(read, write, size, code))


INT8, INT16, INT32, INT64 = map(_number, "bhiq")
BOOL = _ignore_versions(
    Kind(
        lambda data, at: (data[at : cut(data, at, 1)] != b"\0", at + 1),
        lambda value, out: out.append(bytes((value,))),
        1,
    )
)
"""A truth value: any byte but 0 is true."""
UUID16 = _ignore_versions(
    Kind(
        lambda data, at: (UUID(bytes=data[at : cut(data, at, 16)]), at + 16),
        lambda value, out: out.append(value.bytes),
        16,
    )
)
"""A UUID, the most significant byte first."""


def string(null_from: int | None = None) -> Type:
    """Return the type of text; it may be None from a version on, if any."""

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
            # As Java's String does: ill-formed bytes become U+FFFD.
            return data[start:end].decode("utf-8", _JAVA), end

        def write(value: str | None, out: list[bytes]) -> None:
            if value is None:
                length.write(None, out)
                return
            try:
                written = value.encode()
            except UnicodeEncodeError:
                raise InputError(f": {value!r} has half a surrogate pair. Give whole characters") from None
            if len(written) > LONGEST_STRING:
                raise InputError(f": takes {len(written)} bytes. Give at most {LONGEST_STRING}")
            length.write(len(written), out)
            out.append(written)

        return Kind(read, write, length.least)

    return type_


def bytes_(null_from: int | None = None) -> Type:
    """Return the type of bytes; they may be None from a version on, if any."""

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
    """Return the type of a tuple, of which readers take at most `most`; it may be None from a version on, if any."""

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
    """Return the kind of a length: None if there is no value, in versions that allow it."""
    number, nullable, flexible = of(form), null_from is not None and form.version >= null_from, form.flexible

    def read(data: bytes, at: int) -> tuple[int | None, int]:
        if flexible:
            size, end = read_varint(data, at)
            size = int32(size - 1)
        else:
            size, end = number.read(data, at)
        if size >= 0:
            return size, end
        if nullable:
            return None, end
        raise MalformedError(f"its length is {size}", at)

    def write(size: int | None, out: list[bytes]) -> None:
        if size is None and not nullable:
            raise InputError(f": is None, which version {form.version} cannot encode. Give a value")
        if flexible:
            out.append(varint(0 if size is None else size + 1))
        else:
            number.write(-1 if size is None else size, out)

    return Kind(read, write, 1 if flexible else number.least)


T = TypeVar("T", bound=msgspec.Struct)
NEVER = 2**15
"""Above every version."""


@dataclass(frozen=True, slots=True)
class Field:
    """The annotation of a field that some versions lack: its type, and the first and the last version that have it.

    In other versions it has its default. Another value is lost if the field is `ignorable`, and refused if it is not.
    """

    of: Type
    since: int = 0
    until: int = NEVER
    ignorable: bool = False


@dataclass(frozen=True, slots=True)
class Structure:
    """The type of a struct: its class, whose fields all have defaults, and the schemas of its fields in the order of the message."""

    kind: type[msgspec.Struct]
    fields: dict[str, Field]

    def __call__(self, form: Form) -> Kind:
        """Return its kind in a version."""
        kind, flexible = self.kind, form.flexible
        usual = msgspec.structs.astuple(kind())
        readers, writers, lost, least = [], [], [], int(flexible)
        for n, ((name, field), default) in enumerate(zip(self.fields.items(), usual, strict=True)):
            if field.since <= form.version <= field.until:
                of = field.of(form)
                readers.append((n, of.read))
                writers.append((name, of.write))
                least += of.least
            elif not field.ignorable:
                lost.append((name, default))

        def read(data: bytes, at: int) -> tuple[Any, int]:
            values, n = [*usual], -1
            try:
                for n, one in readers:
                    values[n], at = one(data, at)
            except MalformedError as wrong:
                raise wrong.inside(f".{kind.__struct_fields__[n]}") from None
            return kind(*values), skip_tags(data, at) if flexible else at

        return Kind(read, _writer(writers, lost, form), least)


def _writer(writers: list[tuple[str, Write]], lost: list[tuple[str, Any]], form: Form) -> Write:
    def write(value: Any, out: list[bytes]) -> None:
        for name, default in lost:
            if getattr(value, name) != default:
                raise InputError(f".{name}: version {form.version} has no such field. Leave it out")
        name = ""
        try:
            for name, one in writers:
                one(getattr(value, name), out)
        except InputError as wrong:
            raise InputError(f".{name}{wrong}") from None
        if form.flexible:
            out.append(b"\0")

    return write


def structure(kind: type[msgspec.Struct], **others: Type | Field) -> Structure:
    """Return the type of a struct from the annotations of its fields; `others` have precedence."""
    schemas = {
        name: get_args(hint)[1]
        for name, hint in get_type_hints(kind, include_extras=True).items()
        if name not in others
    }
    schemas = {name: (schemas | others)[name] for name in kind.__struct_fields__}
    return Structure(
        kind, {name: one if isinstance(one, Field) else Field(one) for name, one in schemas.items()}
    )


def skip_tags(data: bytes, at: int) -> int:
    """Return the byte after the tagged fields: the messages here have none, and unknown ones are skipped (KIP-482)."""
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
        """Read a value from a byte on; bytes behind it are ignored. Raises MalformedError; InputError for an unknown version."""
        return self.read_on(data, version, at)[0]

    def read_on(self, data: bytes, version: int, at: int = 0) -> tuple[T, int]:
        """Read a value from a byte on, and return it with the byte after it; raises as `read` does."""
        value: T
        value, end = _kind(self, version).read(data, at)
        return value, end

    def read_whole(self, data: bytes, version: int, at: int = 0) -> T:
        """Read a value from a byte on that must be the last one; raises as `read` does."""
        value, end = self.read_on(data, version, at)
        if end != len(data):
            raise MalformedError(f"{len(data) - end} bytes follow the message", end)
        return value

    def write(self, value: T, version: int) -> bytes:
        """Write a value; raises InputError if the version cannot say it."""
        out: list[bytes] = []
        try:
            _kind(self, version).write(value, out)
        except InputError as wrong:
            raise InputError(str(wrong).removeprefix(".")) from None
        return b"".join(out)


@cache
def _kind(message: Message[Any], version: int) -> Kind:
    if not message.oldest <= version <= message.newest:
        raise InputError(f"version: is {version}. Give {message.oldest} to {message.newest}")
    return message.of(Form(version, version >= message.flexible))


def read_version(data: bytes, of: Type = INT16, oldest: int = 0) -> int:
    """Read the version that a message begins with; raises MalformedError for a version that never was."""
    try:
        version: int = of(Form()).read(data, 0)[0]
    except MalformedError as wrong:
        raise wrong.inside(".version") from None
    if version < oldest:
        raise MalformedError(f"{version} was never one", 0).inside(".version")
    return version

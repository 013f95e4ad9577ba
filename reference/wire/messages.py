"""Messages: which fields a value has in which version."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

import msgspec

from kassay.errors import InputError
from kassay.reference.wire.kinds import (
    INT16,
    MOST_TAGS,
    Form,
    Kind,
    MalformedError,
    Read,
    Type,
    Write,
    cut,
    read_varint,
    room,
)

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

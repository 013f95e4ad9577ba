"""The facts on Kafka's consumer clients in ``clients.toml``, each with its source and release, and the lines to copy."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kassay.errors import InputError
from kassay.sentences import find_nearest

Basis = Literal["run", "rolled", "source", "not verified"]
"""The kind of evidence: the client was started, a group was changed by steps, the source was read, or none."""
Syntax = Literal[
    "properties", "json", "python", "go", "csharp", "javascript", "rust", "php", "ruby", "toml", "yaml", "shell", "text"
]  # fmt: skip


class Cell(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fact, with its evidence."""

    source: str
    release: str
    """The releases that the fact was read in."""
    basis: Basis


class IdPattern(Cell, frozen=True, kw_only=True):
    """A regular expression on CLIENT-ID. ``{group}`` stands for the name of the group."""

    pattern: str
    group: str = ""
    """A regular expression that the name of the group must match too; "" if any name will do."""
    strategies: tuple[str, ...] = ()
    """The strategies that the group must use; () if any will do."""
    member_release: str = ""
    """The newest release with such ids, "" if it is not known. A named group `release` in the pattern has priority."""


class MemberIdPattern(Cell, frozen=True, kw_only=True):
    """A regular expression on the CONSUMER-ID of KIP-848 members."""

    pattern: str


class WireStrategy(Cell, frozen=True, kw_only=True):
    """A strategy that no other client has, so that it shows the client of a whole group."""

    strategy: str


class Default(Cell, frozen=True, kw_only=True):
    """The list that a client offers if nothing is set, in its order."""

    strategies: tuple[str, ...]
    since: str = ""


class Strategy(Cell, frozen=True, kw_only=True):
    """A strategy that a client has."""

    name: str
    """The name in JoinGroup."""
    value: str
    """The name in the client's setting."""
    listed: str = ""
    """The name in a list of two, if it is another one."""
    imports: tuple[str, ...] = ()
    since: str = ""


class LineForm(Cell, frozen=True, kw_only=True):
    """The form of the setting: ``{list}`` is the values, ``{each}`` repeats its line, ``{names}`` is the names in JoinGroup."""

    one: tuple[str, ...]
    several: tuple[str, ...] = ()
    """The form for a list of two or more, () if it is the same."""
    separator: str = ","
    lists: bool = True
    """True if the setting can hold more than one strategy."""
    fixed: tuple[str, ...] = ()
    """The strategies of a client without any setting."""


class Mixing(Cell, frozen=True, kw_only=True):
    """The rule on eager and cooperative strategies in one list."""

    allowed: bool
    says: str = ""
    """The client's refusal, or the reason why there is no such list."""


class Note(Cell, frozen=True, kw_only=True):
    """A sentence or two on a client: the shortest stop, or what it has instead of a strategy."""

    text: str


class Restart(Cell, frozen=True, kw_only=True):
    """True in `together` if all members restart at once when the setting changes."""

    together: bool


class Kip848(Cell, frozen=True, kw_only=True):
    """The settings of the protocol of KIP-848; without `lines` the client does not have it."""

    lines: tuple[str, ...] = ()
    assignor: str = ""
    """The form of the line that names the broker's assignor."""
    remove: tuple[str, ...] = ()
    ignores: bool = False
    """True if the client accepts the settings to remove, and ignores them."""
    since: str = ""
    early: str = ""
    """The first release with an early access, "" if there was none."""


class Static(Cell, frozen=True, kw_only=True):
    """The setting of static membership, "" if the client has none."""

    setting: str
    since: str = ""


class Session(Cell, frozen=True, kw_only=True):
    """The default session timeout, in milliseconds."""

    ms: int
    setting: str
    since: str = ""


class Caution(Cell, frozen=True, kw_only=True):
    """A trap or a known defect."""

    text: str
    strategies: tuple[str, ...] = ()
    """The strategies that it concerns, () if all."""
    since: str = ""
    until: str = ""
    """The first release without it."""
    mixed: bool = False
    """True if it concerns only groups with several kinds of clients."""
    avoid: bool = False
    """True if the strategy must not be advised."""
    form: bool = False
    """True if it is about how the strategies are written, which clients with other names do not inherit."""


class Client(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One client: its names, how to recognise it, and its settings."""

    id: str
    title: str
    syntax: Syntax
    library: str = ""
    """The title of the library whose releases count: its own, or the title of the client that it is built on."""
    names: tuple[str, ...] = ()
    """Other names that users give to it."""
    inherits: str = ""
    """The client that it is built on, "" if none. It inherits the cells that it does not have."""
    ids: tuple[IdPattern, ...] = ()
    member_ids: tuple[MemberIdPattern, ...] = ()
    wire: tuple[WireStrategy, ...] = ()
    defaults: tuple[Default, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    line: LineForm | None = None
    mixing: Mixing | None = None
    restart: Restart | None = None
    stop: Note | None = None
    instead: Note | None = None
    kip848: Kip848 | None = None
    static: Static | None = None
    sessions: tuple[Session, ...] = ()
    cautions: tuple[Caution, ...] = ()

    @property
    def base(self) -> str:
        """The client whose assignors it runs: itself if it is not built on another one."""
        return self.inherits or self.id

    @property
    def settable(self) -> tuple[str, ...]:
        """The names in JoinGroup of all strategies that it has in any release."""
        if self.line is None:
            return ()
        return self.line.fixed or tuple(one.name for one in self.strategies)


class _File(Struct):
    client: tuple[Client, ...] = ()


OWN = {"id", "title", "syntax", "names", "inherits", "ids", "member_ids", "wire"}
"""Fields that are never inherited: they say which client it is."""


@cache
def read_clients() -> Mapping[str, Client]:
    """Return all clients by id, in the order of the file, with the cells that they inherit."""
    text = files("kassay.comparison.client_settings").joinpath("clients.toml").read_text(encoding="utf-8")
    return parse_clients(text)


def parse_clients(text: str) -> Mapping[str, Client]:
    """Return the clients of a file; raise msgspec.ValidationError for an unknown key, or a cell without source, release or basis."""
    clients: dict[str, Client] = {}
    for client in msgspec.toml.decode(text, type=_File).client:
        own = client
        if client.inherits:
            base = clients[client.inherits]
            inherited = {
                name: getattr(base, name)
                for name in Client.__struct_fields__
                if name not in OWN and not getattr(client, name)
            }
            # The cautions of both count.
            cautions = [one for one in base.cautions if not (one.form and client.strategies)]
            own = replace(client, **{**inherited, "cautions": (*client.cautions, *cautions)})
        clients[client.id] = replace(own, library=own.library or own.title)
    return clients


CLIENT_NAMES: Mapping[str, str] = {
    name: one.id for one in read_clients().values() for name in (one.id, *one.names)
}
"""The client's id by each name that ``--client NAME`` takes, in lower case."""


def find_client(name: str, where: str = "--client") -> str:
    """Return the id of the client with a name; raise InputError with the nearest one if there is none."""
    if (found := CLIENT_NAMES.get(name.strip().lower())) is not None:
        return found
    near = find_nearest(name.strip().lower(), CLIENT_NAMES)
    fix = f"Use {near}." if near else f"Use one of {', '.join(read_clients())}."
    raise InputError(f"{where}: {name!r} is not a known client. {fix}")


_NUMBERS = re.compile(r"v?(\d+(?:\.\d+)*)")


def parse_release(release: str) -> tuple[int, ...]:
    """Return the numbers of a release, such as (3, 0, 12); raise InputError if it does not begin with one."""
    found = _NUMBERS.match(release)
    if not found:
        raise InputError(f"--release: {release!r} is not a release of a client. Write it as 3.9 or 2.12.0.")
    numbers = [int(number) for number in found[1].split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def is_before(release: str, other: str) -> bool:
    """Return True if both releases are known and the first one is older."""
    return bool(release and other) and parse_release(release) < parse_release(other)


def has_reached(release: str, since: str) -> bool:
    """Return True if a release is known to be as new as another one; "" as the other one is reached by all."""
    return not since or (bool(release) and not is_before(release, since))


def write_lines(client: Client, strategies: Sequence[str]) -> tuple[str, ...]:
    """Return the lines that set a list of strategies, given by their names in JoinGroup."""
    if client.line is None or not client.line.one:
        return ()
    by_name = {one.name: one for one in client.strategies}
    several = len(strategies) > 1
    chosen = [by_name[name] for name in strategies]
    values = [one.listed if several and one.listed else one.value for one in chosen]
    form = client.line.several if several and client.line.several else client.line.one
    lines = [line for one in chosen for line in one.imports]
    for line in form:
        if "{each}" in line:
            lines += [line.replace("{each}", value) for value in values]
        else:
            filled = line.replace("{list}", client.line.separator.join(values))
            lines.append(filled.replace("{names}", ",".join(strategies)))
    return tuple(lines)


WIDTH = 78
"""The columns of a folded line: a terminal has 80, and two are the margin."""


BREAKS = {"properties": ("=", ","), "json": (": ",), "python": (", ",), "javascript": (", ",)}
"""The signs after which a line of a syntax may go on in the next one."""


def wrap_lines(client: Client, lines: Sequence[str]) -> tuple[str, ...]:
    """Return lines of no more than 78 columns that mean the same to the client; a long string stays whole."""
    # A backslash at the end of a line continues it in a file of properties; the others need no sign.
    end = "\\" if client.syntax == "properties" else ""
    wrapped = []
    for line in lines:
        pieces = [line]
        for sign in BREAKS.get(client.syntax, ()):
            most = 1 if sign in ("=", ": ") else -1
            parts = []
            for piece in pieces:
                *heads, last = piece.split(sign, most) if len(piece) > WIDTH else [piece]
                parts += [*(f"{one}{sign}".rstrip() for one in heads), last]
            pieces = parts
        indented = [pieces[0], *(f"  {one}" for one in pieces[1:])]
        wrapped += [*(f"{one}{end}" for one in indented[:-1]), indented[-1]]
    return tuple(wrapped)

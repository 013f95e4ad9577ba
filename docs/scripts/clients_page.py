"""The tables of docs/client-settings.md, of the data of kassay.client_settings: every cell with its release, basis and source."""

from collections.abc import Iterator, Sequence

from kassay.client_settings import client_table, read_clients
from kassay.client_settings.cells import Cell, Client
from kassay.client_settings.lines import write_lines

WANTED, FROM = "cooperative-sticky", "range"
"""The change that the first table is about."""


def client_settings() -> str:
    """Write a table of all clients, and a section for each."""
    return "\n".join([*_overview(), *(line for one in read_clients().values() for line in _section(one))])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(one.replace('|', chr(92) + '|') for one in cells)} |"


def _code(lines: Sequence[str]) -> str:
    """Write lines of code into one cell of a table."""
    return "<br>".join(f"`{one.strip()}`" for one in lines)


def _overview() -> Iterator[str]:
    yield "## All clients"
    yield ""
    yield f"The way from `{FROM}` to `{WANTED}`, if the release of the client is not known."
    yield ""
    yield _row(["client", "name for `--client`", "by default", f"has `{WANTED}`", "the way there"])
    yield _row(["---"] * 5)
    for row in client_table(WANTED, FROM):
        client = read_clients()[row.client]
        default = _code(client.defaults[-1].strategies) if client.defaults else "no member"
        link = f"[{client.title}](#{client.id})"
        yield _row([link, f"`{client.id}`", default, "yes" if row.has else "no", row.method])
    yield ""


def _section(client: Client) -> Iterator[str]:
    """Write the lines to copy of a client, and then its cells."""
    yield f"## {client.id}"
    yield ""
    own = (
        f" It is built on [{client.inherits}](#{client.inherits}), whose cells hold where none is here."
        if client.inherits
        else ""
    )
    also = f" Other names for `--client`: {_names(client.names)}." if client.names else ""
    yield f"{client.title}.{own}{also}"
    yield ""
    lines = [(name, write_lines(client, [name])) for name in client.settable]
    if any(code for _, code in lines):
        yield _row(["strategy", "lines"])
        yield _row(["---"] * 2)
        yield from (_row([f"`{name}`", _code(code)]) for name, code in lines)
        yield ""
    base = [cell for *_, cell in _cells(read_clients()[client.inherits])] if client.inherits else []
    yield _row(["what", "value", "release", "basis", "source"])
    yield _row(["---"] * 5)
    for what, value, cell in _cells(client):
        if cell not in base:
            yield _row([what, value, cell.release, cell.basis, cell.source])
    yield ""


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{one}`" for one in names)


def _cells(client: Client) -> Iterator[tuple[str, str, Cell]]:
    """Yield what each cell is about, its value, and the cell."""
    yield from _identity(client)
    for default in client.defaults:
        yield f"default{_since(default.since)}", _names(default.strategies), default
    for one in client.strategies:
        yield f"`{one.name}`{_since(one.since)}", f"`{one.value}`", one
    yield from _lists(client)
    for note in filter(None, (client.stop, client.instead)):
        yield "note", note.text, note
    yield from _protocol(client)
    for session in client.sessions:
        yield f"session timeout{_since(session.since)}", f"{session.ms:,} ms (`{session.setting}`)", session
    for caution in client.cautions:
        about = f" with {_names(caution.strategies)}" if caution.strategies else ""
        mixed = " in mixed groups" if caution.mixed else ""
        yield f"caution{about}{mixed}", caution.text, caution


def _identity(client: Client) -> Iterator[tuple[str, str, Cell]]:
    """Yield the cells that show the client of a member."""
    for ids in client.ids:
        yield "CLIENT-ID", f"`{ids.pattern}`", ids
    for member in client.member_ids:
        yield "CONSUMER-ID with KIP-848", f"`{member.pattern}`", member
    for wire in client.wire:
        yield "only it has the strategy", f"`{wire.strategy}`", wire


def _lists(client: Client) -> Iterator[tuple[str, str, Cell]]:
    """Yield the cells on the line, on lists, and on restarts."""
    if client.line is not None:
        yield "form of the line", _code(client.line.one) or "nothing to set", client.line
    if client.mixing is not None:
        taken = "allowed" if client.mixing.allowed else f"refused: {client.mixing.says}"
        yield "eager and cooperative in one list", taken, client.mixing
    if client.restart is not None:
        yield "restart", "all members together", client.restart


def _protocol(client: Client) -> Iterator[tuple[str, str, Cell]]:
    """Yield the cells on KIP-848 and on static members."""
    if client.kip848 is not None:
        cell = client.kip848
        early = f", early version since {cell.early}" if cell.early else ""
        removed = f"; remove {_names(cell.remove)}" if cell.remove else ""
        lines = [*cell.lines, *filter(None, [cell.assignor.replace("{assignor}", "uniform")])]
        yield f"KIP-848{_since(cell.since)}{early}", f"{_code(lines) or 'no'}{removed}", cell
    if client.static is not None:
        setting = f"`{client.static.setting}`" if client.static.setting else "no"
        yield f"static members{_since(client.static.since)}", setting, client.static


def _since(release: str) -> str:
    return f", since {release}" if release else ""

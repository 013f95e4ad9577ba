"""The tables of docs/reference/client-settings.md, of the data of kassay.comparison.client_settings: every cell with its release, basis and source."""

from collections.abc import Iterator, Sequence

from kassay.comparison.client_settings import build_client_table, read_clients
from kassay.comparison.client_settings.cells import Cell, Client, write_lines

WANTED, FROM = "cooperative-sticky", "range"
"""The change that the first table is about."""


def write_client_settings() -> str:
    """Write a table of all clients, and a section for each."""
    return "\n".join(
        [*_write_overview(), *(line for one in read_clients().values() for line in _write_section(one))]
    )


def _write_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(one.replace('|', chr(92) + '|') for one in cells)} |"


def _write_code(lines: Sequence[str]) -> str:
    """Write lines of code into one cell of a table."""
    return "<br>".join(f"`{one.strip()}`" for one in lines)


def _write_overview() -> Iterator[str]:
    yield "## All clients"
    yield ""
    yield f"The way from `{FROM}` to `{WANTED}`, if the release of the client is not known."
    yield ""
    yield _write_row(["client", "name for `--client`", "by default", f"has `{WANTED}`", "the way there"])
    yield _write_row(["---"] * 5)
    for row in build_client_table(WANTED, FROM):
        client = read_clients()[row.client]
        default = _write_code(client.defaults[-1].strategies) if client.defaults else "no member"
        link = f"[{client.title}](#{client.id})"
        yield _write_row([link, f"`{client.id}`", default, "yes" if row.has else "no", row.method])
    yield ""


def _write_section(client: Client) -> Iterator[str]:
    """Write the lines to copy of a client, and then its cells."""
    yield f"## {client.id}"
    yield ""
    own = (
        f" It is built on [{client.inherits}](#{client.inherits}), whose cells hold where none is here."
        if client.inherits
        else ""
    )
    also = f" Other names for `--client`: {_write_names(client.names)}." if client.names else ""
    yield f"{client.title}.{own}{also}"
    yield ""
    lines = [(name, write_lines(client, [name])) for name in client.settable]
    if any(code for _, code in lines):
        yield _write_row(["strategy", "lines"])
        yield _write_row(["---"] * 2)
        yield from (_write_row([f"`{name}`", _write_code(code)]) for name, code in lines)
        yield ""
    base = [cell for *_, cell in _list_cells(read_clients()[client.inherits])] if client.inherits else []
    yield _write_row(["what", "value", "release", "basis", "source"])
    yield _write_row(["---"] * 5)
    for what, value, cell in _list_cells(client):
        if cell not in base:
            yield _write_row([what, value, cell.release, cell.basis, cell.source])
    yield ""


def _write_names(names: Sequence[str]) -> str:
    return ", ".join(f"`{one}`" for one in names)


def _list_cells(client: Client) -> Iterator[tuple[str, str, Cell]]:
    """Yield what each cell is about, its value, and the cell."""
    yield from _list_identity(client)
    for default in client.defaults:
        yield f"default{_write_since(default.since)}", _write_names(default.strategies), default
    for one in client.strategies:
        yield f"`{one.name}`{_write_since(one.since)}", f"`{one.value}`", one
    yield from _list_settings(client)
    for note in filter(None, (client.stop, client.instead)):
        yield "note", note.text, note
    yield from _list_protocol(client)
    for session in client.sessions:
        yield (
            f"session timeout{_write_since(session.since)}",
            f"{session.ms:,} ms (`{session.setting}`)",
            session,
        )
    for caution in client.cautions:
        about = f" with {_write_names(caution.strategies)}" if caution.strategies else ""
        mixed = " in mixed groups" if caution.mixed else ""
        yield f"caution{about}{mixed}", caution.text, caution


def _list_identity(client: Client) -> Iterator[tuple[str, str, Cell]]:
    """Yield the cells that show the client of a member."""
    for ids in client.ids:
        yield "CLIENT-ID", f"`{ids.pattern}`", ids
    for member in client.member_ids:
        yield "CONSUMER-ID with KIP-848", f"`{member.pattern}`", member
    for wire in client.wire:
        yield "only it has the strategy", f"`{wire.strategy}`", wire


def _list_settings(client: Client) -> Iterator[tuple[str, str, Cell]]:
    """Yield the cells on the line, on lists, and on restarts."""
    if client.line is not None:
        yield "form of the line", _write_code(client.line.one) or "nothing to set", client.line
    if client.mixing is not None:
        taken = "allowed" if client.mixing.allowed else f"refused: {client.mixing.says}"
        yield "eager and cooperative in one list", taken, client.mixing
    if client.restart is not None:
        yield "restart", "all members together", client.restart


def _list_protocol(client: Client) -> Iterator[tuple[str, str, Cell]]:
    """Yield the cells on KIP-848 and on static members."""
    if client.kip848 is not None:
        cell = client.kip848
        early = f", early version since {cell.early}" if cell.early else ""
        ignored = " (accepted and ignored)" if cell.ignores else ""
        removed = f"; remove {_write_names(cell.remove)}{ignored}" if cell.remove else ""
        lines = [*cell.lines, *filter(None, [cell.assignor.replace("{assignor}", "uniform")])]
        yield f"KIP-848{_write_since(cell.since)}{early}", f"{_write_code(lines) or 'no'}{removed}", cell
    if client.static is not None:
        setting = f"`{client.static.setting}`" if client.static.setting else "no"
        yield f"static members{_write_since(client.static.since)}", setting, client.static


def _write_since(release: str) -> str:
    return f", since {release}" if release else ""

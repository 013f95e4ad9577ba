"""Write the lines to copy for a client."""

from collections.abc import Sequence

from kassay.client_settings.cells import Client


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
    return tuple(piece for line in lines for piece in _wrap(client.syntax, line))


def _wrap(syntax: str, line: str) -> list[str]:
    """Return the pieces of a line, broken at the first kind of sign, and at the next one while a piece is too long."""
    pieces = [line]
    for sign in BREAKS.get(syntax, ()):
        most = 1 if sign in ("=", ": ") else -1
        pieces = [part for one in pieces for part in (_split(one, sign, most) if len(one) > WIDTH else [one])]
    # A backslash at the end of a line continues it in a file of properties; the others need no sign.
    end = "\\" if syntax == "properties" else ""
    first, *others = pieces
    indented = [first, *(f"  {one}" for one in others)]
    return [*(f"{one}{end}" for one in indented[:-1]), indented[-1]]


def _split(line: str, sign: str, most: int) -> list[str]:
    *heads, last = line.split(sign, most)
    return [*(f"{one}{sign}".rstrip() for one in heads), last]

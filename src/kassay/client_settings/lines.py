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


def fold_lines(client: Client, lines: Sequence[str]) -> tuple[str, ...]:
    """Return lines of no more than 78 columns that mean the same to the client."""
    folded: list[str] = []
    for line in lines:
        mark = {"properties": "=", "json": ": "}.get(client.syntax, "")
        if len(line) <= WIDTH or not mark:
            folded.append(line)
            continue
        key, sign, value = line.partition(mark)
        # A backslash at the end of a line continues it in a file of properties; JSON needs no sign.
        folded.append(f"{key}{sign.rstrip()}{chr(92) if client.syntax == 'properties' else ''}")
        folded.append(f"  {value}")
    return tuple(folded)

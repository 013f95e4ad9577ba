"""The setting of the recommended strategy in the clients of the group, or in all clients if the group's client is not known."""

import textwrap
from collections.abc import Iterator, Sequence

from kassay.client_settings import read_clients
from kassay.comparison.groups.client_advice import ClientLines, GroupClients, describe_clients, split_by_lack
from kassay.output import Block
from kassay.sentences import capital, listed

ROOM = 79


def render_client_lines(clients: GroupClients, rows: Sequence[ClientLines]) -> Iterator[Block]:
    """Show for each client of the group how to get there, the lines to copy, and what to know."""
    if not clients.clients or not rows:
        return
    yield Block(prose=True, text=describe_clients(clients))
    for one in rows:
        change = one.change
        head = f"{one.title}: " if len(rows) > 1 else ""
        way = f"{head}{capital(change.method)}. {change.text}" if not change.lacks else f"{head}{change.text}"
        if change.first_lines:
            yield Block(prose=True, text=f"{way}\nFirst of two restarts:", code=change.first_lines)
            yield Block(prose=True, text="Second restart, or the only one:", code=change.lines)
        else:
            yield Block(prose=True, text=way, code=change.lines)
        if change.alternative:
            yield Block(prose=True, text="KIP-848:", code=change.alternative)
        if change.cautions:
            yield Block(prose=True, text="\n".join(change.cautions))


def render_client_table(clients: GroupClients, rows: Sequence[ClientLines]) -> Iterator[Block]:
    """Show the line of every kind of client that has the strategy, and which clients lack it."""
    have, lack = split_by_lack(rows)
    if not rows:
        return
    yield Block(prose=True, text=describe_clients(clients))
    kinds: dict[tuple[str, str], list[ClientLines]] = {}
    for one in have:  # programs built on one library change in the same way
        kinds.setdefault((read_clients()[one.client].base, one.change.method), []).append(one)
    code = []
    for (_, method), same in kinds.items():
        first, *others = same
        code.append(f"{first.title}: {method}")
        code += [f"  {line}" for line in first.change.lines] or ["  nothing to set"]
        code += textwrap.wrap(
            f"same for {', '.join(one.client for one in others)} (--client NAME shows the form)",
            ROOM, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False,
        ) * bool(others)  # fmt: skip
    yield Block(code=code)
    if lack:
        yield Block(prose=True, text=f"Without this strategy: {listed(sorted(one.client for one in lack))}.")

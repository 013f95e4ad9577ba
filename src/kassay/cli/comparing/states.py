"""Groups that a command leaves out because nothing can be said about them now: without members, or in a rebalance."""

from collections.abc import Sequence

from kassay.cli.saying.comparing.groups import render_state, render_unlisted
from kassay.comparison.groups.group_state import GroupState, find_state
from kassay.errors import InputError
from kassay.families import FAMILIES, family
from kassay.files.reading import Read, called, group_of
from kassay.files.writing import told_beside
from kassay.output import Block


def find_group_state(read: Read) -> GroupState | None:
    """Return the state of a group that was read as one of its family, or None if it can be used."""
    return find_state(called(read), family(read.family), read.value, read.wanted, read.facts)


def render_unusable(read: Read, *, many: bool) -> list[Block]:
    """Return what is shown about a group that cannot be used now, [] if it can; raise InputError if it could not be read."""
    if read.value is None and read.facts is not None:
        if not read.facts.unlisted:
            raise InputError(read.facts.problem)
        return [*render_unlisted(read, read.facts)]
    state = find_group_state(read)
    return [] if state is None else [*render_state(state, read, many=many)]


def split_states(reads: Sequence[Read]) -> tuple[list[Read], list[Block]]:
    """Return the groups of JSON values that can be used, and what is shown about the others, which listings describe."""
    usable: list[Read] = []
    blocks: list[Block] = []
    for read in reads:
        state = _state_of_json(read)
        if state is None:
            usable.append(read)
        else:
            blocks += render_state(state, read, many=len(reads) > 1)
    return usable, blocks


def _state_of_json(read: Read) -> GroupState | None:
    name = read.listed or (read.value.get("family", "") if isinstance(read.value, dict) else "")
    if not isinstance(name, str) or name not in FAMILIES:
        return None  # the reader of the group says what is wrong with it
    known = family(name)
    _, wanted, facts = told_beside(read.where, read.value, known)
    return None if facts is None else find_state(called(read), known, group_of(read, known), wanted, facts)

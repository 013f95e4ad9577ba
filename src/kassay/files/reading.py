"""Read groups of JSON, JSON lines and listings from files or standard input, with errors that name file, line and field."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.families import FAMILIES, family
from kassay.families.family import Family
from kassay.files.texts import (
    decode_value,
    find_non_json,
    name_file,
    read_text,
    refuse_neither,
    split_json_lines,
)
from kassay.files.writing import BESIDE, drop_listing_facts, read_listing_facts, write_facts
from kassay.listings.details import ListedDetails, Subscriptions
from kassay.listings.import_groups import Listed, is_listed, read_listed
from kassay.listings.listed_groups import CONSUMERS, ListingFacts
from kassay.listings.reading import Taken
from kassay.sentences import suggest_name

LONG = 10**6
"""Texts of more characters are tried as one group at once, which takes half the time and memory."""


@dataclass(frozen=True, slots=True)
class Read:
    """A value that was read, with its place and the problems of the input.

    A group that could not be read has no value; its `facts` have the problem.
    """

    where: str
    """The name of the group, or its place: ``groups.jsonl, line 3``."""
    value: Any
    warnings: tuple[str, ...] = ()
    """A sentence for each assumption or contradiction."""
    listed: str = ""
    """The family of the group in a listing of Kafka's tools, "" if it was not listed."""
    file: str = ""
    """The input, as the command line names it."""
    family: str = ""
    """The family that the group states or is listed with."""
    in_use: str = ""
    """The assignor that the group is listed with, "" if it is unknown."""
    wanted: Any = None
    """The target assignment of the coordinator, None if it is not listed."""
    facts: ListingFacts | None = None
    """The other facts of a listing, None without one."""

    @property
    def problem(self) -> str:
        """The reason why the group could not be read, "" if it could."""
        return self.facts.problem if self.facts is not None else ""


def read_json(path: str) -> list[Read]:
    """Read one JSON value, or one on each line; raises InputError naming file and line, also where nothing is in it."""
    text = read_text(path)
    said = find_non_json(text)
    if said:
        raise InputError(f"{name_file(path)}: is not JSON. {said} Give a file that kassay has written.")
    return _read_values(path, text)


def _read_values(path: str, text: str) -> list[Read]:
    name, lines = name_file(path), split_json_lines(text)
    if lines:
        return [_read_line(path, number, line) for number, line in lines]
    if not text.strip():
        raise InputError(f"{name}: is empty. Give JSON, or one JSON value a line")
    return [Read(name, decode_value(name, text, 1), file=path)]  # one value, over several lines perhaps


def _read_line(path: str, number: int, line: str) -> Read:
    name = name_file(path)
    return Read(f"{name}, line {number}", decode_value(name, line, number), file=path)


def read_stated(paths: Iterable[str]) -> list[Read]:
    """Read groups of any family, as JSON values, from files of JSON, JSON lines or listings of Kafka's tools.

    Groups of a listing are in the order of a live leader. Consumer groups among them state no family, because they
    fit the assignors of leaders and of coordinators. Raises InputError naming file and line.
    """
    return [read for path in paths for read in _read_source(path, _read_text(path), leave_out=CONSUMERS)]


def _read_source(
    path: str | Taken,
    text: str,
    *,
    leader: bool = True,
    asked: str | None = None,
    leave_out: Collection[str] = (),
) -> list[Read]:
    """Read the values of a source; groups of a listing are of the family that is asked about, if that is possible.

    If none is asked about, groups of consumers are all of one family, so that they can be answered together.
    """
    given: list[tuple[str, str]] | Taken
    if isinstance(path, Taken):
        file, given = "", path
    elif is_listed(text):
        file, given = path, [(name_file(path), text)]
    else:
        refuse_neither(name_file(path), text)
        return _read_values(path, text)
    listed = read_listed(given, leader=leader, of_family=asked)
    if asked is None and {one.family for one in listed} >= CONSUMERS:
        listed = read_listed(given, leader=leader, of_family="consumer")
    if listed and all(one.problem for one in listed):
        raise InputError(listed[0].problem)
    left_out = tuple(f"{one.problem} Group {one.name!r} is left out." for one in listed if one.problem)
    found = [_convert_listed(one, file, leave_out) for one in listed if not one.problem]
    if left_out:
        found[0] = replace(found[0], warnings=(*found[0].warnings, *left_out))
    return found


def _convert_listed(one: Listed, file: str, leave_out: Collection[str] = ()) -> Read:
    """Return a listed group as it would stand in JSON."""
    family = {} if one.family in leave_out else {"family": one.family}
    facts = {} if one.facts is None else {"facts": write_facts(one.facts)}
    beside = {BESIDE: {**one.beside, **facts}} if one.beside or facts else {}
    return Read(
        one.name, {"name": one.name, **family, **one.record, **beside}, one.warnings, one.family, file
    )


def read_listed_groups(
    paths: Iterable[str | Taken],
    name: str | None = None,
    *,
    subscriptions: Subscriptions = "all",
    consumer_group: str | None = None,
    leader: bool = True,
) -> list[Read]:
    """Read all groups of all sources, each of its own family, or of the family of this name; `consumer_group` chooses groups by name.

    A group that cannot be read has no value, and facts with its problem, so that it hides no other. Raises InputError naming file and
    line where a source holds no group, where every group is faulty, or where no group has the name.
    """
    found: list[Read] = []
    for path in paths:
        found += _read_each(path, _read_text(path), name, subscriptions, leader=leader)
    if consumer_group is not None:
        names = list(dict.fromkeys(read.where for read in found))
        found = [read for read in found if read.where == consumer_group]
        if not found:
            raise InputError(
                f"--consumer-group {consumer_group}: there is no group of that name. "
                f"Name one of: {', '.join(names)}{suggest_name(consumer_group, names)}"
            )
    if found and all(read.problem and not (read.facts and read.facts.unlisted) for read in found):
        raise InputError(found[0].problem)
    usual = name or next(iter(FAMILIES))
    return [replace(read, family=read.family or usual) for read in found]


def _read_each(
    path: str | Taken, text: str, name: str | None, subscriptions: Subscriptions, *, leader: bool
) -> list[Read]:
    """Read the groups of a source one by one, with its problem in place of one that is refused."""
    if isinstance(path, str):
        if at_once := _read_at_once(path, text, family(name or next(iter(FAMILIES)))):
            return at_once
        if not is_listed(text):
            refuse_neither(name_file(path), text)
            return [_make_or_keep_problem(read, name) for read in _read_values(path, text)]
    file = path if isinstance(path, str) else ""
    given = [(name_file(path), text)] if isinstance(path, str) else path
    details = ListedDetails(subscriptions=subscriptions)
    listed = read_listed(given, leader=leader, of_family=name, details=details)
    return [
        _make_listed_group(one, file)
        if one.problem or name in {None, one.family}
        else _make_or_keep_problem(_convert_listed(one, file), name)
        for one in listed
    ]


def _make_listed_group(one: Listed, file: str) -> Read:
    """Return a listed group, of its own family, without the detour over JSON."""
    of, group = family(one.family), one.group
    refused = None if group is None else of.refused(group)
    if group is None or refused is not None:
        facts = one.facts or ListingFacts()
        if refused is not None:
            facts = msgspec.structs.replace(facts, problem=f"{one.name}: {refused}")
        return Read(one.name, None, one.warnings, one.family, file, one.family, facts=facts)
    target = one.beside.get("target")
    return Read(
        one.name, group, (*one.warnings, *of.warnings(group)), one.family, file, one.family, one.beside.get("in_use", ""),
        None if target is None else of.shape.read_assignment(target), one.facts,
    )  # fmt: skip


def _make_or_keep_problem(read: Read, name: str | None) -> Read:
    """Make a group of what was read, of the family that it states if none is asked for."""
    try:
        return _make_group(read, family(name or _get_stated_family(read) or next(iter(FAMILIES))))
    except InputError as wrong:
        facts = ListingFacts(problem=str(wrong))
        return Read(
            get_group_name(read), None, read.warnings, read.listed, read.file, read.listed, facts=facts
        )


def _get_stated_family(read: Read) -> str | None:
    """Return the family that a group states, None if it states none; raises InputError if there is no such family.

    A family that is no registered one is code, which no file may name.
    """
    if not isinstance(read.value, dict) or "family" not in read.value:
        return None
    stated = read.value["family"]
    if not isinstance(stated, str) or stated not in FAMILIES:
        raise InputError(f"{read.where}: family: there is no {stated!r}. Known are {', '.join(FAMILIES)}")
    return stated


def read_groups(paths: Iterable[str | Taken], family: Family, *, leader: bool = True) -> list[Read]:
    """Read groups of one family as :func:`read_stated` does, also of a cluster; raises InputError naming file, line and field."""
    return [group for path in paths for group in _make_groups(path, _read_text(path), family, leader=leader)]


def _read_text(path: str | Taken) -> str:
    # A prompt or a message may be in the code page of the terminal; the rows of a table are still refused then.
    return "" if isinstance(path, Taken) else read_text(path, is_listed)


def read_groups_or_refusals(paths: Iterable[str], family: Family) -> list[Read | InputError]:
    """Read groups of one family as :func:`read_groups` does, with what is wrong in place of a group that is refused among others.

    Raises InputError if a whole file is refused, as one is in which a line is no JSON.
    """
    found: list[Read | InputError] = []
    for path in paths:
        text = _read_text(path)
        if at_once := _read_at_once(path, text, family):
            found += at_once
            continue
        lines = [] if is_listed(text) else split_json_lines(text)
        for read in [_read_line(path, number, line) for number, line in lines]:
            try:
                found.append(_make_group(read, family))
            except InputError as wrong:
                found.append(wrong)
        if not lines:
            read_all = _read_source(path, text, asked=family.name)
            found += [_make_group(read, family) for read in read_all]
    return found


def _make_groups(path: str | Taken, text: str, family: Family, *, leader: bool) -> list[Read]:
    return (isinstance(path, str) and _read_at_once(path, text, family)) or [
        _make_group(read, family) for read in _read_source(path, text, leader=leader, asked=family.name)
    ]


def _make_group(read: Read, family: Family) -> Read:
    stated = read.listed or (read.value.get("family", "") if isinstance(read.value, dict) else "")
    group = build_group(read, family)
    warnings = (*read.warnings, *family.warnings(group))
    in_use, wanted, facts = read_listing_facts(read.where, read.value, family)
    return Read(get_group_name(read), group, warnings, read.listed, read.file, stated, in_use, wanted, facts)


def _read_at_once(path: str, text: str, family: Family) -> list[Read]:
    """Return the only group of a long text; nothing if the text is short or is not one group of this family."""
    found = family.shape.decode_group(text) if len(text) > LONG else None
    if found is None or found[0] not in {None, family.name} or family.refused(found[2]) is not None:
        return []
    said = tuple(family.warnings(found[2]))
    return [Read(found[1] or name_file(path), found[2], said, file=path, family=found[0] or "")]


def read_groups_of_any_family(paths: Iterable[str | Taken], name: str | None) -> tuple[Family, list[Read]]:
    """Read groups of the named family, else of the family that they state, else of the first family.

    Raises InputError naming file, line and field, also where they are of several families.
    """
    if name is not None:
        chosen = family(name)
        return chosen, read_groups(paths, chosen)
    texts = [(path, _read_text(path)) for path in paths]
    first = family(next(iter(FAMILIES)))
    for path, text in texts if len(texts) == 1 else ():
        if isinstance(path, str) and (group := _read_at_once(path, text, first)):
            return first, group
    reads = [read for path, text in texts for read in _read_source(path, text)]
    stated = {name for name in map(_get_stated_family, reads) if name is not None}
    if len(stated) > 1:
        raise InputError(
            f"FILE: the groups are of several families ({', '.join(sorted(stated))}). Give groups of one family."
        )
    chosen = family(next(iter(stated), next(iter(FAMILIES))))
    return chosen, [_make_group(read, chosen) for read in reads]


def _find_reader(value: Any, of: Family) -> str:
    """Return the first family of another shape that reads a value which this family refuses, "" if there is none."""
    for name in FAMILIES:
        other = family(name)
        if other.shape is not of.shape:
            try:
                other.shape.read_group(drop_listing_facts(value))
            except InputError:
                continue
            return name
    return ""


def get_group_name(read: Read) -> str:
    """Return the name of a group, or its place if it has none."""
    name = read.value.get("name") if isinstance(read.value, dict) else None
    return name if isinstance(name, str) and name else read.where


def find_group_name(read: Read) -> str:
    """Return the name of a group, or the name of its file without the folder."""
    folder = read.file[: len(read.file) - len(Path(read.file).name)]
    return read.where.removeprefix(folder) if folder else read.where


def build_group(read: Read, family: Family) -> Any:
    """Make a group of what was read, also of another family where this one's assignors answer it.

    Raises InputError naming file, line and field.
    """
    stated = read.value.get("family", family.name) if isinstance(read.value, dict) else family.name
    other = f"{read.where}: family: is {read.listed or stated!r}, but the target's family is {family.name!r}. Use one of them for both"
    if stated != family.name and stated not in list(family.migrations):  # what is stated may be of any type
        raise InputError(other)
    try:
        group = family.shape.read_group(drop_listing_facts(read.value))
    except InputError as wrong:
        listed = read.listed not in {"", family.name}
        theirs = "" if listed or stated != family.name else _find_reader(read.value, family)
        if theirs:
            other = f"{read.where}: is a group of the {theirs} family, not of {family.name}. Ask {theirs} assignors"
        raise InputError(other if listed or theirs else f"{read.where}: {wrong}") from None
    if stated != family.name:
        for said in family.migrations[stated].refuses(group):
            raise InputError(f"{read.where}: {said}. Otherwise name {stated} assignors")
    why = family.refused(group)
    if why is not None:
        raise InputError(f"{read.where}: {why}")
    return group

"""The output of `kassay list`: all assignors on one screen, the card of one, and tables of what there is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from inspect import getmodule
from typing import Any

from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.families.words import does, plainest_first, when, worst_first
from kassay.family import INSIDE, SETTABLE, STUDY, Family
from kassay.model import Assignor
from kassay.output import Block
from kassay.reference.releases import behaviours
from kassay.reports.matrix import words
from kassay.sentences import counted, first_sentence
from kassay.shape import TextTable
from kassay.targets.java.releases import KAFKA

STANDINGS = {
    SETTABLE: "Kafka's, that you can set",
    INSIDE: "inside Kafka, not for you to set",
    STUDY: "studies: nobody runs them; they show what is possible",
}
"""What an assignor is to an operator, as a heading."""
_KIPS = {"broker": "KIP-848", "share": "KIP-932", "streams-group": "KIP-1071"}
NEXT = (
    ("One of them", "kassay list consumer/sticky"),
    ("What each must keep", "kassay list promises"),
    ("When promises may break", "kassay list situations"),
    ("How older Kafka did it", "kassay list releases   (as consumer/sticky@2.3.1)"),
    ("Your own", "python:MODULE:NAME   exec:COMMAND   client:COMMAND"),
    ("", "jar:PATH#CLASS   kafka:VERSION#consumer/sticky"),
)
_KIP = re.compile(r" \((?:KIP-[0-9]+|, )+\)")
MOST = 5
"""How many causes of known defects a card names."""
TITLES = {
    "invariants": "{}: what each answer must keep",
    "laws": "{}: what several answers must keep together",
    "situations": "{}: when a promise may have an exception",
    "measures": "{}: what is measured",
    "oracles": "{}: what the best possible can be asked for",
    "frontiers": "{}: what one gives up for another",
    "releases": "How older Kafka did it: the same answers as these releases",
}
"""Kind of things -> the title over its names, of a family."""


def render_assignors(names: Sequence[str], families: Sequence[str]) -> Iterator[Block]:
    """Yield the assignors of some families on one screen, those that can be set first."""
    yield Block(says=f"kassay has {counted(len(names), 'assignor')}, and judges yours.")
    known = {name: family(name) for name in families}
    for standing, heading in STANDINGS.items():
        rows = []
        for one in known.values():
            in_order = one.settable if standing == SETTABLE else names
            own = [
                name for name in in_order
                if name in names and name.startswith(f"{one.name}/") and one.standing(name) == standing
            ]  # fmt: skip
            if own:
                title = one.name
                if standing == SETTABLE and one.name in _KIPS:
                    title += f" ({_KIPS[one.name]})"
                said = "  ".join(name.partition("/")[2] for name in own)
                only = "   (the only one)" if standing == SETTABLE and len(own) == 1 else ""
                rows.append([title, f"{said}{only}"])
        if rows:
            yield Block(title=heading, prose=True, grid=TextTable(["", ""], rows))
    yield Block(prose=True, grid=TextTable(["", ""], NEXT))


def render_card(assignor: Assignor, release: str) -> Iterator[Block]:
    """Yield what an assignor is, how it is set, what it promises, and what can go wrong; a release is "" for the newest."""
    of = family(assignor.family)
    name = f"{assignor.name}@{release}" if release else assignor.name
    setting = of.settable.get(assignor.name)
    record = _build_record("assignor", name, _describe(assignor), assignor)
    record |= {"standing": of.standing(name), **({"setting": setting.lines} if setting else {})}
    yield Block(says=f"{name} is {_describe_origin(assignor, release, of)}.", records=[record])
    yield Block(prose=True, text=f"{_KIP.sub('', _describe(assignor))}.")
    if setting is not None:
        usual = "Kafka takes it where nothing is set. " if setting.default else ""
        note = f"{setting.note[:1].upper()}{setting.note[1:]}."
        if setting.lines:
            yield Block(prose=True, text=f"{usual}Set it on {setting.on}:", code=setting.lines)
            yield Block(prose=True, text=note)
        else:
            yield Block(prose=True, text=f"{usual}{note}")
    yield Block(prose=True, grid=TextTable(["", ""], _summarize_promises(of, assignor)))
    yield Block(prose=True, text="See how it keeps them:", code=[f"  kassay check {name}"])
    earlier = behaviours(assignor.name)[:-1]
    if earlier and not release:
        first = f"{assignor.name}@{earlier[0].releases[-1]}"
        text = f"Older Kafka did it otherwise ({counted(len(earlier), 'behaviour')}, from {first} on):"
        yield Block(prose=True, text=text, code=["  kassay list releases"])


def _describe(assignor: Assignor) -> str:
    """Return the first sentence of the module in which an assignor stands."""
    return first_sentence(getattr(getmodule(assignor.assign), "__doc__", None))


def _describe_origin(assignor: Assignor, release: str, of: Family) -> str:
    """Return what an assignor is to somebody who runs Kafka."""
    if assignor.name not in KAFKA:
        return f"a study, which no Kafka has (source: {assignor.source})"
    own = KAFKA[assignor.name]
    kafka = own.class_name(release or own.versions()[-1]).rpartition(".")[2]
    found = next((each for each in behaviours(assignor.name) if release in each.releases), None)
    found = found or behaviours(assignor.name)[-1]
    which = f", as Kafka {found} {'has' if len(found.releases) == 1 else 'have'} it"
    kips = re.findall(r"KIP-\d+", f"{_describe(assignor)} {assignor.source}")
    which += f" ({kips[0]})" if kips and not release else ""
    inside = ", which is inside Kafka and cannot be set" if of.standing(assignor.name) == INSIDE else ""
    return f"Kafka's {kafka}{which}{inside}"


def _summarize_promises(of: Family, assignor: Assignor) -> list[list[str]]:
    defects = {name: terms for name, terms in assignor.except_in.items() if name not in assignor.limits}
    number, known, limits = len(assignor.promises), len(defects), len(assignor.limits)
    limited = f", {limits} within {'a limit' if limits == 1 else 'limits'}" if limits else ""
    if not known:
        return [["promises", f"{number}{limited}, and no known defect"]]
    worst = list(dict.fromkeys(does(of, name) for name in worst_first(defects)))[:3]
    whens = [when(of, each) for each in plainest_first(set().union(*defects.values()))]
    more = f"; {len(whens) - MOST} more" if len(whens) > MOST else ""
    with_ = "a known defect" if known == 1 else "known defects"
    return [
        ["promises", f"{number}: {number - known - limits} always hold{limited}, {known} with {with_}"],
        ["  at worst", "it " + ", ".join(worst)],
        ["  when", "; ".join(whens[:MOST]) + more],
    ]


def build_tables(names: Sequence[str]) -> Iterator[tuple[str, Block]]:
    """Yield a table for each kind of thing in some families, with the first sentence of each thing."""
    assignors = {name: a for name, a in ASSIGNORS.items() if a.family in names}
    yield "assignors", _build_table("assignors", [(name, _describe(a), a) for name, a in assignors.items()])
    alike = [
        (f"{name}@{one.releases[-1]}", f"same answers as Kafka {one}", None)
        for name in assignors
        for one in behaviours(name)
    ]
    if alike:
        yield "releases", _build_table("releases that assign alike", alike)
    for each in map(family, names):
        kinds: dict[str, dict[str, Any]] = {
            "invariants": dict(each.invariants),
            "laws": dict(each.laws),
            "measures": {**each.measures, **each.run_measures},
            "situations": dict(each.situations),
        }
        if each.oracles is not None:
            asked = [(name, text.rstrip("."), None) for name, text in each.oracles.questions.items()]
            yield "oracles", _build_table("oracles", asked, each.name)
            if each.oracles.frontiers is not None:
                kinds["frontiers"] = {"frontier": each.oracles.frontiers}
        for kind, table in kinds.items():
            # The docstring of a function that is called with arguments bound is the function's own.
            rows = [(name, first_sentence(getattr(f, "func", f).__doc__), None) for name, f in table.items()]
            yield kind, _build_table(kind, rows, each.name)


def lay_out_table(title: str, block: Block) -> Block:
    """Return a table for reading: a name and what it is in each row."""
    of = block.title.partition(" of the ")[2].removesuffix(" family")
    rows = [row[:2] for row in block.grid.rows] if block.grid else []
    return replace(block, title=title.format(of), grid=TextTable(["", ""], rows), prose=True)


def _build_table(title: str, rows: Sequence[tuple[str, str, Assignor | None]], of_family: str = "") -> Block:
    kind = title.split(maxsplit=1)[0].rstrip("s")
    records = [_build_record(kind, name, says, assignor, of_family) for name, says, assignor in rows]
    columns = [kind, "what it is"] + ["promises"] * any(assignor for _, _, assignor in rows)
    cells = [
        [name, says] + ([_write_promises(assignor)] if assignor else []) for name, says, assignor in rows
    ]
    title = f"{title} of the {of_family} family" if of_family else title
    return Block(title.capitalize(), grid=TextTable(columns, cells), records=records)


def _build_record(
    kind: str, name: str, says: str, assignor: Assignor | None, of_family: str = ""
) -> dict[str, object]:
    record: dict[str, object] = {"kind": kind, "name": name, "sentence": says}
    if of_family:
        record["family"] = of_family
    if assignor is not None:
        record["promises"] = sorted(assignor.promises)
        if assignor.except_in:
            record["except_in"] = {name: sorted(terms) for name, terms in sorted(assignor.except_in.items())}
        if assignor.limits:
            record["limits"] = sorted(assignor.limits)
    return record


def _write_promises(assignor: Assignor) -> str:
    """Return the promises in a cell, those with the same exceptions together."""
    limits: dict[str, list[str]] = {}
    for name in sorted(assignor.promises):
        limits.setdefault(words(assignor.except_in.get(name, ())), []).append(name)
    return "; ".join(
        ", ".join(names) + (f", except in {scope}" if scope else "")
        for scope, names in sorted(limits.items())
    )

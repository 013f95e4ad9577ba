"""The output of `kassay list`: all assignors on one screen, the card of one, and tables of what there is."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from inspect import getmodule
from typing import Any

from kassay.engine.promises import AND
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.families.family import INSIDE, SETTABLE, STUDY, Family
from kassay.families.shape import TextTable
from kassay.families.words import does, plainest_first, when, worst_first
from kassay.model import Assignor
from kassay.output import Block
from kassay.reference.releases import behaviours
from kassay.sentences import format_count, read_first_sentence
from kassay.targets.java.releases import KAFKA

STANDINGS = {
    SETTABLE: "Kafka's assignors that you can configure",
    INSIDE: "internal to Kafka, not configurable",
    STUDY: "research assignors, not in Kafka",
}
"""Standing of assignors -> the heading above them."""
_KIPS = {"broker": "KIP-848", "share": "KIP-932", "streams-group": "KIP-1071"}
NEXT = (
    ("kassay list consumer/sticky", "one assignor"),
    ("kassay list promises", "the promises of each family"),
    ("kassay list situations", "the situations of known defects"),
    ("kassay list releases", "older behaviours, such as consumer/sticky@2.3.1"),
)
_KIP = re.compile(r" \((?:KIP-[0-9]+|, )+\)")
MOST = 5
"""The largest number of situations of known defects on a card."""
TITLES = {
    "invariants": "{}: invariants, each about one assignment",
    "laws": "{}: metamorphic properties, each about several assignments",
    "situations": "{}: situations of known defects",
    "measures": "{}: measures",
    "oracles": "{}: objectives of `kassay optimum`",
    "frontiers": "{}: trade-offs of `kassay frontier`",
    "releases": "Older behaviours: the same assignments as these releases",
}
"""Kind of things -> the title over its names, of a family."""


def render_assignors(names: Sequence[str], families: Sequence[str]) -> Iterator[Block]:
    """Yield the assignors of some families, configurable ones first."""
    yield Block(says=f"kassay has {format_count(len(names), 'assignor')} and tests any other.")
    known = {name: family(name) for name in families}
    for standing, heading in STANDINGS.items():
        rows = []
        for one in known.values():
            in_order = one.settable if standing == SETTABLE else names
            own = [
                name for name in in_order
                if name in names and name.startswith(f"{one.name}/") and one.classify_target(name) == standing
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
    forms = "python:MODULE:NAME, exec:COMMAND, client:COMMAND, jar:PATH#CLASS or kafka:VERSION#NAME"
    yield Block(prose=True, text=f"Name your own assignor as {forms}.")
    yield Block(commands=NEXT)


def render_card(assignor: Assignor, release: str) -> Iterator[Block]:
    """Yield the origin of an assignor, its setting, its promises and its known defects; a release is "" for the newest."""
    of = family(assignor.family)
    name = f"{assignor.name}@{release}" if release else assignor.name
    setting = of.settable.get(assignor.name)
    record = _build_record("assignor", name, _describe(assignor), assignor)
    record |= {"standing": of.classify_target(name), **({"setting": setting.lines} if setting else {})}
    yield Block(says=f"{name} is {_describe_origin(assignor, release, of)}.", records=[record])
    yield Block(prose=True, text=f"{_KIP.sub('', _describe(assignor))}.")
    if setting is not None:
        usual = "It is Kafka's default. " if setting.default else ""
        note = f"{setting.note[:1].upper()}{setting.note[1:]}."
        if setting.lines:
            yield Block(prose=True, text=f"{usual}Set it on {setting.on}:", code=setting.lines)
            yield Block(prose=True, text=note)
        else:
            yield Block(prose=True, text=f"{usual}{note}")
    yield Block(prose=True, grid=TextTable(["", ""], _summarize_promises(of, assignor)))
    commands = [(f"kassay check {name}", "test its promises")]
    earlier = behaviours(assignor.name)[:-1]
    if earlier and not release:
        first = f"{assignor.name}@{earlier[0].releases[-1]}"
        commands.append(
            ("kassay list releases", f"{format_count(len(earlier), 'older behaviour')}, from {first} on")
        )
    yield Block(commands=commands)


def _describe(assignor: Assignor) -> str:
    """Return the first sentence of the module of an assignor."""
    return read_first_sentence(getattr(getmodule(assignor.assign), "__doc__", None))


def _describe_origin(assignor: Assignor, release: str, of: Family) -> str:
    """Return the origin of an assignor: the class and releases of Kafka, or research."""
    if assignor.name not in KAFKA:
        return f"a research assignor, not in Kafka (source: {assignor.source})"
    own = KAFKA[assignor.name]
    kafka = own.class_name(release or own.versions()[-1]).rpartition(".")[2]
    found = next((each for each in behaviours(assignor.name) if release in each.releases), None)
    found = found or behaviours(assignor.name)[-1]
    which = f" of Kafka {found}"
    kips = re.findall(r"KIP-\d+", f"{_describe(assignor)} {assignor.source}")
    which += f" ({kips[0]})" if kips and not release else ""
    inside = ", which is internal and not configurable" if of.classify_target(assignor.name) == INSIDE else ""
    return f"{kafka}{which}{inside}"


def _summarize_promises(of: Family, assignor: Assignor) -> list[list[str]]:
    defects = {name: terms for name, terms in assignor.except_in.items() if name not in assignor.limits}
    number, known, limits = len(assignor.promises), len(defects), len(assignor.limits)
    limited = f", {format_count(limits, 'design limit')}" if limits else ""
    if not known:
        return [["promises", f"{number}{limited}, no known defect"]]
    worst = list(dict.fromkeys(does(of, name) for name in worst_first(defects)))[:3]
    whens = [when(of, each) for each in plainest_first(set().union(*defects.values()))]
    more = f"; {len(whens) - MOST} more" if len(whens) > MOST else ""
    return [
        ["promises", f"{number}: {number - known - limits} hold{limited}, {known} with known defects"],
        ["worst defects", "it " + ", ".join(worst)],
        ["happens when", f"there is {'; '.join(whens[:MOST])}{more}"],
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
            rows = [
                (name, read_first_sentence(getattr(f, "func", f).__doc__), None) for name, f in table.items()
            ]
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
        limits.setdefault(describe_situations(assignor.except_in.get(name, ())), []).append(name)
    return "; ".join(
        ", ".join(names) + (f", except in {scope}" if scope else "")
        for scope, names in sorted(limits.items())
    )


def describe_situations(except_in: Iterable[str]) -> str:
    """Return the situations in which a violation of a promise is a known defect or a design limit."""
    return ", ".join(term.replace(AND, f" {AND} ") for term in sorted(except_in))

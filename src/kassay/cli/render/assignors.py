"""What `kassay list` shows on one screen, and the card of an assignor."""

import re
from collections.abc import Iterator, Mapping, Sequence
from inspect import getmodule

from kassay.families import family
from kassay.families.words import does, plainest_first, when, worst_first
from kassay.family import INSIDE, SETTABLE, STUDY, Family, Setting
from kassay.model import Assignor
from kassay.output import Block
from kassay.reference.releases import behaviours
from kassay.sentences import counted, first_sentence
from kassay.shape import TextTable
from kassay.targets.java.releases import KAFKA

TITLES = {
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


def render_headline(number: int) -> str:
    """Say what there is."""
    return f"kassay has {counted(number, 'assignor')}, and judges yours."


def render_assignors(names: Sequence[str], families: Sequence[str]) -> Iterator[Block]:
    """Show the assignors of some families on one screen, those that can be set first."""
    yield Block(says=render_headline(len(names)))
    known = {name: family(name) for name in families}
    for standing, title in TITLES.items():
        rows = []
        for one in known.values():
            own = [
                name for name in names if name.startswith(f"{one.name}/") and one.standing(name) == standing
            ]
            if standing == SETTABLE:
                own = [name for name in one.settable if name in own]
            if own:
                rows.append(_row(one, own, standing))
        if rows:
            yield Block(title=title, prose=True, grid=TextTable(["", ""], rows))
    yield Block(prose=True, grid=TextTable(["", ""], NEXT))


def _row(one: Family, own: Sequence[str], standing: str) -> list[str]:
    title = f"{one.name} ({_KIPS[one.name]})" if standing == SETTABLE and one.name in _KIPS else one.name
    said = "  ".join(name.partition("/")[2] for name in own)
    return [title, f"{said}   (the only one)" if standing == SETTABLE and len(own) == 1 else said]


def render_card(assignor: Assignor, release: str, record: Mapping[str, object]) -> Iterator[Block]:
    """Show what an assignor is, how it is set, what it promises, and what can go wrong; a release is "" for the newest."""
    of = family(assignor.family)
    name = f"{assignor.name}@{release}" if release else assignor.name
    setting = of.settable.get(assignor.name)
    lines = {"setting": setting.lines} if setting else {}
    whole = {**record, "name": name, "standing": of.standing(name), **lines}
    yield Block(says=f"{name} is {_what(assignor, release, of)}.", records=[whole])
    without = _KIP.sub("", first_sentence(_module(assignor)))
    yield Block(prose=True, text=f"{without}.")
    yield from () if setting is None else _setting(setting)
    yield Block(prose=True, grid=TextTable(["", ""], [*_promises(of, assignor)]))
    older = _older(assignor, release)
    yield Block(prose=True, text="See how it keeps them:", code=[f"  kassay check {name}"])
    if older:
        yield Block(prose=True, text=older, code=["  kassay list releases"])


def _what(assignor: Assignor, release: str, of: Family) -> str:
    """Say what an assignor is to somebody who runs Kafka."""
    if assignor.name not in KAFKA:
        return f"a study, which no Kafka has (source: {assignor.source})"
    own = KAFKA[assignor.name]
    kafka = own.class_name(release or own.versions()[-1]).rpartition(".")[2]
    found = next((each for each in behaviours(assignor.name) if release in each.releases), None)
    found = found or behaviours(assignor.name)[-1]
    which = f", as Kafka {found} {'has' if len(found.releases) == 1 else 'have'} it"
    kips = re.findall(r"KIP-\d+", f"{first_sentence(_module(assignor))} {assignor.source}")
    which += f" ({kips[0]})" if kips and not release else ""
    inside = ", which is inside Kafka and cannot be set" if of.standing(assignor.name) == INSIDE else ""
    return f"Kafka's {kafka}{which}{inside}"


def _module(assignor: Assignor) -> str | None:

    return getattr(getmodule(assignor.assign), "__doc__", None)


def _setting(setting: Setting) -> Iterator[Block]:
    usual = "Kafka takes it where nothing is set. " if setting.default else ""
    note = f"{setting.note[:1].upper()}{setting.note[1:]}."
    if setting.lines:
        yield Block(prose=True, text=f"{usual}Set it on {setting.on}:", code=setting.lines)
        yield Block(prose=True, text=note)
    else:
        yield Block(prose=True, text=f"{usual}{note}")


def _promises(of: Family, assignor: Assignor) -> list[list[str]]:
    defects = {name: terms for name, terms in assignor.except_in.items() if name not in assignor.limits}
    number, known, limits = len(assignor.promises), len(defects), len(assignor.limits)
    limited = f", {limits} within {'a limit' if limits == 1 else 'limits'}" if limits else ""
    if not known:
        return [["promises", f"{number}{limited}, and no known defect"]]
    worst = [does(of, name) for name in worst_first(defects)]
    whens = [when(of, each) for each in plainest_first(set().union(*defects.values()))]
    more = f"; {len(whens) - MOST} more" if len(whens) > MOST else ""
    first = list(dict.fromkeys(worst))[:3]
    return [
        [
            "promises",
            f"{number}: {number - known - limits} always hold{limited}, {known} with {'a known defect' if known == 1 else 'known defects'}",
        ],
        ["  at worst", "it " + ", ".join(first)],
        ["  when", "; ".join(whens[:MOST]) + more],
    ]


def _older(assignor: Assignor, release: str) -> str:
    earlier = behaviours(assignor.name)[:-1]
    if not earlier or release:
        return ""
    first = f"{assignor.name}@{earlier[0].releases[-1]}"
    return f"Older Kafka did it otherwise ({counted(len(earlier), 'behaviour')}, from {first} on):"

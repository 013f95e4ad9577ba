"""The stories that `kassay simulate` tells: one for each cause, with the smallest run that shows it."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kassay.docstring import first_sentence
from kassay.output import Block
from kassay.simulation.group import Simulation, save
from kassay.simulation.judging.known import DEFECTS
from kassay.simulation.picture.story import told
from kassay.simulation.picture.timeline import counted, timeline, written
from kassay.simulation.schedule import Saved
from kassay.simulation.search.campaign import Campaign, Found
from kassay.simulation.search.verdicts import INVARIANTS

MEANINGS = {one.name: first_sentence(one.meets.__doc__) for one in DEFECTS}
"""Known defect -> what must have happened, in a sentence."""


@dataclass(frozen=True)
class Story:
    """One cause and what it broke: findings of one known defect, or of one schedule; `runs` is how many showed it."""

    known: tuple[str, ...]
    findings: Sequence[Found]
    runs: int

    @property
    def least(self) -> Found:
        """The finding with the smallest schedule, which tells the story."""
        return min(self.findings, key=lambda one: (len(one.schedule.faults), one.schedule.setting.members))


def stories(findings: Sequence[Found], campaign: Campaign) -> list[Story]:
    """Put together what has one cause: first what is broken, then known defects, the most frequent first."""
    causes: dict[Any, list[Found]] = {}
    for one in findings:
        causes.setdefault(one.known or one.schedule, []).append(one)
    told_ = []
    for of in causes.values():
        known = of[0].known
        runs = campaign.caused.get(known, 0) if known else campaign.broken.get((of[0].invariant, ()), 0)
        told_.append(Story(known, of, runs))
    return sorted(told_, key=lambda story: (bool(story.known), -story.runs))


def story_blocks(args: argparse.Namespace, group: Simulation, story: Story, *, full: bool) -> Iterator[Block]:
    """Tell a story: the smallest run in rows, or in all its messages, what should have been, and how to see it again."""
    one = story.least
    setting = one.schedule.setting
    size = "Smallest run" if one.minimised else "A run, the smallest in the tries there were"
    size = args.scenario or size
    static = "static " * setting.static
    title = f"{size}: {counted(setting.members, static + 'member')}, {counted(sum(setting.partitions), 'partition')}, {counted(len(one.schedule.faults), 'fault')}"
    names = [each.invariant for each in story.findings]
    notes = group.told(one.schedule)
    yield _run(title, notes, names, setting.members, full=full)
    saved_ = [group.saved(each, args.seed) for each in story.findings]
    broke, meant = words(group, story)
    yield Block(prose=True, text="\n".join([*broke, *meant]))
    records = [_record(each, saved) for each, saved in zip(story.findings, saved_, strict=True)]
    yield from _files(args, group, story.findings, saved_)
    yield Block(records=records)


def _record(one: Found, saved: Saved) -> dict[str, Any]:
    return {"record": "schedule", "invariant": one.invariant, "known": one.known, "schedule": saved}


def _run(title: str, notes: Sequence[Any], names: Sequence[str], members: int, *, full: bool) -> Block:
    if full:
        lines = written(timeline(notes)).splitlines()
        return Block(title, "\n".join(f"  {line}" for line in lines), prose=True)
    return Block(title, grid=told(notes, names, members), prose=True)


def words(group: Simulation, story: Story) -> tuple[list[str], list[str]]:
    """Return what broke in the smallest run of a story, a sentence each, and what should have been, and why it is known."""
    names = [one.invariant for one in story.findings]
    broke = dict(group.run(story.least.schedule).breaches)
    said = dict.fromkeys(sentence(capital(broke[name])) for name in names if name in broke)
    return [*said], [*_meant(story)]


def _meant(story: Story) -> Iterator[str]:
    """Say what should have been, in the words of the invariants, and why the breach is known."""
    names = ", ".join(one.invariant for one in story.findings)
    first = story.findings[0].invariant
    if not first:
        return
    yield f"{sentence(first_sentence(INVARIANTS[first].__doc__))} ({names})"
    if story.known:
        yield f"Known: {' '.join(sentence(MEANINGS[name]) for name in story.known)} ({', '.join(story.known)})"


def _files(
    args: argparse.Namespace, group: Simulation, findings: Sequence[Found], saved_: Sequence[Saved]
) -> Iterator[Block]:
    if args.folder is None:
        return
    commands = []
    for one, saved in zip(findings, saved_, strict=True):
        trace = timeline(group.told(one.schedule))
        path = save(Path(args.folder), saved, trace)
        trust = " --trust" if ":" in saved.target else ""
        commands.append(f"  kassay simulate --replay {path}{trust}")
    yield Block(prose=True, text="The same again:", code=commands)


def sentence(text: str) -> str:
    """End a sentence with a full stop, where it has none."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def capital(text: str) -> str:
    """Write a sentence's first letter large, unless it begins with a name such as m0-0."""
    first = text.partition(" ")[0]
    return text if any(sign.isdigit() for sign in first) else text[:1].upper() + text[1:]


def lowered(text: str) -> str:
    """Write a sentence's first letter small, unless it begins with a name."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text

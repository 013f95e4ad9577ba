"""The stories that `kassay simulate` tells: one for each cause, with the smallest run that shows it."""

import argparse
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kassay.output import Block
from kassay.over_the_wire.groups.addresses import is_elsewhere
from kassay.over_the_wire.groups.kept_by_clients import OF_CLIENTS
from kassay.sentences import capital, counted, first_sentence, sentence
from kassay.simulation.group import Judged, Shown
from kassay.simulation.judging.known import DEFECTS
from kassay.simulation.picture.story import told
from kassay.simulation.picture.timeline import timeline, written
from kassay.simulation.search.verdicts import INVARIANTS

MEANINGS = {one.name: first_sentence(one.meets.__doc__) for one in DEFECTS}
"""Known defect -> what must have happened, in a sentence."""


@dataclass(frozen=True)
class Story:
    """One cause and what it broke: findings of one known defect, or of one schedule; `runs` is how many showed it."""

    known: tuple[str, ...]
    findings: Sequence[Shown]
    runs: int

    @property
    def least(self) -> Shown:
        """The finding with the smallest schedule, which tells the story."""
        return min(self.findings, key=_size)

    @property
    def names(self) -> list[str]:
        """The invariants that break; of a run in which none does an empty name."""
        return [one.found.invariant for one in self.findings]

    @property
    def broke(self) -> list[str]:
        """What broke in the smallest run, a sentence each."""
        broke = dict(self.least.breaches)
        return [*dict.fromkeys(sentence(capital(broke[name])) for name in self.names if name in broke)]

    @property
    def meant(self) -> list[str]:
        """What should have been, in the words of the invariants, and why the breach is known."""
        if not self.names[0]:
            return []
        meant = first_sentence((INVARIANTS | OF_CLIENTS)[self.names[0]].__doc__)
        known = " ".join(sentence(MEANINGS[name]) for name in self.known)
        return [
            f"{sentence(meant)} ({', '.join(self.names)})",
            *[f"Known: {known} ({', '.join(self.known)})"] * bool(known),
        ]


def _size(one: Shown) -> tuple[int, int]:
    return len(one.found.schedule.faults), one.found.schedule.setting.members


def stories(result: Judged) -> list[Story]:
    """Put together what has one cause: first what is broken, then known defects, the most frequent first."""
    causes: dict[Any, list[Shown]] = {}
    for one in result.shown:
        causes.setdefault(one.found.known or one.found.schedule, []).append(one)
    told_ = []
    for of in causes.values():
        known = of[0].found.known
        caused, broken = result.campaign.caused, result.campaign.broken
        runs = caused.get(known, 0) if known else broken.get((of[0].found.invariant, ()), 0)
        told_.append(Story(known, of, runs))
    return sorted(told_, key=lambda story: (bool(story.known), -story.runs))


def story_blocks(args: argparse.Namespace, story: Story) -> Iterator[Block]:
    """Tell a story: the smallest run in rows, or in all its messages, what should have been, and how to see it again."""
    one = story.least.found
    setting = one.schedule.setting
    size = "Smallest run" if one.minimised else "A run, the smallest in the tries there were"
    size = args.scenario or size
    static = "static " * setting.static
    title = f"{size}: {counted(setting.members, static + 'member')}, {counted(sum(setting.partitions), 'partition')}, {counted(len(one.schedule.faults), 'fault')}"
    yield _run(title, story, full=args.all)
    yield Block(prose=True, text="\n".join([*story.broke, *story.meant]))
    yield from _files(args, story)
    yield Block(records=[_record(each) for each in story.findings])


def _record(one: Shown) -> dict[str, Any]:
    return {
        "record": "schedule",
        "invariant": one.found.invariant,
        "known": one.found.known,
        "schedule": one.saved,
    }


def _run(title: str, story: Story, *, full: bool) -> Block:
    notes = story.least.notes
    if full:
        lines = written(timeline(notes)).splitlines()
        return Block(title, "\n".join(f"  {line}" for line in lines), prose=True)
    members = story.least.found.schedule.setting.members
    return Block(title, grid=told(notes, story.names, members), prose=True)


def _files(args: argparse.Namespace, story: Story) -> Iterator[Block]:
    there = f" --coordinator {args.coordinator}" if is_elsewhere(args.coordinator) else ""
    there += f" --client {shlex.quote(args.client)}" if args.client is not None else ""
    commands = []
    for one in story.findings:
        if one.path is None:
            return
        trust = " --trust" if ":" in one.saved.target else ""
        commands.append(f"  kassay simulate{there} --replay {one.path}{trust}")
    yield Block(prose=True, text="The same again:", code=commands)

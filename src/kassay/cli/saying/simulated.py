"""What `kassay simulate` says: what broke in a sentence, the smallest run that shows it, what it did not harm, and what to do next.

The stories that `kassay simulate` tells: one for each cause, with the smallest run that shows it.
"""

import argparse
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kassay.cli.saying.checking.results import verdict_record
from kassay.engine.verdict import BROKEN, KEPT, KNOWN_DEFECT, SKIPPED, Verdict
from kassay.output import Block, JUnitCase
from kassay.protocol.server.addresses import is_elsewhere
from kassay.protocol.server.outside_invariants import OF_CLIENTS
from kassay.protocol.simulation.campaign import Campaign
from kassay.protocol.simulation.exhaustive import Explored
from kassay.protocol.simulation.group import INVARIANTS, Judged, Shown, Simulation
from kassay.protocol.simulation.known_defects import DEFECTS
from kassay.protocol.simulation.monitor import Broken
from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.timeline import timeline, told, written
from kassay.sentences import capital, counted, first_sentence, lowered, sentence
from kassay.shape import TextTable

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


STUDY = "A study of a protocol that no broker runs (--coordinator {}). "
STATES = ("Stable", "Joining", "AwaitSync", "Empty", "Down", "Initialize", "no coordinator")
"""States of a group as they are listed."""
HARMLESS = {
    "no_double_client_assignment": "no two members owned a partition at once",
    "commits_from_owners": "no offset was committed by a member that did not own it",
    "legal_target_assignment": "every partition found an owner again",
    "eventually_converges": "every group came to rest",
}
"""Invariants that people ask for first, where they hold."""


def whose(setting: Setting) -> str:
    """Say whose coordinator it is."""
    return "Kafka's coordinator" if setting.coordinator.startswith("kafka@") else "this coordinator"


def study(setting: Setting) -> str:
    """Say of a coordinator that no broker runs that it is a study."""
    return "" if setting.coordinator.startswith("kafka@") else STUDY.format(setting.coordinator)


def failing(judged: Sequence[Verdict], *, strict: bool) -> bool:
    """Say whether something counts as broken."""
    outcomes = {one.outcome for one in judged}
    return BROKEN in outcomes or (strict and KNOWN_DEFECT in outcomes)


def mark(judged: Sequence[Verdict], *, strict: bool) -> str:
    """Return what stands before the headline."""
    if failing(judged, strict=strict):
        return "FAIL"
    return "open" if any(one.outcome == SKIPPED for one in judged) else "ok"


def headline(
    group: Simulation, judged: Sequence[Verdict], shown: Sequence[Story], campaign: Campaign, *, interrupted: bool = False
) -> str:  # fmt: skip
    """Say what is wrong, with how many of how many runs; else what is known, and that nothing else is."""
    runs = counted(campaign.ran, "run")
    begins = f"{study(group.setting)}{'Interrupted. ' if interrupted else ''}"
    new = [story for story in shown if story.names[0] and not story.known]
    answers = [one for one in judged if one.outcome == BROKEN and one.property not in INVARIANTS]
    if answers:
        first, *rest = answers
        also = f" It breaks {counted(len(rest), 'more promise')} of its own." if rest else ""
        of = counted(first.judged, "group")
        return f"{begins}{group.name} breaks {first.property} on {first.breaches:,} of {of} that {runs} asked of it: {sentence(first.message)}{also}"
    if new:
        more = len(new) - 1
        also = f" {counted(more, 'more story', 'more stories')} below." if more else ""
        one = new[0].least.found
        return f"{begins}{sentence(capital(one.sentence))} Seen in {new[0].runs:,} of {runs}, with {group.name}.{also}"
    known = [story for story in shown if story.known]
    if any(one.outcome == SKIPPED for one in judged):
        why = next(one.message for one in judged if one.outcome == SKIPPED)
        return f"{begins}Could not tell all in {runs} with {group.name}: {sentence(why)}"
    if not known:
        return f"{begins}Nothing broke in {runs} of {_group(group)}."
    does = MEANINGS[known[0].known[0]] if len(known[0].known) == 1 else ", ".join(known[0].known)
    defects = (
        f"One known defect of {whose(group.setting)}, on {known[0].runs:,}: {lowered(does)}"
        if len(known) == 1
        else f"{len(known)} known defects of {whose(group.setting)}; the most frequent, on {known[0].runs:,}: {lowered(does)}"
    )
    return f"{begins}Nothing new in {runs} of {_group(group)}. {sentence(defects)}"


def _group(group: Simulation) -> str:
    setting = group.setting
    static = "static " * setting.static
    uses = f" under {setting.use}" if group.name == setting.use else f" with {group.name}"
    by = "" if not setting.coordinator.startswith("kafka@") else f", Kafka {setting.coordinator[6:]}"
    return f"{counted(setting.members, static + 'member')}{uses}{by}"


def answer_block(group: Simulation, result: Judged, shown: Sequence[Story], *, strict: bool) -> Block:
    """Say the answer; programs find the verdicts with it."""
    judged = result.verdicts
    return Block(
        says=headline(group, judged, shown, result.campaign, interrupted=not result.whole),
        mark=mark(judged, strict=strict),
        records=[verdict_record(one) for one in judged],
        cases=[JUnitCase(one.target, one.property, one.outcome, one.message) for one in judged],
    )


def broken_answers(group: Simulation) -> Iterator[Block]:
    """Show the smallest group on which the assignor breaks a promise of its own, and the command that looks for more."""
    answers = group.answers
    if answers is None:
        return
    for (name, known), one in answers.broken.items():
        if known:
            continue
        yield _answered(group, name, one)
        yield Block(
            prose=True, text="The same without a group around it, on every kind of group:",
            code=[f"  kassay check {group.name}"],
        )  # fmt: skip
        return


def _answered(group: Simulation, name: str, one: Broken) -> Block:
    assert group.answers is not None
    shape = group.answers.family.shape
    grid = shape.show(one.group, {} if one.answer is None else {"is given": one.answer})
    meaning = sentence(first_sentence(group.answers.family.properties[name].__doc__))
    return Block("Smallest group that it was asked for", f"{meaning} ({name})", grid=grid, prose=True)


def known_rows(known: Sequence[Story], ran: int) -> Block:
    """Show known defects beyond the one that was told, a row each."""
    rows = [
        [lowered(MEANINGS[name]), f"{story.runs:,} of {ran:,}"] for story in known for name in story.known
    ]
    return Block(prose=True, grid=TextTable(["other known defects", "runs"], rows))


def harm(judged: Sequence[Verdict], ran: int) -> Block:
    """Say what held all the same."""
    kept = [one.property for one in judged if one.outcome == KEPT and one.property in INVARIANTS]
    named = [words for name, words in HARMLESS.items() if name in kept]
    rest = len(kept) - len(named)
    if not named:
        return Block()
    said = ", and ".join(part for part in (", ".join(named[:-1]), named[-1]) if part)
    more = f" {counted(rest, 'more promise holds', 'more promises hold')}." if rest else ""
    broke = any(one.outcome in {BROKEN, KNOWN_DEFECT} for one in judged)
    harmless = len(named) == len(HARMLESS) and all(one.outcome != BROKEN for one in judged)
    begins = "In" if not broke else "It did no harm here: in" if harmless else "What holds: in"
    return Block(prose=True, text=f"{begins} {counted(ran, 'run')} {said}.{more}")


def tried(args: argparse.Namespace, group: Simulation, result: Judged) -> Block:
    """Say what struck how often, and how long groups took to come to rest."""
    campaign, kinds = result.campaign, result.kinds
    rounds = max(campaign.rounds, default=0)
    missing = [kind for kind in kinds if kind not in campaign.faults]
    struck = ", ".join(f"{kind} {campaign.faults[kind]:,}" for kind in kinds if kind in campaign.faults)
    said = [f"Struck: {struck or 'nothing'}."]
    said += [f"Never struck: {', '.join(missing)}; try more --schedules."] * bool(missing)
    slowest = campaign.slowest_ms / 1000
    said += [
        f"Groups came to rest within {slowest:g} s and {counted(rounds, 'generation')} of the last fault."
    ]
    record = {
        "record": "simulated", "target": group.name, "schedules": campaign.ran, "seed": args.seed, "whole": result.whole,
        "slowest_ms": campaign.slowest_ms, "rounds": rounds, "faults": campaign.faults, "never_struck": missing,
    }  # fmt: skip
    return Block(prose=True, text="\n".join(said), records=[record])


def ending(judged: Sequence[Verdict], status: int, *, strict: bool, of: str = "") -> Block:
    """Say the exit status in words."""
    known = any(one.outcome == KNOWN_DEFECT for one in judged)
    said = {
        0: "nothing but known defects. With --strict it is 1." if known else "no promise is broken.",
        1: "a known defect, and --strict."
        if strict and all(one.outcome != BROKEN for one in judged)
        else "a promise is broken.",
        3: "could not tell.",
        130: f"interrupted{of}; what was found until then stands.",
    }[status]
    return Block(prose=True, text=f"Exit status {status}: {said}")


def next_lines(args: argparse.Namespace, *, shown: bool) -> Block:
    """Say how to see more."""
    said = []
    if shown:
        said += ["All messages:  add --all"] if not args.all else []
        said += ["A picture of it:  add --html run.html"] if args.html is None else []
        said += ["A file that --replay takes:  add -o DIR"] if args.folder is None and not args.replay else []
    return Block(prose=True, text="\n".join(said))


def explored_headline(group: Simulation, explored: Explored, judged: Sequence[Verdict]) -> str:
    """Say what was visited and what broke."""
    number = f"{sum(explored.states):,} states up to {len(explored.states) - 1} steps"
    broken = [one for one in judged if one.outcome == BROKEN]
    known = sorted({term for one in judged if one.outcome == KNOWN_DEFECT for term in one.except_in})
    begins = study(group.setting)
    if broken:
        also = f" The first of {len(broken)} broken, in {number}." if len(broken) > 1 else f" In {number}."
        return f"{begins}{sentence(capital(broken[0].message))}{also}"
    nothing = "Nothing new broke" if known else "Nothing broke"
    also = f" {counted(len(known), 'known defect')}: {', '.join(known)}." if known else ""
    if not explored.whole:
        return f"{begins}{nothing} in {number}, which are not all: {explored.stopped}.{also}"
    return f"{begins}{nothing} whatever the order, in all {number} of {_group(group)}.{also}"


def explored_groups(explored: Explored, kinds: Sequence[str]) -> Block:
    """Say how many states had how many members, by the state of their coordinator."""
    most = max((members for _, members in explored.groups), default=0)
    states = [name for name in STATES if any(state == name for state, _ in explored.groups)]
    rows = [
        [name, *(f"{explored.groups.get((name, members), 0):,}" for members in range(most + 1))]
        for name in states
    ]
    columns = ["states by that of the group", *(counted(members, "member") for members in range(most + 1))]
    record = {
        "record": "explored", "states": explored.states, "steps": explored.steps, "whole": explored.whole, "faults": kinds,
        "groups": [{"state": state, "members": members, "states": count} for (state, members), count in sorted(explored.groups.items())],
    }  # fmt: skip
    text = (
        f"{explored.steps:,} steps were taken from a group that had formed; {', '.join(kinds)} struck once. Times do not count; from each state the "
        "group was let go on, and had to become stable."
    )
    return Block(prose=True, text=text, grid=TextTable(columns, rows), records=[record])


def on_a_page(args: argparse.Namespace, group: Simulation, result: Judged, shown: Sequence[Story]) -> Block:
    """Write the page of what broke, cause by cause, and say where it is."""
    from kassay.reports.page.simulation_page import Cause, write_simulation_page

    says = headline(group, result.verdicts, shown, result.campaign)
    told = [Cause(story.least, story.broke, story.meant) for story in shown]
    write_simulation_page(Path(args.html), group, says, result.verdicts, told, args.seed)
    record: Mapping[str, Any] = {"record": "page", "page": args.html, "sentences": [says]}
    return Block(prose=True, text=f"The page: {args.html}", records=[record])

"""The output of `kassay simulate`: what broke, the smallest run that shows it, what held, and what to do next."""

import argparse
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kassay.cli.render.findings import build_verdict_record
from kassay.engine.verdict import Verdict
from kassay.families.shape import TextTable
from kassay.output import Block, JUnitCase
from kassay.output.block import BROKEN, KEPT, KNOWN_DEFECT, MARKS, SKIPPED
from kassay.protocol.server.addresses import is_address
from kassay.protocol.server.outside_invariants import OF_CLIENTS
from kassay.protocol.simulation.campaign import MOST_ENDLESS, Campaign
from kassay.protocol.simulation.exhaustive import Explored
from kassay.protocol.simulation.group import INVARIANTS, Judged, Shown, Simulation, list_unexercised
from kassay.protocol.simulation.known_defects import DEFECTS
from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.timeline import (
    build_story,
    build_timeline,
    describe_response,
    find_breach,
    render_text,
)
from kassay.sentences import capitalize, end_sentence, format_count, lower_first, read_first_sentence

if TYPE_CHECKING:  # both need the extra "wire"
    from kassay.protocol.server.external_cluster import Cluster
    from kassay.protocol.server.external_groups import CampaignResult

MEANINGS = {one.name: read_first_sentence(one.meets.__doc__) for one in DEFECTS}
"""Known defect -> its cause in a sentence."""


@dataclass(frozen=True)
class Story:
    """One cause and what it broke: findings of one known defect, or of one schedule; `runs` is how many showed it."""

    known: tuple[str, ...]
    findings: Sequence[Shown]
    runs: int

    @property
    def least(self) -> Shown:
        """The finding with the smallest schedule, which tells the story."""
        schedules = [one.found.schedule for one in self.findings]
        sizes = [(len(one.faults), one.setting.members) for one in schedules]
        return self.findings[sizes.index(min(sizes))]

    @property
    def names(self) -> list[str]:
        """The broken invariants; an empty name if none is broken."""
        return [one.found.invariant for one in self.findings]

    @property
    def broke(self) -> list[str]:
        """The violations in the smallest run, a sentence each."""
        broke = dict(self.least.breaches)
        return [*dict.fromkeys(end_sentence(capitalize(broke[name])) for name in self.names if name in broke)]

    @property
    def meant(self) -> list[str]:
        """The response that breaks the first invariant, what was expected instead, and the known cause."""
        if not self.names[0]:
            return []
        known = " ".join(end_sentence(MEANINGS[name]) for name in self.known)
        step = build_step_record(self.least.notes, self.names)
        answered = f"Answered to member {step['member']} at {step['time_ms'] / 1000:g} s: {step['answered']}."
        return [
            *[answered] * bool(step["answered"]),
            f"Expected: {lower_first(step['expected'])} ({', '.join(self.names)})",
            *[f"Known cause: {known} ({', '.join(self.known)})"] * bool(known),
        ]


def build_step_record(notes: Sequence[tuple[Any, ...]], invariants: Sequence[str]) -> dict[str, Any]:
    """Return the step that first breaks one of these invariants: its time, its member, and what was answered and expected.

    The member is None if the group as a whole breaks it, and `answered` is "" if no response does.
    """
    time_ms, name, step = find_breach(notes, invariants)
    answered = "" if step is None or step.response is None else describe_response(step.response)
    expected = end_sentence(read_first_sentence((INVARIANTS | OF_CLIENTS)[name].__doc__))
    member = None if step is None else step.slot
    return {"time_ms": time_ms, "member": member, "answered": answered, "expected": expected}


def group_findings(result: Judged) -> list[Story]:
    """Return findings with one cause together: first new ones, then known defects, the most frequent first."""
    causes: dict[Any, list[Shown]] = {}
    for one in result.shown:
        causes.setdefault(one.found.known or one.found.schedule, []).append(one)
    stories = []
    for of in causes.values():
        known = of[0].found.known
        caused, broken = result.campaign.caused, result.campaign.broken
        runs = caused.get(known, 0) if known else broken.get((of[0].found.invariant, ()), 0)
        stories.append(Story(known, of, runs))
    return sorted(stories, key=lambda story: (bool(story.known), -story.runs))


def render_story(args: argparse.Namespace, story: Story) -> Iterator[Block]:
    """Yield the smallest run in rows, or with all its messages, and the broken invariants."""
    one = story.least.found
    setting = one.schedule.setting
    size = "Smallest run" if one.minimised else "Smallest run found"
    static = "static " * setting.static
    title = f"{args.scenario or size}: {format_count(setting.members, static + 'member')}, {format_count(sum(setting.partitions), 'partition')}, {format_count(len(one.schedule.faults), 'fault')}"
    notes = story.least.notes
    if args.all:
        lines = render_text(build_timeline(notes)).splitlines()
        yield Block(title, "\n".join(f"  {line}" for line in lines), prose=True)
    else:
        yield Block(title, grid=build_story(notes, story.names, setting.members), prose=True)
    yield Block(prose=True, text="\n".join([*story.broke, *story.meant]))
    records = [
        {
            "record": "schedule", "invariant": each.found.invariant, "known": each.found.known, "schedule": each.saved,
            "step": build_step_record(each.notes, [each.found.invariant]) if each.found.invariant else None,
        }
        for each in story.findings
    ]  # fmt: skip
    yield Block(records=records)


UNSTABLE = frozenset({"eventually_converges", "owned_in_time", "runs_end", "machines_do_not_fail"})
"""The invariants that groups break which do not become stable."""
STUDY = "Research protocol, not in any broker (--coordinator {}). "
STATES = ("Stable", "Joining", "AwaitSync", "Empty", "Down", "Initialize", "no coordinator")
"""States of a group as they are listed."""
HARMLESS = {
    "no_double_client_assignment": "no partition had two owners",
    "commits_from_owners": "no offset was committed by another member",
    "legal_target_assignment": "every partition was assigned again",
    "eventually_converges": "every group converged",
}
"""Invariant -> its meaning if it holds, for the first ones that a user asks for."""


def describe_study(setting: Setting) -> str:
    """Return that the coordinator is a research protocol, "" for a release of Kafka."""
    return "" if setting.coordinator.startswith("kafka@") else STUDY.format(setting.coordinator)


def choose_mark(judged: Sequence[Verdict], *, strict: bool) -> str:
    """Return the mark of the result."""
    outcomes = {one.outcome for one in judged}
    if BROKEN in outcomes or (strict and KNOWN_DEFECT in outcomes):
        return MARKS[1]
    return MARKS[3 if SKIPPED in outcomes else 0]


def build_answer_block(says: str, judged: Sequence[Verdict], mark: str) -> Block:
    """Return the block of an answer: its sentence, and the verdicts for programs and CI systems."""
    return Block(
        says=says,
        mark=mark,
        records=[build_verdict_record(one) for one in judged],
        cases=[JUnitCase(one.target, one.property, one.outcome, one.message) for one in judged],
    )


def render_headline(
    group: Simulation, judged: Sequence[Verdict], shown: Sequence[Story], campaign: Campaign, *, interrupted: bool = False
) -> str:  # fmt: skip
    """Return the violation and its number of runs, else the known defects, else that there is no defect."""
    runs = format_count(campaign.ran, "run")
    begins = f"{describe_study(group.setting)}{'Interrupted. ' if interrupted else ''}"
    new = [story for story in shown if story.names[0] and not story.known]
    answers = [one for one in judged if one.outcome == BROKEN and one.property not in INVARIANTS]
    if answers:
        first, *rest = answers
        also = (
            f" {format_count(len(rest), 'more promise')} of the assignor {'is' if len(rest) == 1 else 'are'} broken."
            if rest
            else ""
        )
        of = format_count(first.judged, "group")
        return f"{begins}{group.name} breaks {first.property} in {first.breaches:,} of {of} from {runs}: {end_sentence(first.message)}{also}"
    if new:
        more = len(new) - 1
        also = f" {format_count(more, 'more violation')} below." if more else ""
        one = new[0].least.found
        return f"{begins}{end_sentence(capitalize(one.sentence))} In {new[0].runs:,} of {runs} of {group.name}.{also}"
    known = [story for story in shown if story.known]
    if any(one.outcome == SKIPPED for one in judged):
        why = next(one.message for one in judged if one.outcome == SKIPPED)
        return f"{begins}{runs} of {group.name} are incomplete: {end_sentence(why)}"
    if not known:
        return f"{begins}{runs} of {_describe_group(group)} show no defect."
    does = MEANINGS[known[0].known[0]] if len(known[0].known) == 1 else ", ".join(known[0].known)
    whose = "Kafka's" if group.setting.coordinator.startswith("kafka@") else "this"
    defects = f"One known defect of {whose} coordinator occurs in {format_count(known[0].runs, 'run')}: {lower_first(does)}"
    if len(known) > 1:
        defects = f"{len(known)} known defects of {whose} coordinator occur. The most frequent ({format_count(known[0].runs, 'run')}): {lower_first(does)}"
    return f"{begins}{runs} of {_describe_group(group)} show no new defect. {end_sentence(defects)}"


def _describe_group(group: Simulation) -> str:
    setting = group.setting
    static = "static " * setting.static
    uses = f" under {setting.use}" if group.name == setting.use else f" with {group.name}"
    by = "" if not setting.coordinator.startswith("kafka@") else f" and Kafka {setting.coordinator[6:]}"
    return f"{format_count(setting.members, static + 'member')}{uses}{by}"


def render_answer(group: Simulation, result: Judged, shown: Sequence[Story], *, strict: bool) -> Block:
    """Return the answer with the verdicts."""
    says = render_headline(group, result.verdicts, shown, result.campaign, interrupted=not result.whole)
    mark = choose_mark(result.verdicts, strict=strict)
    mark = MARKS[3] if result.campaign.left and mark == MARKS[0] else mark
    return build_answer_block(says, result.verdicts, mark)


def describe_left_runs(campaign: Campaign, limit_s: float) -> str:
    """Return how many runs were not made in the time limit; "" if all were."""
    if not campaign.left:
        return ""
    every = campaign.ran + campaign.left
    return (
        f"{campaign.left:,} of {every:,} runs are left, because the time limit of {limit_s:g} s is over. "
        "Give more --time-limit, or fewer --schedules"
    )


def render_broken_answers(group: Simulation) -> Iterator[Block]:
    """Yield the smallest group in which the assignor breaks one of its own promises."""
    answers = group.answers
    broken = [] if answers is None else [one.property for one in answers.verdicts() if one.outcome == BROKEN]
    if answers is None or not broken:
        return
    name = broken[0]  # the promise that the headline names
    one = answers.broken[name, False]
    grid = answers.family.shape.show(one.group, {} if one.answer is None else {"assigned": one.answer})
    asks = end_sentence(read_first_sentence(answers.family.properties[name].__doc__))
    yield Block(
        "Smallest group in these runs", f'Promise "{name}": {lower_first(asks)}', grid=grid, prose=True
    )


def render_known(known: Sequence[Story], ran: int) -> Block:
    """Return a row for each known defect that is not shown in full."""
    rows = [
        [lower_first(MEANINGS[name]), f"{story.runs:,} of {ran:,}"] for story in known for name in story.known
    ]
    return Block(prose=True, grid=TextTable(["other known defects", "runs"], rows))


def describe_impact(judged: Sequence[Verdict], ran: int) -> Block:
    """Return the impact of the defects, and the invariants that hold in all runs."""
    kept = [one.property for one in judged if one.outcome == KEPT and one.property in INVARIANTS]
    if any(one.property in UNSTABLE and one.outcome != KEPT for one in judged):
        # Only stable groups are checked for items without an owner.
        kept = [name for name in kept if name != "legal_target_assignment"]
    named = [words for name, words in HARMLESS.items() if name in kept]
    rest = len(kept) - len(named)
    if not named:
        return Block()
    said = ", and ".join(part for part in (", ".join(named[:-1]), named[-1]) if part)
    more = f" {format_count(rest, 'more promise holds', 'more promises hold')}." if rest else ""
    broke = any(one.outcome in {BROKEN, KNOWN_DEFECT} for one in judged)
    harmless = len(named) == len(HARMLESS) and all(one.outcome != BROKEN for one in judged)
    begins = "Impact: none in" if broke and harmless else "In"
    colon = ":" if broke and harmless else ","
    return Block(prose=True, text=f"{begins} {format_count(ran, 'run')}{colon} {said}.{more}")


def describe_coverage(args: argparse.Namespace, group: Simulation, result: Judged) -> Block:
    """Return how often each fault was injected, and how long groups took to converge."""
    campaign, kinds = result.campaign, result.kinds
    rounds = max(campaign.rounds, default=0)
    missing = [kind for kind in kinds if kind not in campaign.faults]
    struck = ", ".join(f"{kind} {campaign.faults[kind]:,}" for kind in kinds if kind in campaign.faults)
    exercised = campaign.exercised or {}
    unexercised = list_unexercised(exercised)
    said = [f"Injected faults: {struck or 'none'}."]
    said += [f"Never exercised: {', '.join(unexercised)}."] * bool(unexercised)
    said += [f"Stopped after {campaign.endless} runs without end."] * (campaign.endless >= MOST_ENDLESS)
    said += [f"Left: {campaign.left:,} runs."] * (campaign.left > 0)
    said += [f"Never injected: {', '.join(missing)}. Try more --schedules."] * bool(missing)
    slowest = campaign.slowest_ms / 1000
    said += [
        "No group converged."
        if not slowest
        else f"Groups converged within {slowest:g} s and {format_count(rounds, 'generation')} after the last fault."
    ]
    record = {
        "record": "simulated", "target": group.name, "schedules": campaign.ran, "seed": args.seed, "whole": result.whole,
        "slowest_ms": campaign.slowest_ms, "rounds": rounds, "faults": campaign.faults, "never_struck": missing,
        "never_exercised": unexercised, "exercised": {name: exercised.get(name, 0) for name in INVARIANTS},
        "left": campaign.left,
    }  # fmt: skip
    return Block(prose=True, text="\n".join(said), records=[record])


def describe_exit_status(
    judged: Sequence[Verdict], status: int, *, strict: bool, of: str = "", why: str = ""
) -> str:
    """Return the exit status in words; `of` has the number of runs before an interruption, `why` the reason for no conclusion."""
    known = any(one.outcome == KNOWN_DEFECT for one in judged)
    said = {
        0: "only known defects. With --strict: 1." if known else "no promise is broken.",
        1: "a known defect, and --strict is set."
        if strict and all(one.outcome != BROKEN for one in judged)
        else "a promise is broken.",
        3: f"no conclusion: {why or _find_reason(judged)}.",
        130: f"interrupted{of}. The findings until then are complete.",
    }[status]
    return f"Exit status {status}: {said}"


def _find_reason(judged: Sequence[Verdict]) -> str:
    """Return why a promise was not tested."""
    untested = [one for one in judged if one.outcome == SKIPPED]
    why = next((one.message for one in untested if one.message), "")
    if not untested:
        return "nothing is promised"
    return f"{untested[0].property} was not tested{f': {why.rstrip(chr(46))}' if why else ''}"


def list_next_commands(args: argparse.Namespace, stories: Sequence[Story]) -> Iterator[tuple[str, str]]:
    """Yield the commands that replay or show the runs of findings."""
    there = f" --coordinator {args.coordinator}" if is_address(args.coordinator) else ""
    there += f" --client {shlex.quote(args.client)}" if args.client is not None else ""
    saved = [each for story in stories for each in story.findings if each.path is not None]
    for each in saved:
        trust = " --trust" * (":" in each.saved.target)
        yield f"kassay simulate{there} --replay {each.path}{trust}", ""
    if not stories or there or args.replay:
        return
    words = [args.use] if args.use else []
    for name in (
        "target",
        "coordinator",
        "faults",
        "schedules",
        "members",
        "partitions",
        "scenario",
        "time_limit",
    ):
        value = getattr(args, name)
        shown = f"{value:g}" if isinstance(value, float) else str(value)
        words += [] if value is None else [f"--{name.replace('_', '-')}", shown]
    words += ["--static"] * bool(args.static) + (["--seed", str(args.seed)] if args.seed else [])
    again = shlex.join(["kassay", "simulate", *words])
    if args.html is None:
        yield f"{again} --html run.html", "sequence diagram"
    if not args.all:
        yield f"{again} --all", "all messages"
    if args.folder is None:
        yield f"{again} -o DIR", "save the run for --replay"


def render_exploration_headline(group: Simulation, explored: Explored, judged: Sequence[Verdict]) -> str:
    """Return the number of visited states, and the violations."""
    number = f"{sum(explored.states):,} states up to {len(explored.states) - 1} steps"
    broken = [one for one in judged if one.outcome == BROKEN]
    known = sorted({term for one in judged if one.outcome == KNOWN_DEFECT for term in one.except_in})
    begins = describe_study(group.setting)
    if broken:
        also = f" {len(broken)} promises are broken in {number}." if len(broken) > 1 else f" In {number}."
        return f"{begins}{end_sentence(capitalize(broken[0].message))}{also}"
    nothing = "no new defect" if known else "no defect"
    also = f" {format_count(len(known), 'known defect')}: {', '.join(known)}." if known else ""
    if not explored.whole:
        return f"{begins}{capitalize(number)} show {nothing}, but not all states were visited: {explored.stopped}.{also}"
    return f"{begins}All {number} of {_describe_group(group)} show {nothing}, in any order of events.{also}"


def render_explored_groups(explored: Explored, kinds: Sequence[str]) -> Block:
    """Return the number of states by state of the group and number of members."""
    most = max((members for _, members in explored.groups), default=0)
    states = [name for name in STATES if any(state == name for state, _ in explored.groups)]
    rows = [
        [name, *(f"{explored.groups.get((name, members), 0):,}" for members in range(most + 1))]
        for name in states
    ]
    columns = ["state of the group", *(format_count(members, "member") for members in range(most + 1))]
    record = {
        "record": "explored", "states": explored.states, "steps": explored.steps, "whole": explored.whole, "faults": kinds,
        "groups": [{"state": state, "members": members, "states": count} for (state, members), count in sorted(explored.groups.items())],
    }  # fmt: skip
    text = (
        f"{explored.steps:,} steps from a stable group, with one fault ({', '.join(kinds)}). Times are ignored. "
        "From each state the group has to become stable again."
    )
    return Block(prose=True, text=text, grid=TextTable(columns, rows), records=[record])


def write_page(args: argparse.Namespace, group: Simulation, result: Judged, shown: Sequence[Story]) -> Block:
    """Write the page of a simulated group, and return its path."""
    says = render_headline(group, result.verdicts, shown, result.campaign)
    properties = {} if group.answers is None else group.answers.family.properties
    return _write_page(args, (group.name, group.setting, group.setting.coordinator, properties), says, result)


def _write_page(
    args: argparse.Namespace,
    group: tuple[str, Setting, str, Mapping[str, Any]],
    says: str,
    result: Judged,
    differences: TextTable | None = None,
) -> Block:
    """Write the page of the findings by cause, and return its path; `group` has the fields of `Played`."""
    from kassay.reports.page.simulation_page import Cause, Played, write_simulation_page

    causes = [Cause(story.least, story.broke, story.meant) for story in group_findings(result)]
    path = Path(args.html)
    write_simulation_page(path, Played(*group), says, result.verdicts, causes, args.seed, differences)
    record: Mapping[str, Any] = {"record": "page", "page": args.html, "sentences": [says]}
    return Block(prose=True, text=f"Page: {args.html}", records=[record])


def render_external(
    args: argparse.Namespace, group: Simulation, cluster: "Cluster", ran: "CampaignResult", result: Judged
) -> Iterator[Block]:
    """Yield the violations of an external coordinator, its differences from Kafka, and the promises that hold."""
    setting, release = group.setting, group.setting.coordinator.partition("@")[2]
    runs = f"{format_count(result.campaign.ran, 'run')} of {format_count(setting.members, 'member')}"
    said = f"{cluster.place}: {runs} show no new defect."
    if not result.campaign.ran:
        said = f"{cluster.place}: no run was made."
    if ran.dead:
        until = (
            f"died after {runs} without a new defect" if result.campaign.ran else "died before a run ended"
        )
        said = f"{cluster.place} {until}."
    said = _describe_broken(str(cluster.place), result, runs) or said
    if ran.differences:
        said += f" {len(ran.differences)} of {ran.asked} responses differ from Kafka {release}."
    if ran.dead:
        said += f" It answers no request: {end_sentence(ran.dead)} Look into its log, and start it again."
    yield from _render_stories(args, said, result, whole=not ran.dead)
    rows = [[one.question, one.kafka, one.other] for one in ran.differences]
    records = [
        {"record": "answers otherwise", "question": question, "kafka": kafka, "coordinator": other}
        for question, kafka, other in rows
    ]
    # An answer with bytes too many is odd, not different.
    odd = [end_sentence(f"{what} ({format_count(times, 'time')})") for what, times in sorted(ran.odd.items())]
    grid = TextTable(["request", f"Kafka {release}", str(cluster.place)], rows) if rows else None
    yield Block(prose=True, text="\n".join(odd), grid=grid, records=records)
    yield describe_impact(result.verdicts, result.campaign.ran)
    if args.html is not None:
        there = f"{cluster.place}, compared with {setting.coordinator}"
        yield _write_page(args, (group.name, setting, there, {}), said, result, grid)


def render_client(args: argparse.Namespace, setting: Setting, result: Judged) -> Iterator[Block]:
    """Yield the violations of a client in groups under faults, and the promises that hold."""
    runs = f"{format_count(result.campaign.ran, 'run')} of {format_count(setting.members, 'member')}"
    nothing = f"The client shows no defect in {runs}." if result.campaign.ran else "No run was completed."
    said = _describe_broken("The client", result, runs) or nothing
    yield from _render_stories(args, said, result)
    yield describe_impact(result.verdicts, result.campaign.ran)
    if args.html is not None:
        yield _write_page(args, (f"client:{args.client}", setting, setting.coordinator, {}), said, result)


def _describe_broken(who: str, result: Judged, runs: str) -> str:
    """Return the number of broken promises and the most frequent violation; "" if none is broken."""
    broken = [one for one in result.verdicts if one.outcome == BROKEN]
    if not broken:
        return ""
    most = max(broken, key=lambda one: one.breaches)
    return f"{who} breaks {len(broken)} of {format_count(len(result.verdicts), 'promise')} in {runs}. In {format_count(most.breaches, 'run')}: {end_sentence(most.message)}"


def _render_stories(
    args: argparse.Namespace, said: str, result: Judged, *, whole: bool = True
) -> Iterator[Block]:
    """Yield the result, the most frequent new violation or else the known defects, and the others as rows.

    `whole` is False if the runs could not be completed, so that nothing passes.
    """
    every, ran = group_findings(result), result.campaign.ran
    new = [story for story in every if not story.known]
    known = [story for story in every if story.known]
    mark = choose_mark(result.verdicts, strict=args.strict)
    if mark == MARKS[0] and not whole:
        mark = MARKS[3]
    yield build_answer_block(f"{'' if result.whole else 'Interrupted. '}{said}", result.verdicts, mark)
    shown = every if args.all else [*new[:1], *known[: not new]]
    for story in shown:
        yield from render_story(args, story)
    if new[1:] and not args.all:
        rows = [
            [end_sentence(capitalize(one.least.found.sentence)), f"{one.runs:,} of {ran:,}"]
            for one in new[1:]
        ]
        yield Block(prose=True, grid=TextTable(["also broken", "runs"], rows))
    if rest := [story for story in known if story not in shown]:
        yield render_known(rest, ran)

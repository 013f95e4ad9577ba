"""A simulated group with an assignor, and files of fault schedules."""

import hashlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kassay.engine.verdict import Verdict
from kassay.errors import InputError, UnwritableError
from kassay.families.assignors import ASSIGNORS
from kassay.files.output import write_whole
from kassay.files.reading import read_json
from kassay.files.writing import note_own
from kassay.model.json_text import convert_json
from kassay.output.block import BROKEN, KEPT, KNOWN_DEFECT, NOT_EXERCISED, NOT_PROMISED, SKIPPED
from kassay.protocol.simulation.campaign import (
    Campaign,
    Counterexample,
    Runner,
    draw_run,
    find_counterexamples,
    list_fitting_faults,
    read_corpus,
    run_campaign,
    vary_setting,
)
from kassay.protocol.simulation.exhaustive import OF_CLOCKS, Explored, explore
from kassay.protocol.simulation.faults import FAULTS
from kassay.protocol.simulation.invariants import groups
from kassay.protocol.simulation.invariants.groups import eventually_converges, legal_target_assignment
from kassay.protocol.simulation.invariants.log import taken_over_whole
from kassay.protocol.simulation.invariants.membership import retired_coordinators_refuse
from kassay.protocol.simulation.invariants.steps import OF_MEMBER_STEPS, STEPS
from kassay.protocol.simulation.monitor import Answers, Outcome, find_defects
from kassay.protocol.simulation.schedule import FORMAT, SEE, Saved, Schedule, Setting, build_saved
from kassay.protocol.simulation.step_limits import machines_do_not_fail, runs_end
from kassay.protocol.simulation.steps import BEHAVIOURS, make_machines
from kassay.protocol.simulation.timeline import build_timeline, render_diagram
from kassay.protocol.simulation.uses import USES
from kassay.protocol.simulation.world import Machines
from kassay.sentences import refuse_unknown
from kassay.targets import Options, open_target

SAFETY: tuple[Callable[..., Any], ...] = (
    groups.no_double_client_assignment,
    groups.revoked_before_given,
    groups.one_leader,
    groups.generations_grow,
    groups.member_generations_grow,
    groups.commits_from_owners,
    groups.acknowledged_commits_are_written,
    groups.single_writer,
    groups.one_writer_at_a_time,
    groups.supported_strategy,
    groups.no_member_fails,
    groups.lost_for_a_cause,
    *STEPS,
    machines_do_not_fail,
    taken_over_whole,
    retired_coordinators_refuse,
    *OF_MEMBER_STEPS,
)
LIVENESS: tuple[Callable[..., Any], ...] = (
    groups.eventually_converges,
    groups.legal_target_assignment,
    groups.only_what_is_wanted,
    groups.bounded_rounds,
    groups.owned_in_time,
    groups.stays_stable,
    runs_end,
)
INVARIANTS: dict[str, Callable[..., Any]] = {one.__name__: one for one in (*SAFETY, *LIVENESS)}
"""All invariants by name; the first sentence of the docstring describes each."""


RESTS_ON = {
    "no_double_client_assignment": "exclusive",
    "revoked_before_given": "exclusive",
    "legal_target_assignment": "complete",
}
"""Invariant -> the property that the assignor must promise; an assignor without promises is checked against all."""


def list_unexercised(exercised: Mapping[str, int]) -> list[str]:
    """Return the invariants that no event exercised."""
    return [name for name in INVARIANTS if not exercised.get(name)]


def is_promised(name: str, promises: frozenset[str] | None) -> bool:
    """Return True if a group whose assignor has these promises is checked against an invariant."""
    return promises is None or RESTS_ON.get(name) in {None, *promises}


def build_verdicts(
    campaign: Campaign,
    findings: list[Counterexample],
    target: str,
    promises: frozenset[str] | None,
    names: Collection[str] = tuple(INVARIANTS),
) -> list[Verdict]:
    """Return the verdict on each invariant of these names: skipped if no schedule ran, not exercised if none of its events occurred."""
    judged = []
    for name in names:
        known = {of: count for (broke, of), count in campaign.broken.items() if broke == name and of}
        unknown = campaign.broken.get((name, ()), 0)
        breaches = unknown or sum(known.values())
        if not campaign.ran:
            outcome = SKIPPED
        elif not is_promised(name, promises):
            outcome = NOT_PROMISED
        else:
            outcome = BROKEN if unknown else KNOWN_DEFECT if known else KEPT
        if outcome == KEPT and not _is_exercised(campaign.exercised, name):
            outcome = NOT_EXERCISED
        said = (
            one.sentence for one in findings if one.invariant == name and bool(one.known) == (not unknown)
        )
        message = next(said, "") if breaches else "" if campaign.ran else "no schedule ran"
        except_in = tuple("+".join(of) for of in known)
        judged.append(Verdict(target, name, outcome, message, except_in, campaign.ran, breaches))
    return judged


def _is_exercised(exercised: Mapping[str, int] | None, name: str) -> bool:
    """Return True if an event exercised an invariant, or if such events were not counted."""
    return exercised is None or bool(exercised.get(name))


EXPLORED = (
    *(one.__name__ for one in SAFETY if one.__name__ not in OF_CLOCKS),
    eventually_converges.__name__,
    legal_target_assignment.__name__,
    runs_end.__name__,
)
"""The invariants that an exploration checks."""


def build_explored_verdicts(
    explored: Explored, target: str, promises: frozenset[str] | None
) -> list[Verdict]:
    """Return the verdict on each invariant of an exploration; skipped if it holds, but not all states were visited."""
    number, judged = sum(explored.states), []
    for name in EXPLORED:
        broke = [one for one in explored.breaches if one[0] == name]
        outcome, said = KEPT if explored.whole else SKIPPED, explored.stopped
        terms: tuple[str, ...] = ()
        if broke:
            _, sentence, steps, defect = broke[0]  # violations without a known defect come first
            outcome, terms = (KNOWN_DEFECT, (defect,)) if defect else (BROKEN, ())
            said = f"{sentence}, after {steps} steps"
        if outcome == KEPT and not _is_exercised(explored.exercised, name):
            outcome = NOT_EXERCISED
        if not is_promised(name, promises):
            outcome = NOT_PROMISED
        judged.append(Verdict(target, name, outcome, said, terms, number, len(broke)))
    return judged


CORPUS = 1_000
"""The numbers of the corpus, which runs first, begin at minus this."""
SHRINKS = 0.2
"""The share of the time limit that is kept for shrinking."""
LEFT_S = 0.8
"""The time to shrink schedules after an interrupt from the keyboard."""


class Shown(Struct, frozen=True):
    """A finding, the file that replays it, and the violations and notes of its run."""

    found: Counterexample
    saved: Saved
    breaches: tuple[tuple[str, str], ...]
    notes: tuple[tuple[Any, ...], ...]
    path: Path | None = None
    """The path of the file; None if it is not written."""


def build_shown(
    one: Counterexample, outcome: Outcome, notes: tuple[Any, ...], target: str, seed: int
) -> Shown:
    """Return a finding with the file that replays it."""
    file = build_saved(
        one.schedule, target=target, seed=seed, number=one.number, breaks=one.invariant,
        sentences=(one.sentence,) if one.sentence else (), minimised=one.minimised,
    )  # fmt: skip
    return Shown(one, file, outcome.breaches, notes)


class Judged(Struct, frozen=True):
    """The result of a campaign."""

    campaign: Campaign
    verdicts: list[Verdict]
    shown: list[Shown]
    """The smallest schedule of each violation."""
    kinds: Sequence[str] = ()
    """The kinds of the faults."""
    whole: bool = True
    """False if it was interrupted."""
    unwritable: UnwritableError | None = None
    """The reason why the files could not be written, if they could not."""


class Simulation:
    """A group with its assignor.

    `promises` is None if the assignor makes none, and `answers` is None if the use assigns by itself.
    """

    def __init__(
        self, setting: Setting, name: str, answers: Answers | None, promises: frozenset[str] | None
    ) -> None:
        """Note the group, the name of its assignor, and the assignor with its checks."""
        self.setting, self.name, self.promises, self.answers = setting, name, promises, answers
        self._runner = Runner(self.machines)

    def machines(self, setting: Setting) -> Machines:
        """Return the machines of a setting, whose leaders call the assignor."""
        return make_machines(setting, self.answers or dict)

    def run(self, schedule: Schedule, *, trace: bool = False) -> Outcome:
        """Run a schedule."""
        return self._runner.run(schedule, trace=trace)

    def search(
        self,
        asked: Sequence[str] | None,
        number: int,
        seed: int,
        report: Callable[[int], None],
        *,
        limit_s: float = float("inf"),
    ) -> Judged:
        """Run the corpus and `number` drawn schedules of these faults, and shrink the first schedule of each violation.

        A time limit or an interrupt from the keyboard ends it with the findings so far. Raises InputError for a fault that does not fit.
        """
        end = time.monotonic() + limit_s
        kinds = list_fitting_faults(vary_setting(self.setting, -1), asked)
        corpus = [*read_corpus(self.setting, kinds)]
        known = enumerate(corpus, -CORPUS)
        more = ((n, draw_run(self.setting, asked, seed, n)) for n in range(number))
        # The rest of the time is kept for shrinking.
        until = end - SHRINKS * limit_s if limit_s < float("inf") else end
        campaign, whole = run_campaign(self.run, chain(known, more), report, until=until)
        campaign.left = len(corpus) + number - campaign.ran
        campaign.exercised = self._runner.exercised
        findings, minimised = find_counterexamples(
            campaign, self.run, until=end if whole else time.monotonic() + LEFT_S
        )
        shown = [self._show(one, seed) for one in findings]
        return Judged(campaign, self._give_verdicts(campaign, findings), shown, kinds, whole and minimised)

    def play(self, one: Saved, since_ms: int = 0) -> Judged:
        """Run one schedule and show it from a time on, even if nothing breaks."""
        campaign, outcome = Campaign(), self.run(one.schedule)
        campaign.add(one.number, one.schedule, outcome)
        campaign.exercised = self._runner.exercised
        findings = [
            Counterexample(
                name, sentence, one.number, one.schedule, one.minimised, find_defects(outcome, name)
            )
            for name, sentence in outcome.breaches
        ]
        quiet = Counterexample("", "", one.number, one.schedule, one.minimised, ())
        shown = [self._show(found, one.seed, since_ms) for found in findings or [quiet]]
        return Judged(campaign, self._give_verdicts(campaign, findings), shown)

    def explore(
        self, depth: int, kinds: tuple[str, ...], *, limit_s: float = float("inf")
    ) -> tuple[Explored, list[Verdict]]:
        """Explore all states within `depth` steps, with one fault of these kinds, for this time at most."""
        explored = explore(
            self.setting, self.machines(self.setting), depth=depth, kinds=kinds, limit_s=limit_s
        )
        judged = build_explored_verdicts(explored, self.name, self.promises)
        if self.answers is not None and self.answers.asked:
            judged += self.answers.verdicts()
        return explored, judged

    def _give_verdicts(self, campaign: Campaign, findings: list[Counterexample]) -> list[Verdict]:
        judged = build_verdicts(campaign, findings, self.name, self.promises)
        return judged if self.answers is None else [*judged, *self.answers.verdicts()]

    def _show(self, one: Counterexample, seed: int, since_ms: int = 0) -> Shown:
        outcome = self.run(one.schedule, trace=True)
        notes = tuple(note for note in outcome.trace if note[0] >= since_ms)
        return build_shown(one, outcome, notes, "" if self.answers is None else self.name, seed)


@contextmanager
def open_simulation(
    setting: Setting, target: str | None, how: Callable[[str], Options]
) -> Iterator[Simulation]:
    """Open the assignor of a group, by default the first one of its family.

    Raises InputError if the use assigns by itself or the assignor is of another family.
    """
    family = USES[setting.use].family
    if family is None:
        if target:
            raise InputError(f"--target {target}: {setting.use} assigns by itself. Leave it out")
        yield Simulation(setting, setting.use, None, None)
        return
    name = target or next(name for name, one in ASSIGNORS.items() if one.family == family)
    with open_target(name, how(family)) as opened_target:
        if opened_target.family != family:
            raise InputError(
                f"--target {name}: is of the {opened_target.family} family. Name an assignor of the {family} family for the use {setting.use}"
            )
        promises = opened_target.promises
        cooperative = promises is not None and "cooperative" in promises
        own = replace(setting, cooperative=setting.cooperative or cooperative)
        yield Simulation(own, opened_target.name, Answers(opened_target), promises)


def parse_setting(
    use: str | None, coordinator: str, members: int | None, partitions: str | None, *, static: bool | None
) -> Setting:
    """Return the setting of the command line, by default two members and two partitions; raises InputError with option and fix."""
    use, members, partitions, static = use or "consumer", members or 2, partitions or "2", bool(static)
    refuse_unknown("USE", use, USES, SEE)
    check_coordinator(coordinator)
    try:
        counts = tuple(map(int, partitions.split(",")))
    except ValueError:
        raise InputError(
            f"--partitions {partitions}: has no valid value. Give whole numbers, such as 2 or 2,4"
        ) from None
    setting = Setting(use, coordinator, members, counts, static=static)
    try:
        convert_json(msgspec.to_builtins(setting), Setting)
    except InputError as wrong:
        raise InputError(f"--{wrong}") from None
    if static:
        make_machines(setting, dict)
    return setting


def check_coordinator(name: str) -> str:
    """Return the name of a coordinator; raises InputError if the name is unknown."""
    refuse_unknown("--coordinator", name, BEHAVIOURS, SEE)
    return name


def read_schedule(path: str) -> Saved:
    """Read a saved schedule; raises InputError with file, field and fix."""
    read, *more = read_json(path)
    if more:
        raise InputError(f"{more[0].where}: a schedule is one JSON value. Give one schedule a file")
    try:
        return read_saved(read.value)
    except InputError as wrong:
        raise InputError(f"{read.where}: {wrong}") from None


def read_saved(value: Any) -> Saved:
    """Return the schedule of a JSON value; raises InputError with field and fix."""
    if isinstance(value, dict) and value.get("format", FORMAT) != FORMAT:
        raise InputError(
            f"format: is {value['format']!r}, known is {FORMAT}. Write the schedule again with this kassay"
        )
    read = convert_json(value, Saved)
    setting = read.schedule.setting
    refuse_unknown("schedule.setting.use", setting.use, USES, SEE)
    refuse_unknown("schedule.setting.coordinator", setting.coordinator, BEHAVIOURS, SEE)
    programs = len(USES[setting.use].programs)
    for number, fault in enumerate(read.schedule.faults):
        where = f"schedule.faults[{number}]"
        refuse_unknown(f"{where}.kind", fault.kind, FAULTS, SEE)
        if fault.who >= setting.members:
            raise InputError(f"{where}.who: is {fault.who}. Give a member from 0 to {setting.members - 1}")
        if fault.kind == "redeploy" and fault.much >= programs:
            raise InputError(
                f"{where}.much: is {fault.much}. Give a program of {setting.use} from 0 to {programs - 1}"
            )
    # The sort is stable: faults at the same time keep their order.
    ordered = Schedule(setting, tuple(sorted(read.schedule.faults, key=lambda fault: fault.at)))
    return replace(read, schedule=ordered)


def save_findings(result: Judged, folder: str | None) -> Judged:
    """Write the files of the findings into a folder, if one is given, and note their paths."""
    if folder is None:
        return result
    try:
        return replace(result, shown=[replace(one, path=_save(Path(folder), one)) for one in result.shown])
    except UnwritableError as wrong:  # the findings are reported before this error
        return replace(result, unwritable=wrong)


def _save(folder: Path, one: Shown) -> Path:
    """Write a schedule and its diagram, named by their hash; return the path of the schedule."""
    text = msgspec.json.format(msgspec.json.encode(one.saved)).decode() + "\n"
    title = one.saved.sentences[0] if one.saved.sentences else "what happens"
    begins = f"{one.saved.breaks}: " if one.saved.breaks else ""
    drawing = render_diagram(build_timeline(one.notes), f"{begins}{title}")
    path = folder / f"schedule-{hashlib.sha256(text.encode()).hexdigest()[:10]}.json"
    picture = path.with_suffix(".svg")
    note_own(folder, [path.name, picture.name])
    write_whole(path, text)
    write_whole(picture, drawing)
    return path

"""The search for breaches that depend on earlier groups, in a check of a target that runs in a process of its own.

Timelines are played on one instance each. A breach on a generated group is tried again in a new process. If that keeps the promise, the breach is
shown with the groups before it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kassay.engine.failures import FailedGroup
from kassay.engine.finding import BreachSummary, Cause
from kassay.engine.generate import draw_examples
from kassay.engine.judge import CRASH_FREE, judge
from kassay.engine.lives import DETERMINISTIC, Comparison, Memory, Start, Step, choose_start, play_timeline
from kassay.engine.trial import Trial
from kassay.errors import DiedError, SkippedError, TargetGoneError
from kassay.model import AssignorError
from kassay.output.block import BROKEN

GROUPS_PER_LIFE = 80
"""The number of generated groups for each timeline, if instances cost nothing."""
GROUPS_PER_PROCESS = 400
"""The same if each timeline needs a new process."""
LONG = 200
"""The number of rebalances of the longest life, which shows what grows with each call."""
DEATHS = 2
"""The number of timelines in which the process of a target may die."""
TRIED = 2
"""The number of suspects of one property that are compared with a new process."""
REPEATS = (1, 8, 64, 512, 4096)
"""How often a group is repeated to find out whether the number of calls matters."""
NOT_COMPARED = frozenset({"instance_isolated", "equal"})
"""The laws that compare instances, or targets, themselves."""


def play_lives(trial: Trial, examples: int, seed: int) -> None:
    """Play timelines on long-lived instances; the last one is longer. If the target can no longer run, the trial has the reason."""
    target, shape = trial.target, trial.family.shape
    if not examples or (target.anew is None and target.instance is None):
        return
    trial.rebalances = 0
    if target.anew is None:
        trial.unplayed = "its process cannot be started anew for each sequence"
        return
    start = target.instance if target.instances == "objects" else None
    slow = target.instances == "none"
    number = examples // GROUPS_PER_PROCESS if slow else -(-examples // GROUPS_PER_LIFE)
    strategy = (shape.lives or shape.timelines)() if number else None
    timelines = draw_examples(strategy, number, seed) if strategy is not None else []
    tried: dict[str, int] = {}
    steady, deaths = [], 0
    try:
        for timeline in timelines:
            steps = _play(trial, start or choose_start(target), timeline, tried)
            if not steps:  # A shape may have timelines without groups.
                continue
            deaths += isinstance(steps[-1].outcome, DiedError)
            if deaths == DEATHS:  # Each one may take the whole time of an answer.
                trial.unplayed = f"its process crashed or timed out in {DEATHS} timelines"
                return
            if getattr(timeline, "events", ()) and len(steps[-1].before) == len(steps) - 1:
                steady.append(timeline)
        if steady:
            longest = max(steady, key=lambda timeline: len(timeline.events))
            repeated = longest.events * -(-LONG // len(longest.events))
            _play(trial, start or choose_start(target), replace(longest, events=repeated), tried)
    except TargetGoneError as gone:
        trial.unplayed = str(gone)


def _play(trial: Trial, start: Start, timeline: Any, tried: dict[str, int]) -> list[Step]:
    """Play a timeline, check each step, and compare the suspects at its end: another instance may end this one."""
    steps: list[Step] = []
    suspects: dict[str, Step] = {}
    again: list[Any] = []
    for step in play_timeline(trial.family, start, timeline):
        steps.append(step)
        trial.rebalances = (trial.rebalances or 0) + 1
        for name in _find_broken(trial, step):
            if name not in trial.memories:
                suspects[name] = step
    for name, step in suspects.items():
        found = None
        if step.before and tried.get(name, 0) < TRIED:
            tried[name] = tried.get(name, 0) + 1
            found = _find_smallest(trial, start, name, step)
        if found is not None:
            trial.memories[name] = found
        else:  # A new instance breaks it too, or other groups matter: it may be an ordinary breach.
            again.append(step.group)
    for group in dict.fromkeys(again):
        trial.judge(group)
    return steps


def _find_broken(trial: Trial, step: Step) -> Iterator[str]:
    """Yield the promises that an answer breaks outside their excepted situations."""
    if isinstance(step.outcome, SkippedError):
        return

    def answer(_: Any) -> Any:
        if isinstance(step.outcome, Exception):
            raise step.outcome
        return step.outcome

    for name in trial.wanted:
        if name in trial.promises.names and (
            name in trial.family.invariants or name in {CRASH_FREE, DETERMINISTIC}
        ):
            asked = replace(trial.target, again=answer)
            exceptions = trial.promises.select_exceptions(name)
            try:
                breach = judge(trial.family, name, step.group, answer, asked, exceptions)
            except (AssignorError, SkippedError):
                continue
            trial.judged[name] += 1
            if breach and not breach.met:
                yield name


def _find_smallest(trial: Trial, start: Start, name: str, step: Step) -> Memory | None:
    """Return the smallest sequence that breaks a property, confirmed by new processes; None if a new instance breaks it too."""
    anew = _compare(trial, name)
    known = _try_known(trial, anew)
    if known is not None:
        return known
    found = anew.find_memory(step.before, step.group)
    if found is None:
        return None
    compared = _compare(trial, name, start)
    if compared.find_memory(found.before, found.group) is not None:
        least = compared.shrink(found)
        confirmed = anew.compare(least.before, least.group)
        if confirmed is not None:
            return replace(confirmed, finished=least.finished)
    return anew.shrink(found)


def find_memories(trial: Trial) -> None:
    """Find for each broken promise whether a new process keeps it on the group, and the groups before that matter.

    Such breaches are removed from the breaches of single groups. If the target can no longer run, the trial has the reason.
    """
    try:
        for cause in list(trial.seen) if trial.target.anew is not None else ():
            _find_memory(trial, cause)
    except TargetGoneError as gone:
        trial.unplayed = str(gone)


def _find_memory(trial: Trial, cause: Cause) -> None:
    """Find the groups before that matter for one cause of breaches, if any do."""
    name, seen = cause.property, trial.seen[cause]
    if cause.met or name not in trial.promises.names or name in NOT_COMPARED:
        return
    if not _is_kept_anew(trial, cause, seen.group):
        return
    found = trial.memories.get(name) or _find_sequence(trial, cause, seen)
    if found is not None:
        trial.memories.setdefault(name, found)
        trial.by_memory[name] += seen.count
        del trial.seen[cause]
    else:
        said = f"a new process keeps {name} on this group alone, so earlier groups matter"
        seen.breach = replace(seen.breach, messages=(*seen.breach.messages, said))
        seen.least = True  # Smaller groups would be tried after all those groups, too.


def _is_kept_anew(trial: Trial, cause: Cause, group: Any) -> bool:
    """Return True if new processes keep a property on a group; a failure of theirs is no answer."""
    anew = trial.target.anew
    assert anew is not None
    asked = replace(trial.target, assign=anew(0), again=anew(1))
    try:
        return judge(trial.family, cause.property, group, asked.assign, asked) is None
    except (AssignorError, SkippedError):
        return False


def _find_sequence(trial: Trial, cause: Cause, seen: BreachSummary) -> Memory | None:
    """Return the smallest sequence found: the group repeated, or the groups that were asked before it."""
    compared = _compare(trial, cause.property)
    known = _try_known(trial, compared)
    if known is not None:
        return known
    recent = (*trial.first, *seen.before)
    histories = [(seen.group,), seen.before, recent, *((seen.group,) * number for number in REPEATS[1:])]
    for history in histories:
        found = compared.find_memory(history, seen.group)
        if found is not None:
            return compared.shrink(found)
    return None


def _try_known(trial: Trial, compared: Comparison) -> Memory | None:
    """Return the breach on a sequence that breaks another promise: one cause is shown once."""
    for known in trial.memories.values():
        found = compared.find_memory(known.before, known.group)
        if found is not None:
            return replace(found, finished=known.finished)
    return None


def check_failure_again(trial: Trial, failed: FailedGroup) -> bool:
    """Return True if the groups of an earlier failure still break its promise on one instance, and note it."""
    if not failed.before or failed.promise not in trial.wanted:
        return False
    found = _compare(trial, failed.promise).compare(failed.before, failed.group)
    if found is None:
        return False
    trial.memories.setdefault(failed.promise, found)
    trial.groups += 1
    trial.answered += 1
    trial.judged[failed.promise] += 1
    trial.again[failed.name] = {failed.promise: BROKEN}
    return True


def follow_given(trial: Trial, before: tuple[Any, ...], group: Any) -> None:
    """Check the promises on a group after others on one instance; what a new instance breaks as well is not noted."""
    for name in trial.wanted if before else ():
        if name in trial.promises.names and name not in NOT_COMPARED and name not in trial.memories:
            found = _compare(trial, name).compare(before, group)
            if found is not None:
                trial.memories[name] = found


def _compare(trial: Trial, name: str, start: Start | None = None) -> Comparison:
    """Return the comparison of a property, by default with new processes."""
    exceptions = trial.promises.select_exceptions(name)
    return Comparison(trial.family, trial.target, name, start or choose_start(trial.target), exceptions)

"""The consumer family: client-side assignors of the classic group protocol."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kassay.family import Answer, Assign, Drawing, Family, Gap, Level, Oracles, Worst
from kassay.model import Assignment, Assignor, Group
from kassay.model.partitions_json import (
    decode_group,
    read_assignment,
    read_group,
    shaped,
    write_assignment,
    write_group,
)
from kassay.oracles.consumer import ORACLES
from kassay.properties.consumer import INVARIANTS, LAWS, MEASURES, RUN_MEASURES, SITUATIONS
from kassay.properties.partitions.doubling import GROWING
from kassay.properties.partitions.rounds import rejoined, same
from kassay.properties.partitions.sampling import sampler as drawing
from kassay.properties.partitions.shrinking.steps import smaller
from kassay.reference.consumer.members import in_leader_order
from kassay.shapes.partitions.gaps import LEVELS, gaps, moves_optimal, optima
from kassay.shapes.partitions.text_tables import show, show_change

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

WORST = {
    "balance": "balance",
    "moves": "balance,moves",
    "cross-rack": "balance,cross-rack",
    "co-partition": "co-partition,cross-rack",
}
EXPECTED = frozenset(
    {"crash_free", "deterministic", "complete", "exclusive", "subscribed", "existing", "every_member"}
)


def _groups() -> "SearchStrategy[Group]":
    from kassay.properties.partitions.generating.strategies import groups

    return groups()


def _timelines() -> "SearchStrategy[Any]":
    from kassay.properties.partitions.generating.strategies import timelines

    return timelines()


def _play(assign: Assign, timeline: Any) -> Iterator[Group]:
    from kassay.properties.partitions.timelines import play

    return play(assign, timeline)


def _adapt(attribute: Any) -> Assignor | None:
    from kassay.clients import adapt, cooperates, instance

    assign = adapt(attribute)
    if assign is None:
        return None
    expected = EXPECTED | {"instance_isolated"}
    if cooperates(attribute):
        expected = expected - {"complete"} | {"cooperative", "settling"}
    name = getattr(attribute, "__name__", type(attribute).__name__)
    return Assignor(name, assign, expected, attribute.__module__, instance=lambda: instance(attribute))


def _optimum(question: str, group: Group, time_limit_s: float | None) -> Answer:
    from kassay.oracles.partitions.certificate import written
    from kassay.oracles.partitions.optimum import optimum

    best = optimum(question, group, time_limit_s)
    levels = tuple(Level(level.name, level.value, level.least) for level in best.levels)
    certificate = written(best.certificate.parts, best.assignment, proved=best.proved)
    return Answer(levels, best.assignment, best.certificate.words, certificate)


def _verify(group: Group, answer: Any) -> tuple[bool, str]:
    from kassay.oracles.partitions.certificate import AnswerForm
    from kassay.oracles.partitions.verify import verified

    return verified(group, shaped(answer, AnswerForm))


def _explain(group: Group, assignment: Assignment) -> list[str]:
    from kassay.oracles.partitions.explain import explain

    return explain(group, assignment)


def _worst(assign: Assign, question: str, seed: int, tries: int) -> Worst:
    from kassay.engine.settle import settled
    from kassay.oracles.partitions.worst_case.search import find_worst
    from kassay.shapes.partitions.hunt import hunt

    def settling(group: Group) -> Assignment:
        given: Assignment = settled(CONSUMER, assign, group, assign(group))
        return given

    found = find_worst(settling, question, seed=seed, tries=tries, hunt=hunt)
    sentences = tuple(found.sentences)
    if found.worst is None:
        return Worst(sentences)
    level = question.rpartition(",")[2]
    return Worst(sentences, found.worst.group, Gap(level, found.worst.value, found.worst.optimum))


def _programmed(group: Group) -> Mapping[str, int]:
    from kassay.oracles.partitions.linear_program.optima import programmed

    return programmed(group)


CONSUMER = Family(
    name="consumer",
    invariants=INVARIANTS,
    laws={**LAWS, "moves_optimal": moves_optimal},
    measures=MEASURES,
    run_measures=RUN_MEASURES,
    situations=SITUATIONS,
    expected=EXPECTED,
    groups=_groups,
    timelines=_timelines,
    play=_play,
    smaller=smaller,
    read_group=read_group,
    write_group=write_group,
    read_assignment=read_assignment,
    write_assignment=write_assignment,
    show=show,
    show_change=show_change,
    same=same,
    oracles=Oracles(ORACLES, LEVELS, _optimum, gaps, optima, _explain, WORST, _worst, _programmed, _verify),
    whole=frozenset({"complete", "exclusive", "subscribed", "existing"}),
    rejoined=rejoined,
    led=in_leader_order,
    growing=GROWING,
    drawing=Drawing(drawing.NUMBERS, drawing.USUAL, drawing.KINDS, drawing.draw, drawing.size),
    decode_group=decode_group,
    adapt=_adapt,
)

"""The exact optimum of a sequence of rebalances of a cluster: connectors and tasks as even as possible at each, the fewest moves in all."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kassay.model.shaped import shaped
from kassay.model.workers import Cluster, WorkAssignment
from kassay.oracles.answers import OverTime, Total
from kassay.oracles.failures import ImpossibleError
from kassay.oracles.over_time.answer import OverTimeForm
from kassay.oracles.over_time.answer import verified as verified_sequence
from kassay.oracles.partitions import over_time as of_partitions
from kassay.oracles.workers.kinds import CONNECTORS, KINDS, TASKS, joined, kinds
from kassay.oracles.workers.question import MOVES, OVER_TIME, question


class _CertificateForm(msgspec.Struct):
    connectors: OverTimeForm
    tasks: OverTimeForm


class _TotalForm(msgspec.Struct):
    name: str
    least: int
    value: int | None


class _AnswerForm(msgspec.Struct):
    question: str
    rebalances: int
    totals: list[_TotalForm]
    certificate: _CertificateForm


def over_time(text: str, stages: Sequence[Cluster], time_limit_s: float | None = None) -> OverTime:
    """Return the fewest moves over all stages that assignments can have which are as even as possible at each.

    A stage is the cluster as it is at a rebalance, with connectors that stay as they are; what its workers run counts in the first
    alone. Raises ImpossibleError where the question cannot be asked, and what the oracle of partitions raises.
    """
    asked = question(text, OVER_TIME)
    limit = None if time_limit_s is None else time_limit_s / 2
    found = {kind: of_partitions.over_time(asked, groups, limit) for kind, groups in _groups(stages).items()}
    moved = [total for best in found.values() for total in best.totals if total.name == MOVES]
    values = [total.value for total in moved]
    value = None if None in values else sum(value for value in values if value is not None)
    assignments: tuple[WorkAssignment, ...] = ()
    if all(best.assignments for best in found.values()):
        assignments = tuple(
            joined(stage, {kind: best.assignments[n] for kind, best in found.items()})
            for n, stage in enumerate(stages)
        )
    return OverTime(
        asked,
        len(stages),
        (Total(MOVES, sum(total.least for total in moved), value),),
        assignments,
        {kind: _part_json(best) for kind, best in found.items()},
    )


def _groups(stages: Sequence[Cluster]) -> dict[str, list[Any]]:
    if any(stage.connectors != stages[0].connectors for stage in stages):
        raise ImpossibleError("stages: connectors differ; over time, give events that leave connectors alone")
    split = [kinds(stage).groups for stage in stages]
    return {kind: [groups[kind] for groups in split] for kind in KINDS}


def _part_json(best: OverTime) -> dict[str, Any]:
    return {
        "question": best.question,
        "rebalances": best.rebalances,
        "totals": [
            {"name": t.name, "least": t.least, "value": t.value, "proved": t.proved} for t in best.totals
        ],
        "certificate": best.certificate,
    }


def verified(
    stages: Sequence[Cluster], answer: Any, measured: Mapping[str, int] | None
) -> tuple[bool | None, str]:
    """Return whether an answer is proved, as :func:`kassay.oracles.over_time.answer.verified` does; `measured` is of both kinds together.

    Each kind's moves are as it states them, which must come to what was measured.
    """
    stated = shaped(answer, _AnswerForm)
    asked = of_partitions.asked_over_time(question(stated.question, OVER_TIME))
    parts = {CONNECTORS: stated.certificate.connectors, TASKS: stated.certificate.tasks}
    moves = {kind: part.totals[0].value if part.totals else None for kind, part in parts.items()}
    known = [value for value in moves.values() if value is not None]
    if measured is not None and (len(known) < len(parts) or sum(known) != measured[MOVES]):
        return (
            False,
            f"NOT proved: certificate: its moves come to {sum(known)}, measured are {measured[MOVES]}",
        )
    said, proved = [], True
    for kind, groups in _groups(stages).items():
        of_kind = None if measured is None else {MOVES: moves[kind] or 0}
        holds, sentence = verified_sequence(
            of_partitions.encode(groups, asked).sequence, parts[kind], len(stages), of_kind
        )
        if holds is False:
            return False, f"{sentence} (certificate.{kind})"
        proved = proved and bool(holds)
        said.append(f"{kind}: {sentence.removeprefix('proved: ')}")
    least = sum(part.totals[0].least for part in parts.values() if part.totals)
    totals = [(MOVES, least, None if measured is None else sum(known))]
    if [(each.name, each.least, each.value) for each in stated.totals] != totals:
        return False, f"NOT proved: totals: level, least and value are {totals}"
    return (True if proved else None), ("proved: " if proved else "") + "; ".join(said)

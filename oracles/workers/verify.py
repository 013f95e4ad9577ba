"""Whether a certificate proves the answer to a cluster: each kind's by itself, and that they make up the whole."""

from typing import Any

import msgspec

from kassay.model.shaped import shaped
from kassay.model.workers import Cluster, ConnectorTask, Work
from kassay.oracles.partitions.certificate import AnswerForm
from kassay.oracles.partitions.verify import verified as verified_partitions
from kassay.oracles.workers.kinds import CONNECTORS, TASKS, kinds
from kassay.oracles.workers.question import BALANCE, BALANCES, MOVES, question


class _WorkForm(msgspec.Struct):
    connectors: list[str] = []
    tasks: list[tuple[str, int]] = []


class _LevelForm(msgspec.Struct):
    level: str
    value: int
    least: int


class _CertificateForm(msgspec.Struct):
    connectors: AnswerForm
    tasks: AnswerForm


class _AnswerForm(msgspec.Struct):
    question: str
    levels: list[_LevelForm]
    assignment: dict[str, _WorkForm]
    certificate: _CertificateForm


def verified(cluster: Cluster, answer: Any) -> tuple[bool, str]:
    """Return whether an answer as `kassay optimum --json` prints it is proved to be the optimum, and in a sentence what is or why not.

    Raises InputError naming the field where it is no answer.
    """
    stated = shaped(answer, _AnswerForm)
    asked = question(stated.question)
    parts = {CONNECTORS: stated.certificate.connectors, TASKS: stated.certificate.tasks}
    said = []
    for kind, group in kinds(cluster).groups.items():
        if parts[kind].question != asked:
            return (
                False,
                f"NOT proved: certificate.{kind}.question: asks {parts[kind].question!r}, not {asked!r}",
            )
        proved, sentence = verified_partitions(group, parts[kind])
        if not proved:
            return False, f"{sentence} (certificate.{kind})"
        said.append(f"{kind}: {sentence.removeprefix('proved: ')}")
    if _works(stated) != _made_up(cluster, parts):
        return False, "NOT proved: assignment: is not what the answers for connectors and tasks make up"
    if [(each.level, each.value, each.least) for each in stated.levels] != _levels(parts):
        return False, f"NOT proved: levels: level, value and least are {_levels(parts)}"
    return True, f"proved: {'; '.join(said)}"


def _works(stated: _AnswerForm) -> dict[str, Work]:
    return {
        worker: Work(
            tuple(sorted(work.connectors)), tuple(sorted(ConnectorTask(*task) for task in work.tasks))
        )
        for worker, work in stated.assignment.items()
    }


def _made_up(cluster: Cluster, parts: dict[str, AnswerForm]) -> dict[str, Work]:
    names = [connector.name for connector in cluster.connectors]
    return {
        worker.id: Work(
            tuple(sorted(names[number] for _, number in parts[CONNECTORS].assignment.get(worker.id, ()))),
            tuple(sorted(ConnectorTask(*task) for task in parts[TASKS].assignment.get(worker.id, ()))),
        )
        for worker in cluster.workers
    }


def _levels(parts: dict[str, AnswerForm]) -> list[tuple[str, int, int]]:
    of = {kind: {level.level: level for level in part.levels} for kind, part in parts.items()}
    even = [
        (BALANCES[kind], each[BALANCE].value, each[BALANCE].least)
        for kind, each in of.items()
        if BALANCE in each
    ]
    moved = [each[MOVES] for each in of.values() if MOVES in each]
    return even + ([(MOVES, sum(m.value for m in moved), sum(m.least for m in moved))] if moved else [])

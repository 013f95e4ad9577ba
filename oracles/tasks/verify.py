"""Whether a certificate proves its answer: found again from the application, the assignment and the prices alone."""

from kassay.errors import InputError
from kassay.model.tasks import Application
from kassay.model.tasks_json import read_assignment, read_named_task_id
from kassay.oracles.answers import Answer
from kassay.oracles.assignment.roles.certificate import Certificate
from kassay.oracles.failures import UnsolvedError
from kassay.oracles.tasks.certificate import AnswerForm, PricesForm, SplitForm, proof_of
from kassay.oracles.tasks.encoding import encoded, owners_of
from kassay.oracles.tasks.optimum import answered, judged
from kassay.oracles.tasks.question import Question, question

LARGEST = 10**300
"""Prices may be large, but not without bound."""


class _RefutedError(Exception):
    """An answer says what is not so; the text names the field."""


def verified(application: Application, stated: AnswerForm) -> tuple[bool, str]:
    """Return whether an answer is proved to be the optimum of an application, and in a sentence what is or why it is not.

    Raises InputError naming the field where the question makes no sense, or a price is no number of up to 300 digits.
    """
    asked = question(stated.question)
    for n, each in enumerate(stated.certificate.proofs):
        _refuse_large(f"certificate.proofs[{n}].proof", each.proof)
    try:
        found = _found_again(application, asked, stated)
        _compare(found, stated)
    except (_RefutedError, UnsolvedError) as refuted:
        return False, f"NOT proved: {refuted}"
    said = ", ".join(
        f"{level.name} {level.value}" if level.proved else f"{level.name} {level.least} to {level.value}"
        for level in found.levels
    )
    if not found.proved:
        return False, f"NOT proved: what it states holds, but it does not prove an optimum: {said}"
    return True, f"proved: nothing is better in {stated.question}: {said}"


def _refuse_large(path: str, form: PricesForm | SplitForm) -> None:
    if isinstance(form, SplitForm):
        _refuse_large(f"{path}.fewer", form.fewer)
        _refuse_large(f"{path}.more", form.more)
        return
    prices = [form.unit, *form.before, *form.active.values(), *form.every.values(), *form.cases]
    if any(abs(number) >= LARGEST for number in [*prices, *(price for *_, price in form.caps)]):
        raise InputError(f"{path}: give prices of up to 300 digits")


def _found_again(application: Application, asked: Question, stated: AnswerForm) -> Answer:
    """Make the answer of the assignment and the prices."""
    case = encoded(application, asked)
    given = read_assignment(stated.assignment, read_named_task_id)
    for name in [*given.clients, *case.clients]:
        if name not in given.clients or name not in case.clients:
            where = "the application" if name in given.clients else "it"
            raise _RefutedError(f"assignment: client {name} is not in {where}")
    owners = owners_of(case, given)
    if owners is None:
        raise _RefutedError(
            "assignment: does not give each task to one client, with all its standbys on others"
        )
    try:
        proofs = Certificate(tuple(proof_of(case, each.proof) for each in stated.certificate.proofs))
    except (KeyError, ValueError) as wrong:
        raise _RefutedError(f"certificate.proofs: names what there is not: {wrong}") from None
    return answered(application, asked, case, judged(case, asked, owners, proofs), words=False)


def _compare(found: Answer, stated: AnswerForm) -> None:
    """Refuse what is stated otherwise than it was found."""
    again, own = found.certificate, stated.certificate
    pairs: list[tuple[str, object, object]] = [
        ("certificate.loads", own.loads, {name: tuple(pair) for name, pair in again["loads"].items()}),
        (
            "levels",
            [(one.level, one.value, one.least, one.proved) for one in stated.levels],
            [(one.name, one.value, one.least, one.proved) for one in found.levels],
        ),
        (
            "certificate.proofs",
            [(each.level, each.value, each.least) for each in own.proofs],
            [(each["level"], each["value"], each["least"]) for each in again["proofs"]],
        ),
        ("certificate.proved", own.proved, again["proved"]),
    ]  # fmt: skip
    for field, said, true in pairs:
        if said != true:
            raise _RefutedError(f"{field}: states {_short(said)}, but it is {_short(true)}")


def _short(said: object) -> str:
    return str(said) if len(str(said)) <= 200 else f"{str(said)[:200]}..."

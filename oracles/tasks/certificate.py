"""Why nothing is better, as JSON that others can check: a proof for each level, of prices and cases."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from kassay.oracles.answers import Level
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.certificate import Case as Cut
from kassay.oracles.assignment.roles.certificate import Certificate, Prices, Proof, Split
from kassay.oracles.tasks.encoding import NOBODY, Case

Names = Mapping[str, int]


class PricesForm(msgspec.Struct, tag="prices", tag_field="by"):
    """Prices that bound a level; clients and caps that are left out ask nothing.

    `before` has a multiplier for each level before, `active` what a client asks for an active task, `every` what it asks for any
    copy; an entry of `caps` is a subtopology, a client and a price, `cases` has a price for each case on the way here.
    """

    unit: int
    before: list[int]
    active: dict[str, int]
    every: dict[str, int]
    caps: list[tuple[int, str, int]]
    cases: list[int]


class SplitForm(msgspec.Struct, tag="cases", tag_field="by"):
    """Two cases that leave nothing out: of these tasks at most `most` copies in a role are on these clients, or more are."""

    tasks: list[str] | None
    clients: list[str] | None
    role: str
    most: int
    fewer: "PricesForm | SplitForm"
    more: "PricesForm | SplitForm"


class ProofForm(msgspec.Struct):
    """What a level is worth, what its proof shows that nothing goes below, and the proof; for balance the clients' squared loads, weighed by threads."""

    level: str
    value: int
    least: int
    proof: PricesForm | SplitForm


class LevelForm(msgspec.Struct):
    """A level of an answer; see :class:`kassay.oracles.answers.Level`."""

    level: str
    value: int
    least: int
    proved: bool


class CertificateForm(msgspec.Struct):
    """What proves an answer; see :func:`certificate`."""

    proved: bool
    loads: dict[str, tuple[int, int]]
    proofs: list[ProofForm]


class AnswerForm(msgspec.Struct):
    """What `kassay optimum --json` prints for an application; its other keys are no part of the proof."""

    question: str
    levels: list[LevelForm]
    assignment: dict[str, dict[str, list[str]]]
    certificate: CertificateForm


def certificate(
    case: Case,
    owners: Ints,
    levels: Sequence[Level],
    names: Sequence[str],
    worth: Sequence[int],
    least: Sequence[int],
    proofs: Certificate,
) -> dict[str, Any]:
    """Return the proof of an answer as JSON, without the assignment itself and the levels.

    `loads` are the active tasks and the copies of each client; each proof has what the level is worth and what nothing goes below.
    """
    width = range(len(case.clients))
    active, copies = (
        np.bincount(held[held != NOBODY], minlength=len(width)).tolist() for held in (owners[:, 0], owners)
    )
    found = [*map(proof_form, [case] * len(proofs.proofs), proofs.proofs)]
    shown = [
        ProofForm(name, value, bound, proof)
        for name, value, bound, proof in zip(names, worth, least, found, strict=False)
    ]
    form = CertificateForm(
        all(level.proved for level in levels) and len(levels) == len(found) == len(names),
        {name: (active[c], copies[c]) for c, name in enumerate(case.clients)},
        shown,
    )
    as_json: dict[str, Any] = msgspec.to_builtins(form)
    return as_json


def proof_form(case: Case, proof: Proof) -> PricesForm | SplitForm:
    """Return a proof with names in place of numbers."""
    if isinstance(proof, Split):
        cut = proof.case
        return SplitForm(
            None if cut.items is None else [str(case.tasks[i]) for i in cut.items],
            None if cut.members is None else [case.clients[m] for m in cut.members],
            cut.role,
            cut.most,
            proof_form(case, proof.fewer),
            proof_form(case, proof.more),
        )
    caps = zip(case.problem.rows.tolist(), proof.caps, strict=True)
    return PricesForm(
        proof.unit,
        list(proof.before),
        {name: price for name, price in zip(case.clients, proof.active, strict=True) if price},
        {name: price for name, price in zip(case.clients, proof.every, strict=True) if price},
        [(case.subtopologies[j], case.clients[c], price) for (j, c, *_), price in caps if price],
        list(proof.cases),
    )


def proof_of(case: Case, form: PricesForm | SplitForm) -> Proof:
    """Return the proof that a form states; raises KeyError with a name that the application has not, ValueError for a role."""
    if isinstance(form, SplitForm):
        if form.role not in ("active", "every"):
            raise ValueError(f"role: is {form.role!r}; give active or every")
        tasks = {str(task): n for n, task in enumerate(case.tasks)}
        clients = {name: n for n, name in enumerate(case.clients)}
        items = None if form.tasks is None else tuple(sorted(tasks[name] for name in form.tasks))
        members = None if form.clients is None else tuple(sorted(clients[name] for name in form.clients))
        cut = Cut(items, members, "active" if form.role == "active" else "every", form.most)
        return Split(cut, proof_of(case, form.fewer), proof_of(case, form.more))
    caps = {(case.subtopologies[j], case.clients[c]): 0 for j, c, *_ in case.problem.rows.tolist()}
    for name in [*form.active, *form.every]:
        if name not in case.clients:
            raise KeyError(name)
    for subtopology, name, price in form.caps:
        if (subtopology, name) not in caps:
            raise KeyError(f"{subtopology} at {name}")
        caps[subtopology, name] = price
    return Prices(
        form.unit,
        tuple(form.before),
        tuple(form.active.get(name, 0) for name in case.clients),
        tuple(form.every.get(name, 0) for name in case.clients),
        tuple(caps.values()),
        tuple(form.cases),
    )

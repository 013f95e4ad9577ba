"""Why nothing is better, as JSON that others can check: a proof for each level, of prices and cases."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from kassay.oracles.answers import Level
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.certificate import Certificate, Proof, Split
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


class CertificateForm(msgspec.Struct):
    """What proves an answer; see :func:`certificate`."""

    proved: bool
    loads: dict[str, tuple[int, int]]
    proofs: list[ProofForm]


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

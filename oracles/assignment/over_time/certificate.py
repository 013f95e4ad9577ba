"""The proof of a sequence's optimum as JSON: prices of rows, in cases; see :mod:`.proof`."""

from typing import Any

from kassay.oracles.assignment.over_time.optimum import Best
from kassay.oracles.assignment.over_time.proof import SCALE, Prices, Proof


def certificate(best: Best) -> dict[str, Any]:
    """Return the proofs as JSON: each of a weighted sum of the levels, which is `bound` at least; prices are in `scale`-ths."""
    proofs = [
        {"weights": each.weights, "bound": each.bound, "proof": _written(each.proof)} for each in best.proofs
    ]
    return {"scale": SCALE, "proofs": proofs}


def _written(proof: Proof) -> dict[str, Any]:
    if isinstance(proof, Prices):
        places = [[*place, price] for place, price in proof.places.items()]
        return {"rows": proof.rows, "places": places}
    cases = {"fewer": _written(proof.fewer), "more": _written(proof.more)}
    return {"place": proof.place, "most": proof.most, **cases}

"""What verify_frontier.py needs for applications of Kafka Streams; like that file it needs Python alone."""

from math import inf
from typing import Any

BALANCES = ("balance", "total-balance")
SQUARES, TEXTS = "squared-loads", {None: [str]}


class Applications:
    """What frontiers of an application compare; `by` is verify_certificate."""

    levels = ("moves", "joint")

    def __init__(self, application: Any, by: Any, beside: Any) -> None:
        self.by, self.tasks, self.prices = (
            by,
            beside("verify_tasks_certificate"),
            beside("verify_tasks_prices"),
        )
        self.known = self.tasks.Known(application, "balance,moves,joint", by)

    def values(self, assignment: Any, path: str) -> tuple[dict[str, int], dict[str, int]]:
        """Return what a placement is worth, and its loads; raises NotProvedError where it is not legal."""
        self.by.shaped(assignment, {str: {"active": TEXTS, "standby": TEXTS}}, path)
        held = self.tasks.placed(self.known, assignment)
        worth = {
            level: self.tasks.values(self.known, level, held, self.prices) for level in self.known.levels
        }
        loads = {level: worth.pop(level) for level in BALANCES}
        threads = {name: client["threads"] for name, client in self.known.clients.items()}
        for level, of in zip(BALANCES, self.tasks.loads(held), strict=True):
            worth[level] = self.prices.apart([(of[name], k) for name, k in threads.items()])
        return worth | {SQUARES: sum(loads.values())}, loads

    def least(self, proof: Any, fixed: dict[str, int], path: str) -> int:
        """Return what no placement's weighted sum is below; where loads are `fixed`, at these, and prove that none are more even."""
        by, weights = self.by, proof["weights"]
        names = (*(BALANCES if fixed else ()), "weighted")
        levels = {*self.levels} if fixed else {SQUARES, *self.levels}
        by.need(weights.keys() == levels, f"{path}.weights: give them for {sorted(levels)}")
        by.shaped(proof.get("proofs"), dict.fromkeys(names, dict), f"{path}.proofs")
        squares = weights.get(SQUARES, 0)
        self.known.weights = {
            **dict.fromkeys(BALANCES, squares),
            **{level: weights[level] for level in self.levels},
        }
        worth = [*fixed.values()]
        found: float = 0
        for n, name in enumerate(names):
            where = f"{path}.proofs.{name}"
            found = self.prices.bound(
                self.known, [*names[: n + 1]], worth[:n], proof["proofs"][name], [], where
            )
            by.claim(found != inf, f"{where}: shows that nothing is possible")
            even = name == "weighted" or found == fixed[name]
            by.claim(even, f"{where}: does not prove that no loads are more even")
        return int(found)

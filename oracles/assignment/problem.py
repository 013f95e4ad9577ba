"""A group as columns: what an oracle needs to know of 10^6 partitions and 10^4 members, in a few arrays.

An *item* is what goes to one member as a whole: a partition, or, under the range contract, the partitions of
one number of several topics. Members with the same subscription, and topics with the same readers, are told
apart nowhere else.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.failures import ImpossibleError, TooLargeError

Ints: TypeAlias = NDArray[np.int64]
LARGEST = 2**62
"""No sum of costs may pass this: one bit below what 64 bits hold."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Who may get what, at which cost.

    Members have a subscription (`subscription_of`) and a rack (`rack_of`, a column of `far`). Items have an
    audience (`audience_of`: the subscriptions ``audience_subscription[audience_start[a]:audience_start[a + 1]]``
    may hold them), a profile (`profile_of`: ``far[profile, rack]`` is what the item costs across racks for a
    member in that rack; the last column is for members without a rack) and a claim (`claim_of`). A claim is a
    row: leaving its owners costs ``claim_cost[row]`` moves, of which owner ``claim_member[i]`` saves
    ``claim_gain[i]``, for each i in ``range(claim_start[row], claim_start[row + 1])``; row 0 is nobody's
    claim. Each item goes to `copies` members.
    """

    subscription_of: Ints
    rack_of: Ints
    audience_start: Ints
    audience_subscription: Ints
    audience_of: Ints
    profile_of: Ints
    claim_of: Ints
    far: Ints
    claim_start: Ints
    claim_member: Ints
    claim_gain: Ints
    claim_cost: Ints
    copies: int = 1

    @property
    def members(self) -> int:
        """How many members there are."""
        return len(self.subscription_of)

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.audience_of)

    @property
    def subscriptions(self) -> int:
        """How many different subscriptions there are."""
        return int(self.subscription_of.max(initial=-1)) + 1

    @property
    def audiences(self) -> int:
        """How many different sets of readers there are."""
        return len(self.audience_start) - 1

    @property
    def greatest_cost(self) -> int:
        """The most that one copy of an item can cost or save in one level."""
        return max(int(each.max(initial=1)) for each in (self.far, self.claim_cost, self.claim_gain))

    def asked(self, levels: tuple[str, ...]) -> "Problem":
        """Forget the racks where cross-rack is not among the levels, and the claims where moves is not."""
        known = self
        if "cross-rack" not in levels:
            known = replace(
                known, rack_of=np.zeros_like(known.rack_of), profile_of=np.zeros_like(known.profile_of),
                far=np.zeros((1, 1), np.int64),
            )  # fmt: skip
        return known if "moves" in levels else known.claimed(np.zeros_like(known.claim_of), *NO_CLAIMS)

    def claimed(self, of: Ints, start: Ints, member: Ints, gain: Ints, cost: Ints) -> "Problem":
        """Replace the claims by others."""
        return replace(
            self, claim_of=of, claim_start=start, claim_member=member, claim_gain=gain, claim_cost=cost
        )

    def owned_by(self, owners: Ints) -> "Problem":
        """Replace the claims: item i is claimed by the members in ``owners[i]``, each worth one move; -1 is nobody."""
        rows, of = np.unique(owners.reshape(self.items, -1), axis=0, return_inverse=True)
        rows = np.vstack([np.full((1, rows.shape[1]), -1), rows])
        sizes = (rows >= 0).sum(axis=1)
        gains = np.ones(int(sizes.sum()), np.int64)
        return self.claimed(of.reshape(-1) + 1, starts(sizes), rows[rows >= 0].astype(np.int64), gains, sizes)


NO_CLAIMS = tuple(np.array(each, np.int64) for each in ([0, 0], [], [], [0]))
"""The claim columns of a problem in which nobody owns anything: row 0 alone."""


def starts(sizes: Ints) -> Ints:
    """Return where each run begins, and where the last one ends, for runs of these sizes laid end to end."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def readers(problem: Problem) -> Ints:
    """Return how many members may hold each audience's items."""
    size = np.bincount(problem.subscription_of, minlength=problem.subscriptions)
    total = np.concatenate([[0], np.cumsum(size[problem.audience_subscription])])
    return np.asarray(total[problem.audience_start[1:]] - total[problem.audience_start[:-1]], np.int64)


def refuse_impossible(problem: Problem) -> None:
    """Raise ImpossibleError where an item has fewer readers than copies, TooLargeError where sums leave 64 bits."""
    few = readers(problem)[problem.audience_of]
    if problem.items and int(few.min()) < problem.copies:
        raise ImpossibleError(
            f"{problem.copies} copies of every partition are impossible: some have only {int(few.min())} subscribers"
        )
    if problem.items * problem.copies * (problem.greatest_cost + 1) >= LARGEST:
        raise TooLargeError(
            f"{problem.items} partitions at costs up to {problem.greatest_cost} leave 64 bits"
        )


def costs(problem: Problem, level: str) -> Ints:
    """Return what each item (row) costs at each member (column) in a level; for small problems."""
    if level == "cross-rack":
        return np.asarray(problem.far[problem.profile_of][:, problem.rack_of], np.int64)
    saved = np.zeros((len(problem.claim_cost), problem.members), np.int64)
    rows = np.repeat(np.arange(len(problem.claim_cost)), np.diff(problem.claim_start))
    saved[rows, problem.claim_member] = problem.claim_gain
    return np.asarray(problem.claim_cost[:, None] - saved, np.int64)[problem.claim_of]


def reading(problem: Problem) -> NDArray[np.bool_]:
    """Return whether the members of each subscription (column) may hold the items of each audience (row)."""
    reads = np.zeros((problem.audiences, problem.subscriptions), np.bool_)
    reads[
        np.repeat(np.arange(problem.audiences), np.diff(problem.audience_start)),
        problem.audience_subscription,
    ] = True
    return reads


def eligible(problem: Problem) -> NDArray[np.bool_]:
    """Return whether each item (row) may go to each member (column); for small problems."""
    return np.asarray(reading(problem)[problem.audience_of][:, problem.subscription_of], np.bool_)

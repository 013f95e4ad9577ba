"""Measures of the rounds until a cluster comes to rest; less is better."""

from kassay.model.workers import Cluster
from kassay.properties.workers.measures import idle, moves
from kassay.properties.workers.rounds import ROUNDS, Assign, comes_to_rest, until_rest


def rounds(assign: Assign, cluster: Cluster) -> int:
    """Rounds until it asks for no other one; ROUNDS + 1 where it always does."""
    played = until_rest(assign, cluster)
    return len(played) if comes_to_rest(played) else ROUNDS + 1


def total_moves(assign: Assign, cluster: Cluster) -> int:
    """Connectors and tasks that workers stop until it comes to rest, though they are configured."""
    return sum(moves(*each) for each in until_rest(assign, cluster))


def delays_ms(assign: Assign, cluster: Cluster) -> int:
    """Milliseconds of delay until it comes to rest."""
    return sum(answer.delay_ms for _, answer in until_rest(assign, cluster))


def idle_ms(assign: Assign, cluster: Cluster) -> int:
    """Milliseconds of delay that connectors and tasks run nowhere until it comes to rest, of all of them together."""
    return sum(idle(joined, answer) * answer.delay_ms for joined, answer in until_rest(assign, cluster))

"""What to tell those who set both client tags and racks, where the two do not agree (KIP-925, 4.D.III).

Tags count for standbys then, whatever racks say. The KIP has Kafka write such a warning into its log; no release up to 4.3 does. And where a
rack is not known that a strategy needs, the strategy changes nothing.

Source: KIP-925, 4.D.
"""

from collections.abc import Iterator

from kassay.model.tasks import Application
from kassay.reference.streams.rack_aware.optimise import enabled

TAG = "rack"
"""The tag that is to say the same as client.rack."""


def idle(application: Application) -> str | None:
    """Say which racks are not known that a strategy needs which is set; None where all are, or none is set."""
    if application.settings.rack_aware_assignment_strategy == "none" or enabled(application):
        return None
    without = [client.id for client in application.clients if not client.rack]
    if without and len(without) == len(application.clients):
        return "no client has a rack (client.rack)"
    if without:
        return f"client {without[0]} has no rack (client.rack)"
    return "the rack of a replica that tasks read is not known"


def warnings(application: Application) -> Iterator[str]:
    """Yield a sentence where a strategy for racks is set that changes nothing, and for each client whose rack its tags do not tell."""
    settings = application.settings
    if (why := idle(application)) is not None:
        yield (
            f"rack.aware.assignment.strategy is {settings.rack_aware_assignment_strategy}, but {why}: Kafka assigns as with none, "
            "so nothing is compared by it; give racks of all clients and of all replicas"
        )
    if not settings.rack_aware_assignment_tags or settings.rack_aware_assignment_strategy == "none":
        return
    if TAG not in settings.rack_aware_assignment_tags:
        if any(client.rack for client in application.clients):
            yield f"clients have racks, but rack.aware.assignment.tags lacks {TAG!r}; add it, for standbys go by tags alone"
        return
    for client in application.clients:
        told = dict(client.tags).get(TAG)
        if client.rack and told != client.rack:
            said = "is not set" if told is None else f"is {told!r}"
            yield f"client {client.id}: client.tag.{TAG} {said}, but client.rack is {client.rack!r}; set them alike"

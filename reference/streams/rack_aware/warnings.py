"""What to tell those who set both client tags and racks, where the two do not agree (KIP-925, 4.D.III).

Tags count for standbys then, whatever racks say. The KIP has Kafka write such a warning into its log; no release up to 4.3 does.

Source: KIP-925, 4.D.
"""

from collections.abc import Iterator

from kassay.model.tasks import Application

TAG = "rack"
"""The tag that is to say the same as client.rack."""


def warnings(application: Application) -> Iterator[str]:
    """Yield a sentence for each client whose rack its tags do not tell, where tags and a strategy for racks are both set."""
    settings = application.settings
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

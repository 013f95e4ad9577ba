"""Groups whose members are threads of Kafka Streams, read again as the applications that the listing shows."""

from collections.abc import Sequence
from dataclasses import replace

from kassay.errors import InputError
from kassay.kafka_tools.import_groups import Listed, Taken
from kassay.kafka_tools.listing_facts import ListingFacts
from kassay.kafka_tools.location import ListingError
from kassay.kafka_tools.streams.applications import Details, read_applications
from kassay.kafka_tools.streams.clients import THREAD

APPLICATIONS = "streams"
"""The family of applications."""


def is_application(one: Listed) -> bool:
    """Tell whether a member of a listed group is a thread of Kafka Streams."""
    clients = one.facts.client_ids.values() if one.facts is not None and one.family == "consumer" else ()
    return any(THREAD.fullmatch(client) for client in clients)


def as_application(files: Sequence[tuple[str, str]] | Taken, one: Listed, *, leader: bool) -> Listed:
    """Return the application that a listed group is; one that cannot be read has no group, and facts with its problem."""
    details = Details(leader=leader)
    try:
        if isinstance(files, Taken):
            (found,) = read_applications([], details, one.name, files)
        else:
            (found,) = read_applications(files, details, one.name)
    except (InputError, ListingError) as wrong:
        facts = replace(one.facts or ListingFacts(), problem=str(wrong))
        return replace(one, family=APPLICATIONS, group=None, facts=facts)
    return Listed(one.name, APPLICATIONS, found.application, found.warnings, facts=one.facts)

"""Groups from what Kafka's own tools print: kafka-consumer-groups, -share-groups, -streams-groups and -topics --describe, and Connect."""

from kassay.listings.details import Subscriptions, read_broker_racks, read_member_racks
from kassay.listings.listed_groups import Listing, read_listings
from kassay.listings.location import ListingError
from kassay.listings.reading import is_listing
from kassay.listings.texts import decode

__all__ = [
    "Listing",
    "ListingError",
    "Subscriptions",
    "decode",
    "is_listing",
    "read_broker_racks",
    "read_listings",
    "read_member_racks",
]

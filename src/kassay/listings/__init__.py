"""Groups from what Kafka's own tools print: kafka-consumer-groups --describe and kafka-topics --describe."""

from kassay.listings.listing import Listing, Subscriptions, read_listings
from kassay.listings.place import ListingError
from kassay.listings.racks import read_broker_racks, read_member_racks
from kassay.listings.reading import is_listing
from kassay.listings.text import decode

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

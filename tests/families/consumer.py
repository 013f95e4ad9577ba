"""What the consumer family brings to the tests."""

from families.consumer_mutants import HONEST, MUTANTS
from families.consumer_situations import EXAMPLES, PLAIN
from families.tables import Tables, breaking
from whole import WHOLE

from kassay.properties.consumer import SITUATIONS
from kassay.properties.partitions.smallest import size

ONE_OF_EACH = {
    "gives_up_on_odd_names crash_free", "believes_everybody exclusive", "keeps_what_is_unsubscribed subscribed",
    "keeps_what_has_vanished existing", "omits_the_idle every_member", "drops_contested complete",
    "never_evens balanced", "shares_from_the_first balanced", "hands_over_at_once cooperative",
    "forgets_older_owners cooperative", "copies_once redundant", "shuffles_its_lists deterministic",
    "serves_in_order_of_arrival member_order_independent", "deals_topics_as_listed topic_order_independent",
    "deals_by_hash renaming_independent", "hashes_topics renaming_independent", "swaps_two settling",
}  # fmt: skip
KAFKAS = breaking(
    "consumer", "range balanced", "roundrobin locally_balanced", "fair balanced", "fair locally_balanced", "fair topic_balanced", "redundant exclusive", "sticky subscribed", "sticky crash_free", "sticky stable", "sticky exclusive", "cooperative-sticky complete", "cooperative-sticky cooperative",
)  # fmt: skip
"""Properties that Kafka's assignors do not keep."""

TABLES = Tables(
    mutants=MUTANTS,
    honest=HONEST,
    situations=EXAMPLES,
    plain=PLAIN,
    situations_of_plain={"first_generation"},
    minimised=KAFKAS,
    thoroughly={*SITUATIONS, *ONE_OF_EACH} - {"large_group"} if WHOLE else ONE_OF_EACH,
    size=size,
)

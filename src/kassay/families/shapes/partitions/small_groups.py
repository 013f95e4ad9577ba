"""Small consumer groups, generated for hunting great scores among them."""

from random import Random

from hypothesis import strategies as st

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.partitions.extras import weighed


def small_weighed_groups() -> st.SearchStrategy[Group]:
    """Generate the same with partitions that weigh something."""
    return st.builds(
        lambda group, seed: weighed(Random(seed), group, "few values"), small_groups(), st.integers(0, 2**16)
    )


MEMBERS, PARTITIONS, TOPICS, RACKS = 8, 16, 5, 3


@st.composite
def small_groups(draw: st.DrawFn) -> Group:
    """Generate groups, each member and each partition as one whole number, so that a step in one is a small change.

    A member's number is its subscription, as bits, and its rack or none; a partition's is its owner or none, the
    racks of its replicas, as bits, and its topic.
    """
    topics = draw(st.integers(1, TOPICS))
    subscriptions, sets = 2**topics - 1, 2**RACKS - 1
    numbers = draw(st.lists(st.integers(0, subscriptions * (RACKS + 1) - 1), min_size=1, max_size=MEMBERS))
    readers = [(number % subscriptions + 1, number // subscriptions) for number in numbers]
    partitions = draw(
        st.lists(st.integers(0, topics * sets * (len(readers) + 1) - 1), min_size=1, max_size=PARTITIONS)
    )
    near: list[list[tuple[str, ...]]] = [[] for _ in range(topics)]
    owned: list[list[TopicPartition]] = [[] for _ in range(len(readers) + 1)]
    for partition in partitions:
        rest, topic = divmod(partition, topics)
        owner, racks = divmod(rest, sets)
        owned[owner].append(TopicPartition(f"t{topic}", len(near[topic])))
        near[topic].append(tuple(f"r{rack}" for rack in range(RACKS) if racks + 1 >> rack & 1))
    claimed = any(owned[1:])
    members = tuple(
        Member(
            f"m{m}", tuple(f"t{t}" for t in range(topics) if read >> t & 1), tuple(owned[m + 1]),
            1 if claimed else None, None, f"r{home - 1}" if home else None,
        )
        for m, (read, home) in enumerate(readers)
    )  # fmt: skip
    return Group(tuple(Topic(f"t{t}", len(racks), tuple(racks)) for t, racks in enumerate(near)), members)

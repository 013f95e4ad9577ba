"""The output of kafka-share-groups and kafka-streams-groups for any group is read back."""

from hypothesis import given
from hypothesis import strategies as st
from listings.listing_layouts import Cluster, Consumer, clusters, columns, topics_4_0, words, write_new

from kassay.listings import read_listings
from kassay.listings.reading import read_files
from kassay.listings.streams_groups import write_streams_group

ROLES = ("active", "standby", "warmup")
subtopologies = st.sampled_from(["0", "1", "2", "10"])
tasks = st.dictionaries(
    subtopologies, st.lists(st.integers(0, 12), min_size=1, max_size=4, unique=True), max_size=3
)


def in_one_role(roles):
    """Leave a task to the first role that has it."""
    left, seen = [], set()
    for some in roles:
        mine = {name: [n for n in numbers if (name, n) not in seen] for name, numbers in some.items()}
        left.append({name: numbers for name, numbers in mine.items() if numbers})
        seen |= {(name, n) for name, numbers in some.items() for n in numbers}
    return left


task_members = st.lists(
    st.tuples(words, words, words, st.tuples(tasks, tasks, tasks).map(in_one_role)),
    min_size=1,
    max_size=4,
    unique_by=lambda one: one[0],
)


def share_members(name: str, consumers: tuple[Consumer, ...]) -> str:
    """Kafka 4.1 to 4.3: one row for each member; what a member with nothing holds is blank."""
    head = ["GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS", "MEMBER-EPOCH", "ASSIGNMENT"]
    rows = [
        [name, c.id, c.host, c.client_id, str(len(c.held)), str(c.epoch), write_new(c.held) if c.held else ""]
        for c in consumers
    ]
    return columns([head, *rows], [15, 15, 15, 15, 11, 13, 0])


@given(clusters(static=False))
def test_share_groups(cluster: Cluster) -> None:
    text = "".join(share_members(name, consumers) for name, consumers in cluster.groups.items())
    listings = read_listings([("g", text), ("t", topics_4_0(cluster.topics))])
    assert [(one.name, one.family) for one in listings] == [(name, "share") for name in cluster.groups]
    for listing, consumers in zip(listings, cluster.groups.values(), strict=True):
        assert [(m.id, m.owned, m.generation) for m in listing.group.members] == [
            (c.id, c.held, c.epoch) for c in consumers
        ]


def printed(held, prefix="") -> str:
    """Print tasks of all roles; what is empty is left out."""
    parts = []
    for role, some in zip(ROLES, held, strict=True):
        if some:
            lists = (f"{name}:[{','.join(map(str, numbers))}]; " for name, numbers in some.items())
            parts.append(f"{prefix}{role.upper()}: {''.join(lists)}")
    return "".join(parts)


@given(task_members, st.booleans())
def test_streams_groups(members, verbose) -> None:
    head = ["GROUP", "MEMBER", "PROCESS", "CLIENT-ID", "ASSIGNMENTS"]
    rows = [["g", *one[:3], printed(one[3])] for one in members]
    if verbose:
        more = ["TARGET-ASSIGNMENT-EPOCH", "TOPOLOGY-EPOCH"], ["MEMBER-PROTOCOL", "MEMBER-EPOCH"]
        head = ["GROUP", *more[0], "MEMBER", *more[1], *head[2:]]
        rows = [
            ["g", "5", "0", row[1], "streams", "5", *row[2:4], row[4] + printed(one[3], "TARGET-")]
            for row, one in zip(rows, members, strict=True)
        ]
    text = columns([head, *rows], [15] * (len(head) - 1) + [0])
    group, said = write_streams_group(read_files([("g", text)]).streams_groups["g"])
    assert [(m["id"], m["process_id"]) for m in group["members"]] == [one[:2] for one in members]
    for member, one in zip(group["members"], members, strict=True):
        for role, some in zip(ROLES, one[3], strict=True):
            assert member[role] == [
                f"{name}_{number}" for name, numbers in some.items() for number in numbers
            ]
    assert not any("target assignment" in sentence for sentence in said)

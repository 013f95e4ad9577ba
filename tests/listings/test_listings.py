"""Real listings, and rows that contradict themselves."""

from pathlib import Path

import pytest
from listings.headers import NEW, OFFSETS, OLD

from kassay.listings import Listing, decode, read_listings
from kassay.listings.location import Assumed
from kassay.model import Group, Topic, TopicPartition

EXAMPLES = Path(__file__).parents[2] / "examples" / "groups"


def example(*names: str) -> list[tuple[str, str]]:
    return [(name, decode(name, (EXAMPLES / name).read_bytes())) for name in names]


def read(text: str) -> Listing:
    (listing,) = read_listings([("g", text)])
    return listing


def owned(listing: Listing) -> dict[str, list[str]]:
    return {member.id: [str(partition) for partition in member.owned] for member in listing.group.members}


def test_dotnet_listing() -> None:
    (listing,) = read_listings(example("confluent-kafka-dotnet-1712.members.txt"))
    assert listing.name == "localconsumers"
    assert listing.group.topics == (Topic("first.topic", 4), Topic("second.topic", 4))
    assert owned(listing) == {
        "rdkafka-c39093ca-70e7-458c-b6f1-ed5dd4f6e78e": [f"first.topic-{n}" for n in range(4)],
        "rdkafka-0d0d301f-8ae7-4f99-9f19-23cbcaeb7a26": [f"second.topic-{n}" for n in range(4)],
    }


def test_kminion_listing_contradicts_itself() -> None:
    (listing,) = read_listings(example("kminion-104.members.txt"))
    assert [len(member.owned) for member in listing.group.members] == [3, 0, 3, 2, 1]
    assert listing.group.members[3].owned == (TopicPartition("topic_3", 1), TopicPartition("topic_2", 4))
    assert listing.warnings == (
        "kminion-104.members.txt:5: #PARTITIONS is 1, but the line lists 2 partitions. kassay uses 2.",
        (
            "topic_1 has 4 partitions, topic_2 5, topic_3 2, topic_4 2 (highest number listed). To be exact, append the output of "
            "kafka-topics --describe"
        ),
        "all 5 members subscribe to all 4 topics (--subscriptions held)",
        "Partition 0 of all 4 topics has no owner. Is the listing complete?",
    )
    assert [isinstance(said, Assumed) for said in listing.warnings] == [False, True, True, False]


def test_milvus_listing_gives_topics() -> None:
    group = OLD + "g m /h c 1 by-dev-rootcoord-dml_9(0)\n"
    files = [*example("milvus-41548.topics.txt"), ("g", group)]
    (listing,) = read_listings(files, broker_racks={1: "eu-1"}, subscriptions="listed")
    names = [f"by-dev-rootcoord-dml_{n}" for n in (8, 9, 4)]
    assert listing.group.topics == tuple(Topic(name, 1, (("eu-1",),)) for name in names)


def test_all_real_listings_together() -> None:
    files = example(*sorted(path.name for path in EXAMPLES.glob("*.txt")))
    assert [listing.name for listing in read_listings(files)] == ["localconsumers", "my-group"]


def test_static_and_dynamic_members() -> None:
    text = (
        "GROUP           CONSUMER-ID     GROUP-INSTANCE-ID HOST            CLIENT-ID       #PARTITIONS     ASSIGNMENT\n"
        "g               a b             i-1               /h              my client       1               t(0)\n"
        "g               c                                 /h              c               2               t(1), u(0)\n"
    )
    first, second = read(text).group.members
    assert (first.id, first.instance_id, second.id, second.instance_id) == ("a b", "i-1", "c", None)
    squeezed = "\n".join(
        " ".join(line.split()) for line in text.replace("a b", "ab").replace("my ", "").split("\n")
    )
    assert [m.instance_id for m in read(squeezed).group.members] == ["i-1", None]
    twice = read(text.replace("c                                 /h", "c               i-1               /h"))
    assert [m.instance_id for m in twice.group.members] == ["i-1", None]
    assert (
        "g:3: GROUP-INSTANCE-ID 'i-1' stands at g:2 too. kassay takes member 'c' to have none."
        in twice.warnings
    )


@pytest.mark.parametrize(
    ("text", "held", "warning"),
    [
        (OLD + "g m /h c 1 -\n", {"m": []}, "g:2: #PARTITIONS is 1, but the line lists 0 partitions. kassay uses 0."),
        (OLD + "g m /h c 1 t(0,0)\n", {"m": ["t-0"]}, "g:2: member 'm' lists t-0 twice. It counts once."),
        (
            OLD + "g m /h c 1 t(0)\ng n /h c 1 t(0)\n",
            {"m": ["t-0"], "n": ["t-0"]},
            "g:3: t-0 is listed for 2 members ('m', 'n'). kassay takes each of them to own it.",
        ),
        (
            OLD + "g m /h c 1 t(0)\ng m /h c 1 t(1)\n",
            {"m": ["t-0"]},
            "g:3: member 'm' is listed again with other values. kassay uses g:2.",
        ),
        (
            OLD + "g m /h c 1 t(0)\n\n" + OLD + "g m /h c 1 t(0)\n",
            {"m": ["t-0"]},
            "g:5: member 'm' is listed again with the same values. kassay uses g:2.",
        ),
        (
            OFFSETS + "g t 0 1 1 0 m /h c\ng t 0 1 1 0 m /h c\n",
            {"m": ["t-0"]},
            "g:3: t-0 is listed again for member 'm'. kassay uses g:2.",
        ),
        (
            OLD + "g m /h c 1 t(0)\n" + OFFSETS + "g t 1 1 1 0 m /h c\n",
            {"m": ["t-0"]},
            "g:2: member 'm' lists 1 partition, but the table of offsets names 1, not the same ones. kassay uses g:2.",
        ),
        (
            NEW + "g m /h c 1 3 t:0 4 t:0,1\ng n /h c 0 4 - 4 -\n",
            {"m": ["t-0"], "n": []},
            "g:2: 1 member ('m') owns other partitions than the target assignment.",
        ),
        (
            NEW + "g m /h c 1 3 t:0 4 t:0\ng n /h c 0 4 - 4 -\n",
            {"m": ["t-0"], "n": []},
            "members of consumer group 'g' are at epochs 3, 4, and all own what they own since epoch 4",
        ),
        (
            OLD + "g m /h c 1 t(2)\nTopic:t PartitionCount:2 ReplicationFactor:1 Configs:\n",
            {"m": ["t-2"]},
            "Members own partitions that the topics listing does not have (t-2). Take both listings at the same time",
        ),
        (OLD + "g m /h c 0 -\n", {"m": []}, "no member owns a partition, so nothing tells what they subscribe to"),
        ("Consumer group 'g' has no active members.\n" + OLD, {}, "g:1: Consumer group 'g' has no active members."),
        (
            OLD + "g m /h c 1 t(0)\nWarning: Consumer group 'g' is rebalancing.\n",
            {"m": ["t-0"]},
            "g:3: Consumer group 'g' is rebalancing.",
        ),
        (
            "CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\nm /h c 1 t(0)\n",
            {"m": ["t-0"]},
            "g:1: The table has no GROUP column. The group is named after the file.",
        ),
    ],
)  # fmt: skip
def test_contradictions_are_coped_with_and_said(text: str, held: dict[str, list[str]], warning: str) -> None:
    listing = read(text)
    assert owned(listing) == held
    assert [said for said in listing.warnings if said.startswith(warning)]


def test_many_double_claims_are_summed_up() -> None:
    numbers = ",".join(map(str, range(50)))
    listing = read(OLD + f"g m /h c 50 t({numbers})\ng n /h c 50 t({numbers})\n")
    assert sum("is listed for 2 members" in warning for warning in listing.warnings) == 5
    assert "So are 45 more partitions of consumer group 'g'." in listing.warnings


@pytest.mark.parametrize(
    ("lines", "topic", "warning"),
    [
        (
            ["Topic: t\tPartition: 1\tLeader: 1\tReplicas: 2,1\tIsr: 1"],
            Topic("t", 2, ((), ("b", "a"))),
            "t:1: topic t has no line with its PartitionCount; it is taken to have 2 partitions",
        ),
        (
            ["Topic: t\tPartitionCount: 1\tConfigs: ", "Topic: t\tPartition: 1\tReplicas: 1\tIsr: 1"],
            Topic("t", 2, ((), ("a",))),
            "t:1: PartitionCount of topic t is 1, but partition 1 is listed; it is taken to have 2",
        ),
        (
            ["Topic: t\tPartitionCount: 2\tConfigs: ", "Topic: t\tPartition: 0\tReplicas: 1\tIsr: 1"],
            Topic("t", 2, (("a",), ())),
            "t:1: topic t has 2 partitions, of which 1 are listed; the others have no known replicas",
        ),
        (
            ["Topic: t\tPartition: 0\tReplicas: 1\tIsr: 1", "Topic: t\tPartition: 0\tReplicas: 2,1\tIsr: 1"],
            Topic("t", 1, (("a",),)),
            "t:2: Replicas of t-0 are 2, 1, but an earlier line says 1, which holds",
        ),
        (
            ["Topic: t\tPartitionCount: 1\tConfigs: ", "Topic: t\tPartitionCount: 3\tConfigs: "],
            Topic("t", 1),
            "t:2: PartitionCount of topic t is 3, but 1 at t:1, which holds",
        ),
    ],
)  # fmt: skip
def test_topics_that_contradict_themselves(lines: list[str], topic: Topic, warning: str) -> None:
    files = [("t", "\n".join(lines)), ("g", OLD + "g m /h c 1 t(0)\n")]
    (listing,) = read_listings(files, broker_racks={1: "a", 2: "b"})
    assert listing.group.topics == (topic,)
    assert [said for said in listing.warnings if said.startswith(warning)]


def test_members_without_verbose_are_read_where_offsets_tell_the_rest() -> None:
    members = OLD.replace(" ASSIGNMENT", "") + "g m /h c 2\ng n /h c 0\n"
    text = OFFSETS + "g t 0 1 1 0 m /h c\ng u 1 1 1 0 m /h c\ng - - - - - n /h c\ng v 3 1 1 0 - - -\n"
    listing = read(members + text)
    assert owned(listing) == {"m": ["t-0", "u-1"], "n": []}
    assert [topic.name for topic in listing.group.topics] == ["t", "u", "v"]
    assert {member.topics for member in listing.group.members} == {("t", "u")}


def test_the_members_listing_outranks_the_offsets_before_it() -> None:
    members = "GROUP CONSUMER-ID GROUP-INSTANCE-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n"
    (first, second) = read(
        OFFSETS
        + "g t 0 1 1 0 m /h c\ng t 1 1 1 0 n /h c\n"
        + members
        + "g m i /h c 1 t(0)\ng n - /h c 1 t(1)\n"
    ).group.members
    assert (first.id, first.instance_id, first.owned) == ("m", "i", (TopicPartition("t", 0),))
    assert (second.id, second.instance_id, second.owned) == ("n", None, (TopicPartition("t", 1),))


def test_all_claims_are_of_the_highest_epoch() -> None:
    group = read(NEW + "g m /h c 1 3 t:0 4 t:0\ng n /h c 0 4 - 4 -\n").group
    assert [member.generation for member in group.members] == [4, 4]


def test_a_group_without_members_needs_no_topics() -> None:
    files = [
        ("t", "Topic: t\tPartitionCount: 1\tConfigs: "),
        ("g", "Consumer group 'g' has no active members."),
    ]
    (listing,) = read_listings(files, subscriptions="listed")
    assert listing.group == Group((), ())


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (OLD.replace(" ASSIGNMENT", "") + "g m /h c 0\n", {"m": []}),  # without --verbose
        (OLD + f"g {'1' * 60} /h c 1 t(0)\n", {"1" * 60: ["t-0"]}),  # longer than its column
        ("GROUP HOST #PARTITIONS RACK CONSUMER-ID CLIENT-ID ASSIGNMENT\ng /h 1 r m c t(0)\n", {"m": ["t-0"]}),
    ],
)
def test_rows_are_split_by_the_names_of_columns(text: str, held: dict[str, list[str]]) -> None:
    assert owned(read(text)) == held


def test_target_assignments_tell_subscriptions_and_partitions() -> None:
    listing = read(NEW + "g m /h c 0 4 - 5 t:3\n")
    assert listing.group.topics == (Topic("t", 4),)
    assert listing.group.members[0].topics == ("t",)
    assert listing.group.members[0].generation == 4


def test_kafkas_own_topics_are_listed_for_nobody() -> None:
    topics = "".join(
        f"Topic: {name}\tPartitionCount: 1\tConfigs: \n" for name in ("t", "__consumer_offsets", "u")
    )
    (listing,) = read_listings([("t", topics), ("g", OLD + "g m /h c 0 -\n")], subscriptions="listed")
    assert listing.group.members[0].topics == ("t", "u")

"""What each refusal says."""

import pytest

from kassay.listings import ListingError, decode, read_listings

OLD = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n"
NEW = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS CURRENT-EPOCH CURRENT-ASSIGNMENT TARGET-EPOCH TARGET-ASSIGNMENT\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "g: there is no table of a consumer group. Give the output of kafka-consumer-groups"),
        (OLD, "g:1: the table has no rows. Describe a group that has members"),
        ("Topic: t\tPartitionCount: 1\tConfigs: ", "g: there are topics but no consumer group"),
        ("hello\n", "g: there is no table of a consumer group. Give"),
        (OLD + "g m /h c 1\n", "g:2: the row ends before ASSIGNMENT. Give the whole row, as below the header at g:1."),
        (OLD + "g m /h c one t(0)\n", "g:2: #PARTITIONS is 'one'. Give the row as the tool printed it below g:1."),
        (OLD + "g m /h c 1 t(0\n", "g:2: ASSIGNMENT is unreadable at 't(0'. Give the whole row on one line"),
        (OLD + f"g m /h c 1 t({'9' * 5000})\n", "g:2: ASSIGNMENT t is '99999999"),
        ("GROUP CONSUMER-ID " + "#PARTITIONS " * 50, "g: there is no table of a consumer group."),
        (NEW + "g m /h c 1 4 t:0; 4 t:0\n", "g:2: CURRENT-ASSIGNMENT is unreadable at 't:0;'"),
        (OLD + "g m /h c 1 t(0),\n", "g:2: ASSIGNMENT is unreadable at 't(0),'"),
        (OLD + "g m /h c 1 t(0,)\n", "g:2: ASSIGNMENT t is ''. Give a number from 0 to 2147483647"),
        (OLD + "g m /h c 1 t(2147483648)\n", "g:2: ASSIGNMENT t is '2147483648'. Give a number from 0"),
        (OLD + "g m /h c 1 t(10000000)\n", "g:2: partition 10000000 makes a topic of 10000001 partitions. Give"),
        (OLD + "g m /h c 1 t(9999999),u(0)\n", "the listed topics have 10000001 partitions together, 10000000"),
        (NEW + "g m /h c 1 x t:0 4 t:0\n", "g:2: CURRENT-EPOCH is 'x'. Give a number"),
        (NEW + "g m /h c 1 4 t:0;u 4 t:0\n", "g:2: CURRENT-ASSIGNMENT is unreadable at 'u'"),
        (NEW + "g m /h c 1 4 t:0 4 t:\n", "g:2: TARGET-ASSIGNMENT t is ''. Give a number"),
        (
            OLD.replace(" ASSIGNMENT", "") + "g m /h c 3\n",
            "g:2: #PARTITIONS is 3, but the table does not print which. Add --verbose",
        ),
        (
            "GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE #MEMBERS\ng h:1 (0) range Stable 1\n",
            "g:2: the table of --state does not list the members. Give",
        ),
        ("GROUP TOPIC PARTITION NEW-OFFSET\ng t 0 1\n", "g: there is no table of a consumer group."),
        ("GROUP TOPIC PARTITION OFFSET-LAG\ng t 0 1\n", "g:2: the table does not list the group's members. Give"),
        ('["c", "d"]', "g: this JSON is neither a status of Connect nor a group"),
        ("GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER\n", "g:1: the table has no rows. Describe"),
        ("GROUP CONSUMER-ID CONSUMER-ID #PARTITIONS\n", "g:1: the header names the column 'CONSUMER-ID' twice"),
        (
            "Error: Executing consumer group command failed due to a timeout\n",
            "g:1: the tool failed: 'Error: Executing consumer group command failed due to a timeout'. Mend",
        ),
        ("Topic: t Partition: 0 Leader: 1\n", "g:1: the line of t-0 has no Replicas. Give the whole line"),
        ("Topic: t Partition: 0 Leader: 1 Replicas: 1,2\n", "g:1: the line of t-0 has no Isr. Give the whole line"),
        ("Topic: t Partition: 0 Replicas: 1, Isr: 1\n", "g:1: Replicas is ''. Give a number"),
        ("Topic: t Leader: 1\n", "g:1: the line of topic 't' has neither PartitionCount nor Partition"),
        ("Topic: PartitionCount: 1\n", "g:1: Topic is ''. Give the name of a topic"),
        ("Topic: t PartitionCount: 20000000\n", "g:1: PartitionCount makes a topic of 20000000 partitions"),
        ("Topic: t Topic: u PartitionCount: 2\n", "g:1: 'Topic' stands twice on the line"),
        (OLD + "g m\x00 /h c 1 t(0)\n", "g:2: the line holds the character '\\x00'. Save the file as UTF-8 text"),
    ],
)  # fmt: skip
def test_refusals_say_where_what_and_how_to_mend(text: str, said: str) -> None:
    with pytest.raises(ListingError) as caught:
        read_listings([("g", text)])
    assert str(caught.value).startswith(said)


def test_a_header_holds_to_the_end_of_its_file() -> None:
    (listing,) = read_listings([("g", OLD + "g m /h c 0 -\n"), ("h", "g n /h c 0 -\n")])
    assert [member.id for member in listing.group.members] == ["m"]
    assert listing.facts is not None
    assert listing.facts.skipped_lines == 1


def test_unknown_subscriptions_and_no_files() -> None:
    with pytest.raises(ValueError, match="subscriptions is 'x'; give one of all, held, listed"):
        read_listings([("g", OLD)], subscriptions="x")  # type: ignore[arg-type]
    with pytest.raises(ListingError, match="no listing was given"):
        read_listings([])


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(ListingError, match=r"g:2: byte 4 is not UTF-8. Save the file as UTF-8"):
        decode("g", b"abc\n\xff")
    (listing,) = read_listings([("g", "\ufeff" + OLD + "g m /h c 0 -\n")])
    assert [member.id for member in listing.group.members] == ["m"]
    assert decode("g", "GROUP\r\n".encode("utf-16")) == "GROUP\r\n"

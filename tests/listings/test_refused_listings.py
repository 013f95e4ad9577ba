"""Refused listings: each sentence has the place, the problem and the fix."""

import pytest
from listings.headers import MIGRATING, NEW, OLD, SHARE, STATE, TASKS, TASKS_VERBOSE

from kassay.errors import InputError
from kassay.listings import ListingError, decode, read_listings
from kassay.listings.details import ListedDetails
from kassay.listings.import_groups import is_listed, read_listed

ONE = '{"c": {"status": {"connector": {"state": "RUNNING", "worker_id": "w:1"}, "tasks": %s}}}'
TASK = '{"id": %s, "state": "%s", "worker_id": "w:1"}'


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
        (OLD + "g m /h c 1 t(9999999),u(0)\n", "topics: 10000001 partitions are listed, 10000000"),
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
        (SHARE + "g a /h c 1 x t:0\n", "g:2: MEMBER-EPOCH is 'x'. Give a number from 0 to 2147483647"),
        (SHARE + "g a /h c 1 2 t:\n", "g:2: ASSIGNMENT t is ''. Give a number from 0 to 2147483647"),
        (SHARE + "g a /h c one 2 t:0\n", "g:2: #PARTITIONS is 'one'. Give the row as the tool printed it below g:1."),
        (
            SHARE.replace(" ASSIGNMENT", "") + "g a /h c 2 4\n",
            "g:2: #PARTITIONS is 2, but the table does not print which. Add --verbose to kafka-share-groups --describe --members",
        ),
        ("GROUP TOPIC PARTITION START-OFFSET LAG\ng t x 1 1\n", "g:2: PARTITION is 'x'. Give the row"),
        (STATE + "g host:1 (3) uniform Stable x 4 1\n", "g:2: GROUP-EPOCH is 'x'. Give a number"),
        (STATE + "g host:1 (3) uniform Stable 4 4 one\n", "g:2: #MEMBERS is 'one'. Give the row"),
        (
            "Topic: t\tTopicId: x\tPartitionCount: 1\tConfigs: \n",
            "g:1: TopicId is 'x'. Give the Uuid as printed, 22 signs of base64",
        ),
        (
            MIGRATING
            + "g a /h c 2 2 t:0;u:0 2 t:0;u:0 true\n"
            + "".join(
                f"Topic: {name}\tTopicId: UFMCjTZsTwyb2g2-1ruQ-Q\tPartitionCount: 1\tConfigs: \n"
                for name in "tu"
            ),
            "g:4: TopicId of topic u is UFMCjTZsTwyb2g2-1ruQ-Q, which another topic has too. Give each line as printed",
        ),
    ],
)  # fmt: skip
def test_refusals_say_where_what_and_how_to_mend(text: str, said: str) -> None:
    with pytest.raises(ListingError) as caught:
        read_listings([("g", text)])
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("text", "details", "said"),
    [
        (TASKS + "g a p c ACTIVE: 0:[0\n", {}, "g:2: ASSIGNMENTS is unreadable at 'ACTIVE: 0:[0'. Give the whole row"),
        (TASKS + "g a p c ACTIVE: x:[0]; \n", {}, "g:2: ASSIGNMENTS is unreadable at 'ACTIVE: x:[0];'. Give the whole row"),
        (TASKS + "g a p c ACTIVE: 0:[1]; STANDBY: 0:[1]; \n", {}, "g:2: ASSIGNMENTS has task 0_1 in two roles. Give the row"),
        (TASKS + "g a p c ACTIVE: 0:[,]; \n", {}, "g:2: ASSIGNMENTS 0 is ''. Give a number from 0"),
        (TASKS + "g a p c ACTIVE: 0:[9999999999]; \n", {}, "g:2: ASSIGNMENTS 0 is '9999999999'. Give a number"),
        (TASKS + "g a p c ACTIVE: 0:[10000000]; \n", {}, "g:2: task 0_10000000 makes a subtopology of 10000001 tasks"),
        (TASKS + "g a p c ACTIVE: 0:[9999999]; 1:[0]; \n", {}, "streams group 'g': has 10000001 tasks. Give listings"),
        (TASKS + "g a p c 0:[0]; \n", {}, "g:1: the table has no rows."),
        (TASKS, {}, "g:1: the table has no rows. Describe a group that has members"),
        (TASKS_VERBOSE + "g 5 0 a streams x p c ACTIVE: 0:[0]; \n", {}, "g:2: MEMBER-EPOCH is 'x'. Give a number"),
        (TASKS + "g a p c ACTIVE: 0:[0]; \n", {"stateful": ["1"]}, "--stateful 1: no member has a task of subtopology '1'. Known are 0"),
        (
            TASKS + "g a p c ACTIVE: 0:[0]; \n",
            {"config": ["num.standby.replica=1"]},
            "--config num.standby.replica: assignors of streams groups read no such setting. Known are num.standby.replicas",
        ),
        (
            TASKS + "g a p c ACTIVE: 0:[0]; \n",
            {"config": ["num.standby.replicas=-1"]},
            "--config num.standby.replicas: is '-1'. Give a number from 0 to 2147483647",
        ),
    ],
)  # fmt: skip
def test_streams_groups_are_refused_with_place_and_fix(text, details, said) -> None:
    with pytest.raises(InputError) as refused:
        read_listed([("g", text)], leader=False, details=ListedDetails(**details))
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"c": {"status": {', "f0:1: the JSON that begins here is cut off. Give the whole output."),
        ('{"c": {"status": 1}}', "f0: c.status: is '1', not an object. Give the complete output of GET /connectors?expand=status"),
        ('{"c": {"status": {"tasks": []}}}', "f0: c.status.connector: is 'null', not an object"),
        (ONE % "null", "f0: c.status.tasks: is 'null', not a list"),
        (ONE % '[{"id": 0, "state": "RUNNING"}]', "f0: c.status.tasks[0].worker_id: is 'null'. Give"),
        (ONE % f"[{TASK % (-1, 'RUNNING')}]", "f0: c.status.tasks[0].id: is '-1'. Give the number of a task"),
        (ONE % f"[{TASK % ('true', 'RUNNING')}]", "f0: c.status.tasks[0].id: is 'true'. Give the number of a task"),
        (ONE % f"[{TASK % (0, 'RUNNING')}, {TASK % (0, 'RUNNING')}]", "f0: c.status.tasks[1].id: task 0 is listed twice"),
        (ONE % f"[{TASK % (10**7, 'RUNNING')}]", "f0: there are 10000001 tasks, 10000001 of them of 'c'. Give connectors"),
        ('{"c": {"info": {"tasks": [{"task": "x"}]}}}', "f0: c.info.tasks[0].task: is '\"x\"'. Give the number"),
        ('{"c": {"info": {"tasks": []}}}', "f0: there is no worker. Name workers by --worker, or give the output"),
        ('{"": {"info": {"tasks": []}}}', "f0: '' is not the name of a connector"),
        ('{"c": {"info": {"tasks": []}, "info": 1}}', "f0:1: the key 'info' stands twice in an object. Give"),
        ('{"error_code": 409, "message": "stale"}', "f0:1: Connect answered error '409': 'stale'. Ask again once it has settled"),
    ],
)  # fmt: skip
def test_clusters_of_connect_are_refused_with_place_and_fix(text, said) -> None:
    assert is_listed(text)
    with pytest.raises(InputError) as refused:
        read_listed([("f0", text)], leader=False)
    assert str(refused.value).startswith(said)


def test_a_header_holds_to_the_end_of_its_file() -> None:
    (listing,) = read_listings([("g", OLD + "g m /h c 0 -\n"), ("h", "g n /h c 0 -\n")])
    assert [member.id for member in listing.group.members] == ["m"]
    assert listing.facts is not None
    assert listing.facts.skipped_lines == 1


def test_unknown_subscriptions_and_no_files() -> None:
    with pytest.raises(ValueError, match=r"subscriptions is 'x'. Give one of all, held, listed"):
        read_listings([("g", OLD)], subscriptions="x")  # type: ignore[arg-type]
    with pytest.raises(ListingError, match="FILE: there is no listing"):
        read_listings([])


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(ListingError, match=r"g:2: byte 4 is not UTF-8. Save the file as UTF-8"):
        decode("g", b"abc\n\xff")
    (listing,) = read_listings([("g", "\ufeff" + OLD + "g m /h c 0 -\n")])
    assert [member.id for member in listing.group.members] == ["m"]
    assert decode("g", "GROUP\r\n".encode("utf-16")) == "GROUP\r\n"

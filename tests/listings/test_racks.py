"""Rack tables in their layouts."""

import pytest
from listings.headers import OLD

from kassay.listings import ListingError, read_broker_racks, read_listings, read_member_racks
from kassay.listings.applications import Details, read_applications


def test_member_racks_by_id_client_or_host() -> None:
    text = OLD + "".join(f"g {member} 0 -\n" for member in ("m /h1 c1", "n /h2 c2", "o /h3 c3", "p /h4 c4"))
    racks = read_member_racks("r", "m a\nc2,b\n# by host\nh3 c\n/h4 d\nc1 no\n")
    (listing,) = read_listings([("g", text)], member_racks=racks)
    assert [member.rack for member in listing.group.members] == ["a", "b", "c", "d"]
    (listing,) = read_listings([("g", text)], member_racks={"m": "a"})
    assert "the table of member racks has none for 3 members ('n', 'o', 'p')" in listing.warnings


@pytest.mark.parametrize(
    "text",
    [
        "CLIENT-ID RACK\nc1 a\nc2 b\n",
        "client.id,rack\nc1,a\nc2,b\n",
        "CONSUMER-ID CLIENT-ID RACK\nm c1 a\nn c2 b\n",
        "client.id, member.id, rack\nc1, m, a\nc2, -, b\n",
        '{"c1": "a", "c2": "b"}',
    ],
)
def test_a_table_of_members_may_name_their_client_ids(text: str) -> None:
    listing_text = OLD + "g m /h1 c1 0 -\ng n /h2 c2 0 -\n"
    (listing,) = read_listings([("g", listing_text)], member_racks=read_member_racks("r", text))
    assert [member.rack for member in listing.group.members] == ["a", "b"]
    assert not any("member racks" in said for said in listing.warnings)


def test_a_named_column_that_is_missing_is_said() -> None:
    with pytest.raises(
        ListingError, match=r"r:2: 'c1 a' does not have the 3 columns of the header. Give each"
    ):
        read_member_racks("r", "CONSUMER-ID CLIENT-ID RACK\nc1 a\n")


def test_a_listing_of_members_may_name_clients_alone() -> None:
    without = "GROUP HOST CLIENT-ID #PARTITIONS ASSIGNMENT\ng /h1 c1 1 t(0)\ng /h2 c2 1 t(1)\n"
    (listing,) = read_listings([("g", without)], member_racks={"c2": "b"})
    assert [(member.id, member.rack, len(member.owned)) for member in listing.group.members] == [
        ("c1", None, 1),
        ("c2", "b", 1),
    ]
    with pytest.raises(
        ListingError, match=r"g:3: CLIENT-ID 'c1' stands at g:2 too. Give the table with CONSUMER-ID"
    ):
        read_listings([("g", without.replace("c2", "c1"))])
    offsets = "GROUP TOPIC PARTITION CURRENT-OFFSET HOST CLIENT-ID\ng t 0 5 /h1 c1\ng t 1 5 /h1 c1\n"
    (listing,) = read_listings([("g", offsets)])
    assert [(member.id, len(member.owned)) for member in listing.group.members] == [("c1", 2)]


def test_threads_of_kafka_streams_have_the_rack_of_their_client_id() -> None:
    rows = "".join(f"g m{n} /h1 orders-{n}-StreamThread-1-consumer 1 t({n})\n" for n in (1, 2))
    details = Details(member_racks=read_member_racks("r", "CLIENT.ID RACK\norders-1 a\norders-2 b\n"))
    (found,) = read_applications([("g", OLD + rows)], details)
    assert sorted(client.rack for client in found.application.clients) == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "1 a\n2 b\n3 -\n",
        "BROKER,RACK\n1,a\n\n2,b\n3,null\n",
        "1\ta\n2\tb\n3\t-",
        '{"1": "a", "2": "b", "3": null}',
        (
            "h1:9092 (id: 1 rack: a) -> (\n\tProduce(0): 0 to 9\n)\n"
            "h2:9092 (id: 2 rack: b isFenced: false) -> (\n)\nh3:9092 (id: 3 rack: null) -> (\n)\n"
        ),
    ],
)
def test_broker_racks_in_every_layout(text: str) -> None:
    assert read_broker_racks("r", text) == {1: "a", 2: "b", 3: None}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\n", "r:1: '1' is not a broker and a rack. Give two words a line, as in '1 a'"),
        ("\nx a\n", "r:2: BROKER is 'x'. Give a number"),
        ("1 a\n1 b\n", "r:2: broker 1 has rack 'a' and 'b'. Give each broker one rack"),
        ('{"1": "a",\n "1": "b"}', "r:1: broker 1 has rack 'a' and 'b'"),
        ('{"1": 2}', "r: the rack of '1' is no string. Give an object"),
        ('{"1": "a"', "r:1: not JSON ("),
        ('{"1": ""}', "r: '1': '' is empty or no text"),
        ("h (id: 1)\n", "r:1: 'h (id: 1)' does not tell a broker's id and rack"),
    ],
)
def test_rack_tables_that_are_refused(text: str, said: str) -> None:
    with pytest.raises(ListingError) as caught:
        read_broker_racks("r", text)
    assert str(caught.value).startswith(said)

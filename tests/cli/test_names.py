"""Names are cut to what tells them apart."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.output.names import cut

ID = "4f1c9f0e-1111-2222-3333-abcdefabcdef"


@given(st.lists(st.text(st.sampled_from("ab-_.1é"), max_size=12), max_size=6))
def test_cut_names_are_beginnings_that_differ(names):
    found = cut(names)
    assert set(found) == set(names)
    assert len({*found.values()}) == len(found)
    assert all(name.startswith(short) for name, short in found.items())


def test_the_ids_that_kafka_makes_lose_what_says_nothing():
    assert [*cut([f"order-svc-{n}-{ID}" for n in range(11)]).values()][:2] == ["order-svc-0", "order-svc-1"]
    assert [*cut([f"order-svc-{n}-{ID}" for n in range(11)]).values()][-1] == "order-svc-10"
    hosts = [f"my-consumer-{piece}-{ID}" for piece in ("0ca4f2ff", "2fcb7788", "2f12aabb")]
    assert [*cut(hosts).values()] == ["my-consumer-0ca4", "my-consumer-2fcb", "my-consumer-2f12"]


def test_short_names_and_a_single_one_stay_whole():
    assert dict(cut(["m0", "m1"])) == {"m0": "m0", "m1": "m1"}
    assert dict(cut([f"alone-{ID}"])) == {f"alone-{ID}": f"alone-{ID}"}


def test_of_a_uuid_in_the_middle_a_piece_stays():
    threads = [f"shop-{ID}-StreamThread-1", f"shop-{ID}-StreamThread-2", f"shop-9{ID[1:]}-StreamThread-1"]
    assert [*cut(threads).values()] == [
        "shop-4f1c-StreamThread-1", "shop-4f1c-StreamThread-2", "shop-9f1c-StreamThread-1",
    ]  # fmt: skip
    numbered = [f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2)]
    assert [*cut(numbered).values()] == ["...0001", "...0002"]

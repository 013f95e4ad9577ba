"""Older releases: which there are, which assign alike, and what is known of their differences."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.errors import InputError, SkippedError
from kassay.families import family
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.reference import ASSIGNORS
from kassay.reference.releases import LAST, behaviours, build_release, has_release, releases
from kassay.targets import Options, expand, open_target
from kassay.targets.maven.repository import list_versions

NAMES = [name for name in ASSIGNORS if behaviours(name)]


def assign(spec: str, group: Group) -> dict[str, str]:
    given_ = open_target(spec, Options()).assign(group)
    return {member: " ".join(map(str, given_[member])) for member in sorted(given_)}


def test_releases_are_in_order_and_end_with_the_newest() -> None:
    numbers = [tuple(map(int, release.split("."))) for release in releases()]
    assert numbers == sorted(set(numbers))
    assert numbers[0] == (2, 2, 0)
    assert releases()[-1] == LAST[-1]


@pytest.mark.parametrize(("name", "artifact"), [("", "kafka-clients"), ("streams", "kafka-streams")])
def test_the_newest_release_is_that_of_the_artifact(name: str, artifact: str) -> None:
    assert releases(name)[-1] == list_versions("org.apache.kafka", artifact)[-1]


@pytest.mark.parametrize(
    ("name", "alike"),
    [
        ("high-availability", "3.3.0 to 3.5.2 · 3.6.0 to 3.6.2 · 3.7.0 to 4.3.1"),
        ("legacy-sticky", "3.3.0 to 3.5.2 · 3.6.0 to 3.6.2 · 3.7.0 to 4.3.1"),
        ("fallback-prior", "3.3.0 to 4.3.1"),
        ("sticky", "3.8.0 to 4.3.1"),
    ],
)
def test_releases_of_kafka_streams_end_with_their_own_artifact(name: str, alike: str) -> None:
    assert " · ".join(map(str, behaviours(f"streams/{name}"))) == alike
    assert not has_release(f"streams/{name}", LAST[-1])


@pytest.mark.parametrize("name", NAMES)
def test_each_release_behaves_in_one_way_up_to_the_newest(name: str) -> None:
    every = [release for behaviour in behaviours(name) for release in behaviour.releases]
    assert every == list(releases(name.partition("/")[0])[-len(every) :])
    assert behaviours(name)[-1].assign is ASSIGNORS[name].assign


@pytest.mark.parametrize("name", NAMES)
def test_the_documentation_says_which_assign_alike(name: str) -> None:
    row = f"| {name.partition('/')[2]} | {' · '.join(map(str, behaviours(name)))} |"
    pages = sorted((Path(__file__).parents[2] / "docs" / "reference").glob("*.md"))
    assert any(row in page.read_text(encoding="utf-8") for page in pages)


@settings(deadline=None)
@given(st.sampled_from(NAMES), st.data())
def test_the_first_and_the_last_release_of_a_behaviour_are_targets(name: str, data: st.DataObject) -> None:
    group = data.draw(family(name.partition("/")[0]).shape.groups())
    behaviour = data.draw(st.sampled_from(behaviours(name)))
    answers = []
    for release in (behaviour.releases[0], behaviour.releases[-1]):
        try:
            answers.append(open_target(f"{name}@{release}", Options()).assign(group))
        except AssignorError as failure:
            answers.append(str(failure))
        except SkippedError as declined:
            answers.append(declined.args)
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("consumer/sticky@3.5.7", "as of Kafka 2.2.0 to 4.4.0, of 3.5 up to 3.5.2, not as of 3.5.7"),
        ("consumer/sticky@3.5", "not as of 3.5. Leave"),
        ("consumer/sticky@2.1.0", "as of Kafka 2.2.0 to 4.4.0, not as of 2.1.0"),
        ("consumer/sticky@4.5.0", "not as of 4.5.0"),
        ("consumer/sticky@newest", "not as of newest"),
        ("consumer/sticky@", "not as of nothing"),
        ("consumer/sticky@3.5.0@3.5.1", "not as of 3.5.0@3.5.1"),
        ("consumer/sticky@3.5.1 ", "not as of 3.5.1 . Leave"),
        ("consumer/cooperative-sticky@2.3.1", "as of Kafka 2.4.0 to 4.4.0, not as of 2.3.1"),
        ("consumer/fair@2.4.0", "no release of Kafka has consumer/fair"),
        ("consumer/stick@2.4.0", "Did you mean consumer/sticky?"),
    ],
)
def test_what_no_release_has_is_refused_with_what_is_known(spec: str, words: str) -> None:
    with pytest.raises(InputError) as refused:
        open_target(spec, Options())
    assert words in str(refused.value)


def test_patterns_match_what_a_release_has() -> None:
    assert expand(["consumer/*sticky@2.3.1"]) == ["consumer/sticky@2.3.1"]
    assert expand(["consumer/*@2.4.0"]) == [f"{name}@2.4.0" for name in NAMES if name.startswith("consumer/")]
    assert expand(["streams/*@2.8.0"]) == ["streams/high-availability@2.8.0", "streams/sticky@2.8.0"]
    assert "streams/legacy-sticky@2.8.0" in expand(["streams/*@2.8.0"], studies=True)
    assert not has_release("consumer/fair", "2.4.0")
    (none,) = expand(["consumer/sti*@1.0.0"])
    with pytest.raises(InputError, match=r"not as of 1\.0\.0"):
        open_target(none, Options())


def test_an_older_release_promises_what_the_newest_does() -> None:
    newest = ASSIGNORS["consumer/sticky"]
    old = build_release(newest, "2.8.0")
    assert (old.name, old.source) == ("consumer/sticky@2.8.0", "Kafka 2.5.1 to 2.8.0")
    assert old.promises == newest.promises


def test_static_members_come_first_from_2_4_on() -> None:
    group = Group((Topic("t", 3),), (Member("a", ("t",)), Member("b", ("t",), instance_id="i")))
    for name in ("consumer/range", "consumer/roundrobin"):
        assert len(assign(f"{name}@2.3.1", group)["a"].split()) == 2
        assert len(assign(f"{name}@2.4.0", group)["b"].split()) == 2


def test_a_topic_listed_twice_counted_twice_before_3_5() -> None:
    group = Group((Topic("t", 3),), (Member("a", ("t", "t")), Member("b", ("t",))))
    assert assign("consumer/range@3.4.1", group) == {"a": "t-0 t-1", "b": "t-2"}
    assert assign("consumer/range@3.5.0", group) == {"a": "t-0 t-1", "b": "t-2"}
    group = Group((Topic("t", 4),), group.members)
    assert assign("consumer/range@3.4.1", group) == {"a": "t-0 t-1 t-2", "b": "t-3"}
    assert assign("consumer/range@3.5.0", group) == {"a": "t-0 t-1", "b": "t-2 t-3"}


CLAIMED_TWICE = Group(
    (Topic("t", 2),),
    tuple(Member(name, ("t",), (TopicPartition("t", 0),), 1) for name in ("a", "b")),
)


def test_two_members_kept_one_partition_before_2_8_1() -> None:
    assert assign("consumer/sticky@2.2.2", CLAIMED_TWICE) == {"a": "t-0 t-1", "b": "t-0"}
    assert assign("consumer/sticky@2.3.0", CLAIMED_TWICE) == {"a": "t-0", "b": "t-1"}
    assert assign("consumer/sticky@2.8.0", CLAIMED_TWICE) == {"a": "t-0 t-1", "b": "t-0"}
    assert assign("consumer/sticky@2.8.1", CLAIMED_TWICE) == {"a": "t-0", "b": "t-1"}


def test_a_missing_topic_broke_2_2() -> None:
    group = Group((Topic("t", 1),), (Member("a", ("t", "gone")),))
    with pytest.raises(AssignorError, match=r"^NullPointerException$"):
        assign("consumer/sticky@2.2.2", group)
    assert assign("consumer/sticky@2.3.0", group) == {"a": "t-0"}


def test_nobody_is_refused_with_other_words_over_time() -> None:
    words = {}
    for release in ("2.2.2", "2.5.0", "3.0.0", "4.4.0"):
        with pytest.raises(AssignorError) as raised:
            assign(f"consumer/sticky@{release}", Group((), ()))
        words[release] = str(raised.value)
    assert words["2.2.2"] == words["2.5.0"] == "NoSuchElementException"
    assert words["3.0.0"] == words["4.4.0"] == "ArithmeticException: / by zero"
    assert assign("consumer/sticky@2.8.0", Group((), ())) == {}


def test_racks_decide_from_3_5_on() -> None:
    members = tuple(Member(name, ("t",), rack=rack) for name, rack in (("m0", "b"), ("m1", "a")))
    group = Group((Topic("t", 2, (("a",), ("b",))),), members)
    for name in ("range", "sticky", "cooperative-sticky"):
        assert assign(f"consumer/{name}@3.4.1", group) == {"m0": "t-0", "m1": "t-1"}
        assert assign(f"consumer/{name}@3.5.0", group) == {"m0": "t-1", "m1": "t-0"}

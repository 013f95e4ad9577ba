"""Listings and options of applications of Kafka Streams that are refused, with their place and a fix."""

from pathlib import Path

import pytest
from listings.headers import OLD
from listings.streams_rows import ONE, TWO, row, topics

from kassay.cli import main
from kassay.listings import ListingError
from kassay.listings.topologies import read_end_offsets


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a:0", "e:1: 'a:0' is not topic:partition:offset. Give what kafka-get-offsets prints"),
        ("a:0:x", "e:1: 'a:0:x' is not"),
        ("a:0:-1", "e:1: 'a:0:-1' is not"),
        ("a:x:1", "e:1: partition is 'x'. Give a number"),
        (":0:1", "e:1: topic is ''. Give the name of a topic"),
        (f"a:0:{2**63}", "e:1: offset is '9223372036854775808'. Give a number from 0 to 9223372036854775807"),
        ("a:0:1\na:0:2", "e:2: a-0 has offset 1 and 2. Give each partition one offset"),
    ],
)
def test_wrong_end_offsets(text: str, said: str) -> None:
    with pytest.raises(ListingError) as wrong:
        read_end_offsets("e", text)
    assert str(wrong.value).startswith(said)


MEMBERS = OLD + row(f"app-{ONE}", "a(0), b(0)") + row(f"app-{TWO}", "a(1), c(0)")
TOPICS = topics(**{"a": 2, "b": 1, "c": 1, "app-x-changelog": 2, "empty": 0})


@pytest.mark.parametrize(
    ("text", "asked", "said"),
    [
        (MEMBERS + "app m /h plain 0 -\n", [], "g.txt:4: CLIENT-ID 'plain' is no thread of Kafka Streams"),
        (OLD + "app m /h plain 0 -\n", [], "--family streams: the listings show no consumer group with threads of Kafka Streams, whose CLIENT-ID is"),
        (MEMBERS, ["--consumer-group", "b"], "--family streams: the listings show no consumer group 'b' with threads of Kafka Streams"),
        (MEMBERS.replace(" ASSIGNMENT", "").replace(" a(0), b(0)", "").replace(" a(1), c(0)", ""), [], "g.txt:2: #PARTITIONS is 2, but"),
        (MEMBERS, ["--subtopology", "z"], "--subtopology 'z': the listings have no topic 'z' and no 'app-z-repartition'. Name"),
        (MEMBERS + TOPICS, ["--subtopology", "a:app-y-changelog"], "--subtopology 'a:app-y-changelog': the listings have no topic"),
        (MEMBERS + TOPICS, ["--subtopology", "empty"], "--subtopology 'empty': the listings have no topic 'empty'"),
        (MEMBERS + TOPICS, ["--subtopology", "b:x"], "--subtopology 'b:x': changelog 'app-x-changelog' has 2 partitions, but the subt"),
        (MEMBERS + TOPICS, ["--subtopology", "a:x", "--subtopology", "b:x"], "--subtopology 'b:x': topic 'app-x-changelog' is stated"),
        (MEMBERS, ["--subtopology", "a", "--subtopology", "b,a"], "--subtopology 'b,a': topic 'a' is stated before. Name"),
        (MEMBERS, ["--subtopology", "b,c"], "--subtopology 'b,c': b-0 is held by 'app-1111"),
        (MEMBERS, ["--subtopology", ""], "--subtopology '': is not TOPIC,TOPIC:STORE,STORE. Write"),
        (MEMBERS, ["--subtopology", "a,,b"], "--subtopology 'a,,b': is not"),
        (MEMBERS, ["--subtopology", "a:b:c"], "--subtopology 'a:b:c': is not"),
        (MEMBERS + MEMBERS.replace("app", "bpp"), ["--subtopology", "a"], "--subtopology: the listings show 2 applications (app, bpp)"),
        (MEMBERS, ["--config", "num.standby.replica=1"], "--config num.standby.replica: task assignors read no such setting. Known"),
        (MEMBERS, ["--config", "max.warmup.replicas"], "--config max.warmup.replicas: has no value. Give NAME=VALUE"),
        (MEMBERS, ["--config", "max.warmup.replicas=0"], "--config: max.warmup.replicas: 0. Give 1 to 2147483647"),
        (MEMBERS, ["--config", "max.warmup.replicas=two"], "--config: max.warmup.replicas: Expected `int`, got `str`"),
        (MEMBERS, ["--config", f"max.warmup.replicas={10**30}"], "--config: max.warmup.replicas: Expected `int`"),
        (MEMBERS, ["--config", "rack.aware.assignment.tags=a,a"], "--config: rack.aware.assignment.tags: 'a' is listed twice"),
        (MEMBERS, ["--config", "max.warmup.replicas=1"] * 2, "--config max.warmup.replicas: stands twice. Give it once."),
        (MEMBERS, ["--end-offsets", "g.txt"], "g.txt:1: 'GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT' is not topic:"),
        (MEMBERS, ["--end-offsets", "no.txt"], "no.txt: cannot be read"),
        (MEMBERS, ["--subscriptions", "held"], "--subscriptions: is for --family consumer or broker or share, not streams"),
        (MEMBERS, ["--family", "consumer", "--config", "a=1"], "--config: is for --family streams or streams-group or connect, not consumer. Leave it out"),
    ],
)  # fmt: skip
def test_wrong_input_is_refused_with_its_place_and_a_fix(
    text, asked, said, tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.txt").write_text(text)
    assert main(["import", "g.txt", "--family", "streams", *asked]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"kassay: {said}")

"""Topologies printed by Topology.describe() give an application its subtopologies."""

import json

import pytest
from listings.headers import OLD
from listings.streams_rows import row, topics

from kassay.cli import main
from kassay.listings import ListingError
from kassay.listings.topologies import is_described, write_statements

DESCRIBED = """Topologies:
   Sub-topology: 0
    Source: KSTREAM-SOURCE-0000000000 (topics: [orders, returns])
      --> KSTREAM-KEY-SELECT-0000000001
    Processor: KSTREAM-KEY-SELECT-0000000001 (stores: [])
      --> counts-repartition-sink
      <-- KSTREAM-SOURCE-0000000000
    Sink: counts-repartition-sink (topic: counts-repartition)
      <-- KSTREAM-KEY-SELECT-0000000001

  Sub-topology: 1
    Source: counts-repartition-source (topics: [counts-repartition])
      --> KSTREAM-AGGREGATE-0000000002
    Processor: KSTREAM-AGGREGATE-0000000002 (stores: [counts, seen])
      --> KSTREAM-SINK-0000000003
      <-- counts-repartition-source
    Sink: KSTREAM-SINK-0000000003 (extractor class: org.example.Topics@1f2e)
      <-- KSTREAM-AGGREGATE-0000000002

"""
GLOBAL = """  Sub-topology: 0 for global store (will not generate tasks)
    Source: KSTREAM-SOURCE-0000000009 (topics: [rates])
      --> KTABLE-SOURCE-0000000010
    Processor: KTABLE-SOURCE-0000000010 (stores: [rates-store])
      --> none
      <-- KSTREAM-SOURCE-0000000009
"""
COUNTS = {"orders": 2, "returns": 2, "app-counts-repartition": 2, "app-counts-changelog": 2}
MEMBERS = OLD + row("c", "orders(0,1),returns(0,1),app-counts-repartition(0,1)")


def test_each_subtopology_states_what_it_reads_and_keeps():
    assert is_described(DESCRIBED)
    assert is_described(f"\ufeff\r\n{DESCRIBED}")
    assert not is_described(MEMBERS)
    stated, said = write_statements("t", DESCRIBED, "app", COUNTS)
    assert stated == ["orders,returns:", "counts-repartition:counts"]
    assert said == [
        (
            "t: the listings have no changelog of seen: these stores are taken to keep nothing. "
            "If a source topic serves as changelog, or to state it otherwise: --subtopology TOPIC:STORE"
        )
    ]


def test_global_stores_make_no_tasks():
    stated, said = write_statements(
        "t", DESCRIBED.replace("\n   Sub", f"\n {GLOBAL}\n   Sub", 1), "app", COUNTS
    )
    assert stated == ["orders,returns:", "counts-repartition:counts"]
    assert any("subtopology 0 is a global store" in each for each in said)


def test_it_is_imported_beside_the_listings(tmp_path, capsys):
    for name, text in (
        ("t", DESCRIBED),
        ("m", MEMBERS),
        ("topics", topics(**{k.replace("-", "_"): n for k, n in COUNTS.items()})),
    ):
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("m", "t", "topics")]
    assert main(["import", *files, "--family", "streams", "--json"]) == 0
    told = capsys.readouterr()
    tasks = {task["id"]: task for task in json.loads(told.out)["tasks"]}
    assert sorted(tasks) == ["0_0", "0_1", "1_0", "1_1"]
    assert tasks["0_0"]["inputs"] == [["orders", 0], ["returns", 0]]
    assert tasks["1_1"]["changelogs"] == [["app-counts-changelog", 1]]
    assert "no changelog of seen" in told.err
    for more, said in (
        (["--family", "consumer"], "is a topology of Kafka Streams. Give it with --family streams"),
        (
            ["--family", "streams", "--subtopology", "orders"],
            "is a topology. Give one, without --subtopology",
        ),
    ):
        assert main(["import", *files, *more]) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Topologies:\n    Source: s (topics: [a])\n", "t:2: 'Source: s (topics: [a])' is no line of a topology. Give what"),
        ("Topologies:\n  Sub-topology: 0\n  nonsense\n", "t:3: 'nonsense' is no line of a topology"),
        ("Topologies:\n  Sub-topology: 0\n    Source: s (topics: orders-.*)\n", "reads a pattern, whose topics are unknown. State them with"),
    ],
)  # fmt: skip
def test_what_is_no_topology_has_its_sentence(text, said):
    with pytest.raises(ListingError) as refused:
        write_statements("t", text, "app", COUNTS)
    assert said in str(refused.value)

"""Real consumers, and one that fails as it is told, are led from group to group."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.cli import main
from kassay.engine import generate
from kassay.errors import DiedError, InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.protocol.server.client_session import Bounds, Client, MetadataStrategy
from kassay.protocol.server.leader_session import PayloadFormat
from kassay.protocol.server.rejoin_prompts import SOON_S, PromptChoice, RejoinPrompt
from kassay.targets import Limits, Options, open_target

ROOT = Path(__file__).parents[2]
PEER = f"client:{sys.executable} {ROOT / 'tests' / 'programs' / 'peer.py'}"
CLIENTS = ROOT / "examples" / "clients"
OPTIONS = Options(timeout_s=5, limits=Limits(start_s=30))


def group(*members, partitions=3):
    return Group((Topic("t", partitions),), tuple(Member(name, ("t",)) for name in members))


@pytest.fixture(scope="module")
def peer():
    with open_target(PEER, Options(timeout_s=1, limits=Limits(start_s=30))) as target:
        yield target


WELL = {"a": (("t", 0), ("t", 2)), "b": (("t", 1),)}


def test_a_client_leads_the_groups_it_is_asked_about(peer):
    assert peer.assign(group("a", "b")) == WELL
    assert peer.assign(group("b", partitions=1)) == {"b": (("t", 0),)}
    assert peer.answers([group("a", "b")] * 3) == [WELL] * 3


def test_a_client_that_forgets_to_ask_is_given_another_reason_to():
    with open_target(f"{PEER} late", Options(timeout_s=3, limits=Limits(start_s=30))) as target:
        assert target.answers([group("a", "b")] * 3) == [WELL] * 3
        assert [target.assign(group("b", partitions=1)) for _ in range(3)] == [{"b": (("t", 0),)}] * 3


@pytest.mark.parametrize("how", ["kafkajs", "sarama", "backoff", "fragile"])
def test_a_client_that_waits_after_some_errors_is_prompted_by_another(how):
    """The client ends if it waits too often."""
    with open_target(f"{PEER} {how}", Options(timeout_s=3, limits=Limits(start_s=30))) as target:
        assert target.answers([group("a", "b")] * 20) == [WELL] * 20


def test_the_time_until_a_client_joins_again_is_no_time_of_a_group():
    with open_target(f"{PEER} slow", Options(timeout_s=1, limits=Limits(start_s=30))) as target:
        assert target.answers([group("a", "b")] * 3) == [WELL] * 3


def test_a_client_that_keeps_its_metadata_is_told_the_setting():
    setting = r"set metadata\.max\.age\.ms \(metadataMaxAge\) to 0"
    options = Options(timeout_s=3, limits=Limits(start_s=30))
    with open_target(f"{PEER} keeps", options) as target, pytest.raises(TargetGoneError, match=setting):
        target.assign(group("a", "b"))


@pytest.mark.parametrize(("fields", "racks"), [(1, None), (2, None), (3, (("a",),))])
def test_brokers_have_racks_only_for_clients_that_send_theirs(fields, racks):
    client = Client([], Bounds(1, 1, 1, 1))
    client._writings = {"range": PayloadFormat("range", b"\0\3", fields, None)}
    topic = Topic("t", 1, racks=(("a",),))
    shown = client._prepare(Group((topic,), (Member("m", ("t",)),)), MetadataStrategy.NEW, "range")
    assert shown[0].group.topics[0].racks == racks


@given(st.lists(st.floats(0, 9), min_size=7, max_size=20))
def test_the_prompt_after_which_a_client_joins_soonest_is_chosen(waits):
    choice, tried = PromptChoice(), {}
    for wait in waits:
        tried.setdefault(choice.prompt, []).append(wait)
        choice.note_wait(wait)
    if any(wait <= SOON_S for wait in waits[:6]):
        assert min(tried[choice.prompt]) <= SOON_S
    else:
        assert {*tried} == {*RejoinPrompt}
        assert min(waits[:6]) in tried[choice.prompt]


@pytest.mark.parametrize(
    ("way", "kind", "said"),
    [
        ("dies", DiedError, r"died of signal 6 \(SIGABRT\)"),
        ("exits", DiedError, "ended with exit status 1; it wrote last: it has had enough"),
        ("hangs", DiedError, "said no assignment within 1 seconds"),
        ("frame", DiedError, "sent a request of 2147483647 bytes; 0 to 67108864 are taken"),
        ("request", DiedError, "sent a request that cannot be read: message: a request of key -1 is not served here"),
        ("rejoins", AssignorError, "joined or left 5 times, and said no assignment"),
        ("bytes", AssignorError, r"its assignment of member '\w+' cannot be read: user_data: 4 bytes are wanted and 3 remain"),
        ("behind", AssignorError, "cannot be read: message: 1 bytes follow the message"),
        ("twice", AssignorError, r"its SyncGroup gives member '\w+' two assignments"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_a_verdict_on_its_group_and_the_run_goes_on(way, kind, said, peer):
    answers = peer.answers([group("a", "b"), group("a", way), group("a", "b")])
    assert answers[0] == answers[2] == WELL
    assert type(answers[1]) is kind
    with pytest.raises(kind, match=said):
        raise answers[1]


def test_what_a_leader_says_is_judged_as_it_stands(peer):
    assert peer.assign(group("a", "stranger"))["nobody"] == (("t", 0), ("t", 2))
    assert peer.assign(group("a", "nothing")) == {}


def test_an_empty_first_answer_of_a_client_that_led_the_probes_is_judged_as_it_stands():
    with open_target(PEER, Options(timeout_s=1, limits=Limits(start_s=30))) as target:
        assert target.assign(group("a", "nothing")) == {}


def test_what_no_member_can_say_is_skipped(peer):
    for one in (group(), group("a", "")):
        with pytest.raises(SkippedError):
            peer.assign(one)


def test_a_death_counts_among_the_deaths_of_the_target():
    options = Options(timeout_s=1, limits=Limits(start_s=30, deaths=1))
    with open_target(PEER, options) as target:
        with pytest.raises(DiedError):
            target.assign(group("dies"))
        with pytest.raises(TargetGoneError, match="died or hung 1 times, last because it died of signal 6"):
            target.assign(group("a"))


@pytest.mark.parametrize("kind", ["range:RangePartitionAssignor", "roundrobin:RoundRobinPartitionAssignor"])
@pytest.mark.parametrize(("library", "name"), [("kafka", "kafka_python.py"), ("aiokafka", "aiokafka_.py")])
def test_the_clients_of_python_answer_as_their_assignors_do(library, name, kind):
    """Racks and instance ids are left out, because not all clients receive them. The names of members are plain, and no topic is missing."""
    groups = [
        Group(
            tuple(Topic(topic.name, max(1, topic.partitions)) for topic in one.topics),
            tuple(Member(f"m{n:02}", tuple(topic.name for topic in one.topics)) for n in range(len(one.members))),
        )
        for one in generate.draw_groups(family("consumer"), 40, 7)
    ]  # fmt: skip
    pure = f"python:{library}.coordinator.assignors.{kind}"
    client = f"client:{sys.executable} {CLIENTS / name} {kind.partition(':')[0]}"
    with open_target(client, OPTIONS) as over_the_wire, open_target(pure, OPTIONS) as called:
        wanted, found = called.answers(groups), over_the_wire.answers(groups)
    assert sum(map(bool, wanted)) > 30
    assert list(map(as_sets, found)) == list(map(as_sets, wanted))


def as_sets(assignment):
    return {member: frozenset(given) for member, given in assignment.items()}


def test_members_tell_the_leader_what_they_own():
    """The sticky assignor reads it from user data, which are written as Kafka's members write them."""
    owning = Group(
        (Topic("t", 4),),
        tuple(
            Member(name, ("t",), tuple(TopicPartition("t", n) for n in owned), generation=3)
            for name, owned in (("a", (1, 3)), ("b", (0, 2)))
        ),
    )
    with open_target(f"client:{sys.executable} {CLIENTS / 'aiokafka_.py'} sticky", OPTIONS) as target:
        assert as_sets(target.assign(owning)) == {
            member.id: frozenset(member.owned) for member in owning.members
        }


def test_check_judges_a_client(tmp_path):
    (tmp_path / "group.jsonl").write_text(
        '{"family": "consumer", "topics": [{"name": "t", "partitions": 2}], "members": [{"id": "a", "topics": ["t"]}]}\n'
        '{"family": "consumer", "topics": [{"name": "t", "partitions": 2}], "members": [{"id": "dies", "topics": ["t"]}]}\n'
    )
    asked = ["--group", str(tmp_path / "group.jsonl"), "--property", "crash_free", "--json"]
    assert main(["check", PEER, *asked, "-o", str(tmp_path / "out")]) == 1
    verdicts = [json.loads(line) for line in (tmp_path / "out" / "check.jsonl").read_text().splitlines()]
    (broken,) = [one for one in verdicts if one["record"] == "verdict"]
    assert broken["property"] == "crash_free"
    assert "died of signal 6" in broken["message"]


def test_wrong_clients_are_one_sentence():
    with pytest.raises(InputError, match="there is no such program"):
        open_target("client:/no/such/client", OPTIONS)
    with pytest.raises(TargetGoneError, match="ended with exit status 0"):
        open_target("client:true", OPTIONS)
    with pytest.raises(TargetGoneError, match=r"did not join within 0\.5 seconds"):
        open_target("client:sleep 100", Options(timeout_s=1, limits=Limits(start_s=0.5)))


def alive(marker):
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "stat,args"], check=True, capture_output=True, text=True
    ).stdout
    return [line for line in listed.splitlines() if marker in line and not line.startswith("Z")]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_client_outlives_kassay(how, tmp_path):
    """Its own children end with it, too, where kassay ends by itself."""
    marker = f"marker-{os.getpid()}-{how}"
    command_of_client = [sys.executable, str(ROOT / "tests" / "programs" / "peer.py"), marker]
    client = " ".join(command_of_client)
    if how == signal.SIGINT:
        client = f"sh -c '{client}; true'"
    command = [sys.executable, "-m", "kassay", "check", f"client:{client}", "-o", str(tmp_path)]
    kassay = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait(lambda: any(line.split()[1:] == command_of_client for line in alive(marker)))
        kassay.send_signal(how)
        kassay.wait(timeout=20)
        wait(lambda: not alive(marker))
    finally:
        kassay.kill()


def wait(until):
    deadline = time.monotonic() + 30
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.05)

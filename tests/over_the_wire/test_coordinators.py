"""A coordinator behind a socket is judged: the reference keeps everything, its mutants do not, and nothing that is another's is touched."""

import asyncio
import json
import shlex
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert
from msgspec.json import encode
from msgspec.structs import replace
from over_the_wire.machine_broker import Broker, run
from simulation.catching import FILE as CAUGHT
from simulation.log_mutants import LOG_MUTANTS
from simulation.rebalance_mutants import REBALANCE_MUTANTS
from whole import cases, share

from kassay.cli import main
from kassay.errors import InputError
from kassay.protocol.server import external_cluster, external_groups
from kassay.protocol.server import external_groups as many
from kassay.protocol.server.addresses import is_loopback, parse_coordinator_address
from kassay.protocol.server.api_messages import Api, make_reader, make_writer
from kassay.protocol.server.external_cluster import (
    BrokerConnection,
    Cluster,
    NoResponseError,
    build_prefix,
    check_prefix,
    make_body,
)
from kassay.protocol.server.external_groups import STRIKING, CampaignPlan
from kassay.protocol.server.message_codec import Names, decode_response
from kassay.protocol.server.outside_invariants import COORDINATOR_INVARIANTS, ObservedGroup
from kassay.protocol.simulation import group
from kassay.protocol.simulation.campaign import draw_schedule, list_fitting_faults
from kassay.protocol.simulation.group import INVARIANTS
from kassay.protocol.simulation.schedule import Fault, Schedule, Setting, build_saved
from kassay.protocol.simulation.steps import NEWEST, make_machines
from kassay.reference import ASSIGNORS
from kassay.reference.group.behaviour import kafka
from kassay.reference.group.messages import JoinedMember, JoinGroup, JoinGroupResponse, Protocol
from kassay.reference.wire import group as wire
from kassay.reference.wire.group import JoinGroupRequest, SyncGroupRequest
from kassay.reference.wire.schema import MalformedError

pytestmark = pytest.mark.usefixtures("many_connections")
SETTING = Setting(coordinator="kafka@4.4.0", members=2, partitions=(2,))
PLANTED = json.loads(CAUGHT.read_text())
UNSEEN = {
    "parked_syncs_are_forgotten": "a member gives its SyncGroup up, and asks anew, before a coordinator would have to answer",
    "sessions_end_while_parked": "strikes where a rebalance takes as long as a session, which is hardly drawn",
    "static_members_are_dropped": "strikes where a static member does not join again in time, which is hardly drawn",
}
MUTANTS = [
    mutant
    for mutant in (*REBALANCE_MUTANTS, *LOG_MUTANTS)
    if mutant.setting.coordinator == "kafka@4.4.0"
    and {fault["kind"] for fault in PLANTED[mutant.name]["schedule"]["faults"]} <= STRIKING
    and mutant.name not in UNSEEN
]
"""Mutants whose schedules strike nothing but members and messages."""
SCHEDULES = 16
"""The number of drawn schedules that find all of them."""


def build(setting):
    return make_machines(setting, ASSIGNORS["consumer/range"].assign)


def played(schedules, mutate=lambda machines: machines, prefix="own", asks=True):
    """Run schedules at a broker of a mutant; return what came of it and the broker."""

    async def all_of_it():
        broker = Broker(mutate(build(SETTING)))
        cluster = Cluster(parse_coordinator_address(await broker.open()), prefix, remote=False, old=False)
        plan = CampaignPlan(schedules, build, 20, kafka("4.4.0"), asks=asks)
        ran = await many.run_schedules(cluster, plan, lambda _: None)
        broker.server.close()
        return ran, broker

    return run(all_of_it())


def schedules(setting, kinds, number, first=0):
    return [(n, draw_schedule(setting, kinds, 0, n)) for n in range(first, first + number)]


def new(ran):
    """Return what broke that is no known defect."""
    return [
        broke
        for *_, outcome in ran.outcomes
        for broke in outcome.breaches
        if broke[0] not in dict(outcome.known)
    ]


@pytest.mark.parametrize("static", [False, True])
def test_kafkas_machine_keeps_everything_over_the_wire(static):
    setting = replace(SETTING, static=static)
    kinds = [kind for kind in list_fitting_faults(setting, None) if kind in STRIKING]
    first = cases(8, 200)[0]
    ran, broker = played(schedules(setting, kinds, share(8, 200), first), asks=not static)
    assert ran.whole
    assert not new(ran)
    assert not ran.differences
    assert not ran.odd
    assert not broker.refused


@pytest.mark.parametrize("number", cases(1, len(MUTANTS)))
def test_a_mutant_is_seen_through_the_socket(number):
    mutant = MUTANTS[number]
    known = convert(PLANTED[mutant.name]["schedule"], Schedule)
    kinds = [kind for kind in mutant.faults if kind in STRIKING] or ["crash"]
    some = [(-1, known), *schedules(known.setting, kinds, SCHEDULES if mutant.name not in SLOW else 2)]
    ran, _ = played(some, mutant.change)
    assert new(ran) or ran.differences, mutant.says


SLOW = {"joins_end_at_once", "followers_are_not_told", "older_processes_count", "heartbeats_in_joining"}
"""Mutants under which groups find no rest, which every schedule shows."""


def test_all_groups_that_are_touched_are_our_own():
    _, broker = played([(0, Schedule(SETTING, (Fault(7_000, "crash", 0, 100),)))], prefix="mine-1")
    assert broker.groups
    assert all(name.startswith("mine-1-") for name in broker.groups)
    assert all(one.state.roster == () for one in broker.groups.values()), "a member is left behind"


def test_what_is_judged_are_invariants_of_the_simulator():
    assert INVARIANTS.keys() >= {*COORDINATOR_INVARIANTS}


def test_a_broker_that_is_gone_is_a_breach(monkeypatch):
    monkeypatch.setattr(external_groups, "BOUND_MS", 20_000)

    def mute(machines_):
        return replace(machines_, step_coordinator=broken_step)

    def broken_step(*_):
        raise ConnectionError

    ran, _ = played([(0, Schedule(SETTING, ()))], mute, asks=False)
    assert "requests_answered" in {name for name, _ in new(ran)}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("host", "is not HOST:PORT"), (":9092", "is not HOST:PORT"), ("h:0", "is not HOST:PORT"), ("h:x", "is not HOST:PORT"), ("h:65536", "is not HOST:PORT")],
)  # fmt: skip
def test_addresses(text, wrong):
    with pytest.raises(InputError, match=wrong):
        parse_coordinator_address(text)


def test_loopback_is_known_by_address_and_by_name_alone():
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost", "LOCALHOST")))
    assert not any(
        map(is_loopback, ("10.0.0.1", "0.0.0.0", "example.org", "127.0.0.1.example.org", "::ffff:10.0.0.1"))
    )
    assert str(parse_coordinator_address("[::1]:9092")) == "::1:9092"
    assert parse_coordinator_address("coordinator:127.0.0.1:9092") == parse_coordinator_address(
        "127.0.0.1:9092"
    )


def test_prefixes_are_names_of_groups_and_never_twice_the_same():
    assert check_prefix(build_prefix())
    for wrong in ("", "a b", "a/b", "x" * 201):
        with pytest.raises(InputError, match="--group-prefix"):
            check_prefix(wrong)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("simulate --coordinator 10.1.2.3:9092", "is not on loopback. Add --allow-remote and --group-prefix"),
        ("simulate --coordinator 10.1.2.3:9092 --allow-remote", "--group-prefix is missing. Add a prefix"),
        ("simulate --coordinator 127.0.0.1:9 --exhaustive 3", "Leave out --exhaustive"),
        ("simulate --coordinator 127.0.0.1:9 --scenario x", "Leave out --scenario"),
        ("simulate --coordinator 127.0.0.1:9 --replay x --members 3 --static", "--replay: the file defines the group. Leave out --members, --static"),
        ("simulate --coordinator 127.0.0.1:9 --replay x --faults crash", "Leave out --faults"),
        ("simulate --coordinator 127.0.0.1:9 --faults failover", "'failover' needs a simulated coordinator. Leave it out."),
        ("simulate --coordinator 127.0.0.1:9 --faults nothing", "--faults"),
        ("simulate --coordinator 127.0.0.1:9 --like proposal", "a release of Kafka's coordinator"),
        ("simulate --coordinator 127.0.0.1:9", "Check that a broker listens there"),
        ("simulate --coordinator nowhere:none", "Give one such as 127.0.0.1:9092"),
        ("simulate --client true", "--client: it did not join: it ended with exit status 0"),
        ("simulate --client 'sleep 100' --start-timeout 0.5", "did not join within 0.5 seconds"),
        ("simulate --client /no/such/program", "cannot be started"),
        ('simulate --client "\'"', "Close the quotes."),
        ("simulate --client ''", "the command is empty"),
        ("simulate --client x --target consumer/range", "Leave out --target"),
        ("simulate --client x --static", "Leave out --static"),
        ("simulate --client x --coordinator 127.0.0.1:9", "Leave out --coordinator"),
        ("simulate --client x --replay y --partitions 3", "Leave out --partitions"),
        ("simulate --client x --coordinator proposal", "no client supports this protocol"),
        ("simulate --client x --faults grow", "'grow' cannot be injected into a client"),
        ("fixtures run coordinator:127.0.0.1", "is not HOST:PORT"),
        ("fixtures run coordinator:127.0.0.1:9 --like proposal", "a release of Kafka's coordinator"),
        ("fixtures run coordinator:192.0.2.1:9", "is not on loopback"),
        ("import --group g", "--group: is of a cluster. Add --bootstrap-server HOST:PORT"),
        ("import", "import: the input is missing. Give FILE, or --bootstrap-server HOST:PORT"),
        ("import --bootstrap-server 127.0.0.1:9092", "the group is missing. Add --group NAME, or --all"),
        ("import --bootstrap-server 127.0.0.1:9092 --all --racks racks.txt", "the cluster tells it. Leave out --racks"),
        ("import members.txt --bootstrap-server 127.0.0.1:9092 --all", "members.txt: is a listing"),
        ("import --bootstrap-server kafka --all", "--bootstrap-server kafka: is not HOST:PORT"),
        ("import --command-config c --all members.txt", "--command-config: says how a cluster is reached, but not which"),
        ("compare --bootstrap-server 127.0.0.1:9092", "the group is missing. Add --group NAME"),
        ("compare --sweep x --bootstrap-server 127.0.0.1:9092", "--sweep: has groups of its own. Leave out --bootstrap-server"),
    ],
)  # fmt: skip
def test_wrong_use_is_one_sentence(line, said, capsys):
    assert main(shlex.split(line)) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_replay_there_takes_the_assignor_of_its_file(monkeypatch, tmp_path, capsys):
    def opened(_setting, target, _how):
        raise InputError(f"opened {target}")

    monkeypatch.setattr(group, group.open_simulation.__name__, opened)
    setting = Setting(coordinator=NEWEST)
    for target, more, said in (
        ("consumer/sticky", [], "opened consumer/sticky"),
        ("consumer/sticky", ["--target", "consumer/fair"], "opened consumer/fair"),
        ("python:os:getcwd", [], "add --trust"),
    ):
        file = tmp_path / "run.json"
        file.write_bytes(encode(build_saved(Schedule(setting, ()), target=target)))
        assert main(["simulate", "--coordinator", "127.0.0.1:9", "--replay", str(file), *more]) == 2
        assert said in " ".join(capsys.readouterr().err.split())


def test_a_run_is_told_in_words(monkeypatch, capsys, tmp_path):
    """The answer, the story of the smallest run, what Kafka answers, and a file that can be run there again."""
    mutant = next(one for one in MUTANTS if one.name == "everybody_leads")

    def elsewhere(_cluster, plan, _report):
        return played([*plan.schedules][-2:], mutant.change)[0]

    monkeypatch.setattr(many, many.run_plan.__name__, elsewhere)
    assert main(["simulate", "--coordinator", "127.0.0.1:9", "--schedules", "2", "-o", str(tmp_path)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "127.0.0.1:9 breaks 1 of 22 promises in 2 runs of 2 members. In 2 runs: generation 1 has two leaders"
        in said
    )
    assert "responses differ from Kafka 4.4.0" in said
    assert "Expected: all members of a generation receive the same leader. (one_leader)" in said
    assert "--coordinator 127.0.0.1:9" in said
    (saved,) = tmp_path.glob("schedule-*.json")
    assert main(["simulate", "--coordinator", "127.0.0.1:9", "--replay", str(saved), "--json"]) == 1


class Mute:
    def write(self, _):
        pass

    async def drain(self):
        pass


@given(
    st.binary(max_size=80),
    st.sampled_from([Api.JOIN_GROUP, Api.SYNC_GROUP, Api.HEARTBEAT, Api.LEAVE_GROUP]),
    st.booleans(),
)
def test_any_bytes_are_an_answer_or_none(data, api, framed):
    """All bytes of a broker are a response or a NoResponseError."""

    async def asked():
        reader = asyncio.StreamReader()
        numbered = (1).to_bytes(4) + data
        reader.feed_data(len(numbered).to_bytes(4) + numbered if framed else data)
        reader.feed_eof()
        odd = []
        line = BrokerConnection(reader, Mute(), {api: 3}, odd.append)
        ask = {
            Api.HEARTBEAT: make_body(
                "HeartbeatRequest", group_id="g", generation_id=1, member_id="m", group_instance_id=None
            ),
            Api.LEAVE_GROUP: make_body("LeaveGroupRequest", group_id="g", members=()),
        }.get(api, lambda *_: EMPTY[api])
        assert await line.ask(api, ask, 1) is not None

    with suppress(NoResponseError):
        asyncio.run(asked())


EMPTY = {Api.JOIN_GROUP: JoinGroupRequest(), Api.SYNC_GROUP: SyncGroupRequest()}


def test_every_version_that_may_be_chosen_can_be_spoken():
    for api, (oldest, newest) in external_cluster.ASKED.items():
        for version in range(oldest, newest + 1):
            make_writer(api, version, response=False)
            make_reader(api, version, response=True)


def test_a_process_that_took_anothers_place_does_not_make_what_that_said_another_thing():
    """The first process stopped without LeaveGroup: the leader must still receive its metadata, not the metadata of the second one."""
    known = ObservedGroup()
    first, second = (Protocol("range", text) for text in ("first", "second"))

    def joined(member_id, protocol, members):
        request = JoinGroup(member_id=member_id, client_id="m0", protocols=(protocol,))
        listed = tuple(JoinedMember(*one) for one in members)
        answer = JoinGroupResponse(
            generation=1, protocol="range", leader=member_id, member_id=member_id, members=listed
        )
        return [name for name, _ in known.note_response(known.ask(request, 0, 0), answer, 1)]

    assert joined("m0-1", first, [("m0-1", None, "first")]) == []
    assert joined("m0-2", second, [("m0-1", None, "first"), ("m0-2", None, "second")]) == []
    assert "known_by_what_it_says" in joined(
        "m0-2", second, [("m0-1", None, "second"), ("m0-2", None, "second")]
    )


@pytest.mark.parametrize("second", [("a-1", None), ("a-2", "i")])
def test_a_coordinator_that_lists_a_member_twice_is_told_so(second):
    listed = [wire.JoinedMember(*one, b"") for one in [("a-1", "i"), second]]
    names = Names(1)
    with pytest.raises(MalformedError, match="twice"):
        decode_response(
            JoinGroup(member_id="", client_id="a", protocols=()),
            wire.JoinGroupResponse(members=tuple(listed)),
            names,
        )

"""Groups of a running cluster: what one of Kafka's has said (kafka-4.3.1.jsonl, from parity/broker/live_clusters.py) is imported and compared."""

import asyncio
import base64
import json
import re
import ssl
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kio.schema.errors import ErrorCode
from over_the_wire.certified import certify
from over_the_wire.recorded_cluster import BEARER, HEARD, OPEN, Door, listen, recorded_cluster

from kassay.cli import main
from kassay.errors import InputError
from kassay.listings.import_groups import read_listed
from kassay.protocol.client.cluster_connection import READ, Access, read_access
from kassay.protocol.client.cluster_queries import take
from kassay.protocol.server.addresses import Place
from kassay.protocol.server.api_messages import Api
from kassay.reference.wire.consumer import Subscription, write_subscription

SAME = {"orders": 7, "payments": 5, "clicks": 6}


def run(capsys, cluster, command, *arguments):
    status = main([command, "--bootstrap-server", cluster.address, *arguments])
    return (status, *capsys.readouterr())


def records(out):
    return {one["name"]: one for one in map(json.loads, out.splitlines())}


def refused(capsys, edits=None, name="live-broker", door=OPEN, *more):
    """Run an import that is refused; the one sentence that it says."""
    with recorded_cluster(HEARD, edits, door) as cluster:
        status, out, err = run(capsys, cluster, "import", "--group", name, *more)
    assert (status, out) == (2, ""), err
    assert err.count("kassay: ") == 1
    return err


@pytest.fixture
def whole(capsys):
    """Import all groups; return their records by name, the output, and the requests."""
    with recorded_cluster(HEARD) as cluster:
        status, out, err = run(capsys, cluster, "import", "--all")
    assert (status, cluster.unknown) == (0, [])
    return records(out), err, cluster.asked


def test_every_kind_of_group_with_what_no_tool_prints(whole):
    found, err, _ = whole
    assert {name: one["family"] for name, one in found.items() if name.startswith(("live", "streams-shop"))} == {
        "live-static": "consumer", "live-native": "consumer", "live-gone": "consumer", "live-broker": "broker",
        "live-share": "share", "streams-shop": "streams-group",
    }  # fmt: skip
    static = found["live-static"]
    assert sorted(one.get("instance_id") or "" for one in static["members"]) == ["", "live-1", "live-2"]
    assert sorted(one["rack"] for one in static["members"]) == ["a", "b", "c"]
    assert {one["name"]: one["partitions"] for one in static["topics"]} == SAME
    assert all({*one["racks"][0]} == {"a", "b"} for one in static["topics"])
    assert static["listed"]["in_use"] == "consumer/cooperative-sticky"
    broker = found["live-broker"]
    assert sorted(sorted(one["topics"]) for one in broker["members"]) == [
        ["clicks", "logins"],
        ["clicks", "orders", "payments"],
    ]
    assert {one["generation"] for one in broker["members"]} == {3}
    assert {one.get("rack") for one in broker["members"]} == {None, "a"}
    assert all(len(one["id"]) == 22 for one in broker["topics"])
    assert broker["listed"]["target"] == {one["id"]: one["owned"] for one in broker["members"]}
    shop = found["streams-shop"]
    assert [(one["partitions"], bool(one.get("stateful"))) for one in shop["subtopologies"]] == [
        (4, False), (4, True), (6, True), (4, False),
    ]  # fmt: skip
    assert shop["config"] == {"num.standby.replicas": 1}
    assert "taken to" not in err


def test_how_far_groups_have_read(whole):
    found, err, _ = whole
    progress = found["live-gone"]["listed"]["progress"]
    assert {name: len(some) for name, some in progress.items()} == SAME
    assert "the group is Empty: no member is in it" in err
    assert "progress" not in found["live-static"].get("listed", {})  # it has committed nothing
    starts = found["live-share"]["listed"]["progress"]
    assert {name: len(some) for name, some in starts.items()} == SAME
    assert all(end is not None and (start or 0) <= end for some in starts.values() for start, end in some)


def test_lag_is_said(capsys):
    def behind(told):
        topics = [
            replace(t, partitions=tuple(replace(p, offset=p.offset + 5) for p in t.partitions))
            for t in told.topics
        ]
        return replace(told, topics=tuple(topics))

    with recorded_cluster(HEARD, {Api.LIST_OFFSETS: behind}) as cluster:
        status, out, err = run(capsys, cluster, "import", "--group", "live-gone")
    assert status == 0
    assert "lag  90 records, most at" in err
    assert [one["weights"] for one in records(out)["live-gone"]["topics"]] == [
        [5] * one["partitions"] for one in records(out)["live-gone"]["topics"]
    ]


def test_nothing_but_what_only_reads_is_asked(whole):
    _, _, asked = whole
    reads = re.compile("DESCRIBE|LIST|METADATA|API_VERSIONS|FIND_COORDINATOR|OFFSET_FETCH|SASL_")
    assert all(reads.search(api.name) for api in READ)
    assert {*asked} <= {*map(int, READ)}
    assert (
        asked[Api.CONSUMER_GROUP_DESCRIBE]
        == asked[Api.SHARE_GROUP_DESCRIBE]
        == asked[Api.STREAMS_GROUP_DESCRIBE]
        == 1
    )


@pytest.mark.parametrize("name", ["live-static", "live-broker", "live-share", "streams-shop"])
def test_a_running_group_is_compared_as_an_imported_one(name, capsys, tmp_path):
    with recorded_cluster(HEARD) as cluster:
        _, out, _ = run(capsys, cluster, "import", "--group", name)
        (tmp_path / "group.json").write_text(out)
        status, live, _ = run(capsys, cluster, "compare", "--group", name, "--json")
    assert status == 0
    assert main(["compare", "--group", str(tmp_path / "group.json"), "--json"]) == 0
    filed = capsys.readouterr().out
    told, again = ([json.loads(line) for line in text.splitlines()] for text in (live, filed))
    for one in (*told, *again):
        one.pop("where", None)
    assert [one for one in told if one["record"] != "advice"] == [
        one for one in again if one["record"] != "advice"
    ]
    assert told[-1]["says"] == again[-1]["says"]


def group(**changes):
    """Return what changes the described groups."""
    return lambda told: replace(told, groups=tuple(replace(one, **changes) for one in told.groups))


def test_members_subscribe_to_what_they_say(capsys):
    """Not to what the group holds; and a topic that is not there stays in the subscription."""

    def edit(told):
        (one,) = told.groups
        sent = write_subscription(Subscription(("gone", "orders"), None, (), -1, None))
        members = (replace(member, member_metadata=sent) for member in one.members)
        return replace(told, groups=(replace(one, members=tuple(members)),))

    with recorded_cluster(HEARD, {Api.DESCRIBE_GROUPS: edit}) as cluster:
        status, out, err = run(capsys, cluster, "import", "--group", "live-static")
    assert status == 0, err
    assert [one["topics"] for one in records(out)["live-static"]["members"]] == [["gone", "orders"]] * 3


def by_pattern(pattern):
    """Return what makes members subscribe by an expression (KIP-848)."""

    def edit(told):
        (one,) = told.groups
        members = (replace(m, subscribed_topic_names=(), subscribed_topic_regex=pattern) for m in one.members)
        return replace(told, groups=(replace(one, members=tuple(members)),))

    return {Api.CONSUMER_GROUP_DESCRIBE: edit}


def test_a_subscription_by_an_expression_is_matched_and_said(capsys):
    with recorded_cluster(HEARD, by_pattern("cl.*s|pair")) as cluster:
        status, out, err = run(capsys, cluster, "import", "--group", "live-broker")
    assert status == 0, err
    assert [one["topics"] for one in records(out)["live-broker"]["members"]] == [["clicks"]] * 2
    assert "subscribes by 'cl.*s|pair', which is taken to match 1 topic that this user sees (clicks)" in err
    assert "subscribes by '(', which cannot be read. Name its topics, or another group" in refused(
        capsys, by_pattern("(")
    )


def test_a_pattern_that_cannot_be_read_does_not_reach_the_terminal_as_it_is(capfd):
    said = refused(capfd, by_pattern("\x1b[2J("))
    assert "cannot be read" in said
    assert "\x1b" not in said  # also not by RE2, which writes on standard error itself


def coordinators(error):
    return lambda told: replace(
        told, coordinators=tuple(replace(one, error_code=error) for one in told.coordinators)
    )


@pytest.mark.parametrize(
    ("api", "edit", "name", "says"),
    [
        (Api.FIND_COORDINATOR, coordinators(ErrorCode.group_authorization_failed), "live-static", "this user may not describe it"),
        (Api.FIND_COORDINATOR, coordinators(ErrorCode.coordinator_not_available), "live-static", "Ask again in a moment"),
        (Api.CONSUMER_GROUP_DESCRIBE, group(error_code=ErrorCode.group_authorization_failed), "live-broker", "this user may not describe it"),
        (Api.CONSUMER_GROUP_DESCRIBE, group(error_code=ErrorCode.group_id_not_found), "live-broker", "no longer exists"),
        (Api.DESCRIBE_GROUPS, group(group_state="Dead"), "live-static", "no longer exists"),
        (Api.DESCRIBE_GROUPS, group(group_state="PreparingRebalance"), "live-static", "is PreparingRebalance. A coordinator describes"),
        (Api.DESCRIBE_GROUPS, group(protocol_type="connect"), "live-static", "is a group of Kafka Connect"),
        (Api.DESCRIBE_GROUPS, group(protocol_type="sr"), "live-static", "has protocol type 'sr'"),
        (Api.STREAMS_GROUP_DESCRIBE, group(topology=None), "streams-shop", "describes the topology only if all topics exist"),
        (Api.LIST_GROUPS, lambda told: replace(told, groups=()), "live-static", "there is no group 'live-static'"),
        (Api.LIST_GROUPS, group(group_type="novel"), "live-static", "is a group of type 'novel'"),
        (Api.METADATA, lambda told: replace(told, topics=tuple(replace(one, error_code=ErrorCode.topic_authorization_failed) for one in told.topics)), "live-static", "may not describe it"),
        (Api.METADATA, lambda told: replace(told, topics=()), "live-static", "the answer to Metadata does not have __consumer_offsets. Give the address of a Kafka broker."),
        (Api.OFFSET_FETCH, lambda told: replace(told, groups=()), "live-static", "the answer to OffsetFetch does not have the group. Ask again in a moment."),
        (Api.OFFSET_FETCH, group(error_code=ErrorCode.group_authorization_failed), "live-static", "offsets of group 'live-static': this user may not"),
    ],
)  # fmt: skip
def test_what_cannot_be_known_is_said_and_never_guessed(api, edit, name, says, capsys):
    assert says in refused(capsys, {api: edit}, name)


@pytest.mark.parametrize("field", ["member_metadata", "member_assignment"])
@pytest.mark.parametrize("data", [b"", b"\0", b"\0\3\0\0\0\7odd"])
def test_members_without_metadata_are_refused(field, data, capsys):
    def emptied(told):
        (one,) = told.groups
        return replace(
            told, groups=(replace(one, members=tuple(replace(m, **{field: data}) for m in one.members)),)
        )

    assert "cannot be read" in refused(capsys, {Api.DESCRIBE_GROUPS: emptied}, "live-static")


def test_of_all_groups_those_that_cannot_be_read_are_left_out(capsys):
    edits = {Api.SHARE_GROUP_DESCRIBE: group(error_code=ErrorCode.group_authorization_failed)}
    with recorded_cluster(HEARD, edits) as cluster:
        status, out, err = run(capsys, cluster, "import", "--all")
    assert status == 0
    assert "live-share" not in records(out)
    assert "kassay: left out: " in err
    assert "'live-share'" in err


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    return certify(tmp_path_factory.mktemp("certified"))


def door(certified, *, mutual=False, users=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certified / "key.pem")
    if mutual:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(certified / "ca.pem")
    return Door(context, users or {})


def config(folder, **keys):
    path = folder / "client.properties"
    path.write_text("".join(f"{key.replace('_', '.')}={value}\n" for key, value in keys.items()))
    return str(path)


JAAS = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="{}";'


@pytest.mark.parametrize("trust", ["ca.pem", "trust.p12"])
def test_tls_and_sasl_by_the_clients_own_file(trust, certified, tmp_path, capsys):
    path = config(
        tmp_path, security_protocol="SASL_SSL", ssl_truststore_location=certified / trust, ssl_truststore_password="secret",
        ssl_keystore_location=certified / "store.p12", ssl_keystore_password="secret",
        sasl_mechanism="PLAIN", sasl_jaas_config=JAAS.format("right"),
    )  # fmt: skip
    with recorded_cluster(HEARD, door=door(certified, mutual=True, users={"me": "right"})) as cluster:
        status, out, err = run(capsys, cluster, "import", "--group", "live-static", "--command-config", path)
    assert status == 0, err
    assert [*records(out)] == ["live-static"]
    assert cluster.asked[Api.SASL_AUTHENTICATE] == cluster.asked[Api.API_VERSIONS] == len({0, 1, 2})


@pytest.mark.parametrize(("held", "status"), [(b"a.b.c\n", 0), (b"another", 2)])
def test_a_token_is_read_from_its_file(held, status, tmp_path, capsys):
    (tmp_path / "my token").write_bytes(held)
    path = config(
        tmp_path, security_protocol="SASL_PLAINTEXT", sasl_mechanism="OAUTHBEARER",
        sasl_jaas_config="org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;",
        sasl_oauthbearer_token_endpoint_url=f"{tmp_path.as_uri()}/my%20token",
    )  # fmt: skip
    with recorded_cluster(HEARD, door=Door(users={BEARER: "a.b.c"})) as cluster:
        found, out, err = run(capsys, cluster, "import", "--group", "live-static", "--command-config", path)
    assert found == status, err
    assert [*records(out)] == ["live-static"] * (status == 0)
    assert ("does not let who has this token in (invalid_token)" in err) == (status == 2)


def test_a_token_that_nobody_signs_names_its_user_and_its_time(tmp_path):
    login = 'x.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="me";'
    path = config(
        tmp_path, security_protocol="SASL_PLAINTEXT", sasl_mechanism="OAUTHBEARER", sasl_jaas_config=login
    )
    access = read_access(path)
    head, claims, signature = access.password.split(".")
    read = [json.loads(base64.urlsafe_b64decode(one + "=" * (-len(one) % 4))) for one in (head, claims)]
    assert (access.user, signature, read[0]) == ("me", "", {"alg": "none"})
    assert read[1] == {"sub": "me", "iat": read[1]["iat"], "exp": read[1]["iat"] + 3600}


@pytest.mark.parametrize("held", [b"", b"two words", b"\xc3\xa9", b"x" * 70_000])
def test_a_file_that_holds_no_token_is_refused(held, tmp_path, capsys):
    (tmp_path / "token").write_bytes(held)
    place = f"file://{tmp_path}/token"
    path = config(tmp_path, security_protocol="SASL_SSL", sasl_mechanism="OAUTHBEARER", sasl_oauthbearer_token_endpoint_url=place)  # fmt: skip
    assert "token holds no token alone" in refused(
        capsys, None, "live-static", OPEN, "--command-config", path
    )


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"security_protocol": "SSL"}, "certificate is not trusted"),
        ({"security_protocol": "SSL", "ssl_truststore_location": "ca.pem"}, "closed the connection. If the listener needs TLS or SASL"),
        ({}, "closed the connection. If the listener needs TLS or SASL"),
        ({"security_protocol": "SASL_SSL", "ssl_truststore_location": "ca.pem", "sasl_mechanism": "PLAIN",
          "sasl_jaas_config": JAAS.format("wrong")}, ": does not let me in (Authentication failed: Invalid username or password). Check"),
        ({"security_protocol": "SASL_SSL", "ssl_truststore_location": "ca.pem", "sasl_mechanism": "SCRAM-SHA-512",
          "sasl_jaas_config": JAAS.format("right")}, "does not accept the sasl.mechanism SCRAM-SHA-512. Use one of: PLAIN"),
    ],
)  # fmt: skip
def test_who_is_not_let_in_is_told_why(keys, says, certified, tmp_path, capsys):
    keys = {key: certified / value if value == "ca.pem" else value for key, value in keys.items()}
    entrance = door(
        certified, mutual="truststore" in str(keys) and "SASL" not in str(keys), users={"me": "right"}
    )
    assert says in refused(
        capsys, None, "live-static", entrance, "--command-config", config(tmp_path, **keys)
    )


@pytest.mark.parametrize(("check", "status"), [("https", 2), ("", 0)])
def test_a_certificate_of_another_host_is_refused_unless_names_count_for_nothing(
    check, status, certified, tmp_path, capsys
):
    path = config(
        tmp_path, security_protocol="SSL", ssl_truststore_location=certified / "ca.pem",
        ssl_endpoint_identification_algorithm=check,
    )  # fmt: skip
    with recorded_cluster(HEARD, door=door(certified)) as cluster:
        server = f"localhost:{cluster.ports[0]}"  # the certificate is of 127.0.0.1
        line = ["import", "--bootstrap-server", server, "--group", "live-static", "--command-config", path]
        assert main(line) == status
    assert ("certificate is not trusted (Hostname mismatch" in capsys.readouterr().err) == (status == 2)


def test_listeners_with_and_without_tls_are_told_apart(tmp_path, capsys):
    """Kafka's brokers answer by an alert of TLS, which would be an answer of 352,518,912 bytes."""
    path = config(tmp_path, security_protocol="SSL")
    assert "security.protocol" in refused(capsys, None, "live-static", OPEN, "--command-config", path)

    def serve(_, client):
        with client:
            client.recv(100)
            client.sendall(bytes.fromhex("15030300020250"))

    with listen(1, serve) as (port,):
        assert main(["import", "--bootstrap-server", f"127.0.0.1:{port}", "--all"]) == 2
    assert (
        "it answers in TLS, and was not spoken to in TLS. Give the security.protocol"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ssl.truststore.lokation=x", "ssl.truststore.lokation: kassay does not read this key. Leave it out. Did you mean 'ssl.truststore.location'?"),
        ("security.protocol=TLS", "security.protocol: is 'TLS'. Use one of: PLAINTEXT"),
        ("security.protocol=SASL_SSL", "sasl.mechanism: is GSSAPI (Kafka's default), and kassay holds no Kerberos ticket. Name a user of PLAIN"),
        ("security.protocol=SASL_SSL\nsasl.mechanism=KERBEROS", "sasl.mechanism: is 'KERBEROS'. Use one of: PLAIN"),
        ("security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER\nsasl.oauthbearer.token.endpoint.url=https://login/token", "kassay does not fetch tokens"),
        ("security.protocol=SASL_SSL\nsasl.mechanism=PLAIN", "sasl.jaas.config: gives no username and password"),
        ("security.protocol=SSL\nssl.truststore.location=/no/such", "ssl.truststore.location: /no/such cannot be read"),
        ("request.timeout.ms=soon", "request.timeout.ms: is 'soon'. Give milliseconds"),
        ("a=\\u12", "client.properties"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_told_by_key(text, says, tmp_path, capsys):
    path = tmp_path / "client.properties"
    path.write_text(text)
    assert says in refused(capsys, None, "live-static", OPEN, "--command-config", str(path))


@pytest.mark.parametrize(
    ("content", "says"),
    [(bytes.fromhex("feedfeed00"), "keytool -importkeystore"), (b"odd", "neither PEM nor PKCS12")],
)
def test_stores_of_other_forms_are_refused(content, says, tmp_path, capsys):
    (tmp_path / "trust").write_bytes(content)
    path = config(tmp_path, security_protocol="SSL", ssl_truststore_location=tmp_path / "trust")
    assert says in refused(capsys, None, "live-static", OPEN, "--command-config", path)


ANSWERS = sorted({*READ} - {Api.SASL_HANDSHAKE, Api.SASL_AUTHENTICATE, Api.DESCRIBE_CONFIGS})


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["live-static", "live-broker", "live-share", "streams-shop"]),
    st.sampled_from(ANSWERS),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4),
    st.floats(0, 1),
)
def test_whatever_bytes_come_it_ends_in_groups_or_a_sentence(name, key, changes, cut):
    def spoil(asked, answer):
        if asked != key:
            return answer
        data = bytearray(answer)
        for at, byte in changes:
            data[int(at * len(data))] = byte
        return bytes(data[: len(data) if cut > 0.2 else int(cut * 5 * len(data))])

    with recorded_cluster(HEARD) as cluster:
        cluster.spoil = spoil
        access = Access(answer_s=0.3, whole_s=0.6)
        with suppress(InputError):
            taken = asyncio.run(take([Place("127.0.0.1", cluster.ports[0])], access, [name]))
            read_listed(taken, leader=True)


def test_the_second_server_answers_where_the_first_does_not(capsys):
    assert main(["import", "--bootstrap-server", "127.0.0.1:1", "--all"]) == 2
    assert "127.0.0.1:1: takes no connection" in capsys.readouterr().err
    with recorded_cluster(HEARD) as cluster:
        servers = f"127.0.0.1:1,{cluster.address}"
        assert main(["import", "--bootstrap-server", servers, "--group", "live-static"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "live-static"

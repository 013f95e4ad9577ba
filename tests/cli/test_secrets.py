"""Secrets: one is planted in every input, and every output is searched for it, however it is written."""

import base64
import html
import json
import shlex
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from kio.index import load_request_schema, load_response_schema
from kio.schema.errors import ErrorCode
from over_the_wire import recorded_cluster as recorded
from over_the_wire.recorded_cluster import HEARD, Door, recorded_cluster
from targets.loopback_repository import serving

import kassay.api.check as api_check
from kassay.cli import main, report_bug
from kassay.errors import InputError
from kassay.output.redaction import MASK, count_masked, note_environment, note_secret, redact, redact_value
from kassay.protocol.client.cluster_connection import read_access
from kassay.protocol.server.api_messages import (
    Api,
    build_message,
    is_flexible,
    make_kio_reader,
    make_kio_writer,
)
from kassay.targets.maven import repository as fetching

SECRET = 'k9/"<s&cret>+\\é=w0'
"""With signs that JSON, URLs, HTML, XML and Python write in other ways."""
FORMATS = ("pretty", "json", "markdown", "junit", "github")
USER_INFO = f"me:{quote(SECRET, safe='')}@"


def spellings():
    """Return the texts by which the secret could be read in an output."""
    raw = SECRET.encode()
    both = (
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        html.escape(SECRET),
        json.dumps(SECRET)[1:-1],
        repr(SECRET)[1:-1],
    )
    coded = (base64.b64encode(raw), base64.b64encode(b"me:" + raw), base64.b64encode(b"me\0me\0" + raw))
    inner = (base64.b64encode(before + raw).decode()[4:-4] for before in (b"\0\0", b"\0", b"\0\0\0"))
    return {
        *both,
        *(each.decode().rstrip("=") for each in coded),
        *inner,
        SECRET[3:9],
        html.escape(SECRET[3:9]),
    }


def search(text):
    """Fail if the secret stands in a text."""
    for word in spellings():
        assert word not in text, f"{word!r} stands in: {text[:2000]}"


def run_everywhere(capsys, tmp_path, *words, judges=True):
    """Run a command in every format, with a folder and without, and search all that it prints and writes; returns what was printed."""
    seen = []
    for format_ in FORMATS if judges else ("pretty", "json", "markdown", "github"):
        folder = tmp_path / f"out-{format_}"
        for more in ((), ("-o", str(folder))):
            main([*words, "--format", format_, *more])
            shown = capsys.readouterr()
            for text in shown:
                search(text)
            seen += shown
        for file in (file for file in folder.rglob("*") if file.is_file()):
            search(file.read_bytes().decode("utf-8", "replace"))
    return "".join(seen)


@pytest.fixture(autouse=True)
def in_its_own_folder(tmp_path, monkeypatch):
    """Keep findings, caches and Maven settings of this test apart."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(fetching, "SETTINGS", str(tmp_path / "no-settings.xml"))
    monkeypatch.setattr(fetching, "PAUSE_S", 0.0)


TARGET = ("check", "maven:com.acme:mine:1.0#com.acme.Mine", "--examples", "2", "--no-replay")


@pytest.mark.parametrize(
    "url",
    [
        f"ftp://{USER_INFO}repo.example/x",
        f"http://{USER_INFO}far.example/x",
        f"http://{USER_INFO}127.0.0.1:1/x",
        f"https://{USER_INFO}127.0.0.1:1/x",
        f"{USER_INFO}repo.example",
        f"https://{USER_INFO}[broken/x",
    ],
)
def test_the_password_of_a_repositorys_url_reaches_no_output(url, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("KASSAY_MAVEN_URL", url)
    monkeypatch.setattr(fetching, "TRIES", 1)
    assert "KASSAY_MAVEN_URL" in run_everywhere(capsys, tmp_path, *TARGET)


def test_the_login_of_a_repositorys_url_is_sent_and_not_shown(tmp_path, monkeypatch, capsys):
    with serving({}) as repository:
        monkeypatch.setenv("KASSAY_MAVEN_URL", repository.url.replace("//", f"//{USER_INFO}"))
        assert "there is no such file" in run_everywhere(capsys, tmp_path, *TARGET)
    login = base64.b64encode(f"me:{SECRET}".encode()).decode()
    assert {headers["authorization"] for _, headers in repository.asked} == {f"Basic {login}"}


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
def test_the_password_of_a_proxy_reaches_no_output(name, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("KASSAY_MAVEN_URL", "https://repo.example/x")
    monkeypatch.setenv(name, f"http://{USER_INFO}127.0.0.1:1")
    monkeypatch.setattr(fetching, "TRIES", 1)
    run_everywhere(capsys, tmp_path, *TARGET)


@pytest.mark.parametrize("part", ["servers", "proxies", "mirror"])
def test_the_passwords_of_mavens_settings_reach_no_output(part, tmp_path, monkeypatch, capsys):
    password = html.escape(SECRET)
    login = USER_INFO if part == "mirror" else ""
    (tmp_path / "settings.xml").write_text(
        f"<settings><mirrors><mirror><id>m</id><mirrorOf>*</mirrorOf><url>http://{login}127.0.0.1:1</url></mirror></mirrors>"
        + f"<servers><server><id>m</id><username>me</username><password>{password}</password></server></servers>" * (part == "servers")
        + f"<proxies><proxy><username>me</username><password>{password}</password><host>127.0.0.1</host><port>1</port></proxy></proxies>" * (part == "proxies")
        + "</settings>"
    )  # fmt: skip
    monkeypatch.setattr(fetching, "SETTINGS", str(tmp_path / "settings.xml"))
    monkeypatch.setattr(fetching, "TRIES", 1)
    monkeypatch.delenv("KASSAY_MAVEN_URL", raising=False)
    run_everywhere(capsys, tmp_path, *TARGET)


TELLS = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    told = os.environ["KASSAY_MAVEN_URL"]
    print(json.dumps({"assignors": [{"name": told, "family": "consumer"}]} if "kassay" in asked
          else {"seq": asked["seq"], "error": f"no answer from {told}", "stack": told}), flush=True)
    print(told, file=sys.stderr)
"""


def test_a_program_that_tells_its_environment_tells_no_password(tmp_path, monkeypatch, capsys):
    (tmp_path / "tells.py").write_text(TELLS)
    monkeypatch.setenv("KASSAY_MAVEN_URL", f"https://{USER_INFO}repo.example/x")
    command = f"exec:{shlex.quote(sys.executable)} tells.py"
    said = run_everywhere(capsys, tmp_path, "check", command, "--examples", "3", "--no-replay")
    assert f"no answer from https://{MASK}@repo.example/x" in " ".join(said.split())
    assert "a password that kassay knows was in the output, and *** stands in its place" in " ".join(
        said.split()
    )
    assert [*tmp_path.glob("out-*/finding-*.json")]
    for file in tmp_path.glob("kassay-findings/*"):
        search(file.read_text())


def properties(tmp_path, **keys):
    escaped = {key: str(value).replace("\\", "\\\\") for key, value in keys.items()}
    path = tmp_path / "client.properties"
    path.write_text("".join(f"{key.replace('_', '.')}={value}\n" for key, value in escaped.items()))
    return str(path)


def jaas(module="plain.Plain"):
    quoted = SECRET.replace("\\", "\\\\").replace('"', '\\"')
    return f'org.apache.kafka.common.security.{module}LoginModule required username="me" password="{quoted}";'


@pytest.mark.parametrize(
    "keys",
    [
        {"sasl_mechanism": "PLAIN", "sasl_jaas_config": jaas()},
        {"sasl_mechanism": "PLAIN", "sasl_jaas_config": jaas().removesuffix(";")},
        {"sasl_mechanism": "PLAIN", "sasl_jaas_config": jaas().replace("username", "name")},
        {"sasl_mechanism": "GSSAPI", "sasl_jaas_config": jaas()},
        {"ssl_truststore_location": "no.p12", "ssl_truststore_password": SECRET},
        {"ssl_keystore_location": "some.p12", "ssl_keystore_password": SECRET, "ssl_key_password": SECRET},
        {"ssl_keystore_key": SECRET},
    ],
)
@pytest.mark.parametrize("protocol", ["SASL_SSL", "SSL", "SASL_PLAINTEXT"])
def test_the_passwords_of_a_command_config_reach_no_output(keys, protocol, tmp_path, capsys):
    (tmp_path / "some.p12").write_bytes(b"0\x82 no store")
    path = properties(tmp_path, security_protocol=protocol, **keys)
    live = ("import", "--bootstrap-server", "127.0.0.1:1", "--all", "--command-config", path)
    run_everywhere(capsys, tmp_path, *live, judges=False)


def let_in(says, mechanism="PLAIN", error=ErrorCode.sasl_authentication_failed):
    """Return what answers the requests of SASL, with the password in the message or the bytes."""

    def answer(api, version, request, _users):
        if api is Api.SASL_HANDSHAKE:
            told = {"error_code": ErrorCode.none, "mechanisms": (mechanism,)}
        else:
            at = 8 + 2 + int.from_bytes(request[8:10]) + is_flexible(api, version)
            asked, _ = make_kio_reader(api, load_request_schema(api, version))(request, at)
            message, data = says(asked.auth_bytes)
            told = {
                "error_code": error,
                "error_message": message,
                "auth_bytes": data,
                "session_lifetime": timedelta(0),
            }
        return b"\0" * is_flexible(api, version) + make_kio_writer(load_response_schema(api, version))(
            build_message(load_response_schema(api, version), **told)
        )

    return answer


def echo(data):
    """Return a message with the password in several spellings."""
    password = data.split(b"\0")[-1].decode()
    ways = (
        password,
        quote(password, safe=""),
        base64.b64encode(data).decode(),
        base64.b64encode(password.encode()).decode(),
    )
    return " ".join(ways), b""


def properties_of_plain(tmp_path):
    """Write the settings of a client that sends its password with SASL/PLAIN."""
    return properties(
        tmp_path, security_protocol="SASL_PLAINTEXT", sasl_mechanism="PLAIN", sasl_jaas_config=jaas()
    )


def import_live(cluster, path):
    """Return the words of the command that reads a group from a cluster with these settings."""
    where = ["--bootstrap-server", cluster.address, "--command-config", path]
    return ["import", *where, "--group", "live-static"]


def test_a_server_that_echoes_the_password_is_not_passed_on(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(recorded, "_let_in", let_in(echo))
    path = properties_of_plain(tmp_path)
    with recorded_cluster(HEARD, door=Door(users={"me": SECRET})) as cluster:
        said = run_everywhere(capsys, tmp_path, *import_live(cluster, path), judges=False)
    told = " ".join(said.split())
    assert f"does not let me in ({MASK} {MASK} " in told
    assert f"{MASK} {MASK})" in told


def test_a_cluster_that_says_the_password_in_a_group_is_not_passed_on(tmp_path, capsys):
    def named(told):
        (one,) = told.groups
        members = tuple(replace(each, member_id=f"{SECRET}-{at}") for at, each in enumerate(one.members))
        return replace(told, groups=(replace(one, members=members),))

    path = properties_of_plain(tmp_path)
    with recorded_cluster(HEARD, {Api.DESCRIBE_GROUPS: named}, Door(users={"me": SECRET})) as cluster:
        said = run_everywhere(capsys, tmp_path, *import_live(cluster, path), judges=False)
    assert f"{MASK}-0" in said


@pytest.mark.parametrize(("iterations", "refused"), [(1, True), (4_095, True), (4_096, False)])
def test_scram_refuses_fewer_iterations_than_java_does(iterations, refused, tmp_path, monkeypatch, capsys):
    def first(data):
        nonce = data.decode().partition("r=")[2]
        return None, f"r={nonce}x,s={base64.b64encode(b'salt').decode()},i={iterations}".encode()

    monkeypatch.setattr(recorded, "_let_in", let_in(first, "SCRAM-SHA-256", ErrorCode.none))
    path = properties(
        tmp_path,
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="SCRAM-SHA-256",
        sasl_jaas_config=jaas("scram.Scram"),
    )
    with recorded_cluster(HEARD) as cluster:
        assert main(import_live(cluster, path)) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert (
        f"asks for {iterations:,} iterations of SCRAM, fewer than 4,096. Set the user's password again"
        in said
    ) is refused
    search(said)


def test_a_token_reaches_no_output(tmp_path):
    token = "h.eyJ0b2tlbiI6MX0.c2ln"
    (tmp_path / "token").write_text(token)
    path = properties(
        tmp_path, security_protocol="SASL_PLAINTEXT", sasl_mechanism="OAUTHBEARER", sasl_oauthbearer_token_endpoint_url=f"file://{tmp_path}/token",
    )  # fmt: skip
    assert read_access(path).password == token
    assert redact(f"no: {token}") == f"no: {MASK}"


def test_a_bug_is_reported_without_a_password(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("KASSAY_MAVEN_URL", f"https://{USER_INFO}repo.example/x")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    note_environment()
    with pytest.raises(ValueError, match="it is") as bug:
        int(f"it is {SECRET}")
    assert report_bug(bug.value) == 3
    said = capsys.readouterr().err
    search(said)
    assert MASK in said
    (file,) = tmp_path.glob("kassay-bug-*")
    search(file.read_text())


def test_an_error_of_the_api_holds_no_login_of_a_url(monkeypatch):
    monkeypatch.setenv("KASSAY_MAVEN_URL", f"http://{USER_INFO}far.example/x")
    with pytest.raises(InputError) as refused:
        api_check.check("maven:com.acme:mine:1.0#com.acme.Mine", examples=1)
    search(str(refused.value))


@pytest.mark.parametrize("before", [b"", b"u", b"me", b"me\0", b"user:", b"\0\0user\0"])
def test_a_password_within_base64_is_masked_wherever_it_begins(before):
    note_secret(SECRET)
    coded = base64.b64encode(before + SECRET.encode() + b"more").decode()
    masked = redact(coded)
    assert MASK in masked
    assert len(masked) <= len(coded) - len(SECRET.encode()) + len(MASK)


def test_a_short_password_is_masked_as_a_word_alone():
    note_secret("abc")
    assert redact("abc is no abcd, (abc)") == f"{MASK} is no abcd, ({MASK})"
    assert redact_value({"abc": ["x abc", ("abc", 1)]}) == {MASK: [f"x {MASK}", (MASK, 1)]}
    assert count_masked() == 5
    assert count_masked() == 0


def test_without_secrets_values_stay_what_they_are():
    value = {"url": "https://a:b@c", "n": [1]}
    assert redact_value(value) is value
    assert redact("https://a:b@c and x@y") == f"https://{MASK}@c and x@y"
    assert Path("a@b://c").name == redact("c")

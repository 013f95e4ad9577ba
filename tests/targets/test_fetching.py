"""Fetching from a repository on loopback: verified, kept, through proxies, with logins, once more after a failure."""

import hashlib
from base64 import b64encode

import pytest
from pinning import pin
from targets.loopback_repository import serving

from kassay.errors import InputError, TargetGoneError
from kassay.targets.maven import repository as fetching
from kassay.targets.maven.repository import Coordinate, fetch, read_url

JAR = Coordinate("org.example", "thing", "1.0")
CONTENT = b"the jar"
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def surroundings(home, monkeypatch):
    monkeypatch.setenv("KASSAY_CACHE", str(home / "cache"))
    (home / "jars.sha256").write_text(f"{DIGEST}  {JAR.path}\n")
    monkeypatch.setattr(fetching, "FILE", home / "jars.sha256")
    monkeypatch.setattr(fetching, "PAUSE_S", 0.0)
    fetching.compute_digests.cache_clear()
    yield
    fetching.compute_digests.cache_clear()


@pytest.fixture
def repository(monkeypatch):
    with serving({f"/{JAR.path}": CONTENT}) as server:
        monkeypatch.setenv("KASSAY_MAVEN_URL", server.url)
        yield server


def test_a_jar_is_fetched_once_and_works_offline_then(repository, monkeypatch, tmp_path):
    jar = fetch(JAR)
    assert jar.read_bytes() == CONTENT
    assert jar.is_relative_to(tmp_path / "cache")
    monkeypatch.setenv("KASSAY_MAVEN_URL", "http://127.0.0.1:1")
    assert fetch(JAR) == jar
    assert len(repository.asked) == 1


def test_a_changed_digest_is_refused_and_nothing_kept(repository, tmp_path):
    repository.files[f"/{JAR.path}"] = b"another jar"
    with pytest.raises(
        InputError, match=rf"{JAR.path}: has the SHA-256 \w+ instead of {DIGEST}. Set KASSAY_MAVEN_URL"
    ):
        fetch(JAR)
    assert not list((tmp_path / "cache").rglob("*.jar"))


def test_a_spoiled_jar_in_the_cache_is_fetched_again(repository):
    fetch(JAR).write_bytes(b"spoiled")
    assert fetch(JAR).read_bytes() == CONTENT
    assert len(repository.asked) == 2


def test_a_passing_failure_is_outlived(repository):
    repository.failures = fetching.TRIES - 1
    assert fetch(JAR).read_bytes() == CONTENT


def test_what_cannot_be_fetched(repository, monkeypatch):
    with pytest.raises(InputError, match=r"missing.jar: there is no such file. Check the version"):
        read_url(f"{repository.url}/missing.jar")
    repository.failures = fetching.TRIES
    with pytest.raises(
        TargetGoneError, match=r"cannot be fetched \(HTTP Error 503.*\). Connect, or set KASSAY_MAVEN_URL"
    ):
        fetch(JAR)
    monkeypatch.setenv("KASSAY_MAVEN_URL", "http://127.0.0.1:1")
    with pytest.raises(TargetGoneError, match="Connection refused"):
        fetch(JAR)


def test_a_folder_may_be_the_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("KASSAY_MAVEN_URL", (tmp_path / "files").as_uri())
    with pytest.raises(InputError, match="there is no such file"):
        fetch(JAR)
    (tmp_path / "files" / JAR.path).parent.mkdir(parents=True)
    (tmp_path / "files" / JAR.path).write_bytes(CONTENT)
    assert fetch(JAR).read_bytes() == CONTENT


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KASSAY_CACHE", str(tmp_path / "file"))
    monkeypatch.setenv("KASSAY_MAVEN_URL", tmp_path.as_uri())
    (tmp_path / JAR.path).parent.mkdir(parents=True)
    (tmp_path / JAR.path).write_bytes(CONTENT)
    with pytest.raises(InputError, match=r"cannot be written .*. Set KASSAY_CACHE to another folder"):
        fetch(JAR)


def test_proxies_of_the_environment(repository, monkeypatch):
    repository.files[f"http://far.example/{JAR.path}"] = CONTENT
    monkeypatch.setenv("KASSAY_MAVEN_URL", "http://far.example")
    monkeypatch.setenv("KASSAY_ALLOW_HTTP", "1")
    monkeypatch.setenv("http_proxy", repository.url)
    assert fetch(JAR).read_bytes() == CONTENT
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("KASSAY_MAVEN_URL", repository.url)
    assert read_url(f"{repository.url}/{JAR.path}") == CONTENT
    assert [path for path, _ in repository.asked] == [f"http://far.example/{JAR.path}", f"/{JAR.path}"]


def test_mirror_login_and_proxy_of_the_settings(repository, monkeypatch, write_settings):
    monkeypatch.delenv("KASSAY_MAVEN_URL")
    monkeypatch.setenv("KASSAY_ALLOW_HTTP", "1")
    repository.files[f"http://far.example/{JAR.path}"] = CONTENT
    write_settings(
        "<settings><mirrors><mirror><id>far</id><mirrorOf>*</mirrorOf><url>http://far.example</url></mirror></mirrors>"
        "<servers><server><id>far</id><username>me</username><password>secret</password></server></servers>"
        f"<proxies><proxy><host>127.0.0.1</host><port>{repository.server_port}</port><username>p</username>"
        "<password>q</password></proxy></proxies></settings>"
    )
    assert fetch(JAR).read_bytes() == CONTENT
    ((path, headers),) = repository.asked
    assert path == f"http://far.example/{JAR.path}"
    assert headers["authorization"] == f"Basic {b64encode(b'me:secret').decode()}"
    assert headers["proxy-authorization"] == f"Basic {b64encode(b'p:q').decode()}"


def test_a_repository_on_another_machine_is_asked_with_encryption_alone(
    repository, monkeypatch, write_settings
):
    monkeypatch.setenv("KASSAY_MAVEN_URL", "http://far.example")
    monkeypatch.setenv("http_proxy", repository.url)
    with pytest.raises(
        InputError, match=r"KASSAY_MAVEN_URL: 'http://far.example' is not encrypted, .* --allow-http"
    ):
        fetch(JAR)
    monkeypatch.delenv("KASSAY_MAVEN_URL")
    write_settings(
        "<settings><mirrors><mirror><mirrorOf>*</mirrorOf><url>http://far.example</url></mirror></mirrors></settings>"
    )
    with pytest.raises(InputError, match=r"settings\.xml: 'http://far.example' is not encrypted"):
        fetch(JAR)
    assert not repository.asked


def test_a_repository_that_leads_out_of_encryption_is_not_followed(repository):
    repository.leads[f"/{JAR.path}"] = f"http://far.example/{JAR.path}"
    with pytest.raises(TargetGoneError, match=r"leads to http://far\.example/.*, which is not encrypted"):
        fetch(JAR)


def test_no_login_is_handed_to_another_host(repository, monkeypatch, write_settings):
    monkeypatch.delenv("KASSAY_MAVEN_URL")
    with serving({f"/{JAR.path}": CONTENT}) as other:
        repository.leads[f"/{JAR.path}"] = f"{other.url}/{JAR.path}"
        write_settings(
            f"<settings><mirrors><mirror><id>far</id><mirrorOf>*</mirrorOf><url>{repository.url}</url></mirror></mirrors>"
            "<servers><server><id>far</id><username>me</username><password>secret</password></server></servers></settings>"
        )
        assert fetch(JAR).read_bytes() == CONTENT
        assert "authorization" in repository.asked[0][1]
        assert "authorization" not in other.asked[0][1]


def test_pinning_compares_with_what_the_repository_publishes(repository):
    sha1 = hashlib.sha1(CONTENT).hexdigest()
    repository.files[f"/{JAR.path}.sha1"] = f"{sha1}  thing-1.0.jar\n".encode()
    assert pin(JAR) == f"{DIGEST}  {JAR.path}"
    assert fetching.compute_digests() == {JAR.path: DIGEST}
    assert fetching.list_versions("org.example", "thing") == ["1.0"]
    repository.files[f"/{JAR.path}"] = b"another jar"
    with pytest.raises(InputError, match="is not what its SHA-1 says"):
        pin(JAR)

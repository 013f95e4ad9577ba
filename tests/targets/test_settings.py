"""What the environment and the user's Maven settings say about the way to a repository."""

import pytest

from kassay.errors import InputError
from kassay.targets.maven.repository import CENTRAL_URL, Settings, is_direct, network, read_settings

FULL = """<?xml version="1.0"?>
<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0">
  <mirrors>
    <mirror><id>other</id><mirrorOf>jboss</mirrorOf><url>http://jboss.example/</url></mirror>
    <mirror><id>ours</id><mirrorOf>external:*, !jboss</mirrorOf><url> https://maven.example/all/ </url></mirror>
  </mirrors>
  <servers>
    <server><id>elsewhere</id><username>x</username><password>y</password></server>
    <server><id>ours</id><username>me</username><password>p:w</password></server>
  </servers>
  <proxies>
    <proxy><active>false</active><host>off.example</host><port>1</port></proxy>
    <proxy><host>proxy.example</host><port>3128</port><username>a b</username><password>c@d</password>
      <nonProxyHosts>localhost|*.inside.example</nonProxyHosts></proxy>
  </proxies>
</settings>
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in (
        "KASSAY_MAVEN_URL",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".m2").mkdir()
    return tmp_path


def settings(home, text):
    path = home / ".m2" / "settings.xml"
    path.write_text(text)
    return path


def test_all_that_settings_say(home):
    assert read_settings(settings(home, FULL)) == Settings(
        "https://maven.example/all", "me", "p:w", "http://a%20b:c%40d@proxy.example:3128",
        ("localhost", "*.inside.example"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "stands"),
    [
        ("*", True),
        ("central", True),
        ("a,central", True),
        ("external:*", True),
        ("*,!central", False),
        ("centrale", False),
    ],
)
def test_which_mirrors_stand_for_central(home, pattern, stands):
    text = f"<settings><mirrors><mirror><mirrorOf>{pattern}</mirrorOf><url>http://m</url></mirror></mirrors></settings>"
    assert (read_settings(settings(home, text)).mirror == "http://m") is stands


def test_without_settings_it_is_central(home):
    assert read_settings(home / "none.xml") == Settings()
    assert network().url == CENTRAL_URL
    assert not network().chosen


def test_a_login_may_be_given_for_central_itself(home):
    settings(
        home,
        "<settings><servers><server><id>central</id><username>u</username></server></servers></settings>",
    )
    assert (network().url, network().user, network().password) == (CENTRAL_URL, "u", None)


def test_the_environment_goes_before_the_settings(home, monkeypatch):
    settings(home, FULL)
    assert (network().url, network().user, network().chosen) == (
        "https://maven.example/all",
        "me",
        frozenset(),
    )
    monkeypatch.setenv("KASSAY_MAVEN_URL", "https://chosen.example/maven/")
    assert (network().url, network().user, network().chosen) == (
        "https://chosen.example/maven",
        None,
        {"url"},
    )
    assert network().proxy == "http://a%20b:c%40d@proxy.example:3128"
    monkeypatch.setenv("https_proxy", "http://env.example:8080")
    monkeypatch.setenv("no_proxy", ".near.example, localhost")
    assert (network().proxy, network().chosen) == ("http://env.example:8080", {"url", "proxy"})
    assert network().direct == ("near.example", "*.near.example", "localhost", "*.localhost")


def test_hosts_reached_without_the_proxy():
    assert is_direct("A.inside.example", ("localhost", "*.inside.example"))
    assert not is_direct("inside.example", ("localhost", "*.inside.example"))
    assert not is_direct("a.example", ())


def test_what_cannot_be_read(home, monkeypatch):
    with pytest.raises(InputError, match=r"settings.xml: is no XML .*; correct the Maven settings"):
        read_settings(settings(home, "<settings>"))
    settings(home, "<settings/>")
    monkeypatch.setenv("KASSAY_MAVEN_URL", "maven.example")
    with pytest.raises(
        InputError, match=r"^KASSAY_MAVEN_URL: 'maven.example' is no address; give one such as https://"
    ):
        network()
    monkeypatch.delenv("KASSAY_MAVEN_URL")
    settings(
        home,
        "<settings><mirrors><mirror><mirrorOf>*</mirrorOf><url>scp://x</url></mirror></mirrors></settings>",
    )
    with pytest.raises(InputError, match=r"^~/.m2/settings.xml: 'scp://x' is no address"):
        network()

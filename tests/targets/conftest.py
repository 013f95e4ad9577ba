import pytest


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home without Maven settings, in an environment that says nothing of repositories and proxies."""
    names = ("http_proxy", "https_proxy", "no_proxy")
    for name in ("KASSAY_MAVEN_URL", *names, *(one.upper() for one in names)):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".m2").mkdir()
    return tmp_path


@pytest.fixture
def write_settings(home):
    """Write the Maven settings of the home, and return their path."""

    def write(text):
        path = home / ".m2" / "settings.xml"
        path.write_text(text)
        return path

    return write

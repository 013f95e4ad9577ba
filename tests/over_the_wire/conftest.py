import pytest


@pytest.fixture
def many_connections(monkeypatch):
    """Allow the connections of all groups that run at a time."""
    from kassay.protocol.server import client_process

    monkeypatch.setattr(client_process, "MOST_CONNECTIONS", 10_000)

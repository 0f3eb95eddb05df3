import asyncio
from types import SimpleNamespace
from typing import Any, Iterator, List

import pytest
from support import KEY, URL, Connect, Demo, blocking

from hearback import AsyncHearback, Hearback, _client


@pytest.fixture(params=["sync", "async"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    """Makes clients of the test's server. A test runs with blocking and with asyncio clients."""
    loop = asyncio.new_event_loop()
    clients: List[Hearback] = []

    def make(api_key: str = KEY, base_url: str = URL, **options: Any) -> Hearback:
        if request.param == "sync":
            clients.append(Hearback(api_key, base_url, **options))
        else:
            clients.append(blocking(AsyncHearback(api_key, base_url, **options), loop))
        return clients[-1]

    yield make
    for client in clients:
        client.close()
    loop.close()


@pytest.fixture
def client(connect: Connect) -> Hearback:
    return connect()


@pytest.fixture(scope="session")
def demo() -> Iterator[Demo]:
    with Hearback(KEY, URL) as client:
        yield Demo(client)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> List[float]:
    """Collects the pauses of the client, and skips them."""
    waited: List[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(_client, "time", SimpleNamespace(sleep=waited.append))
    monkeypatch.setattr(_client, "asyncio", SimpleNamespace(sleep=sleep))
    return waited

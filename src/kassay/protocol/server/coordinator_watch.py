"""A watch over an external coordinator: it asks for ApiVersions all the time, so that a dead coordinator is noticed soon."""

import asyncio

from kassay.protocol.server.addresses import Place
from kassay.protocol.server.api_messages import Api
from kassay.protocol.server.external_cluster import BrokerConnection, NoResponseError, connect

EVERY_S, WITHIN_S = 1.0, 2.0
"""The seconds between two requests, and for one response, however busy the coordinator is."""
TRIES = 3
"""The number of requests without a response after which a coordinator is dead; with the times above, at most 9 seconds."""


class CoordinatorWatch:
    """The watch over a coordinator; it has a connection of its own. Stop it at the end."""

    def __init__(self, place: Place) -> None:
        """Begin to ask."""
        self._place = place
        self._line: BrokerConnection | None = None
        self.answered = asyncio.get_running_loop().time()
        """The time of the last request that got a response."""
        self.dying = asyncio.ensure_future(self._wait_for_death())
        """The task whose result is why the coordinator is dead."""

    async def check_life(self) -> str:
        """Return "" as soon as the coordinator has answered a request that was sent after the call, or why it is dead."""
        now = asyncio.get_running_loop().time()
        while self.answered < now and not self.dying.done():
            await asyncio.wait({self.dying}, timeout=EVERY_S / 10)
        return self.dying.result() if self.dying.done() else ""

    async def stop(self) -> None:
        """Ask no more."""
        self.dying.cancel()
        await asyncio.gather(self.dying, return_exceptions=True)

    async def _wait_for_death(self) -> str:
        failed = 0
        try:
            while True:
                asked = asyncio.get_running_loop().time()
                try:
                    await self._ask()
                    failed, self.answered = 0, asked
                except NoResponseError as wrong:
                    failed += 1
                    self._close()
                    if failed == TRIES:
                        return str(wrong)
                await asyncio.sleep(EVERY_S)
        finally:
            self._close()

    async def _ask(self) -> None:
        if self._line is None:
            versions = {int(Api.API_VERSIONS): 0}
            try:
                async with asyncio.timeout(WITHIN_S):
                    self._line = await connect(self._place, lambda _: None, versions)
            except TimeoutError:
                raise NoResponseError(f"{self._place} takes no connection within {WITHIN_S:g} s") from None
        await self._line.ask(Api.API_VERSIONS, lambda kinds, _: kinds.ApiVersionsRequest(), WITHIN_S)

    def _close(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

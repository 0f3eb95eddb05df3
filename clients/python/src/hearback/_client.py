"""The blocking and the asynchronous client. ``_calls`` has their methods, and ``_exchange`` the shared code."""

from __future__ import annotations

import asyncio
import time
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Callable,
    Iterator,
    Optional,
    TypeVar,
    Union,
)

import httpx

from ._calls import Resources
from ._endpoint import Call, PageCall
from ._exchange import Exchange, Outcome, Settings

if TYPE_CHECKING:
    from types import TracebackType

    # Every type checker contains typing_extensions. At run time the client needs httpx alone.
    from typing_extensions import Self

AnswerT = TypeVar("AnswerT")
Timeout = Union[None, float, httpx.Timeout]

DEFAULT_TIMEOUT = 30.0
"""Seconds of each attempt, to connect and for each silence after that."""


class Hearback(Resources["Hearback"]):
    """A client that blocks. Threads may share it."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: Timeout = DEFAULT_TIMEOUT,
        transport: Optional[httpx.BaseTransport] = None,
    ) -> None:
        """``base_url`` is the server's address, such as ``https://feedback.acme.example``.

        ``transport`` sets httpx's options of connections: certificates, proxies, limits.
        """
        self._settings = Settings(api_key, base_url)
        self._http = httpx.Client(timeout=timeout, transport=transport)
        super().__init__(self)

    def _sender(self, build: Callable[..., Call[Any]]) -> Callable[..., Any]:
        def method(*args: Any, **kwargs: Any) -> Any:
            return self._send(build(*args, **kwargs))

        return method

    def _walker(self, build: Callable[..., PageCall[Any, Any]]) -> Callable[..., Iterator[Any]]:
        def method(*args: Any, **kwargs: Any) -> Iterator[Any]:
            call = build(*args, **kwargs)
            while True:
                page = self._send(call)
                yield from page["items"]
                if not page["has_next_page"]:
                    return
                call = call.after(page["cursor"])

        return method

    def _send(self, call: Call[AnswerT]) -> AnswerT:
        exchange = Exchange(self._settings, call)
        while True:
            outcome: Outcome
            try:
                outcome = self._http.post(**exchange.request())
            except httpx.RequestError as error:
                outcome = error
            pause = exchange.pause_after(outcome)
            if pause is None:
                return exchange.answer(outcome)
            time.sleep(pause)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]] = None,
        error: Optional[BaseException] = None,
        traceback: Optional[TracebackType] = None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Hearback(base_url={self._settings!r})"


class AsyncHearback(Resources["AsyncHearback"]):
    """A client for asyncio. Its methods are those of :class:`Hearback`, as coroutines."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: Timeout = DEFAULT_TIMEOUT,
        transport: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        """The parameters are those of :class:`Hearback`."""
        self._settings = Settings(api_key, base_url)
        self._http = httpx.AsyncClient(timeout=timeout, transport=transport)
        super().__init__(self)

    def _sender(self, build: Callable[..., Call[Any]]) -> Callable[..., Any]:
        async def method(*args: Any, **kwargs: Any) -> Any:
            return await self._send(build(*args, **kwargs))

        return method

    def _walker(self, build: Callable[..., PageCall[Any, Any]]) -> Callable[..., AsyncIterator[Any]]:
        async def method(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            call = build(*args, **kwargs)
            while True:
                page = await self._send(call)
                for item in page["items"]:
                    yield item
                if not page["has_next_page"]:
                    return
                call = call.after(page["cursor"])

        return method

    async def _send(self, call: Call[AnswerT]) -> AnswerT:
        exchange = Exchange(self._settings, call)
        while True:
            outcome: Outcome
            try:
                outcome = await self._http.post(**exchange.request())
            except httpx.RequestError as error:
                outcome = error
            pause = exchange.pause_after(outcome)
            if pause is None:
                return exchange.answer(outcome)
            await asyncio.sleep(pause)

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]] = None,
        error: Optional[BaseException] = None,
        traceback: Optional[TracebackType] = None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncHearback(base_url={self._settings!r})"

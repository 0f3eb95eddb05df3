"""The blocking and the asynchronous client. ``_calls`` and ``_exchange`` have the shared code."""

from __future__ import annotations

import asyncio
import inspect
import time
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Callable,
    Coroutine,
    Iterator,
    Optional,
    TypeVar,
    Union,
)

import httpx

from . import _calls as calls
from ._exchange import Exchange, Outcome, Settings

if TYPE_CHECKING:
    from types import TracebackType

    # Every type checker contains typing_extensions. At run time the client needs httpx alone.
    from typing_extensions import Concatenate, ParamSpec, Self

    P = ParamSpec("P")

AnswerT = TypeVar("AnswerT")
ItemT = TypeVar("ItemT")
Timeout = Union[None, float, httpx.Timeout]

DEFAULT_TIMEOUT = 30.0
"""Seconds of each attempt, to connect and for each silence after that."""


class _Resource:
    """A group of endpoints of :class:`Hearback`."""

    def __init__(self, client: Hearback) -> None:
        self._client = client


class _AsyncResource:
    """A group of endpoints of :class:`AsyncHearback`."""

    def __init__(self, client: AsyncHearback) -> None:
        self._client = client


def _sent(build: Callable[P, calls.Call[AnswerT]]) -> Callable[Concatenate[_Resource, P], AnswerT]:
    """Makes a method that sends a call."""

    def method(self: _Resource, /, *args: P.args, **kwargs: P.kwargs) -> AnswerT:
        return self._client._send(build(*args, **kwargs))

    _describe(method, build)
    return method


def _async_sent(
    build: Callable[P, calls.Call[AnswerT]],
) -> Callable[Concatenate[_AsyncResource, P], Coroutine[Any, Any, AnswerT]]:
    """Makes a coroutine method that sends a call."""

    async def method(self: _AsyncResource, /, *args: P.args, **kwargs: P.kwargs) -> AnswerT:
        return await self._client._send(build(*args, **kwargs))

    _describe(method, build)
    return method


def _walked(build: Callable[P, calls.PageCall[Any, ItemT]]) -> Callable[Concatenate[_Resource, P], Iterator[ItemT]]:
    """Makes a method that iterates over the items of all pages. ``limit`` is the size of a page."""

    def method(self: _Resource, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[ItemT]:
        call = build(*args, **kwargs)
        while True:
            page = self._client._send(call)
            yield from page["items"]
            if not page["has_next_page"]:
                return
            call = call.after(page["cursor"])

    _describe(method, build)
    return method


def _async_walked(
    build: Callable[P, calls.PageCall[Any, ItemT]],
) -> Callable[Concatenate[_AsyncResource, P], AsyncIterator[ItemT]]:
    """Makes a method that iterates over the items of all pages, for ``async for``."""

    async def method(self: _AsyncResource, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[ItemT]:
        call = build(*args, **kwargs)
        while True:
            page = await self._client._send(call)
            for item in page["items"]:
                yield item
            if not page["has_next_page"]:
                return
            call = call.after(page["cursor"])

    _describe(method, build)
    return method


def _describe(method: Any, build: Callable[..., Any]) -> None:
    """Lets ``help`` show the parameters and the docstring of the endpoint."""
    method.__name__, method.__qualname__, method.__doc__ = build.__name__, build.__qualname__, build.__doc__
    signature = inspect.signature(build)
    method.__signature__ = signature.replace(
        parameters=[inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY), *signature.parameters.values()],
        return_annotation=inspect.Signature.empty,
    )


class Users(_Resource):
    retrieve = _sent(calls.users.retrieve)


class FeedbackBoards(_Resource):
    list = _sent(calls.feedback_boards.list)
    retrieve = _sent(calls.feedback_boards.retrieve)
    create = _sent(calls.feedback_boards.create)
    update = _sent(calls.feedback_boards.update)


class FeedbackPosts(_Resource):
    retrieve = _sent(calls.feedback_posts.retrieve)
    list = _sent(calls.feedback_posts.list)
    iterate = _walked(calls.feedback_posts.list)
    create = _sent(calls.feedback_posts.create)
    update = _sent(calls.feedback_posts.update)
    add_tag = _sent(calls.feedback_posts.add_tag)
    remove_tag = _sent(calls.feedback_posts.remove_tag)
    delete = _sent(calls.feedback_posts.delete)
    restore = _sent(calls.feedback_posts.restore)
    merge = _sent(calls.feedback_posts.merge)


class Comments(_Resource):
    retrieve = _sent(calls.comments.retrieve)
    list = _sent(calls.comments.list)
    iterate = _walked(calls.comments.list)
    create = _sent(calls.comments.create)
    update = _sent(calls.comments.update)
    delete = _sent(calls.comments.delete)


class Votes(_Resource):
    toggle = _sent(calls.votes.toggle)
    voters = _sent(calls.votes.voters)
    iterate_voters = _walked(calls.votes.voters)


class Categories(_Resource):
    list = _sent(calls.categories.list)
    retrieve = _sent(calls.categories.retrieve)
    create = _sent(calls.categories.create)
    update = _sent(calls.categories.update)


class Tags(_Resource):
    list = _sent(calls.tags.list)
    retrieve = _sent(calls.tags.retrieve)
    create = _sent(calls.tags.create)
    update = _sent(calls.tags.update)
    delete = _sent(calls.tags.delete)


class Statuses(_Resource):
    list = _sent(calls.statuses.list)


class RoadmapBoards(_Resource):
    list = _sent(calls.roadmap_boards.list)
    retrieve = _sent(calls.roadmap_boards.retrieve)
    create = _sent(calls.roadmap_boards.create)
    update = _sent(calls.roadmap_boards.update)


class Labels(_Resource):
    list = _sent(calls.labels.list)
    iterate = _walked(calls.labels.list)


class Changelog(_Resource):
    list = _sent(calls.changelog.list)
    iterate = _walked(calls.changelog.list)
    create = _sent(calls.changelog.create)


class HelpCollections(_Resource):
    list = _sent(calls.help_collections.list)
    iterate = _walked(calls.help_collections.list)
    retrieve = _sent(calls.help_collections.retrieve)
    update = _sent(calls.help_collections.update)


class HelpCategories(_Resource):
    list = _sent(calls.help_categories.list)
    iterate = _walked(calls.help_categories.list)
    retrieve = _sent(calls.help_categories.retrieve)
    create = _sent(calls.help_categories.create)
    update = _sent(calls.help_categories.update)


class HelpArticles(_Resource):
    search = _sent(calls.help_articles.search)
    iterate_search = _walked(calls.help_articles.search)
    list = _sent(calls.help_articles.list)
    iterate = _walked(calls.help_articles.list)
    retrieve = _sent(calls.help_articles.retrieve)
    create = _sent(calls.help_articles.create)


class AsyncUsers(_AsyncResource):
    retrieve = _async_sent(calls.users.retrieve)


class AsyncFeedbackBoards(_AsyncResource):
    list = _async_sent(calls.feedback_boards.list)
    retrieve = _async_sent(calls.feedback_boards.retrieve)
    create = _async_sent(calls.feedback_boards.create)
    update = _async_sent(calls.feedback_boards.update)


class AsyncFeedbackPosts(_AsyncResource):
    retrieve = _async_sent(calls.feedback_posts.retrieve)
    list = _async_sent(calls.feedback_posts.list)
    iterate = _async_walked(calls.feedback_posts.list)
    create = _async_sent(calls.feedback_posts.create)
    update = _async_sent(calls.feedback_posts.update)
    add_tag = _async_sent(calls.feedback_posts.add_tag)
    remove_tag = _async_sent(calls.feedback_posts.remove_tag)
    delete = _async_sent(calls.feedback_posts.delete)
    restore = _async_sent(calls.feedback_posts.restore)
    merge = _async_sent(calls.feedback_posts.merge)


class AsyncComments(_AsyncResource):
    retrieve = _async_sent(calls.comments.retrieve)
    list = _async_sent(calls.comments.list)
    iterate = _async_walked(calls.comments.list)
    create = _async_sent(calls.comments.create)
    update = _async_sent(calls.comments.update)
    delete = _async_sent(calls.comments.delete)


class AsyncVotes(_AsyncResource):
    toggle = _async_sent(calls.votes.toggle)
    voters = _async_sent(calls.votes.voters)
    iterate_voters = _async_walked(calls.votes.voters)


class AsyncCategories(_AsyncResource):
    list = _async_sent(calls.categories.list)
    retrieve = _async_sent(calls.categories.retrieve)
    create = _async_sent(calls.categories.create)
    update = _async_sent(calls.categories.update)


class AsyncTags(_AsyncResource):
    list = _async_sent(calls.tags.list)
    retrieve = _async_sent(calls.tags.retrieve)
    create = _async_sent(calls.tags.create)
    update = _async_sent(calls.tags.update)
    delete = _async_sent(calls.tags.delete)


class AsyncStatuses(_AsyncResource):
    list = _async_sent(calls.statuses.list)


class AsyncRoadmapBoards(_AsyncResource):
    list = _async_sent(calls.roadmap_boards.list)
    retrieve = _async_sent(calls.roadmap_boards.retrieve)
    create = _async_sent(calls.roadmap_boards.create)
    update = _async_sent(calls.roadmap_boards.update)


class AsyncLabels(_AsyncResource):
    list = _async_sent(calls.labels.list)
    iterate = _async_walked(calls.labels.list)


class AsyncChangelog(_AsyncResource):
    list = _async_sent(calls.changelog.list)
    iterate = _async_walked(calls.changelog.list)
    create = _async_sent(calls.changelog.create)


class AsyncHelpCollections(_AsyncResource):
    list = _async_sent(calls.help_collections.list)
    iterate = _async_walked(calls.help_collections.list)
    retrieve = _async_sent(calls.help_collections.retrieve)
    update = _async_sent(calls.help_collections.update)


class AsyncHelpCategories(_AsyncResource):
    list = _async_sent(calls.help_categories.list)
    iterate = _async_walked(calls.help_categories.list)
    retrieve = _async_sent(calls.help_categories.retrieve)
    create = _async_sent(calls.help_categories.create)
    update = _async_sent(calls.help_categories.update)


class AsyncHelpArticles(_AsyncResource):
    search = _async_sent(calls.help_articles.search)
    iterate_search = _async_walked(calls.help_articles.search)
    list = _async_sent(calls.help_articles.list)
    iterate = _async_walked(calls.help_articles.list)
    retrieve = _async_sent(calls.help_articles.retrieve)
    create = _async_sent(calls.help_articles.create)


class Hearback:
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
        self.users = Users(self)
        self.feedback_boards = FeedbackBoards(self)
        self.feedback_posts = FeedbackPosts(self)
        self.comments = Comments(self)
        self.votes = Votes(self)
        self.categories = Categories(self)
        self.tags = Tags(self)
        self.statuses = Statuses(self)
        self.roadmap_boards = RoadmapBoards(self)
        self.labels = Labels(self)
        self.changelog = Changelog(self)
        self.help_collections = HelpCollections(self)
        self.help_categories = HelpCategories(self)
        self.help_articles = HelpArticles(self)

    def _send(self, call: calls.Call[AnswerT]) -> AnswerT:
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


class AsyncHearback:
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
        self.users = AsyncUsers(self)
        self.feedback_boards = AsyncFeedbackBoards(self)
        self.feedback_posts = AsyncFeedbackPosts(self)
        self.comments = AsyncComments(self)
        self.votes = AsyncVotes(self)
        self.categories = AsyncCategories(self)
        self.tags = AsyncTags(self)
        self.statuses = AsyncStatuses(self)
        self.roadmap_boards = AsyncRoadmapBoards(self)
        self.labels = AsyncLabels(self)
        self.changelog = AsyncChangelog(self)
        self.help_collections = AsyncHelpCollections(self)
        self.help_categories = AsyncHelpCategories(self)
        self.help_articles = AsyncHelpArticles(self)

    async def _send(self, call: calls.Call[AnswerT]) -> AnswerT:
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

"""Helpers of several tests."""

import asyncio
import inspect
import os
import uuid
from collections import deque
from typing import Any, Callable, Deque, List, Literal, Tuple, Union, cast, get_args, get_origin, get_type_hints

import httpx

from hearback import AsyncHearback, Hearback
from hearback.types import FeedbackPost

URL = os.environ["HEARBACK_TEST_URL"]
KEY = os.environ["HEARBACK_TEST_KEY"]
NOWHERE = "00000000-0000-4000-8000-000000000000"

Connect = Callable[..., Hearback]


class Blocking:
    """An ``AsyncHearback`` with the interface of a ``Hearback``: one test covers both clients."""

    def __init__(self, target: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._target = target
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        return self._call(value) if inspect.isroutine(value) else Blocking(value, self._loop)

    def __repr__(self) -> str:
        return repr(self._target)

    def _call(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            result = method(*args, **kwargs)
            return self._walk(result) if inspect.isasyncgen(result) else self._loop.run_until_complete(result)

        return call

    def _walk(self, items: Any) -> Any:
        while True:
            try:
                yield self._loop.run_until_complete(items.__anext__())
            except StopAsyncIteration:
                return


def blocking(client: AsyncHearback, loop: asyncio.AbstractEventLoop) -> Hearback:
    return cast(Hearback, Blocking(client, loop))


class Recorder(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Sends requests like httpx, and keeps requests and answers."""

    def __init__(self) -> None:
        self._sync = httpx.HTTPTransport()
        self._async = httpx.AsyncHTTPTransport()
        self.requests: List[httpx.Request] = []
        self.responses: List[httpx.Response] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        self.responses.append(self._sync.handle_request(request))
        return self.responses[-1]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        self.responses.append(await self._async.handle_async_request(request))
        return self.responses[-1]

    def close(self) -> None:
        self._sync.close()

    async def aclose(self) -> None:
        await self._async.aclose()


class Demo:
    """Records of the demo."""

    def __init__(self, client: Hearback) -> None:
        self._client = client
        boards = client.feedback_boards.list()
        posts = [post for post in client.feedback_posts.iterate(limit=100) if post["merged_into_id"] is None]
        silent = {board["id"] for board in boards if not board["is_voting_enabled"]}
        self.board = boards[0]["id"]
        self.post_without_voting = next(post["id"] for post in posts if post["board_id"] in silent)
        self.commented_post = next(post["id"] for post in posts if post["comment_count"] > 1)
        self._posts: Deque[FeedbackPost] = deque(
            post for post in posts if post["board_id"] not in silent and post["vote_count"] > 1
        )
        self.board_post = next(post["id"] for post in posts if post["board_id"] not in silent)
        self.user = posts[0]["author_id"]
        self.title = posts[0]["title"]
        self.email = client.users.retrieve(user_id=self.user)["email"]
        self.comment = client.comments.list(feedback_post_id=self.commented_post)["items"][0]["id"]
        self.category = client.categories.list()[0]["id"]
        self.tag = client.tags.list()[0]["id"]
        self.statuses = client.statuses.list()
        self.collections = self.all_collections()
        self.help_category = client.help_categories.list()["items"][0]["id"]
        self.article = client.help_articles.list()["items"][0]["id"]
        self.company = client.companies.list()["items"][0]["id"]
        self.label = client.labels.list()["items"][0]["id"]
        self.roadmap_board = client.roadmap_boards.list()[0]["id"]
        self.roadmap_post = client.roadmap_posts.list()["items"][0]["id"]

    def post(self) -> FeedbackPost:
        """Returns a post with votes. No other test uses it."""
        return self._posts.popleft()

    def new_user(self) -> str:
        """Makes a user."""
        return self._client.users.upsert(external_id=fresh(), name="Kim")["user_id"]

    def new_company(self) -> str:
        """Makes a company."""
        return self._client.companies.upsert(fresh())["id"]

    def new_post(self) -> str:
        """Makes a post."""
        return self._client.feedback_posts.create(title="Spare", board_id=self.board, author_id=self.user)["id"]

    def deleted_post(self) -> str:
        """Makes a post and deletes it."""
        post = self.new_post()
        self._client.feedback_posts.delete(post)
        return post

    def merged_post(self) -> str:
        """Makes a post and merges it into another one."""
        post = self.new_post()
        self._client.feedback_posts.merge(
            merge_post_id=post, into_post_id=self.new_post(), merger_id=self.user
        )
        return post

    def new_comment(self) -> str:
        """Makes a comment."""
        post = self.commented_post
        return self._client.comments.create(content="Spare", feedback_post_id=post, author_id=self.user)["id"]

    def new_tag(self) -> str:
        """Makes a tag. The names of tags are unique."""
        return self._client.tags.create(fresh())["id"]

    def new_board(self) -> str:
        """Makes a board."""
        return self._client.feedback_boards.create("Spare")["id"]

    def new_category(self) -> str:
        """Makes a category."""
        return self._client.categories.create(fresh())["id"]

    def new_status(self) -> str:
        """Makes a status."""
        return self._client.statuses.create(fresh(), status_group_code="closed")["id"]

    def new_label(self) -> str:
        """Makes a label."""
        return self._client.labels.create("Spare", "#abcdef")["id"]

    def new_webhook(self) -> str:
        """Makes a webhook, whose receiver does not exist."""
        return self._client.webhooks.create("https://receiver.invalid/", event_types=["post.created"])["id"]

    def new_delivery(self) -> str:
        """Makes a webhook with a delivery."""
        webhook = self.new_webhook()
        self.new_post()
        return self._client.deliveries.list(webhook_id=webhook)["items"][0]["id"]

    def new_entry(self) -> str:
        """Makes a changelog entry, a draft."""
        return self._client.changelog.create("Spare")["id"]

    def all_collections(self) -> List[str]:
        """Returns all help collections."""
        return [collection["id"] for collection in self._client.help_collections.iterate()]

    def new_article(self) -> str:
        """Makes a help article."""
        return self._client.help_articles.create("Spare", collection_id=self.collections[0])["id"]

    def deleted_article(self) -> str:
        """Makes a help article and deletes it."""
        article = self.new_article()
        self._client.help_articles.delete(article)
        return article

    def new_path(self) -> str:
        """Returns a path that is not redirected."""
        return f"/docs/{uuid.uuid4()}"

    def new_redirect(self) -> str:
        """Makes a redirect."""
        return self._client.help_redirects.create(self.new_path(), "/help/all")["id"]

    def new_roadmap_board(self) -> str:
        """Makes a roadmap board."""
        return self._client.roadmap_boards.create("Spare")["id"]

    def new_roadmap_post(self) -> str:
        """Makes a roadmap post."""
        return self._client.roadmap_posts.create(title="Spare", roadmap_board_id=self.roadmap_board)["id"]

    def boards(self) -> List[str]:
        """Returns all boards."""
        return [board["id"] for board in self._client.feedback_boards.list()]

    def roadmap_boards(self) -> List[str]:
        """Returns all roadmap boards."""
        return [board["id"] for board in self._client.roadmap_boards.list()]

    def help_categories(self) -> List[str]:
        """Returns all categories of the first help collection."""
        collection = self.collections[0]
        return [category["id"] for category in self._client.help_categories.iterate(collection_id=collection)]

    def help_articles(self) -> List[str]:
        """Returns all articles of a help category."""
        category = self.help_category
        return [article["id"] for article in self._client.help_articles.iterate(category_id=category)]

    def open_statuses(self) -> List[str]:
        """Returns the statuses of the group ``open``."""
        return [status["id"] for status in self._client.statuses.list() if status["status_group_code"] == "open"]


def fresh() -> str:
    """Returns a name that nothing has."""
    return f"Spare {uuid.uuid4()}"


def assert_fits(value: Any, wanted: Any, where: str = "answer") -> None:
    """Checks that a value has the type, with exactly the members of the type."""
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin is Union:
        if type(None) in arguments:
            (wanted,) = (argument for argument in arguments if argument is not type(None))
            if value is not None:
                assert_fits(value, wanted, where)
        else:
            (wanted,) = (one for one in arguments if set(value) == set(get_type_hints(one)))
            assert_fits(value, wanted, where)
    elif origin is list:
        assert type(value) is list, f"{where} is {value!r}"
        for index, item in enumerate(value):
            assert_fits(item, arguments[0], f"{where}[{index}]")
    elif origin is dict:
        assert type(value) is dict, f"{where} is {value!r}"
    elif origin is Literal:
        # The types are compared, too, since True equals 1.
        assert (type(value), value) in [(type(argument), argument) for argument in arguments], f"{where} is {value!r}"
    elif hasattr(wanted, "__total__"):
        members = get_type_hints(wanted)
        assert type(value) is dict and set(value) == set(members), f"{where} has not the members {sorted(members)}"
        for name, member in members.items():
            assert_fits(value[name], member, f"{where}.{name}")
    else:
        assert type(value) is wanted, f"{where} is {value!r}"


def exchanged(recorder: Recorder) -> List[Tuple[str, int]]:
    """Returns the path and the status of each request."""
    return [(request.url.path, answer.status_code) for request, answer in zip(recorder.requests, recorder.responses)]

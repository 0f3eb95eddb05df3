"""The errors of calls."""

import logging
import pickle
import re
import socket
import traceback
from typing import Any, Callable, List, Type

import httpx
import pytest
from support import KEY, NOWHERE, URL, Connect, Demo

import hearback
from hearback import Hearback, HearbackError

# No server listens on this port.
CLOSED = "http://127.0.0.1:9"


def raised(kind: Type[Any], call: Callable[[], Any]) -> Any:
    with pytest.raises(HearbackError) as caught:
        call()
    error = caught.value
    assert type(error) is kind
    assert KEY not in "".join(traceback.format_exception(type(error), error, error.__traceback__)) + repr(error)
    # An error of httpx contains the request with the key.
    assert error.__cause__ is None and error.__context__ is None
    return error


def answering(*args: Any, **kwargs: Any) -> httpx.MockTransport:
    return httpx.MockTransport(lambda _: httpx.Response(*args, **kwargs))


def test_unauthorized(connect: Connect) -> None:
    error = raised(hearback.Unauthorized, connect(api_key="hbk_wrong").tags.list)
    assert (error.status, error.message) == (401, "invalid api_key")


def test_not_found(client: Hearback) -> None:
    error = raised(hearback.NotFound, lambda: client.feedback_posts.retrieve(NOWHERE))
    assert (error.status, error.message) == (404, "feedback post not found")
    assert error.request_id
    assert str(error) == f"404 feedback post not found (request {error.request_id})"


def test_forbidden_has_the_message_of_a_plain_detail(client: Hearback, demo: Demo) -> None:
    error = raised(
        hearback.Forbidden,
        lambda: client.votes.toggle(user_id=demo.user, post_id=demo.post_without_voting, post_type="feedback"),
    )
    assert (error.status, error.message) == (403, "Voting is not permitted for this board")


def test_bad_request_has_the_message_of_a_plain_detail(client: Hearback, demo: Demo) -> None:
    taken = client.help_collections.retrieve(demo.collections[0])["slug"]
    error = raised(hearback.BadRequest, lambda: client.help_collections.update(demo.collections[1], slug=taken))
    assert (error.status, error.message) == (400, "Slug already exists")


def test_invalid_request_has_an_item_for_each_field(client: Hearback) -> None:
    error = raised(hearback.InvalidRequest, lambda: client.help_articles.search(query="", limit=101))
    assert error.status == 422
    assert [(item["loc"], item["input"]) for item in error.items] == [(["body", "query"], ""), (["body", "limit"], 101)]
    assert error.message.startswith("query: ") and "; limit: " in error.message


def test_another_body_under_an_idempotency_key_is_invalid(client: Hearback) -> None:
    name = client.changelog.create(title="One")["id"]
    client.changelog.create(title="One", idempotency_key=name)
    error = raised(hearback.InvalidRequest, lambda: client.changelog.create(title="Two", idempotency_key=name))
    assert error.items[0]["loc"] == ["body"] and error.message.startswith("body: ")


def test_a_bad_idempotency_key_is_a_bad_request(client: Hearback) -> None:
    raised(hearback.BadRequest, lambda: client.changelog.create(title="One", idempotency_key="a b"))


def test_a_key_is_not_shown_even_if_it_is_a_value(client: Hearback) -> None:
    error = raised(hearback.InvalidRequest, lambda: client.feedback_posts.retrieve(KEY))
    assert KEY not in repr(error.items)


def test_server_error(connect: Connect, pauses: List[float]) -> None:
    transport = answering(500, json={"detail": {"error": "internal error"}}, headers={"X-Request-Id": "r1"})
    error = raised(hearback.ServerError, connect(transport=transport).tags.list)
    assert (error.status, error.message, error.request_id) == (500, "internal error", "r1")


def test_unavailable_is_a_server_error(connect: Connect, pauses: List[float]) -> None:
    transport = answering(503, json={"detail": {"error": "temporarily unavailable"}}, headers={"Retry-After": "7"})
    error = raised(hearback.Unavailable, connect(transport=transport).tags.list)
    assert isinstance(error, hearback.ServerError)
    assert (error.status, error.message, error.retry_after) == (503, "temporarily unavailable", 7.0)


def test_connection_failed(connect: Connect, pauses: List[float]) -> None:
    error = raised(hearback.ConnectionFailed, connect(base_url=CLOSED).tags.list)
    assert error.status is None
    assert re.match("no answer: ConnectError: ", error.message)


def test_an_attempt_ends_after_the_timeout(connect: Connect, pauses: List[float]) -> None:
    # The socket accepts connections, and never answers.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = connect(base_url=f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.1)
        error = raised(hearback.ConnectionFailed, client.tags.list)
    assert error.message.startswith("no answer: ReadTimeout")
    assert len(pauses) == 2


@pytest.mark.parametrize("status", [200, 302, 418])
def test_an_answer_that_is_not_hearbacks_is_an_error(connect: Connect, status: int) -> None:
    error = raised(HearbackError, connect(transport=answering(status, text="<p>Hello")).tags.list)
    assert (error.status, error.message) == (status, "the answer is not one of Hearback's")


def test_an_echoed_key_is_not_shown(connect: Connect) -> None:
    error = raised(hearback.NotFound, connect(transport=answering(404, json={"detail": f"{KEY}!"})).tags.list)
    assert error.message == "***!"


def test_the_key_is_in_no_repr_and_in_no_log(
    connect: Connect, caplog: pytest.LogCaptureFixture, pauses: List[float]
) -> None:
    caplog.set_level(logging.DEBUG)
    client = connect()
    client.tags.list()
    with pytest.raises(hearback.ConnectionFailed):
        connect(base_url=CLOSED).tags.list()
    assert caplog.text
    assert KEY not in caplog.text
    assert KEY not in repr(client) and URL in repr(client)


def test_errors_can_be_pickled(client: Hearback) -> None:
    error = raised(hearback.InvalidRequest, lambda: client.labels.list(limit=0))
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) and copy.items == error.items


def test_an_empty_key_is_refused_at_once(connect: Connect) -> None:
    with pytest.raises(ValueError, match="api_key"):
        connect(api_key="")


@pytest.mark.parametrize("url", ["", "127.0.0.1:8080", "ftp://127.0.0.1"])
def test_a_url_of_another_scheme_is_refused_at_once(connect: Connect, url: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        connect(base_url=url)

"""Retries of calls."""

import email.utils
import socket
import socketserver
import threading
import time
from typing import Any, Dict, Iterator, List, Optional, Set

import httpx
import pytest
from support import URL, Connect, Demo, Recorder

import hearback
from hearback import Hearback


class Answers(httpx.MockTransport):
    """Answers each request with the next status. ``None`` stands for a lost connection."""

    def __init__(self, *statuses: Optional[int], headers: Optional[Dict[str, str]] = None) -> None:
        super().__init__(self._answer)
        self._statuses = list(statuses)
        self._headers = headers
        self.requests: List[httpx.Request] = []

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        status = self._statuses.pop(0)
        if status is None:
            raise httpx.ReadError("connection lost", request=request)
        return httpx.Response(status, json=[] if status == 200 else {"detail": {"error": "no"}}, headers=self._headers)


@pytest.mark.parametrize("failure", [500, 502, 503, None])
def test_a_passing_failure_is_tried_again(connect: Connect, pauses: List[float], failure: Optional[int]) -> None:
    answers = Answers(failure, failure, 200)
    assert connect(transport=answers).tags.list() == []
    assert 0.5 <= pauses[0] <= 0.7 and 1.0 <= pauses[1] <= 1.4 and len(pauses) == 2


@pytest.mark.parametrize("failure", [500, None])
def test_the_third_attempt_is_the_last(connect: Connect, pauses: List[float], failure: Optional[int]) -> None:
    answers = Answers(*[failure] * 4)
    with pytest.raises(hearback.HearbackError):
        connect(transport=answers).tags.list()
    assert len(answers.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429])
def test_a_4xx_is_not_tried_again(connect: Connect, pauses: List[float], status: int) -> None:
    answers = Answers(status, 200, headers={"Retry-After": "1"})
    with pytest.raises(hearback.HearbackError) as caught:
        connect(transport=answers).tags.list()
    assert caught.value.status == status
    assert len(answers.requests) == 1 and pauses == []


def test_a_real_4xx_is_not_tried_again(connect: Connect) -> None:
    recorder = Recorder()
    with pytest.raises(hearback.InvalidRequest):
        connect(transport=recorder).comments.retrieve("no UUID")
    assert len(recorder.requests) == 1


def test_the_attempts_of_a_write_are_the_same_to_the_byte(connect: Connect, pauses: List[float], demo: Demo) -> None:
    answers = Answers(None, 503, 200)
    connect(transport=answers).votes.toggle(user_id=demo.user, post_id=demo.board, post_type="feedback")
    first, *others = [(request.headers, request.content) for request in answers.requests]
    assert first[0]["Idempotency-Key"] and others == [first, first]


def test_retry_after_in_seconds_is_honoured(connect: Connect, pauses: List[float]) -> None:
    connect(transport=Answers(503, 200, headers={"Retry-After": "7"})).tags.list()
    assert pauses == [7.0]


def test_retry_after_as_a_date_is_honoured(connect: Connect, pauses: List[float]) -> None:
    date = email.utils.formatdate(time.time() + 30, usegmt=True)
    connect(transport=Answers(503, 200, headers={"Retry-After": date})).tags.list()
    assert 25 < pauses[0] <= 30


@pytest.mark.parametrize("value", ["0", "soon", "", "-1", "Wed, 01 Jan 2020 00:00:00 GMT"])
def test_retry_after_never_shortens_the_pause(connect: Connect, pauses: List[float], value: str) -> None:
    connect(transport=Answers(500, 200, headers={"Retry-After": value})).tags.list()
    assert 0.5 <= pauses[0] <= 0.7


def test_a_long_retry_after_is_left_to_the_caller(connect: Connect, pauses: List[float]) -> None:
    answers = Answers(503, 200, headers={"Retry-After": "3600"})
    with pytest.raises(hearback.Unavailable) as caught:
        connect(transport=answers).tags.list()
    assert caught.value.retry_after == 3600.0
    assert len(answers.requests) == 1 and pauses == []


class Proxy(socketserver.ThreadingTCPServer):
    """Passes requests on to the server, and cuts the connection in place of the first answers."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, server: httpx.URL, losses: int) -> None:
        super().__init__(("127.0.0.1", 0), Connection)
        self.server = (server.host, server.port or 80)
        self.losses = losses
        self.lost: List[bytes] = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Connection(socketserver.BaseRequestHandler):
    server: Proxy

    def handle(self) -> None:
        with socket.create_connection(self.server.server, timeout=30) as upstream:
            while True:
                request = receive(self.request)
                if not request:
                    return
                upstream.sendall(request)
                answer = receive(upstream)
                if self.server.losses > 0:
                    self.server.losses -= 1
                    self.server.lost.append(answer)
                    return
                self.request.sendall(answer)


def receive(connection: socket.socket) -> bytes:
    """Reads a request or an answer with its body, or nothing if the other side has closed."""
    message = b""
    while b"\r\n\r\n" not in message:
        part = connection.recv(65536)
        if not part:
            return b""
        message += part
    head, _, body = message.partition(b"\r\n\r\n")
    (length,) = (
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@pytest.fixture
def proxy(request: Any) -> Iterator[Proxy]:
    with Proxy(httpx.URL(URL), losses=request.param) as proxy:
        yield proxy
        proxy.shutdown()


@pytest.mark.parametrize("proxy", [1, 2], indirect=True)
def test_a_write_whose_answer_was_lost_is_done_once(
    connect: Connect, client: Hearback, demo: Demo, pauses: List[float], proxy: Proxy
) -> None:
    losses = proxy.losses
    post = demo.post()["id"]
    before = voters(client, post)
    recorder = Recorder()
    vote = connect(base_url=proxy.url, transport=recorder).votes.toggle(
        user_id=demo.user, post_id=post, post_type="feedback"
    )

    # The server did the first attempt, and repeated its answer for the last one.
    assert [answer.split(b"\r\n")[0] for answer in proxy.lost] == [b"HTTP/1.1 200 OK"] * losses
    assert b"idempotent-replayed" not in proxy.lost[0].lower()
    assert recorder.responses[-1].headers["Idempotent-Replayed"] == "true"
    assert len({request.headers["Idempotency-Key"] for request in recorder.requests}) == 1
    assert len(recorder.requests) == losses + 1
    # A second toggle would have withdrawn the vote.
    assert vote["voted"] is (demo.user not in before)
    assert voters(client, post) == before ^ {demo.user}


@pytest.mark.parametrize("proxy", [3], indirect=True)
def test_a_write_whose_answers_were_all_lost_can_be_sent_again(
    connect: Connect, client: Hearback, demo: Demo, pauses: List[float], proxy: Proxy
) -> None:
    post = demo.post()["id"]
    before = voters(client, post)
    cut = connect(base_url=proxy.url)

    def toggle() -> bool:
        return cut.votes.toggle(
            user_id=demo.user, post_id=post, post_type="feedback", idempotency_key=f"vote-for-{post}"
        )["voted"]

    with pytest.raises(hearback.ConnectionFailed):
        toggle()
    assert toggle() is (demo.user not in before)
    assert voters(client, post) == before ^ {demo.user}


def voters(client: Hearback, post: str) -> Set[str]:
    return {voter["user_id"] for voter in client.votes.iterate_voters(post_id=post, post_type="feedback", limit=100)}

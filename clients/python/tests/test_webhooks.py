"""Verification of deliveries."""

import base64
import hashlib
import hmac
import http.server
import os
import queue
import re
import subprocess
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Dict, Iterator, Tuple

import pytest
from support import KEY, URL, Demo

from hearback import Hearback, InvalidSignature, verify, webhooks

Delivery = Tuple[bytes, Dict[str, str]]

DOCS = (Path(__file__).parents[3] / "docs/webhooks.md").read_text()
SENT_AT = 1772357400


@pytest.fixture
def secret() -> str:
    """The secret of the example in the documentation."""
    (secret,) = re.findall(r"signed with `(whsec_[^`]+)`", DOCS)
    return str(secret)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Delivery:
    """The example in the documentation, at the time when it was sent."""
    monkeypatch.setattr(webhooks, "time", SimpleNamespace(time=lambda: SENT_AT + 1.5))
    match = re.search(r"```http\nPOST .*?\n(.*?)\n\n(.*?)\n```", DOCS, re.DOTALL)
    assert match
    headers = dict(line.split(": ", 1) for line in match[1].splitlines())
    return match[2].encode(), headers


def refused(body: bytes, headers: Dict[str, str], secret: str) -> str:
    with pytest.raises(InvalidSignature) as caught:
        verify(body, headers, secret)
    assert secret not in str(caught.value)
    return str(caught.value)


def test_the_example_of_the_documentation_is_genuine(example: Delivery, secret: str) -> None:
    event = verify(*example, secret)
    assert event["event"] == "vote.created"
    assert event["data"]["post_title"] == "Dark mode"


@pytest.mark.parametrize("change", [str.lower, str.upper, str.title])
def test_names_of_headers_are_in_any_case(example: Delivery, secret: str, change: "type[str]") -> None:
    body, headers = example
    verify(body, {change(name): value for name, value in headers.items()}, secret)


def test_another_body_is_refused(example: Delivery, secret: str) -> None:
    body, headers = example
    refused(body.replace(b"Dark", b"dark"), headers, secret)
    refused(body + b"\n", headers, secret)


def test_another_secret_is_refused(example: Delivery) -> None:
    refused(*example, "whsec_" + base64.b64encode(bytes(32)).decode())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Service-Signature", "sha256=" + 64 * "0"),
        ("X-Service-Signature", ""),
        ("X-Service-Signature", "ÿ\N{ROCKET}"),
        ("webhook-id", "cfc0356d-8612-54eb-a4d2-4ba6b70a12f1"),
        ("webhook-timestamp", str(SENT_AT + 1)),
        ("webhook-timestamp", ""),
        ("webhook-signature", ""),
        ("webhook-signature", "v1,"),
        ("webhook-signature", "v2,ijCbcYqLzgdgEL+1Jluu2K3fEly6BK7ivr7U65CskF4="),
    ],
)
def test_a_changed_header_is_refused(example: Delivery, secret: str, name: str, value: str) -> None:
    body, headers = example
    assert headers[name] != value
    refused(body, {**headers, name: value}, secret)


@pytest.mark.parametrize("name", ["X-Service-Signature", "webhook-id", "webhook-timestamp", "webhook-signature"])
def test_a_missing_header_is_refused(example: Delivery, secret: str, name: str) -> None:
    body, headers = example
    del headers[name]
    refused(body, headers, secret)


def test_without_the_standard_headers_an_old_delivery_would_pass_for_a_new_one(example: Delivery, secret: str) -> None:
    body, headers = example
    refused(body, {"X-Service-Signature": headers["X-Service-Signature"]}, secret)


def test_one_of_two_signatures_is_enough(example: Delivery, secret: str) -> None:
    body, headers = example
    other = "v1," + base64.b64encode(bytes(32)).decode()
    for signatures in f"{other} {headers['webhook-signature']}", f"{headers['webhook-signature']} {other}":
        verify(body, {**headers, "webhook-signature": signatures}, secret)


@pytest.mark.parametrize(("clock", "tolerance", "genuine"), [
    (SENT_AT + 300, 300, True), (SENT_AT + 301, 300, False), (SENT_AT - 301, 300, False), (SENT_AT + 301, 400, True),
])  # fmt: skip
def test_a_delivery_is_of_now(
    example: Delivery, secret: str, monkeypatch: pytest.MonkeyPatch, clock: int, tolerance: int, genuine: bool
) -> None:
    monkeypatch.setattr(webhooks, "time", SimpleNamespace(time=lambda: clock))
    if genuine:
        verify(*example, secret, tolerance_seconds=tolerance)
    else:
        with pytest.raises(InvalidSignature, match="too far"):
            verify(*example, secret, tolerance_seconds=tolerance)


@pytest.mark.parametrize("timestamp", ["now", "", "1e9", "9" * 400, "9" * 5000])
def test_a_signed_timestamp_that_is_no_time_is_refused(example: Delivery, secret: str, timestamp: str) -> None:
    body, headers = example
    key = base64.b64decode(secret[6:])
    digest = hmac.new(key, f"{headers['webhook-id']}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(digest).decode()
    refused(body, {**headers, "webhook-timestamp": timestamp, "webhook-signature": signature}, secret)


@pytest.mark.parametrize("imported", ["plain text", "whsec_no Base64", "whsec_AAECAwQFBgc="])
def test_an_imported_secret_of_another_form_has_the_one_signature(example: Delivery, imported: str) -> None:
    body, _ = example
    signature = "sha256=" + hmac.new(imported.encode(), body, hashlib.sha256).hexdigest()
    assert verify(body, {"X-Service-Signature": signature}, imported)["event"] == "vote.created"


@pytest.fixture
def receiver() -> Iterator[Tuple[str, "queue.Queue[Delivery]"]]:
    deliveries: "queue.Queue[Delivery]" = queue.Queue()

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            deliveries.put((self.rfile.read(int(self.headers["Content-Length"])), dict(self.headers.items())))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/hook", deliveries
        server.shutdown()


def test_a_real_delivery_is_genuine(receiver: Tuple[str, "queue.Queue[Delivery]"], demo: Demo) -> None:
    url, deliveries = receiver
    id, secret = run("add", "--url", url, "--event", "vote.created", "--event", "vote.deleted").split()
    try:
        post = demo.post()
        with Hearback(KEY, URL) as client:
            voted = client.votes.toggle(user_id=demo.user, post_id=post["id"], post_type="feedback")["voted"]
        body, headers = deliveries.get(timeout=60)
    finally:
        run("remove", "--id", id, "--yes")

    event = verify(body, headers, secret)
    assert event["event"] == ("vote.created" if voted else "vote.deleted")
    assert event["data"]["post_id"] == post["id"]
    refused(body[:-1], headers, secret)
    with pytest.raises(InvalidSignature):
        verify(body, headers, secret, tolerance_seconds=-time.time())


def run(*arguments: str) -> str:
    """Returns the output of a command."""
    command = [os.environ["HEARBACK_TEST_BINARY"], "webhook", arguments[0], "--organization", "weekwright"]
    return subprocess.run([*command, *arguments[1:]], check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout

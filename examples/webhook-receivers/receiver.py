"""Receives webhooks of Hearback. Python 3.9 or newer, and nothing else:

    WEBHOOK_SECRET=whsec_… PORT=3000 python3 receiver.py

docs/webhooks.md explains the checks of a request.
"""

import base64
import collections
import hashlib
import hmac
import http.server
import json
import os
import queue
import threading
import time

SECRET = os.environ["WEBHOOK_SECRET"]  # the secret that `hearback webhook add` printed
KEY = base64.b64decode(SECRET.removeprefix("whsec_"))
PORT = int(os.environ.get("PORT", "3000"))
MAX_BODY = 1024 * 1024  # bytes
MAX_AGE = 5 * 60  # seconds
REMEMBERED = 10_000  # deliveries


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # one connection for many deliveries
    timeout = 60  # seconds of silence

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY:
            self.close_connection = True
            return self.answer(413 if length else 411)
        # The body as it came: equal JSON in another form has another signature.
        body = self.rfile.read(int(length))
        if not is_genuine(self.headers, body):
            return self.answer(401)
        # The receiver answers at once and works afterwards. Store an event before the answer if it
        # must survive a crash: Hearback does not send it again after the answer.
        deliveries.put((self.headers["webhook-id"], json.loads(body)))
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def is_genuine(headers, body):
    """Whether Hearback sent the request as it is and just now."""
    expected = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    if not equal(expected, headers.get("X-Service-Signature", "")):
        return False

    # The first signature proves the body. This one proves the delivery's identifier and the time
    # too: without it, a delivery that was seen on the way could be sent again as a new one.
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    signed = f"{id}.{timestamp}.".encode("latin-1") + body
    expected = "v1," + base64.b64encode(hmac.digest(KEY, signed, "sha256")).decode()
    # After a rotation of the secret, there is more than one signature for a day.
    signatures = headers.get("webhook-signature", "").split(" ")
    if not any(equal(expected, signature) for signature in signatures):
        return False
    return abs(time.time() - int(timestamp)) <= MAX_AGE


def equal(expected, given):
    """Compares in constant time."""
    return hmac.compare_digest(expected.encode(), given.encode("latin-1"))


def work():
    """Handles each delivery once.

    A real receiver stores the identifiers with the results of the events.
    """
    seen = collections.OrderedDict()
    while True:
        id, event = deliveries.get()
        if id in seen:
            continue
        seen[id] = None
        if len(seen) > REMEMBERED:
            seen.popitem(last=False)
        handle(event)


def handle(event):
    if event["event"] == "vote.created":
        print("a vote for", event["data"]["post_title"], flush=True)
    # Other types are ignored: a type may be newer than this program.


deliveries = queue.Queue()

if __name__ == "__main__":
    threading.Thread(target=work, daemon=True).start()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()

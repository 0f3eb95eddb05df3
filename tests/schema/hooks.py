"""Rules of the API that no schema states. scripts/client-tests names it in SCHEMATHESIS_HOOKS."""

import os
import re
import urllib.parse
import uuid
from datetime import datetime, timezone

import schemathesis

KEY = os.environ["HEARBACK_TEST_KEY"]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Puts the key of the demo into a request, unless schemathesis tries a key that is no text."""
    body = case.body
    if isinstance(body, dict) and isinstance(body.get("api_key"), str):
        body["api_key"] = KEY
        # A made-up cursor or identifier of a record would rightly be refused.
        if isinstance(body.get("cursor"), str):
            del body["cursor"]
        for name in ("label_ids", "related_article_ids"):
            if isinstance(body.get(name), list) and all(map(is_uuid, body[name])):
                del body[name]
        # A time outside the years 0001 to 9999 in UTC would rightly be refused, and a future time
        # of creation or publication, too.
        voters = body.get("voters") if isinstance(body.get("voters"), list) else []
        for some in [body, *filter(lambda voter: isinstance(voter, dict), voters)]:
            for name in ("created_at", "published_at", "eta", "expected_updated_at", "scheduled_for"):
                if is_out_of_range(some.get(name), name in ("created_at", "published_at")):
                    del some[name]
        # A company of a record excludes one that is a mere name, and the end of the membership.
        if isinstance(body.get("company"), dict):
            for name in ("company_name", "clear"):
                body.pop(name, None)
        # A path that leads to itself, or is too long once it is percent-encoded.
        paths = [body.get(name) for name in ("from_path", "to_path")]
        if paths[0] == paths[1] and isinstance(paths[0], str) and paths[0].startswith("/"):
            body["to_path"] = "/" if paths[0] != "/" else "/help"
        for name in ("from_path", "to_path"):
            path = body.get(name)
            if isinstance(path, str) and len(path) <= 2048 < len(urllib.parse.quote(path)):
                body[name] = "/" + str(uuid.uuid4())
    # A valid idempotency key belongs to one write: another write under it would rightly be refused.
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch("[!-~]{1,255}", key):
        case.headers["Idempotency-Key"] = str(uuid.uuid4())


def is_out_of_range(value, must_be_past):
    try:
        time = datetime.fromisoformat(value.upper())
    except (AttributeError, ValueError):
        return False
    if time.tzinfo is None:
        time = time.replace(tzinfo=timezone.utc)
    try:
        return time.astimezone(timezone.utc) > datetime.now(timezone.utc) and must_be_past
    except OverflowError:
        return True


def is_uuid(value):
    try:
        uuid.UUID(value)
    except (AttributeError, TypeError, ValueError):
        return False
    return True

"""Rules of the API that no schema states. scripts/client-tests names it in SCHEMATHESIS_HOOKS."""

import os
import re
import uuid

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
    # A valid idempotency key belongs to one write: another write under it would rightly be refused.
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch("[!-~]{1,255}", key):
        case.headers["Idempotency-Key"] = str(uuid.uuid4())


def is_uuid(value):
    try:
        uuid.UUID(value)
    except (AttributeError, TypeError, ValueError):
        return False
    return True

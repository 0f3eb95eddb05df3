"""What schemathesis cannot know of the API. Named by SCHEMATHESIS_HOOKS in scripts/client-tests."""

import os
import re
import uuid

import schemathesis

KEY = os.environ["HEARBACK_TEST_KEY"]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Whatever is sent has the key of the demo, but where it is something else than a text that is tried out."""
    body = case.body
    if isinstance(body, dict) and isinstance(body.get("api_key"), str):
        body["api_key"] = KEY
        # Only a page of a list has a cursor of it, and only what is there can be named in a list.
        if isinstance(body.get("cursor"), str):
            del body["cursor"]
        for name in ("label_ids", "related_article_ids"):
            if isinstance(body.get(name), list) and all(map(is_uuid, body[name])):
                del body[name]
    # A good idempotency key is of one write alone: under one of another write it would rightly be refused.
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch("[!-~]{1,255}", key):
        case.headers["Idempotency-Key"] = str(uuid.uuid4())


def is_uuid(value):
    try:
        uuid.UUID(value)
    except (AttributeError, TypeError, ValueError):
        return False
    return True

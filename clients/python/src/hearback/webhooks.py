"""Verification of webhook deliveries."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Dict, Mapping, Optional, TypedDict, cast

from .errors import InvalidSignature

_PREFIX = "whsec_"


class WebhookEvent(TypedDict):
    event: str
    """The event type, such as ``vote.created``. New types may be added."""
    organization_id: str
    occurred_at: str
    data: Dict[str, Any]
    """The facts of the event, by event type."""


def verify(body: bytes, headers: Mapping[str, str], secret: str, tolerance_seconds: float = 300) -> WebhookEvent:
    """Returns the event of a delivery, or raises :class:`InvalidSignature`.

    ``body`` is the unparsed body. ``headers`` are the request's headers, in any case. ``secret`` is
    the whole signing secret, as it was printed. ``tolerance_seconds`` is the largest difference
    between the delivery's time and the local clock.
    """
    given = {name.lower(): value for name, value in headers.items()}
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    if not _equal(f"sha256={digest}", given.get("x-service-signature", "")):
        raise InvalidSignature("X-Service-Signature does not fit the body and the secret")

    # Only webhook-signature covers the identifier and the time. With such a secret, every delivery
    # has it. If it were optional, an attacker could send a recorded delivery again without it.
    key = _standard_key(secret)
    if key is not None:
        _verify_standard(body, given, key, tolerance_seconds)
    return cast(WebhookEvent, json.loads(body))


def _verify_standard(body: bytes, headers: Mapping[str, str], key: bytes, tolerance_seconds: float) -> None:
    """Checks the headers of the Standard Webhooks specification."""
    timestamp = headers.get("webhook-timestamp", "")
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode("utf-8", "replace") + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # For a day after a rotation there are two signatures. All are compared, so that the time does
    # not reveal the one that fits.
    fits = [_equal(expected, signature) for signature in headers.get("webhook-signature", "").split(" ")]
    if not any(fits):
        raise InvalidSignature("webhook-signature does not fit the delivery and the secret")
    try:
        age = abs(time.time() - int(timestamp))
    except (ValueError, OverflowError):
        raise InvalidSignature("webhook-timestamp is not a time") from None
    if age > tolerance_seconds:
        raise InvalidSignature("webhook-timestamp is too far from the local clock")


def _standard_key(secret: str) -> Optional[bytes]:
    """Returns the key, if the secret has the specification's form. Imported secrets may differ."""
    if not secret.startswith(_PREFIX):
        return None
    try:
        key = base64.b64decode(secret[len(_PREFIX) :], validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if 24 <= len(key) <= 64 else None


def _equal(expected: str, given: str) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace"))

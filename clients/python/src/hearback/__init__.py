"""The client of Hearback, a service for product feedback, changelogs and help centers."""

from . import types
from ._client import AsyncHearback, Hearback
from .errors import (
    BadRequest,
    ConnectionFailed,
    Forbidden,
    HearbackError,
    InvalidRequest,
    InvalidSignature,
    NotFound,
    ServerError,
    Unauthorized,
    Unavailable,
)
from .webhooks import verify

__all__ = [
    "AsyncHearback",
    "BadRequest",
    "ConnectionFailed",
    "Forbidden",
    "Hearback",
    "HearbackError",
    "InvalidRequest",
    "InvalidSignature",
    "NotFound",
    "ServerError",
    "Unauthorized",
    "Unavailable",
    "types",
    "verify",
]

"""The errors of calls, all of them a :class:`HearbackError`, and of webhooks."""

from typing import Any, List, Optional, TypedDict


class InvalidField(TypedDict):
    """One wrong field of a request."""

    type: str
    loc: List[Any]
    """``"body"``, the name of the field and, for an element of a list, its index."""
    msg: str
    input: Any


class HearbackError(Exception):
    """A failed call. An answer that fits no subclass raises this class itself."""

    def __init__(
        self,
        message: str,
        *,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        """The HTTP status, or ``None`` if no answer came."""
        self.request_id = request_id
        """The answer's ``X-Request-Id``, which is also in the server's log."""
        self.retry_after = retry_after
        """The seconds of the answer's ``Retry-After``, if it has one."""

    def __str__(self) -> str:
        status = "" if self.status is None else f"{self.status} "
        request_id = "" if self.request_id is None else f" (request {self.request_id})"
        return f"{status}{self.message}{request_id}"


class BadRequest(HearbackError):
    """400: a rule of the endpoint forbids the request."""


class Unauthorized(HearbackError):
    """401: the API key is invalid."""


class Forbidden(HearbackError):
    """403: the board does not permit votes, or the plan lacks the help center."""


class NotFound(HearbackError):
    """404: a record of the request is not in the organization."""


class InvalidRequest(HearbackError):
    """422: fields of the request are wrong."""

    def __init__(self, message: str, *, items: Optional[List[InvalidField]] = None, **rest: Any) -> None:
        super().__init__(message, **rest)
        self.items: List[InvalidField] = items or []
        """One item for each wrong field."""


class ServerError(HearbackError):
    """5xx: a fault of the server."""


class Unavailable(ServerError):
    """503: the server is temporarily unavailable."""


class ConnectionFailed(HearbackError):
    """No answer came. A write may have been done or not."""


class InvalidSignature(Exception):
    """A request that is not a delivery of Hearback, or not a recent one."""

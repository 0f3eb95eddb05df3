"""What a call can raise. Catch :class:`HearbackError` for all of it."""

from typing import Any, List, Optional

from .types import InvalidField


class HearbackError(Exception):
    """A call that failed. One of this class itself is an answer that none of the others stands for."""

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
        """The HTTP status, or ``None`` where no answer came."""
        self.request_id = request_id
        """The answer's ``X-Request-Id``, which the server's log has too."""
        self.retry_after = retry_after
        """In how many seconds the server wants to be asked again, where it says so."""

    def __str__(self) -> str:
        status = "" if self.status is None else f"{self.status} "
        request_id = "" if self.request_id is None else f" (request {self.request_id})"
        return f"{status}{self.message}{request_id}"


class BadRequest(HearbackError):
    """400: what the request asks for cannot be done."""


class Unauthorized(HearbackError):
    """401: the API key is not accepted."""


class Forbidden(HearbackError):
    """403: the board takes no votes, or the plan has no help center."""


class NotFound(HearbackError):
    """404: what the request names is not in the organization."""


class InvalidRequest(HearbackError):
    """422: fields of the request are wrong."""

    def __init__(self, message: str, *, items: Optional[List[InvalidField]] = None, **rest: Any) -> None:
        super().__init__(message, **rest)
        self.items: List[InvalidField] = items or []
        """What is wrong, one item for each field."""


class ServerError(HearbackError):
    """5xx: a fault of the server."""


class Unavailable(ServerError):
    """503: the server cannot answer for the moment."""


class ConnectionFailed(HearbackError):
    """No answer came. Whether a write was done is not known."""


class InvalidSignature(Exception):
    """A webhook delivery that is not Hearback's, or not of now."""

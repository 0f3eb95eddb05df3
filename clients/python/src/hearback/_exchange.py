"""The parts of a call beside sending and waiting: requests, answers, errors and retries."""

import contextlib
import email.utils
import json
import random
import time
from typing import Any, Dict, Generic, Optional, TypeVar, Union

import httpx

from . import errors
from ._endpoint import Call

ATTEMPTS = 3
FIRST_PAUSE = 0.5
"""Seconds before the second attempt. The pause doubles before each further one."""
LONGEST_PAUSE = 60.0
"""Seconds. If ``Retry-After`` is longer, the call fails at once."""

AnswerT = TypeVar("AnswerT")
Outcome = Union[httpx.Response, httpx.RequestError]

_KINDS = {
    400: errors.BadRequest,
    401: errors.Unauthorized,
    403: errors.Forbidden,
    404: errors.NotFound,
    503: errors.Unavailable,
}
# Faults of the request, which another attempt would not change.
_FINAL = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)


class Settings:
    """The server's address and the API key. The repr shows no key."""

    def __init__(self, api_key: str, base_url: str) -> None:
        if not api_key:
            raise ValueError("api_key must not be empty")
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must begin with http:// or https://")
        self.api_key = api_key
        self.base_url = f"{base_url.rstrip('/')}/api/external/v1"

    def __repr__(self) -> str:
        return f"{self.base_url!r}"


class Exchange(Generic[AnswerT]):
    """One call with all its attempts."""

    def __init__(self, settings: Settings, call: Call[AnswerT]) -> None:
        self._settings = settings
        self._call = call
        self._attempts = 0

    def request(self) -> Dict[str, Any]:
        """Returns the arguments of `httpx.Client.post`, the same for each attempt."""
        headers = {"Content-Type": "application/json"}
        if self._call.idempotency_key is not None:
            headers["Idempotency-Key"] = self._call.idempotency_key
        fields = {name: value for name, value in self._call.fields.items() if value is not None}
        return {
            "url": self._settings.base_url + self._call.path,
            "content": json.dumps({**fields, "api_key": self._settings.api_key}).encode(),
            "headers": headers,
        }

    def pause_after(self, outcome: Outcome) -> Optional[float]:
        """Returns the seconds before the next attempt, or ``None`` if there is no next attempt."""
        self._attempts += 1
        if isinstance(outcome, httpx.Response):
            may_pass, wanted = outcome.status_code >= 500, _retry_after(outcome)
        else:
            may_pass, wanted = not isinstance(outcome, _FINAL), None
        if not may_pass or self._attempts == ATTEMPTS:
            return None
        # A random part spreads the attempts of clients that failed at the same time.
        pause = FIRST_PAUSE * 2 ** (self._attempts - 1) * random.uniform(1.0, 1.25)
        pause = max(pause, wanted or 0.0)
        return pause if pause <= LONGEST_PAUSE else None

    def answer(self, outcome: Outcome) -> AnswerT:
        """Returns the answer of the last attempt, or raises its error."""
        # Raised outside of the `except` block: its error would be the context, with the request and
        # the key.
        if not isinstance(outcome, httpx.Response):
            raise errors.ConnectionFailed(f"no answer: {_shown(outcome)}")
        if outcome.status_code == 200:
            with contextlib.suppress(ValueError):
                answer: AnswerT = outcome.json()
                return answer
        raise self._error(outcome)

    def _error(self, response: httpx.Response) -> errors.HearbackError:
        # The answer of a proxy may repeat the request, with the key.
        text = response.text.replace(self._settings.api_key, "***")
        try:
            detail = json.loads(text)["detail"]
        except (ValueError, TypeError, KeyError):
            detail = None

        status = response.status_code
        facts: Dict[str, Any] = {
            "status": status,
            "request_id": response.headers.get("X-Request-Id"),
            "retry_after": _retry_after(response),
        }
        if status == 422 and isinstance(detail, list):
            return errors.InvalidRequest("; ".join(map(_shown_item, detail)), items=detail, **facts)
        kind = _KINDS.get(status, errors.ServerError if status >= 500 else errors.HearbackError)
        if isinstance(detail, dict) and isinstance(detail.get("error"), str):
            detail = detail["error"]
        return kind(detail if isinstance(detail, str) else "the answer is not one of Hearback's", **facts)


def _shown_item(item: Any) -> str:
    try:
        return f"{'.'.join(map(str, item['loc'][1:] or item['loc']))}: {item['msg']}"
    except (TypeError, KeyError):
        return str(item)


def _shown(error: httpx.RequestError) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _retry_after(response: httpx.Response) -> Optional[float]:
    """Returns the seconds of ``Retry-After``, which has a number or a date."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None

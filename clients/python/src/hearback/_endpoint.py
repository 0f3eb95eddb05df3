"""What an endpoint is: a function that builds a request, and a method of both clients that sends it."""

from __future__ import annotations

import inspect
import uuid
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Callable,
    Coroutine,
    Dict,
    Generic,
    Iterator,
    Mapping,
    Optional,
    TypeVar,
    overload,
)

if TYPE_CHECKING:
    # Every type checker contains typing_extensions. At run time the client needs httpx alone.
    from typing_extensions import Concatenate, ParamSpec

    from ._client import AsyncHearback, Hearback

    P = ParamSpec("P")

AnswerT = TypeVar("AnswerT")
ItemT = TypeVar("ItemT")
ClientT = TypeVar("ClientT")
MethodT = TypeVar("MethodT")
AsyncMethodT = TypeVar("AsyncMethodT")
WalkT = TypeVar("WalkT")
AsyncWalkT = TypeVar("AsyncWalkT")


@dataclass(frozen=True)
class Call(Generic[AnswerT]):
    """A request with an answer of type ``AnswerT``."""

    path: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    """The fields of the request. ``None`` stands for a field that was not given."""
    idempotency_key: Optional[str] = None
    """The key of a write, the same for all attempts, so that the server does the write once."""


@dataclass(frozen=True)
class PageCall(Call[AnswerT], Generic[AnswerT, ItemT]):
    """A request with a page of ``ItemT`` as its answer."""

    def after(self, cursor: str) -> PageCall[AnswerT, ItemT]:
        """Returns the call of the next page. The server refuses ``skip`` with a cursor."""
        return replace(self, fields={**self.fields, "skip": None, "cursor": cursor})


def read(path: str, parameters: Dict[str, Any]) -> Call[Any]:
    del parameters["self"]
    return Call(path, parameters)


def read_page(path: str, parameters: Dict[str, Any]) -> PageCall[Any, Any]:
    del parameters["self"]
    return PageCall(path, parameters)


def write(path: str, parameters: Dict[str, Any]) -> Call[Any]:
    del parameters["self"]
    given: Optional[str] = parameters.pop("idempotency_key")
    return Call(path, parameters, str(uuid.uuid4()) if given is None else given)


class Resource(Generic[ClientT]):
    """A group of endpoints of a client."""

    def __init__(self, client: ClientT) -> None:
        self._client = client


class Endpoint(Generic[MethodT, AsyncMethodT]):
    """A method of a resource: of ``MethodT`` with the blocking client, else of ``AsyncMethodT``."""

    def __init__(self, build: Callable[..., Any], sender: str = "_sender") -> None:
        self.build = build
        self._sender = sender
        # `help` shows the parameters of the endpoint, without the type of `Call`.
        signature = inspect.signature(build)
        self._signature = signature.replace(
            parameters=list(signature.parameters.values())[1:],
            return_annotation=inspect.Signature.empty,
        )
        self.__doc__ = build.__doc__

    @overload
    def __get__(self, resource: Resource[Hearback], owner: Any) -> MethodT: ...
    @overload
    def __get__(self, resource: Resource[AsyncHearback], owner: Any) -> AsyncMethodT: ...
    def __get__(self, resource: Any, owner: Any) -> Any:
        if resource is None:
            return self
        build = self.build.__get__(resource)
        method: Any = wraps(build)(getattr(resource._client, self._sender)(build))
        method.__signature__ = self._signature
        return method


class PageEndpoint(Endpoint[MethodT, AsyncMethodT], Generic[MethodT, AsyncMethodT, WalkT, AsyncWalkT]):
    """A method that returns a page."""


def call(
    build: Callable[Concatenate[Any, P], Call[AnswerT]],
) -> Endpoint[Callable[P, AnswerT], Callable[P, Coroutine[Any, Any, AnswerT]]]:
    """Makes the method of an endpoint. The parameters are the fields: ``locals()`` is the body."""
    return Endpoint(build)


def page(
    build: Callable[Concatenate[Any, P], PageCall[AnswerT, ItemT]],
) -> PageEndpoint[
    Callable[P, AnswerT],
    Callable[P, Coroutine[Any, Any, AnswerT]],
    Callable[P, Iterator[ItemT]],
    Callable[P, AsyncIterator[ItemT]],
]:
    """Makes the method of an endpoint whose answer is a page."""
    return PageEndpoint(build)


def walk(page: PageEndpoint[Any, Any, WalkT, AsyncWalkT]) -> Endpoint[WalkT, AsyncWalkT]:
    """Makes a method that iterates over the items of all pages. ``limit`` is the size of a page."""
    return Endpoint(page.build, "_walker")

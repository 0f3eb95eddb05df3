"""The client agrees with docs/openapi.json: the fields of requests, the members of answers."""

import inspect
import json
from pathlib import Path
from typing import Any, Dict, List, Literal, Set, Union, get_args, get_origin, get_type_hints

import pytest
from test_endpoints import BASE, ENDPOINTS

from hearback import Hearback

DOCUMENT: Dict[str, Any] = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text("utf-8"))


def operation(path: str) -> Dict[str, Any]:
    found: Dict[str, Any] = DOCUMENT["paths"][BASE + path]["post"]
    return found


def resolved(schema: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the schema without references, with its parts merged."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return resolved(DOCUMENT["components"]["schemas"][name])
    if "allOf" in schema:
        properties: Dict[str, Any] = {}
        for part in schema["allOf"]:
            properties.update(resolved(part)["properties"])
        return {"type": "object", "properties": properties}
    return schema


def alternatives(schema: Dict[str, Any]) -> List[Dict[str, Any]]:
    # An item of a list may be deleted if the caller asked for that.
    deleted = "#/components/schemas/Deleted"
    return [resolved(one) for one in resolved(schema).get("oneOf", [schema]) if one.get("$ref") != deleted]


def kinds(schema: Dict[str, Any]) -> Set[str]:
    named = [one["type"] for one in alternatives(schema)]
    return {kind for name in named for kind in (name if isinstance(name, list) else [name])}


def assert_says(hint: Any, schema: Dict[str, Any], place: str) -> None:
    optional = type(None) in get_args(hint)
    if get_origin(hint) is Union and not optional:
        for part, described in zip(get_args(hint), alternatives(schema)):
            assert_says(part, described, place)
        return
    assert optional == ("null" in kinds(schema)), place
    if optional:
        (hint,) = [part for part in get_args(hint) if part is not type(None)]
    (schema,) = [one for one in alternatives(schema) if one["type"] != "null"]
    if get_origin(hint) is list:
        assert "array" in kinds(schema), place
        assert_says(get_args(hint)[0], schema["items"], f"{place}[]")
    elif get_origin(hint) is dict:
        assert kinds(schema) - {"null"} == {"object"}, place
    elif "properties" in schema:
        members = get_type_hints(hint)
        assert members.keys() == schema["properties"].keys(), place
        for name, member in members.items():
            assert_says(member, schema["properties"][name], f"{place}.{name}")
    else:
        is_closed = get_origin(hint) is Literal
        assert is_closed == ("enum" in schema), place
        if is_closed:
            assert list(get_args(hint)) == schema["enum"], place
            hint = type(get_args(hint)[0])
        assert kinds(schema) - {"null"} == {{bool: "boolean", float: "number", int: "integer", str: "string"}[hint]}, place


def test_every_endpoint_is_described() -> None:
    assert {path[len(BASE) :] for path in DOCUMENT["paths"]} == set(ENDPOINTS)


@pytest.mark.parametrize("path", ENDPOINTS)
def test_an_answer_has_the_members_that_are_described(path: str) -> None:
    described = operation(path)["responses"]["200"]["content"]["application/json"]["schema"]
    assert_says(ENDPOINTS[path][1], resolved(described), path)


@pytest.mark.parametrize("path", ENDPOINTS)
def test_a_call_takes_the_fields_that_are_described(path: str) -> None:
    body = operation(path)["requestBody"]["content"]["application/json"]["schema"]
    # The first part of `allOf` is the body. The other parts are rules for several fields.
    body = body["allOf"][0] if "allOf" in body else body
    *noun, verb = path.strip("/").replace("-", "_").split("/")
    with Hearback("key", base_url="http://127.0.0.1:9") as client:
        resource = getattr(client, noun[0]) if noun else client
        given = inspect.signature(getattr(resource, verb)).parameters
    fields = body["properties"].keys() - {"api_key"}
    writes = {"idempotency_key"} if operation(path).get("parameters") else set()
    assert given.keys() == fields | writes
    required = {name for name, parameter in given.items() if parameter.default is inspect.Parameter.empty}
    assert required == set(body["required"]) - {"api_key"}

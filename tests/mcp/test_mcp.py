"""Every tool, by the official Python client, over both transports, on the demo."""

import asyncio
import contextlib
import os
import subprocess
import uuid

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

URL = os.environ["HEARBACK_TEST_URL"] + "/mcp"
KEY = os.environ["HEARBACK_TEST_KEY"]
STDIO = StdioServerParameters(
    command=os.environ["HEARBACK_TEST_BINARY"], args=["mcp", "--organization", "weekwright"], env=dict(os.environ)
)
NOWHERE = "00000000-0000-4000-8000-000000000000"
TOOLS = {
    # Name: whether it only reads, whether it destroys, whether a second call changes nothing.
    "search": (True, False, True),
    "get": (True, False, True),
    "list_setup": (True, False, True),
    "create_post": (False, False, False),
    "update_post": (False, False, False),
    "merge_posts": (False, True, True),
    "unmerge_post": (False, False, True),
    "delete_post": (False, True, True),
    "add_comment": (False, False, False),
    "update_comment": (False, False, True),
    "delete_comment": (False, True, True),
    "vote": (False, False, True),
    "upsert_user": (False, False, True),
    "list_voters": (True, False, True),
    "create_changelog_entry": (False, False, False),
    "update_changelog_entry": (False, False, True),
    "write_article": (False, False, False),
    "moderate": (False, True, True),
}


class Agent:
    """Calls tools, and tells answers from refusals."""

    def __init__(self, client):
        self.client = client

    async def __call__(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return result.structured_content

    async def refused(self, tool, **arguments):
        """The argument and the message of each fault."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        detail = result.structured_content["detail"]
        if isinstance(detail, dict):
            return detail["error"]
        return [(fault["loc"][-1], fault["msg"]) for fault in detail]

    async def post(self, **members):
        setup = await self("list_setup")
        if "author_id" not in members:
            members["author_email"] = f"{uuid.uuid4()}@example.com"
        post = await self("create_post", board_id=setup["feedback_boards"][0]["id"], title=fresh(), **members)
        return post["id"]

    async def record(self, kind, id):
        found = await self("get", id=id)
        assert found["kind"] == kind
        assert found == await self("get", id=id, kind=kind)
        return found["record"]


def fresh():
    return f"Test {uuid.uuid4()}"


@contextlib.asynccontextmanager
async def connected(transport, key=KEY, headers=(), mode="auto"):
    async with contextlib.AsyncExitStack() as stack:
        server = STDIO
        if transport == "http":
            headers = {"Authorization": f"Bearer {key}", **dict(headers)}
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers))
            server = streamable_http_client(URL, http_client=http)
        yield Agent(await stack.enter_async_context(Client(server, mode=mode, read_timeout_seconds=30)))


@pytest.fixture(params=["http", "stdio"])
def by(request):
    """Runs a test over a transport."""

    def run(test):
        async def connect():
            async with connected(request.param) as agent:
                await test(agent)

        asyncio.run(connect())

    return run


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_tools_have_hints_and_schemas(transport, mode):
    async def connect():
        async with connected(transport, mode=mode) as agent:
            listed = (await agent.client.list_tools()).tools
            hints = {tool.name: tool.annotations for tool in listed}
            found = {name: (it.read_only_hint, it.destructive_hint, it.idempotent_hint) for name, it in hints.items()}
            assert found == TOOLS
            for tool in listed:
                schema = tool.input_schema
                assert schema["type"] == "object" and not schema["additionalProperties"]
                assert ("confirm" in schema["properties"]) == TOOLS[tool.name][1]
                assert ("idempotency_key" in schema["properties"]) == (not TOOLS[tool.name][0])
                assert "api_key" not in schema["properties"]
                assert tool.description

    asyncio.run(connect())


def test_reading(by):
    @by
    async def _(agent):
        setup = await agent("list_setup")
        assert list(setup) == [
            "feedback_boards",
            "statuses",
            "categories",
            "tags",
            "labels",
            "roadmap_boards",
            "help_collections",
            "help_categories",
        ]
        assert all(setup.values())
        for kind in ["posts", "changelog", "articles"]:
            page = await agent("search", kind=kind, limit=1)
            rest = await agent("search", kind=kind, limit=1, cursor=page["cursor"])
            assert page["has_next_page"] and page["items"] != rest["items"]
        top, second = (await agent("search", kind="posts", sort="votes", limit=2))["items"]
        assert top["vote_count"] >= second["vote_count"] > 0
        assert {"title", "description"} < set(top["untrusted_text"])
        assert "title" not in top
        voters = (await agent("list_voters", post_id=top["id"], post_type="feedback", limit=2))["items"]
        assert [set(voter) for voter in voters] == [{"user_id", "voted_at", "untrusted_text"}] * 2
        comments = (await agent("search", kind="comments", feedback_post_id=top["id"]))["items"]
        assert len(comments) == top["comment_count"]
        comment = await agent.record("comment", comments[0]["id"])
        assert "content" in comment["untrusted_text"]
        assert await agent.record("post", top["id"]) == top
        user = await agent.record("user", top["author_id"])
        assert {"name", "email"} < set(user["untrusted_text"])
        assert (await agent.record("status", top["status_id"]))["name"]
        article = (await agent("search", kind="articles", search="calendar", limit=1))["items"][0]
        assert (await agent.record("help_article", article["id"]))["title"] == article["title"]
        assert await agent.refused("get", id=NOWHERE) == "record not found"
        assert await agent.refused("get", id=NOWHERE, kind="tag") == "tag not found"


def test_posts_and_votes(by):
    @by
    async def _(agent):
        user = await agent("upsert_user", email=f"{uuid.uuid4()}@example.com", name="Kim")
        assert user["created"]
        duplicate, post = await agent.post(author_id=user["user_id"]), await agent.post()
        person = {"voter_id": user["user_id"], "post_type": "feedback"}
        assert await agent("vote", post_id=duplicate, voted=True, **person) == {"voted": True, "changed": True}
        assert await agent("vote", post_id=duplicate, voted=True, **person) == {"voted": True, "changed": False}
        title = fresh()
        assert await agent("update_post", post_id=post, title=title) == {"success": True}
        found = await agent("search", kind="posts", search=title)
        assert [item["untrusted_text"]["title"] for item in found["items"]] == [title]
        status = (await agent("list_setup"))["statuses"][-1]["id"]
        note = {"status_id": status, "note": "Done.", "changed_by_id": user["user_id"]}
        assert await agent("update_post", post_id=post, **note) == {"success": True}
        record = await agent.record("post", post)
        assert (record["status_id"], record["comment_count"]) == (status, 1)
        # A status with a note is a write of its own, and nothing else is changed beside it.
        assert await agent.refused("update_post", post_id=post, title="x", **note) == [
            ("title", "Value error, not beside note")
        ]
        assert await agent.record("post", post) == record

        merge = {"merge_post_id": duplicate, "into_post_id": post, "merger_id": user["user_id"]}
        tried = await agent("merge_posts", dry_run=True, **merge)
        assert tried == {"dry_run": True, "effects": {"votes_moved": 1, "votes_dropped": 0}}
        assert await agent("merge_posts", confirm=True, **merge) == {"success": True}
        assert (await agent.record("post", duplicate))["merged_into_id"] == post
        assert await agent("unmerge_post", post_id=duplicate) == {"success": True}
        assert (await agent.record("post", duplicate))["vote_count"] == 1
        assert await agent("delete_post", post_id=duplicate, confirm=True) == {"success": True}
        assert await agent.refused("delete_post", post_id=duplicate, confirm=True) == "feedback post not found"


def test_comments(by):
    @by
    async def _(agent):
        post = await agent.post()
        comment = await agent(
            "add_comment", feedback_post_id=post, content="I!", author_email="kim@example.com", notify=False
        )
        change = {"comment_id": comment["id"]}
        assert await agent("update_comment", content="Me, too!", **change) == {"success": True}
        record = await agent.record("comment", comment["id"])
        assert record["untrusted_text"]["content"] == "Me, too!"
        assert await agent("delete_comment", confirm=True, **change) == {"success": True}
        assert await agent.refused("get", id=comment["id"]) == "record not found"


def test_changelog_and_articles(by):
    @by
    async def _(agent):
        entry = (await agent("create_changelog_entry", title=fresh()))["id"]
        assert await agent("update_changelog_entry", entry_id=entry, title="Faster") == {"success": True}
        record = await agent.record("changelog_entry", entry)
        assert (record["title"], record["status_code"]) == ("Faster", "draft")

        collection = (await agent("list_setup"))["help_collections"][0]["id"]
        article = (await agent("write_article", title=fresh(), collection_id=collection, content="<p>A</p>"))["id"]
        assert await agent("write_article", article_id=article, content="<p>B</p>") == {"success": True}
        record = await agent.record("help_article", article)
        assert (record["content"], record["status_code"]) == ("<p>B</p>", "draft")
        assert await agent.refused("write_article", title="x") == [("category_id", "Field required")]


def test_moderation(by):
    @by
    async def _(agent):
        post = await agent.post(moderation_status_code="pending")
        queue = await agent("moderate", kind="post", limit=100)
        (item,) = [item for item in queue["items"] if item["id"] == post]
        assert set(item["untrusted_text"]) == {"title", "content"}
        decision = {"items": [{"kind": "post", "id": post}], "moderation_status_code": "spam"}
        assert [name for name, _ in await agent.refused("moderate", **decision)] == ["confirm"]
        assert await agent("moderate", confirm=True, **decision) == {"success": True, "changed": 1}
        assert (await agent.record("post", post))["moderation_status_code"] == "spam"


def test_refusals_name_the_argument_and_change_nothing(by):
    @by
    async def _(agent):
        post = await agent.post()
        record = await agent.record("post", post)
        destroying = {
            "delete_post": {"post_id": post},
            "delete_comment": {"comment_id": NOWHERE},
            "merge_posts": {"merge_post_id": post, "into_post_id": NOWHERE, "merger_id": NOWHERE},
        }
        why = "Value error, nothing was done: ask the person, and call again with confirm: true"
        for tool, arguments in destroying.items():
            for confirm in [{}, {"confirm": False}, {"confirm": "true"}]:
                assert await agent.refused(tool, **arguments, **confirm) == [("confirm", why)]
        extra = "Extra inputs are not permitted"
        assert await agent.refused("update_post", post_id=post, name="x") == [("name", extra)]
        assert await agent.refused("list_setup", limit=1) == [("limit", extra)]
        assert await agent.refused("create_post", api_key=KEY) == [("api_key", extra)]
        assert await agent.refused("create_post", title="", author_id="x", author_email="a@b") == [
            ("board_id", "Field required"),
            ("title", "String should have at least 1 character"),
            ("author_id", "Input should be a valid UUID"),
            ("author_email", "Value error, author_id, author_external_id and author_email exclude each other"),
        ]
        assert await agent.refused("search") == [("kind", "Field required")]
        known = "Input should be one of posts, comments, changelog, articles"
        assert await agent.refused("search", kind="users") == [("kind", known)]
        assert await agent.refused("search", kind="changelog", search="x") == [
            ("search", "Value error, not with the kind changelog")
        ]
        assert await agent.refused("get", id=5, kind="user") == [("id", "UUID input should be a string")]
        assert await agent.refused("vote", idempotency_key="a b", post_id=post) == [
            ("idempotency_key", "Value error, expected 1 to 255 visible ASCII characters")
        ]
        assert await agent.record("post", post) == record
        with pytest.raises(MCPError, match="unknown tool"):
            await agent.client.call_tool("drop_tables", {})


def test_a_call_under_an_idempotency_key_is_done_once(by):
    @by
    async def _(agent):
        title, key = fresh(), fresh().replace(" ", "-")
        board = (await agent("list_setup"))["feedback_boards"][0]["id"]
        post = {"board_id": board, "title": title, "author_email": "kim@example.com", "idempotency_key": key}
        assert await agent("create_post", **post) == await agent("create_post", **post)
        assert len((await agent("search", kind="posts", search=title))["items"]) == 1
        assert await agent.refused("create_post", **{**post, "title": "x"}) != []


def test_standard_output_has_the_protocol_alone(tmp_path):
    environment = {**os.environ, "HEARBACK_LOG": "debug"}
    lines = [
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        '"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_setup"}}',
    ]
    with open(tmp_path / "log", "w+") as log:
        server = subprocess.Popen(
            [STDIO.command, *STDIO.args],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        server.stdin.write("\n".join(lines) + "\n")
        server.stdin.flush()
        answers = [server.stdout.readline(), server.stdout.readline()]
        rest, _ = server.communicate(timeout=30)
        assert log.seek(0, os.SEEK_END) > 0
    assert all(answer.startswith('{"jsonrpc":"2.0","id":') for answer in answers)
    assert (rest, server.returncode) == ("", 0)


def test_the_door_is_closed_without_a_key_and_to_other_hosts():
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    good = {"Authorization": f"Bearer {KEY}"}
    cases = [
        ({}, 401),
        ({"Authorization": "Bearer hbk_wrong"}, 401),
        ({"Authorization": KEY}, 401),
        (good, 200),
        ({**good, "Host": "evil.example"}, 403),
        ({**good, "Origin": "https://evil.example"}, 403),
        ({**good, "Origin": "null"}, 403),
        ({**good, "Origin": "http://localhost:6274"}, 200),
    ]
    with httpx2.Client() as client:
        for headers, status in cases:
            answer = client.post(URL, json=call, headers={**accept, **headers})
            assert answer.status_code == status, headers
            assert ("search" in answer.text) == (status == 200)

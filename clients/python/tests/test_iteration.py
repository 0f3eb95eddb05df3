"""Iteration over pages."""

import asyncio
import itertools

import httpx
from support import KEY, URL, Connect, Demo, Recorder

from hearback import AsyncHearback, Hearback


def test_a_walk_gives_every_item_once_and_in_order(connect: Connect) -> None:
    recorder = Recorder()
    client = connect(transport=recorder)
    walked = [article["id"] for article in client.help_articles.iterate(sort="title", limit=7)]
    pages = len(recorder.requests)

    listed = [article["id"] for article in client.help_articles.list(sort="title", limit=100)["items"]]
    assert walked == listed
    assert pages == -(-len(listed) // 7) > 5


def test_a_walk_keeps_its_filters(client: Hearback, demo: Demo) -> None:
    posts = list(client.feedback_posts.iterate(board_id=demo.board, limit=10))
    assert len(posts) > 10
    assert {post["board_id"] for post in posts} == {demo.board}


def test_a_walk_skips_at_its_beginning_only(client: Hearback) -> None:
    everything = [entry["id"] for entry in client.changelog.iterate(limit=100)]
    assert [entry["id"] for entry in client.changelog.iterate(limit=5, skip=3)] == everything[3:]


def test_a_walk_gets_no_page_before_it_is_needed(connect: Connect) -> None:
    recorder = Recorder()
    posts = connect(transport=recorder).feedback_posts.iterate(limit=2)
    assert len(recorder.requests) == 0
    assert len(list(itertools.islice(posts, 3))) == 3
    assert len(recorder.requests) == 2


def test_a_walk_over_nothing_ends(connect: Connect) -> None:
    answer = {"items": [], "has_next_page": False, "cursor": None}
    client = connect(transport=httpx.MockTransport(lambda _: httpx.Response(200, json=answer)))
    assert list(client.labels.iterate()) == []


def test_every_paginated_list_can_be_walked(client: Hearback, demo: Demo) -> None:
    post = demo.post()
    assert len(list(client.users.iterate(limit=100))) > 1
    assert len(list(client.companies.iterate(limit=100))) > 1
    assert len(list(client.comments.iterate(feedback_post_id=demo.commented_post, limit=1))) > 1
    voters = client.votes.iterate_voters(post_id=post["id"], post_type="feedback", limit=1)
    assert len(list(voters)) == post["vote_count"]
    assert len(list(client.votes.iterate(post_id=demo.board_post, post_type="feedback", limit=1))) > 1
    assert len(list(client.moderation.iterate(kind="comment", moderation_status_code="accepted", limit=100))) > 1
    assert len(list(client.audit.iterate(limit=100))) > 1
    assert [done["type"] for done in client.feedback_posts.iterate_activity(demo.new_post(), limit=1)] == ["created"]
    subscribers = client.feedback_posts.iterate_subscribers(demo.new_post(), limit=1)
    assert [subscriber["user_id"] for subscriber in subscribers] == [demo.user]
    assert len(list(client.roadmap_posts.iterate(limit=2))) > 2
    assert len(list(client.labels.iterate(limit=2))) > 2
    assert len(list(client.help_collections.iterate(limit=2))) == len(demo.all_collections())
    assert len(list(client.help_categories.iterate(limit=4))) > 4
    assert len(list(client.help_articles.iterate_search(query="a", limit=20))) > 20


def test_the_asynchronous_client_works_with_async_for_and_gather() -> None:
    async def run() -> None:
        async with AsyncHearback(KEY, URL) as client:
            boards, tags = await asyncio.gather(client.feedback_boards.list(), client.tags.list())
            assert boards[0]["is_voting_enabled"] and tags[0]["name"]
            assert len([label["name"] async for label in client.labels.iterate(limit=3)]) > 3

    asyncio.run(run())

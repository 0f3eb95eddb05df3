"""Each endpoint, with all members of its answer."""

import inspect
import json
import uuid
from functools import reduce
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest
from support import KEY, URL, Connect, Demo, Recorder, assert_fits, exchanged

from hearback import AsyncHearback, Hearback
from hearback import types as t

BASE = "/api/external/v1"


def merge_tags(client: Hearback, demo: Demo) -> t.Success:
    return client.tags.merge(tag_id=demo.new_tag(), into_tag_id=demo.new_tag())


def merge(client: Hearback, demo: Demo) -> t.Tried:
    return client.feedback_posts.merge(
        merge_post_id=demo.post()["id"], into_post_id=demo.post()["id"], merger_id=demo.user
    )


ENDPOINTS: Dict[str, Tuple[Callable[[Hearback, Demo], Any], Any]] = {
    "/users/retrieve": (lambda c, d: c.users.retrieve(email=d.email), t.User),
    "/users/list": (lambda c, d: c.users.list(is_blocked=False, sort="name", limit=100), t.UserPage),
    "/users/upsert": (
        lambda c, d: c.users.upsert(
            email="kim@example.com", name="Kim", company={"external_id": "acme"}, attributes={"seats": 3}
        ),
        t.UpsertedUser,
    ),
    "/users/update": (lambda c, d: c.users.update(d.new_user(), locale="pt", clear=["attributes"]), t.Success),
    "/users/delete": (lambda c, d: c.users.delete(d.new_user()), t.Success),
    "/users/block": (lambda c, d: c.users.block(d.new_user(), reject_pending=True), t.Success),
    "/users/unblock": (lambda c, d: c.users.unblock(d.new_user()), t.Success),
    "/users/export": (lambda c, d: c.users.export(d.user), t.UserExport),
    "/users/merge": (lambda c, d: c.users.merge(merge_user_id=d.new_user(), into_user_id=d.new_user()), t.Tried),
    "/users/erase": (lambda c, d: c.users.erase(d.new_user(), content_code="delete"), t.Tried),
    "/companies/retrieve": (lambda c, d: c.companies.retrieve(id=d.company), t.Company),
    "/companies/list": (lambda c, d: c.companies.list(sort="spend", limit=100), t.CompanyPage),
    "/companies/upsert": (
        lambda c, d: c.companies.upsert("acme", monthly_spend="12.50", attributes={"plan": "pro"}),
        t.Upserted,
    ),
    "/companies/delete": (lambda c, d: c.companies.delete(id=d.new_company()), t.Success),
    "/feedback-boards/list": (lambda c, d: c.feedback_boards.list(), List[t.FeedbackBoard]),
    "/feedback-boards/retrieve": (lambda c, d: c.feedback_boards.retrieve(d.board), t.FeedbackBoard),
    "/feedback-boards/create": (lambda c, d: c.feedback_boards.create("Bugs"), t.Created),
    "/feedback-boards/update": (
        lambda c, d: c.feedback_boards.update(d.board, show_post_dates=True, clear=["icon_url"]),
        t.Success,
    ),
    "/feedback-boards/delete": (
        lambda c, d: c.feedback_boards.delete(d.new_board(), delete_posts=True, dry_run=True),
        t.Tried,
    ),
    "/feedback-boards/reorder": (lambda c, d: c.feedback_boards.reorder(d.boards()), t.Success),
    "/feedback-posts/retrieve": (lambda c, d: c.feedback_posts.retrieve(d.commented_post), t.FeedbackPost),
    "/feedback-posts/create": (
        lambda c, d: c.feedback_posts.create(title="Dark mode", board_id=d.board, author_email="kim@example.com"),
        t.Created,
    ),
    "/feedback-posts/update": (
        lambda c, d: c.feedback_posts.update(d.new_post(), description="At night.", clear=["eta"]),
        t.Success,
    ),
    "/feedback-posts/change-status": (
        lambda c, d: c.feedback_posts.change_status(
            d.new_post(), d.statuses[-1]["id"], changed_by_id=d.user, note="Done.", notify=True
        ),
        t.Success,
    ),
    "/feedback-posts/bulk-update": (
        lambda c, d: c.feedback_posts.bulk_update([d.new_post(), d.new_post()], add_tag_ids=[d.tag], notify=True),
        t.Updated,
    ),
    "/feedback-posts/add-tag": (lambda c, d: c.feedback_posts.add_tag(d.new_post(), d.tag), t.Success),
    "/feedback-posts/remove-tag": (lambda c, d: c.feedback_posts.remove_tag(d.new_post(), d.tag), t.Success),
    "/feedback-posts/delete": (lambda c, d: c.feedback_posts.delete(d.new_post()), t.Success),
    "/feedback-posts/restore": (lambda c, d: c.feedback_posts.restore(d.deleted_post()), t.Success),
    "/feedback-posts/merge": (merge, t.Tried),
    "/feedback-posts/unmerge": (lambda c, d: c.feedback_posts.unmerge(d.merged_post(), merger_id=d.user), t.Tried),
    "/feedback-posts/similar": (
        lambda c, d: c.feedback_posts.similar(title=d.title, limit=3),
        List[t.SimilarFeedbackPost],
    ),
    "/feedback-posts/activity": (lambda c, d: c.feedback_posts.activity(d.new_post()), t.ActivityPage),
    "/feedback-posts/subscribers": (
        lambda c, d: c.feedback_posts.subscribers(d.new_post(), limit=1),
        t.SubscriberPage,
    ),
    "/feedback-posts/subscribe": (
        lambda c, d: c.feedback_posts.subscribe(d.new_post(), d.user, level="status"),
        t.Success,
    ),
    "/feedback-posts/unsubscribe": (lambda c, d: c.feedback_posts.unsubscribe(d.new_post(), d.user), t.Success),
    "/feedback-posts/list": (
        lambda c, d: c.feedback_posts.list(board_id=d.board, search="a", updated_after="2024-01-01", limit=100),
        t.FeedbackPostPage,
    ),
    "/comments/retrieve": (lambda c, d: c.comments.retrieve(d.comment), t.Comment),
    "/comments/create": (
        lambda c, d: c.comments.create(content="Yes.", feedback_post_id=d.commented_post, author_id=d.user),
        t.Created,
    ),
    "/comments/update": (lambda c, d: c.comments.update(d.new_comment(), content="No.", is_pinned=True), t.Success),
    "/comments/delete": (lambda c, d: c.comments.delete(d.new_comment()), t.Success),
    "/comments/list": (lambda c, d: c.comments.list(feedback_post_id=d.commented_post), t.CommentPage),
    "/votes/toggle": (
        lambda c, d: c.votes.toggle(user_id=d.user, post_id=d.post()["id"], post_type="feedback"),
        t.Voted,
    ),
    "/votes/set": (
        lambda c, d: c.votes.set(post_id=d.board_post, post_type="feedback", voted=True, voter_email="kim@example.com"),
        t.SetVote,
    ),
    "/votes/set-many": (
        lambda c, d: c.votes.set_many(
            voters=[{"voter_id": d.user}, {"voter_email": "ash@example.com", "voter_name": "Ash"}],
            post_id=d.board_post,
            post_type="feedback",
            voted=True,
        ),
        t.SetVotes,
    ),
    "/votes/list": (lambda c, d: c.votes.list(user_id=d.user, limit=100), t.VotePage),
    "/votes/voters": (lambda c, d: c.votes.voters(post_id=d.post()["id"], post_type="feedback"), t.VoterPage),
    "/categories/list": (lambda c, d: c.categories.list(), List[t.Category]),
    "/categories/retrieve": (lambda c, d: c.categories.retrieve(d.category), t.Category),
    "/categories/create": (lambda c, d: c.categories.create("Speed", color="#0ea5e9"), t.Created),
    "/categories/update": (lambda c, d: c.categories.update(d.category, clear=["external_id"]), t.Success),
    "/categories/delete": (
        lambda c, d: c.categories.delete(d.new_category(), replacement_category_id=d.category),
        t.Success,
    ),
    "/tags/list": (lambda c, d: c.tags.list(), List[t.Tag]),
    "/tags/retrieve": (lambda c, d: c.tags.retrieve(d.tag), t.Tag),
    "/tags/create": (
        lambda c, d: c.tags.create("Printing", color="#0ea5e9", is_public=False, external_id="t-17"),
        t.Created,
    ),
    "/tags/update": (lambda c, d: c.tags.update(d.tag, clear=["external_id"]), t.Success),
    "/tags/delete": (lambda c, d: c.tags.delete(d.new_tag()), t.Success),
    "/tags/merge": (merge_tags, t.Success),
    "/statuses/list": (lambda c, d: c.statuses.list(), List[t.Status]),
    "/statuses/retrieve": (lambda c, d: c.statuses.retrieve(d.statuses[0]["id"]), t.Status),
    "/statuses/create": (lambda c, d: c.statuses.create("Later", status_group_code="open"), t.Created),
    "/statuses/update": (lambda c, d: c.statuses.update(d.new_status(), color="#0ea5e9"), t.Success),
    "/statuses/delete": (
        lambda c, d: c.statuses.delete(d.new_status(), replacement_status_id=d.statuses[0]["id"]),
        t.Success,
    ),
    "/statuses/reorder": (
        lambda c, d: c.statuses.reorder(ids=d.open_statuses(), status_group_code="open"),
        t.Success,
    ),
    "/roadmap-boards/list": (lambda c, d: c.roadmap_boards.list(), List[t.RoadmapBoard]),
    "/roadmap-boards/retrieve": (lambda c, d: c.roadmap_boards.retrieve(d.roadmap_board), t.RoadmapBoard),
    "/roadmap-boards/create": (lambda c, d: c.roadmap_boards.create("Next year"), t.Created),
    "/roadmap-boards/update": (
        lambda c, d: c.roadmap_boards.update(d.roadmap_board, clear=["icon_url"]),
        t.Success,
    ),
    "/roadmap-boards/delete": (lambda c, d: c.roadmap_boards.delete(d.new_roadmap_board()), t.Success),
    "/roadmap-boards/reorder": (lambda c, d: c.roadmap_boards.reorder(d.roadmap_boards()), t.Success),
    "/roadmap-posts/retrieve": (lambda c, d: c.roadmap_posts.retrieve(d.roadmap_post), t.RoadmapPost),
    "/roadmap-posts/list": (
        lambda c, d: c.roadmap_posts.list(roadmap_board_id=d.roadmap_board, updated_after="2024-01-01", limit=100),
        t.RoadmapPostPage,
    ),
    "/roadmap-posts/create": (
        lambda c, d: c.roadmap_posts.create(title="Dark mode", roadmap_board_id=d.roadmap_board, position=1),
        t.Created,
    ),
    "/roadmap-posts/update": (
        lambda c, d: c.roadmap_posts.update(d.new_roadmap_post(), description="At night.", clear=["eta"]),
        t.Success,
    ),
    "/roadmap-posts/change-status": (
        lambda c, d: c.roadmap_posts.change_status(d.new_roadmap_post(), d.statuses[-1]["id"]),
        t.Success,
    ),
    "/roadmap-posts/link": (
        lambda c, d: c.roadmap_posts.link(d.new_roadmap_post(), [d.new_post()], sync_status=True),
        t.Success,
    ),
    "/roadmap-posts/unlink": (lambda c, d: c.roadmap_posts.unlink(d.roadmap_post, [d.new_post()]), t.Success),
    "/roadmap-posts/delete": (lambda c, d: c.roadmap_posts.delete(d.new_roadmap_post()), t.Success),
    "/moderation/list": (
        lambda c, d: c.moderation.list(kind="post", moderation_status_code="accepted"),
        t.QueuedItemPage,
    ),
    "/moderation/decide": (
        lambda c, d: c.moderation.decide(
            [{"kind": "post", "id": d.new_post()}], moderation_status_code="accepted", trust_author=True
        ),
        t.Decided,
    ),
    "/audit/list": (lambda c, d: c.audit.list(action="tags/create", limit=100), t.AuditEntryPage),
    "/webhooks/list": (lambda c, d: (d.new_webhook(), c.webhooks.list())[1], t.WebhookPage),
    "/webhooks/retrieve": (lambda c, d: c.webhooks.retrieve(d.new_webhook()), t.Webhook),
    "/webhooks/create": (
        lambda c, d: c.webhooks.create(
            "https://receiver.invalid/", event_types=["vote.created"], board_ids=[d.board], is_active=False
        ),
        t.NewWebhook,
    ),
    "/webhooks/update": (
        lambda c, d: c.webhooks.update(d.new_webhook(), event_types=[], clear=["description"]),
        t.Success,
    ),
    "/webhooks/delete": (lambda c, d: c.webhooks.delete(d.new_webhook()), t.Success),
    "/webhooks/rotate-secret": (
        lambda c, d: c.webhooks.rotate_secret(d.new_webhook(), overlap_seconds=60),
        t.NewSecret,
    ),
    "/webhooks/test": (lambda c, d: c.webhooks.test(d.new_webhook()), t.WebhookTest),
    "/deliveries/list": (
        lambda c, d: (d.new_delivery(), c.deliveries.list(event_type="post.created", limit=100))[1],
        t.DeliveryPage,
    ),
    "/deliveries/retrieve": (lambda c, d: c.deliveries.retrieve(d.new_delivery()), t.DeliveryWithAttempts),
    "/deliveries/replay": (lambda c, d: c.deliveries.replay(delivery_id=d.new_delivery()), t.Replayed),
    "/events/list": (lambda c, d: (d.new_post(), c.events.list(event_types=["post.created"]))[1], t.EventPage),
    "/labels/list": (lambda c, d: c.labels.list(), t.LabelPage),
    "/labels/retrieve": (lambda c, d: c.labels.retrieve(d.label), t.Label),
    "/labels/create": (lambda c, d: c.labels.create("Apps", "#abcdef"), t.Created),
    "/labels/update": (lambda c, d: c.labels.update(d.label, name="On phones", clear=["description"]), t.Success),
    "/labels/delete": (lambda c, d: c.labels.delete(d.new_label()), t.Success),
    "/changelog/retrieve": (lambda c, d: c.changelog.retrieve(d.new_entry()), t.ChangelogEntry),
    "/changelog/update": (
        lambda c, d: c.changelog.update(d.new_entry(), details="At last.", label_ids=[d.label], clear=["type"]),
        t.Success,
    ),
    "/changelog/publish": (lambda c, d: c.changelog.publish(d.new_entry(), notify=False), t.Success),
    "/changelog/unpublish": (lambda c, d: c.changelog.unpublish(d.new_entry()), t.Success),
    "/changelog/delete": (lambda c, d: c.changelog.delete(d.new_entry()), t.Success),
    "/changelog/link-posts": (lambda c, d: c.changelog.link_posts(d.new_entry(), [d.board_post]), t.Success),
    "/changelog/unlink-posts": (lambda c, d: c.changelog.unlink_posts(d.new_entry(), [d.board_post]), t.Success),
    "/changelog/list": (lambda c, d: c.changelog.list(limit=100, sort="published"), t.ChangelogEntryPage),
    "/changelog/create": (
        lambda c, d: c.changelog.create(
            title="Dark mode",
            details="At last.",
            type="new",
            label_ids=[d.label],
            status_code="scheduled",
            scheduled_for="2999-01-01T00:00:00Z",
            notify=False,
            author_id=d.user,
            featured_image_url="https://static.acme.example/dark.png",
            show_on_portal=False,
        ),
        t.Created,
    ),
    "/ping": (lambda c, d: c.ping(), t.Ping),
    "/help-collections/create": (lambda c, d: c.help_collections.create("For managers", icon="users"), t.Created),
    "/help-articles/update": (
        lambda c, d: c.help_articles.update(d.new_article(), title="Leaving", clear=["excerpt"]),
        t.Success,
    ),
    "/help-articles/publish": (lambda c, d: c.help_articles.publish(d.new_article()), t.Success),
    "/help-articles/unpublish": (lambda c, d: c.help_articles.unpublish(d.new_article()), t.Success),
    "/help-articles/delete": (lambda c, d: c.help_articles.delete(d.new_article()), t.Success),
    "/help-articles/restore": (lambda c, d: c.help_articles.restore(d.deleted_article()), t.Success),
    "/help-articles/feedback": (
        lambda c, d: c.help_articles.feedback(d.article, is_helpful=False, comment="Too short"),
        t.Success,
    ),
    "/help-categories/delete": (
        lambda c, d: c.help_categories.delete(d.help_category, delete_articles=True, dry_run=True),
        t.Tried,
    ),
    "/help-collections/delete": (
        lambda c, d: c.help_collections.delete(d.collections[0], delete_articles=True, dry_run=True),
        t.Tried,
    ),
    "/help-articles/versions": (lambda c, d: c.help_articles.versions(d.article), t.HelpArticleVersionPage),
    "/help-articles/restore-version": (lambda c, d: c.help_articles.restore_version(d.article, 1), t.Success),
    "/help-redirects/list": (lambda c, d: c.help_redirects.list(), t.HelpRedirectPage),
    "/help-redirects/create": (lambda c, d: c.help_redirects.create(d.new_path(), "/help/all"), t.Created),
    "/help-redirects/delete": (lambda c, d: c.help_redirects.delete(d.new_redirect()), t.Success),
    "/help-collections/list": (lambda c, d: c.help_collections.list(), t.HelpCollectionPage),
    "/help-collections/retrieve": (lambda c, d: c.help_collections.retrieve(d.collections[0]), t.HelpCollection),
    "/help-collections/update": (
        lambda c, d: c.help_collections.update(d.collections[0], description="For the first day.", color="#0ea5e9"),
        t.Success,
    ),
    "/help-collections/reorder": (lambda c, d: c.help_collections.reorder(d.all_collections()), t.Success),
    "/help-categories/list": (
        lambda c, d: c.help_categories.list(collection_id=d.collections[0]),
        t.HelpCategoryPage,
    ),
    "/help-categories/retrieve": (lambda c, d: c.help_categories.retrieve(d.help_category), t.HelpCategory),
    "/help-categories/create": (
        lambda c, d: c.help_categories.create(collection_id=d.collections[0], name="Printing", icon="printer"),
        t.Created,
    ),
    "/help-categories/update": (
        lambda c, d: c.help_categories.update(d.help_category, collection_id=d.collections[1]),
        t.Success,
    ),
    "/help-categories/reorder": (
        lambda c, d: c.help_categories.reorder(ids=d.help_categories(), collection_id=d.collections[0]),
        t.Success,
    ),
    "/help-articles/search": (
        lambda c, d: c.help_articles.search(query="a", published_only=True, limit=100),
        t.HelpArticleHitPage,
    ),
    "/help-articles/list": (lambda c, d: c.help_articles.list(sort="title", limit=100), t.ListedHelpArticlePage),
    "/help-articles/retrieve": (lambda c, d: c.help_articles.retrieve(d.article), t.HelpArticle),
    "/help-articles/create": (
        lambda c, d: c.help_articles.create(
            collection_id=d.collections[0],
            title="Paper sizes",
            content="<p>A4</p>",
            excerpt="A4",
            status_code="published",
            published_at="2026-03-01",
            related_article_ids=[d.article],
            is_favourite=True,
        ),
        t.Created,
    ),
    "/help-articles/reorder": (
        lambda c, d: c.help_articles.reorder(d.help_articles(), category_id=d.help_category),
        t.Success,
    ),
}
READS = (
    "/ping",
    "/test",
    "/retrieve",
    "/list",
    "/search",
    "/similar",
    "/voters",
    "/subscribers",
    "/activity",
    "/export",
    "/versions",
)
WRITES = [path for path in ENDPOINTS if not path.endswith(READS)]


@pytest.mark.parametrize("path", ENDPOINTS)
def test_an_answer_has_the_type_of_its_endpoint(connect: Connect, demo: Demo, path: str) -> None:
    call, answer_type = ENDPOINTS[path]
    recorder = Recorder()
    answer = call(connect(transport=recorder), demo)

    assert exchanged(recorder) == [(BASE + path, 200)]
    assert_fits(answer, answer_type)
    # An empty list would fit any type of items.
    assert answer["items"] if "items" in answer else answer


def test_every_endpoint_of_the_document_is_covered() -> None:
    document = json.loads((Path(__file__).parents[3] / "docs/openapi.json").read_text())
    assert {BASE + path for path in ENDPOINTS} == set(document["paths"])


@pytest.mark.parametrize("path", ENDPOINTS)
def test_a_method_has_the_name_of_its_path(path: str) -> None:
    names = path[1:].replace("-", "_").split("/")
    for client in Hearback, AsyncHearback:
        assert callable(reduce(getattr, names, client(KEY, URL)))


def test_both_clients_have_the_same_methods() -> None:
    assert methods(Hearback(KEY, URL)) == methods(AsyncHearback(KEY, URL))


def methods(client: Any) -> Dict[str, inspect.Signature]:
    return {
        f"{name}.{method}": inspect.signature(getattr(resource, method))
        for name, resource in vars(client).items()
        for method in dir(resource)
        if not name.startswith("_") and not method.startswith("_")
    }


@pytest.mark.parametrize("path", WRITES)
def test_each_write_has_an_idempotency_key_of_its_own(connect: Connect, demo: Demo, path: str) -> None:
    recorder = Recorder()
    client = connect(transport=recorder)
    for _ in range(2):
        ENDPOINTS[path][0](client, demo)
    first, second = (uuid.UUID(request.headers["Idempotency-Key"]) for request in recorder.requests)
    assert first != second


def test_a_read_has_no_idempotency_key(connect: Connect) -> None:
    recorder = Recorder()
    connect(transport=recorder).tags.list()
    assert "Idempotency-Key" not in recorder.requests[0].headers


def test_a_given_idempotency_key_is_sent_and_does_a_write_once(connect: Connect, demo: Demo) -> None:
    recorder = Recorder()
    client = connect(transport=recorder)
    name = str(uuid.uuid4())
    created = [client.changelog.create(title="Once", idempotency_key=name)["id"] for _ in range(2)]

    assert created[0] == created[1]
    assert [request.headers["Idempotency-Key"] for request in recorder.requests] == [name, name]
    assert recorder.responses[1].headers["Idempotent-Replayed"] == "true"


def test_a_write_that_is_only_tried_answers_its_effects_and_changes_nothing(client: Hearback, demo: Demo) -> None:
    user, post, merged = demo.new_user(), demo.new_post(), demo.merged_post()
    tries = [
        client.users.merge(merge_user_id=user, into_user_id=demo.user, dry_run=True),
        client.users.erase(user, dry_run=True),
        client.feedback_posts.merge(
            merge_post_id=post, into_post_id=demo.new_post(), merger_id=demo.user, dry_run=True
        ),
        client.feedback_posts.unmerge(merged, dry_run=True),
    ]
    for tried in tries:
        assert_fits(tried, t.DryRun)
    assert client.users.retrieve(user_id=user)["name"] == "Kim"
    assert client.feedback_posts.retrieve(post)["merged_into_id"] is None
    assert client.feedback_posts.retrieve(merged)["merged_into_id"] is not None


def test_a_decision_also_blocks_the_author(client: Hearback, demo: Demo) -> None:
    author = demo.new_user()
    post = client.feedback_posts.create(title="Buy now", board_id=demo.board, author_id=author)["id"]
    client.moderation.decide([{"kind": "post", "id": post}], moderation_status_code="spam", block_author=True)
    user = client.users.retrieve(user_id=author)
    assert (user["is_blocked"], user["is_trusted"]) == (True, False)


def test_a_created_article_is_read_back_unchanged(client: Hearback, demo: Demo) -> None:
    id = client.help_articles.create(collection_id=demo.collections[1], title="Grüße „🚀“", content="<p>é</p>")["id"]
    article = client.help_articles.retrieve(id)
    assert (article["title"], article["content"]) == ("Grüße „🚀“", "<p>é</p>")
    assert article["category"] is None

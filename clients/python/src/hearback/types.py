"""The types of requests and answers. Members have the names of the JSON.

All members of an answer are always present. Identifiers are UUIDs. Times are ISO 8601 in UTC:
``2026-03-01T09:30:00.120Z``, and ``2026-03-01T09:30:00`` for help collections and help categories.

The file is generated: see clients/generate.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

ActivityType = Literal[
    "created",
    "edited",
    "status_changed",
    "owner_changed",
    "merged_in",
    "merged",
    "unmerged",
    "moderated",
    "deleted",
    "restored",
]
AuditEntryDoor = Literal["api", "dashboard", "portal", "command_line", "background"]
ChangelogEntryStatus = Literal["draft", "published", "scheduled"]
ChangelogEntryType = Literal["fixed", "new", "improvement"]
Visibility = Literal["public", "internal"]
ModerationStatus = Literal["pending", "accepted", "rejected", "spam"]
EventType = Literal[
    "post.created",
    "post.edited",
    "post.deleted",
    "post.tag_added",
    "post.tag_removed",
    "post.status_changed",
    "comment.created",
    "comment.edited",
    "comment.deleted",
    "vote.created",
    "vote.deleted",
    "post.restored",
    "post.merged",
    "post.unmerged",
    "roadmap_post.created",
    "roadmap_post.edited",
    "roadmap_post.deleted",
    "roadmap_post.status_changed",
    "user.created",
    "user.updated",
    "user.deleted",
    "moderation.queued",
    "comment.internal_created",
    "changelog.published",
    "changelog.unpublished",
    "help_article.published",
]
DeliveryState = Literal["pending", "delivered", "failed"]
Access = Literal["public", "signed_in", "team", "custom"]
PostModeration = Literal["off", "first_post", "on"]
Guest = Literal["none", "email", "anonymous"]
HelpArticleStatus = Literal["draft", "published"]
QueuedItemKind = Literal["post", "comment"]
StatusGroup = Literal["open", "in-progress", "completed", "closed"]
SubscriberLevel = Literal["all", "status"]
PostType = Literal["feedback", "roadmap"]
UserSort = Literal["newest", "oldest", "name", "updated"]
UserClear = Literal["external_id", "company_id", "attributes"]
UserContent = Literal["anonymize", "delete"]
CompanySort = Literal["newest", "oldest", "name", "updated", "spend"]
FeedbackBoardClear = Literal["description", "icon_url", "post_template", "external_id"]
FeedbackPostClear = Literal["category_id", "owner_id", "eta", "attributes", "external_id"]
FeedbackPostSort = Literal["newest", "oldest", "votes", "trending", "updated", "spend"]
CommentClear = Literal["external_id"]
CategoryClear = Literal["description", "external_id"]
RoadmapBoardClear = Literal["description", "icon_url", "external_id"]
RoadmapPostClear = Literal["category_id", "owner_id", "author_id", "eta", "external_id"]
WebhookClear = Literal["description"]
ChangelogSort = Literal["newest", "oldest", "published"]
ChangelogClear = Literal["type", "featured_image_url", "author_id", "external_id"]
HelpArticleSort = Literal["updated", "newest", "oldest", "title", "position"]
HelpArticleClear = Literal["excerpt", "author_id", "external_id"]


class Activity(TypedDict):
    """Something that happened to a feedback post."""

    id: str
    type: ActivityType
    actor_id: Optional[str]
    """The acting user, or ``None`` if only the key is known."""
    data: Dict[str, Any]
    created_at: str


class AuditEntry(TypedDict):
    """A change of a record."""

    id: str
    at: str
    door: AuditEntryDoor
    actor_id: Optional[str]
    """The acting user, or ``None`` if only the key is known."""
    action: str
    """The path of the endpoint, or the command."""
    target_kind: str
    target_id: str
    data: Dict[str, Any]


class Category(TypedDict):
    id: str
    name: str
    code: str
    description: Optional[str]
    color: str
    show_on_feedback: bool
    show_on_roadmap: bool
    created_at: str
    external_id: Optional[str]


class ChangelogEntry(TypedDict):
    id: str
    title: str
    content: str
    slug: str
    status_code: ChangelogEntryStatus
    show_on_portal: bool
    featured_image_url: Optional[str]
    author_id: Optional[str]
    scheduled_at: Optional[str]
    published_at: Optional[str]
    created_at: str
    updated_at: str
    type: Optional[ChangelogEntryType]
    label_ids: List[str]
    post_ids: List[str]
    """The feedback posts that the entry answers."""
    notify: bool
    """Whether all who receive mail are mailed when the entry is published."""
    notify_voters: bool
    """Whether the subscribers of linked posts are mailed when the entry is published."""
    external_id: Optional[str]


class Comment(TypedDict):
    id: str
    content: str
    author_id: str
    parent_comment_id: Optional[str]
    feedback_post_id: str
    visibility_code: Visibility
    moderation_status_code: ModerationStatus
    created_at: str
    updated_at: str
    external_id: Optional[str]
    is_pinned: bool


class Company(TypedDict):
    id: str
    external_id: str
    name: str
    monthly_spend: str
    """A decimal with two places."""
    customer_status: str
    attributes: Dict[str, Union[str, float, bool]]
    created_at: str
    updated_at: str


class Created(TypedDict):
    id: str


class Decided(TypedDict):
    success: Literal[True]
    changed: int
    """The number of changed records."""


class Deleted(TypedDict):
    """A deleted record of a list."""

    id: str
    is_active: bool
    updated_at: str


class Delivery(TypedDict):
    """The delivery of an event to a webhook."""

    id: str
    """The receiver sees it, the same on every attempt."""
    webhook_id: str
    event_id: str
    event_type: EventType
    state: DeliveryState
    attempt_count: int
    status: Optional[int]
    """The status of the last attempt, or ``None``."""
    error: Optional[str]
    """The class of the last attempt's failure, such as ``timeout``, or ``None``."""
    created_at: str
    occurred_at: Optional[str]
    """When it was first sent."""
    next_attempt_at: Optional[str]
    ended_at: Optional[str]


class DeliveryAttempt(TypedDict):
    at: str
    status: Optional[int]
    """Null if there was no response."""
    duration_ms: int
    error: Optional[str]
    """The class of the failure, such as ``timeout``, or ``None``."""
    response: str
    """The first KiB of the body."""


class DeliveryWithAttempts(TypedDict):
    id: str
    """The receiver sees it, the same on every attempt."""
    webhook_id: str
    event_id: str
    event_type: EventType
    state: DeliveryState
    attempt_count: int
    status: Optional[int]
    """The status of the last attempt, or ``None``."""
    error: Optional[str]
    """The class of the last attempt's failure, such as ``timeout``, or ``None``."""
    created_at: str
    occurred_at: Optional[str]
    """When it was first sent."""
    next_attempt_at: Optional[str]
    ended_at: Optional[str]
    attempts: List[DeliveryAttempt]


class Event(TypedDict):
    """An event of the ledger."""

    id: str
    event: EventType
    occurred_at: str
    data: Dict[str, Any]
    """The ``data`` that webhooks get."""


class FeedbackBoard(TypedDict):
    id: str
    name: str
    slug: str
    description: Optional[str]
    icon_url: Optional[str]
    is_voting_enabled: bool
    is_commenting_enabled: bool
    show_post_dates: bool
    created_at: str
    external_id: Optional[str]
    access_code: Access
    allowed_email_domains: List[str]
    allowed_user_ids: List[str]
    post_moderation_code: PostModeration
    comment_moderation_code: PostModeration
    guest_code: Guest
    post_template: Optional[str]


class FeedbackPost(TypedDict):
    id: str
    title: str
    description: str
    slug: str
    board_id: str
    author_id: str
    owner_id: Optional[str]
    status_id: str
    category_id: Optional[str]
    eta: Optional[str]
    moderation_status_code: ModerationStatus
    created_at: str
    updated_at: str
    tag_ids: List[str]
    vote_count: int
    comment_count: int
    monthly_spend: str
    """The spend of the voters' companies, a decimal with two places."""
    merged_into_id: Optional[str]
    external_id: Optional[str]
    eta_is_public: bool
    is_pinned: bool
    created_by_id: Optional[str]
    """The user who filed the post for its author."""
    status_changed_at: str
    attributes: Dict[str, Union[str, float, bool]]
    roadmap_post_ids: List[str]
    """The roadmap posts that it is linked to."""


class HelpArticle(TypedDict):
    """An article by itself."""

    id: str
    title: str
    slug: str
    excerpt: Optional[str]
    status_code: HelpArticleStatus
    show_on_portal: bool
    collection: HelpCollectionReference
    category: Optional[HelpCategoryReference]
    """Null if the article is directly in the collection."""
    is_favourite: bool
    seq_number: str
    published_at: Optional[str]
    related_article_ids: List[str]
    author_id: Optional[str]
    view_count: int
    helpful_count: int
    not_helpful_count: int
    created_at: str
    updated_at: str
    external_id: Optional[str]
    content: str


class HelpArticleHit(TypedDict):
    """What a search shows, and every article begins with."""

    id: str
    title: str
    slug: str
    excerpt: Optional[str]
    status_code: HelpArticleStatus
    show_on_portal: bool
    collection: HelpCollectionReference
    category: Optional[HelpCategoryReference]
    """Null if the article is directly in the collection."""


class HelpArticleVersion(TypedDict):
    version: int
    author_id: Optional[str]
    created_at: str
    title: str
    content: str


class HelpCategory(TypedDict):
    id: str
    collection_id: str
    name: str
    slug: str
    description: Optional[str]
    icon: Optional[str]
    color: Optional[str]
    seq_number: str
    article_count: int
    created_at: str
    updated_at: str
    external_id: Optional[str]


class HelpCategoryReference(TypedDict):
    id: str
    name: str
    slug: str
    collection_id: str


class HelpCollection(TypedDict):
    id: str
    name: str
    slug: str
    description: str
    icon: str
    color: str
    seq_number: str
    category_count: int
    created_at: str
    updated_at: str
    external_id: Optional[str]


class HelpCollectionReference(TypedDict):
    id: str
    name: str
    slug: str


class HelpRedirect(TypedDict):
    id: str
    from_path: str
    to_path: str
    created_at: str


class Label(TypedDict):
    id: str
    name: str
    code: str
    color: str
    description: Optional[str]
    created_at: str
    external_id: Optional[str]


class ListedHelpArticle(TypedDict):
    """An article of a list."""

    id: str
    title: str
    slug: str
    excerpt: Optional[str]
    status_code: HelpArticleStatus
    show_on_portal: bool
    collection: HelpCollectionReference
    category: Optional[HelpCategoryReference]
    """Null if the article is directly in the collection."""
    is_favourite: bool
    seq_number: str
    published_at: Optional[str]
    related_article_ids: List[str]
    author_id: Optional[str]
    view_count: int
    helpful_count: int
    not_helpful_count: int
    created_at: str
    updated_at: str
    external_id: Optional[str]


class NewSecret(TypedDict):
    signing_secret: str
    """Is not shown again."""


class NewWebhook(TypedDict):
    id: str
    signing_secret: str
    """Is not shown again."""


class Ping(TypedDict):
    organization_id: str
    organization_slug: str
    timestamp: str


class QueuedItem(TypedDict):
    """A post or a comment with a state of moderation."""

    kind: QueuedItemKind
    id: str
    post_id: str
    board_id: str
    author_id: str
    title: str
    content: str
    moderation_status_code: ModerationStatus
    created_at: str


class Replayed(TypedDict):
    replayed: int
    """The number of deliveries that are sent again."""


class RoadmapBoard(TypedDict):
    id: str
    name: str
    slug: str
    description: Optional[str]
    icon_url: Optional[str]
    is_voting_enabled: bool
    created_at: str
    external_id: Optional[str]
    access_code: Access


class RoadmapPost(TypedDict):
    id: str
    title: str
    description: str
    slug: str
    roadmap_board_id: str
    author_id: Optional[str]
    owner_id: Optional[str]
    status_id: str
    category_id: Optional[str]
    eta: Optional[str]
    position: int
    """The number of the post on its board, from 1."""
    created_at: str
    updated_at: str
    tag_ids: List[str]
    feedback_post_ids: List[str]
    """The linked feedback posts."""
    vote_count: int
    external_id: Optional[str]


class SetVote(TypedDict):
    voted: bool
    changed: bool
    """Whether the call cast or withdrew the vote."""


class SetVotes(TypedDict):
    changed: int
    """The number of votes that the call cast or withdrew."""
    unchanged: int


class SimilarFeedbackPost(TypedDict):
    id: str
    title: str
    description: str
    slug: str
    board_id: str
    author_id: str
    owner_id: Optional[str]
    status_id: str
    category_id: Optional[str]
    eta: Optional[str]
    moderation_status_code: ModerationStatus
    created_at: str
    updated_at: str
    tag_ids: List[str]
    vote_count: int
    comment_count: int
    monthly_spend: str
    """The spend of the voters' companies, a decimal with two places."""
    merged_into_id: Optional[str]
    external_id: Optional[str]
    eta_is_public: bool
    is_pinned: bool
    created_by_id: Optional[str]
    """The user who filed the post for its author."""
    status_changed_at: str
    attributes: Dict[str, Union[str, float, bool]]
    roadmap_post_ids: List[str]
    """The roadmap posts that it is linked to."""
    score: float
    """From 0 to 1."""


class Status(TypedDict):
    id: str
    name: str
    code: str
    color: str
    status_group_code: StatusGroup
    is_default_status: bool
    show_on_feedback: bool
    show_on_roadmap: bool
    created_at: str
    external_id: Optional[str]


class Subscriber(TypedDict):
    user_id: str
    name: str
    email: str
    level: SubscriberLevel
    subscribed_at: str


class Success(TypedDict):
    success: Literal[True]


class Tag(TypedDict):
    id: str
    name: str
    code: Optional[str]
    color: str
    show_on_feedback: bool
    show_on_roadmap: bool
    created_at: str
    is_public: bool
    external_id: Optional[str]


class DryRun(TypedDict):
    dry_run: Literal[True]
    effects: Dict[str, int]


class Updated(TypedDict):
    success: Literal[True]
    updated: int
    """The number of changed records."""


class Upserted(TypedDict):
    id: str
    created: bool
    """Whether the call made the record."""


class UpsertedUser(TypedDict):
    id: str
    user_id: str
    created: bool
    """Whether the call made the record."""


class User(TypedDict):
    """A person in the organization. Unknown texts are ``""``."""

    id: str
    """The identifier of the user's link to the organization."""
    user_id: str
    """The identifier of the person. Authors, owners and voters have it."""
    email: str
    name: str
    avatar_url: str
    portal_role: str
    """For example ``end_user``, ``member``, ``admin`` or ``owner``."""
    company_name: str
    customer_status: str
    created_at: str
    is_subscribed: bool
    external_id: Optional[str]
    company_id: Optional[str]
    locale: str
    attributes: Dict[str, Union[str, float, bool]]
    is_blocked: bool
    is_trusted: bool
    """Whether posts and comments of the user need no moderation."""
    updated_at: str


class UserExport(TypedDict):
    """A person, with the records that refer to the person."""

    user: Dict[str, Any]
    company: Optional[Dict[str, Any]]
    records: Dict[str, Any]
    """The records by their kind, as the portable format has them."""


class Vote(TypedDict):
    id: str
    post_id: str
    post_type: PostType
    user_id: str
    created_by_id: Optional[str]
    """The user who cast the vote for the voter."""
    source_url: Optional[str]
    created_at: str


class Voted(TypedDict):
    voted: bool
    """Whether the user has a vote now."""


class Voter(TypedDict):
    user_id: str
    name: str
    email: str
    voted_at: str


class Webhook(TypedDict):
    """A receiver of events."""

    id: str
    url: str
    event_types: List[EventType]
    """Empty: the types of the contract."""
    board_ids: List[str]
    """The feedback boards whose events it gets. Empty: all, and events without a board."""
    description: Optional[str]
    is_active: bool
    failing_since: Optional[str]
    """When the first attempt failed since the last success, or ``None``."""
    last_success_at: Optional[str]
    """When it last took a delivery, to the minute, or ``None``."""
    created_at: str


class WebhookTest(TypedDict):
    status: Optional[int]
    """Null if there was no response."""
    duration_ms: int
    error: Optional[str]
    """The class of the failure, such as ``timeout``, or ``None``."""
    response: str
    """The first KiB of the body."""


Tried = Union[Success, DryRun]
"""The answer of a write with ``dry_run``."""


class UserPage(TypedDict):
    items: List[User]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class CompanyPage(TypedDict):
    items: List[Company]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class FeedbackPostPage(TypedDict):
    items: List[FeedbackPost]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class SubscriberPage(TypedDict):
    items: List[Subscriber]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class ActivityPage(TypedDict):
    items: List[Activity]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class CommentPage(TypedDict):
    items: List[Comment]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class VotePage(TypedDict):
    items: List[Vote]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class VoterPage(TypedDict):
    items: List[Voter]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class RoadmapPostPage(TypedDict):
    items: List[RoadmapPost]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class QueuedItemPage(TypedDict):
    items: List[QueuedItem]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class AuditEntryPage(TypedDict):
    items: List[AuditEntry]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class WebhookPage(TypedDict):
    items: List[Webhook]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class DeliveryPage(TypedDict):
    items: List[Delivery]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class EventPage(TypedDict):
    items: List[Event]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class LabelPage(TypedDict):
    items: List[Label]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class ChangelogEntryPage(TypedDict):
    items: List[ChangelogEntry]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class HelpCollectionPage(TypedDict):
    items: List[HelpCollection]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class HelpCategoryPage(TypedDict):
    items: List[HelpCategory]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class HelpArticleHitPage(TypedDict):
    items: List[HelpArticleHit]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class ListedHelpArticlePage(TypedDict):
    items: List[ListedHelpArticle]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class HelpArticleVersionPage(TypedDict):
    items: List[HelpArticleVersion]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class HelpRedirectPage(TypedDict):
    items: List[HelpRedirect]
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class _GivenCompanyKey(TypedDict):
    external_id: str


class GivenCompany(_GivenCompanyKey, total=False):
    name: str
    monthly_spend: str
    customer_status: str
    attributes: Mapping[str, Optional[Union[str, float, bool]]]


class GivenVoter(TypedDict, total=False):
    voter_id: str
    voter_external_id: str
    voter_email: str
    voter_name: str
    created_at: str


class GivenItem(TypedDict):
    kind: QueuedItemKind
    id: str

"""The types of answers. Members have the names of the JSON, and all members are always present."""

from typing import Any, Dict, List, Literal, Mapping, Optional, TypedDict, Union

Id = str
"""A UUID, in lower case with hyphens."""

Timestamp = str
"""ISO 8601 in UTC: ``2026-03-01T09:30:00.120Z``.

Times of help collections and help categories have the form ``2026-03-01T09:30:00``.
"""

PostType = Literal["feedback", "roadmap"]
ModerationStatus = Literal["pending", "accepted", "rejected", "spam"]
Visibility = Literal["public", "internal"]
StatusGroup = Literal["open", "in-progress", "completed", "closed"]
Access = Literal["public", "signed_in", "team", "custom"]
Moderating = Literal["off", "first_post", "on"]
Guests = Literal["none", "email", "anonymous"]
SubscriptionLevel = Literal["all", "status"]
ErasedContent = Literal["anonymize", "delete"]
ModeratedKind = Literal["post", "comment"]
Door = Literal["api", "dashboard", "portal", "command_line", "background"]
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
ChangelogType = Literal["fixed", "new", "improvement"]
ChangelogStatus = Literal["draft", "published", "scheduled"]
ChangelogSort = Literal["newest", "oldest", "published"]
HelpArticleStatus = Literal["draft", "published"]
HelpArticleSort = Literal["updated", "newest", "oldest", "title", "position"]


Attributes = Dict[str, Union[str, float, bool]]
GivenAttributes = Mapping[str, Union[str, float, bool, None]]
"""New values of attributes. ``None`` removes an attribute."""

UserSort = Literal["newest", "oldest", "name", "updated"]
CompanySort = Literal["newest", "oldest", "name", "updated", "spend"]
FeedbackPostSort = Literal["newest", "oldest", "votes", "trending", "updated", "spend"]


class User(TypedDict):
    """A person in the organization. Unknown texts are ``""``."""

    id: Id
    """The identifier of the link to the organization. Other records refer to ``user_id``."""
    user_id: Id
    email: str
    name: str
    avatar_url: str
    portal_role: str
    company_name: str
    customer_status: str
    created_at: Timestamp
    is_subscribed: bool
    external_id: Optional[str]
    company_id: Optional[Id]
    locale: str
    attributes: Attributes
    is_blocked: bool
    is_trusted: bool
    """Whether posts and comments of the user need no moderation."""
    updated_at: Timestamp


class UserExport(TypedDict):
    """All that is stored of a person."""

    user: Dict[str, Any]
    company: Optional[Dict[str, Any]]
    records: Dict[str, List[Dict[str, Any]]]
    """The records that refer to the person, by their kind."""


class Company(TypedDict):
    id: Id
    external_id: str
    name: str
    monthly_spend: str
    """A decimal with two decimals."""
    customer_status: str
    attributes: Attributes
    created_at: Timestamp
    updated_at: Timestamp


class _CompanyKey(TypedDict):
    external_id: str


class GivenCompany(_CompanyKey, total=False):
    """A company, which is made or changed."""

    name: str
    monthly_spend: str
    customer_status: str
    attributes: GivenAttributes


class FeedbackBoard(TypedDict):
    id: Id
    name: str
    slug: str
    description: Optional[str]
    icon_url: Optional[str]
    is_voting_enabled: bool
    is_commenting_enabled: bool
    show_post_dates: bool
    created_at: Timestamp
    external_id: Optional[str]
    access_code: Access
    allowed_email_domains: List[str]
    allowed_user_ids: List[Id]
    post_moderation_code: Moderating
    comment_moderation_code: Moderating
    guest_code: Guests
    post_template: Optional[str]


class FeedbackPost(TypedDict):
    id: Id
    title: str
    description: str
    slug: str
    board_id: Id
    author_id: Id
    owner_id: Optional[Id]
    status_id: Id
    category_id: Optional[Id]
    eta: Optional[Timestamp]
    moderation_status_code: ModerationStatus
    created_at: Timestamp
    updated_at: Timestamp
    tag_ids: List[Id]
    vote_count: int
    comment_count: int
    monthly_spend: str
    """The spend of the voters' companies, a decimal with two places."""
    merged_into_id: Optional[Id]
    external_id: Optional[str]
    eta_is_public: bool
    is_pinned: bool
    created_by_id: Optional[Id]
    """The user who filed the post for its author."""
    status_changed_at: Timestamp
    attributes: Attributes
    roadmap_post_ids: List[Id]
    """The roadmap posts that it is linked to."""


class SimilarFeedbackPost(FeedbackPost):
    score: float
    """From 0 to 1."""


class Subscriber(TypedDict):
    user_id: Id
    name: str
    email: str
    level: SubscriptionLevel
    subscribed_at: Timestamp


class Comment(TypedDict):
    id: Id
    content: str
    author_id: Id
    parent_comment_id: Optional[Id]
    feedback_post_id: Id
    visibility_code: Visibility
    moderation_status_code: ModerationStatus
    created_at: Timestamp
    updated_at: Timestamp
    external_id: Optional[str]
    is_pinned: bool


class Activity(TypedDict):
    """Something that happened to a feedback post."""

    id: Id
    type: ActivityType
    actor_id: Optional[Id]
    """The acting user, or ``None`` if only the key is known."""
    data: Dict[str, Any]
    created_at: Timestamp


class Deleted(TypedDict):
    """A deleted record in a list with ``include_deleted``."""

    id: Id
    is_active: bool
    updated_at: Timestamp


class Voted(TypedDict):
    voted: bool
    """Whether the user has a vote now."""


class SetVote(Voted):
    changed: bool
    """Whether the call cast or withdrew the vote."""


class SetVotes(TypedDict):
    changed: int
    """The number of votes that the call cast or withdrew."""
    unchanged: int


class GivenVoter(TypedDict, total=False):
    """A voter, by exactly one of the first three. ``voter_name`` is the name of a new user."""

    voter_id: Id
    voter_external_id: str
    voter_email: str
    voter_name: str
    created_at: Timestamp


class Vote(TypedDict):
    id: Id
    post_id: Id
    post_type: PostType
    user_id: Id
    created_by_id: Optional[Id]
    """The user who cast the vote for the voter."""
    source_url: Optional[str]
    created_at: Timestamp


class Voter(TypedDict):
    user_id: Id
    name: str
    email: str
    voted_at: Timestamp


class Category(TypedDict):
    id: Id
    name: str
    code: str
    description: Optional[str]
    color: str
    show_on_feedback: bool
    show_on_roadmap: bool
    created_at: Timestamp
    external_id: Optional[str]


class Tag(TypedDict):
    id: Id
    name: str
    code: Optional[str]
    color: str
    show_on_feedback: bool
    show_on_roadmap: bool
    created_at: Timestamp
    is_public: bool
    external_id: Optional[str]


class Status(TypedDict):
    id: Id
    name: str
    code: str
    color: str
    status_group_code: StatusGroup
    is_default_status: bool
    show_on_feedback: bool
    show_on_roadmap: bool
    created_at: Timestamp
    external_id: Optional[str]


class RoadmapBoard(TypedDict):
    id: Id
    name: str
    slug: str
    description: Optional[str]
    icon_url: Optional[str]
    is_voting_enabled: bool
    created_at: Timestamp
    external_id: Optional[str]
    access_code: Access


class RoadmapPost(TypedDict):
    id: Id
    title: str
    description: str
    slug: str
    roadmap_board_id: Id
    author_id: Optional[Id]
    owner_id: Optional[Id]
    status_id: Id
    category_id: Optional[Id]
    eta: Optional[Timestamp]
    position: int
    """The number of the post on its board, from 1."""
    created_at: Timestamp
    updated_at: Timestamp
    tag_ids: List[Id]
    feedback_post_ids: List[Id]
    """The linked feedback posts."""
    vote_count: int
    external_id: Optional[str]


class Label(TypedDict):
    id: Id
    name: str
    code: str
    color: str
    description: Optional[str]
    created_at: Timestamp


class ChangelogEntry(TypedDict):
    id: Id
    title: str
    content: str
    slug: str
    status_code: ChangelogStatus
    show_on_portal: bool
    featured_image_url: Optional[str]
    author_id: Optional[Id]
    scheduled_at: Optional[Timestamp]
    published_at: Optional[Timestamp]
    created_at: Timestamp
    updated_at: Timestamp
    type: Optional[ChangelogType]
    label_ids: List[Id]


class HelpCollection(TypedDict):
    id: Id
    name: str
    slug: str
    description: str
    icon: str
    color: str
    seq_number: str
    """A decimal with four decimals."""
    category_count: int
    created_at: Timestamp
    updated_at: Timestamp


class HelpCategory(TypedDict):
    id: Id
    collection_id: Id
    name: str
    slug: str
    description: Optional[str]
    icon: Optional[str]
    color: Optional[str]
    seq_number: str
    """A decimal with four decimals."""
    article_count: int
    created_at: Timestamp
    updated_at: Timestamp


class HelpCollectionReference(TypedDict):
    id: Id
    name: str
    slug: str


class HelpCategoryReference(TypedDict):
    id: Id
    name: str
    slug: str
    collection_id: Id


class HelpArticleHit(TypedDict):
    """An article in the answer of a search."""

    id: Id
    title: str
    slug: str
    excerpt: Optional[str]
    status_code: HelpArticleStatus
    show_on_portal: bool
    collection: HelpCollectionReference
    category: Optional[HelpCategoryReference]
    """``None`` if the article is directly in the collection."""


class HelpArticleSummary(HelpArticleHit):
    """An article in a list: all members but ``content``."""

    is_favourite: bool
    seq_number: str
    """A decimal with four decimals."""
    published_at: Optional[Timestamp]
    related_article_ids: List[Id]
    author_id: Optional[Id]
    view_count: int
    helpful_count: int
    not_helpful_count: int
    created_at: Timestamp
    updated_at: Timestamp


class HelpArticle(HelpArticleSummary):
    content: str


class ModeratedItem(TypedDict):
    """A post or a comment."""

    kind: ModeratedKind
    id: Id


class QueuedItem(TypedDict):
    """A post or a comment with a state of moderation."""

    kind: ModeratedKind
    id: Id
    post_id: Id
    board_id: Id
    author_id: Id
    title: str
    content: str
    moderation_status_code: ModerationStatus
    created_at: Timestamp


class AuditEntry(TypedDict):
    """A change of a record."""

    id: Id
    at: Timestamp
    door: Door
    actor_id: Optional[Id]
    """The acting user, or ``None`` if only the key is known."""
    action: str
    """The path of the endpoint, or the command."""
    target_kind: str
    target_id: Id
    data: Dict[str, Any]


class Created(TypedDict):
    id: Id


class UpsertedCompany(Created):
    created: bool
    """Whether the call made the record."""


class UpsertedUser(UpsertedCompany):
    user_id: Id


class Success(TypedDict):
    success: Literal[True]


class Decided(Success):
    changed: int
    """The number of changed records."""


class Updated(Success):
    updated: int
    """The number of changed records."""


class DryRun(TypedDict):
    """The answer of a write that was only tried."""

    dry_run: Literal[True]
    effects: Dict[str, int]
    """What the write would do, such as ``posts_moved``."""


Tried = Union[Success, DryRun]

# Each kind of item has its own page type: a generic TypedDict needs Python 3.11.
class _Page(TypedDict):
    has_next_page: bool
    cursor: Optional[str]
    """The cursor for the next page, or ``None`` on the last page."""


class FeedbackPostPage(_Page):
    items: List[FeedbackPost]


class SubscriberPage(_Page):
    items: List[Subscriber]


class UserPage(_Page):
    items: List[User]


class CompanyPage(_Page):
    items: List[Company]


class ActivityPage(_Page):
    items: List[Activity]


class VotePage(_Page):
    items: List[Vote]


class QueuedItemPage(_Page):
    items: List[QueuedItem]


class AuditPage(_Page):
    items: List[AuditEntry]


class CommentPage(_Page):
    items: List[Comment]


class VoterPage(_Page):
    items: List[Voter]


class RoadmapPostPage(_Page):
    items: List[RoadmapPost]


class LabelPage(_Page):
    items: List[Label]


class ChangelogPage(_Page):
    items: List[ChangelogEntry]


class HelpCollectionPage(_Page):
    items: List[HelpCollection]


class HelpCategoryPage(_Page):
    items: List[HelpCategory]


class HelpArticleHitPage(_Page):
    items: List[HelpArticleHit]


class HelpArticlePage(_Page):
    items: List[HelpArticleSummary]


class WebhookEvent(TypedDict):
    event: str
    """The event type, such as ``vote.created``. New types may be added."""
    organization_id: Id
    occurred_at: Timestamp
    data: Dict[str, Any]
    """The facts of the event, by event type."""


class InvalidField(TypedDict):
    """One wrong field of a request."""

    type: str
    loc: List[Any]
    """``"body"``, the name of the field and, for an element of a list, its index."""
    msg: str
    input: Any

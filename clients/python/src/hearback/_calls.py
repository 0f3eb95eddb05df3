"""The endpoints. A function builds the request of an endpoint, and a client sends it."""

import uuid
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Generic, List, Mapping, Optional, Sequence, TypeVar

from .types import (
    Category,
    ChangelogEntry,
    ChangelogPage,
    ChangelogSort,
    ChangelogStatus,
    ChangelogType,
    Comment,
    CommentPage,
    Created,
    FeedbackBoard,
    FeedbackPost,
    FeedbackPostPage,
    HelpArticle,
    HelpArticleHit,
    HelpArticleHitPage,
    HelpArticlePage,
    HelpArticleSort,
    HelpArticleStatus,
    HelpArticleSummary,
    HelpCategory,
    HelpCategoryPage,
    HelpCollection,
    HelpCollectionPage,
    Label,
    LabelPage,
    ModerationStatus,
    PostType,
    RoadmapBoard,
    Status,
    Success,
    Tag,
    User,
    Visibility,
    Vote,
    Voter,
    VoterPage,
)

AnswerT = TypeVar("AnswerT")
ItemT = TypeVar("ItemT")


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

    def after(self, cursor: str) -> "PageCall[AnswerT, ItemT]":
        """Returns the call of the next page. The server refuses ``skip`` with a cursor."""
        return replace(self, fields={**self.fields, "skip": None, "cursor": cursor})


def _write(path: str, fields: Dict[str, Any]) -> Call[Any]:
    given: Optional[str] = fields.pop("idempotency_key")
    return Call(path, fields, str(uuid.uuid4()) if given is None else given)


# The parameters of each function below are the fields of its endpoint: `locals()` is the body.


class users:
    @staticmethod
    def retrieve(*, user_id: Optional[str] = None, email: Optional[str] = None) -> Call[User]:
        """Returns a user by exactly one of ``user_id`` and ``email``."""
        return Call("/users/retrieve", locals())


class feedback_boards:
    @staticmethod
    def list() -> Call[List[FeedbackBoard]]:
        """All boards, by position."""
        return Call("/feedback-boards/list")

    @staticmethod
    def retrieve(id: str) -> Call[FeedbackBoard]:
        """A board."""
        return Call("/feedback-boards/retrieve", locals())

    @staticmethod
    def create(
        name: str,
        *,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon_url: Optional[str] = None,
        is_voting_enabled: Optional[bool] = None,
        is_commenting_enabled: Optional[bool] = None,
        show_post_dates: Optional[bool] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a board, behind the others."""
        return _write("/feedback-boards/create", locals())

    @staticmethod
    def update(
        board_id: str,
        *,
        name: Optional[str] = None,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon_url: Optional[str] = None,
        is_voting_enabled: Optional[bool] = None,
        is_commenting_enabled: Optional[bool] = None,
        show_post_dates: Optional[bool] = None,
        external_id: Optional[str] = None,
        clear: Optional[List[str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``clear`` takes ``description``, ``icon_url`` and ``external_id``."""
        return _write("/feedback-boards/update", locals())


class feedback_posts:
    @staticmethod
    def retrieve(id: str) -> Call[FeedbackPost]:
        """A feedback post."""
        return Call("/feedback-posts/retrieve", locals())

    @staticmethod
    def list(
        *,
        board_id: Optional[str] = None,
        status_id: Optional[str] = None,
        search: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[FeedbackPostPage, FeedbackPost]:
        """Feedback posts, newest first. ``search`` finds text in title and description."""
        return PageCall("/feedback-posts/list", locals())

    @staticmethod
    def create(
        title: str,
        *,
        board_id: str,
        author_id: Optional[str] = None,
        author_external_id: Optional[str] = None,
        author_email: Optional[str] = None,
        author_name: Optional[str] = None,
        description: Optional[str] = None,
        status_id: Optional[str] = None,
        category_id: Optional[str] = None,
        tag_ids: Optional[List[str]] = None,
        owner_id: Optional[str] = None,
        eta: Optional[str] = None,
        slug: Optional[str] = None,
        moderation_status_code: Optional[ModerationStatus] = None,
        external_id: Optional[str] = None,
        created_at: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a post by exactly one of ``author_id``, ``author_external_id`` and ``author_email``.

        An author who is not known becomes a user. With the ``external_id`` of an existing post, returns its
        identifier.
        """
        return _write("/feedback-posts/create", locals())

    @staticmethod
    def update(
        post_id: str,
        *,
        board_id: Optional[str] = None,
        title: Optional[str] = None,
        description: Optional[str] = None,
        status_id: Optional[str] = None,
        category_id: Optional[str] = None,
        tag_ids: Optional[List[str]] = None,
        owner_id: Optional[str] = None,
        eta: Optional[str] = None,
        slug: Optional[str] = None,
        moderation_status_code: Optional[ModerationStatus] = None,
        external_id: Optional[str] = None,
        expected_updated_at: Optional[str] = None,
        clear: Optional[List[str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``tag_ids`` replaces all tags.

        ``clear`` names the fields to empty: ``category_id``, ``owner_id``, ``eta``, ``external_id``.
        """
        return _write("/feedback-posts/update", locals())

    @staticmethod
    def add_tag(post_id: str, tag_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Adds a tag behind the others."""
        return _write("/feedback-posts/add-tag", locals())

    @staticmethod
    def remove_tag(post_id: str, tag_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Removes a tag."""
        return _write("/feedback-posts/remove-tag", locals())

    @staticmethod
    def delete(post_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Deletes a post."""
        return _write("/feedback-posts/delete", locals())

    @staticmethod
    def restore(post_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Restores a post that was deleted in the last 30 days."""
        return _write("/feedback-posts/restore", locals())

    @staticmethod
    def merge(
        *, merge_post_id: str, into_post_id: str, merger_id: str, idempotency_key: Optional[str] = None
    ) -> Call[Success]:
        """Merges one post into another, with its votes. ``merger_id`` is the acting user."""
        return _write("/feedback-posts/merge", locals())


class comments:
    @staticmethod
    def retrieve(id: str) -> Call[Comment]:
        """A comment."""
        return Call("/comments/retrieve", locals())

    @staticmethod
    def list(
        *, feedback_post_id: str, limit: Optional[int] = None, cursor: Optional[str] = None
    ) -> PageCall[CommentPage, Comment]:
        """The comments of a feedback post, oldest first."""
        return PageCall("/comments/list", locals())

    @staticmethod
    def create(
        content: str,
        *,
        feedback_post_id: str,
        author_id: Optional[str] = None,
        author_external_id: Optional[str] = None,
        author_email: Optional[str] = None,
        author_name: Optional[str] = None,
        parent_comment_id: Optional[str] = None,
        visibility_code: Optional[Visibility] = None,
        moderation_status_code: Optional[ModerationStatus] = None,
        external_id: Optional[str] = None,
        created_at: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Comments on a post by exactly one of ``author_id``, ``author_external_id`` and ``author_email``."""
        return _write("/comments/create", locals())

    @staticmethod
    def update(
        comment_id: str,
        *,
        content: Optional[str] = None,
        visibility_code: Optional[Visibility] = None,
        moderation_status_code: Optional[ModerationStatus] = None,
        expected_updated_at: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values."""
        return _write("/comments/update", locals())

    @staticmethod
    def delete(comment_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Deletes a comment. Replies stay."""
        return _write("/comments/delete", locals())


class votes:
    @staticmethod
    def toggle(*, user_id: str, post_id: str, post_type: PostType, idempotency_key: Optional[str] = None) -> Call[Vote]:
        """Casts the user's vote, or withdraws it."""
        return _write("/votes/toggle", locals())

    @staticmethod
    def voters(
        *, post_id: str, post_type: PostType, limit: Optional[int] = None, cursor: Optional[str] = None
    ) -> PageCall[VoterPage, Voter]:
        """The voters of a post, oldest vote first."""
        return PageCall("/votes/voters", locals())


class categories:
    @staticmethod
    def list() -> Call[List[Category]]:
        """All categories, by name."""
        return Call("/categories/list")

    @staticmethod
    def retrieve(id: str) -> Call[Category]:
        """A category."""
        return Call("/categories/retrieve", locals())

    @staticmethod
    def create(
        name: str,
        *,
        code: Optional[str] = None,
        description: Optional[str] = None,
        color: Optional[str] = None,
        show_on_feedback: Optional[bool] = None,
        show_on_roadmap: Optional[bool] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a category."""
        return _write("/categories/create", locals())

    @staticmethod
    def update(
        category_id: str,
        *,
        name: Optional[str] = None,
        code: Optional[str] = None,
        description: Optional[str] = None,
        color: Optional[str] = None,
        show_on_feedback: Optional[bool] = None,
        show_on_roadmap: Optional[bool] = None,
        external_id: Optional[str] = None,
        clear: Optional[List[str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``clear`` takes ``description`` and ``external_id``."""
        return _write("/categories/update", locals())


class tags:
    @staticmethod
    def list() -> Call[List[Tag]]:
        """All tags, by name."""
        return Call("/tags/list")

    @staticmethod
    def retrieve(id: str) -> Call[Tag]:
        """A tag."""
        return Call("/tags/retrieve", locals())

    @staticmethod
    def create(
        name: str,
        *,
        code: Optional[str] = None,
        color: Optional[str] = None,
        show_on_feedback: Optional[bool] = None,
        show_on_roadmap: Optional[bool] = None,
        is_public: Optional[bool] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a tag. With the ``external_id`` of an existing tag, returns its identifier."""
        return _write("/tags/create", locals())

    @staticmethod
    def update(
        tag_id: str,
        *,
        name: Optional[str] = None,
        code: Optional[str] = None,
        color: Optional[str] = None,
        show_on_feedback: Optional[bool] = None,
        show_on_roadmap: Optional[bool] = None,
        is_public: Optional[bool] = None,
        external_id: Optional[str] = None,
        clear: Optional[List[str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``clear`` names the fields to empty: ``external_id``."""
        return _write("/tags/update", locals())

    @staticmethod
    def delete(tag_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Deletes a tag."""
        return _write("/tags/delete", locals())


class statuses:
    @staticmethod
    def list() -> Call[List[Status]]:
        """All statuses, in workflow order."""
        return Call("/statuses/list")


class roadmap_boards:
    @staticmethod
    def list() -> Call[List[RoadmapBoard]]:
        """All roadmap boards, by position."""
        return Call("/roadmap-boards/list")

    @staticmethod
    def retrieve(id: str) -> Call[RoadmapBoard]:
        """A roadmap board."""
        return Call("/roadmap-boards/retrieve", locals())

    @staticmethod
    def create(
        name: str,
        *,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon_url: Optional[str] = None,
        is_voting_enabled: Optional[bool] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a roadmap board, behind the others."""
        return _write("/roadmap-boards/create", locals())

    @staticmethod
    def update(
        roadmap_board_id: str,
        *,
        name: Optional[str] = None,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon_url: Optional[str] = None,
        is_voting_enabled: Optional[bool] = None,
        external_id: Optional[str] = None,
        clear: Optional[List[str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``clear`` takes ``description``, ``icon_url`` and ``external_id``."""
        return _write("/roadmap-boards/update", locals())


class labels:
    @staticmethod
    def list(*, limit: Optional[int] = None, cursor: Optional[str] = None) -> PageCall[LabelPage, Label]:
        """The labels of changelog entries, by name."""
        return PageCall("/labels/list", locals())


class changelog:
    @staticmethod
    def list(
        *,
        type: Optional[ChangelogType] = None,
        label_ids: Optional[Sequence[str]] = None,
        sort: Optional[ChangelogSort] = None,
        limit: Optional[int] = None,
        skip: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[ChangelogPage, ChangelogEntry]:
        """Changelog entries in every state, newest first, without the first ``skip`` entries."""
        return PageCall("/changelog/list", locals())

    @staticmethod
    def create(
        *,
        title: str,
        details: Optional[str] = None,
        type: Optional[ChangelogType] = None,
        label_ids: Optional[Sequence[str]] = None,
        status_code: Optional[ChangelogStatus] = None,
        published: Optional[bool] = None,
        scheduled_for: Optional[str] = None,
        notify: Optional[bool] = None,
        author_id: Optional[str] = None,
        featured_image_url: Optional[str] = None,
        show_on_portal: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a changelog entry. Subscribers get a mail, unless ``notify`` is false."""
        return _write("/changelog/create", locals())


class help_collections:
    @staticmethod
    def list(
        *, limit: Optional[int] = None, cursor: Optional[str] = None
    ) -> PageCall[HelpCollectionPage, HelpCollection]:
        """Help collections, by position, then name."""
        return PageCall("/help-collections/list", locals())

    @staticmethod
    def retrieve(collection_id: str) -> Call[HelpCollection]:
        """A help collection."""
        return Call("/help-collections/retrieve", locals())

    @staticmethod
    def update(
        collection_id: str,
        *,
        name: Optional[str] = None,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon: Optional[str] = None,
        color: Optional[str] = None,
        expected_updated_at: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. A new slug changes the public URL of all articles inside."""
        return _write("/help-collections/update", locals())


class help_categories:
    @staticmethod
    def list(
        *, collection_id: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None
    ) -> PageCall[HelpCategoryPage, HelpCategory]:
        """Help categories, by position, then name."""
        return PageCall("/help-categories/list", locals())

    @staticmethod
    def retrieve(category_id: str) -> Call[HelpCategory]:
        """A help category."""
        return Call("/help-categories/retrieve", locals())

    @staticmethod
    def create(
        *,
        collection_id: str,
        name: str,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon: Optional[str] = None,
        color: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a help category, at the end of its collection."""
        return _write("/help-categories/create", locals())

    @staticmethod
    def update(
        category_id: str,
        *,
        collection_id: Optional[str] = None,
        name: Optional[str] = None,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon: Optional[str] = None,
        color: Optional[str] = None,
        expected_updated_at: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``collection_id`` moves the category with its articles."""
        return _write("/help-categories/update", locals())


class help_articles:
    @staticmethod
    def search(
        *,
        query: str,
        published_only: Optional[bool] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[HelpArticleHitPage, HelpArticleHit]:
        """Articles with the text in title, content or excerpt, most recently updated first.

        The answer contains drafts unless ``published_only`` is true.
        """
        return PageCall("/help-articles/search", locals())

    @staticmethod
    def list(
        *,
        search: Optional[str] = None,
        collection_id: Optional[str] = None,
        category_id: Optional[str] = None,
        status_code: Optional[HelpArticleStatus] = None,
        is_favourite: Optional[bool] = None,
        sort: Optional[HelpArticleSort] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[HelpArticlePage, HelpArticleSummary]:
        """Articles without ``content``, most recently updated first.

        ``collection_id`` also selects the articles of the collection's categories.
        """
        return PageCall("/help-articles/list", locals())

    @staticmethod
    def retrieve(article_id: str) -> Call[HelpArticle]:
        """A help article."""
        return Call("/help-articles/retrieve", locals())

    @staticmethod
    def create(
        *,
        title: str,
        category_id: Optional[str] = None,
        collection_id: Optional[str] = None,
        content: Optional[str] = None,
        slug: Optional[str] = None,
        excerpt: Optional[str] = None,
        status_code: Optional[HelpArticleStatus] = None,
        show_on_portal: Optional[bool] = None,
        published_at: Optional[str] = None,
        related_article_ids: Optional[Sequence[str]] = None,
        is_favourite: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a help article in a category or directly in a collection: give exactly one."""
        return _write("/help-articles/create", locals())

"""The endpoints, for both clients. The parameters of a method are the fields of its endpoint.

The file is generated: see clients/generate.
"""

from typing import List, Mapping, Optional, Sequence, Union

from ._endpoint import Call, ClientT, PageCall, Resource, call, page, read, read_page, walk, write
from .types import (
    Access,
    Activity,
    ActivityPage,
    AuditEntry,
    AuditEntryPage,
    Category,
    CategoryClear,
    ChangelogClear,
    ChangelogEntry,
    ChangelogEntryPage,
    ChangelogEntryStatus,
    ChangelogEntryType,
    ChangelogSort,
    Comment,
    CommentClear,
    CommentPage,
    Company,
    CompanyPage,
    CompanySort,
    Created,
    Decided,
    Delivery,
    DeliveryPage,
    DeliveryState,
    DeliveryWithAttempts,
    Event,
    EventPage,
    EventType,
    FeedbackBoard,
    FeedbackBoardClear,
    FeedbackPost,
    FeedbackPostClear,
    FeedbackPostPage,
    FeedbackPostSort,
    GivenCompany,
    GivenItem,
    GivenVoter,
    Guest,
    HelpArticle,
    HelpArticleClear,
    HelpArticleHit,
    HelpArticleHitPage,
    HelpArticleSort,
    HelpArticleStatus,
    HelpArticleVersion,
    HelpArticleVersionPage,
    HelpCategory,
    HelpCategoryPage,
    HelpCollection,
    HelpCollectionPage,
    HelpRedirect,
    HelpRedirectPage,
    Label,
    LabelPage,
    ListedHelpArticle,
    ListedHelpArticlePage,
    ModerationStatus,
    NewSecret,
    NewWebhook,
    Ping,
    PostModeration,
    PostType,
    QueuedItem,
    QueuedItemKind,
    QueuedItemPage,
    Replayed,
    RoadmapBoard,
    RoadmapBoardClear,
    RoadmapPost,
    RoadmapPostClear,
    RoadmapPostPage,
    SetVote,
    SetVotes,
    SimilarFeedbackPost,
    Status,
    StatusGroup,
    Subscriber,
    SubscriberLevel,
    SubscriberPage,
    Success,
    Tag,
    Tried,
    Updated,
    Upserted,
    UpsertedUser,
    User,
    UserClear,
    UserContent,
    UserExport,
    UserPage,
    UserSort,
    Visibility,
    Vote,
    VotePage,
    Voted,
    Voter,
    VoterPage,
    Webhook,
    WebhookClear,
    WebhookPage,
    WebhookTest,
)


class Users(Resource[ClientT]):
    @call
    def retrieve(self, *, user_id: Optional[str] = None, email: Optional[str] = None) -> Call[User]:
        """Returns a user by exactly one of ``user_id`` and ``email``."""
        return read("/users/retrieve", locals())

    @page
    def list(
        self,
        *,
        search: Optional[str] = None,
        company_id: Optional[str] = None,
        customer_status: Optional[str] = None,
        portal_role: Optional[str] = None,
        attributes: Optional[Mapping[str, Union[str, float, bool]]] = None,
        is_subscribed: Optional[bool] = None,
        is_blocked: Optional[bool] = None,
        created_after: Optional[str] = None,
        updated_after: Optional[str] = None,
        include_deleted: Optional[bool] = None,
        sort: Optional[UserSort] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[UserPage, User]:
        """Users, newest first. ``search`` finds text in name and address.

        With ``updated_after``, users by their last change, oldest first. With ``include_deleted``, an item may be a
        ``Deleted``.
        """
        return read_page("/users/list", locals())

    iterate = walk(list)

    @call
    def upsert(
        self,
        *,
        external_id: Optional[str] = None,
        email: Optional[str] = None,
        name: Optional[str] = None,
        avatar_url: Optional[str] = None,
        company: Optional[GivenCompany] = None,
        company_name: Optional[str] = None,
        customer_status: Optional[str] = None,
        attributes: Optional[Mapping[str, Optional[Union[str, float, bool]]]] = None,
        locale: Optional[str] = None,
        is_subscribed: Optional[bool] = None,
        created_at: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[UpsertedUser]:
        """Makes a user, or changes the one with this ``external_id``, or else with this ``email``."""
        return write("/users/upsert", locals())

    @call
    def update(
        self,
        user_id: str,
        *,
        external_id: Optional[str] = None,
        email: Optional[str] = None,
        name: Optional[str] = None,
        avatar_url: Optional[str] = None,
        company: Optional[GivenCompany] = None,
        company_name: Optional[str] = None,
        customer_status: Optional[str] = None,
        attributes: Optional[Mapping[str, Optional[Union[str, float, bool]]]] = None,
        locale: Optional[str] = None,
        is_subscribed: Optional[bool] = None,
        expected_updated_at: Optional[str] = None,
        clear: Optional[Sequence[UserClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``clear`` takes ``company_id``, ``external_id`` and ``attributes``."""
        return write("/users/update", locals())

    @call
    def delete(self, user_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Deletes a user. Posts, comments and votes stay."""
        return write("/users/delete", locals())

    @call
    def block(
        self,
        user_id: str,
        *,
        reject_pending: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Blocks a user, who then cannot post, comment or vote.

        ``reject_pending`` rejects the posts and comments of the user that wait for moderation.
        """
        return write("/users/block", locals())

    @call
    def export(self, user_id: str) -> Call[UserExport]:
        """Export all that is stored of a person."""
        return read("/users/export", locals())

    @call
    def unblock(self, user_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Unblock a user."""
        return write("/users/unblock", locals())

    @call
    def merge(
        self,
        merge_user_id: str,
        into_user_id: str,
        *,
        dry_run: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Tried]:
        """Gives all that refers to one user to another one, who is the same person.

        ``dry_run`` changes nothing: the answer has the ``effects``, such as ``posts_moved``.
        """
        return write("/users/merge", locals())

    @call
    def erase(
        self,
        user_id: str,
        *,
        content_code: Optional[UserContent] = None,
        dry_run: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Tried]:
        """Erases all that tells who a user is.

        Posts, comments and votes stay, or with the ``content_code`` ``delete`` are deleted. ``dry_run`` changes
        nothing: the answer has the ``effects``, such as ``posts_deleted``.
        """
        return write("/users/erase", locals())


class Companies(Resource[ClientT]):
    @call
    def retrieve(self, *, id: Optional[str] = None, external_id: Optional[str] = None) -> Call[Company]:
        """Returns a company by exactly one of ``id`` and ``external_id``."""
        return read("/companies/retrieve", locals())

    @page
    def list(
        self,
        *,
        customer_status: Optional[str] = None,
        attributes: Optional[Mapping[str, Union[str, float, bool]]] = None,
        created_after: Optional[str] = None,
        updated_after: Optional[str] = None,
        include_deleted: Optional[bool] = None,
        sort: Optional[CompanySort] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[CompanyPage, Company]:
        """Companies, newest first.

        With ``updated_after``, companies by their last change, oldest first. With ``include_deleted``, an item may
        be a ``Deleted``.
        """
        return read_page("/companies/list", locals())

    iterate = walk(list)

    @call
    def upsert(
        self,
        external_id: str,
        *,
        name: Optional[str] = None,
        monthly_spend: Optional[str] = None,
        customer_status: Optional[str] = None,
        attributes: Optional[Mapping[str, Optional[Union[str, float, bool]]]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Upserted]:
        """Makes a company, or changes the one with this ``external_id``."""
        return write("/companies/upsert", locals())

    @call
    def delete(
        self,
        *,
        id: Optional[str] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Deletes a company by exactly one of ``id`` and ``external_id``."""
        return write("/companies/delete", locals())


class FeedbackBoards(Resource[ClientT]):
    @call
    def list(self) -> Call[List[FeedbackBoard]]:
        """List the feedback boards."""
        return read("/feedback-boards/list", locals())

    @call
    def retrieve(self, id: str) -> Call[FeedbackBoard]:
        """Retrieve a feedback board."""
        return read("/feedback-boards/retrieve", locals())

    @call
    def create(
        self,
        name: str,
        *,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon_url: Optional[str] = None,
        is_voting_enabled: Optional[bool] = None,
        is_commenting_enabled: Optional[bool] = None,
        show_post_dates: Optional[bool] = None,
        access_code: Optional[Access] = None,
        allowed_email_domains: Optional[Sequence[str]] = None,
        allowed_user_ids: Optional[Sequence[str]] = None,
        post_moderation_code: Optional[PostModeration] = None,
        comment_moderation_code: Optional[PostModeration] = None,
        guest_code: Optional[Guest] = None,
        post_template: Optional[str] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a board, behind the others."""
        return write("/feedback-boards/create", locals())

    @call
    def update(
        self,
        board_id: str,
        *,
        name: Optional[str] = None,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon_url: Optional[str] = None,
        is_voting_enabled: Optional[bool] = None,
        is_commenting_enabled: Optional[bool] = None,
        show_post_dates: Optional[bool] = None,
        access_code: Optional[Access] = None,
        allowed_email_domains: Optional[Sequence[str]] = None,
        allowed_user_ids: Optional[Sequence[str]] = None,
        post_moderation_code: Optional[PostModeration] = None,
        comment_moderation_code: Optional[PostModeration] = None,
        guest_code: Optional[Guest] = None,
        post_template: Optional[str] = None,
        external_id: Optional[str] = None,
        clear: Optional[Sequence[FeedbackBoardClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values.

        ``clear`` names the fields to empty: ``description``, ``icon_url``, ``post_template``, ``external_id``.
        """
        return write("/feedback-boards/update", locals())

    @call
    def delete(
        self,
        board_id: str,
        *,
        move_posts_to_board_id: Optional[str] = None,
        delete_posts: Optional[bool] = None,
        dry_run: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Tried]:
        """Deletes a board. Its posts move to another board, or are deleted with it.

        ``dry_run`` changes nothing: the answer has the ``effects``, ``posts_moved`` and ``posts_deleted``.
        """
        return write("/feedback-boards/delete", locals())

    @call
    def reorder(self, ids: Sequence[str], *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Puts the boards in the order of ``ids``, which names all of them."""
        return write("/feedback-boards/reorder", locals())


class FeedbackPosts(Resource[ClientT]):
    @call
    def retrieve(self, id: str) -> Call[FeedbackPost]:
        """Retrieve a feedback post."""
        return read("/feedback-posts/retrieve", locals())

    @call
    def create(
        self,
        board_id: str,
        title: str,
        *,
        description: Optional[str] = None,
        author_id: Optional[str] = None,
        author_external_id: Optional[str] = None,
        author_email: Optional[str] = None,
        author_name: Optional[str] = None,
        status_id: Optional[str] = None,
        category_id: Optional[str] = None,
        tag_ids: Optional[Sequence[str]] = None,
        owner_id: Optional[str] = None,
        eta: Optional[str] = None,
        eta_is_public: Optional[bool] = None,
        slug: Optional[str] = None,
        moderation_status_code: Optional[ModerationStatus] = None,
        attributes: Optional[Mapping[str, Optional[Union[str, float, bool]]]] = None,
        external_id: Optional[str] = None,
        created_by_id: Optional[str] = None,
        is_pinned: Optional[bool] = None,
        created_at: Optional[str] = None,
        subscribe_author: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a post by exactly one of ``author_id``, ``author_external_id`` and ``author_email``.

        An author who is not known becomes a user. The author is subscribed to the post, unless ``subscribe_author``
        is false. With the ``external_id`` of an existing post, returns its identifier.
        """
        return write("/feedback-posts/create", locals())

    @call
    def update(
        self,
        post_id: str,
        *,
        board_id: Optional[str] = None,
        title: Optional[str] = None,
        description: Optional[str] = None,
        status_id: Optional[str] = None,
        category_id: Optional[str] = None,
        tag_ids: Optional[Sequence[str]] = None,
        owner_id: Optional[str] = None,
        eta: Optional[str] = None,
        eta_is_public: Optional[bool] = None,
        slug: Optional[str] = None,
        moderation_status_code: Optional[ModerationStatus] = None,
        attributes: Optional[Mapping[str, Optional[Union[str, float, bool]]]] = None,
        external_id: Optional[str] = None,
        created_by_id: Optional[str] = None,
        is_pinned: Optional[bool] = None,
        expected_updated_at: Optional[str] = None,
        clear: Optional[Sequence[FeedbackPostClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``tag_ids`` replaces all tags.

        ``clear`` names the fields to empty: ``category_id``, ``owner_id``, ``eta``, ``external_id``, ``attributes``.
        """
        return write("/feedback-posts/update", locals())

    @call
    def change_status(
        self,
        post_id: str,
        status_id: str,
        *,
        changed_by_id: Optional[str] = None,
        note: Optional[str] = None,
        notify: Optional[bool] = None,
        eta: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the status. ``note`` becomes a public comment of the user ``changed_by_id``.

        ``notify`` mails the change to the subscribers of the post.
        """
        return write("/feedback-posts/change-status", locals())

    @call
    def bulk_update(
        self,
        post_ids: Sequence[str],
        *,
        board_id: Optional[str] = None,
        status_id: Optional[str] = None,
        category_id: Optional[str] = None,
        owner_id: Optional[str] = None,
        moderation_status_code: Optional[ModerationStatus] = None,
        add_tag_ids: Optional[Sequence[str]] = None,
        remove_tag_ids: Optional[Sequence[str]] = None,
        notify: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Updated]:
        """Changes the given values of up to 100 posts: of all, or of none.

        ``notify`` mails new statuses to the subscribers of the posts.
        """
        return write("/feedback-posts/bulk-update", locals())

    @call
    def add_tag(self, post_id: str, tag_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Adds a tag behind the others."""
        return write("/feedback-posts/add-tag", locals())

    @call
    def remove_tag(self, post_id: str, tag_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Remove a tag from a feedback post."""
        return write("/feedback-posts/remove-tag", locals())

    @call
    def delete(self, post_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Delete a feedback post."""
        return write("/feedback-posts/delete", locals())

    @call
    def restore(self, post_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Restores a post that was deleted in the last 30 days."""
        return write("/feedback-posts/restore", locals())

    @call
    def merge(
        self,
        merge_post_id: str,
        into_post_id: str,
        merger_id: str,
        *,
        dry_run: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Tried]:
        """Merges one post into another, with its votes. ``merger_id`` is the acting user.

        ``dry_run`` changes nothing: the answer has the ``effects``, ``votes_moved`` and ``votes_dropped``.
        """
        return write("/feedback-posts/merge", locals())

    @call
    def unmerge(
        self,
        post_id: str,
        *,
        merger_id: Optional[str] = None,
        dry_run: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Tried]:
        """Ends the merge of a post. Each of both posts has its own votes again.

        ``merger_id`` is the acting user. ``dry_run`` changes nothing: the answer has the ``effects``,
        ``votes_returned``, ``votes_restored`` and ``posts_followed``.
        """
        return write("/feedback-posts/unmerge", locals())

    @page
    def list(
        self,
        *,
        board_id: Optional[str] = None,
        status_id: Optional[str] = None,
        search: Optional[str] = None,
        status_group_code: Optional[StatusGroup] = None,
        category_id: Optional[str] = None,
        tag_ids: Optional[Sequence[str]] = None,
        author_id: Optional[str] = None,
        owner_id: Optional[str] = None,
        company_id: Optional[str] = None,
        moderation_status_code: Optional[ModerationStatus] = None,
        external_id: Optional[str] = None,
        is_merged: Optional[bool] = None,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        updated_after: Optional[str] = None,
        include_deleted: Optional[bool] = None,
        sort: Optional[FeedbackPostSort] = None,
        attributes: Optional[Mapping[str, Union[str, float, bool]]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[FeedbackPostPage, FeedbackPost]:
        """Feedback posts, by default newest first. ``search`` finds text in title and description.

        ``tag_ids`` selects posts with at least one of the tags, and ``company_id`` those with a vote of one of its
        users. With ``updated_after``, posts by their last change, oldest first. With ``include_deleted``, an item
        may be a ``Deleted``.
        """
        return read_page("/feedback-posts/list", locals())

    iterate = walk(list)

    @call
    def similar(
        self,
        *,
        title: Optional[str] = None,
        post_id: Optional[str] = None,
        board_id: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Call[List[SimilarFeedbackPost]]:
        """The posts whose titles are most like ``title``, or like that of ``post_id``, best first."""
        return read("/feedback-posts/similar", locals())

    @page
    def subscribers(
        self,
        post_id: str,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[SubscriberPage, Subscriber]:
        """The subscribers of a post, oldest subscription first."""
        return read_page("/feedback-posts/subscribers", locals())

    iterate_subscribers = walk(subscribers)

    @page
    def activity(
        self,
        post_id: str,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[ActivityPage, Activity]:
        """What happened to a post, newest first."""
        return read_page("/feedback-posts/activity", locals())

    iterate_activity = walk(activity)

    @call
    def subscribe(
        self,
        post_id: str,
        user_id: str,
        *,
        level: Optional[SubscriberLevel] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Subscribes a user, by default to ``all``, or changes the level of a subscriber."""
        return write("/feedback-posts/subscribe", locals())

    @call
    def unsubscribe(self, post_id: str, user_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Ends the subscription of a user, if there is one."""
        return write("/feedback-posts/unsubscribe", locals())


class Comments(Resource[ClientT]):
    @call
    def retrieve(self, id: str) -> Call[Comment]:
        """Retrieve a comment."""
        return read("/comments/retrieve", locals())

    @page
    def list(
        self,
        *,
        feedback_post_id: Optional[str] = None,
        author_id: Optional[str] = None,
        visibility_code: Optional[Visibility] = None,
        moderation_status_code: Optional[ModerationStatus] = None,
        updated_after: Optional[str] = None,
        include_deleted: Optional[bool] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[CommentPage, Comment]:
        """Comments, oldest first: those of a feedback post, or those changed since ``updated_after``.

        With ``include_deleted``, an item may be a ``Deleted``.
        """
        return read_page("/comments/list", locals())

    iterate = walk(list)

    @call
    def create(
        self,
        feedback_post_id: str,
        content: str,
        *,
        author_id: Optional[str] = None,
        author_external_id: Optional[str] = None,
        author_email: Optional[str] = None,
        author_name: Optional[str] = None,
        parent_comment_id: Optional[str] = None,
        visibility_code: Optional[Visibility] = None,
        moderation_status_code: Optional[ModerationStatus] = None,
        notify: Optional[bool] = None,
        external_id: Optional[str] = None,
        created_at: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Comments on a post by exactly one of ``author_id``, ``author_external_id`` and ``author_email``.

        A public comment is mailed to the subscribers of the post, unless ``notify`` is false.
        """
        return write("/comments/create", locals())

    @call
    def update(
        self,
        comment_id: str,
        *,
        content: Optional[str] = None,
        visibility_code: Optional[Visibility] = None,
        moderation_status_code: Optional[ModerationStatus] = None,
        is_pinned: Optional[bool] = None,
        external_id: Optional[str] = None,
        expected_updated_at: Optional[str] = None,
        clear: Optional[Sequence[CommentClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. A post has one pinned comment. ``clear`` takes ``external_id``."""
        return write("/comments/update", locals())

    @call
    def delete(self, comment_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Deletes a comment. Replies stay."""
        return write("/comments/delete", locals())


class Votes(Resource[ClientT]):
    @call
    def toggle(
        self,
        user_id: str,
        post_id: str,
        post_type: PostType,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Call[Voted]:
        """Casts the user's vote, or withdraws it."""
        return write("/votes/toggle", locals())

    @call
    def set(
        self,
        post_id: str,
        post_type: PostType,
        voted: bool,
        *,
        voter_id: Optional[str] = None,
        voter_external_id: Optional[str] = None,
        voter_email: Optional[str] = None,
        voter_name: Optional[str] = None,
        created_by_id: Optional[str] = None,
        source_url: Optional[str] = None,
        created_at: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[SetVote]:
        """Casts or withdraws the vote of exactly one of ``voter_id``, ``voter_external_id`` and ``voter_email``."""
        return write("/votes/set", locals())

    @call
    def set_many(
        self,
        post_id: str,
        post_type: PostType,
        voted: bool,
        voters: Sequence[GivenVoter],
        *,
        idempotency_key: Optional[str] = None,
    ) -> Call[SetVotes]:
        """Casts or withdraws the votes of up to 500 voters on a post: of all, or of none."""
        return write("/votes/set-many", locals())

    @page
    def list(
        self,
        *,
        user_id: Optional[str] = None,
        company_id: Optional[str] = None,
        post_id: Optional[str] = None,
        post_type: Optional[PostType] = None,
        created_after: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[VotePage, Vote]:
        """Votes, oldest first: of a user, of the users of a company, on a post, or all.

        ``post_id`` needs ``post_type``.
        """
        return read_page("/votes/list", locals())

    iterate = walk(list)

    @page
    def voters(
        self,
        post_id: str,
        post_type: PostType,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[VoterPage, Voter]:
        """The voters of a post, oldest vote first."""
        return read_page("/votes/voters", locals())

    iterate_voters = walk(voters)


class Categories(Resource[ClientT]):
    @call
    def list(self) -> Call[List[Category]]:
        """List the categories."""
        return read("/categories/list", locals())

    @call
    def retrieve(self, id: str) -> Call[Category]:
        """Retrieve a category."""
        return read("/categories/retrieve", locals())

    @call
    def create(
        self,
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
        """Create a category."""
        return write("/categories/create", locals())

    @call
    def update(
        self,
        category_id: str,
        *,
        name: Optional[str] = None,
        code: Optional[str] = None,
        description: Optional[str] = None,
        color: Optional[str] = None,
        show_on_feedback: Optional[bool] = None,
        show_on_roadmap: Optional[bool] = None,
        external_id: Optional[str] = None,
        clear: Optional[Sequence[CategoryClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``clear`` takes ``description`` and ``external_id``."""
        return write("/categories/update", locals())

    @call
    def delete(
        self,
        category_id: str,
        *,
        replacement_category_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Deletes a category. Its posts get the replacement, or none."""
        return write("/categories/delete", locals())


class Tags(Resource[ClientT]):
    @call
    def list(self) -> Call[List[Tag]]:
        """List the tags."""
        return read("/tags/list", locals())

    @call
    def retrieve(self, id: str) -> Call[Tag]:
        """Retrieve a tag."""
        return read("/tags/retrieve", locals())

    @call
    def create(
        self,
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
        return write("/tags/create", locals())

    @call
    def update(
        self,
        tag_id: str,
        *,
        name: Optional[str] = None,
        code: Optional[str] = None,
        color: Optional[str] = None,
        show_on_feedback: Optional[bool] = None,
        show_on_roadmap: Optional[bool] = None,
        is_public: Optional[bool] = None,
        external_id: Optional[str] = None,
        clear: Optional[Sequence[CommentClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``clear`` names the fields to empty: ``external_id``."""
        return write("/tags/update", locals())

    @call
    def delete(self, tag_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Delete a tag."""
        return write("/tags/delete", locals())

    @call
    def merge(self, tag_id: str, into_tag_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Deletes a tag, and gives its posts another one."""
        return write("/tags/merge", locals())


class Statuses(Resource[ClientT]):
    @call
    def list(self) -> Call[List[Status]]:
        """List the statuses."""
        return read("/statuses/list", locals())

    @call
    def retrieve(self, id: str) -> Call[Status]:
        """Retrieve a status."""
        return read("/statuses/retrieve", locals())

    @call
    def create(
        self,
        name: str,
        status_group_code: StatusGroup,
        *,
        code: Optional[str] = None,
        color: Optional[str] = None,
        is_default_status: Optional[bool] = None,
        show_on_feedback: Optional[bool] = None,
        show_on_roadmap: Optional[bool] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a status, at the end of its group."""
        return write("/statuses/create", locals())

    @call
    def update(
        self,
        status_id: str,
        *,
        name: Optional[str] = None,
        code: Optional[str] = None,
        color: Optional[str] = None,
        status_group_code: Optional[StatusGroup] = None,
        is_default_status: Optional[bool] = None,
        show_on_feedback: Optional[bool] = None,
        show_on_roadmap: Optional[bool] = None,
        external_id: Optional[str] = None,
        clear: Optional[Sequence[CommentClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. A new default status takes the place of the former one.

        ``clear`` names the fields to empty: ``external_id``.
        """
        return write("/statuses/update", locals())

    @call
    def delete(
        self,
        status_id: str,
        *,
        replacement_status_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Deletes a status. A status in use needs a replacement, which its posts get."""
        return write("/statuses/delete", locals())

    @call
    def reorder(
        self,
        status_group_code: StatusGroup,
        ids: Sequence[str],
        *,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Puts the statuses of a group in the order of ``ids``, which names all of them."""
        return write("/statuses/reorder", locals())


class RoadmapBoards(Resource[ClientT]):
    @call
    def list(self) -> Call[List[RoadmapBoard]]:
        """List the roadmap boards."""
        return read("/roadmap-boards/list", locals())

    @call
    def retrieve(self, id: str) -> Call[RoadmapBoard]:
        """Retrieve a roadmap board."""
        return read("/roadmap-boards/retrieve", locals())

    @call
    def create(
        self,
        name: str,
        *,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon_url: Optional[str] = None,
        is_voting_enabled: Optional[bool] = None,
        access_code: Optional[Access] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a roadmap board, behind the others."""
        return write("/roadmap-boards/create", locals())

    @call
    def update(
        self,
        roadmap_board_id: str,
        *,
        name: Optional[str] = None,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon_url: Optional[str] = None,
        is_voting_enabled: Optional[bool] = None,
        access_code: Optional[Access] = None,
        external_id: Optional[str] = None,
        clear: Optional[Sequence[RoadmapBoardClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``clear`` takes ``description``, ``icon_url`` and ``external_id``."""
        return write("/roadmap-boards/update", locals())

    @call
    def delete(self, roadmap_board_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Deletes a roadmap board without posts."""
        return write("/roadmap-boards/delete", locals())

    @call
    def reorder(self, ids: Sequence[str], *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Puts the roadmap boards in the order of ``ids``, which names all of them."""
        return write("/roadmap-boards/reorder", locals())


class RoadmapPosts(Resource[ClientT]):
    @call
    def retrieve(self, id: str) -> Call[RoadmapPost]:
        """Retrieve a roadmap post."""
        return read("/roadmap-posts/retrieve", locals())

    @page
    def list(
        self,
        *,
        roadmap_board_id: Optional[str] = None,
        status_id: Optional[str] = None,
        category_id: Optional[str] = None,
        owner_id: Optional[str] = None,
        search: Optional[str] = None,
        updated_after: Optional[str] = None,
        include_deleted: Optional[bool] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[RoadmapPostPage, RoadmapPost]:
        """Roadmap posts, by position. ``search`` finds text in title and description.

        With ``updated_after``, posts by their last change, oldest first. With ``include_deleted``, an item may be a
        ``Deleted``.
        """
        return read_page("/roadmap-posts/list", locals())

    iterate = walk(list)

    @call
    def create(
        self,
        roadmap_board_id: str,
        title: str,
        *,
        description: Optional[str] = None,
        slug: Optional[str] = None,
        status_id: Optional[str] = None,
        category_id: Optional[str] = None,
        tag_ids: Optional[Sequence[str]] = None,
        owner_id: Optional[str] = None,
        author_id: Optional[str] = None,
        eta: Optional[str] = None,
        position: Optional[int] = None,
        feedback_post_ids: Optional[Sequence[str]] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a roadmap post at a ``position``, from 1, or behind the others of its board."""
        return write("/roadmap-posts/create", locals())

    @call
    def update(
        self,
        post_id: str,
        *,
        roadmap_board_id: Optional[str] = None,
        title: Optional[str] = None,
        description: Optional[str] = None,
        slug: Optional[str] = None,
        status_id: Optional[str] = None,
        category_id: Optional[str] = None,
        tag_ids: Optional[Sequence[str]] = None,
        owner_id: Optional[str] = None,
        author_id: Optional[str] = None,
        eta: Optional[str] = None,
        position: Optional[int] = None,
        external_id: Optional[str] = None,
        expected_updated_at: Optional[str] = None,
        clear: Optional[Sequence[RoadmapPostClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``tag_ids`` replaces all tags.

        ``clear`` names the fields to empty: ``category_id``, ``owner_id``, ``author_id``, ``eta``, ``external_id``.
        """
        return write("/roadmap-posts/update", locals())

    @call
    def change_status(self, post_id: str, status_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Changes the status, also of the linked posts that follow it."""
        return write("/roadmap-posts/change-status", locals())

    @call
    def link(
        self,
        post_id: str,
        feedback_post_ids: Sequence[str],
        *,
        sync_status: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Links feedback posts. With ``sync_status`` they follow later changes of the status."""
        return write("/roadmap-posts/link", locals())

    @call
    def unlink(
        self,
        post_id: str,
        feedback_post_ids: Sequence[str],
        *,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Unlink feedback posts from a roadmap post."""
        return write("/roadmap-posts/unlink", locals())

    @call
    def delete(self, post_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Delete a roadmap post."""
        return write("/roadmap-posts/delete", locals())


class Moderation(Resource[ClientT]):
    @page
    def list(
        self,
        kind: QueuedItemKind,
        *,
        moderation_status_code: Optional[ModerationStatus] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[QueuedItemPage, QueuedItem]:
        """The posts or the comments in a state of moderation, by default ``pending``, oldest first."""
        return read_page("/moderation/list", locals())

    iterate = walk(list)

    @call
    def decide(
        self,
        items: Sequence[GivenItem],
        moderation_status_code: ModerationStatus,
        *,
        trust_author: Optional[bool] = None,
        block_author: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Decided]:
        """Accepts or rejects up to 100 posts and comments: all, or none.

        ``trust_author`` also trusts their authors, and ``block_author`` blocks them. Give at most one.
        """
        return write("/moderation/decide", locals())


class Audit(Resource[ClientT]):
    @page
    def list(
        self,
        *,
        actor_id: Optional[str] = None,
        action: Optional[str] = None,
        target_id: Optional[str] = None,
        created_after: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[AuditEntryPage, AuditEntry]:
        """The changes of records, newest first. ``action`` is a path, such as ``tags/update``."""
        return read_page("/audit/list", locals())

    iterate = walk(list)


class Webhooks(Resource[ClientT]):
    @page
    def list(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> PageCall[WebhookPage, Webhook]:
        """Webhooks, oldest first, active or not. No answer shows a secret again."""
        return read_page("/webhooks/list", locals())

    iterate = walk(list)

    @call
    def retrieve(self, id: str) -> Call[Webhook]:
        """A webhook, active or not."""
        return read("/webhooks/retrieve", locals())

    @call
    def create(
        self,
        url: str,
        *,
        event_types: Optional[Sequence[EventType]] = None,
        board_ids: Optional[Sequence[str]] = None,
        description: Optional[str] = None,
        is_active: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[NewWebhook]:
        """Makes a webhook, and shows its signing secret this once.

        Without ``event_types`` it gets the types of the contract, and without ``board_ids`` the events of all
        boards.
        """
        return write("/webhooks/create", locals())

    @call
    def update(
        self,
        webhook_id: str,
        *,
        url: Optional[str] = None,
        event_types: Optional[Sequence[EventType]] = None,
        board_ids: Optional[Sequence[str]] = None,
        description: Optional[str] = None,
        is_active: Optional[bool] = None,
        clear: Optional[Sequence[WebhookClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. An empty ``event_types`` or ``board_ids`` stands for all.

        With ``is_active`` its waiting deliveries are sent, and its failures no longer count. ``clear`` takes
        ``description``.
        """
        return write("/webhooks/update", locals())

    @call
    def delete(self, webhook_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Deletes a webhook with its deliveries."""
        return write("/webhooks/delete", locals())

    @call
    def rotate_secret(
        self,
        webhook_id: str,
        *,
        overlap_seconds: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[NewSecret]:
        """Makes a new signing secret, and shows it this once.

        For ``overlap_seconds``, ``webhook-signature`` has a signature of the former secret, too.
        """
        return write("/webhooks/rotate-secret", locals())

    @call
    def test(self, webhook_id: str) -> Call[WebhookTest]:
        """Sends the event ``webhook.test``, and waits up to 30 seconds for the response. The webhook may be inactive.
        """
        return read("/webhooks/test", locals())


class Deliveries(Resource[ClientT]):
    @page
    def list(
        self,
        *,
        webhook_id: Optional[str] = None,
        event_type: Optional[EventType] = None,
        state: Optional[DeliveryState] = None,
        created_after: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[DeliveryPage, Delivery]:
        """Deliveries, newest first: to a webhook, or to all."""
        return read_page("/deliveries/list", locals())

    iterate = walk(list)

    @call
    def retrieve(self, id: str) -> Call[DeliveryWithAttempts]:
        """A delivery with its attempts, oldest first."""
        return read("/deliveries/retrieve", locals())

    @call
    def replay(
        self,
        *,
        delivery_id: Optional[str] = None,
        webhook_id: Optional[str] = None,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        state: Optional[DeliveryState] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Replayed]:
        """Sends a delivery again, or those of a webhook: with the same id and body. Without ``state``, those that
        failed.

        Deliveries of an inactive webhook wait until it is active.
        """
        return write("/deliveries/replay", locals())


class Events(Resource[ClientT]):
    @page
    def list(
        self,
        *,
        event_types: Optional[Sequence[EventType]] = None,
        created_after: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[EventPage, Event]:
        """The events of the last 90 days, in the order of recording, if the organization keeps a ledger of events."""
        return read_page("/events/list", locals())

    iterate = walk(list)


class Labels(Resource[ClientT]):
    @page
    def list(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> PageCall[LabelPage, Label]:
        """List the labels of the changelog."""
        return read_page("/labels/list", locals())

    iterate = walk(list)

    @call
    def retrieve(self, id: str) -> Call[Label]:
        """Retrieve a label."""
        return read("/labels/retrieve", locals())

    @call
    def create(
        self,
        name: str,
        color: str,
        *,
        code: Optional[str] = None,
        description: Optional[str] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a label. With the ``external_id`` of an existing label, returns its identifier."""
        return write("/labels/create", locals())

    @call
    def update(
        self,
        label_id: str,
        *,
        name: Optional[str] = None,
        code: Optional[str] = None,
        color: Optional[str] = None,
        description: Optional[str] = None,
        external_id: Optional[str] = None,
        clear: Optional[Sequence[CategoryClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``clear`` takes ``description`` and ``external_id``."""
        return write("/labels/update", locals())

    @call
    def delete(self, label_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Deletes a label. Entries that have it keep it."""
        return write("/labels/delete", locals())


class Changelog(Resource[ClientT]):
    @call
    def retrieve(self, id: str) -> Call[ChangelogEntry]:
        """An entry in any state."""
        return read("/changelog/retrieve", locals())

    @page
    def list(
        self,
        *,
        type: Optional[ChangelogEntryType] = None,
        label_ids: Optional[Sequence[str]] = None,
        sort: Optional[ChangelogSort] = None,
        limit: Optional[int] = None,
        skip: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[ChangelogEntryPage, ChangelogEntry]:
        """Changelog entries in every state, newest first, without the first ``skip`` entries."""
        return read_page("/changelog/list", locals())

    iterate = walk(list)

    @call
    def create(
        self,
        title: str,
        *,
        details: Optional[str] = None,
        type: Optional[ChangelogEntryType] = None,
        label_ids: Optional[Sequence[str]] = None,
        status_code: Optional[ChangelogEntryStatus] = None,
        published: Optional[bool] = None,
        scheduled_for: Optional[str] = None,
        notify: Optional[bool] = None,
        author_id: Optional[str] = None,
        featured_image_url: Optional[str] = None,
        show_on_portal: Optional[bool] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a changelog entry. Subscribers get a mail, unless ``notify`` is false."""
        return write("/changelog/create", locals())

    @call
    def update(
        self,
        entry_id: str,
        *,
        title: Optional[str] = None,
        details: Optional[str] = None,
        type: Optional[ChangelogEntryType] = None,
        label_ids: Optional[Sequence[str]] = None,
        featured_image_url: Optional[str] = None,
        show_on_portal: Optional[bool] = None,
        slug: Optional[str] = None,
        author_id: Optional[str] = None,
        notify: Optional[bool] = None,
        published_at: Optional[str] = None,
        external_id: Optional[str] = None,
        expected_updated_at: Optional[str] = None,
        clear: Optional[Sequence[ChangelogClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``label_ids`` replaces all labels, and ``published_at`` needs a published entry.

        ``clear`` names the fields to empty: ``type``, ``featured_image_url``, ``author_id``, ``external_id``.
        """
        return write("/changelog/update", locals())

    @call
    def publish(
        self,
        entry_id: str,
        *,
        scheduled_for: Optional[str] = None,
        notify: Optional[bool] = None,
        notify_voters: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Publishes a draft or a scheduled entry. With ``scheduled_for`` in the future, schedules it.

        Subscribers get a mail, unless ``notify`` is false. With ``notify_voters``, the subscribers of linked posts
        get one in any case. Nobody gets a second mail about an entry.
        """
        return write("/changelog/publish", locals())

    @call
    def unpublish(self, entry_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Makes a draft of a published or scheduled entry."""
        return write("/changelog/unpublish", locals())

    @call
    def delete(self, entry_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Deletes an entry. Its slug stays taken."""
        return write("/changelog/delete", locals())

    @call
    def link_posts(
        self,
        entry_id: str,
        post_ids: Sequence[str],
        *,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Links feedback posts to an entry that answers them."""
        return write("/changelog/link-posts", locals())

    @call
    def unlink_posts(
        self,
        entry_id: str,
        post_ids: Sequence[str],
        *,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Unlink feedback posts from an entry of the changelog."""
        return write("/changelog/unlink-posts", locals())


class HelpCollections(Resource[ClientT]):
    @page
    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[HelpCollectionPage, HelpCollection]:
        """List the help collections."""
        return read_page("/help-collections/list", locals())

    iterate = walk(list)

    @call
    def retrieve(self, collection_id: str) -> Call[HelpCollection]:
        """Retrieve a help collection."""
        return read("/help-collections/retrieve", locals())

    @call
    def create(
        self,
        name: str,
        *,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon: Optional[str] = None,
        color: Optional[str] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a help collection, behind the others."""
        return write("/help-collections/create", locals())

    @call
    def update(
        self,
        collection_id: str,
        *,
        name: Optional[str] = None,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon: Optional[str] = None,
        color: Optional[str] = None,
        external_id: Optional[str] = None,
        expected_updated_at: Optional[str] = None,
        clear: Optional[Sequence[CommentClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. A new slug changes the public URL of all articles inside."""
        return write("/help-collections/update", locals())

    @call
    def delete(
        self,
        collection_id: str,
        *,
        move_to_collection_id: Optional[str] = None,
        delete_articles: Optional[bool] = None,
        dry_run: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Tried]:
        """Deletes a help collection. Its categories and articles move to the end of another one, or are deleted with
        it. Otherwise the collection must have no articles, and its categories are deleted.

        ``dry_run`` changes nothing: the answer has the ``effects``, such as ``articles_moved`` and ``urls_changed``.
        """
        return write("/help-collections/delete", locals())

    @call
    def reorder(self, ids: Sequence[str], *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Puts the collections in the order of ``ids``, which names all of them."""
        return write("/help-collections/reorder", locals())


class HelpCategories(Resource[ClientT]):
    @page
    def list(
        self,
        *,
        collection_id: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[HelpCategoryPage, HelpCategory]:
        """List the help categories of a collection."""
        return read_page("/help-categories/list", locals())

    iterate = walk(list)

    @call
    def retrieve(self, category_id: str) -> Call[HelpCategory]:
        """Retrieve a help category."""
        return read("/help-categories/retrieve", locals())

    @call
    def create(
        self,
        collection_id: str,
        name: str,
        *,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon: Optional[str] = None,
        color: Optional[str] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a help category, at the end of its collection."""
        return write("/help-categories/create", locals())

    @call
    def update(
        self,
        category_id: str,
        *,
        collection_id: Optional[str] = None,
        name: Optional[str] = None,
        slug: Optional[str] = None,
        description: Optional[str] = None,
        icon: Optional[str] = None,
        color: Optional[str] = None,
        external_id: Optional[str] = None,
        expected_updated_at: Optional[str] = None,
        clear: Optional[Sequence[CommentClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``collection_id`` moves the category with its articles."""
        return write("/help-categories/update", locals())

    @call
    def delete(
        self,
        category_id: str,
        *,
        move_to_collection_id: Optional[str] = None,
        delete_articles: Optional[bool] = None,
        dry_run: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Tried]:
        """Deletes a help category. Its articles move to the end of a collection, or are deleted with it. Otherwise the
        category must have no articles.

        ``dry_run`` changes nothing: the answer has the ``effects``, such as ``articles_moved`` and ``urls_changed``.
        """
        return write("/help-categories/delete", locals())

    @call
    def reorder(
        self,
        collection_id: str,
        ids: Sequence[str],
        *,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Puts the categories of a collection in the order of ``ids``, which names all of them."""
        return write("/help-categories/reorder", locals())


class HelpArticles(Resource[ClientT]):
    @page
    def search(
        self,
        query: str,
        *,
        published_only: Optional[bool] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[HelpArticleHitPage, HelpArticleHit]:
        """Articles with the text in title, content or excerpt, most recently updated first.

        The answer contains drafts unless ``published_only`` is true.
        """
        return read_page("/help-articles/search", locals())

    iterate_search = walk(search)

    @page
    def list(
        self,
        *,
        search: Optional[str] = None,
        collection_id: Optional[str] = None,
        category_id: Optional[str] = None,
        status_code: Optional[HelpArticleStatus] = None,
        is_favourite: Optional[bool] = None,
        sort: Optional[HelpArticleSort] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[ListedHelpArticlePage, ListedHelpArticle]:
        """Articles without ``content``, most recently updated first.

        ``collection_id`` also selects the articles of the collection's categories.
        """
        return read_page("/help-articles/list", locals())

    iterate = walk(list)

    @call
    def retrieve(self, article_id: str) -> Call[HelpArticle]:
        """Retrieve a help article."""
        return read("/help-articles/retrieve", locals())

    @call
    def create(
        self,
        title: str,
        *,
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
        author_id: Optional[str] = None,
        external_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Created]:
        """Makes a help article in a category or directly in a collection: give exactly one."""
        return write("/help-articles/create", locals())

    @call
    def update(
        self,
        article_id: str,
        *,
        category_id: Optional[str] = None,
        collection_id: Optional[str] = None,
        title: Optional[str] = None,
        content: Optional[str] = None,
        slug: Optional[str] = None,
        excerpt: Optional[str] = None,
        show_on_portal: Optional[bool] = None,
        published_at: Optional[str] = None,
        related_article_ids: Optional[Sequence[str]] = None,
        is_favourite: Optional[bool] = None,
        author_id: Optional[str] = None,
        external_id: Optional[str] = None,
        expected_updated_at: Optional[str] = None,
        clear: Optional[Sequence[HelpArticleClear]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Changes the given values. ``category_id`` or ``collection_id`` moves the article to the end of it.

        ``clear`` names the fields to empty: ``excerpt``, ``author_id``, ``external_id``.
        """
        return write("/help-articles/update", locals())

    @call
    def publish(self, article_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Publish a help article."""
        return write("/help-articles/publish", locals())

    @call
    def unpublish(self, article_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Makes a draft of an article. Its ``published_at`` becomes ``None``."""
        return write("/help-articles/unpublish", locals())

    @call
    def delete(self, article_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Deletes an article. Its slug stays taken."""
        return write("/help-articles/delete", locals())

    @call
    def restore(self, article_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Restores an article that was deleted in the last 30 days."""
        return write("/help-articles/restore", locals())

    @page
    def versions(
        self,
        article_id: str,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[HelpArticleVersionPage, HelpArticleVersion]:
        """The versions of an article, newest first. The first one is the article as it is.

        The newest 100 are kept, and of the older ones the last of each day.
        """
        return read_page("/help-articles/versions", locals())

    iterate_versions = walk(versions)

    @call
    def restore_version(self, article_id: str, version: int, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Gives an article the title and content of an older version. That is a new version."""
        return write("/help-articles/restore-version", locals())

    @call
    def feedback(
        self,
        article_id: str,
        is_helpful: bool,
        *,
        comment: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Counts whether a reader found a help article helpful. The audit log has the ``comment``."""
        return write("/help-articles/feedback", locals())

    @call
    def reorder(
        self,
        ids: Sequence[str],
        *,
        category_id: Optional[str] = None,
        collection_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Call[Success]:
        """Puts the articles directly in a collection, or in a category, in the order of ``ids``."""
        return write("/help-articles/reorder", locals())


class HelpRedirects(Resource[ClientT]):
    @page
    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> PageCall[HelpRedirectPage, HelpRedirect]:
        """Redirects, newest first. A page that is moved or gets another slug leaves one."""
        return read_page("/help-redirects/list", locals())

    iterate = walk(list)

    @call
    def create(self, from_path: str, to_path: str, *, idempotency_key: Optional[str] = None) -> Call[Created]:
        """Leads a path, and all that leads there, to another one. A page at the path is shown nevertheless."""
        return write("/help-redirects/create", locals())

    @call
    def delete(self, redirect_id: str, *, idempotency_key: Optional[str] = None) -> Call[Success]:
        """Deletes a redirect."""
        return write("/help-redirects/delete", locals())


class Whole(Resource[ClientT]):
    @call
    def ping(self) -> Call[Ping]:
        """Name the organization of the key."""
        return read("/ping", locals())


class Resources(Whole[ClientT]):
    """The resources of a client."""

    def __init__(self, client: ClientT) -> None:
        super().__init__(client)
        self.users = Users(client)
        self.companies = Companies(client)
        self.feedback_boards = FeedbackBoards(client)
        self.feedback_posts = FeedbackPosts(client)
        self.comments = Comments(client)
        self.votes = Votes(client)
        self.categories = Categories(client)
        self.tags = Tags(client)
        self.statuses = Statuses(client)
        self.roadmap_boards = RoadmapBoards(client)
        self.roadmap_posts = RoadmapPosts(client)
        self.moderation = Moderation(client)
        self.audit = Audit(client)
        self.webhooks = Webhooks(client)
        self.deliveries = Deliveries(client)
        self.events = Events(client)
        self.labels = Labels(client)
        self.changelog = Changelog(client)
        self.help_collections = HelpCollections(client)
        self.help_categories = HelpCategories(client)
        self.help_articles = HelpArticles(client)
        self.help_redirects = HelpRedirects(client)

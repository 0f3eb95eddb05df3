//! The rows of records: one column for each value.

use crate::column::{BadRow, Column, EmptyIsNull, Origin, Words};
use crate::edited::Edited;
use crate::schema::*;
use crate::values::Id;
use diesel::backend::Backend;
use diesel::expression::{
    AppearsOnTable, Expression, Selectable, SelectableExpression, TypedExpressionType,
    ValidGrouping, is_aggregate,
};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use hearback_domain::Time;
use hearback_domain::access::{Access, Guests, Moderating};
use hearback_domain::api_key::{ApiKey, KeyDigest, Sealed};
use hearback_domain::attributes::Attributes;
use hearback_domain::category::Category;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus, EntryType};
use hearback_domain::comment::{Comment, Visibility};
use hearback_domain::company::Company;
use hearback_domain::entry_link::EntryLink;
use hearback_domain::event::EventType;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::help_redirect::{HelpRedirect, Path};
use hearback_domain::id::*;
use hearback_domain::label::Label;
use hearback_domain::merge::{DroppedVote, MergeRecord};
use hearback_domain::organization::{HelpCenter, Organization};
use hearback_domain::portal::PortalSettings;
use hearback_domain::position::Position;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::slug::Slug;
use hearback_domain::spend::Spend;
use hearback_domain::status::{Status, StatusGroup};
use hearback_domain::subscription::{Level, Subscription};
use hearback_domain::tag::Tag;
use hearback_domain::user::{PostMail, User};
use hearback_domain::webhook_subscription::WebhookSubscription;
use std::marker::PhantomData;

/// A row with the identifiers that another table lists for it.
#[derive(Queryable)]
pub struct Listed<R> {
    /// The row.
    pub row: R,
    /// The identifiers, in their order.
    pub ids: Vec<Id>,
}

/// A kind of records whose updates can name the changed columns alone.
pub trait EditedRow: Sized {
    /// The columns that an edit changes.
    type Changes<'a>
    where
        Self: 'a;

    /// The changes of an edit. SQLite writes all indexes of the columns that an update names, and
    /// looks for the records that they refer to, even if the values stay. PostgreSQL compares the
    /// values.
    fn changes<'a>(edited: &Edited<'a, Self>) -> Self::Changes<'a>;
}

/// The columns of a row, as one text.
pub trait TextOfColumns: 'static {
    /// The text, behind a comma and a space.
    const TEXT: &'static str;
    /// The types of the columns.
    type SqlType;
}

/// The columns of a row in the list of a statement. Diesel would walk all columns by themselves,
/// several times for each execution.
pub struct Columns<R>(PhantomData<R>);

impl<R: TextOfColumns> QueryId for Columns<R> {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<R: TextOfColumns, DB: Backend> QueryFragment<DB> for Columns<R> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(R::TEXT.trim_start_matches(", "));
        Ok(())
    }
}

impl<R: TextOfColumns<SqlType: TypedExpressionType>> Expression for Columns<R> {
    type SqlType = R::SqlType;
}

impl<R: TextOfColumns<SqlType: TypedExpressionType>, QS> AppearsOnTable<QS> for Columns<R> {}

impl<R: TextOfColumns<SqlType: TypedExpressionType>, QS> SelectableExpression<QS> for Columns<R> {}

impl<R> ValidGrouping<()> for Columns<R> {
    type IsAggregate = is_aggregate::No;
}

/// Declares the row of a kind: each column with its [`Column`]. A column in `named` has another
/// name than the field of the record. The field after `lists` is stored in another table.
macro_rules! row {
    (
        $row:ident: $kind:ident in $table:ident {
            $($(#[$attribute:meta])* $column:ident: $type:ty,)+
        }
        $(named { $($other:ident: $other_type:ty = $field:ident,)+ })?
        $(lists $list:ident)?
    ) => {
        #[doc = concat!("A row of `", stringify!($table), "`.")]
        #[derive(AsChangeset, Insertable, Queryable)]
        #[diesel(
            table_name = $table,
            treat_none_as_default_value = false,
            treat_none_as_null = true
        )]
        pub struct $row<'a> {
            $(
                $(#[$attribute])*
                #[doc = concat!("The column `", stringify!($column), "`.")]
                pub $column: <$type as Column>::Held<'a>,
            )+
            $($(
                #[doc = concat!("The column `", stringify!($other), "`.")]
                pub $other: <$other_type as Column>::Held<'a>,
            )+)?
        }

        impl<'a> From<&'a $kind> for $row<'a> {
            fn from(record: &'a $kind) -> Self {
                Self {
                    $($column: <$type>::hold(&record.$column),)+
                    $($($other: <$other_type>::hold(&record.$field),)+)?
                }
            }
        }

        impl TextOfColumns for $row<'static> {
            const TEXT: &'static str = concat!(
                "", $(", ", stringify!($table), ".", stringify!($column),)+
                $($(", ", stringify!($table), ".", stringify!($other),)+)?
            );
            type SqlType = (
                $(<$table::$column as Expression>::SqlType,)+
                $($(<$table::$other as Expression>::SqlType,)+)?
            );
        }

        impl<DB: Backend> Selectable<DB> for $row<'_> {
            type SelectExpression = Columns<$row<'static>>;

            fn construct_selection() -> Self::SelectExpression {
                Columns(PhantomData)
            }
        }

        const _: () = {
            #[derive(AsChangeset)]
            #[diesel(table_name = $table)]
            #[expect(dead_code, reason = "an update never writes the identifier")]
            pub struct Changes<'a> {
                $($(#[$attribute])* $column: Option<<$type as Column>::Held<'a>>,)+
                $($($other: Option<<$other_type as Column>::Held<'a>>,)+)?
            }

            impl EditedRow for $kind {
                type Changes<'a> = Changes<'a>;

                fn changes<'a>(edited: &Edited<'a, Self>) -> Changes<'a> {
                    let Edited { before, after, .. } = *edited;
                    Changes {
                        $($column: (before.$column != after.$column)
                            .then(|| <$type>::hold(&after.$column)),)+
                        $($($other: (before.$field != after.$field)
                            .then(|| <$other_type>::hold(&after.$field)),)+)?
                    }
                }
            }
        };

        row!(@read $row: $kind in $table {
            $($column: $type = $column,)+
            $($($other: $other_type = $field,)+)?
        } $($list)?);
    };
    (@read $row:ident: $kind:ident in $table:ident {
        $($column:ident: $type:ty = $field:ident,)+
    }) => {
        impl TryFrom<$row<'_>> for $kind {
            type Error = BadRow;

            fn try_from(row: $row<'_>) -> Result<Self, BadRow> {
                let origin = Origin::new(stringify!($table), row.id);
                Ok(Self { $($field: origin.read::<$type>(stringify!($column), row.$column)?,)+ })
            }
        }
    };
    (@read $row:ident: $kind:ident in $table:ident {
        $($column:ident: $type:ty = $field:ident,)+
    } $list:ident) => {
        impl TryFrom<Listed<$row<'_>>> for $kind {
            type Error = BadRow;

            fn try_from(Listed { row, ids }: Listed<$row<'_>>) -> Result<Self, BadRow> {
                let origin = Origin::new(stringify!($table), row.id);
                Ok(Self {
                    $($field: origin.read::<$type>(stringify!($column), row.$column)?,)+
                    $list: ids.into_iter().map(Id::to).collect(),
                })
            }
        }
    };
}

row! {
    OrganizationRow: Organization in organizations {
        id: OrganizationId,
        name: String,
        slug: Slug,
        events_ledger: bool,
        portal: PortalSettings,
        created_at: Time,
    } named {
        help_center_enabled: HelpCenter = help_center,
    }
}

row! {
    CompanyRow: Company in companies {
        id: CompanyId,
        external_id: String,
        name: String,
        monthly_spend: Spend,
        customer_status: String,
        attributes: Attributes,
        is_active: bool,
        created_at: Time,
        updated_at: Time,
    }
}

row! {
    UserRow: User in users {
        id: MembershipId,
        // SQLite would look for the records of the person in each update that names the column.
        #[diesel(skip_update)]
        user_id: UserId,
        email: EmptyIsNull,
        name: String,
        avatar_url: String,
        portal_role: String,
        company_id: Option<CompanyId>,
        company_name: String,
        customer_status: String,
        locale: String,
        attributes: Attributes,
        is_subscribed: bool,
        post_mail: PostMail,
        changelog_mail: bool,
        is_blocked: bool,
        is_trusted: bool,
        external_id: Option<String>,
        is_active: bool,
        created_at: Time,
        updated_at: Time,
    }
}

row! {
    FeedbackBoardRow: FeedbackBoard in feedback_boards {
        id: BoardId,
        name: String,
        slug: Slug,
        description: Option<String>,
        icon_url: Option<String>,
        is_voting_enabled: bool,
        is_commenting_enabled: bool,
        show_post_dates: bool,
        allowed_email_domains: Words,
        allowed_user_ids: Vec<UserId>,
        post_template: Option<String>,
        external_id: Option<String>,
        is_active: bool,
        seq_number: Position,
        created_at: Time,
    } named {
        access_code: Access = access,
        post_moderation_code: Moderating = post_moderation,
        comment_moderation_code: Moderating = comment_moderation,
        guest_code: Guests = guests,
    }
}

row! {
    RoadmapBoardRow: RoadmapBoard in roadmap_boards {
        id: RoadmapBoardId,
        name: String,
        slug: Slug,
        description: Option<String>,
        icon_url: Option<String>,
        is_voting_enabled: bool,
        external_id: Option<String>,
        is_active: bool,
        seq_number: Position,
        created_at: Time,
    } named {
        access_code: Access = access,
    }
}

row! {
    StatusRow: Status in statuses {
        id: StatusId,
        name: String,
        code: String,
        color: String,
        is_default_status: bool,
        show_on_feedback: bool,
        show_on_roadmap: bool,
        external_id: Option<String>,
        is_active: bool,
        seq_number: Position,
        created_at: Time,
    } named {
        status_group_code: StatusGroup = group,
    }
}

row! {
    CategoryRow: Category in categories {
        id: CategoryId,
        name: String,
        code: String,
        description: Option<String>,
        color: String,
        show_on_feedback: bool,
        show_on_roadmap: bool,
        external_id: Option<String>,
        is_active: bool,
        created_at: Time,
    }
}

row! {
    TagRow: Tag in tags {
        id: TagId,
        name: String,
        code: Option<String>,
        color: String,
        show_on_feedback: bool,
        show_on_roadmap: bool,
        is_public: bool,
        external_id: Option<String>,
        is_active: bool,
        created_at: Time,
    }
}

// An update writes a long text only if it changes, and never writes `merged_into_id`.
row! {
    FeedbackPostRow: FeedbackPost in feedback_posts {
        id: PostId,
        title: String,
        #[diesel(skip_update)]
        description: String,
        slug: Slug,
        board_id: BoardId,
        author_id: UserId,
        owner_id: Option<UserId>,
        status_id: StatusId,
        category_id: Option<CategoryId>,
        eta: Option<Time>,
        eta_is_public: bool,
        is_pinned: bool,
        attributes: Attributes,
        created_by_id: Option<UserId>,
        status_changed_at: Time,
        tag_ids: Vec<TagId>,
        #[diesel(skip_update)]
        merged_into_id: Option<PostId>,
        external_id: Option<String>,
        is_active: bool,
        created_at: Time,
        updated_at: Time,
    } named {
        moderation_status_code: Moderation = moderation,
    }
}

row! {
    RoadmapPostRow: RoadmapPost in roadmap_posts {
        id: RoadmapPostId,
        title: String,
        description: String,
        slug: Slug,
        roadmap_board_id: RoadmapBoardId,
        author_id: Option<UserId>,
        owner_id: Option<UserId>,
        status_id: StatusId,
        category_id: Option<CategoryId>,
        eta: Option<Time>,
        tag_ids: Vec<TagId>,
        external_id: Option<String>,
        is_active: bool,
        seq_number: Position,
        created_at: Time,
        updated_at: Time,
    }
}

row! {
    RoadmapLinkRow: RoadmapLink in roadmap_links {
        id: RoadmapLinkId,
        roadmap_post_id: RoadmapPostId,
        feedback_post_id: PostId,
        sync_status: bool,
        created_at: Time,
    }
}

row! {
    SubscriptionRow: Subscription in post_subscriptions {
        id: PostSubscriptionId,
        feedback_post_id: PostId,
        user_id: UserId,
        level: Level,
        created_at: Time,
    }
}

row! {
    CommentRow: Comment in comments {
        id: CommentId,
        #[diesel(skip_update)]
        content: String,
        author_id: UserId,
        #[diesel(skip_update)]
        parent_comment_id: Option<CommentId>,
        #[diesel(skip_update)]
        feedback_post_id: PostId,
        is_pinned: bool,
        external_id: Option<String>,
        is_active: bool,
        created_at: Time,
        updated_at: Time,
    } named {
        visibility_code: Visibility = visibility,
        moderation_status_code: Moderation = moderation,
    }
}

row! {
    MergeRow: MergeRecord in merges {
        id: MergeId,
        merge_post_id: PostId,
        into_post_id: PostId,
        merger_id: UserId,
        moved_user_ids: Vec<UserId>,
        dropped_user_ids: Vec<UserId>,
        votes_kept: bool,
        created_at: Time,
    }
}

row! {
    DroppedVoteRow: DroppedVote in dropped_votes {
        id: VoteId,
        user_id: UserId,
        feedback_post_id: PostId,
        kept_post_id: PostId,
        created_by_id: Option<UserId>,
        source_url: Option<String>,
        created_at: Time,
    }
}

row! {
    LabelRow: Label in labels {
        id: LabelId,
        name: String,
        code: String,
        color: String,
        description: Option<String>,
        external_id: Option<String>,
        is_active: bool,
        created_at: Time,
    }
}

row! {
    ChangelogEntryRow: ChangelogEntry in changelog_entries {
        id: ChangelogEntryId,
        title: String,
        #[diesel(skip_update)]
        content: String,
        slug: Slug,
        show_on_portal: bool,
        featured_image_url: Option<String>,
        author_id: Option<UserId>,
        scheduled_at: Option<Time>,
        published_at: Option<Time>,
        entry_type: Option<EntryType>,
        notify: bool,
        notify_voters: bool,
        external_id: Option<String>,
        is_active: bool,
        created_at: Time,
        updated_at: Time,
    } named {
        status_code: EntryStatus = status,
    } lists label_ids
}

row! {
    EntryLinkRow: EntryLink in entry_links {
        id: EntryLinkId,
        changelog_entry_id: ChangelogEntryId,
        feedback_post_id: PostId,
        created_at: Time,
    }
}

row! {
    HelpCollectionRow: HelpCollection in help_collections {
        id: HelpCollectionId,
        name: String,
        slug: Slug,
        description: String,
        icon: String,
        color: String,
        seq_number: Position,
        external_id: Option<String>,
        is_active: bool,
        created_at: Time,
        updated_at: Time,
    }
}

row! {
    HelpCategoryRow: HelpCategory in help_categories {
        id: HelpCategoryId,
        collection_id: HelpCollectionId,
        name: String,
        slug: Slug,
        description: Option<String>,
        icon: Option<String>,
        color: Option<String>,
        seq_number: Position,
        external_id: Option<String>,
        is_active: bool,
        created_at: Time,
        updated_at: Time,
    }
}

row! {
    HelpArticleVersionRow: HelpArticleVersion in help_article_versions {
        id: HelpArticleVersionId,
        help_article_id: HelpArticleId,
        version: i64,
        author_id: Option<UserId>,
        title: String,
        content: String,
        created_at: Time,
    }
}

row! {
    HelpRedirectRow: HelpRedirect in help_redirects {
        id: HelpRedirectId,
        from_path: Path,
        to_path: Path,
        created_at: Time,
    }
}

row! {
    WebhookSubscriptionRow: WebhookSubscription in webhook_subscriptions {
        id: SubscriptionId,
        url: String,
        event_types: Vec<EventType>,
        board_ids: Vec<BoardId>,
        description: Option<String>,
        is_active: bool,
        awaits_rotation: bool,
        previous_until: Option<Time>,
        created_at: Time,
    } named {
        sealed_secret: Sealed = secret,
        previous_sealed_secret: Option<Sealed> = previous_secret,
    }
}

row! {
    ApiKeyRow: ApiKey in api_keys {
        id: ApiKeyId,
        digest: KeyDigest,
        sealed: Sealed,
        created_at: Time,
    }
}

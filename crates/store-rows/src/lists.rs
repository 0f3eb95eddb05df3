//! The lists whose filters are known only when they run, before their columns are selected.
//!
//! A boxed statement names its engine. So this file is a module of each engine, which is the
//! `Engine` here.

use super::{Engine, Unindexed};
use crate::access::{Access, Condition, OnPath};
use crate::feedback_posts::Rank;
use crate::help_articles::ArticleKey;
use crate::queries::{counted_posts, lower};
use crate::schema::*;
use crate::values::{Id, SqlId, Stamp};
use diesel::dsl::{IntoBoxed, auto_type, count_star, exists, sql};
use diesel::expression::{
    AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate,
};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool};
use hearback_domain::audit::AuditFilter;
use hearback_domain::changelog_entry::{EntryFilter, EntrySort, EntryStatus};
use hearback_domain::comment::{CommentFilter, Visibility};
use hearback_domain::company::{CompanyFilter, CompanySort};
use hearback_domain::event::LedgerFilter;
use hearback_domain::feedback_post::{Moderation, PostFilter, PostSort};
use hearback_domain::help_article::{ArticleFilter, ArticleParent, ArticleSort};
use hearback_domain::help_redirect::{Path, Written};
use hearback_domain::id::{
    BoardId, EventId, HelpCollectionId, OrganizationId, PostId, SubscriptionId,
};
use hearback_domain::moderation::Audience;
use hearback_domain::roadmap_post::RoadmapFilter;
use hearback_domain::user::{UserFilter, UserSelector, UserSort};
use hearback_domain::vote::Target;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::VoteFilter;
use hearback_ports::attributes::value_to_json;
use hearback_ports::deliveries::DeliveryFilter;
use hearback_ports::export::ExportKey;
use hearback_ports::page::{
    ByName, ByOptionalTime, ByPosition, BySort, ByTime, PageRequest, SortPlace,
};

/// Limits a query to the rows on one side of a key: the value of a column, and an identifier.
///
/// The first condition lets the engine enter the index at the key. With the OR alone, it would walk
/// all rows before the key.
macro_rules! beyond {
    (
        $query:expr, $table:ident.$column:ident,
        $or_equal:ident $strict:ident $id_is:ident, $value:expr, $id:expr
    ) => {
        $query
            .filter($table::$column.$or_equal($value))
            .filter($table::$column.$strict($value).or($table::id.$id_is($id)))
    };
}

/// Limits a query to the rows behind a position, by `seq_number`, `name` and `id`.
macro_rules! behind_position {
    ($query:expr, $table:ident, $after:expr) => {{
        let ByPosition { position, name, id } = $after;
        let position = position.ten_thousandths();
        // The first condition lets the engine enter the index at the position.
        $query.filter($table::seq_number.ge(position)).filter(
            $table::seq_number
                .gt(position)
                .or($table::name.gt(name.clone()))
                .or($table::name.eq(name.clone()).and($table::id.gt(Id(*id)))),
        )
    }};
}

/// A condition: the active record `id` of a table exists.
macro_rules! is_active {
    ($table:ident, $organization:expr, $id:expr) => {
        exists(
            $table::table
                .filter($table::organization_id.eq(Id::of($organization)))
                .filter($table::id.eq(Id::of($id)))
                .filter($table::is_active)
                .select($table::id),
        )
    };
}

/// Whether the post of a vote is there.
macro_rules! of_active {
    ($table:ident, $organization:expr, $id:ident) => {
        exists(
            $table::table
                .filter($table::organization_id.eq(Id::of($organization)))
                .filter($table::id.nullable().eq(votes::$id))
                .filter($table::is_active)
                .select($table::id),
        )
    };
}

/// Limits a query to the posts or comments that an audience sees.
macro_rules! seen_by {
    ($query:expr, $table:ident, $audience:expr) => {{
        let is_accepted = $table::moderation_status_code.eq(Moderation::Accepted.code());
        match $audience {
            Audience::Team => $query,
            Audience::Visitor(None) => $query.filter(is_accepted),
            Audience::Visitor(Some(user)) => $query.filter(
                is_accepted.or($table::author_id
                    .eq(Id::of(user))
                    .and($table::moderation_status_code.eq(Moderation::Pending.code()))),
            ),
        }
    }};
}

/// Limits a query to the active records, or to those that changed, deleted ones included.
macro_rules! changed {
    ($query:expr, $table:ident, $filter:expr) => {{
        let mut query = $query;
        if !$filter.include_deleted {
            query = query.filter($table::is_active);
        }
        if let Some(time) = $filter.updated_after {
            query = query.filter($table::updated_at.ge(Stamp::of(time)));
        }
        query
    }};
}

/// The users of a company.
macro_rules! people_of {
    ($organization:expr, $company:expr) => {
        users::table
            .filter(users::organization_id.eq(Id::of($organization)))
            .filter(users::company_id.eq(Id::of($company)))
            .filter(users::is_active)
    };
}

/// Limits a query to the records with all of some attributes.
macro_rules! with_attributes {
    ($query:expr, $table:ident, $attributes:expr) => {
        $attributes.iter().fold($query, |query, (key, value)| {
            query.filter(has_attribute!($table::attributes, key, value_to_json(value)))
        })
    };
}

/// Sorts a query by a column, and limits it to the rows behind a key with a place of a kind. `$held`
/// is the value of the column for the place.
macro_rules! in_order {
    ($query:expr, $table:ident.$column:ident, $after:expr, $place:ident $held:expr, ascending) => {{
        let query = $query.order(($table::$column, $table::id));
        match $after {
            Some(BySort { place: SortPlace::$place(place), id }) => {
                beyond!(query, $table.$column, ge gt gt, $held(place), Id(*id))
            }
            _ => query,
        }
    }};
    ($query:expr, $table:ident.$column:ident, $after:expr, $place:ident $held:expr, descending) => {{
        let query = $query.order(($table::$column.desc(), $table::id.desc()));
        match $after {
            Some(BySort { place: SortPlace::$place(place), id }) => {
                beyond!(query, $table.$column, le lt lt, $held(place), Id(*id))
            }
            _ => query,
        }
    }};
}

fn stamp(time: &Time) -> Stamp {
    Stamp::of(*time)
}

/// The companies of a page and the first company behind it.
pub fn companies(
    organization: OrganizationId,
    filter: &CompanyFilter,
    sort: CompanySort,
    page: &PageRequest<BySort>,
) -> companies::BoxedQuery<'static, Engine> {
    let mut query = companies::table
        .filter(companies::organization_id.eq(Id::of(organization)))
        .limit(page.limit.and_one())
        .into_boxed();
    if let Some(status) = &filter.customer_status {
        query = query.filter(companies::customer_status.eq(status.clone()));
    }
    if let Some(time) = filter.created_after {
        query = query.filter(companies::created_at.ge(Stamp::of(time)));
    }
    let query = changed!(with_attributes!(query, companies, filter.attributes), companies, filter);
    let after = &page.after;
    match sort {
        CompanySort::Newest => {
            in_order!(query, companies.created_at, after, Time stamp, descending)
        }
        CompanySort::Oldest => in_order!(query, companies.created_at, after, Time stamp, ascending),
        CompanySort::Name => in_order!(query, companies.name, after, Name String::clone, ascending),
        CompanySort::Updated => {
            in_order!(query, companies.updated_at, after, Time stamp, descending)
        }
        CompanySort::Spend => {
            in_order!(query, companies.monthly_spend, after, Amount i64::clone, descending)
        }
        CompanySort::Changes => {
            in_order!(query, companies.updated_at, after, Time stamp, ascending)
        }
    }
}

/// The users of a page and the first user behind it.
pub fn users(
    organization: OrganizationId,
    filter: &UserFilter,
    sort: UserSort,
    page: &PageRequest<BySort>,
) -> users::BoxedQuery<'static, Engine> {
    let mut query = users::table
        .filter(users::organization_id.eq(Id::of(organization)))
        .limit(page.limit.and_one())
        .into_boxed();
    if let Some(company) = filter.company_id {
        query = query.filter(users::company_id.eq(Id::of(company))).filter(is_active!(
            companies,
            organization,
            company
        ));
    }
    if let Some(status) = &filter.customer_status {
        query = query.filter(users::customer_status.eq(status.clone()));
    }
    if let Some(role) = &filter.portal_role {
        query = query.filter(users::portal_role.eq(role.clone()));
    }
    if let Some(is_subscribed) = filter.is_subscribed {
        query = query.filter(users::is_subscribed.eq(is_subscribed));
    }
    if let Some(is_blocked) = filter.is_blocked {
        query = query.filter(users::is_blocked.eq(is_blocked));
    }
    if let Some(time) = filter.created_after {
        query = query.filter(users::created_at.ge(Stamp::of(time)));
    }
    if let Some(search) = &filter.search {
        query = query.filter(has_text!(users::search_text, search.as_str()));
    }
    let query = changed!(with_attributes!(query, users, filter.attributes), users, filter);
    let after = &page.after;
    match sort {
        UserSort::Newest => in_order!(query, users.created_at, after, Time stamp, descending),
        UserSort::Oldest => in_order!(query, users.created_at, after, Time stamp, ascending),
        UserSort::Name => in_order!(query, users.name, after, Name String::clone, ascending),
        UserSort::Updated => in_order!(query, users.updated_at, after, Time stamp, descending),
        UserSort::Changes => in_order!(query, users.updated_at, after, Time stamp, ascending),
    }
}

/// The user whom a selector finds, linked or not. A linked one comes first, and then the one that
/// changed last.
pub fn selected_user(
    organization: OrganizationId,
    selector: &UserSelector,
) -> users::BoxedQuery<'static, Engine> {
    let query = users::table
        .filter(users::organization_id.eq(Id::of(organization)))
        .order((users::is_active.desc(), users::updated_at.desc(), users::id.desc()))
        .limit(1)
        .into_boxed();
    match selector {
        UserSelector::Id(id) => query.filter(users::user_id.eq(Id::of(*id))),
        // An empty address is stored as NULL, which equals no value.
        UserSelector::Email(email) => query.filter(users::email.eq(email.clone())),
        UserSelector::AnyCase(email) => {
            query.filter(lower(users::email).eq(email.to_ascii_lowercase())).order((
                users::is_active.desc(),
                users::email.eq(email.clone()).desc(),
                users::created_at,
                users::id,
            ))
        }
        UserSelector::ExternalId(id) => query.filter(users::external_id.eq(id.clone())),
    }
}

/// The comments of a page and the first comment behind it, oldest first. The order is that of
/// updates if the filter asks for these.
pub fn comments(
    organization: OrganizationId,
    filter: &CommentFilter,
    page: &PageRequest<ByTime>,
) -> comments::BoxedQuery<'static, Engine> {
    let mut query = comments::table
        .filter(comments::organization_id.eq(Id::of(organization)))
        .limit(page.limit.and_one())
        .into_boxed();
    if let Some(post) = filter.feedback_post_id {
        query = query.filter(comments::feedback_post_id.eq(Id::of(post))).filter(is_active!(
            feedback_posts,
            organization,
            post
        ));
    }
    if let Some(author) = filter.author_id {
        query = query.filter(comments::author_id.eq(Id::of(author)));
    }
    if let Some(visibility) = filter.visibility {
        query = query.filter(comments::visibility_code.eq(visibility.code()));
    }
    if let Some(moderation) = filter.moderation {
        query = query.filter(comments::moderation_status_code.eq(moderation.code()));
    }
    if filter.audience != Audience::Team {
        query = query.filter(comments::visibility_code.eq(Visibility::Public.code()));
    }
    let query = changed!(seen_by!(query, comments, filter.audience), comments, filter);
    if filter.updated_after.is_none() {
        let query = query.order((comments::created_at, comments::id));
        return match page.after {
            None => query,
            Some(ByTime { at, id }) => {
                beyond!(query, comments.created_at, ge gt gt, Stamp::of(at), Id(id))
            }
        };
    }
    let query = query.order((comments::updated_at, comments::id));
    match page.after {
        None => query,
        Some(ByTime { at, id }) => {
            beyond!(query, comments.updated_at, ge gt gt, Stamp::of(at), Id(id))
        }
    }
}

#[auto_type]
fn public_count_rows(organization: Id, public: &'static str) -> _ {
    comments::table
        .filter(comments::organization_id.eq(organization))
        .filter(comments::is_active)
        .filter(comments::visibility_code.eq(public))
        .group_by(comments::feedback_post_id)
        .select((comments::feedback_post_id, count_star()))
}

/// The posts that have active public comments which an audience sees, each with their number.
pub fn public_counts(
    organization: OrganizationId,
    posts: &[PostId],
    audience: Audience,
) -> IntoBoxed<'static, public_count_rows, Engine> {
    let posts: Vec<Id> = posts.iter().map(|post| Id::of(*post)).collect();
    let query = public_count_rows(Id::of(organization), Visibility::Public.code()).into_boxed();
    seen_by!(query.filter(comments::feedback_post_id.eq_any(posts)), comments, audience)
}

/// Up to `limit` comments behind `after`, in the order of an export: parents come before their
/// replies.
pub fn exported_comments(
    organization: OrganizationId,
    after: Option<ExportKey>,
    limit: i64,
) -> comments::BoxedQuery<'static, Engine> {
    let query = comments::table
        .filter(comments::organization_id.eq(Id::of(organization)))
        .order((comments::depth, comments::id))
        .limit(limit.saturating_add(1))
        .into_boxed();
    match after {
        None => query,
        Some(ExportKey { depth, id }) => beyond!(query, comments.depth, ge gt gt, depth, Id(id)),
    }
}

/// The redirects of a page and the first redirect behind it.
pub fn help_redirects(
    organization: OrganizationId,
    page: &PageRequest<ByTime>,
) -> help_redirects::BoxedQuery<'static, Engine> {
    let query = help_redirects::table
        .filter(help_redirects::organization_id.eq(Id::of(organization)))
        .order((help_redirects::created_at.desc(), help_redirects::id.desc()))
        .limit(page.limit.and_one())
        .into_boxed();
    match page.after {
        None => query,
        Some(ByTime { at, id }) => {
            beyond!(query, help_redirects.created_at, le lt lt, Stamp::of(at), Id(id))
        }
    }
}

/// The redirects that make a chain with written ones.
pub fn chained(
    organization: OrganizationId,
    written: &Written<'_>,
) -> help_redirects::BoxedQuery<'static, Engine> {
    let all = |paths: &[&Path]| Vec::from_iter(paths.iter().map(|path| path.as_str().to_owned()));
    let leads = help_redirects::to_path.eq_any(all(&written.beginnings));
    let begins = help_redirects::from_path.eq_any(all(&written.ends));
    help_redirects::table
        .filter(help_redirects::organization_id.eq(Id::of(organization)))
        .filter(leads.or(begins))
        .into_boxed()
}

/// The labels of a page and the first label behind it.
pub fn labels(
    organization: OrganizationId,
    page: &PageRequest<ByName>,
) -> labels::BoxedQuery<'static, Engine> {
    let query = labels::table
        .filter(labels::organization_id.eq(Id::of(organization)))
        .filter(labels::is_active)
        .order((labels::name, labels::id))
        .limit(page.limit.and_one())
        .into_boxed();
    match &page.after {
        None => query,
        Some(ByName { name, id }) => {
            beyond!(query, labels.name, ge gt gt, name.clone(), Id(*id))
        }
    }
}

/// The collections of a page and the first collection behind it.
pub fn help_collections(
    organization: OrganizationId,
    page: &PageRequest<ByPosition>,
) -> help_collections::BoxedQuery<'static, Engine> {
    let query = help_collections::table
        .filter(help_collections::organization_id.eq(Id::of(organization)))
        .filter(help_collections::is_active)
        .order((help_collections::seq_number, help_collections::name, help_collections::id))
        .limit(page.limit.and_one())
        .into_boxed();
    match &page.after {
        None => query,
        Some(after) => behind_position!(query, help_collections, after),
    }
}

/// The categories of a page and the first category behind it.
pub fn help_categories(
    organization: OrganizationId,
    collection: Option<HelpCollectionId>,
    page: &PageRequest<ByPosition>,
) -> help_categories::BoxedQuery<'static, Engine> {
    let mut query = help_categories::table
        .filter(help_categories::organization_id.eq(Id::of(organization)))
        .filter(help_categories::is_active)
        .order((help_categories::seq_number, help_categories::name, help_categories::id))
        .limit(page.limit.and_one())
        .into_boxed();
    if let Some(collection) = collection {
        query = query
            .filter(help_categories::collection_id.eq(Id::of(collection)))
            .filter(is_active!(help_collections, organization, collection));
    }
    match &page.after {
        None => query,
        Some(after) => behind_position!(query, help_categories, after),
    }
}

/// The events behind `after`, earliest first.
pub fn events(
    organization: OrganizationId,
    after: Option<EventId>,
    limit: i64,
) -> events::BoxedQuery<'static, Engine> {
    let query = events::table
        .filter(events::organization_id.eq(Id::of(organization)))
        .order(events::id)
        .limit(limit)
        .into_boxed();
    match after {
        None => query,
        Some(after) => query.filter(events::id.gt(Id::of(after))),
    }
}

/// The events of the ledger that a filter admits, earliest first.
pub fn ledger(
    organization: OrganizationId,
    filter: &LedgerFilter,
    page: &PageRequest<ByTime>,
) -> events::BoxedQuery<'static, Engine> {
    let mut query = events::table
        .filter(events::organization_id.eq(Id::of(organization)))
        .filter(events::in_ledger)
        .order((events::recorded_at, events::id))
        .limit(page.limit.and_one())
        .into_boxed();
    if !filter.event_types.is_empty() {
        let types = filter.event_types.iter().map(|event_type| event_type.code());
        query = query.filter(events::event_type.eq_any(Vec::from_iter(types)));
    }
    if let Some(time) = filter.created_after {
        query = query.filter(events::recorded_at.gt(Stamp::of(time)));
    }
    match page.after {
        None => query,
        Some(ByTime { at, id }) => {
            beyond!(query, events.recorded_at, ge gt gt, Stamp::of(at), Id(id))
        }
    }
}

/// Limits a query to a state of moderation. The text of the first condition is that of the index.
macro_rules! in_state {
    ($query:expr, $column:expr, $state:expr, $waits:expr) => {
        match $state {
            Moderation::Accepted => $query,
            _ => $query.filter(sql::<Bool>($waits)),
        }
        .filter($column.eq($state.code()))
    };
}

/// The condition of the index of the posts that are not accepted.
const WAITING_POSTS: &str = "feedback_posts.moderation_status_code <> 'accepted'";

#[auto_type]
fn queued_post_rows(organization: Id) -> _ {
    feedback_posts::table
        .filter(feedback_posts::organization_id.eq(organization))
        .filter(feedback_posts::is_active)
        .order((feedback_posts::created_at, feedback_posts::id))
        .select((
            feedback_posts::id,
            // The post of the item is the item.
            feedback_posts::id,
            feedback_posts::board_id,
            feedback_posts::author_id,
            feedback_posts::title,
            feedback_posts::description,
            feedback_posts::moderation_status_code,
            feedback_posts::created_at,
        ))
}

/// The posts of a page of the queue and the first post behind it, as
/// [`QueuedRow`](crate::moderation::QueuedRow)s.
pub fn queued_posts(
    organization: OrganizationId,
    state: Moderation,
    page: &PageRequest<ByTime>,
) -> IntoBoxed<'static, queued_post_rows, Engine> {
    let query = queued_post_rows(Id::of(organization)).into_boxed().limit(page.limit.and_one());
    let query = in_state!(query, feedback_posts::moderation_status_code, state, WAITING_POSTS);
    match page.after {
        None => query,
        Some(ByTime { at, id }) => {
            beyond!(query, feedback_posts.created_at, ge gt gt, Stamp::of(at), Id(id))
        }
    }
}

#[auto_type]
fn queued_comment_rows(organization: Id) -> _ {
    let its_post = feedback_posts::organization_id
        .eq(comments::organization_id)
        .and(feedback_posts::id.eq(comments::feedback_post_id));
    comments::table
        .inner_join(feedback_posts::table.on(its_post))
        .filter(comments::organization_id.eq(organization))
        .filter(comments::is_active)
        .filter(feedback_posts::is_active)
        .order((comments::created_at, comments::id))
        .select((
            comments::id,
            feedback_posts::id,
            feedback_posts::board_id,
            comments::author_id,
            feedback_posts::title,
            comments::content,
            comments::moderation_status_code,
            comments::created_at,
        ))
}

/// The comments of a page of the queue and the first comment behind it, as
/// [`QueuedRow`](crate::moderation::QueuedRow)s.
pub fn queued_comments(
    organization: OrganizationId,
    state: Moderation,
    page: &PageRequest<ByTime>,
) -> IntoBoxed<'static, queued_comment_rows, Engine> {
    let query = queued_comment_rows(Id::of(organization)).into_boxed().limit(page.limit.and_one());
    let waits = "comments.moderation_status_code <> 'accepted'";
    let query = in_state!(query, comments::moderation_status_code, state, waits);
    match page.after {
        None => query,
        Some(ByTime { at, id }) => {
            beyond!(query, comments.created_at, ge gt gt, Stamp::of(at), Id(id))
        }
    }
}

/// The entries of a page and the first entry behind it, newest first.
pub fn audit_entries(
    organization: OrganizationId,
    filter: &AuditFilter,
    page: &PageRequest<ByTime>,
) -> audit_entries::BoxedQuery<'static, Engine> {
    let mut query = audit_entries::table
        .filter(audit_entries::organization_id.eq(Id::of(organization)))
        .order((audit_entries::at.desc(), audit_entries::id.desc()))
        .limit(page.limit.and_one())
        .into_boxed();
    if let Some(actor) = filter.actor_id {
        query = query.filter(audit_entries::actor_id.eq(Id::of(actor)));
    }
    if let Some(action) = &filter.action {
        query = query.filter(audit_entries::action.eq(action.clone()));
    }
    if let Some(target) = filter.target_id {
        query = query.filter(audit_entries::target_id.eq(Id(target)));
    }
    if let Some(time) = filter.created_after {
        query = query.filter(audit_entries::at.gt(Stamp::of(time)));
    }
    match page.after {
        None => query,
        Some(ByTime { at, id }) => {
            beyond!(query, audit_entries.at, le lt lt, Stamp::of(at), Id(id))
        }
    }
}

/// Declares the list of the records with secrets: up to `limit` records behind `after`, of all
/// organizations, by organization and id.
macro_rules! with_secrets {
    ($(#[$doc:meta])* $list:ident of $table:ident by $id:ident) => {
        $(#[$doc])*
        pub fn $list(
            after: Option<(Id, Id)>,
            limit: i64,
        ) -> $table::BoxedQuery<'static, Engine> {
            let query = $table::table
                .order(($table::organization_id, $table::$id))
                .limit(limit)
                .into_boxed();
            match after {
                None => query,
                Some((organization, id)) => query
                    .filter($table::organization_id.ge(organization))
                    .filter($table::organization_id.gt(organization).or($table::$id.gt(id))),
            }
        }
    };
}

with_secrets! {
    /// Up to `limit` keys behind `after`, of all organizations, by organization and id. Revoked
    /// keys are included.
    keys_with_secrets of api_keys by id
}
with_secrets! {
    /// Up to `limit` subscriptions behind `after`, of all organizations, by organization and id.
    subscriptions_with_secrets of webhook_subscriptions by id
}
with_secrets! {
    /// Up to `limit` secrets of single sign-on behind `after`, of all organizations, by
    /// organization and id.
    sso_secrets of sso_secrets by id
}
with_secrets! {
    /// Up to `limit` providers of OpenID Connect behind `after`, of all organizations, by
    /// organization and id.
    oidc_secrets of oidc_providers by id
}
with_secrets! {
    /// Up to `limit` second factors behind `after`, of all organizations, by organization and user.
    second_factor_secrets of second_factors by user_id
}

#[auto_type]
fn delivery_rows(organization: Id, subscription: Id) -> _ {
    let its_event = events::organization_id
        .eq(deliveries::organization_id)
        .and(events::id.eq(deliveries::event_id));
    let the_last_one = delivery_attempts::organization_id
        .eq(deliveries::organization_id)
        .and(delivery_attempts::event_id.eq(deliveries::event_id))
        .and(delivery_attempts::subscription_id.eq(deliveries::subscription_id))
        .and(delivery_attempts::attempt.eq(deliveries::attempt_count));
    deliveries::table
        .inner_join(events::table.on(its_event))
        .left_join(delivery_attempts::table.on(the_last_one))
        .filter(deliveries::organization_id.eq(organization))
        .filter(deliveries::subscription_id.eq(subscription))
        .order((deliveries::created_at.desc(), deliveries::event_id.desc()))
        .select((
            (deliveries::subscription_id, deliveries::event_id, events::event_type),
            (deliveries::state, deliveries::attempt_count),
            (delivery_attempts::status.nullable(), delivery_attempts::error_class.nullable()),
            (
                deliveries::created_at,
                deliveries::occurred_at,
                deliveries::next_attempt_at,
                deliveries::ended_at,
            ),
        ))
}

/// A delivery, as a [`DeliveryRow`](crate::deliveries::DeliveryRow).
pub fn delivery(
    organization: OrganizationId,
    subscription: SubscriptionId,
    event: EventId,
) -> IntoBoxed<'static, delivery_rows, Engine> {
    let rows = delivery_rows(Id::of(organization), Id::of(subscription)).into_boxed();
    rows.filter(deliveries::event_id.eq(Id::of(event)))
}

/// Up to `limit` deliveries of an organization behind `after`, newest events first: the event and
/// the subscription of each.
pub fn delivery_keys(
    organization: OrganizationId,
    after: Option<(Id, Id)>,
    limit: i64,
) -> IntoBoxed<'static, delivery_key_rows, Engine> {
    let query = delivery_key_rows(Id::of(organization)).into_boxed().limit(limit);
    match after {
        None => query,
        // The conditions are those of `beyond!`.
        Some((event, subscription)) => query.filter(deliveries::event_id.le(event)).filter(
            deliveries::event_id.lt(event).or(deliveries::subscription_id.lt(subscription)),
        ),
    }
}

#[auto_type]
fn delivery_key_rows(organization: Id) -> _ {
    deliveries::table
        .filter(deliveries::organization_id.eq(organization))
        .order((deliveries::event_id.desc(), deliveries::subscription_id.desc()))
        .select((deliveries::event_id, deliveries::subscription_id))
}

/// Up to `limit` deliveries to a subscription behind `after`, newest first, as
/// [`DeliveryRow`](crate::deliveries::DeliveryRow)s.
pub fn deliveries(
    organization: OrganizationId,
    subscription: SubscriptionId,
    filter: DeliveryFilter,
    after: Option<(Time, EventId)>,
    limit: i64,
) -> IntoBoxed<'static, delivery_rows, Engine> {
    let rows = delivery_rows(Id::of(organization), Id::of(subscription));
    let mut query = rows.into_boxed().limit(limit);
    if let Some(state) = filter.state {
        query = query.filter(deliveries::state.eq(state.code()));
    }
    if let Some(event_type) = filter.event_type {
        query = query.filter(events::event_type.eq(event_type.code()));
    }
    if let Some(since) = filter.since {
        query = query.filter(deliveries::created_at.ge(Stamp::of(since)));
    }
    if let Some(until) = filter.until {
        query = query.filter(deliveries::created_at.lt(Stamp::of(until)));
    }
    if let Some((at, event)) = after {
        // The conditions are those of `beyond!`. A delivery has no identifier of its own.
        let at = Stamp::of(at);
        query = query
            .filter(deliveries::created_at.le(at))
            .filter(deliveries::created_at.lt(at).or(deliveries::event_id.lt(Id::of(event))));
    }
    query
}

#[auto_type]
fn voter_rows(organization: Id) -> _ {
    let the_voter =
        users::organization_id.eq(votes::organization_id).and(users::user_id.eq(votes::user_id));
    votes::table
        .inner_join(users::table.on(the_voter))
        .filter(votes::organization_id.eq(organization))
        .order((votes::created_at, votes::id))
        .select((votes::id, votes::user_id, users::name, users::email, votes::created_at))
}

/// The voters of a page and the first voter behind it, as [`VoterRow`](crate::votes::VoterRow)s.
pub fn voters(
    organization: OrganizationId,
    target: Target,
    page: &PageRequest<ByTime>,
) -> IntoBoxed<'static, voter_rows, Engine> {
    let query = voter_rows(Id::of(organization)).into_boxed().limit(page.limit.and_one());
    let query = match target {
        Target::Feedback(id) => query
            .filter(votes::feedback_post_id.eq(Id::of(id)))
            .filter(is_active!(feedback_posts, organization, id)),
        Target::Roadmap(id) => query
            .filter(votes::roadmap_post_id.eq(Id::of(id)))
            .filter(is_active!(roadmap_posts, organization, id)),
    };
    match page.after {
        None => query,
        Some(ByTime { at, id }) => {
            beyond!(query, votes.created_at, ge gt gt, Stamp::of(at), Id(id))
        }
    }
}

/// The votes of a page and the first vote behind it.
pub fn votes(
    organization: OrganizationId,
    filter: VoteFilter,
    page: &PageRequest<ByTime>,
) -> votes::BoxedQuery<'static, Engine> {
    let mut query = votes::table
        .filter(votes::organization_id.eq(Id::of(organization)))
        .limit(page.limit.and_one())
        .into_boxed();
    query = if filter.company_id.is_some() || filter.user_id.is_some() {
        // In the order of an index, the engine might walk the votes of all users.
        query.order((Unindexed::new(votes::created_at), votes::id))
    } else {
        query.order((votes::created_at, votes::id))
    };
    if let Some(company) = filter.company_id {
        query = query
            .filter(
                votes::user_id
                    .eq_any(found_once!(people_of!(organization, company).select(users::user_id))),
            )
            .filter(is_active!(companies, organization, company));
    }
    if let Some(user) = filter.user_id {
        query = query.filter(votes::user_id.eq(Id::of(user)));
    }
    query = match filter.target {
        None => query,
        Some(Target::Feedback(id)) => query.filter(votes::feedback_post_id.eq(Id::of(id))),
        Some(Target::Roadmap(id)) => query.filter(votes::roadmap_post_id.eq(Id::of(id))),
    };
    if let Some(after) = filter.created_after {
        query = query.filter(votes::created_at.gt(Stamp::of(after)));
    }
    if filter.on_active_posts {
        query = query.filter(
            of_active!(feedback_posts, organization, feedback_post_id).or(of_active!(
                roadmap_posts,
                organization,
                roadmap_post_id
            )),
        );
    }
    match page.after {
        None => query,
        Some(ByTime { at, id }) => {
            beyond!(query, votes.created_at, ge gt gt, Stamp::of(at), Id(id))
        }
    }
}

#[auto_type]
fn subscriber_rows(organization: Id, post: Id) -> _ {
    let the_user = users::organization_id
        .eq(post_subscriptions::organization_id)
        .and(users::user_id.eq(post_subscriptions::user_id));
    post_subscriptions::table
        .inner_join(users::table.on(the_user))
        .filter(post_subscriptions::organization_id.eq(organization))
        .filter(post_subscriptions::feedback_post_id.eq(post))
        .filter(users::is_active)
        .order((post_subscriptions::created_at, post_subscriptions::id))
        .select((
            post_subscriptions::id,
            post_subscriptions::user_id,
            users::name,
            users::email,
            post_subscriptions::level,
            post_subscriptions::created_at,
        ))
}

/// The subscribers of a page and the first subscriber behind it, as
/// [`SubscriberRow`](crate::subscriptions::SubscriberRow)s.
pub fn subscribers(
    organization: OrganizationId,
    post: PostId,
    page: &PageRequest<ByTime>,
) -> IntoBoxed<'static, subscriber_rows, Engine> {
    let rows = subscriber_rows(Id::of(organization), Id::of(post));
    let query = rows.into_boxed().limit(page.limit.and_one());
    match page.after {
        None => query,
        Some(ByTime { at, id }) => {
            beyond!(query, post_subscriptions.created_at, ge gt gt, Stamp::of(at), Id(id))
        }
    }
}

/// The roadmap posts of a page and the first post behind it.
pub fn roadmap_posts(
    organization: OrganizationId,
    filter: &RoadmapFilter,
    page: &PageRequest<BySort>,
) -> roadmap_posts::BoxedQuery<'static, Engine> {
    let mut query = roadmap_posts::table
        .filter(roadmap_posts::organization_id.eq(Id::of(organization)))
        .limit(page.limit.and_one())
        .into_boxed();
    if let Some(board) = filter.roadmap_board_id {
        query = query.filter(roadmap_posts::roadmap_board_id.eq(Id::of(board))).filter(is_active!(
            roadmap_boards,
            organization,
            board
        ));
    }
    if let Some(status) = filter.status_id {
        query = query.filter(roadmap_posts::status_id.eq(Id::of(status)));
    }
    if let Some(category) = filter.category_id {
        query = query.filter(roadmap_posts::category_id.eq(Id::of(category)));
    }
    if let Some(owner) = filter.owner_id {
        query = query.filter(roadmap_posts::owner_id.eq(Id::of(owner)));
    }
    let query = changed!(query, roadmap_posts, filter);
    let after = &page.after;
    match filter.updated_after {
        None => in_order!(query, roadmap_posts.seq_number, after, Amount i64::clone, ascending),
        Some(_) => in_order!(query, roadmap_posts.updated_at, after, Time stamp, ascending),
    }
}

/// A list of posts with their counts.
pub type Posts = IntoBoxed<'static, counted_posts, Engine>;

/// The place of a post in a list by time: the time of the order, and its identifier.
pub type PostKey = (Stamp, Id);

/// The posts that pass the filter, in no order. The text of the filter is not applied.
pub fn posts(organization: OrganizationId, filter: &PostFilter) -> Posts {
    posts_by(Access::Any, organization, filter)
}

/// [`posts`] by an access path.
pub fn posts_by(access: Access, organization: OrganizationId, filter: &PostFilter) -> Posts {
    let mut query: Posts = counted_posts().into_boxed();
    query = query.filter(feedback_posts::organization_id.eq(Id::of(organization)));
    if let Some(board) = filter.board_id {
        let column = access.column(Condition::Board, feedback_posts::board_id);
        query = query.filter(column.eq(Id::of(board))).filter(is_active!(
            feedback_boards,
            organization,
            board
        ));
    }
    if let Some(boards) = &filter.board_ids {
        let ids: Vec<Id> = boards.iter().map(|board| Id::of(*board)).collect();
        let there = feedback_boards::table
            .filter(feedback_boards::organization_id.eq(Id::of(organization)))
            .filter(feedback_boards::id.eq_any(ids))
            .filter(feedback_boards::is_active)
            .select(feedback_boards::id);
        query = query.filter(feedback_posts::board_id.eq_any(found_once!(there)));
    }
    if let Some(status) = filter.status_id {
        let column = access.column(Condition::Status, feedback_posts::status_id);
        query = query.filter(column.eq(Id::of(status))).filter(is_active!(
            statuses,
            organization,
            status
        ));
    }
    if let Some(group) = filter.status_group {
        let of_group = statuses::table
            .filter(statuses::organization_id.eq(Id::of(organization)))
            .filter(statuses::status_group_code.eq(group.code()))
            .select(statuses::id);
        let column = access.column(Condition::Status, feedback_posts::status_id);
        query = query.filter(column.eq_any(found_once!(of_group)));
    }
    if let Some(category) = filter.category_id {
        let column = access.column(Condition::Category, feedback_posts::category_id);
        query = query.filter(column.eq(Id::of(category))).filter(is_active!(
            categories,
            organization,
            category
        ));
    }
    if !filter.tag_ids.is_empty() {
        let ids: Vec<Id> = filter.tag_ids.iter().map(|id| Id::of(*id)).collect();
        let active = tags::table
            .filter(tags::organization_id.eq(Id::of(organization)))
            .filter(tags::id.eq_any(ids))
            .filter(tags::is_active)
            .select(tags::id);
        let tagged = feedback_post_tags::table
            .filter(feedback_post_tags::organization_id.eq(Id::of(organization)))
            .filter(feedback_post_tags::tag_id.eq_any(found_once!(active)))
            .select(feedback_post_tags::feedback_post_id);
        let column = access.column(Condition::Tags, feedback_posts::id);
        query = query.filter(column.eq_any(tagged));
    }
    if let Some(author) = filter.author_id {
        let column = access.column(Condition::Author, feedback_posts::author_id);
        query = query.filter(column.eq(Id::of(author)));
    }
    if let Some(owner) = filter.owner_id {
        let column = access.column(Condition::Owner, feedback_posts::owner_id);
        query = query.filter(column.eq(Id::of(owner)));
    }
    if let Some(company) = filter.company_id {
        let voted = votes_of!(people_of!(organization, company))
            .filter(votes::organization_id.eq(Id::of(organization)))
            .filter(votes::feedback_post_id.is_not_null())
            .select(votes::feedback_post_id.assume_not_null())
            .distinct();
        query = query.filter(feedback_posts::id.eq_any(found_once!(voted))).filter(is_active!(
            companies,
            organization,
            company
        ));
    }
    if let Some(moderation) = filter.moderation {
        let column = feedback_posts::moderation_status_code;
        let column = access.column(Condition::Moderation, column);
        query = in_state!(query, column, moderation, WAITING_POSTS);
    }
    if let Some(external_id) = &filter.external_id {
        query = query.filter(feedback_posts::external_id.eq(external_id.clone()));
    }
    query = match filter.is_merged {
        None => query,
        Some(true) => query.filter(feedback_posts::merged_into_id.is_not_null()),
        Some(false) => query.filter(feedback_posts::merged_into_id.is_null()),
    };
    if let Some(target) = filter.merged_into_id {
        query = query.filter(feedback_posts::merged_into_id.eq(Id::of(target)));
    }
    if let Some(time) = filter.created_after {
        query = query.filter(feedback_posts::created_at.gt(Stamp::of(time)));
    }
    if let Some(time) = filter.created_before {
        query = query.filter(feedback_posts::created_at.lt(Stamp::of(time)));
    }
    let query = with_attributes!(query, feedback_posts, filter.attributes);
    let query = changed!(query, feedback_posts, filter);
    seen_by!(query, feedback_posts, filter.audience)
}

/// Sorts posts by a time, and limits the list to those behind a place. An order by counts is that
/// of [`posts_by_rank`].
pub fn posts_in_order(query: Posts, sort: PostSort, after: Option<PostKey>) -> Posts {
    let ordered = match sort {
        PostSort::Oldest => query.order((feedback_posts::created_at, feedback_posts::id)),
        PostSort::Updated => {
            query.order((feedback_posts::updated_at.desc(), feedback_posts::id.desc()))
        }
        PostSort::Changes => query.order((feedback_posts::updated_at, feedback_posts::id)),
        PostSort::Newest | PostSort::Votes | PostSort::Trending | PostSort::Spend => {
            query.order((feedback_posts::created_at.desc(), feedback_posts::id.desc()))
        }
    };
    let Some((at, id)) = after else { return ordered };
    match sort {
        PostSort::Oldest => beyond!(ordered, feedback_posts.created_at, ge gt gt, at, id),
        PostSort::Updated => beyond!(ordered, feedback_posts.updated_at, le lt lt, at, id),
        PostSort::Changes => beyond!(ordered, feedback_posts.updated_at, ge gt gt, at, id),
        PostSort::Newest | PostSort::Votes | PostSort::Trending | PostSort::Spend => {
            beyond!(ordered, feedback_posts.created_at, le lt lt, at, id)
        }
    }
}

/// [`posts_in_order`] by expressions. No index contains them, so the engine sorts. It is faster than
/// a walk in the order if few posts pass the filter, and an index finds these.
pub fn posts_sorted(query: Posts, sort: PostSort, after: Option<PostKey>) -> Posts {
    let ordered = posts_in_order(query, sort, after);
    let created = Unindexed::new(feedback_posts::created_at);
    let updated = Unindexed::new(feedback_posts::updated_at);
    match sort {
        PostSort::Oldest => ordered.order((created, feedback_posts::id)),
        PostSort::Updated => ordered.order((updated.desc(), feedback_posts::id.desc())),
        PostSort::Changes => ordered.order((updated, feedback_posts::id)),
        PostSort::Newest | PostSort::Votes | PostSort::Trending | PostSort::Spend => {
            ordered.order((created.desc(), feedback_posts::id.desc()))
        }
    }
}

/// Limits a list to the posts up to a place. The post at the place is included. Without a place,
/// all posts are.
pub fn posts_until(query: Posts, sort: PostSort, end: Option<PostKey>) -> Posts {
    let Some((at, id)) = end else { return query };
    match sort {
        PostSort::Oldest => beyond!(query, feedback_posts.created_at, le lt le, at, id),
        PostSort::Updated => beyond!(query, feedback_posts.updated_at, ge gt ge, at, id),
        PostSort::Changes => beyond!(query, feedback_posts.updated_at, le lt le, at, id),
        PostSort::Newest | PostSort::Votes | PostSort::Trending | PostSort::Spend => {
            beyond!(query, feedback_posts.created_at, ge gt ge, at, id)
        }
    }
}

/// Sorts posts by counts, and limits the list to those behind a rank. `board` is the board of the
/// filter: the engine looks both up in the index of the counts.
pub fn posts_by_rank(
    query: Posts,
    organization: OrganizationId,
    board: Option<BoardId>,
    sort: PostSort,
    after: Option<Rank>,
) -> Posts {
    let mut query = query
        .filter(feedback_post_counts::organization_id.nullable().eq(Id::of(organization)))
        .filter(feedback_post_counts::is_active.nullable());
    if let Some(board) = board {
        query = query.filter(feedback_post_counts::board_id.nullable().eq(Id::of(board)));
    }
    let query = match sort {
        PostSort::Trending => query.order((
            feedback_post_counts::recent_vote_count.nullable().desc(),
            feedback_post_counts::trend_vote_count.nullable().desc(),
        )),
        PostSort::Spend => query.order(feedback_post_counts::monthly_spend.nullable().desc()),
        _ => query.order(feedback_post_counts::vote_count.nullable().desc()),
    };
    let query = query.then_order_by(feedback_post_counts::feedback_post_id.nullable().desc());
    match after {
        None => query,
        Some(rank) => query.filter(Below { rank, sort }),
    }
}

/// The order of [`posts_by_rank`] by expressions. No index contains them, so SQLite sorts.
pub fn sorted_by_rank(query: Posts, sort: PostSort) -> Posts {
    query.order((
        OnPath::unindexed(FirstNumber(sort)).desc(),
        OnPath::unindexed(SecondNumber(sort)).desc(),
        feedback_posts::id.desc(),
    ))
}

/// The counts of the active posts, or of those of a board, in an order by counts, behind a rank.
/// PostgreSQL reads the ranks of a page by themselves. With the posts in the same statement for any
/// limit, the planner would join and sort all posts.
pub fn ranks(
    organization: OrganizationId,
    board: Option<BoardId>,
    sort: PostSort,
    after: Option<Rank>,
) -> feedback_post_counts::BoxedQuery<'static, Engine> {
    let mut query = feedback_post_counts::table
        .filter(feedback_post_counts::organization_id.eq(Id::of(organization)))
        .filter(feedback_post_counts::is_active)
        .into_boxed();
    if let Some(board) = board {
        query = query.filter(feedback_post_counts::board_id.eq(Id::of(board))).filter(is_active!(
            feedback_boards,
            organization,
            board
        ));
    }
    let query = match sort {
        PostSort::Trending => query.order((
            feedback_post_counts::recent_vote_count.desc(),
            feedback_post_counts::trend_vote_count.desc(),
        )),
        PostSort::Spend => query.order(feedback_post_counts::monthly_spend.desc()),
        _ => query.order(feedback_post_counts::vote_count.desc()),
    };
    let query = query.then_order_by(feedback_post_counts::feedback_post_id.desc());
    match after {
        None => query,
        Some(rank) => query.filter(Below { rank, sort }),
    }
}

/// The two numbers of a rank.
fn numbers(sort: PostSort) -> [&'static str; 2] {
    match sort {
        PostSort::Trending => {
            ["feedback_post_counts.recent_vote_count", "feedback_post_counts.trend_vote_count"]
        }
        PostSort::Spend => [NONE, "feedback_post_counts.monthly_spend"],
        _ => [NONE, "feedback_post_counts.vote_count"],
    }
}

/// The first number of a rank in an order by one number.
const NONE: &str = "CAST(0 AS bigint)";

/// The first number of the [`Rank`] of a post.
pub struct FirstNumber(pub PostSort);

/// The second number of the [`Rank`] of a post.
pub struct SecondNumber(pub PostSort);

impl QueryFragment<Engine> for FirstNumber {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Engine>) -> QueryResult<()> {
        out.push_sql(numbers(self.0)[0]);
        Ok(())
    }
}

impl QueryFragment<Engine> for SecondNumber {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Engine>) -> QueryResult<()> {
        out.push_sql(numbers(self.0)[1]);
        Ok(())
    }
}

/// The condition that a post is behind a rank. Many posts have the same number of votes. So this is
/// one comparison, with which the engine enters the index at the rank itself.
struct Below {
    rank: Rank,
    sort: PostSort,
}

impl QueryFragment<Engine> for Below {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Engine>) -> QueryResult<()> {
        let (first, second, id) = &self.rank;
        let columns = numbers(self.sort);
        let given = || columns.iter().zip([first, second]).filter(|(column, _)| **column != NONE);
        out.push_sql("(");
        for (column, _) in given() {
            out.push_sql(column);
            out.push_sql(", ");
        }
        out.push_sql("feedback_post_counts.feedback_post_id) < (");
        for (_, number) in given() {
            out.push_bind_param::<BigInt, _>(number)?;
            out.push_sql(", ");
        }
        out.push_bind_param::<SqlId, _>(id)?;
        out.push_sql(")");
        Ok(())
    }
}

/// Implements the traits of an expression whose text depends on the order.
macro_rules! of_ranks {
    ($name:ident: $type:ty) => {
        impl QueryId for $name {
            type QueryId = ();
            const HAS_STATIC_QUERY_ID: bool = false;
        }

        impl Expression for $name {
            type SqlType = $type;
        }

        impl<QS> AppearsOnTable<QS> for $name {}

        impl<QS> SelectableExpression<QS> for $name {}

        impl ValidGrouping<()> for $name {
            type IsAggregate = is_aggregate::No;
        }
    };
}

of_ranks!(FirstNumber: BigInt);
of_ranks!(SecondNumber: BigInt);
of_ranks!(Below: Bool);

/// A list of changelog entries.
pub type Entries = changelog_entries::BoxedQuery<'static, Engine>;

/// The active entries that pass the filter. The labels of the filter are not applied.
pub fn entries(organization: OrganizationId, filter: &EntryFilter) -> Entries {
    let mut query = changelog_entries::table
        .filter(changelog_entries::organization_id.eq(Id::of(organization)))
        .filter(changelog_entries::is_active)
        .into_boxed();
    if filter.is_public {
        query = query
            .filter(changelog_entries::status_code.eq(EntryStatus::Published.code()))
            .filter(changelog_entries::show_on_portal);
    }
    match filter.entry_type {
        None => query,
        Some(entry_type) => query.filter(changelog_entries::entry_type.eq(entry_type.code())),
    }
}

/// Limits a list to the entries behind a key. With [`EntrySort::Published`] and a key that has a
/// time, entries without a time are excluded too.
pub fn entries_behind(query: Entries, sort: EntrySort, after: ByOptionalTime) -> Entries {
    let (at, id) = (after.at.map(Stamp::of), Id(after.id));
    match (sort, at) {
        (EntrySort::Newest, Some(at)) => {
            beyond!(query, changelog_entries.created_at, le lt lt, at, id)
        }
        (EntrySort::Oldest, Some(at)) => {
            beyond!(query, changelog_entries.created_at, ge gt gt, at, id)
        }
        (EntrySort::Published, Some(at)) => {
            beyond!(query, changelog_entries.published_at, le lt lt, at, id)
        }
        // Only entries that were never published have no time.
        (_, None) => query
            .filter(changelog_entries::published_at.is_null())
            .filter(changelog_entries::id.lt(id)),
    }
}

/// A list of articles.
pub type Articles = help_articles::BoxedQuery<'static, Engine>;

/// The active articles, in no order.
pub fn articles(organization: OrganizationId) -> Articles {
    help_articles::table
        .filter(help_articles::organization_id.eq(Id::of(organization)))
        .filter(help_articles::is_active)
        .into_boxed()
}

/// Limits a list to the articles that pass the filter. The text of the filter is not applied.
pub fn articles_matching(
    query: Articles,
    organization: OrganizationId,
    filter: &ArticleFilter,
) -> Articles {
    let mut query = query;
    if let Some(collection) = filter.collection_id {
        let its_categories = help_categories::table
            .filter(help_categories::organization_id.eq(Id::of(organization)))
            .filter(help_categories::collection_id.eq(Id::of(collection)))
            .select(help_categories::id.nullable());
        query = query
            .filter(
                help_articles::collection_id
                    .eq(Id::of(collection))
                    .or(help_articles::category_id.eq_any(its_categories)),
            )
            .filter(is_active!(help_collections, organization, collection));
    }
    if let Some(category) = filter.category_id {
        query = query.filter(help_articles::category_id.eq(Id::of(category))).filter(is_active!(
            help_categories,
            organization,
            category
        ));
    }
    if let Some(status) = filter.status {
        query = query.filter(help_articles::status_code.eq(status.code()));
    }
    if let Some(show_on_portal) = filter.show_on_portal {
        query = query.filter(help_articles::show_on_portal.eq(show_on_portal));
    }
    if let Some(is_favourite) = filter.is_favourite {
        query = query.filter(help_articles::is_favourite.eq(is_favourite));
    }
    if let Some(ids) = &filter.ids {
        query = query.filter(help_articles::id.eq_any(ids.iter().copied().map(Id::of)));
    }
    query
}

/// The public article directly before a place in a collection or category, or directly behind it.
pub fn article_beside(
    organization: OrganizationId,
    parent: ArticleParent,
    (position, id): (i64, Id),
    is_before: bool,
) -> Articles {
    let public = ArticleFilter::default().public();
    let public = articles_matching(articles(organization), organization, &public);
    let inside = match parent {
        ArticleParent::Collection(parent) => {
            public.filter(help_articles::collection_id.eq(Id::of(parent)))
        }
        ArticleParent::Category(parent) => {
            public.filter(help_articles::category_id.eq(Id::of(parent)))
        }
    };
    let beside = match is_before {
        true => beyond!(inside, help_articles.seq_number, le lt lt, position, id)
            .order((help_articles::seq_number.desc(), help_articles::id.desc())),
        false => {
            let place = ArticleKey::Position(position, id);
            articles_in_order(inside, ArticleSort::Position, Some(&place))
        }
    };
    beside.limit(1)
}

/// Sorts articles, and limits the list to those behind a key.
pub fn articles_in_order(
    query: Articles,
    sort: ArticleSort,
    after: Option<&ArticleKey>,
) -> Articles {
    let ordered = match sort {
        ArticleSort::Updated => {
            query.order((help_articles::updated_at.desc(), help_articles::id.desc()))
        }
        ArticleSort::Newest => {
            query.order((help_articles::created_at.desc(), help_articles::id.desc()))
        }
        ArticleSort::Oldest => query.order((help_articles::created_at, help_articles::id)),
        ArticleSort::Title => query.order((help_articles::title, help_articles::id)),
        ArticleSort::Position => query.order((help_articles::seq_number, help_articles::id)),
    };
    match after {
        None => ordered,
        Some(&ArticleKey::Updated(at, id)) => {
            beyond!(ordered, help_articles.updated_at, le lt lt, at, id)
        }
        Some(&ArticleKey::Newest(at, id)) => {
            beyond!(ordered, help_articles.created_at, le lt lt, at, id)
        }
        Some(&ArticleKey::Oldest(at, id)) => {
            beyond!(ordered, help_articles.created_at, ge gt gt, at, id)
        }
        Some(&ArticleKey::Title(ref title, id)) => {
            beyond!(ordered, help_articles.title, ge gt gt, title.clone(), id)
        }
        Some(&ArticleKey::Position(place, id)) => {
            beyond!(ordered, help_articles.seq_number, ge gt gt, place, id)
        }
    }
}

/// The same order as [`articles_in_order`], by expressions. No index contains them, so the engine
/// sorts.
pub fn articles_sorted(query: Articles, sort: ArticleSort) -> Articles {
    match sort {
        ArticleSort::Updated => query
            .order((Unindexed::new(help_articles::updated_at).desc(), help_articles::id.desc())),
        ArticleSort::Newest => query
            .order((Unindexed::new(help_articles::created_at).desc(), help_articles::id.desc())),
        ArticleSort::Oldest => {
            query.order((Unindexed::new(help_articles::created_at), help_articles::id))
        }
        ArticleSort::Title => query.order((help_articles::title.concat(""), help_articles::id)),
        ArticleSort::Position => query.order((help_articles::seq_number + 0, help_articles::id)),
    }
}

/// Limits a list to the articles up to a key. The article of the key is included. Without a key,
/// all articles are.
pub fn articles_until(query: Articles, end: Option<&ArticleKey>) -> Articles {
    match end {
        None => query,
        Some(&ArticleKey::Updated(at, id)) => {
            beyond!(query, help_articles.updated_at, ge gt ge, at, id)
        }
        Some(&ArticleKey::Newest(at, id)) => {
            beyond!(query, help_articles.created_at, ge gt ge, at, id)
        }
        Some(&ArticleKey::Oldest(at, id)) => {
            beyond!(query, help_articles.created_at, le lt le, at, id)
        }
        Some(&ArticleKey::Title(ref title, id)) => {
            beyond!(query, help_articles.title, le lt le, title.clone(), id)
        }
        Some(&ArticleKey::Position(place, id)) => {
            beyond!(query, help_articles.seq_number, le lt le, place, id)
        }
    }
}

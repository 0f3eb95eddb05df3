//! `hearback export`: a whole organization as of one moment.

use super::lines::*;
use super::values::{
    Bounded, Code, Color, Count, Id, Plain, SeqNumber, SlugText, Stamp, WebUrl, WebhookUrl,
};
use crate::vault::{Purpose, SealError, Vault};
use hearback_domain::id::OrganizationId;
use hearback_domain::vote::{PostType, Target};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::{Kind, Ports, Record, StoreError};
use serde::Serialize;
use std::io::Write;

/// An organization was not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// No organization has this slug.
    #[error("no organization has the slug {0}")]
    Unknown(String),
    /// A secret did not open.
    #[error("cannot open a secret of {kind} {id}")]
    Secret {
        /// The kind of its record.
        kind: &'static str,
        /// The identifier of its record.
        id: Uuid,
        /// The cause.
        source: SealError,
    },
    /// The output could not be written.
    #[error("cannot write the export")]
    Write(#[from] std::io::Error),
    /// A record could not be written as JSON.
    #[error("cannot encode a record")]
    Json(#[from] serde_json::Error),
    /// The store failed.
    #[error("cannot export")]
    Store(#[from] StoreError),
}

/// Whether secrets are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// API keys and signing secrets are left out.
    LeaveOut,
    /// API keys and signing secrets are written in the clear.
    Write,
}

/// Writes an organization in the portable format. Returns the number of records.
pub async fn export(
    ports: &Ports,
    vault: &Vault,
    slug: &str,
    secrets: Secrets,
    mut output: impl Write + Send,
) -> Result<u64, ExportError> {
    let mut snapshot = ports.exporter.snapshot().await?;
    let found = snapshot.organization(slug).await?;
    let organization = found.ok_or_else(|| ExportError::Unknown(slug.to_owned()))?.id;
    let writing = Writing { vault, organization, secrets };
    let mut records = 0;
    for &kind in Kind::ALL.iter().filter(|&&kind| kind != Kind::ApiKey || secrets == Secrets::Write)
    {
        let mut after = None;
        loop {
            let page = snapshot.page(organization, kind, after, page_size(kind)).await?;
            for record in page.batch.into_records() {
                writing.record(&mut output, record)?;
                records += 1;
            }
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
    }
    output.flush()?;
    Ok(records)
}

/// The number of records that are read at once: enough to spread the cost of a query, but few of a
/// kind whose records may be long.
fn page_size(kind: Kind) -> i64 {
    match kind {
        Kind::FeedbackPost
        | Kind::RoadmapPost
        | Kind::Comment
        | Kind::ChangelogEntry
        | Kind::HelpArticle => 50,
        _ => 500,
    }
}

struct Writing<'a> {
    vault: &'a Vault,
    organization: OrganizationId,
    secrets: Secrets,
}

impl Writing<'_> {
    fn record(&self, output: &mut impl Write, record: Record) -> Result<(), ExportError> {
        let kind = Code(record.kind());
        match record {
            Record::Organization(organization) => line(
                output,
                &OrganizationLine {
                    kind,
                    id: Id(organization.id.0),
                    name: Plain(organization.name),
                    slug: SlugText(organization.slug),
                    help_center_enabled: Some(organization.help_center.is_enabled()),
                    created_at: Stamp(organization.created_at),
                },
            ),
            Record::User(user) => line(
                output,
                &UserLine {
                    kind,
                    id: Id(user.id.0),
                    user_id: Id(user.user_id.0),
                    email: Bounded(user.email),
                    name: Plain(user.name),
                    avatar_url: Some(Plain(user.avatar_url)),
                    portal_role: Some(Plain(user.portal_role)),
                    company_name: Some(Plain(user.company_name)),
                    customer_status: Some(Plain(user.customer_status)),
                    is_subscribed: Some(user.is_subscribed),
                    is_active: Some(user.is_active),
                    created_at: Stamp(user.created_at),
                },
            ),
            Record::FeedbackBoard(board) => line(
                output,
                &FeedbackBoardLine {
                    kind,
                    id: Id(board.id.0),
                    name: Plain(board.name),
                    slug: SlugText(board.slug),
                    description: board.description.map(Plain),
                    icon_url: board.icon_url.map(Plain),
                    is_voting_enabled: Some(board.is_voting_enabled),
                    is_commenting_enabled: Some(board.is_commenting_enabled),
                    show_post_dates: Some(board.show_post_dates),
                    is_active: Some(board.is_active),
                    seq_number: Some(SeqNumber(board.seq_number)),
                    created_at: Stamp(board.created_at),
                },
            ),
            Record::RoadmapBoard(board) => line(
                output,
                &RoadmapBoardLine {
                    kind,
                    id: Id(board.id.0),
                    name: Plain(board.name),
                    slug: SlugText(board.slug),
                    description: board.description.map(Plain),
                    icon_url: board.icon_url.map(Plain),
                    is_voting_enabled: Some(board.is_voting_enabled),
                    is_active: Some(board.is_active),
                    seq_number: Some(SeqNumber(board.seq_number)),
                    created_at: Stamp(board.created_at),
                },
            ),
            Record::Status(status) => line(
                output,
                &StatusLine {
                    kind,
                    id: Id(status.id.0),
                    name: Plain(status.name),
                    code: Bounded(status.code),
                    color: Color(status.color),
                    status_group_code: Code(status.group),
                    is_default_status: Some(status.is_default_status),
                    show_on_feedback: Some(status.show_on_feedback),
                    show_on_roadmap: Some(status.show_on_roadmap),
                    is_active: Some(status.is_active),
                    seq_number: Some(SeqNumber(status.seq_number)),
                    created_at: Stamp(status.created_at),
                },
            ),
            Record::Category(category) => line(
                output,
                &CategoryLine {
                    kind,
                    id: Id(category.id.0),
                    name: Plain(category.name),
                    code: Bounded(category.code),
                    description: category.description.map(Plain),
                    color: Color(category.color),
                    show_on_feedback: Some(category.show_on_feedback),
                    show_on_roadmap: Some(category.show_on_roadmap),
                    is_active: Some(category.is_active),
                    created_at: Stamp(category.created_at),
                },
            ),
            Record::Tag(tag) => line(
                output,
                &TagLine {
                    kind,
                    id: Id(tag.id.0),
                    name: Plain(tag.name),
                    code: tag.code.map(Bounded),
                    color: Color(tag.color),
                    show_on_feedback: Some(tag.show_on_feedback),
                    show_on_roadmap: Some(tag.show_on_roadmap),
                    is_public: (!tag.is_public).then_some(false),
                    external_id: tag.external_id.map(Bounded),
                    is_active: Some(tag.is_active),
                    created_at: Stamp(tag.created_at),
                },
            ),
            Record::FeedbackPost(post) => line(
                output,
                &FeedbackPostLine {
                    kind,
                    id: Id(post.id.0),
                    title: Plain(post.title),
                    description: Some(Plain(post.description)),
                    slug: SlugText(post.slug),
                    board_id: Id(post.board_id.0),
                    author_id: Id(post.author_id.0),
                    owner_id: post.owner_id.map(|id| Id(id.0)),
                    status_id: Id(post.status_id.0),
                    category_id: post.category_id.map(|id| Id(id.0)),
                    eta: post.eta.map(Stamp),
                    moderation_status_code: Some(Code(post.moderation)),
                    tag_ids: Some(ids(post.tag_ids)),
                    merged_into_id: post.merged_into_id.map(|id| Id(id.0)),
                    is_active: Some(post.is_active),
                    created_at: Stamp(post.created_at),
                    updated_at: Some(Stamp(post.updated_at)),
                },
            ),
            Record::RoadmapPost(post) => line(
                output,
                &RoadmapPostLine {
                    kind,
                    id: Id(post.id.0),
                    title: Plain(post.title),
                    description: Some(Plain(post.description)),
                    slug: SlugText(post.slug),
                    roadmap_board_id: Id(post.roadmap_board_id.0),
                    author_id: post.author_id.map(|id| Id(id.0)),
                    owner_id: post.owner_id.map(|id| Id(id.0)),
                    status_id: Id(post.status_id.0),
                    category_id: post.category_id.map(|id| Id(id.0)),
                    eta: post.eta.map(Stamp),
                    is_active: Some(post.is_active),
                    created_at: Stamp(post.created_at),
                    updated_at: Some(Stamp(post.updated_at)),
                },
            ),
            Record::Comment(comment) => line(
                output,
                &CommentLine {
                    kind,
                    id: Id(comment.id.0),
                    content: Plain(comment.content),
                    author_id: Id(comment.author_id.0),
                    parent_comment_id: comment.parent_comment_id.map(|id| Id(id.0)),
                    feedback_post_id: Id(comment.feedback_post_id.0),
                    visibility_code: Some(Code(comment.visibility)),
                    moderation_status_code: Some(Code(comment.moderation)),
                    is_active: Some(comment.is_active),
                    created_at: Stamp(comment.created_at),
                    updated_at: Some(Stamp(comment.updated_at)),
                },
            ),
            Record::Vote(vote) => {
                let (post_id, post_type) = match vote.target {
                    Target::Feedback(id) => (Id(id.0), Code(PostType::Feedback)),
                    Target::Roadmap(id) => (Id(id.0), Code(PostType::Roadmap)),
                };
                let user_id = Id(vote.user_id.0);
                line(
                    output,
                    &VoteLine {
                        kind,
                        id: Id(vote.id.0),
                        user_id,
                        post_id,
                        post_type,
                        created_at: Stamp(vote.created_at),
                    },
                )
            }
            Record::Merge(merge) => line(
                output,
                &MergeLine {
                    kind,
                    id: Id(merge.id.0),
                    merge_post_id: Id(merge.merge_post_id.0),
                    into_post_id: Id(merge.into_post_id.0),
                    merger_id: Id(merge.merger_id.0),
                    moved_user_ids: ids(merge.moved_user_ids),
                    dropped_user_ids: ids(merge.dropped_user_ids),
                    created_at: Stamp(merge.created_at),
                },
            ),
            Record::Label(label) => line(
                output,
                &LabelLine {
                    kind,
                    id: Id(label.id.0),
                    name: Bounded(label.name),
                    code: Bounded(label.code),
                    color: Color(label.color),
                    description: label.description.map(Plain),
                    is_active: Some(label.is_active),
                    created_at: Stamp(label.created_at),
                },
            ),
            Record::ChangelogEntry(entry) => line(
                output,
                &ChangelogEntryLine {
                    kind,
                    id: Id(entry.id.0),
                    title: Bounded(entry.title),
                    content: Some(Plain(entry.content)),
                    slug: SlugText(entry.slug),
                    status_code: Code(entry.status),
                    show_on_portal: Some(entry.show_on_portal),
                    featured_image_url: entry.featured_image_url.map(WebUrl),
                    author_id: entry.author_id.map(|id| Id(id.0)),
                    scheduled_at: entry.scheduled_at.map(Stamp),
                    published_at: entry.published_at.map(Stamp),
                    entry_type: entry.entry_type.map(Code),
                    label_ids: Some(ids(entry.label_ids)),
                    notify: Some(entry.notify),
                    is_active: Some(entry.is_active),
                    created_at: Stamp(entry.created_at),
                    updated_at: Some(Stamp(entry.updated_at)),
                },
            ),
            Record::HelpCollection(collection) => line(
                output,
                &HelpCollectionLine {
                    kind,
                    id: Id(collection.id.0),
                    name: Bounded(collection.name),
                    slug: SlugText(collection.slug),
                    description: Some(Bounded(collection.description)),
                    icon: Some(Bounded(collection.icon)),
                    color: Some(Color(collection.color)),
                    seq_number: Some(SeqNumber(collection.seq_number)),
                    is_active: Some(collection.is_active),
                    created_at: Stamp(collection.created_at),
                    updated_at: Some(Stamp(collection.updated_at)),
                },
            ),
            Record::HelpCategory(category) => line(
                output,
                &HelpCategoryLine {
                    kind,
                    id: Id(category.id.0),
                    collection_id: Id(category.collection_id.0),
                    name: Bounded(category.name),
                    slug: SlugText(category.slug),
                    description: category.description.map(Bounded),
                    icon: category.icon.map(Bounded),
                    color: category.color.map(Color),
                    seq_number: Some(SeqNumber(category.seq_number)),
                    is_active: Some(category.is_active),
                    created_at: Stamp(category.created_at),
                    updated_at: Some(Stamp(category.updated_at)),
                },
            ),
            Record::HelpArticle(article) => line(
                output,
                &HelpArticleLine {
                    kind,
                    id: Id(article.id.0),
                    title: Bounded(article.title),
                    content: Some(Plain(article.content)),
                    slug: SlugText(article.slug),
                    excerpt: article.excerpt.map(Bounded),
                    status_code: Some(Code(article.status)),
                    show_on_portal: Some(article.show_on_portal),
                    is_favourite: Some(article.is_favourite),
                    collection_id: article.parent.collection().map(|id| Id(id.0)),
                    category_id: article.parent.category().map(|id| Id(id.0)),
                    seq_number: Some(SeqNumber(article.seq_number)),
                    author_id: article.author_id.map(|id| Id(id.0)),
                    published_at: article.published_at.map(Stamp),
                    related_article_ids: Some(ids(article.related_article_ids)),
                    view_count: Some(Count(article.view_count)),
                    helpful_count: Some(Count(article.helpful_count)),
                    not_helpful_count: Some(Count(article.not_helpful_count)),
                    is_active: Some(article.is_active),
                    created_at: Stamp(article.created_at),
                    updated_at: Some(Stamp(article.updated_at)),
                },
            ),
            Record::WebhookSubscription(subscription) => {
                let signing_secret = match self.secrets {
                    // Without its secret, the subscription awaits rotation after an import.
                    Secrets::Write if !subscription.awaits_rotation => Some(self.open(
                        kind.0,
                        subscription.id.0,
                        Purpose::SigningSecret,
                        &subscription.secret,
                    )?),
                    Secrets::Write | Secrets::LeaveOut => None,
                };
                line(
                    output,
                    &WebhookSubscriptionLine {
                        kind,
                        id: Id(subscription.id.0),
                        url: WebhookUrl(subscription.url),
                        event_types: Some(subscription.event_types.into_iter().map(Code).collect()),
                        is_active: Some(subscription.is_active),
                        signing_secret: signing_secret.map(Bounded),
                        created_at: Stamp(subscription.created_at),
                    },
                )
            }
            Record::ApiKey(key) => {
                let plain = self.open(kind.0, key.id.0, Purpose::ApiKey, &key.sealed)?;
                line(
                    output,
                    &ApiKeyLine {
                        kind,
                        id: Id(key.id.0),
                        key: Plain(plain),
                        created_at: Stamp(key.created_at),
                    },
                )
            }
        }
    }

    fn open(
        &self,
        kind: Kind,
        id: Uuid,
        purpose: Purpose,
        sealed: &hearback_domain::api_key::Sealed,
    ) -> Result<String, ExportError> {
        let opened = self.vault.open(self.organization, id, purpose, sealed);
        opened.map(|secret| secret.as_str().to_owned()).map_err(|source| ExportError::Secret {
            kind: kind.code(),
            id,
            source,
        })
    }
}

fn line(output: &mut impl Write, line: &impl Serialize) -> Result<(), ExportError> {
    serde_json::to_writer(&mut *output, line)?;
    output.write_all(b"\n")?;
    Ok(())
}

fn ids<T: Into<Uuid>>(ids: Vec<T>) -> Vec<Id> {
    ids.into_iter().map(|id| Id(id.into())).collect()
}

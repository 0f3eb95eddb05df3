//! Everything that is stored: the organizations with their records.

use crate::Result;
use crate::deliveries::Sending;
use crate::mail_queue::{StoredMail, StoredMailing};
use crate::passwords::Tries;
use crate::webhook_subscriptions::Standing;
use hearback_domain::api_key::ApiKey;
use hearback_domain::audit::AuditEntry;
use hearback_domain::daily_count::{Daily, Day};
use hearback_domain::event::Event;
use hearback_domain::follow_up::FollowUp;
use hearback_domain::id::{
    ApiKeyId, AuditEntryId, EventId, MailingId, OrganizationId, PostId, SubscriptionId, TagId,
    UserId,
};
use hearback_domain::image::{Image, ImageDigest};
use hearback_domain::missed_search::MissedSearch;
use hearback_domain::oidc::{OidcAccount, OidcProvider};
use hearback_domain::organization::Organization;
use hearback_domain::password::StoredPassword;
use hearback_domain::position::Position;
use hearback_domain::record::Parent;
use hearback_domain::saved_view::SavedView;
use hearback_domain::second_factor::SecondFactor;
use hearback_domain::session::{Session, SignIn, TokenDigest};
use hearback_domain::slug::Slug;
use hearback_domain::sso_secret::SealedSsoSecret;
use hearback_domain::{Time, Uuid};
use hearback_ports::events::StoredEvent;
use hearback_ports::notices::MailTrouble;
use hearback_ports::record::{Key, OfKind};
use hearback_ports::{Kind, Receipt, Record, Recorded, Unique};
use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::sync::Arc;

/// Everything that is stored.
#[derive(Clone, Default)]
pub(crate) struct State {
    pub(crate) tenants: BTreeMap<OrganizationId, Arc<Tenant>>,
    /// The facts of the installation.
    pub(crate) facts: BTreeMap<&'static str, Vec<u8>>,
}

impl State {
    /// An organization.
    pub(crate) fn tenant(&self, id: OrganizationId) -> Option<&Tenant> {
        self.tenants.get(&id).map(Arc::as_ref)
    }

    /// An organization that changes.
    pub(crate) fn tenant_mut(&mut self, id: OrganizationId) -> Option<&mut Tenant> {
        self.tenants.get_mut(&id).map(Arc::make_mut)
    }

    /// The records of all organizations.
    pub(crate) fn organizations(&self) -> impl Iterator<Item = &Organization> {
        self.tenants.values().flat_map(|tenant| tenant.all())
    }

    /// The organization with a slug, in the form of `Slug::key`.
    pub(crate) fn organization(&self, slug: &str) -> Option<&Organization> {
        self.organizations().find(|organization| organization.slug.key() == slug)
    }

    /// The organization whose portal is at a host, in lower case.
    pub(crate) fn at_host(&self, host: &str) -> Option<&Organization> {
        self.organizations().find(|it| it.portal.host.as_deref() == Some(host))
    }

    /// Adds a record to an organization. The record of an organization adds the organization, too.
    /// The caller drops the state if the record breaks a rule.
    pub(crate) fn add(&mut self, id: OrganizationId, record: Record) -> Result<(), Recorded> {
        let taken = self.taken(&record);
        let tenant = match &record {
            Record::Organization(new) => {
                Some(Arc::make_mut(self.tenants.entry(new.id).or_default()))
            }
            _ => self.tenant_mut(id),
        };
        tenant.ok_or(Recorded::Stale)?.add(record)?;
        taken.map_or(Ok(()), |rule| Err(Recorded::Taken(rule)))
    }

    /// The rule of all organizations that a record breaks.
    pub(crate) fn taken(&self, record: &Record) -> Option<Unique> {
        match record {
            Record::Organization(new) => {
                let is_other = |other: &&Organization| other.id != new.id;
                let slug = self.organization(&new.slug.key()).filter(is_other);
                let host = new.portal.host.as_ref().and_then(|host| self.at_host(host));
                let host = host.filter(is_other).map(|_| Unique::Host);
                slug.map(|_| Unique::Slug).or(host)
            }
            Record::ApiKey(new) => {
                let tenants = self.tenants.values();
                let mut keys = tenants.flat_map(|it| it.all().chain(it.revoked_keys.values()));
                keys.any(|key: &ApiKey| key.digest == new.digest).then_some(Unique::KeyDigest)
            }
            _ => None,
        }
    }
}

/// One organization with everything that it has.
#[derive(Clone, Default)]
pub(crate) struct Tenant {
    pub(crate) records: BTreeMap<Key, Arc<Record>>,
    /// The record that has each unique value.
    pub(crate) unique: BTreeMap<(Kind, Unique, String), Uuid>,
    /// The last position that was ever given in each list.
    ends: BTreeMap<(Kind, Parent), Position>,
    /// The tags whose removal from posts has not ended.
    pub(crate) deleted_tags: BTreeSet<TagId>,
    /// The changes of many records that are not finished.
    pub(crate) follow_ups: BTreeSet<FollowUp>,
    pub(crate) audit: BTreeMap<AuditEntryId, AuditEntry>,
    /// The number of recent votes of each post.
    pub(crate) trends: BTreeMap<PostId, i64>,
    /// The numbers of days, as they were counted last.
    pub(crate) days: BTreeMap<(Daily, Uuid, Day), i64>,
    pub(crate) misses: BTreeMap<(MissedSearch, Day), i64>,
    pub(crate) revoked_keys: BTreeMap<ApiKeyId, ApiKey>,
    pub(crate) standings: BTreeMap<SubscriptionId, Standing>,
    pub(crate) receipts: BTreeMap<(&'static str, String), Receipt>,
    /// The time at which each used token of single sign-on is over.
    pub(crate) spent_tokens: BTreeMap<TokenDigest, Time>,
    pub(crate) sign_ins: BTreeMap<TokenDigest, SignIn>,
    pub(crate) sessions: BTreeMap<TokenDigest, Session>,
    pub(crate) passwords: BTreeMap<UserId, StoredPassword>,
    pub(crate) views: BTreeMap<(UserId, String), SavedView>,
    pub(crate) second_factors: BTreeMap<UserId, SecondFactor>,
    pub(crate) tries: BTreeMap<TokenDigest, Tries>,
    /// The providers of OpenID Connect, the oldest first.
    pub(crate) oidc_providers: Vec<OidcProvider>,
    pub(crate) oidc_accounts: BTreeMap<TokenDigest, OidcAccount>,
    /// The secrets of single sign-on, the newest first.
    pub(crate) sso_secrets: Vec<SealedSsoSecret>,
    pub(crate) images: BTreeMap<ImageDigest, Image>,
    pub(crate) events: BTreeMap<EventId, StoredEvent>,
    /// The person whom each event names.
    pub(crate) named: BTreeMap<EventId, UserId>,
    pub(crate) deliveries: BTreeMap<(SubscriptionId, EventId), Sending>,
    pub(crate) mailings: BTreeMap<MailingId, StoredMailing>,
    pub(crate) mails: BTreeMap<(MailingId, UserId), StoredMail>,
    pub(crate) troubles: Vec<MailTrouble>,
}

impl Tenant {
    /// A record, active or not.
    pub(crate) fn record(&self, key: Key) -> Option<&Record> {
        self.records.get(&key).map(Arc::as_ref)
    }

    /// The records of a kind, active or not, by key.
    pub(crate) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Record> {
        self.records.range((kind, Uuid::nil())..=(kind, Uuid::max())).map(|(_, record)| &**record)
    }

    /// The records of a kind, active or not, by key.
    pub(crate) fn all<R: OfKind>(&self) -> impl Iterator<Item = &R> {
        self.of_kind(R::KIND).filter_map(R::of_record)
    }

    /// The active records of a kind, by key.
    pub(crate) fn active<R: OfKind>(&self) -> impl Iterator<Item = &R> {
        self.of_kind(R::KIND).filter(|record| record.is_active()).filter_map(R::of_record)
    }

    /// A record of a kind, active or not.
    pub(crate) fn any<R: OfKind>(&self, id: impl Into<Uuid>) -> Option<&R> {
        self.record((R::KIND, id.into())).and_then(R::of_record)
    }

    /// An active record of a kind.
    pub(crate) fn find<R: OfKind>(&self, id: impl Into<Uuid>) -> Option<&R> {
        self.record((R::KIND, id.into())).filter(|record| record.is_active()).and_then(R::of_record)
    }

    /// The position behind the last one that was ever given in a list.
    pub(crate) fn next_position(&self, kind: Kind, parent: Parent) -> Position {
        self.ends.get(&(kind, parent)).copied().unwrap_or(Position::START).next()
    }

    /// Adds a record. The caller drops the organization if the record breaks a rule.
    pub(crate) fn add(&mut self, record: Record) -> Result<(), Recorded> {
        let (kind, id) = record.key();
        for (rule, value) in unique_values(&record) {
            if self.unique.insert((kind, rule, value), id).is_some() {
                return Err(Recorded::Taken(rule));
            }
        }
        if let (Some(parent), Some(position)) = (record.parent(), record.position()) {
            let end = self.ends.entry((kind, parent)).or_insert(position);
            *end = position.max(*end);
        }
        if let Record::WebhookSubscription(subscription) = &record
            && !self.standings.contains_key(&subscription.id)
        {
            self.stand(subscription, subscription.created_at);
        }
        self.records.insert((kind, id), Arc::new(record));
        Ok(())
    }

    /// Removes a record, with its unique values.
    pub(crate) fn remove(&mut self, key: Key) -> Option<Arc<Record>> {
        let record = self.records.remove(&key)?;
        for (rule, value) in unique_values(&record) {
            self.unique.remove(&(key.0, rule, value));
        }
        Some(record)
    }

    /// Removes the boards and statuses, and the ends of the lists, unless other records refer to
    /// them. Returns whether they are removed.
    pub(crate) fn make_way(&mut self) -> bool {
        let kinds = [Kind::FeedbackBoard, Kind::Status];
        let ways: BTreeSet<Key> =
            kinds.into_iter().flat_map(|kind| self.of_kind(kind)).map(Record::key).collect();
        let mut named = self.records.values().flat_map(|record| record.references());
        if named.any(|reference| ways.contains(&reference.key())) {
            return false;
        }
        ways.into_iter().for_each(|key| drop(self.remove(key)));
        self.ends.clear();
        true
    }

    /// Edits a record if it exists, but none of its unique values.
    pub(crate) fn edit<R: OfKind>(&mut self, id: impl Into<Uuid>, edit: impl FnOnce(&mut R)) {
        if let Some(record) = self.records.get_mut(&(R::KIND, id.into()))
            && let Some(mut edited) = R::of_record(record).cloned()
        {
            edit(&mut edited);
            *record = Arc::new(edited.into_record());
        }
    }

    /// Ends a write: records its events and keeps its receipt.
    pub(crate) fn seal<'a>(
        &mut self,
        events: impl IntoIterator<Item = &'a Event>,
        receipt: Option<Receipt>,
    ) -> Result<(), Recorded> {
        events.into_iter().for_each(|event| self.record_event(event));
        let Some(receipt) = receipt else { return Ok(()) };
        let key = (receipt.path, receipt.key.as_str().to_owned());
        let present = self.receipts.insert(key, receipt);
        present.map_or(Ok(()), |_| Err(Recorded::Taken(Unique::Receipt)))
    }
}

/// The values of a record that no other record of its kind may have. The identifier is the first.
fn unique_values(record: &Record) -> Vec<(Unique, String)> {
    let slug = |slug: &Slug| vec![(Unique::Slug, Some(slug.key()))];
    let code = |code: &str| (Unique::Code, Some(code.to_owned()));
    // A deleted record gives up the identifier of another tool.
    let external_id = |is_active: bool, id: &Option<String>| {
        vec![(Unique::ExternalId, id.clone().filter(|_| is_active))]
    };
    let values = match record {
        Record::FeedbackBoard(board) => {
            [slug(&board.slug), external_id(board.is_active, &board.external_id)].concat()
        }
        Record::RoadmapBoard(board) => {
            [slug(&board.slug), external_id(board.is_active, &board.external_id)].concat()
        }
        Record::FeedbackPost(post) => {
            [slug(&post.slug), external_id(post.is_active, &post.external_id)].concat()
        }
        Record::Comment(comment) => {
            let is_pinned = comment.is_pinned && comment.is_active;
            let pinned = is_pinned.then(|| comment.feedback_post_id.to_string());
            let pinned = vec![(Unique::PinnedComment, pinned)];
            [pinned, external_id(comment.is_active, &comment.external_id)].concat()
        }
        Record::RoadmapPost(post) => {
            [slug(&post.slug), external_id(post.is_active, &post.external_id)].concat()
        }
        Record::RoadmapLink(link) => {
            let pair = format!("{} {}", link.roadmap_post_id, link.feedback_post_id);
            vec![(Unique::Link, Some(pair))]
        }
        Record::Subscription(subscription) => {
            let pair = format!("{} {}", subscription.feedback_post_id, subscription.user_id);
            vec![(Unique::Subscription, Some(pair))]
        }
        Record::ChangelogEntry(entry) => {
            [slug(&entry.slug), external_id(entry.is_active, &entry.external_id)].concat()
        }
        Record::EntryLink(link) => {
            let pair = format!("{} {}", link.changelog_entry_id, link.feedback_post_id);
            vec![(Unique::Link, Some(pair))]
        }
        Record::HelpCollection(it) => {
            [slug(&it.slug), external_id(it.is_active, &it.external_id)].concat()
        }
        Record::HelpCategory(it) => {
            [slug(&it.slug), external_id(it.is_active, &it.external_id)].concat()
        }
        Record::HelpArticle(it) => {
            [slug(&it.slug), external_id(it.is_active, &it.external_id)].concat()
        }
        Record::HelpRedirect(it) => {
            vec![(Unique::Path, Some(it.from_path.as_str().to_owned()))]
        }
        Record::HelpArticleVersion(it) => {
            let number = format!("{} {}", it.help_article_id, it.version);
            vec![(Unique::Version, Some(number))]
        }
        Record::Category(category) => {
            let code = vec![code(&category.code)];
            [code, external_id(category.is_active, &category.external_id)].concat()
        }
        Record::Label(label) => {
            [vec![code(&label.code)], external_id(label.is_active, &label.external_id)].concat()
        }
        Record::Status(status) => {
            let default = status.is_default_status.then(String::new);
            let values = vec![code(&status.code), (Unique::DefaultStatus, default)];
            [values, external_id(status.is_active, &status.external_id)].concat()
        }
        // A deleted tag gives up its values.
        Record::Tag(tag) if tag.is_active => {
            vec![(Unique::Code, tag.code.clone()), (Unique::ExternalId, tag.external_id.clone())]
        }
        Record::Company(company) => {
            external_id(company.is_active, &Some(company.external_id.clone()))
        }
        Record::User(user) => {
            let email = Some(user.email.clone()).filter(|email| !email.is_empty());
            let person =
                vec![(Unique::UserId, Some(user.user_id.to_string())), (Unique::Email, email)];
            [person, external_id(user.is_active, &user.external_id)].concat()
        }
        Record::Vote(vote) => {
            vec![(Unique::Vote, Some(format!("{} {:?}", vote.user_id, vote.target)))]
        }
        Record::DroppedVote(vote) => {
            let cast = format!("dropped {} {}", vote.user_id, vote.feedback_post_id);
            vec![(Unique::Vote, Some(cast))]
        }
        Record::ApiKey(_) => vec![(Unique::ActiveKey, Some(String::new()))],
        _ => vec![],
    };
    let values = values.into_iter().filter_map(|(rule, value)| Some((rule, value?)));
    iter::once((Unique::Id, record.id().to_string())).chain(values).collect()
}

//! Changes of records, and the receipts of writes.

use crate::lists::{count, first, size};
use crate::{MemoryStore, Result, State, Tenant};
use async_trait::async_trait;
use hearback_domain::audit::AuditEntry;
use hearback_domain::counted::Count;
use hearback_domain::feedback_post::Moderation;
use hearback_domain::follow_up::{Affected, FollowUp, Only, referring};
use hearback_domain::help_article::HelpArticle;
use hearback_domain::help_redirect::{HelpRedirect, Written};
use hearback_domain::id::{HelpArticleId, HelpCollectionId, OrganizationId, UserId};
use hearback_domain::merge::DroppedVote;
use hearback_domain::record::{Key, Known, OfKind, Parent, Step};
use hearback_domain::user::User;
use hearback_domain::vote::Target;
use hearback_domain::{Time, Uuid};
use hearback_ports::receipts::StoredReceipt;
use hearback_ports::records::Name;
use hearback_ports::{
    Change, IdempotencyKey, Kind, ReceiptRepository, Record, RecordRepository, Recorded, Unique,
};

#[async_trait]
impl RecordRepository for MemoryStore {
    async fn load(&self, organization: OrganizationId, keys: Vec<Key>) -> Result<Known> {
        self.read(organization, |tenant| {
            Known::new(keys.iter().filter_map(|key| tenant.record(*key)).cloned())
        })
    }

    async fn named(
        &self,
        organization: OrganizationId,
        kind: Kind,
        name: Name,
        names: Vec<String>,
    ) -> Result<Vec<(String, Uuid)>> {
        let rule = match name {
            Name::Slug => Unique::Slug,
            Name::Code => Unique::Code,
            Name::ExternalId => Unique::ExternalId,
            Name::FromPath => Unique::Path,
        };
        self.read(organization, |tenant| {
            let holder =
                |name: String| Some((tenant.unique.get(&(kind, rule, name.clone()))?, name));
            names.into_iter().filter_map(holder).map(|(id, name)| (name, *id)).collect()
        })
    }

    async fn ids(
        &self,
        organization: OrganizationId,
        kind: Kind,
        after: Option<Uuid>,
        limit: i64,
    ) -> Result<Vec<Uuid>> {
        let is_behind = |id: &Uuid| after.is_none_or(|after| *id > after);
        self.read(organization, |tenant| {
            let ids = tenant.of_kind(kind).map(|record| record.key().1).filter(is_behind);
            ids.take(size(limit)).collect()
        })
    }

    async fn apply(&self, organization: OrganizationId, change: Change) -> Result<Recorded> {
        self.record(|state| apply(state, organization, change))
    }

    async fn next_follow_up(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Option<(FollowUp, Vec<Key>)>> {
        self.update(organization, |tenant| {
            while let Some(follow_up) = tenant.follow_ups.first().copied() {
                if let FollowUp::Erase { user, .. } = follow_up
                    && tenant.forget(user)
                {
                    return Some((follow_up, vec![]));
                }
                let keys = tenant.affected(follow_up, size(limit));
                if !keys.is_empty() {
                    return Some((follow_up, keys));
                }
                tenant.follow_ups.remove(&follow_up);
                if let FollowUp::Replace { key: (Kind::Tag, tag), .. } = follow_up {
                    tenant.deleted_tags.remove(&tag.into());
                }
            }
            None
        })
    }

    async fn affected(
        &self,
        organization: OrganizationId,
        follow_up: FollowUp,
        limit: i64,
    ) -> Result<Vec<Key>> {
        self.read(organization, |tenant| tenant.affected(follow_up, size(limit)))
    }

    async fn erasable(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<Vec<Key>> {
        self.read(organization, |tenant| tenant.erasable(before, limit))
    }

    async fn count(
        &self,
        organization: OrganizationId,
        affected: Affected,
        value: Uuid,
    ) -> Result<i64> {
        self.read(organization, |tenant| count(tenant.of(affected, value)))
    }

    async fn shared(
        &self,
        organization: OrganizationId,
        kind: Kind,
        (one, other): (UserId, UserId),
    ) -> Result<i64> {
        self.read(organization, |tenant| {
            let of = |user| tenant.of_kind(kind).filter_map(move |record| post_of(record, user));
            count(of(one).filter(|post| of(other).any(|its_post| its_post == *post)))
        })
    }

    async fn siblings(
        &self,
        organization: OrganizationId,
        kind: Kind,
        parent: Parent,
    ) -> Result<Vec<Uuid>> {
        self.read(organization, |tenant| {
            let active = tenant.of_kind(kind).filter(|record| record.is_active());
            let listed = active.filter(|record| record.parent() == Some(parent));
            let mut listed: Vec<_> = listed.map(|it| (it.position(), it.id())).collect();
            listed.sort_unstable();
            listed.into_iter().map(|(_, id)| id).collect()
        })
    }
}

impl Tenant {
    /// Up to `limit` records of each kind that a follow-up still has to change.
    fn affected(&self, follow_up: FollowUp, limit: usize) -> Vec<Key> {
        let of = |affected| {
            let mut found = Vec::from_iter(self.of(affected, follow_up.value()));
            // Help categories and articles move to the end of a list in the order of their positions.
            if let Kind::HelpCategory | Kind::HelpArticle = affected.kind {
                found.sort_by_key(|record| record.position());
            }
            found.into_iter().take(limit).map(Record::key)
        };
        follow_up.affected().into_iter().flat_map(of).collect()
    }

    /// The records whose member has a value.
    fn of(
        &self,
        Affected { kind, member, only }: Affected,
        value: Uuid,
    ) -> impl Iterator<Item = &Record> {
        let is_affected = move |record: &&Record| match only {
            Only::All => true,
            Only::Active => record.is_active(),
            Only::Pending => record.is_active() && is_pending(record),
        };
        let named = self.of_kind(kind).filter(is_affected);
        named.filter(move |record| refers(record, member, value))
    }

    fn uses(&self, kind: Kind, id: Uuid) -> i64 {
        let only = Only::Active;
        let of = |&(kind, member)| count(self.of(Affected { kind, member, only }, id));
        referring(kind).iter().map(of).sum()
    }

    /// Moves a count of the readers of an article. All other counts are counted when they are read.
    fn count(&mut self, article: HelpArticleId, count: Count, by: i64) {
        self.edit(article, |article: &mut HelpArticle| match count {
            Count::Views => article.view_count += by,
            Count::Helpful => article.helpful_count += by,
            Count::NotHelpful => article.not_helpful_count += by,
            _ => {}
        });
    }

    /// Stores follow-ups with the change that they follow from.
    fn follow(&mut self, follow_ups: Vec<FollowUp>) {
        for follow_up in follow_ups {
            if let FollowUp::Replace { key: (kind, id), by } = follow_up {
                let redirected = self.follow_ups.iter().map(|waiting| match *waiting {
                    FollowUp::MoveArticles { category, to }
                        if (Kind::HelpCollection, to.0) == (kind, id) =>
                    {
                        let to = by.map_or(to, HelpCollectionId);
                        FollowUp::MoveArticles { category, to }
                    }
                    FollowUp::Replace { key, by: Some(old) } if (key.0, old) == (kind, id) => {
                        FollowUp::Replace { key, by }
                    }
                    waiting => waiting,
                });
                self.follow_ups = redirected.collect();
                if let (Kind::User, Some(by)) = (kind, by) {
                    let named = self.named.values_mut().filter(|user| user.0 == id);
                    named.for_each(|user| *user = by.into());
                    let waiting = self.mailings.values_mut().filter(|stored| !stored.is_finished);
                    let actors = waiting.filter_map(|stored| stored.mailing.actor_id.as_mut());
                    actors.filter(|actor| actor.0 == id).for_each(|actor| *actor = by.into());
                }
            }
            if let FollowUp::Erase { user, .. } = follow_up {
                let address = self.any::<User>(user).map(|user| user.email.clone());
                let address = address.filter(|address| !address.is_empty());
                let has_it = |key: &str| address.as_ref().is_some_and(|it| key.contains(&**it));
                self.receipts.retain(|(_, key), _| !has_it(key));
                self.mails.retain(|(_, recipient), _| *recipient != user);
                self.sign_ins.retain(|_, it| Some(&it.email) != address.as_ref());
                let dropped = self.all::<DroppedVote>().filter(|vote| vote.user_id == user);
                let dropped: Vec<Key> =
                    dropped.map(|vote| vote.clone().into_record().key()).collect();
                dropped.into_iter().for_each(|key| drop(self.remove(key)));
            }
            self.follow_ups.insert(follow_up);
        }
    }
}

/// The post on which a user has a vote, or to which a user is subscribed, by its kind.
fn post_of(record: &Record, user: UserId) -> Option<Key> {
    match record {
        Record::Vote(vote) if vote.user_id == user => Some(match vote.target {
            Target::Feedback(id) => (Kind::FeedbackPost, id.0),
            Target::Roadmap(id) => (Kind::RoadmapPost, id.0),
        }),
        Record::Subscription(it) if it.user_id == user => {
            Some((Kind::FeedbackPost, it.feedback_post_id.0))
        }
        _ => None,
    }
}

/// Whether a member of a record has a value.
fn refers(record: &Record, member: &str, id: Uuid) -> bool {
    let all = [record.references(), record.listed_references()].concat();
    all.iter().any(|reference| reference.member == member && reference.id == id)
}

fn is_pending(record: &Record) -> bool {
    match record {
        Record::FeedbackPost(post) => post.moderation == Moderation::Pending,
        Record::Comment(comment) => comment.moderation == Moderation::Pending,
        _ => false,
    }
}

fn apply(state: &mut State, organization: OrganizationId, change: Change) -> Result<(), Recorded> {
    let Change { steps, needs, unused, follow_ups, events, audit, mailings, receipt, at, counts } =
        change;
    let stored = |key: Key| state.tenant(organization).and_then(|tenant| tenant.record(key));
    if let Some(need) = needs.iter().find(|need| !stored(**need).is_some_and(Record::is_active)) {
        return Err(Recorded::Missing(*need));
    }
    let is_stale =
        |before: &Record| !stored(before.key()).is_some_and(|stored| stored.is_unchanged(before));
    if steps.iter().filter_map(Step::before).any(is_stale) {
        return Err(Recorded::Stale);
    }
    let tenant = state.tenant_mut(organization);
    if let Some(tenant) = tenant {
        tenant.follow(follow_ups);
        for user in steps.iter().filter_map(Step::unlinks) {
            tenant.end_all(user, None);
            tenant.passwords.remove(&user);
            tenant.second_factors.remove(&user);
            tenant.views.retain(|(of, _), _| *of != user);
            tenant.oidc_accounts.retain(|_, account| account.user_id != user);
        }
        for user in steps.iter().filter_map(Step::blocks) {
            tenant.end_all(user, None);
        }
    }
    for step in &steps {
        take(state, organization, step, at)?;
    }
    let tenant = state.tenant_mut(organization).ok_or(Recorded::Stale)?;
    if let Some(Written { beginnings, ends }) = Written::by(&steps) {
        let is_chained =
            |it: &HelpRedirect| beginnings.contains(&&it.to_path) || ends.contains(&&it.from_path);
        if tenant.all().any(is_chained) {
            return Err(Recorded::Stale);
        }
    }
    if let Some(used) = unused.into_iter().find(|(kind, id)| tenant.uses(*kind, *id) > 0) {
        return Err(Recorded::InUse(used));
    }
    for ((article, count), by) in counts {
        tenant.count(article.into(), count, by);
    }
    for mailing in mailings {
        tenant.announce(mailing);
    }
    let erased: Vec<Key> = steps.iter().filter_map(Step::erased).collect();
    let of_erased = |entry: &&mut AuditEntry| erased.contains(&entry.target);
    tenant.audit.values_mut().filter(of_erased).for_each(|it| it.data = "{}".to_owned());
    tenant.audit.extend(audit.into_iter().map(|entry| (entry.id, entry)));
    tenant.seal(&events, receipt)
}

/// Takes one step of a change.
fn take(
    state: &mut State,
    organization: OrganizationId,
    step: &Step,
    at: Time,
) -> Result<(), Recorded> {
    let mut tenant = state.tenant_mut(organization);
    let stored = step.before().and_then(|before| tenant.as_mut()?.remove(before.key()));
    let Some(mut record) = step.after().cloned() else { return Ok(()) };
    if let Some(tenant) = tenant {
        if let Some((parent, None)) = step.placement() {
            record.put_at(tenant.next_position(record.kind(), parent));
        }
        match (stored.as_deref(), &mut record) {
            // An edit never writes the counters of readers.
            (Some(Record::HelpArticle(stored)), Record::HelpArticle(article)) => {
                let HelpArticle { view_count, helpful_count, not_helpful_count, .. } = *stored;
                let edited = article.clone();
                *article = HelpArticle { view_count, helpful_count, not_helpful_count, ..edited };
            }
            (Some(stored), Record::WebhookSubscription(subscription))
                if stored.is_active() != subscription.is_active =>
            {
                tenant.stand(subscription, at);
            }
            (Some(Record::Tag(stored)), Record::Tag(tag)) if stored.is_active != tag.is_active => {
                if tag.is_active {
                    tenant.deleted_tags.remove(&tag.id);
                } else {
                    tenant.deleted_tags.insert(tag.id);
                }
            }
            _ => {}
        }
    }
    let kind = record.kind();
    state.add(organization, record)?;
    let (Some(tenant), Some(name)) = (state.tenant(organization), step.new_name()) else {
        return Ok(());
    };
    let active = tenant.of_kind(kind).filter(|record| record.is_active());
    if count(active.filter(|record| record.name_key().as_ref() == Some(&name))) > 1 {
        return Err(Recorded::Taken(Unique::Name));
    }
    Ok(())
}

#[async_trait]
impl ReceiptRepository for MemoryStore {
    async fn find(
        &self,
        organization: OrganizationId,
        path: &'static str,
        key: IdempotencyKey,
        since: Time,
    ) -> Result<Option<StoredReceipt>> {
        self.read(organization, |tenant| {
            let receipt = tenant.receipts.get(&(path, key.as_str().to_owned()));
            let receipt = receipt.filter(|receipt| receipt.at >= since)?;
            Some(StoredReceipt { body: receipt.body, answer: receipt.answer.clone() })
        })
    }

    async fn forget(
        &self,
        organization: OrganizationId,
        path: &'static str,
        key: IdempotencyKey,
        before: Time,
    ) -> Result<()> {
        self.update(organization, |tenant| {
            let key = (path, key.as_str().to_owned());
            if tenant.receipts.get(&key).is_some_and(|receipt| receipt.at < before) {
                tenant.receipts.remove(&key);
            }
        })
    }

    async fn prune(&self, organization: OrganizationId, before: Time, limit: i64) -> Result<usize> {
        self.update(organization, |tenant| {
            let old = tenant.receipts.iter().filter(|(_, receipt)| receipt.at < before);
            let removed = first(old.map(|(key, receipt)| (receipt.at, key.clone())), limit);
            removed.iter().filter_map(|(_, key)| tenant.receipts.remove(key)).count()
        })
    }
}

//! Creates and edits records of any kind.

use crate::audit::{self, Remark};
pub(crate) use crate::derived::Unnamed;
use crate::derived::{self, Derived};
use crate::once::{Outcome, Repeat, Round, once};
use crate::people::{self, Writer};
use crate::{Caller, Error, Missing, Precondition, finish, follow, help_history};
use hearback_domain::audit::AuditEntry;
use hearback_domain::counted::Counted;
use hearback_domain::erasure::CannotRestore;
use hearback_domain::event::Event;
use hearback_domain::follow_up::FollowUp;
use hearback_domain::id::OrganizationId;
use hearback_domain::moderation::Acceptance;
use hearback_domain::person::Person;
use hearback_domain::record::{Key, Kind, Known, OfKind, Record, Reference, Step};
use hearback_domain::told::{mailings, quoted, told};
use hearback_domain::{Time, Uuid};
use hearback_ports::records::Name;
use hearback_ports::{Change, Ports, Recorded, Unique, WriteResult};
use std::collections::BTreeSet;
use std::future::ready;

/// The input of an update: new values for a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update<I, P> {
    /// The record.
    pub id: I,
    /// Its new values.
    pub patch: P,
    /// The `updated_at` that the client knows. The update is refused if the record has another one.
    pub expected_updated_at: Option<Time>,
}

impl<I, P> Update<I, P> {
    /// An update of the record as it is, whenever it was updated last.
    pub fn new(id: I, patch: P) -> Self {
        Self { id, patch, expected_updated_at: None }
    }
}

/// A record as a rule wants it, and what else the change does.
pub(crate) struct Decided<R> {
    /// The record.
    pub(crate) record: R,
    /// The steps before that of the record.
    pub(crate) first: Vec<Step>,
    /// The steps behind that of the record.
    pub(crate) then: Vec<Step>,
    /// What the change needs beside what its steps need.
    pub(crate) needs: Vec<Reference>,
    /// The records to which no active record may refer once the steps are made.
    pub(crate) unused: Vec<Key>,
    /// The changes of many records that follow.
    pub(crate) follow_ups: Vec<FollowUp>,
    /// What the audit log says beside the steps.
    pub(crate) remark: Remark,
    /// Whether the subscribers of posts are mailed.
    pub(crate) notify: bool,
}

impl<R> From<R> for Decided<R> {
    fn from(record: R) -> Self {
        Self {
            record,
            first: vec![],
            then: vec![],
            needs: vec![],
            unused: vec![],
            follow_ups: vec![],
            remark: Remark::default(),
            notify: false,
        }
    }
}

/// Creates a record with a derived name. `rule` gets the record's identifier, a free name, and the
/// time.
///
/// If a record with the same external identifier exists, returns its identifier and writes nothing
/// but the receipt.
pub(crate) async fn make_named<R: OfKind, N: Derived>(
    ports: &Ports,
    caller: Caller,
    base: N,
    repeat: Option<Repeat>,
    rule: impl Fn(Uuid, N, Time) -> R,
) -> Result<Outcome, Error> {
    let rule = |id, name, _, at| ready(Ok(rule(id, name, at).into()));
    make(ports, caller, base, None, repeat, rule).await
}

/// [`make_named`] by a rule that may look up other records, refuse, and change more than the record.
pub(crate) async fn make_with<R: OfKind, N: Derived, F>(
    ports: &Ports,
    caller: Caller,
    base: N,
    repeat: Option<Repeat>,
    rule: impl Fn(Uuid, N, Time) -> F,
) -> Result<Outcome, Error>
where
    F: Future<Output = Result<Decided<R>, Error>>,
{
    make(ports, caller, base, None, repeat, |id, name, _, at| rule(id, name, at)).await
}

/// [`make_named`] for a record that has an author. `rule` gets the author behind the name. It may
/// look up other records and refuse: each round asks it anew, and a repeated write does not.
pub(crate) async fn make_authored<R: OfKind, N: Derived, F>(
    ports: &Ports,
    caller: Caller,
    base: N,
    author: &Person,
    repeat: Option<Repeat>,
    rule: impl Fn(Uuid, N, Writer, Time) -> F,
) -> Result<Outcome, Error>
where
    F: Future<Output = Result<Decided<R>, Error>>,
{
    make(ports, caller, base, Some(author), repeat, rule).await
}

async fn make<R: OfKind, N: Derived, F>(
    ports: &Ports,
    caller: Caller,
    base: N,
    author: Option<&Person>,
    repeat: Option<Repeat>,
    rule: impl Fn(Uuid, N, Writer, Time) -> F,
) -> Result<Outcome, Error>
where
    F: Future<Output = Result<Decided<R>, Error>>,
{
    let organization = caller.manage(R::KIND)?;
    let (base, repeat, rule) = (&base, repeat.as_ref(), &rule);
    // Records without a name do not wait for each other.
    let name = base.key().unwrap_or_else(|| ports.ids.fresh().to_string());
    once(ports, organization, turn(R::KIND, name), repeat, |attempt| async move {
        let (id, at) = (ports.ids.fresh(), ports.clock.now());
        let round = Changing::new(ports, caller, repeat, at);
        let name = derived::candidate(ports, organization, R::KIND, base, attempt).await?;
        let author = match author {
            Some(person) => Some(people::find(ports, organization, person, at).await?),
            None => None,
        };
        let nobody = Writer { id: Uuid::nil().into(), is_trusted: false };
        let writer = author.as_ref().map_or(nobody, |author| author.writer);
        let decided = rule(id, name, writer, at).await?;
        let Decided { record, first, then, needs, unused, follow_ups, remark, notify } = decided;
        let record = record.into_record();
        if let Some(external_id) = record.external_id() {
            let names = vec![external_id.to_owned()];
            let first = ports.records.named(organization, R::KIND, Name::ExternalId, names).await?;
            if let Some((_, first)) = first.into_iter().next() {
                return round.record(vec![], WriteResult::Created(first), |_| None).await;
            }
        }
        if author.as_ref().is_some_and(|author| author.is_blocked) {
            return Err(Error::Refused(Precondition::UserBlocked));
        }
        // The next round derives another name if this one is taken, and finds the record, or its
        // author, if the external identifier or the address is taken.
        let refusal = |unique| {
            let is_sought = unique == N::UNIQUE
                || unique == Unique::ExternalId
                || unique == Unique::Email && attempt < ATTEMPTS_BY_ADDRESS;
            (!is_sought).then(|| given(unique)).flatten()
        };
        let newcomer = author.and_then(|author| author.newcomer).into_iter().map(Step::make);
        let steps = newcomer.chain(first).chain([Step::Make(record)]).chain(then).collect();
        let round = Changing { needs, unused, follow_ups, remark, notify, ..round };
        round.record(steps, WriteResult::Created(id), refusal).await
    })
    .await
}

/// The number of attempts to find a user by a taken address. A user who is no longer linked keeps
/// the address.
pub(crate) const ATTEMPTS_BY_ADDRESS: u32 = 3;

/// Edits an active record by a patch. Writes nothing but the receipt if no value changes.
pub(crate) async fn update<R: OfKind, P: Clone>(
    ports: &Ports,
    caller: Caller,
    update: Update<impl Into<Uuid>, P>,
    repeat: Option<Repeat>,
    edited: impl Fn(P, R) -> R,
) -> Result<Outcome, Error> {
    try_update(ports, caller, update, repeat, |patch, record| Ok(edited(patch, record))).await
}

/// [`update`] by a patch that may be refused.
pub(crate) async fn try_update<R: OfKind, P: Clone>(
    ports: &Ports,
    caller: Caller,
    update: Update<impl Into<Uuid>, P>,
    repeat: Option<Repeat>,
    edited: impl Fn(P, R) -> Result<R, Precondition>,
) -> Result<Outcome, Error> {
    let Update { id, patch, expected_updated_at } = update;
    let edited = |record| edited(patch.clone(), record).map(Decided::from);
    let rule = |record, _| ready(edited(record).map_err(Error::Refused));
    edit_as_of(ports, caller, id.into(), expected_updated_at, repeat, rule).await
}

/// Edits an active record by `rule`. Writes nothing but the receipt if no value changes.
pub(crate) async fn edit<R: OfKind>(
    ports: &Ports,
    caller: Caller,
    id: impl Into<Uuid>,
    repeat: Option<Repeat>,
    rule: impl Fn(R) -> Result<R, Precondition>,
) -> Result<Outcome, Error> {
    edit_at(ports, caller, id, repeat, |record, _| rule(record)).await
}

/// [`edit`] by a rule that gets the time of the change.
pub(crate) async fn edit_at<R: OfKind>(
    ports: &Ports,
    caller: Caller,
    id: impl Into<Uuid>,
    repeat: Option<Repeat>,
    rule: impl Fn(R, Time) -> Result<R, Precondition>,
) -> Result<Outcome, Error> {
    let rule = |record, at| ready(rule(record, at).map(Decided::from).map_err(Error::Refused));
    edit_as_of(ports, caller, id.into(), None, repeat, rule).await
}

/// [`edit`] by a rule that may look up other records, and change more than the record.
pub(crate) async fn edit_with<R: OfKind, F: Future<Output = Result<Decided<R>, Error>>>(
    ports: &Ports,
    caller: Caller,
    id: impl Into<Uuid>,
    repeat: Option<Repeat>,
    rule: impl Fn(R) -> F,
) -> Result<Outcome, Error> {
    edit_as_of(ports, caller, id.into(), None, repeat, |record, _| rule(record)).await
}

/// [`update`] by a rule that may look up other records, and change more than the record.
pub(crate) async fn update_with<R: OfKind, P, F: Future<Output = Result<Decided<R>, Error>>>(
    ports: &Ports,
    caller: Caller,
    update: Update<impl Into<Uuid>, P>,
    repeat: Option<Repeat>,
    rule: impl Fn(P, R) -> F,
) -> Result<Outcome, Error>
where
    P: Clone,
{
    let Update { id, patch, expected_updated_at } = update;
    let rule = |record, _| rule(patch.clone(), record);
    edit_as_of(ports, caller, id.into(), expected_updated_at, repeat, rule).await
}

async fn edit_as_of<R: OfKind, F: Future<Output = Result<Decided<R>, Error>>>(
    ports: &Ports,
    caller: Caller,
    id: Uuid,
    expected_updated_at: Option<Time>,
    repeat: Option<Repeat>,
    rule: impl Fn(R, Time) -> F,
) -> Result<Outcome, Error> {
    let organization = caller.manage(R::KIND)?;
    let (repeat, rule) = (repeat.as_ref(), &rule);
    once(ports, organization, turn(R::KIND, id), repeat, |_| async move {
        let before = active::<R>(ports, organization, id).await?;
        let at = ports.clock.now();
        let after = rule(before.clone(), at).await;
        let step = |after: &Decided<R>| Step::edit(before.clone(), after.record.clone(), at);
        if expected_updated_at.is_some_and(|time| !before.clone().into_record().is_of(time)) {
            let steps = after.as_ref().map(|after| vec![step(after)]).unwrap_or_default();
            return Err(changed(ports, organization, &steps).await?);
        }
        Changing::new(ports, caller, repeat, at).edit(before, after?).await
    })
    .await
}

/// Edits a record, active or deleted, by a rule that gets the time, may look up other records, and
/// may change more than the record.
pub(crate) async fn edit_any<R: OfKind, F: Future<Output = Result<Decided<R>, Error>>>(
    ports: &Ports,
    caller: Caller,
    id: impl Into<Uuid>,
    repeat: Option<Repeat>,
    rule: impl Fn(R, Time) -> F,
) -> Result<Outcome, Error> {
    let organization = caller.manage(R::KIND)?;
    let (key, repeat, rule) = ((R::KIND, id.into()), repeat.as_ref(), &rule);
    once(ports, organization, key, repeat, |_| async move {
        let before = any::<R>(ports, organization, key.1).await?;
        let at = ports.clock.now();
        let after = rule(before.clone(), at).await?;
        Changing::new(ports, caller, repeat, at).edit(before, after).await
    })
    .await
}

/// Restores a deleted record by a rule, which also returns the record that must be active for it.
/// Answers with the refusal if the rule refuses, if that record is deleted, or if another record has
/// the external identifier.
pub(crate) async fn restore<R: OfKind>(
    ports: &Ports,
    caller: Caller,
    id: impl Into<Uuid>,
    repeat: Option<Repeat>,
    refusal: Precondition,
    rule: impl Fn(R, Time) -> Result<(R, Reference), CannotRestore>,
) -> Result<Outcome, Error> {
    let refused = || Error::Refused(refusal);
    let (refused, rule) = (&refused, &rule);
    let restored = edit_any(ports, caller, id, repeat, |record: R, now| async move {
        let (record, place) = rule(record, now).map_err(|CannotRestore| refused())?;
        Ok(Decided { needs: vec![place], ..record.into() })
    });
    restored.await.map_err(|error| match error {
        Error::NotFound(Missing::Record(kind)) if kind != R::KIND => refused(),
        Error::Refused(Precondition::ExternalIdTaken) => refused(),
        error => error,
    })
}

/// The writes that take turns in [`once()`]: those of a record, or of all statuses, since many may
/// want to be the default one at once.
fn turn<K>(kind: Kind, key: K) -> (Kind, Option<K>) {
    (kind, (kind != Kind::Status).then_some(key))
}

/// The refusal of steps that rest on another `updated_at`. A record that is not found comes first.
async fn changed(
    ports: &Ports,
    organization: OrganizationId,
    steps: &[Step],
) -> Result<Error, Error> {
    let needs: Vec<Reference> = steps.iter().flat_map(Step::needs).collect();
    let known = ports.records.load(organization, needs.iter().map(|need| need.key()).collect());
    let known = known.await?;
    let missing = needs.into_iter().filter(|need| !known.is_active(need.key()));
    let missing = missing.map(Error::missing).find(|error| matches!(error, Error::NotFound(_)));
    Ok(missing.unwrap_or(Error::Refused(Precondition::Changed)))
}

/// Applies the steps of a background step, with their events and follow-ups. They do not need the
/// `waived` records.
pub(crate) async fn change(
    ports: &Ports,
    caller: Caller,
    steps: Vec<Step>,
    follow_ups: Vec<FollowUp>,
    waived: Vec<Key>,
    at: Time,
) -> Result<Recorded, Error> {
    let round = Changing { follow_ups, waived, ..Changing::new(ports, caller, None, at) };
    Ok(round.record(steps, WriteResult::Success, |_| None).await?.0)
}

/// Loads an active record.
pub(crate) async fn find<R: OfKind>(
    ports: &Ports,
    caller: Caller,
    id: impl Into<Uuid>,
) -> Result<R, Error> {
    active(ports, caller.view(R::KIND)?, id.into()).await
}

/// Loads a record that is active.
pub(crate) async fn active<R: OfKind>(
    ports: &Ports,
    organization: OrganizationId,
    id: Uuid,
) -> Result<R, Error> {
    let known = ports.records.load(organization, vec![(R::KIND, id)]).await?;
    known.active(id).cloned().ok_or(Error::NotFound(Missing::Record(R::KIND)))
}

/// Loads a record, active or deleted.
pub(crate) async fn any<R: OfKind>(
    ports: &Ports,
    organization: OrganizationId,
    id: Uuid,
) -> Result<R, Error> {
    let known = ports.records.load(organization, vec![(R::KIND, id)]).await?;
    known.any(id).cloned().ok_or(Error::NotFound(Missing::Record(R::KIND)))
}

/// One round of a change: the values that all its steps share.
pub(crate) struct Changing<'a> {
    ports: &'a Ports,
    caller: Caller,
    repeat: Option<&'a Repeat>,
    at: Time,
    /// What the change needs beside what its steps need.
    pub(crate) needs: Vec<Reference>,
    /// The records that the change does not need, though its steps do.
    waived: Vec<Key>,
    /// The records to which no active record may refer once the steps are made.
    unused: Vec<Key>,
    /// The changes of many records that follow.
    pub(crate) follow_ups: Vec<FollowUp>,
    /// The counts that move beside those that the steps move.
    pub(crate) counts: Counted,
    /// The entries of the audit log beside those of the steps.
    pub(crate) audit: Vec<AuditEntry>,
    /// What the audit log says beside the steps.
    remark: Remark,
    /// Whether the subscribers of posts are mailed.
    pub(crate) notify: bool,
}

impl<'a> Changing<'a> {
    /// A round at a time, of a caller who may make the change.
    pub(crate) fn new(
        ports: &'a Ports,
        caller: Caller,
        repeat: Option<&'a Repeat>,
        at: Time,
    ) -> Self {
        let (needs, waived, unused, follow_ups) = (vec![], vec![], vec![], vec![]);
        let (counts, audit) = (Counted::new(), vec![]);
        let (remark, notify) = (Remark::default(), false);
        Self {
            ports,
            caller,
            repeat,
            at,
            needs,
            waived,
            unused,
            follow_ups,
            counts,
            audit,
            remark,
            notify,
        }
    }

    /// Edits a record as a rule has decided.
    async fn edit<R: OfKind>(self, before: R, after: Decided<R>) -> Round {
        let Decided { record, first, then, needs, unused, follow_ups, remark, notify } = after;
        let step = Step::edit(before, record, self.at);
        let steps = first.into_iter().chain([step]).chain(then).collect();
        let round = Self { needs, unused, follow_ups, remark, notify, ..self };
        round.record(steps, WriteResult::Success, given).await
    }

    /// Applies the steps that change something, with their events and the receipt. If a value is
    /// taken, returns the refusal that `refusal` has of the unique rule, or else lets the next
    /// round decide.
    pub(crate) async fn record(
        self,
        mut steps: Vec<Step>,
        answer: WriteResult,
        refusal: impl Fn(Unique) -> Option<Precondition>,
    ) -> Round {
        let Self { ports, caller, repeat, at, needs: others, waived, unused, .. } = self;
        let Self { remark, notify, counts, mut audit, .. } = self;
        let organization = caller.organization();
        steps.retain(|step| !step.is_empty());
        steps.iter().try_for_each(|step| caller.may_step(step))?;
        let spends = Vec::from_iter(steps.iter().filter_map(FollowUp::of_spend));
        let follow_ups = [self.follow_ups, spends.clone()].concat();
        let receipt = repeat.map(|repeat| repeat.receipt(&answer, at));
        let is_empty = steps.is_empty() && counts.is_empty() && follow_ups.is_empty();
        if is_empty && receipt.is_none() {
            return Ok((Recorded::Done, answer));
        }
        // Records that one person takes over from another one are no news of theirs.
        let is_handover = follow_ups.iter().any(FollowUp::is_of_person);
        if !is_handover {
            steps.extend(follow::begun(ports, organization, &steps, at).await?);
        }
        let quoted: BTreeSet<_> = steps.iter().flat_map(quoted).collect();
        let known = if quoted.is_empty() {
            Known::default()
        } else {
            ports.records.load(organization, quoted.into_iter().collect()).await?
        };
        let accepted = steps.iter().filter_map(|step| Acceptance::by(step, &known)).collect();
        let trusting = trusting(ports, organization, accepted, at).await?;
        let is_edited = |step: &Step| {
            let key = step.before().map(Record::key);
            steps.iter().any(|other| other.before().map(Record::key) == key)
        };
        // A step of an author that the change has already stays as it is.
        let trusting: Vec<Step> = trusting.into_iter().filter(|it| !is_edited(it)).collect();
        steps.extend(trusting);
        // No event quotes a version or a redirect: `known` has all records that events quote.
        let kept = help_history::keep(ports, organization, &mut steps, at).await?;
        let happenings = steps.iter().flat_map(|step| told(step, &known));
        let in_ledger = caller.keeps_events();
        let event = |what| Event { id: ports.ids.fresh().into(), at, what, in_ledger };
        let events: Vec<Event> = happenings.map(event).collect();
        let emits = !events.is_empty();
        let made: Vec<Key> = steps.iter().filter_map(made).collect();
        let needs = others.into_iter().chain(steps.iter().flat_map(Step::needs));
        let needs = needs.filter(|need| !made.contains(&need.key()));
        let needs: Vec<Reference> = needs.filter(|need| !waived.contains(&need.key())).collect();
        steps.extend(kept);
        audit.extend(audit::entries(ports, caller, &steps, &remark, at));
        let actor = remark.actor_id.or(caller.user());
        let change = Change {
            needs: needs.iter().map(|need| need.key()).collect(),
            audit,
            counts,
            mailings: match is_handover {
                true => vec![],
                false => mailings(&steps, &events, &known, notify, actor, || ports.ids.fresh()),
            },
            steps,
            unused,
            follow_ups,
            events,
            receipt,
            at,
        };
        match ports.records.apply(organization, change).await? {
            Recorded::Missing(key) => {
                let need = needs.into_iter().find(|need| need.key() == key);
                Err(need.map_or(Error::NotFound(Missing::Record(key.0)), Error::missing))
            }
            Recorded::InUse((kind, _)) => Err(Error::Refused(match kind {
                Kind::Status => Precondition::StatusInUse,
                Kind::HelpCollection => Precondition::CollectionHasArticles,
                Kind::HelpCategory => Precondition::CategoryHasArticles,
                _ => Precondition::BoardHasPosts,
            })),
            Recorded::Taken(unique) if let Some(refusal) = refusal(unique) => {
                Err(Error::Refused(refusal))
            }
            recorded => {
                if emits && recorded == Recorded::Done {
                    ports.alarm.ring();
                }
                if !spends.is_empty() && recorded == Recorded::Done {
                    // A follow-up may make changes with this function.
                    Box::pin(finish::follow(ports, organization)).await;
                }
                Ok((recorded, answer))
            }
        }
    }
}

/// The steps by which the authors of what is accepted become trusted.
async fn trusting(
    ports: &Ports,
    organization: OrganizationId,
    accepted: Vec<Acceptance>,
    at: Time,
) -> Result<Vec<Step>, Error> {
    if accepted.is_empty() {
        return Ok(vec![]);
    }
    let keys =
        |it: &Acceptance| [(Kind::FeedbackBoard, it.board_id.0), (Kind::User, it.author_id.0)];
    let keys: BTreeSet<Key> = accepted.iter().flat_map(keys).collect();
    let known = ports.records.load(organization, keys.into_iter().collect()).await?;
    Ok(Acceptance::trust(&accepted, &known, at))
}

/// A record that a change needs, as a member of the request names it.
pub(crate) fn need(member: &'static str, kind: Kind, id: impl Into<Uuid>) -> Reference {
    Reference { member, kind, id: id.into() }
}

/// The key of the record that a step makes.
fn made(step: &Step) -> Option<Key> {
    if let Step::Make(record) = step { Some(record.key()) } else { None }
}

/// The refusal of a value that the client gave and another record has.
pub(crate) fn given(unique: Unique) -> Option<Precondition> {
    match unique {
        Unique::Slug => Some(Precondition::SlugTaken),
        Unique::Host => Some(Precondition::HostTaken),
        Unique::Code => Some(Precondition::CodeTaken),
        Unique::Name => Some(Precondition::NameTaken),
        Unique::ExternalId => Some(Precondition::ExternalIdTaken),
        Unique::Email => Some(Precondition::EmailTaken),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Denied, Who};
    use hearback_domain::access::{Access, Guests, Moderating};
    use hearback_domain::attributes::Attributes;
    use hearback_domain::feedback_board::FeedbackBoard;
    use hearback_domain::feedback_post::{FeedbackPost, Moderation};
    use hearback_domain::help_redirect::{HelpRedirect, Path};
    use hearback_domain::permission::{Permission, Role};
    use hearback_domain::plan::Plan;
    use hearback_domain::position::Position;
    use hearback_domain::slug::{Code, Slug};
    use hearback_domain::tag::Tag;
    use hearback_ports::IdempotencyKey;
    use hearback_ports::ids::MockIds;
    use hearback_ports::mock::Mocks;
    use std::cell::Cell;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::sync::Notify;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    pub(crate) const CALLER: Caller = Caller::background(ORGANIZATION);
    const FRESH: Uuid = Uuid::from_u128(9);

    pub(crate) fn id<T: From<Uuid>>(n: u128) -> T {
        T::from(Uuid::from_u128(n))
    }

    fn mobile() -> Tag {
        Tag {
            id: id(2),
            name: "Mobile".to_owned(),
            code: Some("mobile".to_owned()),
            color: "#fff".to_owned(),
            show_on_feedback: true,
            show_on_roadmap: true,
            is_public: true,
            external_id: None,
            is_active: true,
            created_at: Time::MIN,
        }
    }

    pub(crate) fn post() -> FeedbackPost {
        FeedbackPost {
            id: id(3),
            title: "Dark mode".to_owned(),
            description: String::new(),
            slug: Slug::parse("dark-mode").unwrap(),
            board_id: id(4),
            author_id: id(5),
            owner_id: None,
            status_id: id(6),
            category_id: None,
            eta: None,
            eta_is_public: true,
            is_pinned: false,
            moderation: Moderation::Accepted,
            tag_ids: vec![],
            attributes: Attributes::default(),
            merged_into_id: None,
            created_by_id: None,
            external_id: None,
            is_active: true,
            created_at: Time::MIN,
            updated_at: Time::MIN,
            status_changed_at: Time::MIN,
        }
    }

    fn board() -> FeedbackBoard {
        FeedbackBoard {
            id: id(4),
            name: "Ideas".to_owned(),
            slug: Slug::parse("ideas").unwrap(),
            description: None,
            icon_url: None,
            is_voting_enabled: true,
            is_commenting_enabled: true,
            show_post_dates: true,
            access: Access::Public,
            allowed_email_domains: vec![],
            allowed_user_ids: vec![],
            post_moderation: Moderating::Off,
            comment_moderation: Moderating::Off,
            guests: Guests::None,
            post_template: None,
            external_id: None,
            is_active: true,
            seq_number: Position::START,
            created_at: Time::MIN,
        }
    }

    pub(crate) fn mocks() -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.clock.expect_now().return_const(Time::MAX);
        mocks.clock.expect_sleep().returning(|_| ());
        mocks.ids.expect_fresh().return_const(FRESH);
        mocks.receipts.expect_find().returning(|_, _, _, _| Ok(None));
        mocks
    }

    /// Mocks of a store that has one record, and returns `answers` to changes, in this order.
    fn storing(record: impl OfKind, answers: Vec<Recorded>) -> Mocks {
        let mut mocks = mocks();
        let known = Known::new([record.into_record()]);
        mocks.records.expect_load().returning(move |_, _| Ok(known.clone()));
        answering(mocks, answers)
    }

    fn answering(mut mocks: Mocks, answers: Vec<Recorded>) -> Mocks {
        let mut left = answers.into_iter();
        let count = left.len();
        mocks.records.expect_apply().times(count).returning(move |_, _| Ok(left.next().unwrap()));
        mocks
    }

    fn repeat() -> Repeat {
        Repeat { path: "/tags/create", key: IdempotencyKey::parse("a").unwrap(), body: [7; 32] }
    }

    async fn make_tag(mocks: Mocks, tag: Tag) -> Result<Outcome, Error> {
        let base = Code::parse("mobile").unwrap();
        make_named(&mocks.ports(), CALLER, base, None, |id, code, _| Tag {
            id: id.into(),
            code: Some(code.into()),
            ..tag.clone()
        })
        .await
    }

    async fn rename(mocks: Mocks, name: &str, repeat: Option<Repeat>) -> Result<Outcome, Error> {
        let tag_id = mobile().id;
        edit(&mocks.ports(), CALLER, tag_id, repeat, |tag| Ok(Tag { name: name.to_owned(), ..tag }))
            .await
    }

    async fn make_post(mocks: Mocks) -> Result<Outcome, Error> {
        make_named(&mocks.ports(), CALLER, post().slug, None, |_, slug, _| FeedbackPost {
            slug,
            ..post()
        })
        .await
    }

    #[tokio::test]
    async fn a_caller_without_the_permission_is_denied_before_anything_is_looked_up() {
        let (user, role) = (id(7), Role::Viewer);
        let viewer = Caller::new(ORGANIZATION, Plan::FULL, Who::Member { user, role });
        let ports = Mocks::default().ports();
        let denied = |permission| Error::from(Denied::Permission(permission)).to_string();
        let base = Code::parse("mobile").unwrap();
        let made = make_named(&ports, viewer, base, None, |_, _, _| mobile()).await;
        assert_eq!(made.unwrap_err().to_string(), denied(Permission::Manage(Kind::Tag)));
        let edited = edit(&ports, viewer, mobile().id, None, |tag: Tag| Ok(tag)).await;
        assert_eq!(edited.unwrap_err().to_string(), denied(Permission::Manage(Kind::Tag)));
        let guest = Caller::new(ORGANIZATION, Plan::FULL, Who::Visitor { user: None });
        let found = find::<Tag>(&ports, guest, mobile().id).await;
        assert_eq!(found.unwrap_err().to_string(), denied(Permission::View(Kind::Tag)));
    }

    #[tokio::test]
    async fn a_record_is_made_with_what_it_needs_and_its_events() {
        let mut mocks = mocks();
        mocks
            .records
            .expect_load()
            .once()
            .withf(|of, keys| *of == ORGANIZATION && *keys == [(Kind::FeedbackBoard, id(4))])
            .returning(|_, _| Ok(Known::new([board().into_record()])));
        mocks
            .records
            .expect_apply()
            .once()
            .withf(|of, change| {
                let needs =
                    [(Kind::FeedbackBoard, id(4)), (Kind::User, id(5)), (Kind::Status, id(6))];
                let event = &change.events[0];
                *of == ORGANIZATION
                    && change.steps == [Step::make(post())]
                    && change.needs == needs
                    && (event.id.0, event.at) == (FRESH, Time::MAX)
                    && change.receipt.is_none()
            })
            .returning(|_, _| Ok(Recorded::Done));
        mocks.alarm.expect_ring().once().return_const(());
        assert_eq!(make_post(mocks).await.unwrap(), Outcome::Fresh(WriteResult::Created(FRESH)));
    }

    #[tokio::test]
    async fn a_derived_name_that_is_taken_gets_a_number() {
        let mut mocks = mocks();
        mocks
            .records
            .expect_named()
            .once()
            .withf(|_, kind, name, _| (*kind, *name) == (Kind::Tag, Name::Code))
            .returning(|_, _, _, _| Ok(vec![("mobile".to_owned(), id(2))]));
        mocks.records.expect_apply().times(2).returning(|_, change| match &change.steps[0] {
            Step::Make(Record::Tag(tag)) if tag.code.as_deref() == Some("mobile-2") => {
                Ok(Recorded::Done)
            }
            _ => Ok(Recorded::Taken(Unique::Code)),
        });
        assert!(make_tag(mocks, mobile()).await.is_ok());
    }

    #[tokio::test]
    async fn a_known_external_identifier_answers_for_its_record_and_changes_nothing() {
        let mut mocks = mocks();
        mocks
            .records
            .expect_named()
            .withf(|_, kind, name, names| {
                (*kind, *name) == (Kind::Tag, Name::ExternalId) && *names == ["t-1"]
            })
            .returning(|_, _, _, _| Ok(vec![("t-1".to_owned(), id(2))]));
        let tag = Tag { external_id: Some("t-1".to_owned()), ..mobile() };
        let outcome = make_tag(mocks, tag).await.unwrap();
        assert_eq!(outcome, Outcome::Fresh(WriteResult::Created(id(2))));
    }

    #[tokio::test]
    async fn records_without_a_name_do_not_wait_for_each_other() {
        let (mut ids, mut last) = (MockIds::new(), 0);
        ids.expect_fresh().returning(move || {
            last += 1;
            id(last)
        });
        let answers = vec![Recorded::Stale, Recorded::Stale, Recorded::Done, Recorded::Done];
        let ports = Ports { ids: Arc::new(ids), ..answering(mocks(), answers).ports() };
        let redirect = || HelpRedirect {
            id: id(1),
            from_path: Path::parse("/from").unwrap(),
            to_path: Path::parse("/to").unwrap(),
            created_at: Time::MIN,
        };
        let (rounds, is_made) = (&Cell::new(0), &Notify::new());
        // The second round of the first ends only after the other was made.
        let first = make_with(&ports, CALLER, Unnamed, None, |_, _, _| async move {
            rounds.set(rounds.get() + 1);
            if rounds.get() == 2 {
                is_made.notified().await;
            }
            Ok(redirect().into())
        });
        let other = async {
            let rule = |_, _, _| ready(Ok(redirect().into()));
            let made = make_with(&ports, CALLER, Unnamed, None, rule).await;
            is_made.notify_one();
            made
        };
        let (first, other) = tokio::join!(first, other);
        assert!(other.is_ok(), "{other:?}");
        assert!(first.is_ok(), "{first:?}");
    }

    #[tokio::test]
    async fn an_external_identifier_taken_meanwhile_is_looked_up_again() {
        let mut mocks = answering(mocks(), vec![Recorded::Taken(Unique::ExternalId)]);
        let mut found = vec![vec![("t-1".to_owned(), id(2))], vec![]];
        mocks.records.expect_named().returning(move |_, _, name, _| match name {
            Name::ExternalId => Ok(found.pop().unwrap()),
            _ => Ok(vec![]),
        });
        let tag = Tag { external_id: Some("t-1".to_owned()), ..mobile() };
        let outcome = make_tag(mocks, tag).await.unwrap();
        assert_eq!(outcome, Outcome::Fresh(WriteResult::Created(id(2))));
    }

    #[tokio::test]
    async fn a_missing_record_is_refused_by_the_member_that_names_it() {
        let refused = async |key| {
            make_post(storing(board(), vec![Recorded::Missing(key)])).await.unwrap_err()
        };
        let user = refused((Kind::User, id(5))).await;
        assert!(matches!(user, Error::NotFound(Missing::Record(Kind::User))), "{user:?}");
        let status = refused((Kind::Status, id(6))).await;
        assert!(matches!(status, Error::NotFound(Missing::Record(Kind::Status))), "{status:?}");
        let missing = |member, kind| Error::missing(Reference { member, kind, id: FRESH });
        let refusal = |error| match error {
            Error::Refused(refusal) => refusal,
            other => panic!("{other:?}"),
        };
        let related = Precondition::UnknownRelatedArticle(FRESH.into());
        assert_eq!(
            refusal(missing("label_ids", Kind::Label)),
            Precondition::UnknownOf("label_ids")
        );
        assert_eq!(refusal(missing("related_article_ids", Kind::HelpArticle)), related);
        assert_eq!(refusal(missing("tag_ids", Kind::Tag)), Precondition::UnknownOf("tag_ids"));
    }

    #[tokio::test]
    async fn an_update_that_expects_another_updated_at_is_refused_behind_what_is_missing() {
        for (board_id, expected) in
            [(post().board_id, "Refused(Changed)"), (id(99), "NotFound(Record(FeedbackBoard))")]
        {
            let expected_updated_at = Some(Time::MAX);
            let update = Update { expected_updated_at, ..Update::new(post().id, board_id) };
            let moved = |board_id, post| FeedbackPost { board_id, ..post };
            let ports = storing(post(), vec![]).ports();
            let refused = super::update(&ports, CALLER, update, None, moved).await;
            assert_eq!(format!("{:?}", refused.unwrap_err()), expected);
        }
    }

    #[tokio::test]
    async fn an_update_that_expects_another_updated_at_is_refused_before_an_unknown_tag() {
        let update = Update { expected_updated_at: Some(Time::MAX), ..Update::new(post().id, ()) };
        let tagged = |(), post| FeedbackPost { tag_ids: vec![id(99)], ..post };
        let ports = storing(post(), vec![]).ports();
        let refused = super::update(&ports, CALLER, update, None, tagged).await.unwrap_err();
        assert!(matches!(refused, Error::Refused(Precondition::Changed)), "{refused:?}");
    }

    #[tokio::test]
    async fn a_given_value_that_is_taken_is_refused() {
        for (unique, refusal) in [
            (Unique::Slug, Precondition::SlugTaken),
            (Unique::Host, Precondition::HostTaken),
            (Unique::Code, Precondition::CodeTaken),
            (Unique::Name, Precondition::NameTaken),
            (Unique::ExternalId, Precondition::ExternalIdTaken),
        ] {
            let mocks = storing(mobile(), vec![Recorded::Taken(unique)]);
            let refused = rename(mocks, "Web", None).await;
            assert!(matches!(refused, Err(Error::Refused(told)) if told == refusal), "{unique:?}");
        }
        let taken = answering(mocks(), vec![Recorded::Taken(Unique::Name)]);
        let refused = make_tag(taken, mobile()).await;
        assert!(matches!(refused, Err(Error::Refused(Precondition::NameTaken))));
    }

    #[tokio::test]
    async fn a_stale_edit_is_decided_again() {
        let outcome = rename(storing(mobile(), vec![Recorded::Stale, Recorded::Done]), "Web", None);
        assert_eq!(outcome.await.unwrap(), Outcome::Fresh(WriteResult::Success));
    }

    #[tokio::test]
    async fn an_edit_that_changes_nothing_writes_nothing_but_its_receipt() {
        assert!(rename(storing(mobile(), vec![]), "Mobile", None).await.is_ok());
        let mut mocks = storing(mobile(), vec![]);
        mocks
            .records
            .expect_apply()
            .once()
            .withf(|_, change| change.steps.is_empty() && change.receipt.is_some())
            .returning(|_, _| Ok(Recorded::Done));
        assert!(rename(mocks, "Mobile", Some(repeat())).await.is_ok());
    }

    #[tokio::test]
    async fn a_record_that_is_gone_or_deleted_is_not_found() {
        let deleted = Tag { is_active: false, ..mobile() };
        let other = Tag { id: id(7), ..mobile() };
        for record in [deleted, other] {
            let refused = rename(storing(record, vec![]), "Web", None).await;
            assert!(matches!(refused, Err(Error::NotFound(Missing::Record(Kind::Tag)))));
        }
    }

    #[tokio::test]
    async fn a_rule_that_refuses_changes_nothing() {
        let mocks = storing(mobile(), vec![]);
        let refused = edit(&mocks.ports(), CALLER, mobile().id, None, |_: Tag| {
            Err(Precondition::CannotMerge)
        })
        .await;
        assert!(matches!(refused, Err(Error::Refused(Precondition::CannotMerge))));
    }
}

//! Making and editing records of any kind.

use crate::derived::{self, Derived};
use crate::once::{Outcome, Repeat, Round, once};
use crate::{Error, Missing, Precondition};
use hearback_domain::event::Event;
use hearback_domain::id::OrganizationId;
use hearback_domain::record::{Known, OfKind, Reference, Step};
use hearback_domain::told::{announced, quoted, told};
use hearback_domain::{Time, Uuid};
use hearback_ports::records::Name;
use hearback_ports::{Answer, Change, Ports, Recorded, Unique};
use std::collections::BTreeSet;

/// The input of an update: new values for a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update<I, P> {
    /// The record.
    pub id: I,
    /// Its new values.
    pub patch: P,
}

/// Makes a record with a name that is derived: `rule` gets its identifier, a free name, and the time.
///
/// If a record with the same external identifier exists, its identifier is the answer, and nothing
/// changes.
pub(crate) async fn make_named<R: OfKind, N: Derived>(
    ports: &Ports,
    organization: OrganizationId,
    base: N,
    repeat: Option<Repeat>,
    rule: impl Fn(Uuid, N, Time) -> R,
) -> Result<Outcome, Error> {
    let (base, repeat, rule) = (&base, repeat.as_ref(), &rule);
    once(ports, organization, (R::KIND, base.key()), repeat, |attempt| async move {
        let (id, at) = (ports.ids.fresh(), ports.clock.now());
        let round = Changing { ports, organization, repeat, at };
        let name = derived::candidate(ports, organization, R::KIND, base, attempt).await?;
        let record = rule(id, name, at).into_record();
        if let Some(external_id) = record.external_id() {
            let names = vec![external_id.to_owned()];
            let first = ports.records.named(organization, R::KIND, Name::ExternalId, names).await?;
            if let Some((_, first)) = first.into_iter().next() {
                return round.record(vec![], Answer::Created(first), |_| None).await;
            }
        }
        // A taken name is searched again, and a taken external identifier has its record by now.
        let refusal = |unique| {
            (unique != N::UNIQUE && unique != Unique::ExternalId).then(|| given(unique)).flatten()
        };
        round.record(vec![Step::Make(record)], Answer::Created(id), refusal).await
    })
    .await
}

/// Edits an active record by `rule`. If no value changes, nothing is written.
pub(crate) async fn edit<R: OfKind>(
    ports: &Ports,
    organization: OrganizationId,
    id: impl Into<Uuid>,
    repeat: Option<Repeat>,
    rule: impl Fn(R) -> Result<R, Precondition>,
) -> Result<Outcome, Error> {
    let (key, repeat, rule) = ((R::KIND, id.into()), repeat.as_ref(), &rule);
    once(ports, organization, key, repeat, |_| async move {
        let before = find::<R>(ports, organization, key.1).await?;
        let at = ports.clock.now();
        let after = rule(before.clone()).map_err(Error::Refused)?;
        let steps = vec![Step::edit(before, after, at)];
        Changing { ports, organization, repeat, at }.record(steps, Answer::Success, given).await
    })
    .await
}

/// An active record.
pub(crate) async fn find<R: OfKind>(
    ports: &Ports,
    organization: OrganizationId,
    id: impl Into<Uuid>,
) -> Result<R, Error> {
    let id = id.into();
    let known = ports.records.load(organization, vec![(R::KIND, id)]).await?;
    known.active(id).cloned().ok_or(Error::NotFound(Missing::of(R::KIND)))
}

/// One round of a change: what all its steps share.
pub(crate) struct Changing<'a> {
    ports: &'a Ports,
    organization: OrganizationId,
    repeat: Option<&'a Repeat>,
    at: Time,
}

impl Changing<'_> {
    /// Records the steps that change something, with their events and the receipt. A unique rule
    /// that `refusal` knows is refused; any other is decided again.
    pub(crate) async fn record(
        self,
        mut steps: Vec<Step>,
        answer: Answer,
        refusal: impl Fn(Unique) -> Option<Precondition>,
    ) -> Round {
        let Self { ports, organization, repeat, at } = self;
        steps.retain(|step| !step.is_empty());
        let receipt = repeat.map(|repeat| repeat.receipt(answer, at));
        if steps.is_empty() && receipt.is_none() {
            return Ok((Recorded::Done, answer));
        }
        let quoted: BTreeSet<_> = steps.iter().flat_map(quoted).collect();
        let known = if quoted.is_empty() {
            Known::default()
        } else {
            ports.records.load(organization, quoted.into_iter().collect()).await?
        };
        let happenings = steps.iter().flat_map(|step| told(step, &known));
        let event = |what| Event { id: ports.ids.fresh().into(), at, what };
        let events: Vec<Event> = happenings.map(event).collect();
        let emits = !events.is_empty();
        let needs: Vec<Reference> = steps.iter().flat_map(Step::needs).collect();
        let change = Change {
            needs: needs.iter().map(|need| need.key()).collect(),
            announced: steps.iter().filter_map(announced).collect(),
            steps,
            events,
            receipt,
            at,
        };
        match ports.records.apply(organization, change).await? {
            Recorded::Missing(key) => {
                let need = needs.into_iter().find(|need| need.key() == key);
                Err(need.map_or(Error::NotFound(Missing::of(key.0)), Error::missing))
            }
            Recorded::Taken(unique) if let Some(refusal) = refusal(unique) => {
                Err(Error::Refused(refusal))
            }
            recorded => {
                if emits && recorded == Recorded::Done {
                    ports.alarm.ring();
                }
                Ok((recorded, answer))
            }
        }
    }
}

/// The refusal of a value that was given and is taken.
pub(crate) fn given(unique: Unique) -> Option<Precondition> {
    match unique {
        Unique::Slug => Some(Precondition::SlugTaken),
        Unique::Code => Some(Precondition::CodeTaken),
        Unique::Name => Some(Precondition::NameTaken),
        Unique::ExternalId => Some(Precondition::ExternalIdTaken),
        _ => None,
    }
}

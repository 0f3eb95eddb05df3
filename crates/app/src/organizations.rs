//! The management of organizations by the command line.

use crate::{Caller, Error, write};
use hearback_domain::Time;
use hearback_domain::draft::{Draft, Patches};
use hearback_domain::feedback_board::BoardDraft;
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::{HelpCenter, Organization, OrganizationPatch};
use hearback_domain::portal::PortalSettings;
use hearback_domain::record::{Kind, Step};
use hearback_domain::slug::Slug;
use hearback_domain::status::Status;
use hearback_domain::text::Name;
use hearback_ports::{Change, ImageFiles, Ports, Recorded, StoreError};

/// An organization could not be made, found or deleted.
#[derive(Debug, thiserror::Error)]
pub enum OrganizationError {
    /// An organization has this slug already.
    #[error("an organization with the slug {0} exists")]
    SlugTaken(String),
    /// No organization has this slug.
    #[error("no organization has the slug {0}")]
    Unknown(String),
    /// The store failed.
    #[error("cannot manage organizations")]
    Store(#[from] StoreError),
}

/// The answer of [`ping`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pong {
    /// The organization of the caller.
    pub organization: Organization,
    /// The time of the server.
    pub at: Time,
}

/// `/ping`: the organization of the caller.
pub async fn ping(ports: &Ports, caller: Caller, (): ()) -> Result<Pong, Error> {
    let id = caller.view(Kind::Organization)?;
    Ok(Pong { organization: write::find(ports, caller, id).await?, at: ports.clock.now() })
}

/// The records with which a new organization begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// A feedback board and the [usual statuses](Status::usual), so that a post can be made.
    Usual,
    /// None.
    Empty,
}

/// Makes an organization.
pub async fn create(
    ports: &Ports,
    slug: Slug,
    name: Name,
    help_center: HelpCenter,
    beginning: Beginning,
) -> Result<Organization, OrganizationError> {
    let id = ports.ids.fresh().into();
    let organization = Organization {
        id,
        name: name.into(),
        slug,
        help_center,
        events_ledger: false,
        portal: PortalSettings::default(),
        created_at: ports.clock.now(),
    };
    match ports.organizations.insert(organization.clone()).await? {
        Recorded::Done => {
            if beginning == Beginning::Usual {
                begin(ports, id).await?;
            }
            Ok(organization)
        }
        // Nothing was done, and the slug may be free or taken. Another try finds out.
        Recorded::Stale | Recorded::Missing(_) | Recorded::InUse(_) => Err(StoreError::Busy.into()),
        Recorded::Taken(_) => Err(OrganizationError::SlugTaken(organization.slug.into())),
    }
}

async fn begin(ports: &Ports, id: OrganizationId) -> Result<(), OrganizationError> {
    let at = ports.clock.now();
    let draft = BoardDraft::usual();
    let slug = draft.name();
    let board = draft.create(ports.ids.fresh(), slug, at);
    let statuses = Status::usual().into_iter().map(|draft| {
        let code = draft.name();
        Step::make(draft.create(ports.ids.fresh(), code, at))
    });
    let steps = std::iter::once(Step::make(board)).chain(statuses).collect();
    let change = Change { steps, ..Change::at(at) };
    match ports.records.apply(id, change).await? {
        Recorded::Done => Ok(()),
        Recorded::Stale | Recorded::Taken(_) | Recorded::Missing(_) | Recorded::InUse(_) => {
            Err(StoreError::Busy.into())
        }
    }
}

/// The organization with a slug. ASCII case does not count.
pub async fn find(ports: &Ports, slug: &str) -> Result<Organization, OrganizationError> {
    let found = ports.organizations.find_by_slug(slug).await?;
    found.ok_or_else(|| OrganizationError::Unknown(slug.to_owned()))
}

/// Changes the settings of an organization. The change holds for all that begins after it returns.
pub async fn set(ports: &Ports, caller: Caller, patch: OrganizationPatch) -> Result<(), Error> {
    let id = caller.manage(Kind::Organization)?;
    write::edit(ports, caller, id, None, |organization: Organization| {
        Ok(patch.clone().edit(organization))
    })
    .await?;
    // The owner of a key is remembered, with the switch of the ledger.
    if patch.events_ledger.is_some() {
        ports.clock.sleep(crate::key_ring::LEASE).await;
    }
    Ok(())
}

/// All organizations, by slug.
pub async fn list(ports: &Ports) -> Result<Vec<Organization>, OrganizationError> {
    Ok(ports.organizations.list().await?)
}

/// Deletes an organization with all its records and images. Once every process refuses its key, its rows are
/// removed part by part. `removed` is called after each part, with the number of rows so far.
///
/// If no organization has the slug, this goes on with the deleted ones that had it: an earlier call
/// may have been interrupted.
pub async fn delete(
    ports: &Ports,
    files: &dyn ImageFiles,
    slug: &str,
    mut removed: impl FnMut(u64),
) -> Result<(), OrganizationError> {
    let ids = match ports.organizations.find_by_slug(slug).await? {
        Some(organization) => {
            match ports.organizations.delete(organization.id).await? {
                Recorded::Done => {}
                Recorded::Stale
                | Recorded::Taken(_)
                | Recorded::Missing(_)
                | Recorded::InUse(_) => {
                    // Either another process deleted it, or its records changed meanwhile.
                    find(ports, slug).await?;
                    return Err(StoreError::Busy.into());
                }
            }
            ports.clock.sleep(crate::key_ring::LEASE).await;
            vec![organization.id]
        }
        None => {
            let mut deleted = ports.organizations.deleted().await?;
            deleted.retain(|it| it.slug.as_str().eq_ignore_ascii_case(slug));
            deleted.into_iter().map(|it| it.id).collect()
        }
    };
    if ids.is_empty() {
        return Err(OrganizationError::Unknown(slug.to_owned()));
    }
    let mut rows = 0;
    for id in ids {
        files.clear(id).await?;
        loop {
            let some = ports.organizations.remove(id).await?;
            if some == 0 {
                break;
            }
            rows += some as u64;
            removed(rows);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::Unique;
    use hearback_ports::images::MockImageFiles;
    use hearback_ports::mock::Mocks;

    /// Files that are cleared a number of times.
    fn cleared(times: usize) -> MockImageFiles {
        let mut files = MockImageFiles::new();
        files.expect_clear().times(times).returning(|_| Ok(()));
        files
    }

    async fn creating(answer: Recorded) -> Result<Organization, OrganizationError> {
        let mut mocks = Mocks::default();
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(1));
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks.organizations.expect_insert().once().returning(move |_| Ok(answer));
        create(
            &mocks.ports(),
            Slug::parse("acme").unwrap(),
            Name::parse("Acme").unwrap(),
            HelpCenter::Enabled,
            Beginning::Empty,
        )
        .await
    }

    #[tokio::test]
    async fn a_taken_slug_is_distinguished_from_a_lost_race() {
        assert_eq!(creating(Recorded::Done).await.unwrap().slug.as_str(), "acme");
        let taken = creating(Recorded::Taken(Unique::Slug)).await;
        assert!(matches!(taken, Err(OrganizationError::SlugTaken(slug)) if slug == "acme"));
        let lost = creating(Recorded::Stale).await;
        assert!(matches!(lost, Err(OrganizationError::Store(StoreError::Busy))));
    }

    #[tokio::test]
    async fn a_deletion_that_lost_a_race_reports_a_missing_organization() {
        let organization = creating(Recorded::Done).await.unwrap();
        for is_still_there in [true, false] {
            let mut mocks = Mocks::default();
            let mut found =
                vec![is_still_there.then(|| organization.clone()), Some(organization.clone())];
            mocks
                .organizations
                .expect_find_by_slug()
                .times(2)
                .returning(move |_| Ok(found.pop().flatten()));
            mocks.organizations.expect_delete().once().returning(|_| Ok(Recorded::Stale));
            match delete(&mocks.ports(), &cleared(0), "acme", |_| {}).await {
                Err(OrganizationError::Store(StoreError::Busy)) => assert!(is_still_there),
                Err(OrganizationError::Unknown(_)) => assert!(!is_still_there),
                other => panic!("{other:?}"),
            }
        }
    }

    #[tokio::test]
    async fn a_repeated_deletion_goes_on_where_the_first_one_ended() {
        let acme = creating(Recorded::Done).await.unwrap();
        let mut mocks = Mocks::default();
        mocks.organizations.expect_find_by_slug().returning(|_| Ok(None));
        let other = Organization {
            id: Uuid::from_u128(2).into(),
            slug: Slug::parse("other").unwrap(),
            ..acme.clone()
        };
        mocks
            .organizations
            .expect_deleted()
            .returning(move || Ok(vec![acme.clone(), other.clone()]));
        let mut parts = vec![0, 20, 500];
        mocks
            .organizations
            .expect_remove()
            .times(3)
            .withf(|id| id.0 == Uuid::from_u128(1))
            .returning(move |_| Ok(parts.pop().unwrap()));
        let mut rows = Vec::new();
        let ports = mocks.ports();
        delete(&ports, &cleared(1), "Acme", |so_far| rows.push(so_far)).await.unwrap();
        assert_eq!(rows, [500, 520]);
        let unknown = delete(&ports, &cleared(0), "acm", |_| {}).await;
        assert!(matches!(unknown, Err(OrganizationError::Unknown(_))));
    }
}

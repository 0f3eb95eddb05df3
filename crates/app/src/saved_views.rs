//! The views of the inbox that members of the team keep.

use crate::{Caller, Denied, Error};
use hearback_domain::id::UserId;
use hearback_domain::record::Kind;
use hearback_domain::saved_view::{BadView, MOST_VIEWS, SavedView};
use hearback_ports::{Ports, Recorded};

/// The views of the member, by name.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<SavedView>, Error> {
    let organization = caller.view(Kind::FeedbackPost)?;
    Ok(ports.saved_views.of_user(organization, member(caller)?).await?)
}

/// Keeps a view of the member, in place of the one that has its name.
pub async fn save(
    ports: &Ports,
    caller: Caller,
    name: &str,
    query: String,
) -> Result<Result<(), BadView>, Error> {
    let organization = caller.view(Kind::FeedbackPost)?;
    let view = match SavedView::new(member(caller)?, name, query) {
        Ok(view) => view,
        Err(bad) => return Ok(Err(bad)),
    };
    Ok(match ports.saved_views.save(organization, view, MOST_VIEWS).await? {
        Recorded::Done => Ok(()),
        _ => Err(BadView::TooMany),
    })
}

/// Removes a view of the member.
pub async fn remove(ports: &Ports, caller: Caller, name: String) -> Result<(), Error> {
    let organization = caller.view(Kind::FeedbackPost)?;
    Ok(ports.saved_views.remove(organization, member(caller)?, name).await?)
}

/// The caller as a member. A program has no views.
fn member(caller: Caller) -> Result<UserId, Denied> {
    caller.user().ok_or(Denied::NotSignedIn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Who;
    use hearback_domain::Uuid;
    use hearback_domain::id::OrganizationId;
    use hearback_domain::permission::Role;
    use hearback_domain::plan::Plan;
    use hearback_ports::mock::Mocks;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

    fn viewer() -> Caller {
        let who = Who::Member { user: Uuid::from_u128(5).into(), role: Role::Viewer };
        Caller::new(ACME, Plan::FULL, who)
    }

    #[tokio::test]
    async fn a_view_is_the_members_own_and_a_bad_one_is_not_stored() {
        let mut mocks = Mocks::default();
        let stored = |organization: &OrganizationId, view: &SavedView, most: &i64| {
            *organization == ACME && Some(view.user_id) == viewer().user() && *most == MOST_VIEWS
        };
        mocks
            .saved_views
            .expect_save()
            .once()
            .withf(stored)
            .returning(|_, _, _| Ok(Recorded::Done));
        let ports = mocks.ports();
        let save =
            async |name| save(&ports, viewer(), name, "sort=votes".to_owned()).await.unwrap();
        assert_eq!(save("Mine").await, Ok(()));
        assert_eq!(save(" ").await, Err(BadView::NoName));
    }

    #[tokio::test]
    async fn one_view_too_many_is_refused_and_a_program_has_none() {
        let mut mocks = Mocks::default();
        mocks.saved_views.expect_save().returning(|_, _, _| Ok(Recorded::Stale));
        let ports = mocks.ports();
        let refused = save(&ports, viewer(), "Mine", String::new()).await.unwrap();
        assert_eq!(refused, Err(BadView::TooMany));
        let program = Caller::new(ACME, Plan::FULL, Who::Key);
        assert!(matches!(list(&ports, program).await, Err(Error::Denied(Denied::NotSignedIn))));
    }
}

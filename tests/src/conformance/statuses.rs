//! `StatusRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::Stage;
use crate::build::Tenant;
use crate::system::fresh;
use hearback_domain::ClosedSet;
use hearback_domain::position::Position;
use hearback_domain::status::{Status, StatusGroup, workflow_order};
use std::slice::from_ref;

pub async fn statuses_are_listed_in_workflow_order(stage: Stage) {
    let mut acme = Tenant::new();
    let mut statuses = Vec::new();
    for &group in StatusGroup::ALL {
        // Two of each place: the identifier decides.
        for place in [10_000, 5_000, -1, 10_000, 5_000, -1, i64::MAX, 0] {
            statuses.push(Status {
                group,
                seq_number: Position::from_ten_thousandths(place),
                ..acme.status()
            });
        }
    }
    acme.add_backwards(statuses);
    let acme = acme.import(&stage.ports).await;
    let mut expected = acme.all::<Status>();
    expected.sort_by(workflow_order);
    assert_eq!(stage.ports.statuses.list(acme.id()).await.unwrap(), expected);
}

pub async fn inactive_statuses_are_not_listed(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(Status { is_active: false, is_default_status: true, ..acme.status() });
    let acme = acme.import(&stage.ports).await;
    assert_eq!(stage.ports.statuses.list(acme.id()).await.unwrap(), from_ref(&acme.status));
}

pub async fn another_organizations_statuses_are_not_listed(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    assert_eq!(stage.ports.statuses.list(acme.id()).await.unwrap(), from_ref(&acme.status));
    assert_eq!(stage.ports.statuses.list(globex.id()).await.unwrap(), from_ref(&globex.status));
    assert_eq!(stage.ports.statuses.list(fresh()).await.unwrap(), []);
}

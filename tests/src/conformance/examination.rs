//! `Examination`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, inventory};
use crate::build::Tenant;
use hearback_ports::examination::{StoreTime, Verdict};

/// The greatest difference between the clocks of a machine and of its file system, in milliseconds.
const APART: i64 = 1000;

pub async fn a_store_that_is_set_up_for_tests_has_no_problem(stage: Stage) {
    let findings = stage.examination.examine().await.unwrap();
    assert!(
        !findings.iter().any(|finding| matches!(finding.verdict, Verdict::Problem { .. })),
        "{findings:?}"
    );
    let first = findings.first().unwrap();
    assert_eq!(first.verdict, Verdict::Good);
    assert!(first.what.contains(|c: char| c.is_ascii_digit()), "the version is named: {first:?}");
    for finding in &findings {
        assert!(
            !finding.what.is_empty() && !finding.what.contains(char::is_control),
            "{finding:?}"
        );
    }
}

pub async fn an_examination_changes_nothing(stage: Stage) {
    let acme = Tenant::full().import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    stage.examination.examine().await.unwrap();
    stage.examination.time().await.unwrap();
    assert_eq!(inventory(&stage, acme.id()).await, before);
}

pub async fn a_store_reports_its_time_or_that_of_its_last_write(stage: Stage) {
    let before = stage.ports.clock.now();
    Tenant::full().import(&stage.ports).await;
    let time = stage.examination.time().await.unwrap();
    let (StoreTime::Now(time) | StoreTime::Written(time)) = time;
    assert!(
        (before.plus_millis(-APART)..=stage.ports.clock.now().plus_millis(APART)).contains(&time),
        "{time}"
    );
}

//! Counts that no change has made wrong.

use super::{Stage, fresh_file, open_database, open_file, postgres};
use crate::probes::{PostgresProbe, SqliteProbe};
use hearback_tests::build::{Imported, Tenant};
use hearback_tests::postgres::Isolation;
use hearback_tests::system::block_on;

const WRONG: &str = "
    UPDATE feedback_post_counts SET vote_count = 7, comment_count = 7 WHERE vote_count = 1;
    DELETE FROM record_counts WHERE counted = 'articles';
    UPDATE record_counts SET number = number + 1 WHERE counted = 'categories';";

/// An organization with more posts than are counted at once. One has a vote.
async fn filled(stage: &Stage) -> Imported {
    let mut acme = Tenant::full();
    acme.retain(|record| !matches!(record, hearback_ports::Record::Vote(_)));
    let post = acme.add(acme.post());
    acme.add(acme.vote(&acme.author, &post));
    for _ in 0..1_100 {
        acme.add(acme.post());
    }
    acme.import(&stage.ports).await
}

/// Asserts that wrong counts are found and mended, once.
async fn are_mended(stage: &Stage, acme: &Imported) {
    let counts = &stage.ports.counts;
    let wrong = counts.miscounted(acme.id()).await.expect("the counts are compared");
    assert!(wrong >= 3, "{wrong}");
    for expected in [wrong, 0] {
        assert_eq!(counts.recount(acme.id()).await.expect("the counts are mended"), expected);
        assert_eq!(counts.miscounted(acme.id()).await.expect("the counts are compared"), 0);
    }
}

#[test]
fn wrong_counts_of_a_file_are_found_and_mended() {
    block_on(async {
        let path = fresh_file("counts");
        let stage = open_file(&path).await;
        let acme = filled(&stage).await;
        SqliteProbe::new(&path).execute(WRONG);
        are_mended(&stage, &acme).await;
    });
}

#[test]
fn wrong_counts_of_a_database_are_found_and_mended() {
    block_on(async {
        let url = postgres::create(Isolation::ReadCommitted).await;
        let stage = open_database(&url).await;
        let acme = filled(&stage).await;
        PostgresProbe::new(&url).execute(WRONG).await;
        are_mended(&stage, &acme).await;
    });
}

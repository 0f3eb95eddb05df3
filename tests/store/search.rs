//! The rows that a search index leaves in a file, beside the rows that the probe counts.

use super::probes::SqliteProbe;
use super::{fresh_file, open_file};
use hearback_tests::build::Tenant;
use hearback_tests::conformance::delete_organization;
use hearback_tests::system::block_on;

#[test]
fn a_deletion_takes_an_organizations_articles_and_posts_out_of_the_full_text_indexes() {
    block_on(async {
        let path = fresh_file("search");
        let stage = open_file(&path).await;
        let probe = SqliteProbe::new(&path);
        let mut acme = Tenant::new();
        for _ in 0..40 {
            acme.add(acme.article());
            acme.add(acme.post());
        }
        let acme = acme.import(&stage.ports).await;
        // The articles and posts of the twin and of the opposite are indexed too.
        let indexes = ["help_articles_search", "feedback_posts_similar"];
        assert_eq!(indexes.map(|index| probe.indexed(index)), [120; 2]);
        // The background step adds posts by the hundred.
        let texts = || {
            let marked = probe.count("feedback_posts_unindexed");
            (probe.indexed("feedback_posts_search"), marked)
        };
        assert_eq!(texts(), (0, 120));
        for expected in [100, 0] {
            let added = stage.ports.feedback_posts.index_posts().await;
            assert_eq!(added.expect("posts are indexed"), expected);
        }
        assert_eq!(texts(), (100, 20));

        delete_organization(&stage.ports, acme.id()).await;
        assert_eq!(indexes.map(|index| probe.indexed(index)), [80; 2]);
        let (indexed, marked) = texts();
        assert_eq!(indexed + marked, 80);
    });
}

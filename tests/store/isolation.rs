//! An isolation level between the two levels of the conformance suite.

use super::{PgOptions, PgStore, postgres};
use hearback_domain::Uuid;
use hearback_domain::id::UserId;
use hearback_domain::merge::Merge;
use hearback_ports::feedback_posts::Attached;
use hearback_ports::{Limit, PageRequest, Recorded, Schema};
use hearback_tests::build::{Tenant, Votable};
use hearback_tests::postgres::Isolation;
use hearback_tests::system::{MachineClock, NoAlarm, OrderedIds, block_on, fresh};
use std::sync::Arc;

/// With one snapshot for the whole transaction, the merge would not see the vote, and would leave
/// it behind.
#[test]
fn a_merge_at_repeatable_read_moves_the_vote_that_it_waited_for() {
    block_on(async {
        let database = postgres::create(Isolation::ReadCommitted).await;
        let url =
            format!("{database}?options=-c%20default_transaction_isolation%3Drepeatable%5C%20read");
        let store = PgStore::open(PgOptions::new(&url)).await.expect("the database is reached");
        store.migrate().await.expect("the schema is made");
        let ports = store.ports(Arc::new(MachineClock), Arc::new(OrderedIds), Arc::new(NoAlarm));
        let mut acme = Tenant::new();
        let (source, target) = (acme.add(acme.post()), acme.add(acme.post()));
        let acme = acme.import(&ports).await;

        let voter = acme.author.user_id;
        let mut other = postgres::connect(&database).await;
        let cast = other
            .build_transaction()
            .isolation_level(tokio_postgres::IsolationLevel::Serializable)
            .start();
        let cast = cast.await.expect("a transaction begins");
        let lock = "SELECT FROM feedback_posts WHERE organization_id = $1 AND id = $2 AND merged_into_id IS NULL FOR NO KEY UPDATE";
        assert_eq!(
            cast.execute(lock, &[&acme.id().0, &source.id.0]).await.expect("the post is locked"),
            1
        );
        let insert = "INSERT INTO votes (organization_id, id, user_id, feedback_post_id, created_at) VALUES ($1, $2, $3, $4, now())";
        cast.execute(insert, &[&acme.id().0, &fresh::<Uuid>(), &voter.0, &source.id.0])
            .await
            .expect("a vote");
        let merge = || Merge {
            id: fresh(),
            source: source.id,
            target: target.id,
            merger: voter,
            at: source.updated_at,
        };
        let merging = {
            let (ports, organization, merge) = (ports.clone(), acme.id(), merge());
            tokio::spawn(async move {
                ports.feedback_posts.merge(organization, merge, Attached::default()).await
            })
        };
        let observer = postgres::connect(&database).await;
        let waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while observer.execute(waiting, &[]).await.expect("the sessions are seen") == 0 {
            tokio::task::yield_now().await;
        }
        cast.commit().await.expect("the vote is cast");

        let merged = merging.await.expect("no panic").expect("an answer");
        if merged == Recorded::Stale {
            let again = ports.feedback_posts.merge(acme.id(), merge(), Attached::default());
            let again = again.await.expect("an answer");
            assert_eq!(again, Recorded::Done);
        }
        let limit = Limit::DEFAULT;
        let page = ports
            .votes
            .voters(acme.id(), target.target(), PageRequest { after: None, limit })
            .await
            .expect("a page");
        let voters: Vec<UserId> = page.items.iter().map(|found| found.user_id).collect();
        assert_eq!(voters, [voter]);
    });
}

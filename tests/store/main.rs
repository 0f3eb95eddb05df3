//! The conformance suite on every store of the workspace, and tests that need two stores or an
//! empty one.

#![expect(
    clippy::expect_used,
    reason = "a failure in a helper must fail the test that called it, with its line"
)]

mod counts;
mod deliveries;
mod erased;
mod isolation;
mod mail;
mod plans;
mod portable;
mod probes;
mod schema;
mod search;
mod similar;

use hearback_ports::Schema;
use hearback_store_postgres::{PgOptions, PgStore};
use hearback_store_sqlite::SqliteStore;
use hearback_tests::cluster::Cluster;
use hearback_tests::conformance::Stage;
use hearback_tests::postgres::{self, Isolation};
use hearback_tests::scratch;
use hearback_tests::system::{MachineClock, NoAlarm, OrderedIds};
use probes::{PostgresProbe, SqliteProbe};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The embedded store.
mod sqlite {
    use super::{OnceCell, Stage, fresh_file, open_file};

    hearback_tests::conformance!(stage);

    pub(super) async fn stage() -> Stage {
        static STAGE: OnceCell<Stage> = OnceCell::const_new();
        STAGE.get_or_init(async || open_file(&fresh_file("conformance")).await).await.clone()
    }
}

macro_rules! postgres_stage {
    ($isolation:ident) => {
        pub(super) async fn stage() -> Stage {
            static STAGE: OnceCell<Stage> = OnceCell::const_new();
            let make = async || open_database(&postgres::create(Isolation::$isolation).await).await;
            STAGE.get_or_init(make).await.clone()
        }
    };
}

/// PostgreSQL with its default isolation, and with a default collation other than code point order.
mod postgres_store {
    use super::{Isolation, OnceCell, Stage, open_database, postgres};

    hearback_tests::conformance!(stage);
    postgres_stage!(ReadCommitted);
}

/// PostgreSQL, serializable by default.
mod postgres_serializable {
    use super::{Isolation, OnceCell, Stage, open_database, postgres};

    hearback_tests::conformance!(stage);
    postgres_stage!(Serializable);
}

/// PostgreSQL with each table of tenants partitioned, as a distributed database spreads tables over
/// machines. Lists are read from a standby whenever it has caught up.
mod postgres_partitioned {
    use super::{Cluster, OnceCell, Stage, open, postgres, stage_of};
    use std::sync::LazyLock;

    hearback_tests::conformance!(stage);

    async fn stage() -> Stage {
        static CLUSTER: LazyLock<Cluster> = LazyLock::new(|| Cluster::start(1));
        static STAGE: OnceCell<Stage> = OnceCell::const_new();
        let make = async || {
            let url = postgres::create_partitioned_on(CLUSTER.primary_url()).await;
            let store = open(&url).await;
            store
                .read_lists_from(&CLUSTER.at_standby(1, &url))
                .await
                .expect("the standby is one of the primary");
            stage_of(store, &url)
        };
        STAGE.get_or_init(make).await.clone()
    }
}

/// A Citus cluster, with the tables of tenants distributed. `scripts/with-citus` makes the server of
/// all tests its coordinator.
mod postgres_citus {
    use super::{Isolation, OnceCell, Stage, open_database, postgres};

    hearback_tests::conformance!(stage);
    postgres_stage!(ReadCommitted);
}

/// The path of a new database file. The file does not exist yet.
fn fresh_file(name: &str) -> std::path::PathBuf {
    scratch::folder(Path::new(env!("CARGO_TARGET_TMPDIR"))).join(format!("{name}.db"))
}

async fn open_file(path: &Path) -> Stage {
    let store = SqliteStore::open(path).expect("the file is opened");
    store.migrate().await.expect("the schema is made");
    let ports =
        store.clone().ports(Arc::new(MachineClock), Arc::new(OrderedIds), Arc::new(NoAlarm));
    Stage {
        ports,
        schema: store.clone(),
        examination: store,
        probe: Arc::new(SqliteProbe::new(path)),
    }
}

async fn open_database(url: &str) -> Stage {
    stage_of(open(url).await, url)
}

async fn open(url: &str) -> Arc<PgStore> {
    let store = PgStore::open(PgOptions::new(url)).await.expect("the database is reached");
    store.migrate().await.expect("the schema is made");
    store.distribute().await.expect("the tables are distributed, if the database has Citus");
    store
}

fn stage_of(store: Arc<PgStore>, url: &str) -> Stage {
    let ports =
        store.clone().ports(Arc::new(MachineClock), Arc::new(OrderedIds), Arc::new(NoAlarm));
    Stage {
        ports,
        schema: store.clone(),
        examination: store,
        probe: Arc::new(PostgresProbe::new(url)),
    }
}

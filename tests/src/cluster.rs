//! A PostgreSQL primary with hot standbys, for tests of reads from replicas.

use crate::postgres;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio_postgres::Client;

/// A running program of `scripts`. It ends when its standard input closes: when this value is
/// dropped, or at the latest when the test process ends.
#[derive(Debug)]
pub struct Script(Child);

impl Script {
    /// Starts the program and waits until it is ready. Returns its output up to the first line for
    /// which `is_last` returns `true`. Its environment is that of the test, with further variables.
    pub fn start(
        name: &str,
        arguments: &[&str],
        environment: &[(&str, String)],
        is_last: impl Fn(&str) -> bool,
    ) -> (Self, Vec<String>) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let mut command = Command::new(root.join("scripts").join(name));
        let command = command.args(arguments).envs(environment.iter().cloned());
        let script = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut script = Self(script.expect("the script starts"));
        let mut lines = Vec::new();
        for line in BufReader::new(script.0.stdout.take().expect("its output")).lines() {
            lines.push(line.expect("a line"));
            if is_last(lines.last().expect("the line")) {
                return (script, lines);
            }
        }
        panic!("scripts/{name} ended before it was ready")
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// A primary with standbys. `scripts/with-postgres` runs them beside the server of all tests.
#[derive(Debug)]
pub struct Cluster {
    _script: Script,
    told: HashMap<String, String>,
    /// Further variables of the environment of its servers.
    environment: Vec<(&'static str, String)>,
}

impl Cluster {
    /// Starts a primary with this many standbys.
    pub fn start(standbys: usize) -> Self {
        Self::start_with(standbys, Vec::new())
    }

    /// Starts a primary with this many standbys. The environment of the servers has further
    /// variables.
    pub fn start_with(standbys: usize, environment: Vec<(&'static str, String)>) -> Self {
        let command = "env | grep ^HEARBACK_TEST_; echo; exec cat";
        let arguments = ["--standbys", &standbys.to_string(), "sh", "-c", command];
        let (_script, lines) =
            Script::start("with-postgres", &arguments, &environment, str::is_empty);
        let pairs = lines.iter().filter_map(|line| line.split_once('='));
        Self {
            _script,
            told: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            environment,
        }
    }

    /// The address of the primary.
    pub fn primary_url(&self) -> &str {
        &self.told["HEARBACK_TEST_POSTGRES_URL"]
    }

    /// The address of the primary's database on a standby. The first standby is 1.
    pub fn at_standby(&self, standby: usize, database_url: &str) -> String {
        let (_, database) = database_url.rsplit_once('/').expect("a database");
        postgres::address(&self.told[&format!("HEARBACK_TEST_STANDBY_{standby}_URL")], database)
    }

    /// Connects to a standby as superuser, to a database that always exists.
    pub async fn standby(&self, standby: usize) -> Client {
        postgres::connect(&self.told[&format!("HEARBACK_TEST_STANDBY_{standby}_URL")]).await
    }

    /// Returns when a standby has replayed everything that the primary had written at the call.
    pub async fn has_caught_up(&self, standby: usize) {
        let primary = postgres::connect(self.primary_url()).await;
        let written = primary
            .query_one("SELECT pg_current_wal_flush_lsn()::text", &[])
            .await
            .expect("a position");
        let (written, standby) = (written.get::<_, String>(0), self.standby(standby).await);
        let question = format!("SELECT pg_last_wal_replay_lsn() >= '{written}'");
        while !standby.query_one(&question, &[]).await.expect("an answer").get::<_, bool>(0) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Makes a standby follow another one, which was promoted.
    pub async fn follow(&self, standby: usize, promoted: usize) {
        let url = &self.told[&format!("HEARBACK_TEST_STANDBY_{promoted}_URL")];
        let client = self.standby(standby).await;
        for statement in
            [&*format!("ALTER SYSTEM SET primary_conninfo = '{url}'"), "SELECT pg_reload_conf()"]
        {
            client.batch_execute(statement).await.expect("the standby follows");
        }
    }

    /// Stops or starts a standby: `what` is `stop` or `start`.
    pub async fn control(&self, what: &str, standby: usize) {
        self.run(&[what, &format!("standby-{standby}")]).await;
    }

    /// Ends the primary as a crash does, and starts it again.
    pub async fn crash(&self) {
        self.run(&["restart", "data", "--mode=immediate"]).await;
    }

    async fn run(&self, arguments: &[&str]) {
        let mut command = Command::new(&self.told["HEARBACK_TEST_POSTGRES_CONTROL"]);
        command.args(arguments).envs(self.environment.iter().cloned());
        let status = tokio::task::spawn_blocking(move || command.status().expect("it runs"))
            .await
            .expect("the command");
        assert!(status.success(), "{arguments:?}");
    }
}

//! A server with its store and its receiver, and the faults that they suffer.

use crate::history::Numbers;
use crate::support::{Installation, Receiver, Server, Step, answer, forward, listen};
use hearback_tests::cluster::Cluster;
use hearback_tests::postgres;
use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::{JoinHandle, block_in_place};
use tokio::time::sleep;
use tokio_postgres::error::SqlState;

/// A fault, which has an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// The server is killed by `SIGKILL`, and started again.
    Kill,
    /// The server is ended by `SIGTERM`, and started again.
    Restart,
    /// No file of the store may grow, like on a full disk.
    FullDisk,
    /// The line to PostgreSQL is cut.
    Cut,
    /// PostgreSQL ends all connections.
    Disconnect,
    /// PostgreSQL crashes, and is started again.
    Crash,
    /// The clock of the server jumps by up to an hour, forwards or backwards.
    Jump,
    /// The receiver answers late.
    SlowReceiver,
    /// The receiver does not answer.
    HangingReceiver,
    /// The receiver refuses all deliveries.
    FailingReceiver,
    /// The receiver takes deliveries, and its answers are lost.
    LostAnswers,
}

const OF_POSTGRES: &[Fault] = &[Fault::Cut, Fault::Disconnect, Fault::Crash];

const OF_BOTH: &[Fault] = &[
    Fault::Kill,
    Fault::Restart,
    Fault::FullDisk,
    Fault::Jump,
    Fault::SlowReceiver,
    Fault::HangingReceiver,
    Fault::FailingReceiver,
    Fault::LostAnswers,
];

/// The line from the server to PostgreSQL.
struct Line {
    port: u16,
    carrying: JoinHandle<()>,
}

/// A library of C that processes preload, and the file that they map. Its bytes steer the library.
struct Preload {
    file: File,
    /// The variables of the environment of the processes.
    variables: [(&'static str, String); 2],
}

impl Preload {
    /// Compiles a library into a folder. `variable` names its file.
    fn new(folder: &Path, library: &str, variable: &'static str, first: &[u8]) -> Self {
        let [compiled, path] = ["so", "told"].map(|end| folder.join(format!("{library}.{end}")));
        let source = format!("{}/simulation/{library}.c", env!("CARGO_MANIFEST_DIR"));
        let compiler = Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .args([&*compiled, Path::new(&source)])
            .status();
        assert!(compiler.expect("cc runs").success(), "cc failed");
        let preload = Self {
            file: File::create(&path).expect("a file"),
            variables: [("LD_PRELOAD", compiled), (variable, path)]
                .map(|(name, path)| (name, path.display().to_string())),
        };
        preload.tell(first);
        preload
    }

    fn tell(&self, bytes: &[u8]) {
        self.file.write_all_at(bytes, 0).expect("the file is written");
    }
}

/// A PostgreSQL server of one installation, and its disk.
pub(crate) struct Postgres {
    cluster: Cluster,
    /// While its byte is 1, the disk is full. `disk.c` says how.
    disk: Preload,
    _folder: TempDir,
}

impl Postgres {
    /// Starts a server, and sees that it can have a full disk.
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a new folder");
        // The server has another user.
        let permissions = Permissions::from_mode(0o755);
        fs::set_permissions(folder.path(), permissions).expect("the folder is opened");
        let disk = Preload::new(folder.path(), "disk", "HEARBACK_TEST_DISK", &[0]);
        let variables = disk.variables.to_vec();
        let cluster = block_in_place(|| Cluster::start_with(0, variables));
        let database = postgres::connect(cluster.primary_url()).await;
        disk.tell(&[1]);
        let rows = "CREATE TABLE rows AS SELECT generate_series(1, 10000)";
        let refused = database.batch_execute(rows).await.expect_err("the disk is full");
        assert_eq!(refused.code(), Some(&SqlState::DISK_FULL));
        disk.tell(&[0]);
        Self { cluster, disk, _folder: folder }
    }

    /// The address of the server.
    pub(crate) fn url(&self) -> &str {
        self.cluster.primary_url()
    }
}

/// The clock of the servers and commands of an installation. `clock.c` says how.
pub(crate) struct Clock(Preload);

/// The differences of a clock, in seconds.
const DIFFERENCES: [i64; 5] = [-3600, -30, 0, 30, MOST_DIFFERENCE];
const MOST_DIFFERENCE: i64 = 3600;

impl Clock {
    /// Gives an installation a clock that shows the machine's time.
    pub(crate) fn of(installation: &mut Installation) -> Self {
        let folder = &installation.data_dir;
        let clock = Preload::new(folder, "clock", "HEARBACK_TEST_CLOCK", &0_i64.to_ne_bytes());
        installation.settings.extend(clock.variables.clone());
        Self(clock)
    }

    /// Sets the difference from the machine's time, in seconds.
    fn set(&self, difference: i64) {
        self.0.tell(&difference.to_ne_bytes());
    }
}

/// An installation with a running server and a receiver.
pub(crate) struct Site {
    pub(crate) installation: Installation,
    clock: Clock,
    /// `None` for the embedded store.
    postgres: Option<Postgres>,
    pub(crate) receiver: Receiver,
    /// `None` while it is started again.
    server: Option<Server>,
    /// The base URL of the server.
    base: watch::Sender<String>,
    /// `None` for the embedded store.
    line: Option<Line>,
}

impl Site {
    /// Starts a server. The store is that of `postgres`, or the embedded one.
    pub(crate) async fn open(
        installation: Installation,
        clock: Clock,
        postgres: Option<Postgres>,
        receiver: Receiver,
    ) -> Self {
        let line = if postgres.is_none() {
            None
        } else {
            let (listener, port) = listen(0).await;
            Some(Line { port, carrying: forward(listener, installation.database_port()) })
        };
        let base = watch::Sender::new(String::new());
        let mut site = Self { installation, clock, postgres, receiver, server: None, base, line };
        site.start();
        site
    }

    /// The running server.
    pub(crate) fn server(&self) -> &Server {
        self.server.as_ref().expect("a server")
    }

    /// The base URL of the server, whichever runs.
    pub(crate) fn base(&self) -> watch::Receiver<String> {
        self.base.subscribe()
    }

    /// Injects faults until a time, one after the other. Returns the number of each, and how long
    /// they took. All of them are over then.
    pub(crate) async fn suffer(
        &mut self,
        mut numbers: Numbers,
        until: Instant,
    ) -> BTreeMap<Fault, (usize, Duration)> {
        let mut suffered = BTreeMap::new();
        let faults = [OF_BOTH, if self.line.is_some() { OF_POSTGRES } else { &[] }].concat();
        while Instant::now() < until {
            sleep(numbers.pause()).await;
            let (fault, pause) = (*numbers.pick(&faults), numbers.pause());
            // A small limit refuses all writes, and a greater one those of a longer log.
            let limit = 4096 * (1 + numbers.below(256));
            let difference = *numbers.pick(&DIFFERENCES);
            let began = Instant::now();
            self.inject(fault, pause, limit, difference).await;
            let (count, time) = suffered.entry(fault).or_insert((0, Duration::ZERO));
            *count += 1;
            *time += began.elapsed();
        }
        // All that was due at any time of the clock is due now, and all leases have ended.
        self.clock.set(2 * MOST_DIFFERENCE);
        suffered
    }

    async fn inject(&mut self, fault: Fault, pause: Duration, limit: usize, difference: i64) {
        match fault {
            Fault::Kill => {
                let server = self.server.take().expect("a server");
                block_in_place(|| server.kill());
                self.start();
            }
            Fault::Restart => {
                let server = self.server.take();
                block_in_place(|| drop(server));
                self.start();
            }
            Fault::FullDisk => match &self.postgres {
                Some(postgres) => {
                    postgres.disk.tell(&[1]);
                    sleep(pause).await;
                    postgres.disk.tell(&[0]);
                }
                None => {
                    limit_file_size(self.server(), &limit.to_string());
                    sleep(pause).await;
                    limit_file_size(self.server(), "unlimited");
                }
            },
            Fault::Cut => {
                let line = self.line.as_mut().expect("a line");
                line.carrying.abort();
                // The port is free once the task has ended.
                let _ = (&mut line.carrying).await;
                sleep(pause).await;
                let (listener, _) = listen(line.port).await;
                line.carrying = forward(listener, self.installation.database_port());
            }
            Fault::Disconnect => {
                let database = postgres::connect(&self.installation.database_url).await;
                let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                           WHERE datname = current_database() AND pid <> pg_backend_pid()";
                database.query(end, &[]).await.expect("connections end");
            }
            Fault::Crash => self.postgres.as_ref().expect("PostgreSQL").cluster.crash().await,
            Fault::Jump => self.clock.set(difference),
            Fault::SlowReceiver => {
                let late = Step::Pause(Duration::from_millis(300));
                self.receives(vec![late, answer("200 OK", b"")], pause).await;
            }
            Fault::HangingReceiver => {
                self.receiver.holds();
                sleep(pause).await;
                self.receiver.answers("200 OK");
            }
            Fault::FailingReceiver => {
                self.receives(vec![answer("500 Oops", b"")], pause).await;
            }
            Fault::LostAnswers => self.receives(vec![Step::Reset], pause).await,
        }
    }

    /// The receiver takes these steps for a time.
    async fn receives(&self, steps: Vec<Step>, pause: Duration) {
        self.receiver.does(steps);
        sleep(pause).await;
        self.receiver.answers("200 OK");
    }

    fn start(&mut self) {
        let server = block_in_place(|| match &self.line {
            Some(line) => self.installation.server_by_port(line.port),
            None => self.installation.serve(),
        });
        self.base.send_replace(server.base().to_owned());
        self.server = Some(server);
    }
}

/// Sets the size beyond which no file of a running server may grow.
fn limit_file_size(server: &Server, limit: &str) {
    // Without a second value, the hard limit stays, so that the next call may raise the soft one.
    let limit = [format!("--pid={}", server.pid), format!("--fsize={limit}:")];
    assert!(Command::new("prlimit").args(limit).status().expect("prlimit runs").success());
}

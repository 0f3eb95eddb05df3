//! A server with its store and its receiver, and the faults that they suffer.

use crate::history::Numbers;
use crate::support::{Installation, Receiver, Server, Step, Store, answer, forward, listen};
use hearback_tests::postgres;
use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::{JoinHandle, block_in_place};
use tokio::time::sleep;

/// A fault, which has an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// The server is killed by `SIGKILL`, and started again.
    Kill,
    /// The server is ended by `SIGTERM`, and started again.
    Restart,
    /// No file of the embedded store may grow beyond a size, like on a full disk.
    FullDisk,
    /// The line to PostgreSQL is cut.
    Cut,
    /// PostgreSQL ends all connections.
    Disconnect,
    /// The receiver answers late.
    SlowReceiver,
    /// The receiver does not answer.
    HangingReceiver,
    /// The receiver refuses all deliveries.
    FailingReceiver,
    /// The receiver takes deliveries, and its answers are lost.
    LostAnswers,
}

const OF_SQLITE: &[Fault] = &[Fault::FullDisk];

const OF_POSTGRES: &[Fault] = &[Fault::Cut, Fault::Disconnect];

const OF_BOTH: &[Fault] = &[
    Fault::Kill,
    Fault::Restart,
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

/// An installation with a running server and a receiver.
pub(crate) struct Site {
    pub(crate) installation: Installation,
    pub(crate) receiver: Receiver,
    /// `None` while it is started again.
    server: Option<Server>,
    /// The base URL of the server.
    base: watch::Sender<String>,
    /// `None` for the embedded store.
    line: Option<Line>,
}

impl Site {
    /// Starts a server.
    pub(crate) async fn open(store: Store, installation: Installation, receiver: Receiver) -> Self {
        let line = if store == Store::Sqlite {
            None
        } else {
            let (listener, port) = listen(0).await;
            Some(Line { port, carrying: forward(listener, installation.database_port()) })
        };
        let base = watch::Sender::new(String::new());
        let mut site = Self { installation, receiver, server: None, base, line };
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
        let faults = [OF_BOTH, if self.line.is_some() { OF_POSTGRES } else { OF_SQLITE }].concat();
        while Instant::now() < until {
            sleep(numbers.pause()).await;
            let (fault, pause) = (*numbers.pick(&faults), numbers.pause());
            // A small limit refuses all writes, and a greater one those of a longer log.
            let limit = 4096 * (1 + numbers.below(256));
            let began = Instant::now();
            self.inject(fault, pause, limit).await;
            let (count, time) = suffered.entry(fault).or_insert((0, Duration::ZERO));
            *count += 1;
            *time += began.elapsed();
        }
        suffered
    }

    async fn inject(&mut self, fault: Fault, pause: Duration, limit: usize) {
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
            Fault::FullDisk => {
                limit_file_size(self.server(), &limit.to_string());
                sleep(pause).await;
                limit_file_size(self.server(), "unlimited");
            }
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

//! Being asked to stop.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// Whether SIGTERM or Ctrl-C came.
#[derive(Clone, Debug)]
pub(crate) struct StopSignal(watch::Receiver<bool>);

impl StopSignal {
    /// From now on the first signal asks, and the second one ends the process at once.
    pub(crate) fn watch() -> io::Result<Self> {
        let mut signals = Signals::new()?;
        let (sender, receiver) = watch::channel(false);
        // A task of its own: it hears the second signal whatever the command is doing.
        tokio::spawn(async move {
            signals.next().await;
            sender.send_replace(true);
            let status = signals.next().await;
            std::process::exit(status);
        });
        Ok(Self(receiver))
    }

    /// Returns when the first signal has come.
    pub(crate) async fn requested(&mut self) {
        // The sender lives as long as the runtime does.
        if self.0.wait_for(|&requested| requested).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// The next signal, as the exit status of a process that it ended.
    async fn next(&mut self) -> i32 {
        let kind = tokio::select! {
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.interrupt.recv() => SignalKind::interrupt(),
        };
        128 + kind.as_raw_value()
    }
}

//! The signals that stop a command.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// A receiver of SIGTERM and Ctrl-C.
#[derive(Clone, Debug)]
pub(crate) struct StopSignal(watch::Receiver<bool>);

impl StopSignal {
    /// Watches signals from now on. The first one is a request, and the second one ends the
    /// process.
    pub(crate) fn watch() -> io::Result<Self> {
        let mut signals = Signals::new()?;
        let (sender, receiver) = watch::channel(false);
        // A task of its own receives the second signal, even if the command is busy.
        tokio::spawn(async move {
            signals.next().await;
            sender.send_replace(true);
            let status = signals.next().await;
            std::process::exit(status);
        });
        Ok(Self(receiver))
    }

    /// Returns after the first signal.
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

    /// The next signal, as the exit status of a process that it ends.
    async fn next(&mut self) -> i32 {
        let kind = tokio::select! {
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.interrupt.recv() => SignalKind::interrupt(),
        };
        128 + kind.as_raw_value()
    }
}

//! The `hearback` binary, run as its users run it.

use crate::failure::Failure;
use crate::server::Server;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The binary and a folder for its files.
pub(crate) struct Hearback<'a> {
    pub(crate) binary: PathBuf,
    pub(crate) data_dir: &'a Path,
}

/// The cost of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// From the start of the process to its end.
    pub(crate) time: Duration,
    /// The peak of its memory, in bytes.
    pub(crate) peak_memory: u64,
}

/// The time between two looks at the memory of a process. The kernel keeps the peak, so that only a
/// peak in the last moment can be missed.
const LOOK: Duration = Duration::from_millis(5);

impl<'a> Hearback<'a> {
    /// The binary of the same build.
    pub(crate) fn beside_this_binary(data_dir: &'a Path) -> Result<Self, Failure> {
        let this =
            std::env::current_exe().map_err(Failure::machine("looking for the hearback binary"))?;
        Ok(Self { binary: this.with_file_name("hearback"), data_dir })
    }

    /// Brings the schema of a database up to date.
    pub(crate) fn migrate(&self, database_url: &str) -> Result<(), Failure> {
        self.run("migrate", database_url, &[]).map(|_| ())
    }

    /// Makes a key for an organization.
    pub(crate) fn generate_key(&self, database_url: &str, slug: &str) -> Result<String, Failure> {
        self.key("generate", database_url, slug)
    }

    /// The key of an organization.
    pub(crate) fn reveal_key(&self, database_url: &str, slug: &str) -> Result<String, Failure> {
        self.key("reveal", database_url, slug)
    }

    fn key(&self, action: &str, database_url: &str, slug: &str) -> Result<String, Failure> {
        let arguments = [action, "--organization", slug].map(OsStr::new);
        let (_, printed) = self.run("key", database_url, &arguments)?;
        Ok(printed.trim_end().to_owned())
    }

    /// Gives an organization one subscription to all events, and removes its others.
    pub(crate) fn subscribe_alone(
        &self,
        database_url: &str,
        slug: &str,
        receiver: &str,
    ) -> Result<(), Failure> {
        let organization = ["--organization", slug].map(OsStr::new);
        let run = |arguments: &[&str]| {
            let (command, rest) = arguments.split_at(1);
            let arguments: Vec<&OsStr> = command
                .iter()
                .map(OsStr::new)
                .chain(organization)
                .chain(rest.iter().map(OsStr::new))
                .collect();
            self.run("webhook", database_url, &arguments)
        };
        let (_, listed) = run(&["list"])?;
        for subscription in listed.lines().filter_map(|line| line.split('\t').next()) {
            run(&["remove", "--yes", "--id", subscription])?;
        }
        self.subscribe(database_url, slug, receiver)
    }

    /// Gives an organization a subscription to all events.
    pub(crate) fn subscribe(
        &self,
        database_url: &str,
        slug: &str,
        receiver: &str,
    ) -> Result<(), Failure> {
        let arguments = ["add", "--organization", slug, "--url", receiver].map(OsStr::new);
        self.run("webhook", database_url, &arguments).map(|_| ())
    }

    /// Starts a server on a free port.
    pub(crate) fn serve(&self, database_url: &str) -> Result<Server, Failure> {
        Server::start(self.server(database_url))
    }

    /// Starts a server whose forms have no limits, and may be sent at once.
    pub(crate) fn serve_without_limits(&self, database_url: &str) -> Result<Server, Failure> {
        let mut command = self.server(database_url);
        command.env("HEARBACK_FORM_LIMIT_PER_ADDRESS", "1000000/s");
        command.env("HEARBACK_FORM_LIMIT_PER_NETWORK", "1000000/s");
        command.env("HEARBACK_FORM_MINIMUM_AGE", "0s");
        Server::start(command)
    }

    /// Lets people sign in by tokens. Returns the secret that signs them.
    pub(crate) fn open_to_tokens(&self, database_url: &str, slug: &str) -> Result<String, Failure> {
        let url = "https://sign-in.example/";
        let set = ["set", "--organization", slug, "--sso-url", url].map(OsStr::new);
        self.run("organization", database_url, &set)?;
        // A kept database may have a former secret. Without one, this command fails.
        let retire = ["retire", "--organization", slug].map(OsStr::new);
        let _ = self.run("sso", database_url, &retire);
        let generate = ["generate", "--organization", slug].map(OsStr::new);
        let (_, printed) = self.run("sso", database_url, &generate)?;
        Ok(printed.trim_end().to_owned())
    }

    /// Invites an owner of an organization. Returns the link by which the owner signs in.
    pub(crate) fn invite(
        &self,
        database_url: &str,
        slug: &str,
        email: &str,
    ) -> Result<String, Failure> {
        let arguments =
            ["invite", "--organization", slug, "--email", email, "--role", "owner"].map(OsStr::new);
        let (_, printed) = self.run("member", database_url, &arguments)?;
        Ok(printed.trim_end().to_owned())
    }

    /// Starts a server with these numbers of workers and of connections for writes.
    pub(crate) fn serve_with(
        &self,
        database_url: &str,
        workers: usize,
        write_connections: usize,
    ) -> Result<Server, Failure> {
        let mut command = self.server(database_url);
        command.env("HEARBACK_WORKERS", workers.to_string());
        command.env("HEARBACK_WRITE_CONNECTIONS", write_connections.to_string());
        Server::start(command)
    }

    fn server(&self, database_url: &str) -> Command {
        let mut command = self.command("serve", database_url);
        command.env("HEARBACK_LISTEN", "127.0.0.1:0");
        command
    }

    /// Writes the one organization of a database to a file.
    pub(crate) fn export(
        &self,
        database_url: &str,
        slug: &str,
        file: &Path,
    ) -> Result<(), Failure> {
        let arguments = [OsStr::new("--organization"), OsStr::new(slug), file.as_os_str()];
        self.run("export", database_url, &arguments).map(|_| ())
    }

    /// Imports a file.
    pub(crate) fn import(&self, database_url: &str, file: &Path) -> Result<Usage, Failure> {
        self.run("import", database_url, &[file.as_os_str()]).map(|(usage, _)| usage)
    }

    /// Runs a command and returns its cost and its output.
    fn run(
        &self,
        command: &'static str,
        database_url: &str,
        arguments: &[&OsStr],
    ) -> Result<(Usage, String), Failure> {
        let failed = || Failure::machine(format!("running {} {command}", self.binary.display()));
        let start = Instant::now();
        let mut child =
            self.command(command, database_url).args(arguments).spawn().map_err(failed())?;
        let mut peak_memory = 0;
        while child.try_wait().map_err(failed())?.is_none() {
            peak_memory = peak_memory.max(peak_of(&child));
            std::thread::sleep(LOOK);
        }
        let time = start.elapsed();
        let Output { status, stdout, stderr } = child.wait_with_output().map_err(failed())?;
        if !status.success() {
            let stderr = String::from_utf8_lossy(&stderr).trim_end().to_owned();
            return Err(Failure::Hearback { command, status, stderr });
        }
        Ok((Usage { time, peak_memory }, String::from_utf8_lossy(&stdout).into_owned()))
    }

    fn command(&self, command: &str, database_url: &str) -> Command {
        let mut process = Command::new(&self.binary);
        process
            .arg(command)
            .env_clear()
            .env("DATABASE_URL", database_url)
            .env("HEARBACK_DATA_DIR", self.data_dir)
            // No later run needs the secrets that this key seals.
            .env("HEARBACK_MASTER_KEY", "5a".repeat(32))
            // All receivers are on this machine.
            .env("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true")
            // All visitors are on this machine, too.
            .env("HEARBACK_FORM_LIMIT_PER_ADDRESS", "1000000/s")
            .env("HEARBACK_FORM_LIMIT_PER_NETWORK", "1000000/s")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        process
    }
}

/// The peak of a process's memory so far, in bytes. 0 if it has ended.
fn peak_of(child: &Child) -> u64 {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap_or_default();
    kib * 1024
}

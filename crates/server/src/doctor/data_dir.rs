//! Whether the data directory is usable, is private, and has room.

use super::skipped;
use crate::config::{Config, Reading};
use crate::data_dir::{is_same, parent};
use crate::mail_route::MailRoute;
use crate::settings::DATA_DIR;
use crate::store::StoreUrl;
use hearback_ports::examination::Finding;
use rustix::fs::{Access, AtFlags, CWD, accessat, statvfs};
use rustix::process::geteuid;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

pub(super) fn examine(reading: &Reading) -> Vec<Finding> {
    if let Some(finding) = skipped(reading, "data directory", &[DATA_DIR.name]) {
        return vec![finding];
    }
    let path = &reading.config.data_dir;
    if !is_used(&reading.config) {
        return vec![Finding::good(format!(
            "data directory {}: not used with these settings",
            path.display()
        ))];
    }
    match std::fs::metadata(path) {
        Ok(metadata) => existing(path, &metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => vec![missing(path)],
        Err(error) => vec![unusable(path, &error.to_string())],
    }
}

/// Whether the store, the master key or mails are in it.
fn is_used(config: &Config) -> bool {
    let has_store =
        matches!(&config.store, StoreUrl::Sqlite(path) if is_same(parent(path), &config.data_dir));
    let has_key = config.master_key.is_none() && matches!(config.store, StoreUrl::Sqlite(_));
    has_store || has_key || matches!(config.mail, MailRoute::Files { .. })
}

/// The first start makes it, in the nearest directory above that exists.
fn missing(path: &Path) -> Finding {
    let above = path
        .ancestors()
        .skip(1)
        .map(|above| if above.as_os_str().is_empty() { Path::new(".") } else { above });
    match above.into_iter().find(|above| above.exists()) {
        Some(above) if is_writable(above) => Finding::good(format!(
            "data directory {} does not exist yet: the first start makes it",
            path.display()
        )),
        above => {
            let above = above.unwrap_or(path).display();
            unusable(path, &format!("it does not exist, and this user cannot make it in {above}"))
        }
    }
}

fn existing(path: &Path, metadata: &Metadata) -> Vec<Finding> {
    if !metadata.is_dir() {
        return vec![unusable(path, "it is not a directory")];
    }
    if !is_writable(path) {
        return vec![unusable(path, "this user may not write to it")];
    }
    let mut findings = Vec::new();
    findings.extend(open_to_others(path, metadata.permissions().mode()));
    findings.extend(as_root(path, metadata.uid(), geteuid().is_root()));
    if findings.is_empty() {
        findings.push(Finding::good(format!(
            "data directory {} is writable, by this user alone",
            path.display()
        )));
    }
    // An unknown size of the disk is no finding.
    let free = statvfs(path).map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    findings.extend(free.ok().map(|free| room(path, free)));
    findings
}

/// Whether this process may make files in a directory.
fn is_writable(directory: &Path) -> bool {
    accessat(CWD, directory, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

fn unusable(path: &Path, why: &str) -> Finding {
    let path = path.display();
    Finding::problem(
        format!("data directory {path} cannot be used: {why}"),
        format!(
            "change its owner and mode (`chown` and `chmod 700` {path}), or set HEARBACK_DATA_DIR"
        ),
    )
}

fn open_to_others(path: &Path, mode: u32) -> Option<Finding> {
    let path = path.display();
    (mode & 0o007 != 0).then(|| {
        Finding::warning(
            format!("data directory {path} is open to other users (mode {:04o})", mode & 0o7777),
            format!("run `chmod 700 {path}`"),
        )
    })
}

/// The owner of the directory cannot use root's files.
fn as_root(path: &Path, owner: u32, is_root: bool) -> Option<Finding> {
    (is_root && owner != 0).then(|| {
        Finding::warning(
            format!("data directory {} belongs to user {owner}, and this is root", path.display()),
            "run commands as that user (docs/deployment.md): the server cannot use files that \
             root makes",
        )
    })
}

/// Whether the disk has room.
fn room(path: &Path, free: u64) -> Finding {
    let told = format!("the disk of data directory {} has {} MiB left", path.display(), free >> 20);
    let remedy = "make room: nothing can be written to a full disk";
    match free {
        0..NO_ROOM => Finding::problem(told, remedy),
        NO_ROOM..LITTLE_ROOM => Finding::warning(told, remedy),
        _ => Finding::good(told),
    }
}

/// In bytes: the room for the log and the sorting of a large import.
const NO_ROOM: u64 = 128 << 20;
const LITTLE_ROOM: u64 = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_ports::examination::Verdict;

    #[test]
    fn a_directory_that_is_open_to_others_is_a_warning() {
        let path = Path::new("data");
        for mode in [0o40700, 0o40750, 0o40770] {
            assert_eq!(open_to_others(path, mode), None);
        }
        let told = "data directory data is open to other users (mode 0755)";
        assert_eq!(
            open_to_others(path, 0o40755),
            Some(Finding::warning(told, "run `chmod 700 data`"))
        );
    }

    #[test]
    fn the_owner_of_the_directory_is_reported_to_root() {
        let path = Path::new("data");
        assert_eq!(as_root(path, 0, true), None);
        assert_eq!(as_root(path, 65_532, false), None);
        assert_eq!(
            as_root(path, 65_532, true).unwrap().what,
            "data directory data belongs to user 65532, and this is root"
        );
    }

    #[test]
    fn little_room_is_a_warning_and_none_a_problem() {
        let path = Path::new("data");
        assert_eq!(
            room(path, LITTLE_ROOM),
            Finding::good("the disk of data directory data has 1024 MiB left")
        );
        let little = room(path, LITTLE_ROOM - 1);
        assert_eq!(little.what, "the disk of data directory data has 1023 MiB left");
        assert!(matches!(little.verdict, Verdict::Warning { .. }));
        assert!(matches!(room(path, 0).verdict, Verdict::Problem { .. }));
    }

    #[test]
    fn a_directory_that_nothing_is_kept_in_need_not_be_there() {
        let key = "ab".repeat(32);
        let reading = Reading::new(|name| match name {
            "DATABASE_URL" => Some("postgres://localhost/hearback".into()),
            "HEARBACK_MASTER_KEY" => Some(key.clone().into()),
            "HEARBACK_SMTP_URL" => Some("smtp://mail.example?tls=none".into()),
            "HEARBACK_DATA_DIR" => Some("/proc/hearback".into()),
            _ => None,
        });
        assert!(matches!(&examine(&reading)[..], [Finding { verdict: Verdict::Good, .. }]));
    }
}

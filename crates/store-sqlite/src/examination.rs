//! The examination of the database file.

use crate::{Role, SqliteStore};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::Text;
use hearback_domain::Time;
use hearback_ports::examination::{Finding, StoreTime};
use hearback_ports::{Examination, StoreError};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[async_trait]
impl Examination for SqliteStore {
    async fn examine(&self) -> Result<Vec<Finding>, StoreError> {
        let doing = "examining the database file";
        let Version { version } = self.readers.read(doing, |connection| {
            diesel::sql_query("SELECT sqlite_version() AS version")
                .get_result::<Version>(connection)
        })?;
        let path = self.database.path();
        let file = std::fs::metadata(path)
            .map_err(|error| StoreError::Backend { doing, source: Box::new(error) })?;
        let mut findings = vec![Finding::good(format!(
            "the database is SQLite {version}, a file of {}",
            size(file.len())
        ))];
        findings.extend(mode(path, &file));
        findings.extend(log(std::fs::metadata(log_path(path)).map_or(0, |log| log.len())));
        findings.extend(file_system(path));
        findings.push(match file.len() {
            0..=LARGE => self.damage().await,
            _ => Finding::skipped(format!(
                "the database is larger than {}, so it was not read through: `sqlite3 {} 'PRAGMA quick_check'` does that",
                size(LARGE),
                path.display()
            )),
        });
        Ok(findings)
    }

    async fn time(&self) -> Result<StoreTime, StoreError> {
        let failed = |error| StoreError::Backend {
            doing: "asking when the database was written to",
            source: Box::new(error),
        };
        let path = self.database.path();
        let written = millis(&std::fs::metadata(path).map_err(failed)?);
        // The log exists while the database is open.
        let logged = std::fs::metadata(log_path(path)).map_or(i64::MIN, |log| millis(&log));
        Ok(StoreTime::Written(Time::from_unix_millis(written.max(logged)).unwrap_or(Time::MAX)))
    }
}

/// The size up to which a file is read through, in bytes. Reading it takes a second or two.
const LARGE: u64 = 1 << 30;

impl SqliteStore {
    /// Checks that the file is not damaged.
    async fn damage(&self) -> Finding {
        let doing = "reading the database through";
        let database = Arc::clone(&self.database);
        // SQLite compares an index of texts with its structure as the connection last read it. A
        // connection of its own has read none.
        let checking = tokio::task::spawn_blocking(move || {
            let mut connection = database.connect(Role::Copier)?;
            diesel::sql_query("PRAGMA quick_check(1)")
                .get_result::<Check>(&mut connection)
                .map_err(|error| StoreError::Backend { doing, source: Box::new(error) })
        });
        let checked = checking
            .await
            .unwrap_or_else(|error| Err(StoreError::Backend { doing, source: Box::new(error) }));
        match checked {
            Ok(Check { quick_check }) if quick_check == "ok" => {
                Finding::good("the database was read through and is not damaged")
            }
            Ok(Check { quick_check }) => damaged(&quick_check),
            Err(StoreError::Backend { source, .. }) => damaged(&source.to_string()),
            Err(_) => Finding::skipped("the database was not read through: it is busy"),
        }
    }
}

fn damaged(text: &str) -> Finding {
    Finding::problem(
        format!("the database is damaged: {}", text.replace(char::is_control, " ")),
        "stop the server, copy the file for later, and restore the newest backup; look at the disk and its cables",
    )
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = Text)]
    version: String,
}

/// The first damage, or `ok`.
#[derive(QueryableByName)]
struct Check {
    #[diesel(sql_type = Text)]
    quick_check: String,
}

/// Warns if other users have access to the file.
fn mode(path: &Path, file: &Metadata) -> Option<Finding> {
    let mode = file.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then(|| {
        let path = path.display();
        Finding::warning(
            format!("{path} is open to other users (mode {mode:04o})"),
            format!("run `chmod 600 {path}`"),
        )
    })
}

/// Warns if the log is long. SQLite empties the log after a checkpoint has copied it into the file.
/// A reader that does not end prevents that.
fn log(length: u64) -> Option<Finding> {
    (length > LONG_LOG).then(|| {
        Finding::warning(
            format!("the write-ahead log has {}", size(length)),
            "a program that reads the database without end keeps the log from being emptied: end exports and shells that hang",
        )
    })
}

/// The length of a long log, in bytes. The writer truncates the log to 64 MiB when it can. A large
/// import makes it longer for a while.
const LONG_LOG: u64 = 1 << 30;

fn log_path(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// Reports a file on a network file system, because locks do not hold there.
fn file_system(path: &Path) -> Option<Finding> {
    let name = network(kind(path).ok()?)?;
    Some(Finding::problem(
        format!(
            "the database is on a network file system ({name}), where SQLite's locks do not hold"
        ),
        "move the data directory to a disk of this machine, or use PostgreSQL",
    ))
}

/// The number of the type of a file system in Linux.
#[cfg(target_os = "linux")]
fn kind(path: &Path) -> io::Result<u64> {
    // The number is signed on some machines, and has at most 32 bits on all.
    Ok(rustix::fs::statfs(path)?.f_type as u64 & 0xffff_ffff)
}

#[cfg(not(target_os = "linux"))]
fn kind(_: &Path) -> io::Result<u64> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The name of a network file system. The numbers are from `linux/magic.h` and from the file
/// systems themselves.
fn network(kind: u64) -> Option<&'static str> {
    match kind {
        0x6969 => Some("NFS"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("SMB"),
        0x00c3_6400 => Some("Ceph"),
        0x5346_414f | 0x6b41_4653 => Some("AFS"),
        0x0bd0_0bd0 => Some("Lustre"),
        0x0102_1997 => Some("9P"),
        _ => None,
    }
}

fn millis(file: &Metadata) -> i64 {
    file.mtime().saturating_mul(1000).saturating_add(file.mtime_nsec() / 1_000_000)
}

fn size(bytes: u64) -> String {
    match bytes {
        0..0x10_0000 => format!("{} KiB", bytes.div_ceil(1 << 10)),
        0x10_0000..0x4000_0000 => format!("{} MiB", bytes >> 20),
        _ => format!("{} GiB", bytes >> 30),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_ports::Schema;
    use hearback_ports::examination::Verdict;

    #[tokio::test]
    async fn an_examined_file_is_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        assert!(SqliteStore::open_existing(&path).is_err());
        assert!(!path.exists());

        let store = SqliteStore::open(&path).unwrap();
        store.migrate().await.unwrap();
        store.close().await;
        let before =
            (std::fs::read(&path).unwrap(), std::fs::metadata(&path).unwrap().modified().unwrap());
        let store = SqliteStore::open_existing(&path).unwrap();
        let findings = store.examine().await.unwrap();
        assert!(findings.iter().all(|finding| finding.verdict == Verdict::Good), "{findings:?}");
        store.time().await.unwrap();
        store.close().await;
        drop(store);
        assert_eq!(
            (std::fs::read(&path).unwrap(), std::fs::metadata(&path).unwrap().modified().unwrap()),
            before
        );
        let names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["test.db"]);
    }

    #[tokio::test]
    async fn damage_and_access_for_others_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = SqliteStore::open(&path).unwrap();
        store.migrate().await.unwrap();
        store.close().await;
        drop(store);
        // A leaf of an index is damaged, so that the schema can still be read.
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.chunks_mut(4096).rfind(|page| page[0] == 0x0a).unwrap().fill(0xff);
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let findings = SqliteStore::open_existing(&path).unwrap().examine().await.unwrap();
        let [what, mode, damage] = &findings[..] else { panic!("{findings:?}") };
        assert!(what.what.starts_with("the database is SQLite 3."), "{what:?}");
        assert_eq!(mode.what, format!("{} is open to other users (mode 0644)", path.display()));
        assert!(damage.what.starts_with("the database is damaged: "), "{damage:?}");
        assert!(matches!(damage.verdict, Verdict::Problem { .. }));
    }

    #[test]
    fn a_long_log_is_reported() {
        assert_eq!(log(LONG_LOG), None);
        assert_eq!(log(5 << 30).unwrap().what, "the write-ahead log has 5 GiB");
    }

    #[test]
    fn network_file_systems_are_known() {
        // ext4, btrfs, xfs, tmpfs, overlayfs
        for local in [0xef53, 0x9123_683e, 0x5846_5342, 0x0102_1994, 0x794c_7630] {
            assert_eq!(network(local), None);
        }
        assert_eq!(network(0x6969), Some("NFS"));
        assert_eq!(network(0xfe53_4d42), Some("SMB"));
    }

    #[test]
    fn sizes_have_the_unit_that_fits() {
        for (bytes, told) in
            [(1, "1 KiB"), ((1 << 20) - 1, "1024 KiB"), (1 << 20, "1 MiB"), (3 << 30, "3 GiB")]
        {
            assert_eq!(size(bytes), told);
        }
    }
}

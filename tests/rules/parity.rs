//! Both stores have the same structure.

use super::root;
use std::collections::BTreeSet;
use std::path::Path;

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("reading {}: {error}", folder.display()));
    entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name in UTF-8"))
        .collect()
}

/// The files in a folder and in its subfolders, as paths relative to the folder.
fn files_within(folder: &Path) -> BTreeSet<String> {
    let files = names(folder).into_iter().flat_map(|name| {
        let path = folder.join(&name);
        if path.is_dir() {
            files_within(&path).into_iter().map(|file| format!("{name}/{file}")).collect()
        } else {
            vec![name]
        }
    });
    files.collect()
}

#[test]
fn both_stores_have_the_same_files() {
    let files = |store: &str| files_within(&root().join("crates").join(store).join("src"));
    let mut postgres = files("store-postgres");
    // A toggle is one large statement on PostgreSQL, and a few lines of `votes.rs` on SQLite.
    assert!(postgres.remove("toggle.rs"));
    // A file is on one machine, and takes all statements of a migration at once.
    assert!(postgres.remove("citus.rs"));
    assert!(postgres.remove("migrations.rs"));
    // A file has no replica and no encrypted connections.
    assert!(postgres.remove("tls.rs"));
    for file in ["mod.rs", "proof.rs", "standby.rs"] {
        assert!(postgres.remove(&format!("replica/{file}")));
    }
    // Readers share a connection to a server, and a locked table must not hold all of them up.
    for file in ["locks.rs", "reader.rs", "slots.rs"] {
        assert!(postgres.remove(file));
    }
    // PostgreSQL's statements need their text before the look-up of a prepared one. SQLite's are
    // looked up first.
    assert!(postgres.remove("known_text.rs"));
    // A database server brings tools for backups. A file does not.
    let mut sqlite = files("store-sqlite");
    assert!(sqlite.remove("backup.rs"));
    // A file has one writer, for which long changes are made in parts.
    assert!(sqlite.remove("moves.rs"));
    // A file has no statistics, by which a server plans.
    assert!(sqlite.remove("post_access.rs"));
    // PostgreSQL's index takes single texts cheaply.
    assert!(sqlite.remove("post_search.rs"));
    assert_eq!(postgres, sqlite);
}

#[test]
fn both_stores_have_the_same_migrations_with_a_way_up_and_a_way_down() {
    let migrations = |store: &str| names(&root().join("migrations").join(store));
    let shared = migrations("postgres");
    assert_eq!(shared, migrations("sqlite"));
    assert!(!shared.is_empty());
    for store in ["postgres", "sqlite"] {
        for migration in &shared {
            let files = names(&root().join("migrations").join(store).join(migration));
            assert_eq!(
                files,
                BTreeSet::from(["down.sql".to_owned(), "up.sql".to_owned()]),
                "{store}/{migration}"
            );
        }
    }
}

//! The suite runs every case that it has, and partitions the tables of the partitioned database.

use super::root;
use hearback_tests::postgres::{PARTITIONS, partitioned};
use std::fs;

/// The names of all cases in a file of the suite.
fn cases(file: &str) -> Vec<String> {
    // A function that borrows the stage is a part of cases.
    let name = |line: &str| {
        let (name, parameters) = line.strip_prefix("pub async fn ")?.split_once('(')?;
        (!parameters.starts_with("stage: &")).then(|| name.to_owned())
    };
    file.lines().filter_map(name).collect()
}

#[test]
fn every_case_is_run() {
    let folder = root().join("tests/src/conformance");
    let list = fs::read_to_string(folder.join("mod.rs")).expect("the list of cases");
    for file in fs::read_dir(&folder).expect("the folder of cases") {
        let path = file.expect("an entry").path();
        let port = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        if port == "mod" {
            continue;
        }
        let cases = cases(&fs::read_to_string(path).expect("a file of cases"));
        assert!(!cases.is_empty(), "{port} has no case");
        let (_, listed) = list
            .split_once(&format!("            {port} {{"))
            .unwrap_or_else(|| panic!("{port} is not run"));
        let (listed, _) = listed.split_once('}').expect("the end of a list");
        let listed: Vec<&str> =
            listed.split(',').map(str::trim).filter(|case| !case.is_empty()).collect();
        assert_eq!(listed, cases, "the cases of {port}, in the order of the file");
    }
}

#[test]
fn tables_are_partitioned_unless_they_are_not_spread() {
    let up = "-- not spread: it is small\nCREATE TABLE a (\n    id uuid\n);\n\n-- Rows.\nCREATE TABLE b (\n    id uuid\n);\n";
    let sql = partitioned(up);
    assert!(sql.contains("CREATE TABLE a (\n    id uuid\n);\n"));
    assert!(sql.contains(
        "CREATE TABLE b (\n    id uuid\n) PARTITION BY HASH (organization_id);\nCREATE TABLE b_p0 PARTITION OF b "
    ));
    assert_eq!(sql.matches("PARTITION OF").count(), PARTITIONS);
    let stored = partitioned("ALTER TABLE b SET (fillfactor = 50);\n");
    assert!(stored.starts_with(
        "ALTER TABLE b_p0 SET (fillfactor = 50);\nALTER TABLE b_p1 SET (fillfactor = 50);\n"
    ));
}

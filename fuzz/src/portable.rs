//! Files of the portable format.

use crate::{block_on, mocks, vault};
use hearback_app::portable::{ImportError, Secrets, export, import};
use hearback_in_memory_store::MemoryStore;
use hearback_ports::Ports;
use hearback_ports::import::Ending;
use std::io::Cursor;
use std::sync::Arc;

/// Imports a file into a store in memory.
///
/// - A file that is refused is refused for a line.
/// - The export of an organization is imported elsewhere, whose export is the same.
pub fn portable(data: &[u8]) {
    block_on(async {
        let here = store();
        match read(&here, data.to_vec()).await {
            Ok(()) => {}
            Err(ImportError::Line { .. }) => return,
            Err(error) => panic!("{error:?}"),
        }
        for organization in here.organizations.list().await.expect("the organizations") {
            let slug = organization.slug.as_str();
            let file = written(&here, slug).await;
            let there = store();
            if let Err(error) = read(&there, file.clone()).await {
                panic!("{error} in {}", String::from_utf8_lossy(&file));
            }
            let again = written(&there, slug).await;
            assert_eq!(String::from_utf8(again), String::from_utf8(file));
        }
    });
}

fn store() -> Ports {
    let Ports { alarm, clock, ids, .. } = mocks().ports();
    MemoryStore::new(clock).ports(ids, alarm)
}

async fn read(ports: &Ports, file: Vec<u8>) -> Result<(), ImportError> {
    let vault = Arc::new(vault());
    import(ports, vault, Cursor::new(file), Ending::Commit, |_| {}).await.map(|_| ())
}

async fn written(ports: &Ports, slug: &str) -> Vec<u8> {
    let mut file = Vec::new();
    export(ports, &vault(), slug, Secrets::Write, &mut file).await.expect("an export");
    file
}

//! The installation that commands work on: the store with its schema up to date and its vault
//! unlocked.

use crate::alarm::ProcessAlarm;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::data_dir::{self, DataDirError};
use crate::ids::UuidIds;
use crate::master_key::{MasterKeyError, MasterKeySource, UnlockError};
use crate::store::{OpenError, Store, StoreUrl};
use hearback_app::Vault;
use hearback_ports::schema::SchemaState;
use hearback_ports::{Ports, StoreError};
use std::path::Path;
use std::sync::Arc;

/// The store, ready for use.
pub struct Installation {
    /// The store.
    pub store: Store,
    /// The ports of use cases.
    pub ports: Ports,
    /// Seals and opens secrets.
    pub vault: Arc<Vault>,
}

/// The treatment of an old schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Migration {
    /// Bring it up to date.
    Allowed,
    /// Leave it, and fail.
    Forbidden,
}

/// The store, its schema or its vault is not fit for use.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// There is no directory for the store.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// There is no master key.
    #[error(transparent)]
    MasterKey(#[from] MasterKeyError),
    /// The store could not be opened.
    #[error("cannot open the store {store} (DATABASE_URL)")]
    Open {
        /// The store, without secrets.
        store: StoreUrl,
        /// Why.
        source: OpenError,
    },
    /// The schema is old, and migration is forbidden.
    #[error(
        "the schema of the store {store} is not up to date: run `hearback migrate`, or omit \
         --no-migrate"
    )]
    OldSchema {
        /// The store, without secrets.
        store: StoreUrl,
    },
    /// The schema is that of a newer release.
    #[error("the store {store} was written by a newer release of hearback: use that release")]
    NewerSchema {
        /// The store, without secrets.
        store: StoreUrl,
    },
    /// The schema could not be read or brought up to date.
    #[error("cannot migrate the schema")]
    Schema(#[source] StoreError),
    /// The master key is missing or does not fit.
    #[error(transparent)]
    Unlock(#[from] UnlockError),
}

impl Installation {
    /// Opens the store of the settings, and makes missing parts: the data directory, the embedded
    /// store's file, the schema, the master key.
    pub async fn open(config: &Config, migration: Migration) -> Result<Self, SetUpError> {
        // Nothing is opened or made without a master key.
        Self::open_with(config, migration, &MasterKeySource::new(config)?).await
    }

    /// [`Installation::open`] with another master key.
    pub(crate) async fn open_with(
        config: &Config,
        migration: Migration,
        master_key: &MasterKeySource<'_>,
    ) -> Result<Self, SetUpError> {
        if let StoreUrl::Sqlite(path) = &config.store
            && data_dir::is_same(data_dir::parent(path), &config.data_dir)
        {
            data_dir::make(&config.data_dir)?;
        }
        Self::open_at(config, &config.store, &config.store, migration, master_key).await
    }

    /// Opens a copy of a backup of the embedded store, with the existing master key. A new key
    /// could not fit the backup. Errors name the backup.
    pub async fn open_copy(
        config: &Config,
        migration: Migration,
        copy: &Path,
        backup: &Path,
    ) -> Result<Self, SetUpError> {
        let master_key = MasterKeySource::new(config)?;
        master_key.require()?;
        let [copy, backup] = [copy, backup].map(|path| StoreUrl::Sqlite(path.to_owned()));
        Self::open_at(config, &copy, &backup, migration, &master_key).await
    }

    /// Opens a store with the other settings. Errors call it `name`.
    async fn open_at(
        config: &Config,
        url: &StoreUrl,
        name: &StoreUrl,
        migration: Migration,
        master_key: &MasterKeySource<'_>,
    ) -> Result<Self, SetUpError> {
        let store = Store::open(url, config.connections()).await;
        let store = store.map_err(|source| SetUpError::Open { store: name.clone(), source })?;
        let opened = Self::set_up(&store, name, migration, master_key).await;
        if opened.is_err() {
            store.close().await;
        }
        let Self { store, ports, vault } = opened?;
        let ports = Ports { erase_after: config.erase_after, ..ports };
        Ok(Self { store, ports, vault })
    }

    /// Closes the store after the writes that it has begun.
    pub async fn close(self) {
        self.store.close().await;
    }

    async fn set_up(
        store: &Store,
        name: &StoreUrl,
        migration: Migration,
        master_key: &MasterKeySource<'_>,
    ) -> Result<Self, SetUpError> {
        match (store.schema_state().await.map_err(SetUpError::Schema)?, migration) {
            (SchemaState::Current, _) => {}
            (SchemaState::Old, Migration::Allowed) => {
                store.migrate().await.map_err(SetUpError::Schema)?;
                tracing::info!(store = %name, "migrated the schema");
            }
            (SchemaState::Old, Migration::Forbidden) => {
                return Err(SetUpError::OldSchema { store: name.clone() });
            }
            (SchemaState::Newer, _) => return Err(SetUpError::NewerSchema { store: name.clone() }),
        }
        let ports = store.ports(
            Arc::new(SystemClock),
            Arc::new(UuidIds),
            Arc::new(ProcessAlarm::default()),
        );
        let vault = Arc::new(master_key.unlock(&*ports.instance).await?);
        Ok(Self { store: store.clone(), ports, vault })
    }
}

//! The key of a database encrypted at rest.

use crate::error::{Result, StoreError};
use rusqlite::Connection;
use std::fmt;
use std::path::Path;

/// Secret with which SQLCipher encrypts a database; never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct EncryptionKey(String);

impl EncryptionKey {
    /// Takes the passphrase as it was configured.
    pub fn new(passphrase: impl Into<String>) -> Self {
        Self(passphrase.into())
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EncryptionKey(…)")
    }
}

/// Refuses a key that this build cannot honour, before anything is written unencrypted.
pub(crate) fn check_supported(path: &Path, key: Option<&EncryptionKey>) -> Result<()> {
    match key {
        Some(_) if !cfg!(feature = "sqlcipher") => {
            Err(StoreError::NoEncryption { path: path.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Hands the key to a fresh connection; must be the first thing said to it.
pub(crate) fn unlock(connection: &Connection, key: Option<&EncryptionKey>) -> rusqlite::Result<()> {
    let Some(EncryptionKey(passphrase)) = key else {
        return Ok(());
    };
    // SQLCipher would write its own lines about a wrong key to the terminal.
    connection.execute_batch("PRAGMA cipher_log_level = NONE")?;
    connection.pragma_update(None, "key", passphrase)
}

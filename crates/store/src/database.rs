//! One SQLite file: opened, brought to the current version, read and written in transactions.

use crate::encryption::{self, EncryptionKey};
use crate::error::{Result, StoreError};
use crate::quarantine;
use contextd_model::Problem;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Length at which the log is moved into the file and cut.
const LOG_BYTES: i64 = 16 << 20;
/// Length up to which the log is left when the file is closed: the next opening reads it through.
const KEPT_LOG_BYTES: u64 = 256 << 10;
/// Most memory for pages: a first run adds to indexes in no order, and what does not fit is read again.
const CACHE_KIB: i64 = 8 << 10;
/// Where the header says by which version a file may be written and read, and what it says of one that has a log.
const FILE_VERSIONS: std::ops::Range<usize> = 18..20;
const WITH_LOG: u8 = 2;

/// How a database is opened.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Key of encryption at rest; refused when the feature `sqlcipher` is off.
    pub key: Option<EncryptionKey>,
    /// Reads every page first, which takes as long as reading the file.
    pub verify: bool,
    /// Much is about to be written: a file that is made now gets large pages.
    pub much: bool,
}

/// What a database file is meant to hold.
pub(crate) struct Schema {
    pub application_id: i32,
    pub page_size: u32,
    /// Size of pages where much is to be written.
    pub large_page_size: u32,
    pub incremental_vacuum: bool,
    pub busy_timeout_ms: u64,
    /// All tables as the steps leave them, as SQL: a new file is made by it in one go.
    pub tables: &'static str,
    /// One step a version, as SQL; a database of version `n` has had the first `n` steps.
    pub migrations: &'static [&'static str],
}

impl Schema {
    fn version(&self) -> i64 {
        self.migrations.len() as i64
    }
}

/// An open database with its path, which errors name.
pub(crate) struct Database {
    path: PathBuf,
    connection: Connection,
    /// Which file the path named when it was opened; somebody else may move it aside later.
    identity: u64,
    /// Damage found from here on is marked for the next opening; opening itself repairs at once.
    in_use: bool,
}

impl Database {
    /// Opens `path`, creating or migrating it as needed; a damaged file is moved aside and reported.
    pub fn open(
        path: &Path,
        schema: &Schema,
        options: &OpenOptions,
    ) -> Result<(Self, Vec<Problem>)> {
        encryption::check_supported(path, options.key.as_ref())?;
        if !quarantine::is_marked(path) {
            match Self::open_ready(path, schema, options) {
                Ok(Some(database)) => return Ok((database.into_use(), Vec::new())),
                Ok(None) | Err(StoreError::Corrupt { .. }) => {}
                // Who may not write beside the file cannot share its log, but can read the file.
                Err(error @ StoreError::ReadOnly { .. }) => {
                    return Self::open_unchanging(path, schema, options)
                        .map(|database| (database.into_use(), Vec::new()))
                        .map_err(|_| error);
                }
                Err(error) => return Err(error),
            }
        }
        Self::set_up(path, schema, options)
    }

    /// Opens a file that this process cannot change, as if nobody did.
    fn open_unchanging(path: &Path, schema: &Schema, options: &OpenOptions) -> Result<Self> {
        let plain = path
            .to_str()
            .ok_or_else(|| StoreError::io(path, std::io::ErrorKind::InvalidFilename.into()))?;
        let escaped: String = plain
            .chars()
            .map(|c| {
                if matches!(c, '%' | '?' | '#') {
                    format!("%{:02x}", c as u32)
                } else {
                    c.to_string()
                }
            })
            .collect();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connect = || -> Result<Connection> {
            let connection =
                Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)?;
            encryption::unlock(&connection, options.key.as_ref())?;
            if checked_version(&connection, path, schema)? < schema.version() {
                return Err(StoreError::io(path, std::io::ErrorKind::PermissionDenied.into()));
            }
            Ok(connection)
        };
        let connection = connect().map_err(|error| error.at(path))?;
        Ok(Self {
            path: path.to_owned(),
            connection,
            identity: quarantine::identity(path),
            in_use: false,
        })
    }

    /// Opens a database that lives in memory and vanishes with it.
    pub fn in_memory(schema: &Schema) -> Result<Self> {
        Self::made_in_memory(schema, false)
    }

    fn made_in_memory(schema: &Schema, much: bool) -> Result<Self> {
        let path = PathBuf::from(":memory:");
        let mut database =
            Self { path, connection: Connection::open_in_memory()?, identity: 0, in_use: false };
        configure(&database.connection, schema, much)?;
        database.migrate(schema)?;
        Ok(database)
    }

    /// Opens a further connection that only reads.
    pub fn open_reader(path: &Path, schema: &Schema, key: Option<&EncryptionKey>) -> Result<Self> {
        let database = Self::connect(path, schema, key)?;
        database.read(|connection| Ok(connection.pragma_update(None, "query_only", true)?))?;
        Ok(database.into_use())
    }

    /// Runs a read; several statements see one state only inside [`Database::read_once`].
    pub fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.name_fault(work(&self.connection))
    }

    /// Runs several reads on one state of the database.
    pub fn read_once<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let run = || {
            let transaction = self.connection.unchecked_transaction()?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        self.name_fault(run())
    }

    /// Runs a change as one transaction: it happens whole or not at all.
    ///
    /// The lock is taken at the start, so that two writers queue up instead of failing half-way.
    pub fn write<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let run = || {
            let transaction =
                self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        let result = run();
        self.name_fault(result)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the bytes of the file and its log on disk.
    pub fn size_bytes(&self) -> u64 {
        ["", "-wal", "-shm"]
            .iter()
            .filter_map(|suffix| std::fs::metadata(quarantine::beside(&self.path, suffix)).ok())
            .map(|metadata| metadata.len())
            .sum()
    }

    /// Moves the log into the file and shortens it. When a reader is in the way, the log stays.
    pub fn checkpoint(&self) -> Result<()> {
        self.read(|connection| {
            Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
        })
    }

    /// Returns what SQLite's own check finds wrong, at most ten findings.
    pub fn check(&self) -> Result<Vec<String>> {
        self.read(|connection| {
            let mut statement = connection.prepare("PRAGMA quick_check(10)")?;
            let findings = statement.query_map([], |row| row.get::<_, String>(0))?;
            let findings: Vec<String> = findings.collect::<rusqlite::Result<_>>()?;
            Ok(findings.into_iter().filter(|finding| finding != "ok").collect())
        })
    }

    /// Returns the database when nothing needs to be set up, without taking a lock.
    fn open_ready(path: &Path, schema: &Schema, options: &OpenOptions) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let database = Self::connect(path, schema, options.key.as_ref())?;
        let ready = database.read(|connection| {
            let journal: String =
                connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
            let version = checked_version(connection, path, schema)?;
            Ok(journal == "wal" && version == schema.version())
        });
        let ready = ready.map_err(|error| suspect_key(error, options.key.as_ref()))?;
        if !ready {
            return Ok(None);
        }
        database.limit_log()?;
        database.probe(options.verify)?;
        Ok(Some(database))
    }

    /// Creates or migrates the file; other processes wait meanwhile.
    fn set_up(path: &Path, schema: &Schema, options: &OpenOptions) -> Result<(Self, Vec<Problem>)> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|source| StoreError::io(folder, source))?;
        }
        let _lock = quarantine::lock(path)?;
        let mut problems = Vec::new();
        if quarantine::is_marked(path) {
            problems.push(quarantine::move_aside(path, "found while it was used")?);
        }
        quarantine::unmark(path)?;
        match Self::prepare(path, schema, options) {
            Err(StoreError::Corrupt { source, .. }) => {
                problems.push(quarantine::move_aside(path, &source.to_string())?);
            }
            prepared => return Ok((prepared?.into_use(), problems)),
        }
        Ok((Self::prepare(path, schema, options)?.into_use(), problems))
    }

    fn prepare(path: &Path, schema: &Schema, options: &OpenOptions) -> Result<Self> {
        if let Some(database) = Self::open_ready(path, schema, options)? {
            return Ok(database);
        }
        let is_laid = options.key.is_none() && Self::lay(path, schema, options.much)?;
        let mut database = Self::connect(path, schema, options.key.as_ref())?;
        if is_laid {
            database.limit_log()?;
            return Ok(database);
        }
        database.read(|connection| configure(connection, schema, options.much))?;
        database.limit_log()?;
        let version = database.migrate(schema)?;
        // Tables that were made just now are not damaged.
        if version > 0 {
            database.probe(options.verify)?;
        }
        Ok(database)
    }

    /// Puts a new file with its tables in place where nothing lies yet, as one that is made in memory: page by page it
    /// would go through a journal and the log first, and wait for the disk. Returns whether it did.
    fn lay(path: &Path, schema: &Schema, much: bool) -> Result<bool> {
        // A log that was left would be taken for one of the new file.
        if ["", "-wal", "-journal"].iter().any(|suffix| quarantine::beside(path, suffix).exists()) {
            return Ok(false);
        }
        let mut made = Self::made_in_memory(schema, much)?;
        let mut image = made.connection.serialize(MAIN_DB)?.to_vec();
        if let Some(versions) = image.get_mut(FILE_VERSIONS) {
            versions.fill(WITH_LOG);
        }
        let draft = quarantine::beside(path, ".new");
        let put = || {
            std::fs::write(&draft, &image)?;
            std::fs::rename(&draft, path)
        };
        put().map_err(|source| {
            let _ = std::fs::remove_file(&draft);
            StoreError::io(path, source)
        })?;
        Ok(true)
    }

    fn into_use(mut self) -> Self {
        self.in_use = true;
        self
    }

    fn connect(path: &Path, schema: &Schema, key: Option<&EncryptionKey>) -> Result<Self> {
        let connect = || -> Result<Connection> {
            // Not the default flags: they would take a path that begins with `file:` for a URI.
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(path, flags)?;
            encryption::unlock(&connection, key)?;
            connection.busy_timeout(Duration::from_millis(schema.busy_timeout_ms))?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
            connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
            connection.set_prepared_statement_cache_capacity(64);
            Ok(connection)
        };
        let connection = connect().map_err(|error| suspect_key(error.at(path), key))?;
        Ok(Self {
            path: path.to_owned(),
            connection,
            identity: quarantine::identity(path),
            in_use: false,
        })
    }

    /// Has the log moved into the file when it is long; its length is counted in pages.
    fn limit_log(&self) -> Result<()> {
        self.read(|connection| {
            let page_size: i64 =
                connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
            Ok(connection.pragma_update(None, "wal_autocheckpoint", LOG_BYTES / page_size)?)
        })
    }

    /// Makes the tables, or runs the steps that are missing, in one transaction; returns the version from before.
    fn migrate(&mut self, schema: &Schema) -> Result<i64> {
        let path = self.path.clone();
        self.write(|transaction| {
            let version = checked_version(transaction, &path, schema)?;
            if version == 0 {
                transaction.execute_batch(schema.tables)?;
            } else {
                for migration in &schema.migrations[version as usize..] {
                    transaction.execute_batch(migration)?;
                }
            }
            transaction.pragma_update(None, "application_id", schema.application_id)?;
            transaction.pragma_update(None, "user_version", schema.version())?;
            Ok(version)
        })
    }

    /// Looks at the first row of every table, which finds a file cut short; `verify` reads all pages.
    fn probe(&self, verify: bool) -> Result<()> {
        self.read(|connection| {
            let mut names =
                connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
            let names: Vec<String> =
                names.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            for name in names {
                let mut first = connection.prepare(&format!("SELECT 1 FROM \"{name}\" LIMIT 1"))?;
                first.exists([])?;
            }
            Ok(())
        })?;
        if verify && let Some(finding) = self.check()?.into_iter().next() {
            let source = rusqlite::Error::SqliteFailure(
                rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
                Some(finding),
            );
            return Err(StoreError::Corrupt { path: self.path.clone(), source });
        }
        Ok(())
    }

    /// Adds the path to an error; damage is marked, so that the next opening repairs it.
    fn name_fault<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| {
            let error = error.at(&self.path);
            if self.in_use && matches!(error, StoreError::Corrupt { .. }) {
                quarantine::mark(&self.path, self.identity);
            }
            error
        })
    }
}

impl Drop for Database {
    /// Leaves a short log for the next connection: to move it into the file waits for the disk four times, which a
    /// question that notes one row would pay every time. A log that outweighs its file is no short one.
    fn drop(&mut self) {
        let bytes = |suffix| {
            std::fs::metadata(quarantine::beside(&self.path, suffix)).map_or(0, |data| data.len())
        };
        let is_short = bytes("-wal") <= KEPT_LOG_BYTES.min(bytes(""));
        // Where it cannot be set the log is moved as ever.
        let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_short);
    }
}

/// The first page of an encrypted file does not tell damage from a wrong key: the file is left alone.
fn suspect_key(error: StoreError, key: Option<&EncryptionKey>) -> StoreError {
    match error {
        StoreError::Corrupt { path, .. } if key.is_some() => StoreError::WrongKey { path },
        error => error,
    }
}

/// Sets what lasts in the file itself; page size and vacuum mode only take on an empty file.
fn configure(connection: &Connection, schema: &Schema, much: bool) -> Result<()> {
    let page_size = if much { schema.large_page_size } else { schema.page_size };
    connection.pragma_update(None, "page_size", page_size)?;
    if schema.incremental_vacuum {
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    Ok(())
}

/// Returns the version of the file, refusing what this program must not touch.
fn checked_version(connection: &Connection, path: &Path, schema: &Schema) -> Result<i64> {
    let application: i32 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let ours = application == schema.application_id || (application == 0 && tables == 0);
    if !ours || found < 0 {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    if found > schema.version() {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            supported: schema.version(),
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migrations::LEDGER;

    #[test]
    fn a_file_that_cannot_be_changed_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("odd?name#of %20.db");
        let (mut database, _) =
            Database::open(&path, &LEDGER, &OpenOptions::default()).expect("opens");
        let put = |database: &mut Database| {
            database.write(|connection| {
                Ok(connection.execute("INSERT INTO meta VALUES ('a', 'b')", [])?)
            })
        };
        put(&mut database).expect("writes");
        database.checkpoint().expect("moves the log");
        drop(database);
        let mut database =
            Database::open_unchanging(&path, &LEDGER, &OpenOptions::default()).expect("opens");
        let value: String = database
            .read(|connection| {
                Ok(connection
                    .query_row("SELECT value FROM meta WHERE key = 'a'", [], |row| row.get(0))?)
            })
            .expect("reads");
        assert_eq!(value, "b");
        assert!(matches!(put(&mut database), Err(StoreError::ReadOnly { .. })));
    }
}

//! The steps from the first tables to the current ones: one entry a version, never edited afterwards; and the current
//! tables as one text, for a new file.

use crate::database::Schema;

/// Tables of the ledger.
pub(crate) const LEDGER: Schema = Schema {
    application_id: i32::from_be_bytes(*b"ctxL"),
    // Every table and index takes a page, most of them empty: with pages of 4 KB these were a tenth of a
    // small repository's index. Where there are many rows each page is written two or three times, and small ones take
    // four times as many calls of the system.
    page_size: 1024,
    large_page_size: 4096,
    incremental_vacuum: false,
    busy_timeout_ms: 10_000,
    tables: include_str!("migrations/ledger_new.sql"),
    migrations: &[
        include_str!("migrations/ledger_1.sql"),
        include_str!("migrations/ledger_2.sql"),
        include_str!("migrations/ledger_3.sql"),
        include_str!("migrations/ledger_4.sql"),
        include_str!("migrations/ledger_5.sql"),
        include_str!("migrations/ledger_6.sql"),
    ],
};

/// Tables of the facts cache. On blobs of 2 to 4 KB, pages of 64 KB waste 5 % of the file, those of
/// 16 KB 13 %, those of 4 KB 35 %; on the sizes of a real tree 10, 17 and 19 %.
pub(crate) const FACTS: Schema = Schema {
    application_id: i32::from_be_bytes(*b"ctxF"),
    page_size: 65_536,
    large_page_size: 65_536,
    incremental_vacuum: true,
    busy_timeout_ms: 30_000,
    tables: include_str!("migrations/facts_1.sql"),
    migrations: &[include_str!("migrations/facts_1.sql")],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::{Database, OpenOptions};
    use contextd_model::{ChunkKind, EdgeKind};
    use rusqlite::Connection;
    use std::path::Path;

    /// Makes the file that a program of that version would have left.
    fn file_of_version(path: &Path, schema: &Schema, version: usize) {
        let connection = Connection::open(path).expect("creates");
        for migration in &schema.migrations[..version] {
            connection.execute_batch(migration).expect("runs");
        }
        if version > 0 {
            connection.pragma_update(None, "application_id", schema.application_id).expect("sets");
            connection.pragma_update(None, "user_version", version as i64).expect("sets");
        }
    }

    fn tables(connection: &Connection) -> Vec<String> {
        let mut statement = connection
            .prepare("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name")
            .expect("prepares");
        statement
            .query_map([], |row| row.get(0))
            .expect("runs")
            .map(|row| row.expect("reads"))
            .collect()
    }

    fn check_every_version(schema: &Schema, sample: &str, count: &str) {
        let folder = tempfile::tempdir().expect("creates");
        let fresh = Database::in_memory(schema).expect("opens");
        let expected = fresh.read(|connection| Ok(tables(connection))).expect("reads");
        for version in 0..=schema.migrations.len() {
            let path = folder.path().join(format!("{version}.db"));
            file_of_version(&path, schema, version);
            if version > 0 {
                Connection::open(&path).expect("opens").execute_batch(sample).expect("inserts");
            }
            let (database, problems) =
                Database::open(&path, schema, &OpenOptions::default()).expect("opens");
            assert_eq!(problems, []);
            database
                .read(|connection| {
                    assert_eq!(tables(connection), expected, "from version {version}");
                    let rows: i64 = connection.query_row(count, [], |row| row.get(0))?;
                    assert_eq!(rows, i64::from(version > 0), "from version {version}");
                    let now: i64 =
                        connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
                    assert_eq!(now as usize, schema.migrations.len());
                    Ok(())
                })
                .expect("reads");
        }
    }

    #[test]
    fn every_earlier_version_becomes_the_current_one_and_keeps_its_rows() {
        let sample = "INSERT INTO bootstrap_errors (file_path, error_type, error_message, occurred_at) VALUES ('a', 'b', 'c', 1)";
        check_every_version(&LEDGER, sample, "SELECT count(*) FROM bootstrap_errors");
        let sample = "INSERT INTO entries VALUES (x'00', 1, 1, 1)";
        check_every_version(&FACTS, sample, "SELECT count(*) FROM entries");
    }

    #[test]
    fn kinds_have_the_same_names_in_sql() {
        let database = Database::in_memory(&LEDGER).expect("opens");
        database
            .read(|connection| {
                for kind in ChunkKind::ALL {
                    let sql = "INSERT INTO chunks (chunk_id, kind_id, \"start\", \"end\", start_line, end_line, tokens_est, hash)
                               VALUES (?1, ?1, 0, 0, 1, 1, 0, x'') RETURNING kind";
                    let name: Option<String> = connection.query_row(sql, [*kind as u8], |row| row.get(0))?;
                    assert_eq!(name.as_deref(), Some(kind.name()), "add a migration that knows the new kind");
                }
                for kind in EdgeKind::ALL {
                    let sql = "INSERT INTO links (source_file, target_file, kind_id, source_chunk, target_chunk, count)
                               VALUES (1, 1, ?1, 0, 0, 1) RETURNING kind";
                    let name: Option<String> = connection.query_row(sql, [*kind as u8], |row| row.get(0))?;
                    assert_eq!(name.as_deref(), Some(kind.name()), "add a migration that knows the new kind");
                }
                Ok(())
            })
            .expect("reads");
    }
}

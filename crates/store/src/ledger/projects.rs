//! `project_config`: the boundaries a project was indexed with, every change kept.

use super::json::{JsonList, JsonStrings};
use crate::error::Result;
use contextd_model::ContentHash;
use rusqlite::types::FromSqlError;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// The settings that decide which files belong to a project.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectConfig {
    /// Name of the project, empty for the only one.
    pub project: String,
    pub watch_paths: Vec<String>,
    pub ignore_patterns: Vec<String>,
    pub allowed_extensions: Vec<String>,
    pub blocked_extensions: Vec<String>,
    pub max_file_size_mb: f64,
    pub follow_symlinks: bool,
    /// Hash of every setting that affects the index, those above and others.
    pub fingerprint: ContentHash,
}

pub(crate) fn set(connection: &Connection, config: &ProjectConfig, now: i64) -> Result<bool> {
    if get(connection, &config.project)?.as_ref() == Some(config) {
        connection
            .prepare_cached(
                "UPDATE project_config SET updated_at = ?2
                 WHERE config_id = (SELECT max(config_id) FROM project_config WHERE project = ?1)",
            )?
            .execute(params![config.project, now])?;
        return Ok(false);
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO project_config (project, watch_paths, ignore_patterns, allowed_extensions, blocked_extensions,
             max_file_size_mb, follow_symlinks, fingerprint, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)",
    )?;
    statement.execute(params![
        config.project,
        JsonList(&config.watch_paths),
        JsonList(&config.ignore_patterns),
        JsonList(&config.allowed_extensions),
        JsonList(&config.blocked_extensions),
        config.max_file_size_mb,
        config.follow_symlinks,
        config.fingerprint.0,
        now,
    ])?;
    Ok(true)
}

pub(crate) fn get(connection: &Connection, project: &str) -> Result<Option<ProjectConfig>> {
    let mut statement = connection.prepare_cached(
        "SELECT project, watch_paths, ignore_patterns, allowed_extensions, blocked_extensions, max_file_size_mb,
             follow_symlinks, fingerprint FROM project_config WHERE project = ?1 ORDER BY config_id DESC LIMIT 1",
    )?;
    Ok(statement.query_row([project], from_row).optional()?)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<ProjectConfig> {
    let list = |column| row.get::<_, JsonStrings>(column).map(|list| list.0);
    let hash = row.get_ref(7)?.as_blob()?;
    let hash = <[u8; 32]>::try_from(hash)
        .map_err(|_| FromSqlError::InvalidBlobSize { expected_size: 32, blob_size: hash.len() })?;
    Ok(ProjectConfig {
        project: row.get(0)?,
        watch_paths: list(1)?,
        ignore_patterns: list(2)?,
        allowed_extensions: list(3)?,
        blocked_extensions: list(4)?,
        max_file_size_mb: row.get(5)?,
        follow_symlinks: row.get(6)?,
        fingerprint: ContentHash(hash),
    })
}

//! Lists of strings as JSON arrays in one column, so that SQLite's `json_each` can read them.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Result, ToSql};

/// A list on its way into a column.
pub(crate) struct JsonList<'a>(pub &'a [String]);

impl ToSql for JsonList<'_> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        let text = serde_json::to_string(self.0)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        Ok(ToSqlOutput::from(text))
    }
}

/// A list read from a column.
pub(crate) struct JsonStrings(pub Vec<String>);

impl FromSql for JsonStrings {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?)
            .map(Self)
            .map_err(|error| FromSqlError::Other(error.into()))
    }
}

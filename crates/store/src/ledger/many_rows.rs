//! Inserting many rows: a statement that takes several at once is set up a part as often, which is half of what a small
//! row costs.

use crate::error::Result;
use rusqlite::{CachedStatement, Connection, ToSql};

/// Rows in one statement.
const TOGETHER: usize = 16;

/// The columns of a row that is being bound.
pub(crate) struct Columns<'s, 'c> {
    statement: &'s mut CachedStatement<'c>,
    bound: usize,
}

impl Columns<'_, '_> {
    /// Binds the next column.
    pub fn next(&mut self, value: impl ToSql) -> rusqlite::Result<()> {
        self.bound += 1;
        self.statement.raw_bind_parameter(self.bound, value)
    }
}

/// Inserts rows of `width` columns: `into` is the statement up to its values, `after` what follows them, and `bind` gives
/// a row's columns in order.
pub(crate) fn insert<R>(
    connection: &Connection,
    into: &str,
    width: usize,
    after: &str,
    rows: &[R],
    bind: impl Fn(&R, &mut Columns<'_, '_>) -> rusqlite::Result<()>,
) -> Result<()> {
    let row = format!("({})", vec!["?"; width].join(", "));
    let statement = |rows: usize| {
        connection.prepare_cached(&format!(
            "{into} VALUES {} {after}",
            vec![row.as_str(); rows].join(", ")
        ))
    };
    let (groups, rest) = rows.as_chunks::<TOGETHER>();
    let insert_each = |statement: &mut CachedStatement<'_>,
                       groups: &mut dyn Iterator<Item = &[R]>|
     -> Result<()> {
        for group in groups {
            let mut columns = Columns { statement, bound: 0 };
            group.iter().try_for_each(|row| bind(row, &mut columns))?;
            statement.raw_execute()?;
        }
        Ok(())
    };
    if !groups.is_empty() {
        insert_each(&mut statement(TOGETHER)?, &mut groups.iter().map(<[R; TOGETHER]>::as_slice))?;
    }
    if !rest.is_empty() {
        insert_each(&mut statement(1)?, &mut rest.iter().map(std::slice::from_ref))?;
    }
    Ok(())
}

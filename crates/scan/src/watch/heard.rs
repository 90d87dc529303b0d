//! What a source of events tells, in one form for all systems.

use std::ffi::OsString;

/// What happened to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Appeared,
    /// Removed or moved away; something else may be there by now.
    Left {
        was_folder: bool,
    },
    Written,
    Attributes,
}

/// One thing that was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Something happened to a path, relative and with `/`; the root is empty.
    Path(String, Kind),
    /// Events were dropped.
    Lost,
    /// Another process put a question of this name.
    Asked(OsString),
}

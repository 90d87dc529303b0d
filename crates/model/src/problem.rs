//! What went wrong, where, and what to do about it.

use std::fmt;

/// How bad a [`Problem`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Info,
    Warning,
    Error,
}

/// One thing that is wrong with the user's files or configuration, with its remedy.
///
/// Broken input is data: functions return `(T, Vec<Problem>)` and go on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Stable code, such as `CTX_E_CONFIG_TYPE`.
    pub code: &'static str,
    pub severity: Severity,
    /// File the problem is in, relative to the root where there is one.
    pub path: Option<String>,
    /// One-based line, where there is one.
    pub line: Option<u32>,
    /// What is wrong, as one sentence.
    pub message: String,
    /// What to do next, as one sentence.
    pub remedy: String,
}

impl Problem {
    /// Returns an error without a place.
    pub fn error(
        code: &'static str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity: Severity::Error,
            path: None,
            line: None,
            message: message.into(),
            remedy: remedy.into(),
        }
    }

    /// Returns a warning without a place.
    pub fn warning(
        code: &'static str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message, remedy) }
    }

    /// Returns the problem with its place filled in.
    pub fn at(mut self, path: impl Into<String>, line: Option<u32>) -> Self {
        self.path = Some(path.into());
        self.line = line;
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{path}:")?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
            }
            f.write_str(" ")?;
        }
        write!(f, "{} [{}]", self.message, self.code)
    }
}

//! The audit of secrets: which rule replaced what, and where.

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use contextd_model::facts::file_flag;
use rayon::prelude::*;

/// One secret that was replaced. Its value is nowhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Redacted {
    pub path: String,
    pub line: u32,
    pub rule: String,
}

impl Engine {
    /// Lists the secrets that were replaced in indexed files, by path and line, as the files are now.
    pub fn audit_secrets(&self) -> Result<Vec<Redacted>> {
        let Some(snapshot) = self.snapshot()? else {
            return Err(EngineError::NoIndex { root: self.places.root.clone() });
        };
        let flagged: Vec<&str> = (0..snapshot.file_count())
            .map(|number| snapshot.file(number))
            .filter(|file| file.flags() & file_flag::REDACTED != 0)
            .map(|file| file.path())
            .collect();
        let mut found: Vec<Redacted> =
            flagged.par_iter().flat_map_iter(|path| self.redactions(path)).collect();
        found.sort();
        Ok(found)
    }

    fn redactions(&self, path: &str) -> Vec<Redacted> {
        // A file that cannot be read any more has nothing to show.
        let Ok(bytes) = self.scanner.read(path) else { return Vec::new() };
        let scrubbed = self.scrubber.scrub(&bytes.text, path);
        scrubbed
            .redactions
            .into_iter()
            .map(|redaction| Redacted {
                path: path.to_owned(),
                line: redaction.line,
                rule: redaction.rule.into_owned(),
            })
            .collect()
    }
}

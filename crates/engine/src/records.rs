//! Ledger rows that follow a publication: files, errors, chunks.

use crate::engine::Engine;
use crate::error::Result;
use crate::extraction::Outcome;
use contextd_model::ContentHash;
use contextd_store::{ErrorRecord, FileRecord, FileStatus, Ledger};

/// Records what became of the files that were read, and forgets those that are gone.
pub fn record(engine: &Engine, ledger: &mut dyn Ledger, outcomes: &[Outcome], removed: &[String], lost: &[String], anew: bool, now: i64) -> Result<()> {
    let mut removed = removed.to_vec();
    if anew {
        let present: std::collections::BTreeSet<&str> = outcomes.iter().map(|outcome| outcome.entry.rel.as_str()).collect();
        removed.extend(ledger.file_states()?.into_iter().map(|state| state.record.path).filter(|path| !present.contains(path.as_str())));
    }
    let records: Vec<FileRecord> = outcomes.iter().filter(|outcome| !lost.contains(&outcome.entry.rel)).map(|outcome| file_record(engine, outcome, now)).collect();
    ledger.replace_files(&records, &removed)?;
    let errors: Vec<ErrorRecord> = outcomes.iter().filter_map(|outcome| error_record(outcome, now)).collect();
    let healed: Vec<String> = outcomes.iter().filter(|outcome| outcome.result.is_ok()).map(|outcome| outcome.entry.rel.clone()).collect();
    ledger.clear_errors(Some(&healed))?;
    if !errors.is_empty() {
        ledger.record_errors(&errors)?;
    }
    Ok(())
}

fn file_record(engine: &Engine, outcome: &Outcome, now: i64) -> FileRecord {
    let entry = &outcome.entry;
    let (hash, lang, status) = match &outcome.result {
        Ok(known) => (known.hash, known.language.name(), FileStatus::Indexed),
        Err(left) if left.problem.is_some() => (ContentHash::default(), "", FileStatus::Failed),
        Err(_) => (ContentHash::default(), "", FileStatus::Skipped),
    };
    FileRecord {
        path: entry.rel.clone(),
        lang: lang.to_owned(),
        content_hash: hash,
        size: entry.size,
        mtime_ns: entry.mtime_ns,
        ctime_ns: entry.ctime_ns,
        inode: entry.inode,
        mode: entry.mode,
        status,
        indexed_at: now,
        project: engine.scanner.projects_of(&entry.rel).first().map(|name| (*name).to_owned()).unwrap_or_default(),
        lines: 0,
        symbols: 0,
        chunks: 0,
        tokens: 0,
    }
}

fn error_record(outcome: &Outcome, now: i64) -> Option<ErrorRecord> {
    let left = outcome.result.as_ref().err()?;
    let problem = left.problem.as_ref()?;
    Some(ErrorRecord { file_path: outcome.entry.rel.clone(), error_type: problem.code.to_owned(), error_message: left.detail.clone(), stack_trace: None, occurred_at: now })
}

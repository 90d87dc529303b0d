//! What may be wrong with an index, looked at from all sides.

use crate::engine::Engine;
use crate::records;
use contextd_model::Problem;
use contextd_snapshot::Snapshot;
use contextd_store::{FactsCache, Ledger};
use std::collections::BTreeSet;
use std::fs;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkup {
    pub name: &'static str,
    /// What is wrong with it, if anything.
    pub problem: Option<Problem>,
}

/// Where the system says how many folders a user may watch.
const WATCH_LIMIT: &str = "/proc/sys/fs/inotify/max_user_watches";

impl Engine {
    /// Reads the whole index and says what is wrong; changes nothing.
    pub fn doctor(&self) -> Vec<Checkup> {
        let mut checkups =
            vec![Checkup { name: "configuration", problem: self.problems.first().cloned() }];
        let mut add =
            |name: &'static str, problem: Option<Problem>| checkups.push(Checkup { name, problem });
        let snapshot = self.snapshot();
        add("index", index_problem(&snapshot));
        let snapshot = snapshot.ok().flatten();
        if let Some(snapshot) = &snapshot {
            add(
                "version",
                (!self.is_current(snapshot)).then(|| {
                    Problem::warning(
                        "CTX_W_INDEX_OUTDATED",
                        "The index was made by another version or with other settings.",
                        "Run `contextd index`.",
                    )
                }),
            );
            let partial = crate::early::is_partial(&self.places.index, snapshot.name());
            add(
                "completeness",
                partial.then(|| {
                    Problem::warning(
                        "CTX_W_INDEX_PARTIAL",
                        "The first index run did not end; a part of the files is indexed.",
                        "Run `contextd index`.",
                    )
                }),
            );
        }
        add("ledger", self.ledger_problem(snapshot.as_ref()));
        let parsing =
            snapshot.as_ref().and_then(|it| crate::refresh::unparsed(it).into_iter().next());
        add("files", self.files_problem().or(parsing));
        add("facts cache", self.cache_problem());
        add("watching", snapshot.as_ref().and_then(watch_problem));
        checkups
    }

    fn ledger_problem(&self, snapshot: Option<&Snapshot>) -> Option<Problem> {
        let remedy = "Run `contextd rebuild`.";
        let damaged = |what: String| {
            Problem::error("CTX_E_STORE_CORRUPT", format!("The ledger is damaged: {what}."), remedy)
        };
        let ledger = match self.ledger() {
            Ok(ledger) => ledger,
            Err(error) => {
                return Some(Problem::error(error.code(), error.to_string(), error.remedy()));
            }
        };
        match ledger.check() {
            Err(error) => return Some(damaged(error.to_string())),
            Ok(lines) if !lines.is_empty() => return Some(damaged(lines.join("; "))),
            Ok(_) => {}
        }
        let behind = snapshot.is_some_and(|snapshot| {
            records::recorded(&ledger).ok().flatten() != Some(snapshot.name())
        });
        behind.then(|| {
            Problem::warning(
                "CTX_W_LEDGER_BEHIND",
                "The ledger's rows are older than the snapshot: a run was interrupted.",
                "Run `contextd index`.",
            )
        })
    }

    fn files_problem(&self) -> Option<Problem> {
        let errors = self.ledger().ok()?.errors().ok()?;
        let first = errors.first()?;
        let message = format!(
            "{} files could not be read, the first for this reason: {}.",
            errors.len(),
            first.record.error_message
        );
        Some(
            Problem::warning(
                "CTX_W_FILES_FAILED",
                message,
                "Make them readable, or leave them out in .contextignore.",
            )
            .at(first.record.file_path.clone(), None),
        )
    }

    fn cache_problem(&self) -> Option<Problem> {
        let path = self.places.facts_cache();
        if !path.exists() {
            return None;
        }
        let found =
            FactsCache::open(&path).and_then(|(cache, problems)| Ok((cache.check()?, problems)));
        match found {
            Err(error) => Some(Problem::warning(error.code(), error.to_string(), error.remedy())),
            Ok((lines, problems)) => problems.into_iter().next().or_else(|| {
                lines.first().map(|line| {
                    Problem::warning(
                        "CTX_W_FACTS_CACHE",
                        format!("The facts cache is damaged: {line}."),
                        "Run `contextd clean`, then `contextd index`.",
                    )
                })
            }),
        }
    }
}

fn index_problem(snapshot: &crate::error::Result<Option<Snapshot>>) -> Option<Problem> {
    let failed = |code: &'static str, message: String| {
        Problem::error(
            code,
            message,
            "Run `contextd index`; if that does not help, `contextd rebuild`.",
        )
    };
    match snapshot {
        Err(error) => Some(failed(error.code(), error.to_string())),
        Ok(None) => Some(Problem::warning(
            "POC_E_INDEX_MISSING",
            "There is no index yet.",
            "Run `contextd index`.",
        )),
        Ok(Some(snapshot)) => snapshot.verify().err().map(|error| {
            Problem::error(error.code(), error.to_string(), "Run `contextd rebuild`.")
        }),
    }
}

/// More folders than may be watched means polling.
fn watch_problem(snapshot: &Snapshot) -> Option<Problem> {
    let limit: usize = fs::read_to_string(WATCH_LIMIT).ok()?.trim().parse().ok()?;
    let folders: BTreeSet<&str> =
        snapshot.manifest().tree.folders.iter().map(|folder| folder.name.as_str()).collect();
    let message = format!(
        "The tree has {} folders and the system lets a user watch {limit}: changes will be polled for.",
        folders.len()
    );
    (folders.len() >= limit).then(|| {
        Problem::warning("CTX_W_WATCH_LIMIT", message, "Raise fs.inotify.max_user_watches.")
    })
}

//! One call of an operation: what is run, how far it is, and whether it should end.

use crate::served::Served;
use contextd_engine::{Coverage, Progress, Stage};
use contextd_ops::{Answer, OpError, Operation};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// An answer, and whether it was given from a part of the files.
pub struct Called {
    pub answer: Answer,
    pub partial: bool,
}

/// How far a call is; shared between who works and who waits.
#[derive(Default)]
pub struct CallProgress {
    cancelled: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    stage: &'static str,
    done: u64,
    total: u64,
    /// Units of the stages before, so that what is reported only grows.
    before: u64,
    changed: bool,
}

/// What is reported of a call.
pub struct Report {
    pub message: String,
    pub done: u64,
    pub total: Option<u64>,
}

impl CallProgress {
    /// Asks the call to end.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
    }

    /// Says where a run is that this call waits for.
    pub fn set(&self, stage: &'static str, done: u64, total: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.stage != stage || done < state.done {
            state.before += state.done.max(1);
            state.stage = stage;
            state.changed = true;
        }
        state.changed |= done != state.done;
        (state.done, state.total) = (done, total);
    }

    /// Returns what is new since the last report.
    pub fn report(&self) -> Option<Report> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::take(&mut state.changed) {
            return None;
        }
        let message = if state.total > 0 {
            format!("{} {} of {}", state.stage, state.done, state.total)
        } else {
            state.stage.to_owned()
        };
        Some(Report {
            message,
            done: state.before + state.done,
            total: (state.total > 0).then_some(state.before + state.total),
        })
    }
}

impl Progress for CallProgress {
    fn begin(&self, stage: Stage, total: u64) {
        self.set(stage.name(), 0, total);
    }

    fn advance(&self, done: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.done += done;
        state.changed = true;
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }
}

/// Runs an operation on the served root, in a session where there is one. Blocks, so it is called where blocking is allowed.
pub fn call(
    served: &Arc<Served>,
    operation: &Operation,
    input: Value,
    progress: &Arc<CallProgress>,
    session: Option<&str>,
) -> Result<Called, OpError> {
    let root = served.root();
    root.fresh.begin(served);
    root.fresh.before_answer(&root, progress);
    let context = root.context.for_call(progress.clone());
    // A session that was named at the start counts for all clients.
    let context = match session.filter(|_| context.asker.session.is_none()) {
        Some(session) => context.in_session(session).on("mcp"),
        None => context,
    };
    context.go_on()?;
    let partial = root.context.engine.coverage() == Coverage::Part;
    match (operation.run)(&context, input) {
        Ok(answer) => Ok(Called { answer, partial }),
        Err(error) if error.code == "POC_E_INDEX_MISSING" => Err(missing(&root.fresh, error)),
        Err(error) => Err(error),
    }
}

/// Says why there is nothing to answer from, and whether waiting helps.
fn missing(fresh: &crate::fresh::Fresh, error: OpError) -> OpError {
    if fresh.is_running() {
        return OpError {
            remedy: "It is being built: ask again in a few seconds.".to_owned(),
            ..error
        };
    }
    fresh.failure().unwrap_or(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_progress_only_grows() {
        let progress = CallProgress::default();
        let mut last = 0;
        progress.begin(Stage::Scan, 0);
        for (stage, total) in [(Stage::Extract, 10), (Stage::Record, 3), (Stage::Link, 1)] {
            progress.begin(stage, total);
            for _ in 0..total {
                progress.advance(1);
                let report = progress.report().unwrap();
                assert!(
                    report.done > last && report.total.unwrap() >= report.done,
                    "{} after {last}",
                    report.done
                );
                last = report.done;
            }
        }
        assert!(progress.report().is_none());
    }
}

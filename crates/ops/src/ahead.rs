//! Answering while it is still being found out whether the index is up to date.
//!
//! On a large tree that takes as long as the answer. Most often nothing has changed: then the answer that was made in the
//! meantime from the published snapshot is the one that would be made now. It stands only when whoever looked says that
//! everything is in exactly the snapshot it was made from; else it is forgotten, with all that it would have left behind.

use crate::answer::Answer;
use crate::context::Context;
use crate::table::Operation;
use contextd_engine::{Progress, Stage};
use contextd_scan::Beside;
use contextd_snapshot::SnapshotName;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An answer that is being made ahead.
#[derive(Default)]
pub struct Trial {
    called_off: AtomicBool,
    beside: Arc<Beside>,
}

impl Trial {
    /// Says that nobody waits for it any more.
    pub fn call_off(&self) {
        self.called_off.store(true, Ordering::Relaxed);
    }

    /// Returns what tells when it is made.
    pub fn beside(&self) -> Arc<Beside> {
        self.beside.clone()
    }
}

impl Progress for Trial {
    fn begin(&self, _stage: Stage, _total: u64) {}

    fn advance(&self, _done: u64) {}

    fn is_cancelled(&self) -> bool {
        self.called_off.load(Ordering::Relaxed)
    }
}

/// Hears the progress of a refresh and calls a trial off as soon as there is something to be taken in.
pub struct Listening<'p> {
    pub progress: &'p dyn Progress,
    pub trial: &'p Trial,
}

impl Progress for Listening<'_> {
    fn begin(&self, stage: Stage, total: u64) {
        // A scan may find that nothing has changed.
        if stage != Stage::Scan {
            self.trial.call_off();
        }
        self.progress.begin(stage, total);
    }

    fn advance(&self, done: u64) {
        self.progress.advance(done);
    }

    fn file(&self, path: &str) {
        self.progress.file(path);
    }

    fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled()
    }
}

/// Runs an operation while `refresh` looks whether the index is up to date, and returns its answer, with the context that
/// knows what is to be written down for it, when `refresh` says that everything is in the snapshot it was made from.
/// Without one the operation is to be run again: it writes, it failed, or something was taken in.
pub fn ahead<E>(
    context: &Context,
    operation: &'static Operation,
    input: &Value,
    refresh: impl FnOnce(&Trial) -> Result<Option<SnapshotName>, E>,
) -> Result<Option<(Context, Answer)>, E> {
    let trial = Arc::new(Trial::default());
    let tried = context.tried(trial.clone());
    let (asked, input, beside) = (tried.clone(), input.clone(), Ending(trial.beside()));
    let answering = std::thread::Builder::new().name("ahead".to_owned()).spawn(move || {
        let _beside = beside;
        answer(&asked, operation, input)
    });
    let Some(fresh) = refresh(&trial).inspect_err(|_| trial.call_off())? else {
        // Nobody waits for it; what it still does it does for itself.
        trial.call_off();
        return Ok(None);
    };
    let made = answering.ok().and_then(|answering| answering.join().ok().flatten());
    Ok(made.filter(|(_, from)| *from == fresh).map(|(answer, _)| (tried.kept(), answer)))
}

/// Says that the answer is made, however its thread ends.
struct Ending(Arc<Beside>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Returns the answer and the one snapshot that it was made from.
fn answer(
    context: &Context,
    operation: &Operation,
    input: Value,
) -> Option<(Answer, SnapshotName)> {
    let reader =
        context.reader().ok().filter(|reader| context.engine.is_current(&reader.snapshot))?;
    let opened = context.opened();
    // What writes may do so once, when everything is known.
    context.go_on().ok().filter(|()| operation.read_only)?;
    let answer = (operation.run)(context, input).ok()?;
    // Another one may have been published meanwhile, by another process, and part of the answer be made from it.
    let same = context.reader().is_ok_and(|last| Arc::ptr_eq(&last, &reader))
        && context.opened() == opened;
    same.then(|| {
        context.accounts.prepare(&context.engine);
        (answer, reader.snapshot.name())
    })
}

//! A snapshot with what ranking needs beside it, ready to be asked many times.

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::knowledge::{Knowledge, Stamp};
use crate::learning::{LearnedState, Numbers};
use contextd_history::StoredHistory;
use contextd_retrieve::{Catalog, Commits, Parameters, Sources, Suite};
use contextd_snapshot::Snapshot;
use std::sync::{Arc, Mutex, OnceLock};

/// Answers questions from one snapshot; safe to share between threads.
pub struct Reader {
    pub snapshot: Snapshot,
    pub catalog: Catalog,
    pub history: Arc<StoredHistory>,
    pub commits: Arc<Commits>,
    /// What is declared, with the state of the files it was read from.
    pub(crate) knowledge: Mutex<Option<(Stamp, Arc<Knowledge>)>>,
    /// What was learned about this snapshot, with the numbers that say whether it is current.
    pub(crate) learned: Mutex<Option<LearnedCache>>,
    /// Numbers of symbols that were asked for by id.
    pub(crate) numbers: Numbers,
    /// What [`Engine::head_mark`] said when history was read.
    pub head_mark: Option<String>,
    suite: OnceLock<Suite>,
}

/// Learned state with the stamp of the judgements it was made from.
pub(crate) type LearnedCache = ((i64, i64), Arc<LearnedState>);

impl Engine {
    /// Opens the published snapshot for questions.
    pub fn reader(&self) -> Result<Reader> {
        let Some(snapshot) = self.shared_snapshot()? else {
            return Err(EngineError::NoIndex { root: self.places.root.clone() });
        };
        // Who changes them publishes a snapshot, so whoever opens one sees the right ones.
        self.load_overlays()?;
        let head_mark = self.head_mark();
        // History and code are gathered side by side: a single question waits for both.
        let past = || {
            let (history, _problems) = self.history();
            let commits =
                Commits::of(&history.view(), Arc::new(self.commit_words(&history)), &snapshot);
            (Arc::new(history), Arc::new(commits))
        };
        let (catalog, (history, commits)) = std::thread::scope(|scope| {
            let past = scope.spawn(past);
            (self.catalog(&snapshot), past.join().unwrap_or_default())
        });
        Ok(Reader {
            snapshot,
            catalog,
            history,
            commits,
            knowledge: Mutex::default(),
            learned: Mutex::new(None),
            numbers: Numbers::default(),
            head_mark,
            suite: OnceLock::new(),
        })
    }

    /// Opens the published snapshot when another one was open before: what was gathered from history is
    /// taken over while the head stands where it stood.
    pub fn reader_after(&self, earlier: &Reader) -> Result<Reader> {
        let Some(snapshot) = self.shared_snapshot()? else {
            return Err(EngineError::NoIndex { root: self.places.root.clone() });
        };
        self.load_overlays()?;
        let head_mark = self.head_mark();
        let history = if head_mark.is_some() && head_mark == earlier.head_mark {
            earlier.history.clone()
        } else {
            Arc::new(self.history().0)
        };
        // Commits are kept by the numbers of the files they touched.
        let same_paths = same_paths(&snapshot, &earlier.snapshot);
        let same = Arc::ptr_eq(&history, &earlier.history) && same_paths;
        let commits = if same {
            earlier.commits.clone()
        } else {
            let words = if Arc::ptr_eq(&history, &earlier.history) {
                earlier.commits.words()
            } else {
                Arc::new(self.commit_words(&history))
            };
            Arc::new(Commits::of(&history.view(), words, &snapshot))
        };
        let catalog = Catalog::of(&snapshot, same_paths.then_some(&earlier.catalog.path_flags));
        Ok(Reader {
            snapshot,
            catalog,
            history,
            commits,
            knowledge: Mutex::default(),
            learned: Mutex::new(None),
            numbers: Numbers::default(),
            head_mark,
            suite: OnceLock::new(),
        })
    }
}

fn same_paths(one: &Snapshot, two: &Snapshot) -> bool {
    one.file_count() == two.file_count()
        && (0..one.file_count()).all(|file| one.file(file).path() == two.file(file).path())
}

impl Reader {
    /// Returns the tests of the snapshot; they are looked for once.
    pub fn suite(&self) -> &Suite {
        self.suite.get_or_init(|| Suite::of(&self.snapshot, &self.catalog))
    }

    /// Returns what rankings read; commits up to `hidden` take no part.
    pub fn sources(&self, hidden: Option<u32>) -> Sources<'_> {
        Sources {
            snapshot: &self.snapshot,
            catalog: &self.catalog,
            commits: (!self.commits.is_empty()).then_some(&*self.commits),
            hidden,
            learned: None,
            declared: None,
            parameters: &Parameters::DEFAULT,
        }
    }
}

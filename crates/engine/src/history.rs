//! The repository's history, kept beside the index and read again only when its head moves.

use crate::engine::Engine;
use contextd_history::{CommitId, History, HistoryView, Limits, Repository, StoredHistory};
use contextd_model::{ContentHash, Problem};
use contextd_retrieve::CommitWords;
use std::fs;
use std::path::{Path, PathBuf};

impl Engine {
    /// Returns a text that changes when the head moves: what `HEAD` says and what it points to. Costs
    /// reading two small files; `None` where there is no repository.
    pub fn head_mark(&self) -> Option<String> {
        let folder = git_folder(&self.places.root)?;
        let head = fs::read_to_string(folder.join("HEAD")).ok()?;
        let Some(name) = head.strip_prefix("ref:").map(str::trim) else { return Some(head) };
        let common = fs::read_to_string(folder.join("commondir"))
            .map_or(folder.clone(), |path| folder.join(path.trim()));
        let target = fs::read_to_string(common.join(name)).unwrap_or_else(|_| {
            let packed = fs::metadata(common.join("packed-refs"));
            packed
                .and_then(|packed| Ok(format!("{:?} {}", packed.modified()?, packed.len())))
                .unwrap_or_default()
        });
        Some(format!("{head}{target}"))
    }

    /// Returns the commit that the head names, where plain files say so.
    fn stated_head(&self) -> Option<CommitId> {
        self.head_mark().and_then(|mark| CommitId::from_hex(mark.lines().last()?.trim()))
    }

    fn history_limits(&self) -> Limits {
        Limits { max_commits: self.config.history.max_commits, ..Limits::default() }
    }

    /// Returns the history up to the current head; an empty one where there is none.
    pub fn history(&self) -> (StoredHistory, Vec<Problem>) {
        // Most often nothing has moved since the history was kept, and two small files tell.
        let kept =
            self.stated_head().and_then(|head| StoredHistory::open(&self.history_place(head).1));
        if let Some(history) = kept {
            return (history, Vec::new());
        }
        let limits = self.history_limits();
        let Some(head) =
            Repository::open(&self.places.root).ok().and_then(|repository| repository.head())
        else {
            return (StoredHistory::default(), Vec::new());
        };
        let (folder, path) = self.history_place(head);
        if let Some(history) = StoredHistory::open(&path) {
            return (history, Vec::new());
        }
        let previous = newest(&folder).and_then(|path| StoredHistory::open(&path));
        let view: Option<HistoryView<'_>> = previous.as_ref().map(StoredHistory::view);
        let (mut history, problems) = History::load(&self.places.root, &limits, view);
        // What a message quotes is scrubbed as a text file would be.
        history.scrub_messages(|message| {
            self.scrubber.scrub(message, "COMMIT_EDITMSG").text.into_owned()
        });
        // Not being able to keep it costs time at the next call, nothing else.
        let stored = StoredHistory::of(&history);
        let _ = store(&folder, &path, stored.bytes()).and_then(|()| leave_only(&folder, &path));
        (stored, problems)
    }

    /// Returns the words of the messages of a history that [`Engine::history`] gave.
    pub fn commit_words(&self, history: &StoredHistory) -> CommitWords {
        let Some(head) = history.head else { return CommitWords::default() };
        let (folder, path) = self.history_place(head);
        let path = path.with_extension(WORDS);
        if let Some(words) = fs::read(&path).ok().and_then(CommitWords::decode) {
            return words;
        }
        let words = CommitWords::of(&history.view());
        let _ = store(&folder, &path, words.bytes());
        words
    }

    /// Returns the folder of histories and the file of the one that ends at a commit.
    fn history_place(&self, head: CommitId) -> (PathBuf, PathBuf) {
        let folder = self.places.index.join("history");
        let name = file_name(
            &format!("{head:?} scrubbed {}", self.config.fingerprint().secrets.to_hex()),
            &self.history_limits(),
        );
        let path = folder.join(format!("{name}.history"));
        (folder, path)
    }
}

/// Extension of the words of a history's messages.
const WORDS: &str = "words";

fn store(folder: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let temporary = folder.join(format!(".writing-{}", std::process::id()));
    crate::claim::write_new(&temporary, bytes)?;
    fs::rename(&temporary, path)
}

/// Removes what belongs to other heads.
fn leave_only(folder: &Path, path: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten().filter(|entry| entry.path() != *path) {
        let _ = fs::remove_file(entry.path());
    }
    Ok(())
}

/// Returns the git directory of the work tree that `root` lies in.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let dot_git = root.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists())?;
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let text = fs::read_to_string(&dot_git).ok()?;
    Some(dot_git.parent()?.join(text.strip_prefix("gitdir:")?.trim()))
}

fn file_name(head: &str, limits: &Limits) -> String {
    ContentHash::of(format!("{head} {limits:?} {}", env!("CARGO_PKG_VERSION")).as_bytes()).to_hex()
}

fn newest(folder: &PathBuf) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let files = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "history"));
    files.max_by_key(|path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok())
}

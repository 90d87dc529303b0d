//! A history as the bytes it is kept in, read in place.

use crate::load::History;
use crate::rows::CommitId;
use crate::view::HistoryView;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;

/// What stands for a history that is not there.
static NOTHING: LazyLock<History> = LazyLock::new(History::default);

/// A whole history in memory that rows can be read from without unpacking them.
#[derive(Clone, Debug, Default)]
pub struct StoredHistory {
    /// The newest commit, `None` without any.
    pub head: Option<CommitId>,
    /// Rows need bytes that start at a multiple of eight.
    aligned: Vec<u64>,
    length: usize,
}

impl StoredHistory {
    /// Reads a file that [`History::encode`] made; `None` when it is missing, of another version or damaged.
    pub fn open(path: &Path) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
        Self::read(&mut file, length)
    }

    pub(crate) fn read(from: &mut dyn Read, length: usize) -> Option<Self> {
        let mut aligned = vec![0u64; length.div_ceil(8)];
        from.read_exact(bytemuck::cast_slice_mut::<u64, u8>(&mut aligned).get_mut(..length)?)
            .ok()?;
        let mut stored = Self { head: None, aligned, length };
        stored.head =
            HistoryView::open(stored.bytes()).filter(|_| HistoryView::verify(stored.bytes()))?.head;
        Some(stored)
    }

    /// Keeps a history that was just loaded.
    pub fn of(history: &History) -> Self {
        let bytes = history.encode();
        Self::read(&mut bytes.as_slice(), bytes.len()).unwrap_or_default()
    }

    /// Returns the bytes, as [`History::encode`] gives them.
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice::<u64, u8>(&self.aligned)[..self.length]
    }

    /// Returns the borrowed form that all reading goes through.
    pub fn view(&self) -> HistoryView<'_> {
        HistoryView::open(self.bytes()).unwrap_or_else(|| NOTHING.view())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_and_damage_is_not() {
        let history = History { head_time: 7, head: Some(CommitId([3; 20])), ..History::default() };
        let stored = StoredHistory::of(&history);
        assert_eq!((stored.head, stored.view().head_time), (history.head, 7));
        assert_eq!(stored.bytes(), history.encode());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        std::fs::write(&path, stored.bytes()).unwrap();
        assert_eq!(StoredHistory::open(&path).unwrap().bytes(), stored.bytes());
        let mut bytes = stored.bytes().to_vec();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(StoredHistory::open(&path).is_none());
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(StoredHistory::open(&path).is_none());
        assert!(StoredHistory::open(&folder.path().join("none")).is_none());
        assert!(StoredHistory::default().view().is_empty());
    }
}

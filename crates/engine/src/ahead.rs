//! Many files, read shard by shard: the segments of a group are written before the next is read, so
//! that every file is read once and few texts are held. What is frozen later finds them in place.

use crate::extraction::{Known, Outcome};
use crate::freeze::GROUP;
use contextd_scan::FileEntry;
use contextd_snapshot::{shard_count, shard_of};

/// The shards of a run as far as they can be told before all files are read. A file that turns out not
/// to belong may change the number of shards; then what was written ahead is written again otherwise.
pub struct Ahead {
    shards: Vec<Shard>,
    next: usize,
}

#[derive(Default)]
struct Shard {
    known: Vec<Known>,
    unread: Vec<FileEntry>,
}

impl Ahead {
    /// Distributes the files that are known and those that are to be read.
    pub fn new(known: Vec<Known>, unread: Vec<FileEntry>) -> Self {
        let count = shard_count(known.len() + unread.len());
        let mut shards: Vec<Shard> = Vec::new();
        shards.resize_with(count as usize, Shard::default);
        for file in known {
            shards[shard_of(&file.path, count) as usize].known.push(file);
        }
        for entry in unread {
            shards[shard_of(&entry.rel, count) as usize].unread.push(entry);
        }
        Self { shards, next: 0 }
    }

    /// Returns the files of the next group of shards that are to be read, `None` after the last.
    pub fn next_unread(&mut self) -> Option<Vec<FileEntry>> {
        let end = (self.next + GROUP).min(self.shards.len());
        let group = self.shards.get_mut(self.next..end).filter(|group| !group.is_empty())?;
        Some(group.iter_mut().flat_map(|shard| std::mem::take(&mut shard.unread)).collect())
    }

    /// Takes in what came of reading them, hands the whole group to `freeze` and forgets it.
    pub fn freeze<T>(
        &mut self,
        outcomes: &[Outcome],
        freeze: impl FnOnce(&[Vec<&Known>]) -> T,
    ) -> T {
        let count = self.shards.len() as u32;
        for known in outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok()) {
            self.shards[shard_of(&known.path, count) as usize].known.push(known.clone());
        }
        let end = (self.next + GROUP).min(self.shards.len());
        let group = &mut self.shards[self.next..end];
        group.iter_mut().for_each(|shard| shard.known.sort_by(|a, b| a.path.cmp(&b.path)));
        self.next = end;
        let frozen =
            freeze(&group.iter().map(|shard| shard.known.iter().collect()).collect::<Vec<_>>());
        group.iter_mut().for_each(|shard| shard.known = Vec::new());
        frozen
    }
}

//! Bytes of a history: a header, a table of sections, the tables one after the other.
//!
//! Sections start at multiples of eight, so a mapped file is read in place. The same history gives
//! the same bytes. Opening checks the structure only; [`HistoryView::verify`] checks the sum.

use crate::load::{History, Limits};
use crate::rows::CommitId;
use crate::stored::StoredHistory;
use crate::view::HistoryView;
use bytemuck::{Pod, Zeroable};
use contextd_model::ContentHash;
use contextd_model::strings::{StringTable, Strings};

const MAGIC: [u8; 8] = *b"ctxhist\0";
/// Raised whenever rows, sections or the way commits are read change.
const VERSION: u32 = 1;
const SECTIONS: usize = 12;
const ALIGN: usize = 8;
/// Bytes before the part that the checksum covers.
const UNSUMMED: usize = 48;

const HAS_HEAD: u32 = 1;
const CUT: u32 = 2;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: u32,
    sections: u32,
    sum: [u8; 32],
    head: CommitId,
    flags: u32,
    head_time: i64,
    max_commits: u32,
    max_body: u32,
    max_files: u32,
    pad: u32,
    /// Start and length in bytes of each section.
    places: [[u64; 2]; SECTIONS],
}

impl History {
    /// Writes the history as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut header = Header::zeroed();
        header.magic = MAGIC;
        header.version = VERSION;
        header.sections = SECTIONS as u32;
        header.head = self.head.unwrap_or_default();
        header.flags =
            if self.head.is_some() { HAS_HEAD } else { 0 } | if self.cut { CUT } else { 0 };
        header.head_time = self.head_time;
        header.max_commits = self.limits.max_commits;
        header.max_body = self.limits.max_body;
        header.max_files = self.limits.max_files;
        let mut out = vec![0u8; size_of::<Header>()];
        for (section, place) in self.sections().into_iter().zip(&mut header.places) {
            out.resize(out.len().next_multiple_of(ALIGN), 0);
            *place = [out.len() as u64, section.len() as u64];
            out.extend_from_slice(section);
        }
        out[..size_of::<Header>()].copy_from_slice(bytemuck::bytes_of(&header));
        let sum = ContentHash::of(&out[UNSUMMED..]);
        out[UNSUMMED - 32..UNSUMMED].copy_from_slice(&sum.0);
        out
    }

    fn sections(&self) -> [&[u8]; SECTIONS] {
        [
            self.prefix.as_bytes(),
            bytemuck::cast_slice(&self.commits),
            bytemuck::cast_slice(&self.parents),
            bytemuck::cast_slice(&self.touches),
            self.people.bytes.as_bytes(),
            bytemuck::cast_slice(&self.people.ends),
            self.paths.bytes.as_bytes(),
            bytemuck::cast_slice(&self.paths.ends),
            self.text.as_bytes(),
            bytemuck::cast_slice(&self.files),
            bytemuck::cast_slice(&self.file_commits),
            bytemuck::cast_slice(&self.partners),
        ]
    }

    /// Reads what [`History::encode`] wrote; `None` when the bytes are of another version or not whole.
    pub fn decode(bytes: &[u8]) -> Option<History> {
        StoredHistory::read(&mut &*bytes, bytes.len())?.view().to_history()
    }
}

impl<'a> HistoryView<'a> {
    /// Opens bytes that [`History::encode`] wrote without copying them; they must start at a
    /// multiple of eight, as a mapped file does. `None` for another version or broken structure.
    pub fn open(bytes: &'a [u8]) -> Option<Self> {
        let header: Header =
            bytemuck::try_pod_read_unaligned(bytes.get(..size_of::<Header>())?).ok()?;
        if header.magic != MAGIC
            || header.version != VERSION
            || header.sections as usize != SECTIONS
        {
            return None;
        }
        let section = |number: usize| -> Option<&'a [u8]> {
            let [start, length] = header.places[number];
            let end = start.checked_add(length)?;
            bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
        };
        Some(HistoryView {
            head: (header.flags & HAS_HEAD != 0).then_some(header.head),
            head_time: header.head_time,
            cut: header.flags & CUT != 0,
            limits: Limits {
                max_commits: header.max_commits,
                max_body: header.max_body,
                max_files: header.max_files,
            },
            prefix: std::str::from_utf8(section(0)?).ok()?,
            commits: rows(section(1)?)?,
            parents: rows(section(2)?)?,
            touches: rows(section(3)?)?,
            people: Strings { bytes: section(4)?, ends: rows(section(5)?)? },
            paths: Strings { bytes: section(6)?, ends: rows(section(7)?)? },
            text: section(8)?,
            files: rows(section(9)?)?,
            file_commits: rows(section(10)?)?,
            partners: rows(section(11)?)?,
        })
    }

    /// Tells whether the bytes are those that were written.
    pub fn verify(bytes: &[u8]) -> bool {
        bytes.len() >= UNSUMMED
            && ContentHash::of(&bytes[UNSUMMED..]).0 == bytes[UNSUMMED - 32..UNSUMMED]
    }

    /// Copies the tables; `None` when text in them is not UTF-8.
    pub fn to_history(&self) -> Option<History> {
        Some(History {
            head: self.head,
            head_time: self.head_time,
            cut: self.cut,
            limits: self.limits,
            prefix: self.prefix.to_owned(),
            commits: self.commits.to_vec(),
            parents: self.parents.to_vec(),
            touches: self.touches.to_vec(),
            people: table(&self.people)?,
            paths: table(&self.paths)?,
            text: String::from_utf8(self.text.to_vec()).ok()?,
            files: self.files.to_vec(),
            file_commits: self.file_commits.to_vec(),
            partners: self.partners.to_vec(),
        })
    }
}

fn rows<T: Pod>(bytes: &[u8]) -> Option<&[T]> {
    bytemuck::try_cast_slice(bytes).ok()
}

fn table(strings: &Strings<'_>) -> Option<StringTable> {
    Some(StringTable {
        bytes: String::from_utf8(strings.bytes.to_vec()).ok()?,
        ends: strings.ends.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::{Parts, assemble, paths_of};
    use crate::rows::ChangeKind;
    use crate::walk::{RawCommit, RawTouch};
    use proptest::prelude::*;

    fn sample() -> History {
        let touch = |path: &str, from: Option<&str>, kind| RawTouch {
            path: path.into(),
            from: from.map(Into::into),
            kind,
        };
        let commit = |number: u8, touches| RawCommit {
            id: CommitId([number; 20]),
            parents: vec![CommitId([number + 1; 20])],
            author: (format!("Author {}", number % 2), String::new()),
            commit_time: 1_000 - i64::from(number),
            subject: format!("Subject {number}"),
            body: "Body".into(),
            touches,
            ..RawCommit::default()
        };
        let commits = vec![
            commit(
                1,
                vec![
                    touch("b", Some("a"), ChangeKind::Renamed),
                    touch("c", None, ChangeKind::Modified),
                ],
            ),
            commit(
                2,
                vec![touch("a", None, ChangeKind::Modified), touch("c", None, ChangeKind::Added)],
            ),
        ];
        let parts = Parts {
            head: Some(CommitId([1; 20])),
            prefix: "x/".into(),
            limits: Limits::default(),
            cut: true,
            commits,
        };
        let paths = paths_of(&parts.commits);
        assemble(&parts, &paths, &[false, true, true])
    }

    #[test]
    fn bytes_give_the_history_back() {
        let history = sample();
        assert_eq!(History::decode(&history.encode()), Some(history));
        let empty = History::default();
        assert_eq!(History::decode(&empty.encode()), Some(empty));
    }

    #[test]
    fn the_tables_follow_from_the_commits() {
        let history = sample();
        let view = history.view();
        let (b, c) = (view.file("b").unwrap(), view.file("c").unwrap());
        assert_eq!(view.file_commits(b), [0, 1]);
        assert_eq!(view.file_commits(view.file("a").unwrap()), [] as [u32; 0]);
        assert_eq!(view.partners(b), [crate::PartnerRow { file: c, count: 2 }]);
        assert_eq!(view.churn(c), Some(crate::Churn { commits: 2, newest: 0, age: 0 }));
        let second = view.commit(1).unwrap();
        assert_eq!(
            (second.subject(), second.body(), second.author_name()),
            ("Subject 2", "Body", "Author 0")
        );
        assert_eq!(view.file("d"), None);
    }

    /// Reads everything a view offers.
    fn read_all(view: &HistoryView<'_>) -> usize {
        let commits: usize = view
            .commits()
            .map(|commit| {
                commit.subject().len() + commit.changes().count() + commit.parents().len()
            })
            .sum();
        let files = (0..view.file_count() as u32)
            .map(|file| view.partners(file).len() + view.path(file).len());
        commits + files.sum::<usize>() + (0..9).filter_map(|file| view.churn(file)).count()
    }

    proptest! {
        #[test]
        fn damage_is_noticed_and_reading_it_never_panics(at in 0usize..4096, byte in 1u8.., cut in 0usize..4096) {
            let mut bytes = sample().encode();
            let at = at % bytes.len();
            bytes[at] ^= byte;
            prop_assert_eq!(History::decode(&bytes), None);
            let mut aligned = vec![0u64; bytes.len() / 8 + 1];
            let copy: &mut [u8] = bytemuck::cast_slice_mut(&mut aligned);
            copy[..bytes.len()].copy_from_slice(&bytes);
            if let Some(view) = HistoryView::open(&copy[..bytes.len()]) {
                read_all(&view);
            }
            bytes.truncate(cut % bytes.len());
            prop_assert_eq!(History::decode(&bytes), None);
        }
    }
}

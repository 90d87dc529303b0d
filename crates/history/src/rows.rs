//! Rows of the history tables: the same plain data in memory and in a mapped file.

use bytemuck::{Pod, Zeroable};
use std::fmt;

/// "No path", "no commit".
pub(crate) const NONE: u32 = u32::MAX;

/// Object id of a commit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct CommitId(pub [u8; 20]);

impl CommitId {
    /// Reads 40 hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 40 {
            return None;
        }
        let mut id = [0u8; 20];
        for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
            let high = (pair[0] as char).to_digit(16)?;
            let low = (pair[1] as char).to_digit(16)?;
            *byte = (high * 16 + low) as u8;
        }
        Some(Self(id))
    }

    pub(crate) fn object(self) -> gix::ObjectId {
        gix::ObjectId::Sha1(self.0)
    }

    /// Returns the id, or `None` for an id of another hash function.
    pub(crate) fn of(id: &gix::oid) -> Option<Self> {
        id.as_bytes().try_into().ok().map(Self)
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Properties of a commit, as bits of [`CommitRow::flags`].
pub mod commit_flag {
    /// More than one parent; its files are not listed.
    pub const MERGE: u32 = 1;
    /// Edge of a shallow clone: the parents are not here, so its files are not known.
    pub const BOUNDARY: u32 = 1 << 1;
    /// A tree was missing or damaged; its files are not known.
    pub const FILES_UNKNOWN: u32 = 1 << 2;
    /// The body was cut.
    pub const BODY_CUT: u32 = 1 << 3;
    /// Touches more files than are listed.
    pub const FILES_CUT: u32 = 1 << 4;
}

/// One commit. Ends are exclusive; a range starts where the row before ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CommitRow {
    pub id: CommitId,
    /// Number of the author in the table of people.
    pub author: u32,
    /// Seconds since 1970.
    pub author_time: i64,
    /// Seconds since 1970.
    pub commit_time: i64,
    /// End of the subject in the text; the body follows it.
    pub subject_end: u32,
    pub body_end: u32,
    pub parents_end: u32,
    pub touches_end: u32,
    /// Touched files that lie outside the indexed root.
    pub outside: u32,
    pub flags: u32,
}

/// What a commit did to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ChangeKind {
    Modified,
    Added,
    Deleted,
    Renamed,
}

impl ChangeKind {
    pub const ALL: &'static [ChangeKind] =
        &[Self::Modified, Self::Added, Self::Deleted, Self::Renamed];

    /// Returns the name used on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Modified => "modified",
            Self::Added => "added",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
        }
    }

    /// Returns the kind stored as `byte`; an unknown byte reads as a modification.
    pub fn from_byte(byte: u8) -> Self {
        *Self::ALL.get(byte as usize).unwrap_or(&Self::Modified)
    }
}

/// One file touched by one commit; numbers are those of the file table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct TouchRow {
    /// Path as the commit has it.
    pub path: u32,
    /// The file as it is called at the head, renames followed.
    pub file: u32,
    /// Path before a rename, `u32::MAX` otherwise.
    pub from: u32,
    pub kind: u8,
    pub pad: [u8; 3],
}

impl TouchRow {
    /// Returns the path before the commit.
    pub fn path_before(&self) -> u32 {
        if self.from == NONE { self.path } else { self.from }
    }

    pub fn kind(&self) -> ChangeKind {
        ChangeKind::from_byte(self.kind)
    }
}

/// Properties of a path, as bits of [`FileRow::flags`].
pub mod file_flag {
    /// The path exists at the head.
    pub const PRESENT: u32 = 1;
}

/// One path that some commit touched; rows are in the order of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct FileRow {
    /// End of the file's commits; they start where the row before ends.
    pub commits_end: u32,
    /// End of the file's partners.
    pub partners_end: u32,
    pub flags: u32,
}

/// A file that changed together with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct PartnerRow {
    pub file: u32,
    /// Commits that touched both.
    pub count: u32,
}

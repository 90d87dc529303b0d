//! The frame that segments, graphs and manifests share: a header with a table of sections.
//!
//! ```text
//! magic 8 · format version u32 · sections u32 · (offset u64, length u64, checksum u64)… · checksum of all this u64
//! sections, each at a multiple of eight bytes
//! ```
//! Opening checks the header's checksum and the bounds of every section and reads no section; the
//! checksums of sections are for [`Container::verify`].

use crate::error::{Result, SnapshotError};
use memmap2::Mmap;
use rayon::prelude::*;
use std::fs::File;
use std::path::{Path, PathBuf};

#[cfg(target_endian = "big")]
compile_error!("index files are little-endian and mapped as they are");

/// Version of every file format of this crate. Another version reads as absent and is built again.
pub const FORMAT_VERSION: u32 = 3;

const HEAD: usize = 16;
const ENTRY: usize = 24;
/// Bytes of sections from which on several threads hash them.
const LONG: usize = 1 << 20;

/// Lays sections behind a header.
pub(crate) fn assemble(magic: [u8; 8], sections: &[Vec<u8>]) -> Vec<u8> {
    let sections: Vec<&[u8]> = sections.iter().map(Vec::as_slice).collect();
    let header = header(magic, &sections);
    laid_out(&header, &sections).concat()
}

/// Returns the header of sections that follow it.
pub(crate) fn header(magic: [u8; 8], sections: &[&[u8]]) -> Vec<u8> {
    // Handing short ones out takes longer than hashing them.
    let is_long = sections.iter().map(|section| section.len()).sum::<usize>() > LONG;
    let sums: Vec<u64> = if is_long {
        sections.par_iter().map(|section| checksum(section)).collect()
    } else {
        sections.iter().map(|section| checksum(section)).collect()
    };
    header_with(magic, sections, &sums)
}

/// Returns the header of sections whose checksums are known.
pub(crate) fn header_with(magic: [u8; 8], sections: &[&[u8]], sums: &[u64]) -> Vec<u8> {
    let header_length = HEAD + sections.len() * ENTRY + 8;
    let mut header = Vec::with_capacity(header_length);
    header.extend_from_slice(&magic);
    header.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    header.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    let mut offset = header_length;
    for (section, sum) in sections.iter().zip(sums) {
        for number in [offset as u64, section.len() as u64, *sum] {
            header.extend_from_slice(&number.to_le_bytes());
        }
        offset = (offset + section.len()).next_multiple_of(8);
    }
    let sum = checksum(&header);
    header.extend_from_slice(&sum.to_le_bytes());
    header
}

/// Returns the parts of a file in their order: the header, and sections with what fills them up.
pub(crate) fn laid_out<'a>(header: &'a [u8], sections: &[&'a [u8]]) -> Vec<&'a [u8]> {
    const FILLING: [u8; 8] = [0; 8];
    let filling = |length: usize| &FILLING[..length.next_multiple_of(8) - length];
    let sections = sections.iter();
    let sections = sections.flat_map(|section| [*section, filling(section.len())]);
    std::iter::once(header).chain(sections).collect()
}

fn checksum(bytes: &[u8]) -> u64 {
    contextd_model::ContentHash::of(bytes).short()
}

/// Mapped file whose header was found whole.
#[derive(Debug)]
pub(crate) struct Container {
    path: PathBuf,
    map: Mmap,
    sections: Vec<Section>,
}

#[derive(Clone, Copy, Debug)]
struct Section {
    start: usize,
    end: usize,
    checksum: u64,
}

impl Container {
    /// Maps the file at `path`, which must have `magic` and `count` sections.
    pub(crate) fn open(path: &Path, magic: [u8; 8], count: usize) -> Result<Self> {
        let map = map(path)?;
        let sections = read_header(path, &map, magic, count)?;
        Ok(Self { path: path.to_owned(), map, sections })
    }

    /// Returns the bytes of section `number`.
    #[inline]
    pub(crate) fn section(&self, number: usize) -> &[u8] {
        match self.sections.get(number) {
            Some(section) => self.map.get(section.start..section.end).unwrap_or(&[]),
            None => &[],
        }
    }

    /// Returns the length of the file.
    pub(crate) fn size(&self) -> u64 {
        self.map.len() as u64
    }

    /// Reads everything and holds it against the checksums.
    pub(crate) fn verify(&self) -> Result<()> {
        let whole = self
            .sections
            .iter()
            .enumerate()
            .all(|(number, section)| checksum(self.section(number)) == section.checksum);
        if whole {
            Ok(())
        } else {
            Err(SnapshotError::damaged(&self.path, "checksum of a section"))
        }
    }
}

/// Maps a file for reading.
#[allow(unsafe_code)]
fn map(path: &Path) -> Result<Mmap> {
    let file = File::open(path).map_err(SnapshotError::io("open", path))?;
    let length = file.metadata().map_err(SnapshotError::io("read", path))?.len();
    if length < (HEAD + 8) as u64 {
        return Err(SnapshotError::damaged(path, "shorter than a header"));
    }
    // SAFETY: files of the index are written under a temporary name and renamed into place, then
    // never written or truncated again, only unlinked; a mapping outlives its name.
    unsafe { Mmap::map(&file) }.map_err(SnapshotError::io("map", path))
}

fn read_header(path: &Path, bytes: &[u8], magic: [u8; 8], count: usize) -> Result<Vec<Section>> {
    let damaged = |what| Err(SnapshotError::damaged(path, what));
    if bytes.get(..8) != Some(&magic) {
        return damaged("no such kind of file");
    }
    if number32(bytes, 8) != FORMAT_VERSION {
        return Err(SnapshotError::Version { path: path.to_owned() });
    }
    let header = HEAD + count * ENTRY;
    if number32(bytes, 12) as usize != count || bytes.len() < header + 8 {
        return damaged("number of sections");
    }
    if checksum(&bytes[..header]) != number64(bytes, header) {
        return damaged("checksum of the header");
    }
    let mut sections = Vec::with_capacity(count);
    for at in (HEAD..header).step_by(ENTRY) {
        let (start, length) = (number64(bytes, at), number64(bytes, at + 8));
        match start.checked_add(length) {
            Some(end) if end <= bytes.len() as u64 && start % 8 == 0 => {
                sections.push(Section {
                    start: start as usize,
                    end: end as usize,
                    checksum: number64(bytes, at + 16),
                });
            }
            _ => return damaged("bounds of a section"),
        }
    }
    Ok(sections)
}

fn number32(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn number64(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// Writes numbers of a meta section.
pub(crate) fn put_numbers(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Reads the numbers of a meta section; `None` when there are not exactly `N`.
pub(crate) fn take_numbers<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    (bytes.len() == N * 8).then(|| std::array::from_fn(|at| number64(bytes, at * 8)))
}

//! Interned strings of one file's facts.

use bytemuck::{Pod, Zeroable};

/// Index of a string in the [`StringTable`] it was interned in; 0 is the empty string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct StrId(pub u32);

impl StrId {
    pub const EMPTY: StrId = StrId(0);

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Strings laid end to end, addressed by [`StrId`]. Reading needs no allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringTable {
    /// All strings, one after the other.
    pub bytes: String,
    /// End of each string in `bytes`; string `i` starts where `i - 1` ends.
    pub ends: Vec<u32>,
}

impl Default for StringTable {
    fn default() -> Self {
        Self { bytes: String::new(), ends: vec![0] }
    }
}

impl StringTable {
    /// Appends `text` without looking for an equal string; use an interner to share.
    pub fn push(&mut self, text: &str) -> StrId {
        if text.is_empty() {
            return StrId::EMPTY;
        }
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len() as u32);
        StrId(self.ends.len() as u32 - 1)
    }

    /// Returns a borrowed view, the form in which mapped tables are read as well.
    pub fn view(&self) -> Strings<'_> {
        Strings { bytes: self.bytes.as_bytes(), ends: &self.ends }
    }

    /// Returns a borrowed view that is read without checks.
    pub fn checked(&self) -> CheckedStrings<'_> {
        CheckedStrings { text: &self.bytes, ends: &self.ends }
    }

    #[inline]
    pub fn get(&self, id: StrId) -> &str {
        self.checked().get(id)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.len() <= 1
    }
}

/// Borrowed [`StringTable`], from memory or from a mapped file; each string is checked when it is read.
#[derive(Clone, Copy, Debug)]
pub struct Strings<'a> {
    pub bytes: &'a [u8],
    pub ends: &'a [u32],
}

impl<'a> Strings<'a> {
    /// Returns the string, or the empty one for an id or range that the table does not have
    /// (a damaged file must not panic).
    pub fn get(&self, id: StrId) -> &'a str {
        let at = id.0 as usize;
        if at == 0 || at >= self.ends.len() {
            return "";
        }
        let (start, end) = (self.ends[at - 1] as usize, self.ends[at] as usize);
        self.bytes.get(start..end).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.len() <= 1
    }
}

/// Borrowed [`StringTable`] whose text was checked as a whole: linking reads each string many times.
#[derive(Clone, Copy, Debug)]
pub struct CheckedStrings<'a> {
    /// All strings, one after the other.
    pub text: &'a str,
    pub ends: &'a [u32],
}

impl<'a> CheckedStrings<'a> {
    /// Returns the string, or the empty one for an id or range that the table does not have.
    #[inline]
    pub fn get(&self, id: StrId) -> &'a str {
        let at = id.0 as usize;
        if at == 0 || at >= self.ends.len() {
            return "";
        }
        self.text.get(self.ends[at - 1] as usize..self.ends[at] as usize).unwrap_or("")
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.len() <= 1
    }
}

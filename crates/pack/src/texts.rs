//! Texts of indexed files: read when needed, checked against the hash, scrubbed of secrets.

use contextd_model::ContentHash;
use std::sync::Arc;

/// Hands out files. The engine makes it; a pack asks for each file once.
pub trait Texts: Sync {
    /// Returns the file as it is now, or `None` when it cannot be read.
    fn read(&self, path: &str) -> Option<FileText>;

    /// Returns the file as it is now: `known` itself when it has not changed since that was read.
    fn read_again(&self, path: &str, known: Option<&Arc<FileText>>) -> Option<Arc<FileText>> {
        let text = self.read(path)?;
        Some(
            known
                .filter(|known| known.hash == text.hash)
                .cloned()
                .unwrap_or_else(|| Arc::new(text)),
        )
    }

    /// Returns the hash of the file as it is now.
    fn hash(&self, path: &str) -> Option<ContentHash> {
        self.read(path).map(|text| text.hash)
    }
}

/// One file.
#[derive(Clone, Debug, Default)]
pub struct FileText {
    pub original: String,
    /// The original without its secrets: what offsets of the index refer to.
    pub scrubbed: String,
    /// Replaced ranges: in the original, and how long the replacement is.
    pub redactions: Vec<Replaced>,
    pub hash: ContentHash,
}

/// A secret that was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced {
    pub start: usize,
    pub end: usize,
    pub length: usize,
}

impl FileText {
    /// Returns a part of the scrubbed text; offsets inside a character move to its start.
    pub fn part(&self, start: u32, end: u32) -> &str {
        let (start, end) = (self.floor(start), self.floor(end));
        self.scrubbed.get(start..end.max(start)).unwrap_or("")
    }

    fn floor(&self, offset: u32) -> usize {
        let mut offset = (offset as usize).min(self.scrubbed.len());
        while !self.scrubbed.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// Returns the UTF-16 offset in the original of an offset in the scrubbed text.
    pub fn utf16(&self, offset: u32) -> u32 {
        let offset = self.original_offset(self.floor(offset));
        let mut offset = offset.min(self.original.len());
        while !self.original.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.original[..offset];
        let units = if before.is_ascii() { before.len() } else { before.encode_utf16().count() };
        units.min(u32::MAX as usize) as u32
    }

    /// Inside a replacement, the place is the start of what was replaced.
    fn original_offset(&self, offset: usize) -> usize {
        let (mut scrubbed, mut original) = (0, 0);
        for replaced in &self.redactions {
            let gap = replaced.start.saturating_sub(original);
            if offset < scrubbed + gap {
                break;
            }
            if offset < scrubbed + gap + replaced.length {
                return replaced.start;
            }
            scrubbed += gap + replaced.length;
            original = replaced.end;
        }
        original + (offset - scrubbed)
    }

    /// True when a secret was replaced inside a part of the scrubbed text.
    pub fn is_redacted(&self, start: u32, end: u32) -> bool {
        let (start, end) =
            (self.original_offset(self.floor(start)), self.original_offset(self.floor(end)));
        self.redactions
            .iter()
            .any(|replaced| replaced.start < end.max(start + 1) && start < replaced.end)
    }
}

/// Cuts a text at the end of a line so that it has at most `bytes` bytes; true when it was cut.
pub fn cut(text: &str, bytes: usize) -> (&str, bool) {
    if text.len() <= bytes {
        return (text, false);
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let line = text[..end].rfind('\n').filter(|&line| line > 0);
    (&text[..line.unwrap_or(end)], true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_are_those_of_the_original() {
        let original = "é = 'sesame-open';\nfn f() {}\n".to_owned();
        let (start, end) = (original.find("sesame").unwrap(), original.find("';").unwrap());
        let scrubbed = original.replace("sesame-open", "[X]");
        let at = scrubbed.find("fn").unwrap() as u32;
        let text = FileText {
            redactions: vec![Replaced { start, end, length: 3 }],
            original: original.clone(),
            scrubbed,
            ..FileText::default()
        };
        assert_eq!(text.part(at, at + 9), "fn f() {}");
        assert_eq!(
            text.utf16(at) as usize,
            original[..original.find("fn").unwrap()].encode_utf16().count()
        );
        assert!(text.is_redacted(0, 10) && !text.is_redacted(at, at + 9));
    }

    proptest! {
        #[test]
        fn cut_texts_fit(text in "(?s).{0,200}", bytes in 0usize..100) {
            let (cut, was) = cut(&text, bytes);
            prop_assert!(cut.len() <= bytes);
            prop_assert_eq!(was, cut.len() < text.len());
            prop_assert!(text.starts_with(cut));
        }
    }
}

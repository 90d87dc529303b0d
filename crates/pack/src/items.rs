//! A candidate → the item that shows it, whole or by its signature.

use crate::build::Inputs;
use crate::ids::{SymbolIds, chunk_uid};
use crate::pack::{ContextItem, Excerpt, Range, Scores, Truncation, Why};
use crate::texts::{FileText, cut};
use contextd_lang::LanguageId;
use contextd_model::SymbolKind;
use contextd_snapshot::Snapshot;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Longest signature shown, in bytes.
const MAX_SIGNATURE: usize = 600;

/// Makes items, reading each file once.
pub struct Shop<'a> {
    inputs: &'a Inputs<'a>,
    ids: SymbolIds<'a>,
    files: RefCell<BTreeMap<u32, Option<Rc<FileText>>>>,
    max_bytes: usize,
}

/// What is shown and where it lies, before it becomes an item.
pub struct Shown<'c> {
    pub symbol: u32,
    pub lines: Option<(u32, u32)>,
    pub body: bool,
    pub scores: &'c Scores,
    pub why: &'c Why,
}

impl<'a> Shop<'a> {
    pub fn new(inputs: &'a Inputs<'a>, max_bytes: usize) -> Self {
        Self { inputs, ids: SymbolIds::new(inputs.sources.snapshot), files: RefCell::default(), max_bytes }
    }

    fn snapshot(&self) -> &'a Snapshot {
        self.inputs.sources.snapshot
    }

    /// Returns the file as it is on disk, when it is as it was indexed.
    fn text(&self, file: u32) -> Option<Rc<FileText>> {
        let mut files = self.files.borrow_mut();
        let entry = files.entry(file).or_insert_with(|| {
            let indexed = self.snapshot().file(file);
            self.inputs.texts.read(indexed.path()).filter(|text| text.hash == indexed.hash()).map(Rc::new)
        });
        entry.clone()
    }

    /// Returns an estimate of the bytes that the body takes.
    pub fn body_bytes(&self, symbol: u32, lines: Option<(u32, u32)>) -> usize {
        let bytes = match lines {
            Some((first, last)) => (last.saturating_sub(first) as usize + 1) * 36,
            None => {
                let detail = self.snapshot().symbol(symbol).detail();
                detail.end.saturating_sub(detail.doc_start.min(detail.start)) as usize
            }
        };
        bytes.min(self.max_bytes)
    }

    /// Returns the item for what is shown.
    pub fn item(&self, shown: &Shown<'_>) -> ContextItem {
        let snapshot = self.snapshot();
        let (symbol, file) = (snapshot.symbol(shown.symbol), snapshot.file_of(shown.symbol));
        let text = self.text(file);
        let detail = symbol.detail();
        let (start, end) = match (&text, shown.lines) {
            (Some(text), Some((first, last))) => line_span(&text.scrubbed, first, last),
            _ if symbol.parent().is_none() => (0, text.as_ref().map_or(0, |text| text.scrubbed.len() as u32)),
            _ => (detail.doc_start.min(detail.start), detail.end),
        };
        let (first, last) = shown.lines.unwrap_or((symbol.start_line(), symbol.end_line()));
        let whole = text.as_ref().map_or(String::new(), |text| text.part(start, end).to_owned());
        let title = title(snapshot, shown.symbol);
        let is_symbol = symbol.parent().is_some() && shown.lines.is_none();
        let label = symbol.qualified().into_owned();
        ContextItem {
            kind: if is_symbol { "symbol" } else { "chunk" }.to_owned(),
            symbol_id: is_symbol.then(|| self.ids.of(shown.symbol)),
            chunk_uid: chunk_uid(symbol.path(), symbol.kind().name(), &format!("{label} {}", if is_symbol { 0 } else { first }), if text.is_some() { &whole } else { &title }),
            file_rel_path: symbol.path().to_owned(),
            range: text.as_ref().map_or(Range { start, end }, |text| Range { start: text.utf16(start), end: text.utf16(end) }),
            lines: Range { start: first, end: last },
            language_id: LanguageId(symbol.language()).name().to_owned(),
            symbol_kind: symbol.kind().name().to_owned(),
            name: if symbol.parent().is_none() { symbol.path().rsplit('/').next().unwrap_or_default().to_owned() } else { label },
            excerpt: self.excerpt(shown, text.as_deref(), (start, end), &title),
            title,
            content_hash: snapshot.file(file).hash().to_hex(),
            stale: text.is_none(),
            known: false,
            scores: shown.scores.clone(),
            why: shown.why.clone(),
        }
    }

    fn excerpt(&self, shown: &Shown<'_>, text: Option<&FileText>, (start, end): (u32, u32), title: &str) -> Excerpt {
        if let Some(text) = text.filter(|_| shown.body) {
            let whole = text.part(start, end).trim_end();
            let (part, truncated) = cut(whole, self.max_bytes);
            let truncation = truncated.then(|| Truncation { max_bytes: self.max_bytes as u64, reason: "maxBytesPerItem".to_owned() });
            return Excerpt { text: dedent(part, text, start), detail: "body".to_owned(), truncated, truncation, redacted: text.is_redacted(start, start + part.len() as u32) };
        }
        let limit = MAX_SIGNATURE.min(self.max_bytes);
        let (part, cut) = cut(title, limit);
        // A signature leaves out the body; it is only cut when it is itself too long.
        let truncation = cut.then(|| Truncation { max_bytes: limit as u64, reason: "maxBytesPerItem".to_owned() });
        Excerpt { text: part.to_owned(), detail: "signature".to_owned(), truncated: cut, truncation, redacted: false }
    }
}

/// Returns the declaration of a symbol, or what stands for it.
pub fn title(snapshot: &Snapshot, symbol: u32) -> String {
    let named = snapshot.symbol(symbol);
    let signature = named.signature();
    match named.kind() {
        SymbolKind::File => named.path().to_owned(),
        _ if !signature.trim().is_empty() => signature,
        kind => format!("{} {}", kind.name(), named.qualified()),
    }
}

/// Takes away the indentation that the first line has in its file from all lines.
fn dedent(part: &str, text: &FileText, start: u32) -> String {
    let before = text.part(0, start);
    let line = before.rsplit('\n').next().unwrap_or("");
    if line.is_empty() || !line.chars().all(|letter| letter == ' ' || letter == '\t') {
        return part.to_owned();
    }
    part.split('\n').map(|each| each.strip_prefix(line).unwrap_or(each)).collect::<Vec<_>>().join("\n")
}

fn line_span(text: &str, first: u32, last: u32) -> (u32, u32) {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.by_ref().nth(first.saturating_sub(1) as usize).unwrap_or(text.len());
    let end = if last < first { start } else { starts.nth(last.saturating_sub(first) as usize).unwrap_or(text.len()) };
    (start as u32, end as u32)
}

#[cfg(test)]
mod tests {
    use super::line_span;

    #[test]
    fn lines_are_found() {
        let text = "one\ntwo\nthree";
        for (first, last, part) in [(1, 1, "one\n"), (2, 3, "two\nthree"), (3, 9, "three"), (1, 3, text), (9, 9, "")] {
            let (start, end) = line_span(text, first, last);
            assert_eq!(&text[start as usize..end as usize], part, "{first}-{last}");
        }
    }
}

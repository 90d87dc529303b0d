//! A candidate → the item that shows it, whole or by its signature.

use crate::build::Inputs;
use crate::held::Shown;
use crate::ids::chunk_uid;
use crate::layer::{Detail, Layer};
use crate::pack::{ContextItem, Excerpt, Range, Scores, Truncation, Why};
use crate::shelf::{FileView, ItemKey, Size};
use crate::similar::words;
use crate::texts::{FileText, Texts, cut};
use crate::tokens::Tokenizer;
use contextd_model::{ContentHash, SymbolKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longest signature shown, in bytes.
const MAX_SIGNATURE: usize = 600;
/// Longest doc comment shown with a signature, in bytes.
const MAX_DOC: usize = 400;
/// Longest line that is shown as it is, in bytes; a longer one is data.
pub const LONGEST_LINE: usize = 400;
/// Members shown in the outline of a type.
const MAX_MEMBERS: usize = 40;

/// A file that an answer was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    pub path: String,
    /// Hash at which it was indexed.
    pub hash: ContentHash,
    /// It was still so when it was read.
    pub fresh: bool,
}

impl Read {
    /// True when reading the file again would give what it gave.
    pub fn holds(&self, texts: &dyn Texts) -> bool {
        (texts.hash(&self.path) == Some(self.hash)) == self.fresh
    }
}

/// Makes items, reading each file once.
pub struct Shop<'a> {
    inputs: &'a Inputs<'a>,
    files: RefCell<BTreeMap<u32, Option<Arc<FileText>>>>,
    /// Details are unpacked from the index file by file, so each file is asked for once.
    views: RefCell<FxHashMap<u32, Arc<FileView>>>,
    max_bytes: usize,
    /// Doc comments stand with signatures.
    documented: bool,
}

/// What is shown and where it lies, before it becomes an item.
#[derive(Clone, Copy)]
pub struct View {
    pub symbol: u32,
    pub lines: Option<(u32, u32)>,
    pub shown: Shown,
}

impl<'a> Shop<'a> {
    pub fn new(inputs: &'a Inputs<'a>, max_bytes: usize, documented: bool) -> Self {
        Self { inputs, files: RefCell::default(), views: RefCell::default(), max_bytes, documented }
    }

    /// Returns the file as it is on disk, when it is as it was indexed.
    fn text(&self, file: u32) -> Option<Arc<FileText>> {
        let layer = self.inputs.layer;
        let read = || {
            self.inputs
                .shelf
                .text(self.inputs.texts, layer.file_path(file))
                .filter(|text| text.hash == layer.file_hash(file))
        };
        self.files.borrow_mut().entry(file).or_insert_with(read).clone()
    }

    fn view(&self, file: u32) -> Arc<FileView> {
        self.views
            .borrow_mut()
            .entry(file)
            .or_insert_with(|| self.inputs.shelf.view(self.inputs.layer, file))
            .clone()
    }

    /// Returns the file of a symbol and the symbol's place in it.
    fn place(&self, symbol: u32) -> (u32, u32) {
        let file = self.inputs.layer.file_number(symbol);
        (file, symbol.saturating_sub(self.inputs.layer.file_range(file).start))
    }

    /// Reads offsets and texts of a symbol, which are the shelf's.
    fn detail<T>(&self, symbol: u32, read: impl FnOnce(&Detail) -> T) -> T {
        let (file, at) = self.place(symbol);
        match self.view(file).detail(at) {
            Some(detail) => read(detail),
            None => read(&Detail::default()),
        }
    }

    fn id(&self, symbol: u32) -> String {
        let (file, at) = self.place(symbol);
        self.view(file).id(self.inputs.layer, file, at)
    }

    /// Returns how large the declaration of a symbol is, with its words.
    pub fn size(&self, symbol: u32, tokenizer: Tokenizer) -> Size {
        let (file, at) = self.place(symbol);
        self.view(file).size((at, self.documented, tokenizer), || {
            let text = self.signature(symbol);
            Size {
                tokens: tokenizer.count(cut(&text, MAX_SIGNATURE).0) as u32,
                words: words(&text),
            }
        })
    }

    fn title(&self, symbol: u32) -> String {
        self.detail(symbol, |detail| title_of(self.inputs.layer, symbol, &detail.signature))
    }

    /// Returns the files that were read, with whether each was as it was indexed.
    pub fn reads(&self) -> Vec<Read> {
        self.files
            .borrow()
            .iter()
            .map(|(&file, text)| Read {
                path: self.inputs.layer.file_path(file).to_owned(),
                hash: self.inputs.layer.file_hash(file),
                fresh: text.is_some(),
            })
            .collect()
    }

    /// Returns an estimate of the bytes that the body takes.
    pub fn body_bytes(&self, symbol: u32, lines: Option<(u32, u32)>) -> usize {
        let bytes = match lines {
            Some((first, last)) => (last.saturating_sub(first) as usize + 1) * 36,
            None => self.detail(symbol, |detail| {
                detail.end.saturating_sub(detail.doc_start.min(detail.start)) as usize
            }),
        };
        bytes.min(self.max_bytes)
    }

    /// True when the caller says that it has something of the symbol.
    pub fn may_be_held(&self, symbol: u32) -> bool {
        !self.inputs.held.is_empty() && self.inputs.held.may_hold(&self.id(symbol))
    }

    /// Returns the declaration that stands for a symbol, with its doc comment where that is wanted.
    pub fn signature(&self, symbol: u32) -> String {
        let title = self.title(symbol);
        if !self.documented {
            return title;
        }
        self.detail(symbol, |detail| match cut(detail.doc.trim(), MAX_DOC).0 {
            "" => title,
            doc => format!("{title}\n{doc}"),
        })
    }

    /// Returns the members that the outline of a type lists.
    pub fn outlined(&self, symbol: u32) -> Vec<u32> {
        let layer = self.inputs.layer;
        if !layer.kind(symbol).is_type() {
            return Vec::new();
        }
        let inside = layer
            .file_range(layer.file_number(symbol))
            .skip_while(|&other| other <= symbol)
            .take_while(|&other| layer.lines(other).0 <= layer.lines(symbol).1);
        inside.filter(|&other| layer.parent(other) == Some(symbol)).take(MAX_MEMBERS).collect()
    }

    /// Returns a type's declaration with those of its members, or nothing when it has none.
    pub fn outline(&self, symbol: u32) -> Option<String> {
        let lines: Vec<String> = self
            .outlined(symbol)
            .into_iter()
            .map(|member| format!("  {}", one_line(&self.title(member))))
            .collect();
        (!lines.is_empty())
            .then(|| format!("{}\n{}", one_line(&self.signature(symbol)), lines.join("\n")))
    }

    /// Returns the tokens of what [`Shop::outline`] returns.
    pub fn outline_tokens(&self, symbol: u32, tokenizer: Tokenizer) -> Option<u32> {
        let (file, at) = self.place(symbol);
        self.view(file).outline_tokens((at, self.documented, tokenizer), || {
            self.outline(symbol).map(|outline| tokenizer.count(&outline) as u32)
        })
    }

    /// Returns lines of the file of a symbol, when it is as it was indexed.
    pub fn lines(&self, symbol: u32, first: u32, last: u32) -> Option<Vec<String>> {
        let (file, _) = self.place(symbol);
        let text = self.text(file)?;
        let (start, end) = line_span(&text.scrubbed, first, last);
        let part = text.part(start, end);
        Some(part.strip_suffix('\n').unwrap_or(part).split('\n').map(shortened).collect())
    }

    /// Returns an excerpt with chosen lines of a symbol's file, as they stand there.
    pub fn numbered(&self, symbol: u32, ranges: &[(u32, u32)]) -> Option<Excerpt> {
        let (file, _) = self.place(symbol);
        let text = self.text(file)?;
        let mut lines: Vec<String> = Vec::new();
        let mut redacted = false;
        for &(first, last) in ranges {
            let (start, end) = line_span(&text.scrubbed, first, last);
            redacted |= text.is_redacted(start, end);
            lines.extend(self.lines(symbol, first, last)?);
        }
        Some(Excerpt {
            redacted,
            lines: ranges.iter().map(|&(start, end)| Range { start, end }).collect(),
            ..Excerpt::of(lines.join("\n"), Shown::Lines, None)
        })
    }

    /// Returns the item for what is shown.
    pub fn item(&self, view: &View, scores: &Scores, why: Why) -> ContextItem {
        let (file, at) = self.place(view.symbol);
        let text = self.text(file);
        let key = ItemKey {
            view: self.view(file).number,
            at,
            lines: view.lines,
            shown: view.shown,
            max_bytes: self.max_bytes,
            documented: self.documented,
            fresh: text.is_some(),
        };
        let made = self.inputs.shelf.item(key, || self.bare(view, file, text.as_ref()));
        let mut item = ContextItem { scores: scores.clone(), why, ..ContextItem::clone(&made) };
        if self.inputs.held.has(item.symbol_id.as_deref(), &item.chunk_uid, view.shown) {
            item.excerpt = Excerpt::held();
        }
        item
    }

    /// Returns the item without its scores and reasons: it follows from the content of its file alone.
    fn bare(&self, view: &View, file: u32, text: Option<&Arc<FileText>>) -> ContextItem {
        let layer = self.inputs.layer;
        let symbol = view.symbol;
        let (start, end) = match (text, view.lines) {
            (Some(text), Some((first, last))) => line_span(&text.scrubbed, first, last),
            _ if layer.is_file(symbol) => (0, text.map_or(0, |text| text.scrubbed.len() as u32)),
            _ => self.detail(symbol, |detail| (detail.doc_start.min(detail.start), detail.end)),
        };
        let (first, last) = view.lines.unwrap_or(layer.lines(symbol));
        let whole = text.map_or("", |text| text.part(start, end));
        let title = self.title(symbol);
        let is_symbol = !layer.is_file(symbol) && view.lines.is_none();
        let label = layer.qualified(symbol).into_owned();
        let kind = layer.kind(symbol);
        let path = layer.path(symbol);
        let uid = chunk_uid(
            path,
            kind.name(),
            &format!("{label} {}", if is_symbol { 0 } else { first }),
            if text.is_some() { whole } else { &title },
        );
        ContextItem {
            kind: if is_symbol { "symbol" } else { "chunk" }.to_owned(),
            file_rel_path: path.to_owned(),
            range: text.map_or(Range { start, end }, |text| Range {
                start: text.utf16(start),
                end: text.utf16(end),
            }),
            lines: Range { start: first, end: last },
            language_id: layer.language(symbol).to_owned(),
            symbol_kind: kind.name().to_owned(),
            name: if layer.is_file(symbol) {
                path.rsplit('/').next().unwrap_or_default().to_owned()
            } else {
                label
            },
            excerpt: self.excerpt(view, text.map(|text| &**text), (start, end)),
            title,
            content_hash: layer.file_hash(file).to_hex(),
            stale: text.is_none(),
            known: false,
            scores: Scores::default(),
            why: Why::default(),
            symbol_id: is_symbol.then(|| self.id(symbol)),
            chunk_uid: uid,
        }
    }

    fn excerpt(&self, view: &View, text: Option<&FileText>, (start, end): (u32, u32)) -> Excerpt {
        if let Some(text) = text.filter(|_| view.shown == Shown::Body) {
            let whole = text.part(start, end).trim_end();
            let (part, truncated) = cut(whole, self.max_bytes);
            return Excerpt {
                redacted: text.is_redacted(start, start + part.len() as u32),
                ..Excerpt::of(
                    dedent(part, text, start),
                    Shown::Body,
                    truncated.then_some(self.max_bytes),
                )
            };
        }
        let outline = (view.shown == Shown::Outline).then(|| self.outline(view.symbol)).flatten();
        let (shown, limit, all) = match outline {
            Some(outline) => (Shown::Outline, self.max_bytes, outline),
            None => {
                (Shown::Signature, MAX_SIGNATURE.min(self.max_bytes), self.signature(view.symbol))
            }
        };
        let (part, was_cut) = cut(&all, limit);
        // What leaves out the body is only cut when it is itself too long.
        Excerpt::of(part.to_owned(), shown, was_cut.then_some(limit))
    }
}

impl Excerpt {
    fn of(text: String, shown: Shown, cut_at: Option<usize>) -> Excerpt {
        let truncation = cut_at.map(|limit| Truncation {
            max_bytes: limit as u64,
            reason: "maxBytesPerItem".to_owned(),
        });
        Excerpt {
            text,
            detail: shown.name().to_owned(),
            truncated: truncation.is_some(),
            truncation,
            redacted: false,
            lines: Vec::new(),
        }
    }

    /// Stands for a text that the caller has.
    fn held() -> Excerpt {
        Excerpt {
            text: String::new(),
            detail: "held".to_owned(),
            truncated: false,
            truncation: None,
            redacted: false,
            lines: Vec::new(),
        }
    }
}

/// Returns a line without its end; of one that is too long, what it is.
pub fn shortened(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    if line.len() <= LONGEST_LINE {
        line.to_owned()
    } else {
        format!("… a line of {} characters", line.chars().count())
    }
}

/// Returns the declaration of a symbol, or what stands for it.
pub fn title(layer: &dyn Layer, symbol: u32) -> String {
    title_of(layer, symbol, &layer.detail(symbol).signature)
}

fn title_of(layer: &dyn Layer, symbol: u32, signature: &str) -> String {
    match layer.kind(symbol) {
        SymbolKind::File => layer.path(symbol).to_owned(),
        _ if !signature.trim().is_empty() => signature.to_owned(),
        kind => format!("{} {}", kind.name(), layer.qualified(symbol)),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Takes away the indentation that the first line has in its file from all lines.
fn dedent(part: &str, text: &FileText, start: u32) -> String {
    let before = text.part(0, start);
    let line = before.rsplit('\n').next().unwrap_or("");
    if line.is_empty() || !line.chars().all(|letter| letter == ' ' || letter == '\t') {
        return part.to_owned();
    }
    part.split('\n')
        .map(|each| each.strip_prefix(line).unwrap_or(each))
        .collect::<Vec<_>>()
        .join("\n")
}

fn line_span(text: &str, first: u32, last: u32) -> (u32, u32) {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.by_ref().nth(first.saturating_sub(1) as usize).unwrap_or(text.len());
    let end = if last < first {
        start
    } else {
        starts.nth(last.saturating_sub(first) as usize).unwrap_or(text.len())
    };
    (start as u32, end as u32)
}

#[cfg(test)]
mod tests {
    use super::line_span;

    #[test]
    fn lines_are_found() {
        let text = "one\ntwo\nthree";
        for (first, last, part) in
            [(1, 1, "one\n"), (2, 3, "two\nthree"), (3, 9, "three"), (1, 3, text), (9, 9, "")]
        {
            let (start, end) = line_span(text, first, last);
            assert_eq!(&text[start as usize..end as usize], part, "{first}-{last}");
        }
    }
}

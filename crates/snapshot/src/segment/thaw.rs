//! Everything that files were frozen from, put together again: freezing it once more gives the same
//! bytes. Only offsets of references are lost; nothing that is frozen depends on them.

use super::{LinkRows, Segment, Wanted};
use crate::beside::beside;
use contextd_model::facts::{CellRow, FactsView, FileFacts, FileText, TermRow};
use contextd_model::{StrId, StringTable};

impl Segment {
    /// Returns the facts of some files of the segment, `None` for those that are damaged. Words lie by
    /// term and not by file, so many files cost little more than one.
    pub fn thaw(&self, files: &[u32]) -> Vec<Option<FileFacts>> {
        let mut rows = LinkRows::default();
        let mut facts_of = |&file: &u32| owned(&self.facts(file, Wanted::All, &mut rows)?);
        let (texts, facts) = beside(
            true,
            || self.texts(files),
            || files.iter().map(&mut facts_of).collect::<Vec<Option<FileFacts>>>(),
        );
        facts
            .into_iter()
            .zip(texts)
            .map(|(facts, text)| Some(FileFacts { text, ..facts? }))
            .collect()
    }

    fn texts(&self, files: &[u32]) -> Vec<FileText> {
        let mut drafts: Vec<Draft> = files.iter().map(|_| Draft::default()).collect();
        // Which draft each cell of the segment belongs to, and its first cell.
        let mut owners = vec![(u32::MAX, 0); self.cell_count() as usize];
        for (number, &file) in files.iter().enumerate() {
            let cells = self.cells_of_file(file);
            owners[cells.start as usize..cells.end as usize].fill((number as u32, cells.start));
        }
        let mut number = 0;
        self.dictionary().with_prefix("", |term, postings| {
            number += 1;
            postings.cells.for_each(|cell, count| {
                let owner = owners.get(cell as usize).copied();
                if let Some((draft, first)) =
                    owner.and_then(|(owner, first)| Some((drafts.get_mut(owner as usize)?, first)))
                {
                    draft.push(number, term, cell - first, count);
                }
            });
            true
        });
        files.iter().zip(drafts).map(|(&file, draft)| draft.finish(self, file)).collect()
    }
}

/// The words of one file while terms go by.
#[derive(Default)]
struct Draft {
    strings: StringTable,
    /// Number of the term that the last string is.
    last: u32,
    /// Cell in the file, term, count.
    rows: Vec<(u32, StrId, u32)>,
}

impl Draft {
    fn push(&mut self, number: u32, term: &str, cell: u32, count: u32) {
        if self.last != number {
            self.last = number;
            self.strings.push(term);
        }
        let id = StrId(self.strings.len() as u32 - 1);
        self.rows.push((cell, id, count));
    }

    /// Puts the words by cell; they rise already, as terms went by.
    fn finish(self, segment: &Segment, file: u32) -> FileText {
        let cells = segment.cells_of_file(file);
        let mut counts = vec![0u32; cells.len()];
        self.rows.iter().for_each(|&(cell, ..)| counts[cell as usize] += 1);
        let begin = |end: &mut u32, count: u32| Some(std::mem::replace(end, *end + count));
        let mut ends: Vec<u32> = counts.into_iter().scan(0, begin).collect();
        let mut terms = vec![TermRow { term: StrId::EMPTY, count: 0 }; self.rows.len()];
        for (cell, term, count) in self.rows {
            let next = &mut ends[cell as usize];
            terms[*next as usize] = TermRow { term, count };
            *next += 1;
        }
        let cells = cells
            .zip(ends)
            .map(|(cell, terms_end)| CellRow { terms_end, ..segment.cell_row(cell) });
        FileText { cells: cells.collect(), terms, strings: self.strings }
    }
}

/// Copies a view; `None` when its strings are no text.
fn owned(view: &FactsView<'_>) -> Option<FileFacts> {
    let length = view.strings.ends.last().map_or(0, |&end| end as usize);
    let strings = StringTable {
        bytes: view.strings.text.get(..length)?.to_owned(),
        ends: view.strings.ends.to_vec(),
    };
    Some(FileFacts {
        language: view.language,
        flags: view.flags,
        lines: view.lines,
        size: view.size,
        package: view.package,
        strings,
        symbols: view.symbols.to_vec(),
        refs: view.refs.to_vec(),
        imports: view.imports.to_vec(),
        bases: view.bases.to_vec(),
        bindings: view.bindings.to_vec(),
        chunks: view.chunks.to_vec(),
        text: FileText::default(),
    })
}

//! CODEOWNERS: a rule a line, its pattern the name and its owners the type.

use super::Hooks;
use crate::intern::Interner;
use contextd_model::facts::{FILE_SYMBOL, FileFacts, NONE, SymbolRow};
use contextd_model::{SymbolKind, Visibility};

pub struct CodeOwners;

impl Hooks for CodeOwners {
    fn extract(&self, text: &str) -> Option<FileFacts> {
        let mut strings = Interner::default();
        let mut symbols = vec![SymbolRow {
            kind: SymbolKind::File as u8,
            parent: NONE,
            end: text.len() as u32,
            start_line: 1,
            name_line: 1,
            ..SymbolRow::default()
        }];
        let mut start = 0;
        for (number, whole) in text.split_inclusive('\n').enumerate() {
            let line = whole.trim();
            let at = start + (whole.len() - whole.trim_start().len());
            start += whole.len();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (pattern, owners) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let name = strings.intern(pattern);
            symbols.push(SymbolRow {
                name,
                qualified: name,
                signature: strings.intern(line),
                type_text: strings.intern(owners.trim()),
                parent: FILE_SYMBOL,
                start: at as u32,
                end: (at + line.len()) as u32,
                doc_start: at as u32,
                body_start: (at + line.len()) as u32,
                name_start: at as u32,
                start_line: number as u32 + 1,
                end_line: number as u32 + 1,
                name_line: number as u32 + 1,
                kind: SymbolKind::Key as u8,
                visibility: Visibility::Public as u8,
                ..SymbolRow::default()
            });
        }
        Some(FileFacts { strings: strings.table, symbols, ..FileFacts::default() })
    }
}

//! The floor that the speed of an index is measured against: the parsers' library as it comes, on the system's
//! allocator, one parser for each language and thread.

use contextd_lang::LanguageId;
use contextd_lang::extract::readable;
use std::cell::RefCell;
use std::collections::BTreeMap;
use tree_sitter::Parser;

thread_local! {
    static PARSERS: RefCell<BTreeMap<LanguageId, Parser>> = const { RefCell::new(BTreeMap::new()) };
}

/// Parses a text and drops the tree; true when there was one.
pub fn parse(text: &str, language: LanguageId) -> bool {
    let Some((grammar, text)) = readable(text, language) else { return false };
    PARSERS.with_borrow_mut(|parsers| {
        let parser = parsers.entry(language).or_insert_with(|| {
            let mut parser = Parser::new();
            if let Err(error) = parser.set_language(&grammar) {
                eprintln!("error: {error}");
            }
            parser
        });
        parser.reset();
        parser.parse(text.as_bytes(), None).is_some()
    })
}

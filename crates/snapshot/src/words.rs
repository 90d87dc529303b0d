//! The words of a text, as the full-text index and queries know them.

use contextd_lang::terms::Terms;
use std::cell::RefCell;

thread_local! {
    /// Stems already computed on this thread; most words of a repository repeat.
    static TERMS: RefCell<Terms> = RefCell::default();
}

/// Calls `each` with every word of `text`: split, lower-cased, stemmed.
pub(crate) fn for_each_word(text: &str, mut each: impl FnMut(&str)) {
    TERMS.with_borrow_mut(|terms| terms.words(text, &mut each));
}

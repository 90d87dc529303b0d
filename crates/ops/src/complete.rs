//! Names that an argument may become: of stored packs and of symbols.

use crate::context::Context;
use contextd_store::Ledger;
use std::collections::BTreeSet;

/// Packs that are offered.
const PACKS: usize = 100;
/// Symbols that are looked at for one completion.
const LOOKED_AT: u32 = 400_000;

/// Returns the ids of the newest stored packs that start so.
pub fn packs_starting(context: &Context, begin: &str) -> Vec<String> {
    let listed = context.engine.ledger().and_then(|ledger| Ok(ledger.list_packs(PACKS)?));
    listed
        .map(|packs| {
            packs.into_iter().map(|pack| pack.pack_id).filter(|id| id.starts_with(begin)).collect()
        })
        .unwrap_or_default()
}

/// Returns the qualified names of symbols whose own name starts so, in order; none for an empty start.
pub fn symbols_starting(context: &Context, begin: &str) -> Vec<String> {
    let Ok(reader) = context.reader() else { return Vec::new() };
    if begin.is_empty() {
        return Vec::new();
    }
    let mut found = BTreeSet::new();
    for number in 0..reader.snapshot.symbol_count().min(LOOKED_AT) {
        let symbol = reader.snapshot.symbol(number);
        if symbol.kind().is_code() && starts(symbol.name(), begin) {
            found.insert(symbol.qualified().into_owned());
        }
    }
    found.into_iter().collect()
}

/// True when a name starts so, in capitals or not.
pub fn starts(name: &str, begin: &str) -> bool {
    name.len() >= begin.len()
        && name.is_char_boundary(begin.len())
        && name[..begin.len()].eq_ignore_ascii_case(begin)
}

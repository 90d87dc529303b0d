//! Completions of arguments: names of schemas, stored packs and symbols.

use crate::served::Served;
use contextd_ops::{OPERATIONS, SCHEMAS};
use contextd_store::Ledger;
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo};
use std::collections::BTreeSet;

/// Symbols that are looked at for one completion.
const LOOKED_AT: u32 = 400_000;

/// Returns what an argument may become.
pub fn complete(served: &Served, request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let begin = request.argument.value.as_str();
    let values: Vec<String> = match request.argument.name.as_str() {
        "name" => SCHEMAS.iter().map(|(name, _)| *name).chain(OPERATIONS.iter().map(|operation| operation.name)).filter(|name| starts(name, begin)).map(str::to_owned).collect(),
        "id" => packs(served).into_iter().filter(|id| id.starts_with(begin)).collect(),
        "symbol" => symbols(served, begin),
        _ => Vec::new(),
    };
    let total = values.len() as u32;
    let shown: Vec<String> = values.into_iter().take(CompletionInfo::MAX_VALUES).collect();
    let more = (shown.len() as u32) < total;
    let info = CompletionInfo::with_pagination(shown, Some(total), more).map_err(|why| ErrorData::internal_error(why, None))?;
    Ok(CompleteResult::new(info))
}

fn starts(name: &str, begin: &str) -> bool {
    name.len() >= begin.len() && name.is_char_boundary(begin.len()) && name[..begin.len()].eq_ignore_ascii_case(begin)
}

fn packs(served: &Served) -> Vec<String> {
    let listed = served.root().context.engine.ledger().and_then(|ledger| Ok(ledger.list_packs(100)?));
    listed.map(|packs| packs.into_iter().map(|pack| pack.pack_id).collect()).unwrap_or_default()
}

fn symbols(served: &Served, begin: &str) -> Vec<String> {
    let root = served.root();
    let Ok(reader) = root.context.reader() else { return Vec::new() };
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

//! Completions of arguments: names of schemas, stored packs and symbols.

use crate::served::Served;
use contextd_ops::complete::{packs_starting, starts, symbols_starting};
use contextd_ops::{OPERATIONS, schema_names};
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo};

/// Returns what an argument may become.
pub fn complete(
    served: &Served,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let begin = request.argument.value.as_str();
    let values: Vec<String> = match request.argument.name.as_str() {
        "name" => schema_names()
            .chain(OPERATIONS.iter().map(|operation| operation.name))
            .filter(|name| starts(name, begin))
            .map(str::to_owned)
            .collect(),
        "id" => packs_starting(&served.root().context, begin),
        "symbol" => symbols_starting(&served.root().context, begin),
        _ => Vec::new(),
    };
    let total = values.len() as u32;
    let shown: Vec<String> = values.into_iter().take(CompletionInfo::MAX_VALUES).collect();
    let more = (shown.len() as u32) < total;
    let info = CompletionInfo::with_pagination(shown, Some(total), more)
        .map_err(|why| ErrorData::internal_error(why, None))?;
    Ok(CompleteResult::new(info))
}

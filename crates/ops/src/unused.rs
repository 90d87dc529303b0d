//! Symbols that nothing in the index leads to: where a search for dead code may begin.

use crate::context::Context;
use crate::error::OpError;
use contextd_model::{EdgeKind, Visibility};

/// Returns callables and types that no edge leads to, as `qualified (path:line)`, private ones first.
/// Entry points, what frameworks call and what other repositories use look the same from here.
pub fn unused(context: &Context, within: &str, limit: usize) -> Result<Vec<String>, OpError> {
    let reader = context.reader()?;
    let (snapshot, graph) = (&reader.snapshot, reader.snapshot.graph());
    let within = within.trim_start_matches("./").trim_end_matches('/');
    let mut found: Vec<(bool, String)> = Vec::new();
    for number in 0..snapshot.symbol_count() {
        let symbol = snapshot.symbol(number);
        let wanted = (symbol.kind().is_callable() || symbol.kind().is_type())
            && !reader.catalog.is_test(number);
        let inside = within.is_empty()
            || symbol
                .path()
                .strip_prefix(within)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if !wanted || !inside {
            continue;
        }
        let led_to = graph.incoming(number).any(|(source, edge)| {
            source != number
                && !matches!(
                    edge.kind(),
                    EdgeKind::Contains
                        | EdgeKind::MemberOf
                        | EdgeKind::Exports
                        | EdgeKind::Documents
                        | EdgeKind::OwnedBy
                )
        });
        if !led_to {
            let public = symbol.visibility() == Visibility::Public;
            found.push((
                public,
                format!("{} ({}:{})", symbol.qualified(), symbol.path(), symbol.start_line()),
            ));
        }
    }
    found.sort();
    Ok(found.into_iter().take(limit).map(|(_, line)| line).collect())
}

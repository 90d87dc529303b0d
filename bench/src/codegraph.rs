//! Size and time of CodeGraphContext for many entities of one repository.

use crate::repositories::open;
use contextd_pack::Tokenizer;
use contextd_pack::codegraph::{QueryContext, code_graph};
use std::path::Path;

/// Entities that are asked for.
const QUERIES: u32 = 120;

pub fn run(words: &[String]) -> Result<(), String> {
    let [root, rest @ ..] = words else {
        return Err("usage: contextd-bench codegraph CHECKOUT [HOPS]".to_owned());
    };
    let hops = rest.first().and_then(|hops| hops.parse().ok()).unwrap_or(2);
    let context = open(Path::new(root))?;
    let snapshot =
        context.engine.snapshot().map_err(|error| error.to_string())?.ok_or("there is no index")?;
    let wanted: Vec<u32> = (0..snapshot.symbol_count())
        .filter(|&symbol| {
            snapshot.symbol(symbol).kind().is_code() && snapshot.symbol(symbol).parent().is_some()
        })
        .collect();
    // The most used ones have the largest surroundings; the rest is spread over the repository.
    let mut hubs = wanted.clone();
    hubs.sort_by_key(|&symbol| (std::cmp::Reverse(snapshot.graph().sources(symbol).len()), symbol));
    let step = (wanted.len() as u32 / QUERIES).max(1) as usize;
    let asked: Vec<u32> =
        hubs.into_iter().take(20).chain(wanted.iter().copied().step_by(step)).collect();
    let ids = contextd_pack::SymbolIds::new(&snapshot);
    let tokenizer = Tokenizer::O200k;
    tokenizer.count("the vocabulary is loaded once");
    let (mut times, mut most, mut refused) = (Vec::new(), 0u64, 0);
    for symbol in asked {
        let query = QueryContext {
            base_entities: vec![ids.of(symbol)],
            hop_depth: hops,
            ..QueryContext::default()
        };
        let start = crate::cpu();
        let made = code_graph(&snapshot, &query, "2026-01-01T00:00:00Z", tokenizer);
        times.push((crate::cpu() - start) * 1e3);
        match made {
            Ok(graph) => {
                let counted = graph.count(tokenizer);
                if graph.token_count != counted
                    || tokenizer.count(&graph.text()) as u64 > graph.query_context.size_limit
                {
                    return Err(format!(
                        "{}: token_count {} but {counted} counted",
                        query.base_entities[0], graph.token_count
                    ));
                }
                most = most.max(graph.token_count);
            }
            Err(error) => {
                refused += 1;
                println!("{}: {}", query.base_entities[0], error.message);
            }
        }
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{} symbols, {} queries of {hops} hops: CPU p50 {:.0} ms, p95 {:.0} ms, worst {:.0} ms; largest {most} tokens, every count exact, {refused} refused",
        snapshot.symbol_count(),
        times.len(),
        times[times.len() / 2],
        times[times.len() * 95 / 100],
        times[times.len() - 1]
    );
    Ok(())
}

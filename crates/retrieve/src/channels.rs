//! Channels: each looks at a request in one way and returns symbols, best first. Fused, they seed the
//! walk and rank by themselves where a fusion of lists is asked for instead of the fitted sum.

mod docs;
mod graph;
mod history;
mod names;
mod paths;
mod text;

use crate::lexical::Lexical;
use crate::providers::Provider;
use crate::task::{Sources, top};
use crate::understand::Query;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What a channel reads.
pub struct Found<'s> {
    pub sources: &'s Sources<'s>,
    pub query: &'s Query,
    pub lexical: &'s Lexical<'s>,
    /// What the walk reached, with its mass.
    pub walked: &'s [(u32, f32)],
    /// Files that commits point to, with scores.
    pub git: &'s [(u32, f32)],
    /// Symbols that matching documentation names, with scores.
    pub prose: &'s FxHashMap<u32, f32>,
}

/// One way to look at a request.
pub trait Channel: Sync {
    /// Name by which the channel is weighed and explained.
    fn id(&self) -> &'static str;
    /// The provider it belongs to, by which configuration selects and weighs it.
    fn provider(&self) -> Provider;
    /// Weight in a fusion unless something else is said.
    fn weight(&self) -> f32;
    /// Returns symbols with scores, in any order.
    fn scores(&self, found: &Found<'_>) -> Vec<(u32, f32)>;
}

/// All channels; a new one is a file and a line here.
pub const CHANNELS: &[&dyn Channel] =
    &[&names::Names, &text::Text, &paths::Paths, &docs::Docs, &history::History, &graph::Graph];

/// Longest list of one channel.
const LONGEST: usize = 400;

/// One channel's answer, best first.
#[derive(Clone, Debug)]
pub struct List {
    pub channel: &'static str,
    pub weight: f32,
    pub symbols: Vec<(u32, f32)>,
}

/// Asks the channels that have a weight. Tests and foreign code are lowered, what is no code is left out.
pub fn lists(found: &Found<'_>, weights: &BTreeMap<String, f32>) -> Vec<List> {
    let weight = |channel: &dyn Channel| {
        weights.get(channel.id()).copied().unwrap_or_else(|| channel.weight())
    };
    let Sources { catalog, parameters, .. } = *found.sources;
    let list = |channel: &dyn Channel| {
        let scored = channel
            .scores(found)
            .into_iter()
            .filter(|&(symbol, score)| score > 0.0 && catalog.is_code(symbol));
        let scored = scored
            .map(|(symbol, score)| {
                (symbol, score * parameters.prior(catalog.flags[symbol as usize], found.query))
            })
            .collect();
        List { channel: channel.id(), weight: weight(channel), symbols: top(scored, LONGEST) }
    };
    CHANNELS
        .iter()
        .filter(|channel| weight(**channel) > 0.0)
        .map(|channel| list(*channel))
        .collect()
}

//! Full text: words in the fields of a symbol, weighed by field and rarity.

use super::{Channel, Found};
use crate::providers::Provider;

pub struct Text;

impl Channel for Text {
    fn id(&self) -> &'static str {
        "text"
    }

    fn provider(&self) -> Provider {
        Provider::FullText
    }

    fn weight(&self) -> f32 {
        2.0
    }

    fn scores(&self, found: &Found<'_>) -> Vec<(u32, f32)> {
        found
            .lexical
            .symbol_hits
            .iter()
            .map(|&symbol| (symbol, found.lexical.symbols[symbol as usize]))
            .collect()
    }
}

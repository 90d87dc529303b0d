//! Documentation: symbols that matching sections name in code form.

use super::{Channel, Found};
use crate::providers::Provider;

pub struct Docs;

impl Channel for Docs {
    fn id(&self) -> &'static str {
        "docs"
    }

    fn provider(&self) -> Provider {
        Provider::FullText
    }

    fn weight(&self) -> f32 {
        1.0
    }

    fn scores(&self, found: &Found<'_>) -> Vec<(u32, f32)> {
        found.prose.iter().map(|(&symbol, &score)| (symbol, score)).collect()
    }
}

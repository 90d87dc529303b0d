//! Graph: what a walk over the edges reaches from the best matches.

use super::{Channel, Found};
use crate::providers::Provider;

pub struct Graph;

impl Channel for Graph {
    fn id(&self) -> &'static str {
        "graph"
    }

    fn provider(&self) -> Provider {
        Provider::Dependency
    }

    fn weight(&self) -> f32 {
        1.0
    }

    fn scores(&self, found: &Found<'_>) -> Vec<(u32, f32)> {
        found.walked.to_vec()
    }
}

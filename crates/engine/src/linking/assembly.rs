//! Edges of single files → the edges of all, in their final order.

use super::parts::Parts;
use contextd_link::Links;
use contextd_model::graph::EdgeRow;

/// Collects the edges of files, file by file.
pub struct Assembly<'f> {
    first: &'f [u32],
    /// End of each symbol's own edges.
    ends: Vec<u32>,
    own: Vec<EdgeRow>,
}

impl<'f> Assembly<'f> {
    /// Starts with the number of each file's first symbol and the total.
    pub fn new(first: &'f [u32]) -> Self {
        let symbols = first.last().copied().unwrap_or(0) as usize;
        Self { first, ends: Vec::with_capacity(symbols), own: Vec::new() }
    }

    /// Adds the next file's own edges, sorted by source.
    pub fn push_file(&mut self, edges: &[(u32, EdgeRow)]) {
        for (source, edge) in edges {
            self.close_up_to(*source);
            self.own.push(*edge);
        }
    }

    /// Adds the next symbol's own edges.
    pub fn push_symbol(&mut self, symbol: u32, edges: impl IntoIterator<Item = EdgeRow>) {
        self.close_up_to(symbol);
        self.own.extend(edges);
    }

    fn close_up_to(&mut self, symbol: u32) {
        let end = self.own.len() as u32;
        self.ends.resize((symbol as usize).max(self.ends.len()), end);
    }

    /// Adds what files say of each other, and finds communities where they are not known.
    pub fn finish(mut self, parts: &Parts, communities: Option<Vec<u32>>) -> Links {
        let symbols = self.first.last().copied().unwrap_or(0);
        self.close_up_to(symbols);
        let joined = merged(parts);
        let mut joined = joined.as_slice();
        let mut links = Links { offsets: Vec::with_capacity(symbols as usize + 1), edges: Vec::with_capacity(self.own.len() + joined.len()), unresolved: parts.unresolved(), communities: Vec::new() };
        links.offsets.push(0);
        let mut start = 0;
        for symbol in 0..symbols {
            let at = links.edges.len();
            let end = self.ends[symbol as usize] as usize;
            links.edges.extend_from_slice(&self.own[start..end]);
            let more = joined.partition_point(|(source, _)| *source <= symbol);
            links.edges.extend(joined[..more].iter().map(|(_, edge)| *edge));
            links.edges[at..].sort_unstable_by_key(|edge| (edge.kind, edge.target));
            links.offsets.push(links.edges.len() as u32);
            (start, joined) = (end, &joined[more..]);
        }
        drop(self.own);
        links.communities = communities.unwrap_or_else(|| contextd_link::communities(&links, self.first));
        links
    }
}

/// Joins the shares of all files; the same edge from several is one that counts as often.
fn merged(parts: &Parts) -> Vec<(u32, EdgeRow)> {
    let mut joined: Vec<(u32, EdgeRow)> = parts.files.iter().flat_map(|part| part.joined.iter().copied()).collect();
    joined.sort_unstable_by_key(|(source, edge)| (*source, edge.kind, edge.target));
    joined.dedup_by(|(later_source, later), (source, edge)| {
        let same = (*later_source, later.kind, later.target) == (*source, edge.kind, edge.target);
        if same {
            edge.count = edge.count.saturating_add(later.count);
        }
        same
    });
    joined
}

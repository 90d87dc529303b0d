//! The graph compact format: a graph in few tokens, whole, as what is new in a session, as a difference,
//! or as a stream.

mod decode;
mod decode_delta;
mod delta;
mod encode;
mod root;
mod session;
mod stream;

pub use decode::{DecodeError, Decoded, decode};
pub use delta::{Delta, delta, delta_text};
pub use encode::{encode, unchanged};
pub use root::pack_root;
pub use session::{Session, encode_session};
pub use stream::stream;

use crate::graph::GraphPack;
use contextd_pack::ContextPack;

/// Media type of the format.
pub const MIME: &str = "application/vnd.gcf+text";

/// Writes a pack: whole, or for a caller that has packs what is new. The same task again is answered with
/// the difference, another one with references to what was sent.
pub fn pack(pack: &ContextPack) -> String {
    let graph = GraphPack::of(pack);
    let held: Vec<GraphPack> = pack.held_packs.iter().map(GraphPack::of).collect();
    match (pack.held_packs.last(), held.last()) {
        (Some(last), Some(base))
            if ["query", "focus", "files"]
                .iter()
                .all(|key| last.request[key] == pack.request[key]) =>
        {
            delta_text(base, &graph, pack.budgets.tokenizer)
        }
        (Some(_), _) => encode_session(&graph, &Session::of(&held)).0,
        _ => encode(&graph),
    }
}

/// Writes a pack in pieces, put together.
pub fn streamed(pack: &ContextPack) -> String {
    stream(&GraphPack::of(pack)).collect()
}

#[cfg(test)]
mod tests;

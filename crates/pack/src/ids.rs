//! Identities of symbols, chunks and packs.

use crate::canonical;
use crate::layer::Layer;
use crate::request::PackRequest;
use contextd_model::ContentHash;
use contextd_model::symbol_id::symbol_id;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Hexadecimal digits of a chunk's identity: 96 bits.
const UID_DIGITS: usize = 24;

/// Symbol ids of a snapshot, made file by file when asked for.
pub struct SymbolIds<'s> {
    layer: &'s dyn Layer,
    files: RefCell<BTreeMap<u32, Vec<String>>>,
}

impl<'s> SymbolIds<'s> {
    pub fn new(layer: &'s dyn Layer) -> Self {
        Self { layer, files: RefCell::default() }
    }

    /// Returns the id of a symbol; same-named siblings are told apart by ordinals.
    pub fn of(&self, symbol: u32) -> String {
        let file = self.layer.file_number(symbol);
        let mut files = self.files.borrow_mut();
        let ids = files.entry(file).or_insert_with(|| ids_of_file(self.layer, file));
        let at = symbol.saturating_sub(self.layer.file_range(file).start) as usize;
        ids.get(at).cloned().unwrap_or_default()
    }
}

/// Returns the ids of a file's symbols, in order.
pub fn ids_of_file(layer: &dyn Layer, file: u32) -> Vec<String> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let make = |symbol: u32, ordinal: u32| {
        symbol_id(
            layer.language(symbol),
            "",
            layer.path(symbol),
            &layer.qualified(symbol),
            layer.kind(symbol),
            ordinal,
        )
    };
    layer
        .file_range(file)
        .map(|number| {
            let ordinal = seen.entry(make(number, 0)).or_insert(0);
            *ordinal += 1;
            make(number, *ordinal - 1)
        })
        .collect()
}

/// Returns the identity of a piece of text: path, kind, label and words, white space aside.
pub fn chunk_uid(path: &str, kind: &str, label: &str, text: &str) -> String {
    let mut whole = String::with_capacity(path.len() + kind.len() + label.len() + text.len() + 3);
    for part in [path, kind, label] {
        whole.push_str(part);
        whole.push('\0');
    }
    let start = whole.len();
    for word in text.split_whitespace() {
        if whole.len() > start {
            whole.push(' ');
        }
        whole.push_str(word);
    }
    format!("b3:{}", &ContentHash::of(whole.as_bytes()).to_hex()[..UID_DIGITS])
}

/// What a pack depends on beside its request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    pub index_signature: String,
    /// Head of the history, or empty.
    pub history: String,
    pub weights: String,
    /// Version of what was learned; empty in a cold start.
    pub learned: String,
    /// Version of what is declared; empty when nothing is.
    pub declared: String,
}

/// Returns the identity of a pack: sha256 over what it depends on and the normalised request.
pub fn pack_id(versions: &Versions, request: &PackRequest) -> String {
    let mut sha = Sha256::new();
    let request = canonical::to_string(&request.normalized());
    // What is not declared is no part of the identity.
    let declared = Some(&versions.declared).filter(|declared| !declared.is_empty());
    for part in [&versions.index_signature, &versions.history, &versions.weights, &versions.learned]
        .into_iter()
        .chain(declared)
        .chain([&request])
    {
        sha.update((part.len() as u64).to_le_bytes());
        sha.update(part.as_bytes());
    }
    hex(&sha.finalize())
}

/// Returns the hash of the task's words and of what was chosen, whatever the order.
pub fn pack_root(query: &str, uids: &[impl AsRef<str>]) -> String {
    let mut uids: Vec<&str> = uids.iter().map(AsRef::as_ref).collect();
    uids.sort_unstable();
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let mut sha = Sha256::new();
    sha.update(words.join(" ").as_bytes());
    uids.iter().for_each(|uid| {
        sha.update([0]);
        sha.update(uid.as_bytes());
    });
    hex(&sha.finalize())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    proptest! {
        #[test]
        fn the_order_of_keys_does_not_matter(query in ".{0,40}", items in 0u64..300, seed in any::<u64>()) {
            let text = serde_json::json!({"query": query, "budgets": {"maxItems": items, "maxTotalTokens": 9}, "intent": "debug", "indexRoot": "/a"});
            let mut entries: Vec<(String, Value)> = text.as_object().unwrap().clone().into_iter().collect();
            entries.rotate_left((seed % 4) as usize);
            let shuffled = format!("{{{}}}", entries.iter().map(|(key, value)| format!("{}:{value}", Value::String(key.clone()))).collect::<Vec<_>>().join(","));
            let one: PackRequest = serde_json::from_value(text).unwrap();
            let mut two: PackRequest = serde_json::from_str(&shuffled).unwrap();
            two.index_root = "/elsewhere".into();
            prop_assert_eq!(pack_id(&Versions::default(), &one), pack_id(&Versions::default(), &two));
            two.query.push('x');
            prop_assert_ne!(pack_id(&Versions::default(), &one), pack_id(&Versions::default(), &two));
            let _ = Map::<String, Value>::new();
        }
    }

    #[test]
    fn white_space_does_not_change_a_chunk_but_its_place_does() {
        let uid = chunk_uid("a.rs", "function", "f", "fn f() {\n  1\n}");
        assert_eq!(uid, chunk_uid("a.rs", "function", "f", "fn f() { 1 }"));
        assert_ne!(uid, chunk_uid("b.rs", "function", "f", "fn f() { 1 }"));
    }
}

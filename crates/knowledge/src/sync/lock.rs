//! `.contextd/sync.lock`: what documents and code were when they agreed.

use super::{Key, Pair};
use crate::yaml::{self, Yaml};
use contextd_model::Problem;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What is recorded of one pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    pub doc_hash: String,
    /// By file and definition: hashes of interface and body; the body is `-` where it does not count.
    pub covers: BTreeMap<String, BTreeMap<String, (String, String)>>,
}

/// Everything that is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    pub pairs: BTreeMap<Key, Recorded>,
}

const HEAD: &str = "# What documents and code were when they agreed: written by `contextd docs update`, to be committed.\nversion: 1\npairs:\n";

impl Lock {
    /// Reads a lock file.
    pub fn parse(text: &str, path: &str) -> (Lock, Vec<Problem>) {
        let (root, mut problems) = yaml::parse(text, path);
        let mut lock = Lock::default();
        if root.get("version").and_then(Yaml::text) != Some("1") {
            problems.push(
                Problem::error(
                    "CTX_E_SYNC_LOCK",
                    "the lock has another version than 1",
                    "Run `contextd docs update --all` to write it anew.",
                )
                .at(path, Some(root.line)),
            );
            return (lock, problems);
        }
        for item in root.get("pairs").map(Yaml::items).unwrap_or_default() {
            let text =
                |key: &str| item.get(key).and_then(Yaml::text).unwrap_or_default().to_owned();
            let key = Key { doc: text("doc"), section: text("section"), ref_id: text("ref") };
            if key.doc.is_empty() {
                problems.push(
                    Problem::error(
                        "CTX_E_SYNC_LOCK",
                        "an entry names no document",
                        "Run `contextd docs update --all`.",
                    )
                    .at(path, Some(item.line)),
                );
                continue;
            }
            let mut recorded = Recorded { doc_hash: text("hash"), covers: BTreeMap::new() };
            for (file, symbols) in item.get("covers").map(Yaml::entries).unwrap_or_default() {
                let own = recorded.covers.entry(file.clone()).or_default();
                for (symbol, hashes) in symbols.entries() {
                    let mut hashes =
                        hashes.text().unwrap_or_default().split(' ').map(str::to_owned);
                    own.insert(
                        symbol.clone(),
                        (
                            hashes.next().unwrap_or_default(),
                            hashes.next().unwrap_or_else(|| "-".to_owned()),
                        ),
                    );
                }
            }
            lock.pairs.insert(key, recorded);
        }
        (lock, problems)
    }

    /// Writes the lock; the same content gives the same bytes.
    pub fn write(&self) -> String {
        let mut out = HEAD.to_owned();
        for (key, recorded) in &self.pairs {
            let _ = writeln!(out, "- doc: {}", quoted(&key.doc));
            for (name, value) in [("section", &key.section), ("ref", &key.ref_id)] {
                if !value.is_empty() {
                    let _ = writeln!(out, "  {name}: {}", quoted(value));
                }
            }
            let _ = writeln!(
                out,
                "  hash: {}\n  covers:{}",
                quoted(&recorded.doc_hash),
                if recorded.covers.is_empty() { " {}" } else { "" }
            );
            for (path, symbols) in &recorded.covers {
                let _ = writeln!(out, "    {}:", quoted(path));
                for (symbol, (interface, body)) in symbols {
                    let _ = writeln!(out, "      {}: \"{interface} {body}\"", quoted(symbol));
                }
            }
        }
        if self.pairs.is_empty() {
            out = out.replace("pairs:\n", "pairs: []\n");
        }
        out
    }

    /// Records pairs, and forgets those that no longer exist or have no code any more.
    pub fn update<'p>(
        &mut self,
        pairs: impl Iterator<Item = &'p Pair>,
        exists: impl Fn(&Key) -> bool,
    ) {
        for pair in pairs {
            if pair.covers.is_empty() {
                self.pairs.remove(&pair.key);
            } else {
                self.pairs.insert(pair.key.clone(), pair.recorded());
            }
        }
        self.pairs.retain(|key, _| exists(key));
    }
}

/// Writes a text so that YAML reads it back as the same text.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter
                if letter.is_control()
                    || matches!(letter, '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{85}') =>
            {
                let _ = write!(out, "\\U{:08x}", letter as u32);
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

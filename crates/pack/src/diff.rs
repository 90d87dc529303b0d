//! What entered and what left between two packs.

use crate::pack::{ContextItem, ContextPack};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The difference between two packs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackDiff {
    pub from: String,
    pub to: String,
    pub same_index: bool,
    pub entered: Vec<DiffEntry>,
    pub left: Vec<DiffEntry>,
    pub changed: Vec<DiffEntry>,
    pub unchanged: u32,
}

/// One item that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffEntry {
    pub file_rel_path: String,
    pub name: String,
    pub section: String,
    /// Why it is on this side, or what changed.
    pub why: String,
}

/// Compares two packs, item by item: by symbol where there is one, else by file and name.
pub fn diff(from: &ContextPack, to: &ContextPack) -> PackDiff {
    let (old, new) = (by_key(from), by_key(to));
    let mut result = PackDiff {
        from: from.pack_id.clone(),
        to: to.pack_id.clone(),
        same_index: from.index_signature == to.index_signature,
        entered: Vec::new(),
        left: Vec::new(),
        changed: Vec::new(),
        unchanged: 0,
    };
    for (key, (section, item)) in &new {
        match old.get(key) {
            None => result.entered.push(entry(section, item, &item.why.rule)),
            Some((before, older)) => match change(before, older, section, item) {
                Some(why) => result.changed.push(entry(section, item, &why)),
                None => result.unchanged += 1,
            },
        }
    }
    result.left = old
        .iter()
        .filter(|(key, _)| !new.contains_key(*key))
        .map(|(_, (section, item))| entry(section, item, &item.why.rule))
        .collect();
    result
}

type Keyed<'p> = BTreeMap<(String, u32), (&'p str, &'p ContextItem)>;

fn by_key(pack: &ContextPack) -> Keyed<'_> {
    let mut keyed: Keyed<'_> = BTreeMap::new();
    for section in &pack.sections {
        for item in &section.items {
            let name = item
                .symbol_id
                .clone()
                .unwrap_or_else(|| format!("{} {}", item.file_rel_path, item.name));
            let ordinal = keyed.range((name.clone(), 0)..=(name.clone(), u32::MAX)).count() as u32;
            keyed.insert((name, ordinal), (&section.kind, item));
        }
    }
    keyed
}

fn change(before: &str, older: &ContextItem, section: &str, newer: &ContextItem) -> Option<String> {
    if older.chunk_uid != newer.chunk_uid {
        return Some("its text changed".to_owned());
    }
    if before != section {
        return Some(format!("moved from {before}"));
    }
    (older.excerpt.detail != newer.excerpt.detail)
        .then(|| format!("shown as {} instead of {}", newer.excerpt.detail, older.excerpt.detail))
}

fn entry(section: &str, item: &ContextItem, why: &str) -> DiffEntry {
    DiffEntry {
        file_rel_path: item.file_rel_path.clone(),
        name: item.name.clone(),
        section: section.to_owned(),
        why: why.to_owned(),
    }
}

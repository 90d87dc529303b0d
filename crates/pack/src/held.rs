//! What the caller already has, so that it is referred to and not sent again.

use crate::pack::ContextPack;
use std::collections::BTreeMap;

/// How much of an item the caller has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shown {
    Signature,
    Outline,
    /// Some of its lines, each with its number.
    Lines,
    Body,
}

impl Shown {
    /// Returns the name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Shown::Signature => "signature",
            Shown::Outline => "outline",
            Shown::Lines => "lines",
            Shown::Body => "body",
        }
    }
}

/// Items by identity. What came with a pack is known down to its text; what the caller merely names is
/// believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeldItems {
    by_uid: BTreeMap<String, Shown>,
    /// With the identity of the text where it is known.
    by_symbol: BTreeMap<String, (Option<String>, Shown)>,
}

impl HeldItems {
    /// Gathers what packs showed and what is named by id.
    pub fn of(packs: &[ContextPack], ids: &[String]) -> HeldItems {
        let mut held = HeldItems::default();
        packs.iter().for_each(|pack| held.add_pack(pack));
        ids.iter().for_each(|id| held.add_id(id));
        held
    }

    /// Adds what a pack showed.
    pub fn add_pack(&mut self, pack: &ContextPack) {
        for item in pack.items() {
            let shown = match item.excerpt.detail.as_str() {
                // A text that was cut does not stand for the whole.
                "body" if !item.excerpt.truncated => Shown::Body,
                "outline" => Shown::Outline,
                // What the pack itself only referred to is held since an earlier one, which is named with it.
                "held" => continue,
                _ => Shown::Signature,
            };
            let most = self.by_uid.entry(item.chunk_uid.clone()).or_insert(shown);
            *most = shown.max(*most);
            if let Some(symbol) = &item.symbol_id {
                self.by_symbol.insert(symbol.clone(), (Some(item.chunk_uid.clone()), shown));
            }
        }
    }

    /// Adds an item by its chunkUid or symbolId.
    pub fn add_id(&mut self, id: &str) {
        if id.starts_with("b3:") {
            self.by_uid.insert(id.to_owned(), Shown::Body);
        } else {
            self.by_symbol.insert(id.to_owned(), (None, Shown::Body));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.by_uid.is_empty() && self.by_symbol.is_empty()
    }

    /// True when something is held under the symbol's id, whatever its text was.
    pub fn may_hold(&self, symbol_id: &str) -> bool {
        self.by_symbol.contains_key(symbol_id)
    }

    /// True when the caller has the text of an item in at least that detail.
    pub fn has(&self, symbol_id: Option<&str>, chunk_uid: &str, wanted: Shown) -> bool {
        if self.by_uid.get(chunk_uid).is_some_and(|&held| held >= wanted) {
            return true;
        }
        let held = symbol_id.and_then(|symbol| self.by_symbol.get(symbol));
        held.is_some_and(|(uid, held)| {
            *held >= wanted && uid.as_ref().is_none_or(|uid| uid == chunk_uid)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_symbol_is_held_and_another_text_under_a_known_uid_is_not() {
        let mut held = HeldItems::default();
        held.add_id("scip-contextd python . a.py/f().");
        held.add_id("b3:11");
        assert!(held.has(Some("scip-contextd python . a.py/f()."), "b3:99", Shown::Body));
        assert!(held.has(None, "b3:11", Shown::Body) && !held.has(None, "b3:12", Shown::Signature));
        held.by_symbol.insert("s".to_owned(), (Some("b3:old".to_owned()), Shown::Signature));
        assert!(
            !held.has(Some("s"), "b3:new", Shown::Signature)
                && held.has(Some("s"), "b3:old", Shown::Signature)
                && !held.has(Some("s"), "b3:old", Shown::Body)
        );
    }
}

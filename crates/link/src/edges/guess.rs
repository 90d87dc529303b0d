//! Guesses: names on receivers of unknown type. Never sure, and none when too many symbols fit.

use super::FileLinker;
use crate::key;
use crate::links::Reason;
use crate::policy;
use crate::resolve::sure;
use crate::world::FEW;
use contextd_model::facts::{RefRow, modifier};
use contextd_model::{RefKind, SymbolKind};

/// Candidates that a guess may name.
const MAX_CANDIDATES: usize = 5;

impl FileLinker<'_, '_> {
    /// Guesses the member that a call or access on an unknown receiver means.
    pub(super) fn guess_member(&mut self, row: &RefRow, name: &str, language: u8) {
        let family = self.world.policy(self.file).family;
        if row.qualifier.is_empty() || name.len() < 3 {
            self.unresolved.add(language, Reason::NotFound, row.count);
            return;
        }
        if let Some(variant) = self.own_variant(row, name) {
            self.refer_to(row, variant, sure::INFERRED);
            return;
        }
        let found = self.world.few_members_named(family, key::name(name));
        let calls = matches!(row.kind(), RefKind::Call | RefKind::Construct);
        // An accessor stands under the name that is read.
        let written = name.strip_suffix('=').filter(|_| self.world.policy(self.file).fields_apart);
        if let Some(read) = written.filter(|_| found.is_some_and(<[u32]>::is_empty)) {
            let found = self.world.few_members_named(family, key::name(read));
            self.guess_among(
                row,
                found,
                |kind| matches!(kind, SymbolKind::Property | SymbolKind::Field),
                name,
                language,
            );
            return;
        }
        let fits = |kind: SymbolKind| {
            if calls {
                kind.is_callable()
                    || matches!(kind, SymbolKind::Property | SymbolKind::Field | SymbolKind::Class)
            } else {
                true
            }
        };
        self.guess_among(row, found, fits, name, language);
    }

    /// Inside an enumeration `.name` is one of its own variants, where it has one of that name.
    fn own_variant(&self, row: &RefRow, name: &str) -> Option<u32> {
        let world = self.world;
        let view = world.own();
        let enclosing = world.enclosing_type(self.file, row.owner)?;
        if view.str(row.qualifier) != "()" || world.kind(enclosing) != SymbolKind::Enum {
            return None;
        }
        let named = world.in_scope(enclosing, key::name(name));
        let is_variant = |symbol: &&u32| world.kind(**symbol) == SymbolKind::Variant;
        named.iter().find(is_variant).copied()
    }

    /// Guesses among file-level symbols that share a name.
    pub(super) fn guess_global(&mut self, row: &RefRow, name: &str, language: u8) {
        let family = self.world.policy(self.file).family;
        let found = self.world.globals_named(family, key::name(name));
        self.guess_among(
            row,
            Some(found).filter(|found| found.len() <= FEW),
            |_| true,
            name,
            language,
        );
    }

    fn guess_among(
        &mut self,
        row: &RefRow,
        found: Option<&[u32]>,
        fits: impl Fn(SymbolKind) -> bool,
        name: &str,
        language: u8,
    ) {
        let world = self.world;
        let Some(found) = found else {
            self.unresolved.add(language, Reason::Ambiguous, row.count);
            return;
        };
        let mut candidates: Vec<u32> = found
            .iter()
            .copied()
            .filter(|&symbol| fits(world.kind(symbol)) && !world.has(symbol, modifier::LOCAL))
            .collect();
        // Overloads and prototypes of one scope are one candidate; few files have two of a name.
        candidates.sort_unstable();
        let share_file = |one: u32, next: u32| world.file_of(one) == world.file_of(next);
        if candidates.windows(2).any(|pair| share_file(pair[0], pair[1])) {
            candidates.sort_by_cached_key(|&symbol| {
                (
                    world.file_of(symbol),
                    world.qualified(symbol),
                    world.has(symbol, modifier::DECLARATION),
                    symbol,
                )
            });
            candidates.dedup_by(|next, one| {
                share_file(*one, *next) && world.qualified(*one) == world.qualified(*next)
            });
            candidates.sort_unstable();
        }
        if !world.is_test(self.file) {
            // What stands in tests is seldom meant by code that does not.
            let outside =
                candidates.iter().filter(|&&symbol| !world.is_test(world.file_of(symbol))).count();
            if outside > 0 {
                candidates.retain(|&symbol| !world.is_test(world.file_of(symbol)));
            }
        }
        match candidates.len() {
            0 => self.unresolved.add(language, Reason::NotFound, row.count),
            many if many > MAX_CANDIDATES => {
                self.unresolved.add(language, Reason::Ambiguous, row.count)
            }
            count => {
                let base = if policy::is_common_member(name) {
                    30
                } else if count == 1 {
                    60
                } else {
                    50
                };
                for target in candidates {
                    self.refer_to(row, target, (base / count) as u8);
                }
            }
        }
    }
}

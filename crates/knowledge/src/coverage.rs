//! The definitions of a file that documents can be held against.

use crate::tokens::code_hash;
use contextd_model::SymbolKind;
use contextd_model::facts::{FactsView, SymbolRow, modifier};

/// One definition as it is now.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Covered {
    pub path: String,
    /// Name with its scopes; same-named ones are told apart by `+1`, `+2`.
    pub symbol: String,
    /// Hash of name, kind and signature.
    pub interface: String,
    /// Hash of the definition's own text, what lies in other definitions not counted.
    pub body: String,
    /// Row among the file's symbols.
    pub row: usize,
}

/// Returns the definitions of a file, in source order; tests are not among them.
pub fn covered(facts: &FactsView<'_>, text: &str, path: &str, language: &str) -> Vec<Covered> {
    let mut found: Vec<Covered> = Vec::new();
    let is_own = |row: &SymbolRow| is_covered(facts, row);
    for (number, row) in facts.symbols.iter().enumerate().skip(1).filter(|(_, row)| is_own(row)) {
        let inner: Vec<(usize, usize)> = facts
            .symbols
            .iter()
            .skip(number + 1)
            .take_while(|other| other.start < row.end)
            .filter(|other| is_own(other))
            .map(|other| (other.doc_start.min(other.start) as usize, other.end as usize))
            .collect();
        let own = without(text, row.start as usize, row.end as usize, &inner);
        let name = facts.str(row.qualified);
        let same = found
            .iter()
            .filter(|known| {
                known.symbol == name
                    || known.symbol.strip_prefix(name).is_some_and(|rest| rest.starts_with('+'))
            })
            .count();
        found.push(Covered {
            path: path.to_owned(),
            symbol: if same == 0 { name.to_owned() } else { format!("{name}+{same}") },
            interface: code_hash(
                &format!("{} {} {}", row.kind(), name, facts.str(row.signature)),
                language,
            ),
            body: code_hash(&own, language),
            row: number,
        });
    }
    found
}

/// Fields, variants and locals belong to the definition around them; modules and blocks hold others.
fn is_covered(facts: &FactsView<'_>, row: &SymbolRow) -> bool {
    use SymbolKind::*;
    if row.has(modifier::LOCAL | modifier::TEST) || facts.str(row.name).is_empty() {
        return false;
    }
    match row.kind() {
        Class | Struct | Enum | Union | Interface | Trait | TypeAlias | Object | Function
        | Method | Constructor | Macro | Message | Service | Rpc => true,
        Variable | Constant => facts
            .symbols
            .get(row.parent as usize)
            .is_none_or(|parent| matches!(parent.kind(), File | Module | Namespace)),
        _ => false,
    }
}

/// Returns a part of a text without some ranges in it.
fn without(text: &str, start: usize, end: usize, inner: &[(usize, usize)]) -> String {
    let mut out = String::new();
    let mut at = start;
    for &(from, to) in inner {
        if from >= at && from < end {
            out.push_str(text.get(at..from).unwrap_or(""));
            at = to.clamp(at, end);
        }
    }
    out.push_str(text.get(at..end).unwrap_or(""));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextd_model::FileFacts;

    fn row(facts: &mut FileFacts, name: &str, kind: SymbolKind, parent: u32, start: u32, end: u32) {
        let name = facts.strings.push(name);
        facts.symbols.push(SymbolRow {
            name,
            qualified: name,
            kind: kind as u8,
            parent,
            start,
            end,
            doc_start: start,
            ..SymbolRow::default()
        });
    }

    #[test]
    fn a_type_does_not_count_the_text_of_its_methods() {
        let check = |text: &str| {
            let mut facts = FileFacts::default();
            row(&mut facts, "", SymbolKind::File, u32::MAX, 0, text.len() as u32);
            row(&mut facts, "A", SymbolKind::Class, 0, 0, text.len() as u32);
            let at = text.find("m()").unwrap() as u32;
            row(&mut facts, "m", SymbolKind::Method, 1, at, text.find('}').unwrap() as u32 + 1);
            covered(&facts.view(), text, "a.ts", "typescript")
        };
        let (one, two) = (check("class A { m() { 1 } }"), check("class A { m() { 2 } }"));
        assert_eq!(one.iter().map(|own| own.symbol.as_str()).collect::<Vec<_>>(), ["A", "m"]);
        assert_eq!(one[0], two[0]);
        assert_ne!(one[1].body, two[1].body);
    }
}

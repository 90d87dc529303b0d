//! Names that may have been meant.

use strsim::damerau_levenshtein;

/// Most suggestions.
pub const MOST: usize = 5;
/// Letters compared; names are short.
const LETTERS: usize = 80;

/// Returns up to five names near a wrong one: those it is a prefix of first, then by edit distance.
pub fn suggest<'n>(names: impl Iterator<Item = &'n str>, wrong: &str) -> Vec<String> {
    let wrong: String = wrong.trim().to_lowercase().chars().take(LETTERS).collect();
    if wrong.is_empty() {
        return Vec::new();
    }
    // A third of the letters may be wrong; two always may.
    let allowed = (wrong.chars().count() / 3).max(2);
    let mut near: Vec<(bool, usize, &str)> = names
        .filter_map(|name| {
            let lower: String = name.to_lowercase().chars().take(LETTERS).collect();
            let edits = damerau_levenshtein(&wrong, &lower);
            let is_prefix = lower.starts_with(&wrong);
            (is_prefix || edits <= allowed && edits < wrong.chars().count())
                .then_some((!is_prefix, edits, name))
        })
        .collect();
    near.sort_unstable();
    near.dedup_by_key(|(_, _, name)| *name);
    near.into_iter().take(MOST).map(|(_, _, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prefixes_come_first_then_near_names() {
        let names = ["mcp-server", "mcs", "PROJ-123", "PROJ-124", "cart"];
        let check = |wrong: &str| suggest(names.into_iter(), wrong);
        assert_eq!(check("mcp"), ["mcp-server", "mcs"]);
        assert_eq!(check("MCP"), ["mcp-server", "mcs"]);
        assert_eq!(check("PROJ-125"), ["PROJ-123", "PROJ-124"]);
        assert_eq!(check("crat"), ["cart"]);
        assert!(check("zzzzzz").is_empty() && check("").is_empty());
    }

    proptest! {
        #[test]
        fn at_most_five_existing_names_prefixes_first(names in prop::collection::vec("[a-c]{1,6}", 0..40), wrong in "[a-c]{1,5}") {
            let found = suggest(names.iter().map(String::as_str), &wrong);
            prop_assert!(found.len() <= MOST);
            prop_assert!(found.iter().all(|name| names.contains(name)));
            let mut prefixes: Vec<&String> = names.iter().filter(|name| name.starts_with(&wrong)).collect();
            prefixes.sort_unstable();
            prefixes.dedup();
            let first = prefixes.len().min(MOST);
            prop_assert!(found[..first].iter().all(|name| name.starts_with(&wrong)));
        }
    }
}

//! A name that somebody wrote → the symbols it may mean.

use crate::error::PackError;
use crate::ids::SymbolIds;
use contextd_snapshot::Snapshot;

/// Most suggestions for a name that nothing has.
const SUGGESTIONS: usize = 5;

/// Finds symbols by id, by `path:line`, by `path::name`, by qualified name or by name, best first.
pub fn symbols(snapshot: &Snapshot, text: &str) -> Result<Vec<u32>, PackError> {
    let text = text.trim();
    let found = by_id(snapshot, text).or_else(|| by_place(snapshot, text)).unwrap_or_else(|| by_name(snapshot, text));
    if found.is_empty() {
        return Err(PackError::NotFound { message: format!("there is no symbol `{text}` in the index"), suggestions: suggestions(snapshot, text) });
    }
    Ok(found)
}

fn by_id(snapshot: &Snapshot, text: &str) -> Option<Vec<u32>> {
    let rest = text.strip_prefix("scip-contextd ")?;
    let descriptors = rest.splitn(3, ' ').nth(2)?;
    let ids = SymbolIds::new(snapshot);
    // The path ends at one of the slashes; the longest that is a file is meant.
    let mut slashes: Vec<usize> = descriptors.match_indices('/').map(|(at, _)| at).collect();
    slashes.reverse();
    let file = slashes.into_iter().find_map(|at| snapshot.find_file(descriptors[..at].trim_matches('`')))?;
    Some(snapshot.symbols_of_file(file).filter(|&symbol| ids.of(symbol) == text).collect())
}

fn by_place(snapshot: &Snapshot, text: &str) -> Option<Vec<u32>> {
    if let Some((path, name)) = text.split_once("::").filter(|(path, _)| path.contains('.') || path.contains('/')) {
        let file = snapshot.find_file(path.trim_start_matches("./"))?;
        return Some(snapshot.symbols_of_file(file).filter(|&symbol| matches(snapshot, symbol, &name.replace("::", "."))).collect());
    }
    let (path, line) = text.rsplit_once(':')?;
    let line: u32 = line.parse().ok()?;
    let file = snapshot.find_file(path.trim_start_matches("./"))?;
    let holds = |symbol: u32| (snapshot.symbol(symbol).start_line()..=snapshot.symbol(symbol).end_line()).contains(&line);
    // Inner symbols come after their outer ones.
    Some(snapshot.symbols_of_file(file).skip(1).filter(|&symbol| holds(symbol)).last().into_iter().collect())
}

fn by_name(snapshot: &Snapshot, text: &str) -> Vec<u32> {
    let path = text.replace("::", ".").replace(['#', '\\'], ".").replace("->", ".");
    let path = path.trim_end_matches("()").trim_matches('.');
    let last = path.rsplit('.').next().unwrap_or(path);
    let mut found = snapshot.symbols_named(last);
    if found.is_empty() {
        found = snapshot.symbols_named_like(last);
    }
    found.retain(|&symbol| snapshot.symbol(symbol).parent().is_some() && matches(snapshot, symbol, path));
    let tests = |symbol: u32| contextd_lang::paths::is_test(snapshot.symbol(symbol).path());
    let rank = |symbol: u32| (tests(symbol), !snapshot.symbol(symbol).kind().is_code(), std::cmp::Reverse(snapshot.graph().sources(symbol).len()));
    found.sort_by_cached_key(|&symbol| (rank(symbol), snapshot.symbol(symbol).path().to_owned(), snapshot.symbol(symbol).start_line(), symbol));
    found
}

/// True when the symbol's qualified name ends with `path`, part by part.
fn matches(snapshot: &Snapshot, symbol: u32, path: &str) -> bool {
    let qualified = snapshot.symbol(symbol).qualified().into_owned();
    let mut own = qualified.rsplit('.');
    // Modules and packages in front of the name are not part of it; they are not held against it.
    path.rsplit('.').zip(own.by_ref()).all(|(asked, own)| asked.eq_ignore_ascii_case(own))
}

/// Returns names that may have been meant: by prefix first, then by edit distance.
pub fn suggestions(snapshot: &Snapshot, text: &str) -> Vec<String> {
    let last = text.rsplit(['.', ':', '/', '#']).next().unwrap_or(text);
    let mut names: Vec<String> = Vec::new();
    let mut add = |symbol: u32| {
        let name = snapshot.symbol(symbol).qualified().into_owned();
        if !names.contains(&name) && names.len() < SUGGESTIONS {
            names.push(name);
        }
    };
    for length in [last.chars().count(), 4, 2] {
        let prefix: String = last.chars().take(length).collect();
        if prefix.is_empty() {
            break;
        }
        let mut near: Vec<(usize, u32)> = snapshot.symbols_with_prefix(&prefix, 2_000).into_iter().map(|symbol| (distance(last, snapshot.symbol(symbol).name()), symbol)).collect();
        near.retain(|&(edits, symbol)| edits <= 3 || snapshot.symbol(symbol).name().to_lowercase().starts_with(&last.to_lowercase()));
        near.sort();
        near.into_iter().for_each(|(_, symbol)| add(symbol));
    }
    names
}

/// Returns the number of letters to change, add or remove.
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (at, letter) in one.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, other) in two.iter().enumerate() {
            let above = row[column + 1];
            let changed = diagonal + usize::from(!letter.eq_ignore_ascii_case(other));
            row[column + 1] = changed.min(above + 1).min(row[column] + 1);
            diagonal = above;
        }
    }
    row[two.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_count_edits() {
        for (one, two, edits) in [("", "", 0), ("abc", "abc", 0), ("parse", "prase", 2), ("a", "", 1), ("Foo", "foo", 0)] {
            assert_eq!(distance(one, two), edits, "{one} {two}");
        }
    }
}

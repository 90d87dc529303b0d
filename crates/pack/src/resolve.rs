//! A name that somebody wrote → the symbols it may mean.

use crate::error::PackError;
use crate::ids::SymbolIds;
use crate::layer::Layer;

/// Most suggestions for a name that nothing has.
const SUGGESTIONS: usize = 5;
/// Most places at which the last part of a name may begin.
const MOST_PARTS: usize = 32;

/// Finds symbols by id, by `path:line`, by `path::name`, by qualified name or by name, best first.
pub fn symbols(layer: &dyn Layer, text: &str) -> Result<Vec<u32>, PackError> {
    let text = text.trim();
    let found = by_id(layer, text)
        .or_else(|| by_place(layer, text))
        .unwrap_or_else(|| by_name(layer, text));
    if found.is_empty() {
        return Err(PackError::NotFound {
            message: format!("there is no symbol `{text}` in the index"),
            suggestions: suggestions(layer, text),
        });
    }
    Ok(found)
}

/// Returns the file that a symbolId names; `None` when the text is no id or there is no such file.
pub fn file_of_id(layer: &dyn Layer, text: &str) -> Option<u32> {
    let rest = text.strip_prefix("scip-contextd ")?;
    let descriptors = rest.splitn(3, ' ').nth(2)?;
    // The path ends at one of the slashes; the longest that is a file is meant.
    let mut slashes: Vec<usize> = descriptors.match_indices('/').map(|(at, _)| at).collect();
    slashes.reverse();
    slashes.into_iter().find_map(|at| layer.find_path(descriptors[..at].trim_matches('`')))
}

fn by_id(layer: &dyn Layer, text: &str) -> Option<Vec<u32>> {
    let file = file_of_id(layer, text)?;
    let ids = SymbolIds::new(layer);
    Some(layer.file_range(file).filter(|&symbol| ids.of(symbol) == text).collect())
}

fn by_place(layer: &dyn Layer, text: &str) -> Option<Vec<u32>> {
    if let Some((path, name)) =
        text.split_once("::").filter(|(path, _)| path.contains('.') || path.contains('/'))
    {
        let file = layer.find_path(path.trim_start_matches("./"))?;
        let asked = Asked::new(name);
        let mut found: Vec<(Fit, u32)> = layer
            .file_range(file)
            .filter_map(|symbol| Some((asked.fit(layer, symbol)?, symbol)))
            .collect();
        found.sort();
        return Some(asked.best(found));
    }
    let (path, line) = text.rsplit_once(':')?;
    let line: u32 = line.parse().ok()?;
    let file = layer.find_path(path.trim_start_matches("./"))?;
    let holds = |symbol: u32| (layer.lines(symbol).0..=layer.lines(symbol).1).contains(&line);
    // Inner symbols come after their outer ones.
    Some(layer.file_range(file).skip(1).rfind(|&symbol| holds(symbol)).into_iter().collect())
}

fn by_name(layer: &dyn Layer, text: &str) -> Vec<u32> {
    let asked = Asked::new(text);
    let mut found = if asked.is_path() { word_for_word(layer, text) } else { Vec::new() };
    if found.is_empty() {
        found = layer.named(asked.last());
    }
    if found.is_empty() {
        found = layer.named_like(asked.last());
    }
    let tests = |symbol: u32| contextd_lang::paths::is_test(layer.path(symbol));
    let rank = |symbol: u32| {
        (tests(symbol), !layer.kind(symbol).is_code(), std::cmp::Reverse(layer.sources(symbol)))
    };
    let mut found: Vec<(Fit, u32)> = found
        .into_iter()
        .filter(|&symbol| !layer.is_file(symbol))
        .filter_map(|symbol| Some((asked.fit(layer, symbol)?, symbol)))
        .collect();
    // A bare name fits all alike; who uses it most is meant.
    found.sort_by_cached_key(|&(fit, symbol)| {
        (
            asked.is_path().then_some(fit),
            rank(symbol),
            layer.path(symbol).to_owned(),
            layer.lines(symbol).0,
            symbol,
        )
    });
    asked.best(found)
}

/// Finds symbols whose qualified name is the text itself: names of tests are sentences, with dots and colons in them.
fn word_for_word(layer: &dyn Layer, text: &str) -> Vec<u32> {
    let starts = text.match_indices(['.', ':', '#']).map(|(at, sign)| at + sign.len());
    let starts = std::iter::once(0).chain(starts).take(MOST_PARTS);
    let is_it = |symbol: &u32| layer.qualified(*symbol) == text;
    starts.flat_map(|start| layer.named(&text[start..])).filter(is_it).collect()
}

/// How well a qualified name answers what was asked; the least is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It is the same, letter by letter.
    Exact,
    /// It ends with all that was asked.
    Ends,
    /// What was asked ends with all of it; this many parts in front of it are neither in it nor in its path.
    Within(usize),
}

/// A name as it was asked for.
struct Asked<'t> {
    text: &'t str,
    /// Parts, the innermost first.
    parts: Vec<String>,
}

impl<'t> Asked<'t> {
    fn new(text: &'t str) -> Self {
        let path = text.replace("::", ".").replace(['#', '\\'], ".").replace("->", ".");
        let path = path.trim_end_matches("()").trim_matches('.');
        Self { text, parts: path.rsplit('.').map(str::to_owned).collect() }
    }

    fn last(&self) -> &str {
        &self.parts[0]
    }

    fn is_path(&self) -> bool {
        self.parts.len() > 1
    }

    /// Returns how a symbol's qualified name fits, part by part from the end; `None` when a part differs.
    fn fit(&self, layer: &dyn Layer, symbol: u32) -> Option<Fit> {
        let qualified = layer.qualified(symbol);
        if qualified == self.text {
            return Some(Fit::Exact);
        }
        if layer.name(symbol) == self.text {
            return Some(Fit::Ends);
        }
        let plain = qualified.replace("::", ".");
        let own: Vec<&str> = plain.rsplit('.').collect();
        if !self.parts.iter().zip(&own).all(|(asked, own)| asked.eq_ignore_ascii_case(own)) {
            return None;
        }
        if own == self.parts {
            return Some(Fit::Exact);
        }
        let own = own.len();
        if own >= self.parts.len() {
            return Some(Fit::Ends);
        }
        // Modules and packages in front of the name are not part of it; they are not held against it.
        let path = layer.path(symbol);
        let folders = path.split(['/', '.']).collect::<Vec<_>>();
        Some(Fit::Within(
            self.parts[own..]
                .iter()
                .filter(|part| !folders.iter().any(|folder| folder.eq_ignore_ascii_case(part)))
                .count()
                + self.parts.len()
                - own,
        ))
    }

    /// Keeps what fits best: of a path only that is meant, a bare name may mean all.
    fn best(&self, found: Vec<(Fit, u32)>) -> Vec<u32> {
        let best = found.first().map(|(fit, _)| *fit).filter(|_| self.is_path());
        found
            .into_iter()
            .filter(|(fit, _)| best.is_none_or(|best| *fit == best))
            .map(|(_, symbol)| symbol)
            .collect()
    }
}

/// Returns names that may have been meant: by prefix first, then by edit distance.
pub fn suggestions(layer: &dyn Layer, text: &str) -> Vec<String> {
    let last = text.rsplit(['.', ':', '/', '#']).next().unwrap_or(text);
    let mut names: Vec<String> = Vec::new();
    let mut add = |symbol: u32| {
        let name = layer.qualified(symbol).into_owned();
        if !names.contains(&name) && names.len() < SUGGESTIONS {
            names.push(name);
        }
    };
    for length in [last.chars().count(), 4, 2] {
        let prefix: String = last.chars().take(length).collect();
        if prefix.is_empty() {
            break;
        }
        let mut near: Vec<(usize, u32)> = layer
            .with_prefix(&prefix, 2_000)
            .into_iter()
            .map(|symbol| (distance(last, &layer.name(symbol)), symbol))
            .collect();
        near.retain(|&(edits, symbol)| {
            edits <= 3 || layer.name(symbol).to_lowercase().starts_with(&last.to_lowercase())
        });
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
        for (one, two, edits) in
            [("", "", 0), ("abc", "abc", 0), ("parse", "prase", 2), ("a", "", 1), ("Foo", "foo", 0)]
        {
            assert_eq!(distance(one, two), edits, "{one} {two}");
        }
    }
}

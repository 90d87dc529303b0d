//! Places that a pasted error or a note names: `path:12`, `File "path", line 12`, `path(12)`.

use crate::layer::Layer;

/// Frames of one trace that are looked at; the innermost say most, and traces repeat.
const MOST: usize = 40;

/// Returns the symbols at the places that a text names, in the order of the text.
pub fn symbols(layer: &dyn Layer, text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for (path, line) in places(text) {
        let Some(file) = find(layer, &path) else { continue };
        let holds = |symbol: u32| (layer.lines(symbol).0..=layer.lines(symbol).1).contains(&line);
        // Inner symbols come after their outer ones; a line between symbols belongs to the file.
        let symbol = layer
            .file_range(file)
            .skip(1)
            .filter(|&symbol| holds(symbol) && layer.kind(symbol).is_code())
            .last()
            .unwrap_or(layer.file_range(file).start);
        if !found.contains(&symbol) {
            found.push(symbol);
        }
    }
    found
}

/// Returns paths with lines, as they are written.
fn places(text: &str) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some(at) = rest.find(['.', '/', '\\']) {
            let start = rest[..at].rfind(|letter: char| !is_path(letter)).map_or(0, |before| {
                before + rest[before..].chars().next().map_or(1, char::len_utf8)
            });
            let end =
                at + rest[at..].find(|letter: char| !is_path(letter)).unwrap_or(rest.len() - at);
            let path = rest[start..end].trim_end_matches('.');
            rest = &rest[end..];
            if let Some(number) = line_after(rest).filter(|_| has_ending(path)) {
                found.push((path.replace('\\', "/").trim_start_matches("./").to_owned(), number));
            }
            if found.len() == MOST {
                return found;
            }
        }
    }
    found
}

fn is_path(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | '/' | '\\' | '_' | '-' | '@' | '+')
}

fn has_ending(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=10).contains(&ending.len())
            && ending.chars().all(|letter| letter.is_ascii_alphanumeric())
            && !ending.chars().all(|letter| letter.is_ascii_digit())
    })
}

/// Returns the line number that follows a path.
fn line_after(rest: &str) -> Option<u32> {
    let after = [":", "(", "\", line ", "', line ", ", line ", " line ", "#L"]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))?;
    let digits =
        &after[..after.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(after.len())];
    digits.parse().ok().filter(|&number| number > 0)
}

/// Finds the file that a path of another machine means: the longest ending of it that the index has.
fn find(layer: &dyn Layer, path: &str) -> Option<u32> {
    let mut rest = path.trim_start_matches('/');
    loop {
        if let Some(file) = layer.find_path(rest) {
            return Some(file);
        }
        rest = rest.split_once('/')?.1;
    }
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn places_of_traces_are_read() {
        for (text, expected) in [
            (
                "  File \"/srv/app/shop/cart.py\", line 12, in total",
                vec![("/srv/app/shop/cart.py", 12)],
            ),
            ("at charge (src/pay.ts:10:3)", vec![("src/pay.ts", 10)]),
            ("panicked at src/main.rs:7:5:\nthread 'main'", vec![("src/main.rs", 7)]),
            ("\tat com.shop.Cart.total(Cart.java:31)", vec![("Cart.java", 31)]),
            ("./a.go:3 and b\\c.cs(9)", vec![("a.go", 3), ("b/c.cs", 9)]),
            ("version 1.2:3 of 10.0.0.1:80, see notes. Then é.rs stays", vec![]),
        ] {
            let expected: Vec<(String, u32)> =
                expected.into_iter().map(|(path, line)| (path.to_owned(), line)).collect();
            assert_eq!(places(text), expected, "{text}");
        }
    }
}

//! What must not stand in a tracked file, and how long files get.

use super::Report;
use std::fs;
use std::path::Path;

/// Lines above which a source file has more than one subject, most of the time.
const LONG: usize = 500;

/// Marks of unfinished work; put together so that this file holds none.
const UNFINISHED: &[&str] =
    &[concat!("to", "do!("), concat!("db", "g!("), concat!("unimple", "mented!(")];

pub fn check(root: &Path, files: &[String], report: &mut Report) {
    let places = places_of(root);
    for path in files {
        // What is no text cannot be read as one and is none of our business.
        let Ok(text) = fs::read_to_string(root.join(path)) else { continue };
        report.errors.extend(machine_paths(path, &text, &places));
        if path.ends_with(".rs") {
            report.errors.extend(unfinished(path, &text));
            let lines = text.lines().count();
            if lines > LONG {
                report.warnings.push(format!("{path}: {lines} lines"));
            }
        }
    }
}

/// Returns what paths on this machine start with: the checkout itself and the home of its user. The
/// folder around the checkout is not one: it may be `/tmp`, which any text may name.
fn places_of(root: &Path) -> Vec<String> {
    let home = std::env::var("HOME").ok();
    let checkout = Some(root.to_string_lossy().into_owned());
    home.into_iter()
        .chain(checkout)
        .map(|place| place.trim_end_matches('/').to_owned())
        .filter(|place| place.len() > 1)
        .map(|place| place + "/")
        .collect()
}

fn machine_paths(path: &str, text: &str, places: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for place in places {
            // Inside of a longer path it is just a folder of that name.
            let stands_alone = |at: usize| {
                !line[..at].ends_with(|c: char| {
                    c.is_alphanumeric()
                        || matches!(c, '/' | '.' | '-' | '_' | '~' | '*' | '}' | ')' | ']')
                })
            };
            if line.match_indices(place.as_str()).any(|(at, _)| stands_alone(at)) {
                found.push(format!("{path}:{}: a path of this machine, {place}", number + 1));
            }
        }
    }
    found
}

fn unfinished(path: &str, text: &str) -> Vec<String> {
    let marks = |line: &str| UNFINISHED.iter().copied().find(|mark| line.contains(mark));
    text.lines()
        .enumerate()
        .filter_map(|(number, line)| Some(format!("{path}:{}: {}", number + 1, marks(line)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_machine_are_found_where_they_start() {
        let places = ["/made/up/".to_owned()];
        for text in ["/made/up/x", "see /made/up/x", "\"/made/up/\"", "(/made/up/x)"] {
            assert_eq!(machine_paths("a", text, &places).len(), 1, "{text}");
        }
        for text in ["src/made/up/x", "/made/upper", "~/made/up/"] {
            assert!(machine_paths("a", text, &places).is_empty(), "{text}");
        }
    }

    #[test]
    fn unfinished_work_is_found() {
        assert_eq!(unfinished("a.rs", &format!("fn a() {{ {}) }}", UNFINISHED[0])).len(), 1);
        assert!(unfinished("a.rs", "fn a() { done() }").is_empty());
    }
}

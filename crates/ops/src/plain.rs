//! When plain text search is enough: an exact name or literal that stands in few places.

use contextd_engine::{Engine, Reader};
use contextd_pack::Texts as _;
use contextd_retrieve::Query;
use std::collections::BTreeSet;

/// Most places that one line can name.
const PLACES: usize = 5;
/// Files that are read to look for a literal.
const FILES: usize = 12;

/// Returns one line that says so, with the places, when the request is a name or a quoted text that the
/// project holds exactly. `files` are the best files of the ranking.
pub fn enough(engine: &Engine, reader: &Reader, query: &Query, files: &[String]) -> Option<String> {
    if let Some(literal) = literal(&query.text) {
        let places = literal_places(engine, literal, files);
        return line(&format!("\"{literal}\" stands"), &places);
    }
    let [identifier] = &query.identifiers[..] else { return None };
    if !identifier.code || query.text.split_whitespace().count() > 1 {
        return None;
    }
    let code = |symbol: &u32| reader.catalog.is_code(*symbol) && !reader.catalog.is_test(*symbol);
    let places: BTreeSet<String> = reader
        .snapshot
        .symbols_named(&identifier.text)
        .iter()
        .filter(|symbol| code(symbol))
        .map(|&symbol| {
            format!(
                "{}:{}",
                reader.snapshot.symbol(symbol).path(),
                reader.snapshot.symbol(symbol).start_line()
            )
        })
        .collect();
    line(&format!("`{}` is defined", identifier.text), &places.into_iter().collect::<Vec<_>>())
}

fn line(what: &str, places: &[String]) -> Option<String> {
    (1..=PLACES)
        .contains(&places.len())
        .then(|| format!("Plain text search is enough: {what} at {}.", places.join(", ")))
}

/// Returns the text between quotes, when that is all there is.
fn literal(text: &str) -> Option<&str> {
    let text = text.trim();
    let inner = ['"', '\'', '`']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))?;
    (inner.trim().len() >= 3 && !inner.contains(['"', '\n'])).then_some(inner)
}

fn literal_places(engine: &Engine, literal: &str, files: &[String]) -> Vec<String> {
    let mut places = Vec::new();
    for path in files.iter().take(FILES) {
        let Some(text) = engine.texts().read(path) else { continue };
        places.extend(
            text.scrubbed
                .lines()
                .enumerate()
                .filter(|(_, line)| line.contains(literal))
                .map(|(number, _)| format!("{path}:{}", number + 1)),
        );
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextd_retrieve::understand;

    #[test]
    fn only_whole_quotes_are_literals() {
        for (text, expected) in [
            ("\"the cart is empty\"", Some("the cart is empty")),
            ("`Cart`", Some("Cart")),
            ("the \"cart\"", None),
            ("\"a\"", None),
            ("\"one\" \"two\"", None),
            ("", None),
        ] {
            assert_eq!(literal(text), expected, "{text}");
        }
    }

    #[test]
    fn names_and_literals_are_placed() {
        let fixture = contextd_testkit::Fixture::shop();
        let engine = fixture.engine();
        let reader = engine.reader().unwrap();
        let files = ["shop/checkout.py".to_owned(), "shop/cart.py".to_owned()];
        let said = |text: &str| enough(&engine, &reader, &understand(text), &files);
        assert_eq!(
            said("checkout").unwrap(),
            "Plain text search is enough: `checkout` is defined at shop/checkout.py:5."
        );
        assert_eq!(
            said("expireSessions").unwrap(),
            "Plain text search is enough: `expireSessions` is defined at web/session.ts:7."
        );
        assert_eq!(said("how are sessions expired"), None);
        assert_eq!(said("nothingIsCalledSo"), None);
    }

    #[test]
    fn a_message_of_the_code_is_found() {
        let fixture = contextd_testkit::Fixture::shop();
        let engine = fixture.engine();
        let reader = engine.reader().unwrap();
        let said = enough(
            &engine,
            &reader,
            &understand("\"the cart is empty\""),
            &["shop/checkout.py".to_owned()],
        );
        assert_eq!(
            said.unwrap(),
            "Plain text search is enough: \"the cart is empty\" stands at shop/checkout.py:8."
        );
    }
}

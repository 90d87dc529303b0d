//! Tests that are named after code: what is left to go by where no call leads from a test to it.

use crate::reach::{Reached, Via};
use crate::suite::Suite;
use contextd_snapshot::Snapshot;

/// How sure it is that a test runs what it, or its file, is named after.
const BY_NAME: f32 = 0.6;
const BY_FILE: f32 = 0.4;
/// Letters of a name from which on a longer test name may begin with it.
const TELLING: usize = 4;

/// Returns tests named after one of the symbols or after its file, each once, by the surest name.
pub fn namesakes(snapshot: &Snapshot, suite: &Suite, start: &[(u32, f32)]) -> Vec<Reached> {
    let named: Vec<(u32, f32, String, String)> = start
        .iter()
        .map(|&(number, sure)| {
            (number, sure, name_of(snapshot, number), stem_of(snapshot.symbol(number).path()))
        })
        .collect();
    let of_test = |&test: &u32| {
        let (name, stem) = (name_of(snapshot, test), stem_of(snapshot.symbol(test).path()));
        let sure = |(_, sure, own, file): &(u32, f32, String, String)| {
            sure * likeness(&name, &stem, own, file)
        };
        let best = named
            .iter()
            .max_by(|one, two| sure(one).total_cmp(&sure(two)).then(two.0.cmp(&one.0)))?;
        let confidence = sure(best);
        (confidence > 0.0).then_some(Reached {
            symbol: test,
            distance: 1,
            confidence,
            through: best.0,
            via: Via::Name,
            line: snapshot.symbol(best.0).start_line(),
        })
    };
    suite.tests.iter().filter_map(of_test).collect()
}

fn likeness(test: &str, stem: &str, name: &str, file: &str) -> f32 {
    let by_name =
        !name.is_empty() && (test == name || name.len() >= TELLING && test.starts_with(name));
    if by_name {
        BY_NAME
    } else if !file.is_empty() && stem == file {
        BY_FILE
    } else {
        0.0
    }
}

/// Letters and digits of a name without the words that make it a test.
fn name_of(snapshot: &Snapshot, number: u32) -> String {
    let symbol = snapshot.symbol(number);
    if symbol.parent().is_none() { String::new() } else { bare(symbol.name()) }
}

fn stem_of(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    bare(name.split('.').next().unwrap_or(name))
}

fn bare(name: &str) -> String {
    let plain: String = name
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    let inner = plain.strip_prefix("test").unwrap_or(&plain);
    let inner = inner
        .strip_suffix("tests")
        .or_else(|| inner.strip_suffix("test"))
        .or_else(|| inner.strip_suffix("spec"))
        .unwrap_or(inner);
    inner.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_agree_without_what_makes_them_tests() {
        for (test, code) in [
            ("test_parse_line", "parseLine"),
            ("ParserTests", "parser"),
            ("cart_spec", "Cart"),
            ("TestMain", "main"),
        ] {
            assert_eq!(bare(test), bare(code));
        }
        assert_eq!(
            likeness(&bare("test_parse_line_with_tabs"), "", &bare("parse_line"), ""),
            BY_NAME
        );
        assert_eq!(likeness(&bare("test_total"), "cart", &bare("add"), "cart"), BY_FILE);
        assert_eq!(likeness(&bare("test_additional"), "x", &bare("add"), "cart"), 0.0);
        assert_eq!(likeness("", "", "", ""), 0.0);
    }
}

//! An answer inside a budget: its lists are cut at their ends until what is printed fits.

use crate::answer::{Answer, Impact, SymbolAnswer, SymbolInfo};

/// Lines of source that are kept for each place in a list.
const LINES_A_PLACE: usize = 4;

/// Returns as much of an answer as has at most `budget` tokens by `tokens_of`, or the least there can be. Packs and hits
/// keep to budgets themselves and are returned as they are, as is what has no list.
pub fn fit(answer: Answer, budget: usize, tokens_of: impl Fn(&Answer) -> usize) -> Answer {
    if !matches!(answer, Answer::Symbol(_) | Answer::Impact(_) | Answer::Tests(_))
        || tokens_of(&answer) <= budget
    {
        return answer;
    }
    let (mut fits, mut too_much) = (0, 1);
    while cut(&answer, too_much) != answer {
        too_much *= 2;
    }
    while fits + 1 < too_much {
        let middle = fits.midpoint(too_much);
        if tokens_of(&cut(&answer, middle)) <= budget { fits = middle } else { too_much = middle }
    }
    cut(&answer, fits)
}

/// Returns an answer whose lists have at most so many places.
fn cut(answer: &Answer, most: usize) -> Answer {
    let mut answer = answer.clone();
    match &mut answer {
        Answer::Symbol(own) => cut_symbols(own, most),
        Answer::Impact(own) => cut_impact(own, most),
        Answer::Tests(own) => {
            own.cut |= shorten(&mut own.tests, most.max(1)) | shorten(&mut own.changed, most);
        }
        _ => {}
    }
    answer
}

fn cut_impact(impact: &mut Impact, most: usize) {
    let Impact { items, files, tests, test_cases, docs, public, cut, .. } = impact;
    // One item is the least that is an answer.
    *cut |= shorten(items, most.max(1)) | shorten(docs, most) | shorten(test_cases, most);
    for list in [files, tests, public] {
        *cut |= shorten(list, most);
    }
}

/// Cuts a list at its end; true when something was there.
fn shorten<T>(list: &mut Vec<T>, most: usize) -> bool {
    let is_longer = list.len() > most;
    list.truncate(most);
    is_longer
}

fn cut_symbols(answer: &mut SymbolAnswer, most: usize) {
    let SymbolAnswer { symbols, others, cut } = answer;
    // One symbol is the least that is an answer.
    *cut |= shorten(others, most) | shorten(symbols, most.max(1));
    for symbol in symbols {
        let SymbolInfo {
            callers,
            callees,
            usages,
            tests,
            docs,
            related,
            members,
            source,
            truncated,
            ..
        } = symbol;
        *cut |= shorten(members, most);
        for list in [callers, callees, usages, tests, docs, related] {
            *cut |= shorten(list, most);
        }
        if let Some((end, _)) = source
            .match_indices('\n')
            .nth((most * LINES_A_PLACE).saturating_sub(1))
            .filter(|(end, _)| end + 1 < source.len())
        {
            source.truncate(if most == 0 { 0 } else { end + 1 });
            *truncated = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{ImpactItem, Relation, TestHit, TestScope};

    fn scope(count: usize) -> Answer {
        let test = |number: usize| TestHit {
            id: format!("tests/test_{number}.py::test"),
            ..TestHit::default()
        };
        Answer::Tests(TestScope {
            of: "x".to_owned(),
            changed: Vec::new(),
            found: count as u32,
            total: 100,
            tests: (0..count).map(test).collect(),
            cut: false,
        })
    }

    #[test]
    fn what_is_cut_says_so_and_what_is_whole_does_not() {
        let relation = Relation {
            symbol: "f".to_owned(),
            kind: String::new(),
            edge: String::new(),
            file: String::new(),
            line: 1,
            seen_at: String::new(),
            confidence: 1.0,
            certainty: String::new(),
        };
        let symbol = SymbolInfo {
            callers: vec![relation; 9],
            source: "a\nb\n".to_owned(),
            ..SymbolInfo::default()
        };
        let answer =
            Answer::Symbol(SymbolAnswer { symbols: vec![symbol], others: Vec::new(), cut: false });
        let callers = |answer: &Answer| {
            if let Answer::Symbol(own) = answer { own.symbols[0].callers.len() } else { 0 }
        };
        for budget in 0..12 {
            let Answer::Symbol(own) = fit(answer.clone(), budget, callers) else {
                panic!("another answer")
            };
            assert_eq!(
                (own.symbols[0].callers.len(), own.cut),
                (budget.min(9), budget < 9),
                "{budget}"
            );
        }
        // One item is never cut off, and then nothing is.
        let alone =
            Answer::Impact(Impact { items: vec![ImpactItem::default()], ..Impact::default() });
        assert_eq!(fit(alone.clone(), 0, |_| 1), alone);
    }

    fn places(answer: &Answer) -> usize {
        if let Answer::Tests(own) = answer { own.tests.len() } else { 0 }
    }

    #[test]
    fn as_much_is_kept_as_fits() {
        for count in 0..20 {
            for budget in 0..25 {
                let fitted = fit(scope(count), budget, places);
                assert_eq!(places(&fitted), count.min(budget.max(1)), "{count} in {budget}");
                assert!(
                    matches!(&fitted, Answer::Tests(own) if own.cut == (count > budget.max(1)))
                );
            }
        }
    }
}

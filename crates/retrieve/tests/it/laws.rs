//! Laws of the parts: the walk, the words, the rankings.

use contextd_engine::Reader;
use contextd_retrieve::lexical::{self, Mode};
use contextd_retrieve::walk::{WalkOptions, walk};
use contextd_retrieve::{Parameters, Sources, Weights, search, signals, task, understand};
use contextd_testkit::Fixture;
use proptest::prelude::*;
use std::sync::OnceLock;

pub fn shop() -> &'static Reader {
    static READER: OnceLock<Reader> = OnceLock::new();
    READER.get_or_init(|| Fixture::shop().engine().reader().expect("a reader"))
}

fn number(name: &str) -> u32 {
    let reader = shop();
    (0..reader.snapshot.symbol_count())
        .find(|&symbol| reader.snapshot.symbol(symbol).qualified() == name)
        .expect("a symbol of the shop")
}

#[test]
fn mass_is_kept_and_follows_calls() {
    let reader = shop();
    let reached = walk(
        &reader.snapshot,
        &reader.catalog,
        &[(number("checkout"), 1.0)],
        &WalkOptions::default(),
    );
    let total: f32 = reached.iter().map(|row| row.1).sum();
    assert!((0.5..=1.0001).contains(&total), "{total}");
    let mass =
        |name: &str| reached.iter().find(|row| row.0 == number(name)).map_or(0.0, |row| row.1);
    assert!(
        mass("charge") > 0.0 && mass("Cart.total") > 0.0 && mass("charge") > mass("sign"),
        "{reached:?}"
    );
    assert_eq!(mass("format_price"), 0.0);
    // Its columns are used again: what one walk left behind must not be seen by the next.
    walk(
        &reader.snapshot,
        &reader.catalog,
        &[(number("refund"), 1.0), (number("Cart.total"), 2.0)],
        &WalkOptions { iterations: 3, breadth: 2, ..WalkOptions::default() },
    );
    assert_eq!(
        walk(
            &reader.snapshot,
            &reader.catalog,
            &[(number("checkout"), 1.0)],
            &WalkOptions::default()
        ),
        reached
    );
    // Tests are not walked into.
    assert_eq!(mass("test_checkout_charges_the_total"), 0.0);
    assert!(walk(&reader.snapshot, &reader.catalog, &[], &WalkOptions::default()).is_empty());
    assert!(
        walk(
            &reader.snapshot,
            &reader.catalog,
            &[(number("checkout"), 1.0)],
            &WalkOptions { iterations: 0, ..WalkOptions::default() }
        )
        .is_empty()
    );
}

#[test]
fn rarer_words_weigh_more() {
    let reader = shop();
    let scored = lexical::score(
        &reader.snapshot,
        &reader.catalog,
        &understand("refund payment nowhere"),
        Mode::Task,
        &Parameters::DEFAULT,
    );
    assert!(scored.idf[0] > scored.idf[1] && scored.idf[2] == 0.0, "{:?}", scored.idf);
    assert!(scored.symbols[number("refund") as usize] > scored.symbols[number("charge") as usize]);
    assert_eq!(scored.symbols[number("expireSessions") as usize], 0.0);
}

proptest! {
    #[test]
    fn side_by_side_or_one_after_the_other_gives_the_same_bits(words in proptest::sample::subsequence(vec!["refund", "cart", "total", "payment", "checkout", "sessions", "`format_price`", "CartItem", "charge", "nowhere", "test"], 1..11), of_task in any::<bool>()) {
        let (reader, query, mode) = (shop(), understand(&words.join(" ")), if of_task { Mode::Task } else { Mode::Search });
        let scored = |cells: u64| {
            let scored = lexical::score_from(cells, &reader.snapshot, &reader.catalog, &query, mode, &Parameters::DEFAULT);
            let columns = [&scored.symbols, &scored.types, &scored.files, &scored.blocks].map(|column| column.iter().map(|score| score.to_bits()).collect::<Vec<u32>>());
            (columns, [&scored.symbol_hits, &scored.type_hits, &scored.file_hits, &scored.block_hits].map(Vec::clone), scored.idf.clone())
        };
        prop_assert_eq!(scored(0), scored(u64::MAX));
    }
}

#[test]
fn every_score_is_the_sum_of_its_terms() {
    let reader = shop();
    let weights = Weights::profile("recall").expect("a profile that ships");
    for hit in
        task::rank(&reader.sources(None), &understand("charge the card with the total"), &weights)
    {
        let sum: f32 =
            hit.terms(&weights.task_without_history).map(|(_, value, weight)| value * weight).sum();
        let prior = reader.sources(None).parameters.prior(
            reader.catalog.flags[hit.symbol as usize],
            &understand("charge the card with the total"),
        );
        let expected = if sum > 0.0 { sum * prior } else { sum - (1.0 - prior) };
        assert!((hit.score - expected).abs() < 1e-3, "{} {expected}", hit.score);
    }
}

#[test]
fn tests_come_forward_only_when_asked_for() {
    let reader = shop();
    let weights = Weights::profile("recall").expect("a profile that ships");
    let place = |text: &str| {
        let ranked = search::rank(&reader.sources(None), &understand(text), &weights, 20);
        ranked
            .iter()
            .position(|row| reader.snapshot.file(row.file).path().starts_with("tests/"))
            .expect("the test is found")
    };
    assert!(place("checkout charges the total of the cart") > 0);
    assert_eq!(place("test of checkout charges the total"), 0);
}

#[test]
fn switching_the_walk_off_takes_its_signal_away() {
    let reader = shop();
    let parameters = Parameters { iterations: 0.0, ..Parameters::DEFAULT };
    let sources = reader.sources(None);
    let with = task::candidates(&sources, &understand("charge the card"), &Weights::default()).0;
    let without = task::candidates(
        &Sources { parameters: &parameters, ..sources },
        &understand("charge the card"),
        &Weights::default(),
    )
    .0;
    assert!(with.iter().any(|row| row.1[signals::at::PPR] > 0.0));
    assert!(without.iter().all(|row| row.1[signals::at::PPR] == 0.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn rankings_are_ordered_bounded_and_whole(words in proptest::collection::vec("cart|total|charge|receipt|session|price|sign|bank|refund|[a-z]{3,8}", 1..8)) {
        let reader = shop();
        let text = words.join(" ");
        let weights = Weights::profile("recall").expect("a profile that ships");
        let ranked = task::rank(&reader.sources(None), &understand(&text), &weights);
        prop_assert!(ranked.windows(2).all(|pair| pair[0].score >= pair[1].score));
        prop_assert!(ranked.iter().all(|hit| hit.score.is_finite() && hit.symbol < reader.snapshot.symbol_count() && reader.catalog.is_code(hit.symbol)));
        for hit in &ranked {
            for scaled in signals::at::SCALED {
                prop_assert!((0.0..=1.0).contains(&hit.signals[scaled]), "{} {}", signals::NAMES[scaled], hit.signals[scaled]);
            }
        }
        let files = search::rank(&reader.sources(None), &understand(&text), &weights, 5);
        prop_assert!(files.len() <= 5 && files.windows(2).all(|pair| pair[0].score >= pair[1].score));
        for file in &files {
            let lines = reader.snapshot.file(file.file).lines();
            prop_assert!(!file.ranges.is_empty() && file.ranges.iter().all(|range| range.start_line >= 1 && range.start_line <= range.end_line && range.end_line <= lines.max(1)));
        }
    }
}

#[test]
fn one_owner_is_the_owner_of_the_column() {
    let reader = shop();
    let owners = &reader.catalog.ties(&reader.snapshot).owner;
    for symbol in 0..reader.snapshot.symbol_count() {
        assert_eq!(
            contextd_retrieve::ties::owner_of(&reader.snapshot, symbol),
            owners[symbol as usize],
            "{symbol}"
        );
    }
    let total = number("Cart.total");
    assert!(
        owners[total as usize] != total
            && owners[number("checkout") as usize] == number("checkout")
    );
}

//! The same answers on any number of threads, and whatever way the index came about.

use crate::{search_files, task_names};
use contextd_engine::{Engine, RefreshOptions, Silent};
use contextd_testkit::Fixture;

const REQUESTS: [&str; 6] = [
    "charge the card with the total of the cart",
    "how are sessions expired",
    "refund",
    "Fix the rounding of prices in format_price",
    "test that checkout refuses an empty cart",
    "receipt bank payment message",
];

fn answers(engine: &Engine) -> String {
    let reader = engine.reader().expect("a reader");
    REQUESTS
        .iter()
        .map(|text| {
            format!("{text}: {:?} {:?}\n", task_names(&reader, text), search_files(&reader, text))
        })
        .collect()
}

fn on_threads(count: usize, engine: &Engine) -> String {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("threads");
    pool.install(|| answers(engine))
}

#[test]
fn threads_do_not_matter() {
    let fixture = Fixture::shop();
    let engine = fixture.engine();
    let alone = on_threads(1, &engine);
    assert!(alone.contains("checkout"), "{alone}");
    assert_eq!(alone, on_threads(8, &engine));
    assert_eq!(alone, on_threads(1, &fixture.engine()));
}

#[test]
fn an_updated_index_answers_like_a_fresh_one() {
    let (updated, fresh) = (Fixture::shop(), Fixture::shop());
    let engine = updated.engine();
    let before = answers(&engine);
    for fixture in [&updated, &fresh] {
        fixture.write("shop/loyalty.py", "def points(total: int) -> int:\n    \"\"\"Points a customer gets for the total of a cart.\"\"\"\n    return total // 10\n");
        fixture.write("shop/cart.py", "class Cart:\n    def total(self):\n        \"\"\"Returns the sum of all lines after the charge of the bank.\"\"\"\n        return 0\n");
        std::fs::remove_file(fixture.path("tools/src/main.rs")).expect("a file of the shop");
    }
    engine
        .refresh(&RefreshOptions { now: 1_700_000_001_000, ..RefreshOptions::default() }, &Silent)
        .expect("a refresh");
    let after = answers(&engine);
    assert_ne!(before, after);
    assert_eq!(after, answers(&fresh.engine()));
}

#[test]
fn equal_scores_are_in_the_order_of_paths_and_lines() {
    let fixture = Fixture::empty();
    for path in ["c.py", "a.py", "b/z.py", "b/a.py"] {
        fixture.write(path, "def frobnicate():\n    return 1\n\n\nclass Other:\n    def frobnicate(self):\n        return 1\n");
    }
    let reader = fixture.engine().reader().expect("a reader");
    let weights = contextd_retrieve::Weights::profile("recall").expect("a profile that ships");
    let ranked = contextd_retrieve::task::rank(
        &reader.sources(None),
        &contextd_retrieve::understand("frobnicate everything now"),
        &weights,
    );
    let keys: Vec<(i64, String, u32)> = ranked
        .iter()
        .map(|hit| {
            (
                -i64::from(hit.score.to_bits()),
                reader.snapshot.symbol(hit.symbol).path().to_owned(),
                reader.snapshot.symbol(hit.symbol).start_line(),
            )
        })
        .collect();
    assert!(
        keys.iter().filter(|key| key.0 == keys[0].0).count() > 1,
        "some scores are equal: {keys:?}"
    );
    for pair in
        ranked.windows(2).zip(keys.windows(2)).filter(|(hits, _)| hits[0].score == hits[1].score)
    {
        assert!(pair.1[0] < pair.1[1], "{keys:?}");
    }
    let files = search_files(&reader, "frobnicate");
    let equal: Vec<&String> =
        files.iter().filter(|file| file.1 == files[0].1).map(|file| &file.0).collect();
    assert!(equal.len() > 1 && equal.is_sorted(), "{files:?}");
}

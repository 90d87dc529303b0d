//! The same content gives the same bytes, wherever it lies and whoever builds it.

use crate::support;
use contextd_engine::{RefreshOptions, Silent};
use contextd_model::FileFacts;
use std::fs;
use std::path::Path;

fn built(root: &Path, threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let options = RefreshOptions { now: support::now(), ..RefreshOptions::default() };
    pool.install(|| support::open(root).refresh(&options, &Silent)).unwrap();
}

/// More files than one shard holds.
fn plant_many(root: &Path) {
    support::plant(root);
    for number in 0..180 {
        let text = format!(
            "from shop.items import price_of\n\n\ndef step_{number}(item):\n    return step_{}(price_of(item))\n",
            (number * 7) % 180
        );
        support::write(&root.join(format!("steps/s{number}.py")), text.as_bytes());
    }
}

#[test]
fn place_threads_and_times_do_not_matter() {
    let place = tempfile::tempdir().unwrap();
    let (one, other) = (place.path().join("one"), place.path().join("elsewhere/deeper/other"));
    plant_many(&one);
    support::copy(&one, &other);
    fs::File::open(other.join("README.md")).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    built(&one, 1);
    built(&other, 8);
    assert_eq!(support::image(&one), support::image(&other));
}

#[test]
fn the_order_in_which_files_came_does_not_matter() {
    let place = tempfile::tempdir().unwrap();
    let (one, other) = (place.path().join("one"), place.path().join("other"));
    plant_many(&one);
    support::refresh(&one, 0);
    // The other grows over a border of shards and shrinks back below it.
    support::plant(&other);
    support::refresh(&other, 60_000);
    plant_many(&other);
    for number in 0..150 {
        support::write(&other.join(format!("gone/{number}.md")), b"# Gone\n");
    }
    support::refresh(&other, 60_000);
    fs::remove_dir_all(other.join("gone")).unwrap();
    support::refresh(&other, 60_000);
    assert_eq!(support::image(&one), support::image(&other));
}

#[test]
fn facts_depend_on_bytes_alone() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    let text = fs::read(place.path().join("shop/basket.py")).unwrap();
    support::write(&place.path().join("a/b/c/copy.py"), &text);
    support::refresh(place.path(), 0);
    let engine = support::open(place.path());
    let facts = |path: &str| -> FileFacts { engine.facts_of(path).unwrap().unwrap() };
    assert_eq!(facts("shop/basket.py"), facts("a/b/c/copy.py"));
    assert!(facts("shop/basket.py").symbols.len() > 3);
    assert_eq!(engine.facts_of("no/such.py").unwrap(), None);
}

//! Other ways to combine what was found: lists that are fused, and the formulas of pure structure.

use crate::laws::shop;
use contextd_retrieve::fusion::Fusion;
use contextd_retrieve::{Provider, Providers, Weights, search, signals, task, understand};

const TASK: &str = "charge the card with the total of the cart";

fn names(weights: &Weights) -> Vec<(String, f32)> {
    let reader = shop();
    task::rank(&reader.sources(None), &understand(TASK), weights)
        .iter()
        .map(|hit| (reader.snapshot.symbol(hit.symbol).qualified().into_owned(), hit.score))
        .collect()
}

#[test]
fn every_profile_finds_the_place_and_says_the_same_twice() {
    for profile in Weights::names() {
        let weights = Weights::profile(profile).expect("a profile that ships");
        let found = names(&weights);
        assert!(
            found.iter().take(10).any(|(name, _)| name.ends_with("charge")),
            "{profile}: {found:?}"
        );
        assert_eq!(found, names(&weights), "{profile}");
    }
}

#[test]
fn every_fusion_finds_the_place_in_symbols_and_files() {
    let recall = Weights::profile("recall").expect("a profile that ships");
    let mut orders = Vec::new();
    for fusion in [Fusion::Rrf, Fusion::WeightedAverage, Fusion::Cascade] {
        let weights = Providers { fusion: Some(fusion), ..Providers::default() }.apply(&recall);
        let found = names(&weights);
        assert!(
            found.iter().take(3).any(|(name, _)| name.ends_with("charge")),
            "{fusion:?}: {found:?}"
        );
        assert!(found.iter().all(|&(_, score)| (-1.0..=1.0).contains(&score)));
        let reader = shop();
        let files = search::rank(&reader.sources(None), &understand(TASK), &weights, 5);
        assert!(
            files[0].fused > 0.0 && files[0].blocks * weights.search.blocks == 0.0,
            "{fusion:?}"
        );
        orders.push(found);
    }
    assert!(orders[0] != orders[1] && orders[1] != orders[2], "strategies differ");
}

#[test]
fn a_provider_that_is_left_out_finds_nothing() {
    let recall = Weights::profile("recall").expect("a profile that ships");
    let reader = shop();
    let channels = |providers: &Providers| -> Vec<&'static str> {
        let lists = task::channel_lists(
            &reader.sources(None),
            &understand(TASK),
            &providers.apply(&recall),
        );
        lists.iter().filter(|list| !list.symbols.is_empty()).map(|list| list.channel).collect()
    };
    let all = channels(&Providers::default());
    assert!(["names", "text", "graph"].iter().all(|name| all.contains(name)), "{all:?}");
    let mut some = Providers { fusion: Some(Fusion::Rrf), ..Providers::default() };
    some.factors.retain(|provider, _| matches!(provider, Provider::Symbol));
    let few = channels(&some);
    assert!(few.contains(&"names") && !few.contains(&"text") && !few.contains(&"graph"), "{few:?}");
}

#[test]
fn structure_is_measured_only_when_asked_for() {
    let reader = shop();
    let rows = |profile: &str| {
        task::candidates(
            &reader.sources(None),
            &understand(TASK),
            &Weights::profile(profile).expect("a profile that ships"),
        )
        .0
    };
    let any = |rows: &[(u32, signals::Signals)]| {
        rows.iter().any(|(_, signals)| signals::at::STRUCTURE.iter().any(|&at| signals[at] != 0.0))
    };
    assert!(!any(&rows("recall")));
    let found = rows("seed004");
    assert!(
        any(&found)
            && found.iter().all(|(_, signals)| signals::at::STRUCTURE
                .iter()
                .all(|&at| (0.0..=1.0).contains(&signals[at])))
    );
}

//! Rankings over fixture projects, as their callers use them.

mod bad_input;
mod commits;
mod determinism;
mod fusion;
mod golden;
mod laws;
mod vocabulary;

use contextd_engine::Reader;
use contextd_retrieve::{Weights, search, task, understand};

/// Returns the ranked symbols for a task, best first, with their scores.
fn task_names(reader: &Reader, text: &str) -> Vec<(String, f32)> {
    let weights = Weights::profile("recall").expect("a profile that ships");
    let ranked = task::rank(&reader.sources(None), &understand(text), &weights);
    ranked
        .iter()
        .map(|hit| (reader.snapshot.symbol(hit.symbol).qualified().into_owned(), hit.score))
        .collect()
}

/// Returns the ranked files for a question, best first, with their scores.
fn search_files(reader: &Reader, text: &str) -> Vec<(String, f32)> {
    let weights = Weights::profile("recall").expect("a profile that ships");
    let ranked = search::rank(&reader.sources(None), &understand(text), &weights, 20);
    ranked
        .iter()
        .map(|file| (reader.snapshot.file(file.file).path().to_owned(), file.score))
        .collect()
}

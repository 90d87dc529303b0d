//! What history adds, and that hidden commits add nothing.

use crate::search_files;
use contextd_engine::Reader;
use contextd_retrieve::{Commits, Sources, Weights, change, understand};
use contextd_testkit::Fixture;

fn path_of(reader: &Reader, file: u32) -> String {
    reader.snapshot.file(file).path().to_owned()
}

#[test]
fn messages_lead_to_the_files_they_touched() {
    let reader = Fixture::accounts().engine().reader().expect("a reader");
    let query = understand("issuer of tokens");
    let files = reader.commits.files(&query, None);
    assert_eq!(path_of(&reader, files[0].0), "src/auth/JwtValidator.kt");
    // Commit 0 is the newest, which said so; with it hidden, no commit speaks of issuers.
    assert!(reader.commits.files(&understand("issuer"), Some(0)).is_empty());
    assert!(reader.commits.files(&query, Some(reader.history.view().len() as u32)).is_empty());
}

#[test]
fn hidden_commits_leave_no_trace() {
    let (with, without) = (Fixture::accounts(), Fixture::accounts());
    with.write(
        "web/invoices.ts",
        "export function renderInvoices(): string {\n  return 'none';\n}\n",
    );
    with.commit("Show a note during authentication when there are no invoices");
    without.write(
        "web/invoices.ts",
        "export function renderInvoices(): string {\n  return 'none';\n}\n",
    );
    let (with, without) =
        (with.engine().reader().expect("a reader"), without.engine().reader().expect("a reader"));
    let query = understand("authentication note for accounts");
    let seen = |reader: &Reader, hidden: Option<u32>| -> Vec<(u32, f32)> {
        reader.commits.best(&query, hidden)
    };
    assert_ne!(seen(&with, None).len(), seen(&without, None).len());
    // Numbers move by one; the scores of older commits do not know the newer one, nor how rare it makes words.
    let shifted: Vec<u32> = seen(&with, Some(0)).iter().map(|commit| commit.0 - 1).collect();
    assert_eq!(shifted, seen(&without, None).iter().map(|commit| commit.0).collect::<Vec<_>>());
    let documents = |reader: &Reader, hidden| {
        reader.commits.file_documents(&query, reader.snapshot.file_count() as usize, hidden)
    };
    assert_eq!(documents(&with, Some(0)), documents(&without, None));
    let activity = |reader: &Reader, hidden| {
        reader.commits.activity(reader.snapshot.file_count() as usize, hidden, 60.0)
    };
    assert_eq!(activity(&with, Some(0)), activity(&without, None));
}

#[test]
fn a_change_is_found_among_source_files() {
    let reader = Fixture::accounts().engine().reader().expect("a reader");
    let weights = Weights::profile("recall").expect("a profile that ships");
    let ranked = change::rank(
        &reader.sources(None),
        &understand("Unlock accounts an hour after the fifth login with a wrong password"),
        &weights.change,
        10,
    );
    assert_eq!(path_of(&reader, ranked[0].file), "src/auth/LoginService.kt");
    assert!(ranked.iter().all(|row| !path_of(&reader, row.file).ends_with(".md")));
    let blind = Sources { commits: None, ..reader.sources(None) };
    let ranked = change::rank(
        &blind,
        &understand("Unlock accounts an hour after the fifth login with a wrong password"),
        &weights.change_without_history,
        10,
    );
    assert_eq!(path_of(&reader, ranked[0].file), "src/auth/LoginService.kt");
}

#[test]
fn no_history_is_no_commits() {
    let reader = Fixture::shop().engine().reader().expect("a reader");
    assert!(reader.commits.is_empty() && reader.sources(None).commits.is_none());
    assert!(Commits::default().best(&understand("anything at all"), None).is_empty());
    assert!(!search_files(&reader, "refund of a payment").is_empty());
}

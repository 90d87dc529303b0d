//! Who and what usually comes along with the changed files: owners, authors, files, commits.

use crate::context::Context;
use contextd_engine::{Change, Reader};
use contextd_history::{Owners, Repository};
use std::collections::{BTreeMap, BTreeSet};

/// Places of a CODEOWNERS file, relative to the repository.
const PLACES: [&str; 4] =
    [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];
/// Commits that touched both files before they count as company.
const LEAST_TOGETHER: u32 = 3;
/// Share of a file's commits that touched the other as well.
const LEAST_SHARE: f64 = 0.3;
/// Files that are listed.
const MOST: usize = 8;
/// Commits that are listed.
const MOST_COMMITS: usize = 20;

/// What history and owners say about a change.
#[derive(Default)]
pub struct Company {
    /// Owners by path.
    pub owners: BTreeMap<String, Vec<String>>,
    /// Who touched the changed files most lately, where nobody owns them.
    pub authors: Vec<String>,
    pub left_out: Vec<LeftOut>,
    pub commits: Vec<CommitNote>,
    /// Commits that touched the busiest of the changed files, and that file.
    pub busiest: Option<(String, u32)>,
}

/// A file that usually changes with one of the changed files and does not here.
#[derive(Clone, Debug)]
pub struct LeftOut {
    pub path: String,
    /// The changed file it usually comes with.
    pub with: String,
    /// Commits that touched both, of so many that touched `with`.
    pub together: u32,
    pub of: u32,
}

/// One commit of the change.
#[derive(Clone, Debug)]
pub struct CommitNote {
    pub id: String,
    pub subject: String,
    pub body: String,
    pub author: String,
}

impl Company {
    pub fn of(context: &Context, reader: &Reader, change: &Change) -> Company {
        let mut company = Company {
            owners: owners(context, change),
            left_out: left_out(reader, change),
            commits: commits(context, reader, change),
            ..Company::default()
        };
        let history = reader.history.view();
        let churn = change.files.iter().filter_map(|file| {
            Some((history.churn(history.file(&file.path)?)?.commits, file.path.clone()))
        });
        company.busiest = churn.max().map(|(commits, path)| (path, commits));
        if company.owners.is_empty() {
            company.authors = authors(reader, change);
        }
        company
    }

    /// Returns all owners, each once.
    pub fn all_owners(&self) -> Vec<&str> {
        let all: BTreeSet<&str> = self.owners.values().flatten().map(String::as_str).collect();
        all.into_iter().collect()
    }
}

fn owners(context: &Context, change: &Change) -> BTreeMap<String, Vec<String>> {
    let scanner = &context.engine.scanner;
    let Some(text) = PLACES.iter().find_map(|place| scanner.read(place).ok()) else {
        return BTreeMap::new();
    };
    let rules = Owners::parse(&text.text);
    change
        .files
        .iter()
        .map(|file| (file.path.clone(), rules.of(&file.path)))
        .filter(|(_, owners)| !owners.is_empty())
        .collect()
}

fn left_out(reader: &Reader, change: &Change) -> Vec<LeftOut> {
    let history = reader.history.view();
    let changed: BTreeSet<&str> = change
        .files
        .iter()
        .flat_map(|file| [Some(file.path.as_str()), file.from.as_deref()])
        .flatten()
        .collect();
    let mut best: BTreeMap<&str, LeftOut> = BTreeMap::new();
    for path in change.files.iter().map(|file| file.from.as_deref().unwrap_or(&file.path)) {
        let Some(file) = history.file(path) else { continue };
        let of = history.file_commits(file).len() as u32;
        for partner in history.partners(file) {
            let other = history.path(partner.file);
            let share = f64::from(partner.count) / f64::from(of.max(1));
            if partner.count < LEAST_TOGETHER
                || share < LEAST_SHARE
                || changed.contains(other)
                || !history.is_present(partner.file)
            {
                continue;
            }
            let found = LeftOut {
                path: other.to_owned(),
                with: path.to_owned(),
                together: partner.count,
                of,
            };
            let kept = best.entry(other).or_insert_with(|| found.clone());
            if weight(&found) > weight(kept) {
                *kept = found;
            }
        }
    }
    let mut found: Vec<LeftOut> = best.into_values().collect();
    found.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.path.cmp(&b.path)));
    found.truncate(MOST);
    found
}

/// A share of few commits says less than the same share of many.
fn weight(left: &LeftOut) -> f64 {
    f64::from(left.together) / (f64::from(left.of) + 2.0)
}

fn authors(reader: &Reader, change: &Change) -> Vec<String> {
    let history = reader.history.view();
    let mut counts: BTreeMap<&str, (u32, std::cmp::Reverse<u32>)> = BTreeMap::new();
    for file in change.files.iter().filter_map(|file| history.file(&file.path)) {
        for &number in history.file_commits(file).iter().take(20) {
            let Some(commit) = history.commit(number) else { continue };
            let entry =
                counts.entry(commit.author_name()).or_insert((0, std::cmp::Reverse(number)));
            entry.0 += 1;
            entry.1 = entry.1.max(std::cmp::Reverse(number));
        }
    }
    let mut authors: Vec<(&str, (u32, std::cmp::Reverse<u32>))> = counts.into_iter().collect();
    authors.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    authors.into_iter().take(3).map(|(name, _)| name.to_owned()).collect()
}

fn commits(context: &Context, reader: &Reader, change: &Change) -> Vec<CommitNote> {
    let history = reader.history.view();
    let head = change.head.or_else(|| Repository::open(&context.engine.places.root).ok()?.head());
    let (Some(head), Some(_)) = (head, change.base) else { return Vec::new() };
    let scrub = |text: &str| context.engine.scrubber.scrub(text, "commit").text.into_owned();
    let shown = history
        .added_since(change.base, head)
        .into_iter()
        .filter_map(|number| history.commit(number))
        .filter(|commit| !commit.is_merge())
        .take(MOST_COMMITS);
    shown
        .map(|commit| CommitNote {
            id: commit.id().to_string(),
            subject: scrub(commit.subject()),
            body: scrub(commit.body()),
            author: commit.author_name().to_owned(),
        })
        .collect()
}

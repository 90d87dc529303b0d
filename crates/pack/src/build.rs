//! Request → pack.

use crate::budget::{self, BudgetsResolved};
use crate::draft::{Draft, Kept};
use crate::error::PackError;
use crate::held::HeldItems;
use crate::ids::Versions;
use crate::items::{Read, Shop};
use crate::layer::Layer;
use crate::notes::{self, Rule};
use crate::pack::{ContextItem, ContextPack, Explain, Note, Timings};
use crate::plan::{Plan, plan};
use crate::pool::Pool;
use crate::request::{Defaults, Intent, Layout, PackRequest, SeedProvider, Strictness};
use crate::scope::Filter;
use crate::seeds::{SeedRecord, Seeds, seeds};
use crate::shelf::Shelf;
use crate::texts::Texts;
use contextd_history::HistoryView;
use contextd_retrieve::line_score::LineScorer;
use contextd_retrieve::{Query, Sources, Weights, understood};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Says what holds for the files of these paths.
pub type ForFiles<'a, T> = &'a dyn Fn(&[&str]) -> Vec<T>;

/// What packs are made from.
pub struct Inputs<'a> {
    pub layer: &'a dyn Layer,
    /// What ranks a query; without it, seeds must be handed in.
    pub sources: Option<Sources<'a>>,
    /// The ranking's result when it was made elsewhere.
    pub seeds: Option<&'a [SeedRecord]>,
    pub texts: &'a dyn Texts,
    /// What was made of files before.
    pub shelf: &'a Shelf,
    pub history: Option<HistoryView<'a>>,
    /// Says which rules are in force for files, the weightiest first.
    pub rules: Option<ForFiles<'a, Rule>>,
    /// Texts that the caller was sent; absent outside a session.
    pub known: Option<&'a Known>,
    /// Says what is declared about files, the weightiest first.
    pub notes: Option<ForFiles<'a, Note>>,
    /// What the caller has already.
    pub held: &'a HeldItems,
    /// The packs among it.
    pub held_packs: Arc<Vec<ContextPack>>,
    pub weights: &'a Weights,
    pub versions: Versions,
    /// What the request leaves open.
    pub defaults: Defaults,
    /// Renders a pack in the format whose bytes the budget counts.
    pub render: &'a dyn Fn(&ContextPack) -> String,
    /// Returns microseconds since some moment; only the timings are made of it.
    pub clock: &'a dyn Fn() -> u64,
}

/// A pack and what it was made from.
pub struct Built {
    pub pack: ContextPack,
    /// Files that were read: as long as they are so, the same request gives the same pack.
    pub reads: Vec<Read>,
    pub timings: Timings,
}

/// Texts that were sent before, by chunkUid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    pub uids: BTreeSet<String>,
    /// Leaves their texts out instead of only marking them.
    pub delta: bool,
}

impl Known {
    /// Marks an item that was sent before.
    pub(crate) fn mark(&self, item: &mut Arc<ContextItem>) {
        if !self.uids.contains(&item.chunk_uid) {
            return;
        }
        let item = Arc::make_mut(item);
        item.known = true;
        if self.delta {
            item.excerpt.text.clear();
            item.excerpt.detail = "known".to_owned();
        }
    }
}

/// Files whose last commits are shown.
const COMMIT_FILES: usize = 8;
/// Files whose rules are shown.
const RULE_FILES: usize = 24;

/// Builds the pack of a request.
pub fn build(inputs: &Inputs<'_>, request: &PackRequest) -> Result<Built, PackError> {
    check(inputs, request)?;
    let start = (inputs.clock)();
    let tokenizer = request.tokenizer.unwrap_or(inputs.defaults.tokenizer);
    let budgets = budget::resolve(request, inputs.defaults.tokens, tokenizer)?;
    let plan = plan(request.intent);
    let filter = Filter::new(&request.scope)?;
    let query = understood(&request.query, &request.names);
    let found = seeds(inputs, request, &query, &filter)?;
    let seeded = (inputs.clock)();
    let is_map = is_map(request, &found);
    let pool = if is_map {
        Pool::of_seeds(&plan, &found)
    } else {
        Pool::gather(inputs, request, &plan, &budgets, &filter, &found)
    };
    let walked = (inputs.clock)();
    let shop = Shop::new(inputs, budgets.max_bytes_per_item as usize, plan.documented);
    let explain =
        request.wants_explain().then(|| explain(inputs, request, &query, &found, &pool, &budgets));
    let notes = notes(inputs, &plan, &found);
    let pack = Draft {
        inputs,
        request,
        plan: &plan,
        pool: &pool,
        shop: &shop,
        budgets,
        explain,
        notes,
        is_map,
        lines: inputs
            .sources
            .filter(|_| is_map)
            .map(|sources| LineScorer::new(sources.snapshot, &query)),
        kept: Kept::of(inputs, request),
    }
    .fit()?;
    let end = (inputs.clock)();
    let timings = Timings {
        seeds: seeded.saturating_sub(start),
        traversal: walked.saturating_sub(seeded),
        selection: end.saturating_sub(walked),
    };
    Ok(Built { pack, reads: shop.reads(), timings })
}

/// How a caller without guesses gets a better answer.
const HINT: &str = "For a better answer add names: 5 to 12 identifiers, file names, messages or terms that you expect in the code; guesses are welcome.";

/// Returns the guesses that stand nowhere, each with up to five near names.
fn names_not_found(inputs: &Inputs<'_>, query: &Query) -> BTreeMap<String, Vec<String>> {
    let Some(sources) = inputs.sources.filter(|_| !query.names.is_empty()) else {
        return BTreeMap::new();
    };
    let near = |name: &String| crate::resolve::suggestions(inputs.layer, name);
    contextd_retrieve::absent(sources.snapshot, query)
        .into_iter()
        .map(|name| (name.clone(), near(&name)))
        .collect()
}

/// True when the answer is a map of places: a task in words, in a format that shows texts.
fn is_map(request: &PackRequest, found: &Seeds<'_>) -> bool {
    found.ranking == "task"
        && request.layout == Layout::Map
        && request.intent == Intent::Answer
        && request.files.is_empty()
        && request.focus == Default::default()
        && request.expansion == Default::default()
        && !request.is_graph()
}

fn check(inputs: &Inputs<'_>, request: &PackRequest) -> Result<(), PackError> {
    if request.seed_provider == SeedProvider::Ann {
        return Err(PackError::NotSupported {
            message: "the seed provider `ann` needs vectors, and none are indexed".to_owned(),
            remedy: "Use `hybrid`.".to_owned(),
        });
    }
    let signature = &request.index_signature;
    if !signature.is_empty() && *signature != inputs.versions.index_signature {
        return Err(PackError::Changed {
            message: format!(
                "the index has changed: its signature is {}, not {signature}",
                inputs.versions.index_signature
            ),
            remedy: "Leave `indexSignature` out to ask the current index.".to_owned(),
        });
    }
    if request.query.trim().is_empty()
        && request.names.is_empty()
        && request.files.is_empty()
        && request.focus == Default::default()
    {
        return Err(PackError::Request {
            message: "the request names neither a query nor files nor a focus".to_owned(),
            remedy: "Say what the context is for.".to_owned(),
        });
    }
    Ok(())
}

/// Commits and rules that the intent asks for.
fn notes(inputs: &Inputs<'_>, plan: &Plan, found: &Seeds<'_>) -> Vec<Arc<ContextItem>> {
    let mut items: Vec<Arc<ContextItem>> = Vec::new();
    if let Some(rules) = inputs.rules.filter(|_| plan.rules) {
        let paths = paths(inputs, found, RULE_FILES);
        items.extend(
            rules(&paths.iter().map(String::as_str).collect::<Vec<_>>())
                .iter()
                .map(notes::rule)
                .map(Arc::new),
        );
    }
    if let Some(history) = inputs.history.filter(|_| plan.commits) {
        items.extend(
            notes::commits(&history, &paths(inputs, found, COMMIT_FILES)).into_iter().map(Arc::new),
        );
    }
    items
}

/// Returns the files of the best seeds, best first.
fn paths(inputs: &Inputs<'_>, found: &Seeds<'_>, most: usize) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for seed in &found.seeds {
        let path = inputs.layer.path(seed.symbol);
        if paths.len() < most && !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

fn explain(
    inputs: &Inputs<'_>,
    request: &PackRequest,
    query: &Query,
    found: &Seeds<'_>,
    pool: &Pool<'_>,
    budgets: &BudgetsResolved,
) -> Explain {
    let layer = inputs.layer;
    let looked_for = query
        .identifiers
        .iter()
        .map(|identifier| identifier.text.clone())
        .chain(query.paths.iter().cloned())
        .chain(query.words.iter().map(|(word, _)| word.clone()));
    let unique: BTreeSet<String> = looked_for.collect();
    let named = query
        .identifiers
        .iter()
        .filter(|identifier| identifier.code && layer.named_like(&identifier.text).is_empty())
        .map(|identifier| identifier.text.clone());
    let gaps = if request.strictness == Strictness::Loose {
        Vec::new()
    } else {
        pool.expanded
            .without_evidence
            .iter()
            .take(20)
            .map(|&symbol| layer.qualified(symbol).into_owned())
            .collect()
    };
    Explain {
        ranking: found.ranking.to_owned(),
        weights: inputs.versions.weights.clone(),
        looked_for: unique.into_iter().take(24).collect(),
        not_found: named.collect::<BTreeSet<_>>().into_iter().take(10).collect(),
        names_not_found: names_not_found(inputs, query),
        hint: if query.names.is_empty() && is_map(request, found) {
            HINT.to_owned()
        } else {
            String::new()
        },
        evidence_gaps: gaps,
        warnings: budgets
            .clamped
            .iter()
            .map(|clamp| {
                format!("{} was clamped from {} to {}", clamp.field, clamp.requested, clamp.used)
            })
            .collect(),
    }
}

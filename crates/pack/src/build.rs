//! Request → pack.

use crate::budget::{self, BudgetsResolved, Clamp};
use crate::error::PackError;
use crate::expand::{Expanded, Reach, Section, expand};
use crate::ids::{Versions, pack_id, pack_root};
use crate::items::{Shop, Shown};
use crate::pack::{ContextItem, ContextPack, ContextSection, Explain, Note, PackEdge, PackStats, Scores, SeedEntry, Why};
use crate::request::{Intent, PackRequest, Primary, SeedProvider, Strictness, TieBreaker};
use crate::scope::Filter;
use crate::seeds::{Seed, Seeds, round, seeds};
use crate::select::{Candidate, Choice, Selector, wants_bodies, weight};
use crate::texts::Texts;
use crate::tokens::Tokenizer;
use contextd_retrieve::{Query, Sources, Weights, understand};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What packs are made from.
pub struct Inputs<'a> {
    pub sources: Sources<'a>,
    pub texts: &'a dyn Texts,
    pub weights: &'a Weights,
    pub versions: Versions,
    /// Tokens when the request names none.
    pub default_tokens: u64,
    /// Relevance against diversity when the request does not say.
    pub default_lambda: f64,
    pub default_tokenizer: Tokenizer,
    /// Texts that the caller has; absent outside a session.
    pub known: Option<&'a Known>,
    /// Renders a pack in the format whose bytes the budget counts.
    pub render: &'a dyn Fn(&ContextPack) -> String,
    /// Says what is declared about files, the weightiest first.
    pub notes: Option<&'a dyn Fn(&[&str]) -> Vec<Note>>,
}

/// Texts that were sent before, by chunkUid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    pub uids: BTreeSet<String>,
    /// Leaves their texts out instead of only marking them.
    pub delta: bool,
}

impl Known {
    fn mark(&self, item: &mut ContextItem) {
        item.known = self.uids.contains(&item.chunk_uid);
        if item.known && self.delta {
            item.excerpt.text.clear();
            item.excerpt.detail = "known".to_owned();
        }
    }
}

/// Rounds of dropping before everything is given up; each drops at least one item.
const ROUNDS: usize = 300;
/// Edges shown among the chosen.
const MAX_EDGES: usize = 60;

/// Builds the pack of a request.
pub fn build(inputs: &Inputs<'_>, request: &PackRequest) -> Result<ContextPack, PackError> {
    check(inputs, request)?;
    let tokenizer = request.tokenizer.unwrap_or(inputs.default_tokenizer);
    let budgets = budget::resolve(request, inputs.default_tokens, tokenizer)?;
    let filter = Filter::new(&request.scope)?;
    let query = understand(&request.query);
    let found = seeds(inputs, request, &query, &filter)?;
    let pool = Pool::gather(inputs, request, &budgets, &filter, &found);
    let shop = Shop::new(inputs, budgets.max_bytes_per_item as usize);
    let explain = request.wants_explain().then(|| explain(inputs, request, &query, &found, &pool, &budgets));
    let mut draft = Draft { inputs, request, pool: &pool, shop: &shop, budgets, explain };
    draft.fit()
}

fn check(inputs: &Inputs<'_>, request: &PackRequest) -> Result<(), PackError> {
    if request.seed_provider == SeedProvider::Ann {
        return Err(PackError::NotSupported { message: "the seed provider `ann` needs vectors, and none are indexed".to_owned(), remedy: "Use `hybrid`.".to_owned() });
    }
    let signature = &request.index_signature;
    if !signature.is_empty() && *signature != inputs.versions.index_signature {
        return Err(PackError::Request { message: format!("the index has changed: its signature is {}, not {signature}", inputs.versions.index_signature), remedy: "Leave `indexSignature` out to ask the current index.".to_owned() });
    }
    if request.query.trim().is_empty() && request.files.is_empty() && request.focus == Default::default() {
        return Err(PackError::Request { message: "the request names neither a query nor files nor a focus".to_owned(), remedy: "Say what the context is for.".to_owned() });
    }
    Ok(())
}

/// Everything that may be chosen, with what was left out before choosing.
struct Pool {
    candidates: Vec<Candidate>,
    expanded: Expanded,
    dropped: BTreeMap<String, u32>,
    considered: u32,
}

impl Pool {
    fn gather(inputs: &Inputs<'_>, request: &PackRequest, budgets: &BudgetsResolved, filter: &Filter, found: &Seeds) -> Pool {
        let snapshot = inputs.sources.snapshot;
        let most = request.k.map_or(budgets.max_items_per_section, u64::from).min(budgets.max_items_per_section) as usize;
        let chosen: Vec<&Seed> = found.seeds.iter().take(most).collect();
        let roots: Vec<(u32, f64)> = chosen.iter().map(|seed| (seed.symbol, seed.score)).collect();
        let expanded = expand(snapshot, inputs.sources.catalog, &request.expansion, budgets.max_hops as u32, request.strictness, &roots);
        let ranked: BTreeMap<u32, f64> = found.seeds.iter().rev().map(|seed| (seed.symbol, seed.score)).collect();
        let mut candidates: Vec<Candidate> = chosen.iter().map(|seed| of_seed(seed, request.intent)).collect();
        let mut dropped: BTreeMap<String, u32> = BTreeMap::new();
        let mut drop = |reason: &str, count: usize| {
            if count > 0 {
                *dropped.entry(reason.to_owned()).or_default() += count as u32;
            }
        };
        drop("budget", found.seeds.len() - chosen.len());
        drop("unsupported", found.out_of_scope as usize);
        drop("lowScore", found.low_score as usize);
        if request.strictness == Strictness::Strict {
            drop("noEvidence", expanded.without_evidence.len());
        }
        for reach in &expanded.reached {
            if filter.allows(snapshot, reach.symbol) {
                candidates.push(of_reach(inputs, reach, &ranked, request.intent));
            } else {
                drop("unsupported", 1);
            }
        }
        let considered = (found.seeds.len() + expanded.reached.len()) as u32 + found.out_of_scope + found.low_score;
        Pool { candidates, expanded, dropped, considered }
    }
}

fn of_seed(seed: &Seed, intent: Intent) -> Candidate {
    let scores = scores(seed.score, 0, 1.0, intent);
    let why = Why { rule: seed.rule.to_owned(), signals: seed.signals.clone(), ..Why::default() };
    Candidate { symbol: seed.symbol, lines: seed.lines, section: Section::Seeds, value: scores.hybrid_score, scores, why }
}

fn of_reach(inputs: &Inputs<'_>, reach: &Reach, ranked: &BTreeMap<u32, f64>, intent: Intent) -> Candidate {
    let snapshot = inputs.sources.snapshot;
    let scores = scores(ranked.get(&reach.symbol).copied().unwrap_or(0.0), reach.distance, reach.evidence, intent);
    let why = Why {
        rule: reach.section.rule().to_owned(),
        signals: Vec::new(),
        path: reach.path.iter().map(|hop| hop.step(snapshot)).collect(),
        evidence: reach.path.iter().map(|hop| hop.evidence(snapshot)).collect(),
    };
    // A neighbour of a weak seed is worth less than one of a strong seed.
    let value = scores.hybrid_score * weight(intent, reach.section) * (0.5 + 0.5 * reach.origin_score);
    Candidate { symbol: reach.symbol, lines: None, section: reach.section, value, scores, why }
}

fn scores(seed: f64, distance: u32, evidence: f64, intent: Intent) -> Scores {
    let near = 1.0 / (1.0 + f64::from(distance));
    let (seed_weight, near_weight, evidence_weight) = if intent == Intent::Impact { (0.3, 0.5, 0.2) } else { (0.7, 0.2, 0.1) };
    let hybrid = (seed_weight * seed + near_weight * near + evidence_weight * evidence).clamp(0.0, 1.0);
    Scores { seed_score: round(seed), graph_distance: distance, evidence_score: round(evidence), hybrid_score: round(hybrid) }
}

fn explain(inputs: &Inputs<'_>, request: &PackRequest, query: &Query, found: &Seeds, pool: &Pool, budgets: &BudgetsResolved) -> Explain {
    let snapshot = inputs.sources.snapshot;
    let looked_for = query.identifiers.iter().map(|identifier| identifier.text.clone()).chain(query.paths.iter().cloned()).chain(query.words.iter().map(|(word, _)| word.clone()));
    let unique: BTreeSet<String> = looked_for.collect();
    let named = query.identifiers.iter().filter(|identifier| identifier.code && snapshot.symbols_named_like(&identifier.text).is_empty()).map(|identifier| identifier.text.clone());
    let gaps = if request.strictness == Strictness::Loose { Vec::new() } else { pool.expanded.without_evidence.iter().take(20).map(|&symbol| snapshot.symbol(symbol).qualified().into_owned()).collect() };
    Explain {
        ranking: found.ranking.to_owned(),
        weights: inputs.versions.weights.clone(),
        looked_for: unique.into_iter().take(24).collect(),
        not_found: named.collect::<BTreeSet<_>>().into_iter().take(10).collect(),
        evidence_gaps: gaps,
        warnings: budgets.clamped.iter().map(|clamp| format!("{} was clamped from {} to {}", clamp.field, clamp.requested, clamp.used)).collect(),
    }
}

/// A pack in the making.
struct Draft<'a> {
    inputs: &'a Inputs<'a>,
    request: &'a PackRequest,
    pool: &'a Pool,
    shop: &'a Shop<'a>,
    budgets: BudgetsResolved,
    explain: Option<Explain>,
}

/// A pack with its rendered size.
struct Sized {
    pack: ContextPack,
    tokens: u64,
    chars: u64,
}

impl Draft<'_> {
    /// Chooses by estimates, then lets the rendered bytes decide.
    fn fit(&mut self) -> Result<ContextPack, PackError> {
        let empty = self.make_room()?;
        let Some(first) = (!self.pool.candidates.is_empty()).then(|| self.sized(&[Choice { candidate: 0, body: false }])) else { return Ok(self.finished(empty)) };
        let limit = self.budgets.max_total_tokens;
        let title = crate::items::title(self.inputs.sources.snapshot, self.pool.candidates[0].symbol);
        let overhead = (first.tokens.saturating_sub(empty.tokens) as f64 - self.budgets.tokenizer.count(&title) as f64).max(4.0);
        let budgets = self.budgets.clone();
        let lambda = self.request.mmr_lambda.unwrap_or(self.inputs.default_lambda).clamp(0.0, 1.0);
        let selector = Selector::new(self.inputs.sources.snapshot, &self.pool.candidates, self.shop, &budgets, lambda, overhead, budgets.tokenizer);
        let room = limit.saturating_sub(empty.tokens) as f64;
        let bodies = wants_bodies(self.request.intent);
        let mut best = self.shrink(&selector, selector.choose(room, bodies), empty);
        // Estimates err to both sides: when much is left, one more try with what they turned out to be.
        let used = best.tokens.max(1) as f64;
        if used < 0.9 * limit as f64 && best.chars < self.budgets.max_total_chars {
            let choices = selector.choose(room * (limit as f64 / used).min(1.6), bodies);
            let empty = self.sized(&[]);
            let second = self.shrink(&selector, choices, empty);
            if second.tokens > best.tokens {
                best = second;
            }
        }
        Ok(self.finished(best))
    }

    /// Returns the empty pack; one that does not fit loses its explanation, then its budget is raised or it is refused.
    fn make_room(&mut self) -> Result<Sized, PackError> {
        let mut empty = self.sized(&[]);
        let limit = self.budgets.max_total_tokens;
        if empty.tokens > limit && self.explain.is_some() {
            self.explain = None;
            empty = self.sized(&[]);
        }
        if empty.tokens <= limit && empty.chars <= self.budgets.max_total_chars {
            return Ok(empty);
        }
        if self.request.strictness == Strictness::Strict {
            return Err(PackError::BudgetExceeded { message: format!("an empty pack takes {} tokens and {} characters in this format, the budget is {limit} and {}", empty.tokens, empty.chars, self.budgets.max_total_chars) });
        }
        // The note about the change takes room itself.
        for (field, needed) in [("maxTotalTokens", empty.tokens + 40), ("maxTotalChars", empty.chars + 160)] {
            let budget = if field == "maxTotalTokens" { &mut self.budgets.max_total_tokens } else { &mut self.budgets.max_total_chars };
            if *budget < needed {
                let requested = std::mem::replace(budget, needed);
                self.budgets.clamped.push(Clamp { field: field.to_owned(), requested, used: needed });
            }
        }
        Ok(self.sized(&[]))
    }

    /// Drops the least worthy until the rendered bytes fit; `empty` fits.
    fn shrink(&self, selector: &Selector<'_>, mut choices: Vec<Choice>, empty: Sized) -> Sized {
        for _ in 0..ROUNDS {
            let sized = self.sized(&choices);
            let (limit, chars) = (self.budgets.max_total_tokens, self.budgets.max_total_chars);
            if sized.tokens <= limit && sized.chars <= chars {
                return sized;
            }
            if choices.is_empty() {
                break;
            }
            let over = (sized.tokens.saturating_sub(limit) as f64).max(sized.chars.saturating_sub(chars) as f64 / 4.0).max(1.0);
            drop_least(selector, &mut choices, over);
        }
        empty
    }

    fn sized(&self, choices: &[Choice]) -> Sized {
        let mut pack = self.assemble(choices);
        let rendered = (self.inputs.render)(&pack);
        let tokens = self.budgets.tokenizer.count(&rendered) as u64;
        // The count is part of some formats; counting with the field at 0 leaves out its own digits.
        let spare = if rendered.contains("\"tokens\":0") { 2 } else { 0 };
        pack.stats.tokens = tokens;
        Sized { pack, tokens: tokens + spare, chars: rendered.chars().count() as u64 + if spare > 0 { 7 } else { 0 } }
    }

    fn finished(&self, sized: Sized) -> ContextPack {
        sized.pack
    }

    fn assemble(&self, choices: &[Choice]) -> ContextPack {
        let mut sections: BTreeMap<Section, Vec<(u32, ContextItem)>> = BTreeMap::new();
        for choice in choices {
            let candidate = &self.pool.candidates[choice.candidate];
            let item = self.shop.item(&Shown { symbol: candidate.symbol, lines: candidate.lines, body: choice.body, scores: &candidate.scores, why: &candidate.why });
            sections.entry(candidate.section).or_default().push((candidate.symbol, item));
        }
        distinct(&mut sections);
        if let Some(known) = self.inputs.known {
            sections.values_mut().flatten().for_each(|(_, item)| known.mark(item));
        }
        for items in sections.values_mut() {
            items.sort_by(|a, b| order(self.request, &a.1, &b.1));
        }
        let edges = self.edges(&sections);
        let sections: Vec<ContextSection> = sections.into_iter().map(|(section, items)| ContextSection { kind: section.name().to_owned(), items: items.into_iter().map(|(_, item)| item).collect() }).collect();
        let uids: Vec<String> = sections.iter().flat_map(|section| section.items.iter().map(|item| item.chunk_uid.clone())).collect();
        let seeds = sections.iter().filter(|section| section.kind == "seeds").flat_map(|section| &section.items).map(|item| SeedEntry { chunk_uid: item.chunk_uid.clone(), score: item.scores.seed_score }).collect();
        ContextPack {
            format_version: 1,
            schema: "ContextPack".to_owned(),
            schema_version: "1.0.0".to_owned(),
            index_signature: self.inputs.versions.index_signature.clone(),
            pack_id: pack_id(&self.inputs.versions, self.request),
            pack_root: pack_root(&self.request.query, &uids),
            learned_state: if self.inputs.versions.learned.is_empty() { "cold".to_owned() } else { self.inputs.versions.learned.clone() },
            created_at: None,
            request: self.request.echoed(),
            budgets: self.budgets.clone(),
            seeds,
            stats: self.stats(&sections),
            notes: self.notes(&sections),
            sections,
            edges,
            explain: self.explain.clone(),
        }
    }

    /// Returns what is declared about the chosen files; it may take a tenth of the budget.
    fn notes(&self, sections: &[ContextSection]) -> Vec<Note> {
        let Some(notes) = self.inputs.notes else { return Vec::new() };
        let mut files: Vec<&str> = Vec::new();
        for item in sections.iter().flat_map(|section| &section.items) {
            if !files.contains(&item.file_rel_path.as_str()) {
                files.push(&item.file_rel_path);
            }
        }
        let mut left = self.budgets.max_total_tokens as usize / 10;
        let mut kept = notes(&files);
        kept.retain(|note| {
            let cost = self.budgets.tokenizer.count(&note.text) + 8;
            let fits = cost <= left;
            left -= if fits { cost } else { 0 };
            fits
        });
        kept
    }

    fn stats(&self, sections: &[ContextSection]) -> PackStats {
        let items: u32 = sections.iter().map(|section| section.items.len() as u32).sum();
        let mut dropped = self.pool.dropped.clone();
        let left = (self.pool.candidates.len() as u32).saturating_sub(items);
        if left > 0 {
            *dropped.entry("budget".to_owned()).or_default() += left;
        }
        PackStats {
            items,
            tokens: 0,
            sections: sections.iter().map(|section| (section.kind.clone(), section.items.len() as u32)).collect(),
            dropped,
            candidates: self.pool.considered,
            max_hop: self.pool.expanded.max_hop,
        }
    }

    fn edges(&self, sections: &BTreeMap<Section, Vec<(u32, ContextItem)>>) -> Vec<PackEdge> {
        let chosen: BTreeMap<u32, &str> = sections.values().flatten().map(|(symbol, item)| (*symbol, item.chunk_uid.as_str())).collect();
        let graph = self.inputs.sources.snapshot.graph();
        let mut edges = Vec::new();
        for (&from, &uid) in &chosen {
            for edge in graph.out(from).iter().filter(|edge| !edge.kind().is_structural() && edge.target != from) {
                if let Some(to) = chosen.get(&edge.target) {
                    edges.push(PackEdge { from: uid.to_owned(), to: (*to).to_owned(), kind: edge.kind().name().to_owned(), confidence: f64::from(edge.confidence) / 100.0, line: edge.line });
                }
            }
        }
        edges.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| (&a.from, &a.to, &a.kind, a.line).cmp(&(&b.from, &b.to, &b.kind, b.line))));
        edges.dedup_by(|a, b| (&a.from, &a.to, &a.kind) == (&b.from, &b.to, &b.kind));
        edges.truncate(MAX_EDGES);
        edges
    }
}

/// Items with the same text under the same name get ordinals.
fn distinct(sections: &mut BTreeMap<Section, Vec<(u32, ContextItem)>>) {
    let mut items: Vec<&mut (u32, ContextItem)> = sections.values_mut().flatten().collect();
    items.sort_by(|a, b| (&a.1.chunk_uid, &a.1.lines, a.0).cmp(&(&b.1.chunk_uid, &b.1.lines, b.0)));
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for (_, item) in items {
        let ordinal = seen.entry(item.chunk_uid.clone()).or_insert(0);
        if *ordinal > 0 {
            item.chunk_uid = format!("{}-{ordinal}", item.chunk_uid);
        }
        *ordinal += 1;
    }
}

/// Takes bodies back and drops items, the least value for a token first, until `over` tokens are saved.
fn drop_least(selector: &Selector<'_>, choices: &mut Vec<Choice>, over: f64) {
    let mut saved = 0.0;
    while saved < over && !choices.is_empty() {
        let Some(place) = (0..choices.len()).min_by(|&a, &b| selector.density(&choices[a]).total_cmp(&selector.density(&choices[b])).then(b.cmp(&a))) else { return };
        let before = selector.cost(&choices[place]);
        let after = selector.cost(&Choice { body: false, ..choices[place] });
        if choices[place].body && after < before {
            choices[place].body = false;
            saved += before - after;
        } else {
            choices.remove(place);
            saved += before;
        }
    }
}

fn order(request: &PackRequest, a: &ContextItem, b: &ContextItem) -> Ordering {
    let (one, two) = (&a.scores, &b.scores);
    let primary = match request.ordering.primary {
        Primary::SeedScore => two.seed_score.total_cmp(&one.seed_score),
        Primary::GraphDistance => one.graph_distance.cmp(&two.graph_distance),
        Primary::GraphEvidence => two.evidence_score.total_cmp(&one.evidence_score),
        Primary::HybridScore => two.hybrid_score.total_cmp(&one.hybrid_score),
    };
    let fixed = || two.hybrid_score.total_cmp(&one.hybrid_score).then(one.graph_distance.cmp(&two.graph_distance));
    let asked = || request.ordering.stable_tie_breakers.iter().map(|key| tie(*key, a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal);
    let last = || [TieBreaker::FileRelPath, TieBreaker::StartLine, TieBreaker::ChunkUid, TieBreaker::SymbolId].iter().map(|key| tie(*key, a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal);
    primary.then_with(fixed).then_with(asked).then_with(last)
}

fn tie(key: TieBreaker, a: &ContextItem, b: &ContextItem) -> Ordering {
    match key {
        TieBreaker::SymbolId => a.symbol_id.cmp(&b.symbol_id),
        TieBreaker::ChunkUid => a.chunk_uid.cmp(&b.chunk_uid),
        TieBreaker::FileRelPath => a.file_rel_path.cmp(&b.file_rel_path),
        TieBreaker::StartLine => a.lines.start.cmp(&b.lines.start),
    }
}

//! A pack in the making: chosen by estimates, then measured on the rendered bytes.

use crate::budget::{BudgetsResolved, Clamp};
use crate::build::Inputs;
use crate::error::PackError;
use crate::expand::Section;
use crate::held::Shown;
use crate::ids::{pack_id, pack_root};
use crate::items::{Shop, View};
use crate::map::{Lines, Map, MapLimits};
use crate::order::order;
use crate::pack::{
    ContextItem, ContextPack, ContextSection, Explain, Note, PackEdge, PackStats, SeedEntry,
};
use crate::plan::Plan;
use crate::pool::Pool;
use crate::request::{PackRequest, Strictness};
use crate::select::{Choice, Selector, Terms};
use contextd_retrieve::line_score::LineScorer;
use serde_json::Value;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rounds of dropping before everything is given up; each drops at least one item.
const ROUNDS: usize = 300;
/// Times that the estimates are corrected by what they turned out to be.
const CORRECTIONS: usize = 4;
/// Share of the budget that is good enough.
const FULL: f64 = 0.96;
/// Times that a map is measured.
const MAP_ROUNDS: usize = 8;
/// Share of the budget with which a map is full.
const FULL_MAP: f64 = 0.9;
/// Edges shown among the chosen.
const MAX_EDGES: usize = 60;
/// Largest part of the budget that commits and rules may take.
const NOTES_SHARE: u64 = 5;
/// Tokens and characters that the digits of `stats.tokens`, a date and times may take in formats that have
/// them: they are not part of the canonical form, and are written on it later.
const STAMP: (u64, u64) = (48, 140);

pub struct Draft<'a> {
    pub inputs: &'a Inputs<'a>,
    pub request: &'a PackRequest,
    pub plan: &'a Plan,
    pub pool: &'a Pool<'a>,
    pub shop: &'a Shop<'a>,
    pub budgets: BudgetsResolved,
    pub explain: Option<Explain>,
    /// Commits and rules, the most telling first.
    pub notes: Vec<Arc<ContextItem>>,
    /// What scores lines, where the answer is a map of places.
    pub lines: Option<LineScorer>,
    pub is_map: bool,
    pub kept: Kept,
}

/// What every try of a draft has in common, made once.
#[derive(Default)]
pub struct Kept {
    pub id: String,
    pub request: Value,
    items: RefCell<BTreeMap<(usize, Shown), Arc<ContextItem>>>,
    /// The lines of bodies that a map shows, by candidate.
    bodies: RefCell<BTreeMap<usize, Lines>>,
    /// What is declared about files.
    declared: RefCell<BTreeMap<Vec<String>, Vec<Note>>>,
}

impl Kept {
    pub fn of(inputs: &Inputs<'_>, request: &PackRequest) -> Kept {
        Kept {
            id: pack_id(&inputs.versions, &request.settled(&inputs.defaults)),
            request: request.echoed(),
            ..Kept::default()
        }
    }
}

/// A pack with its rendered size.
struct Measured {
    pack: ContextPack,
    tokens: u64,
    chars: u64,
}

type Sections = BTreeMap<Section, Vec<(Option<u32>, Arc<ContextItem>)>>;

impl Draft<'_> {
    /// Returns the fullest pack that the estimates lead to and the budget allows.
    pub fn fit(&mut self) -> Result<ContextPack, PackError> {
        self.fitted().map(|pack| self.for_caller(pack))
    }

    /// Lets a format that knows sessions refer to what the caller has. What is chosen does not depend on
    /// it, so that the same question again is answered by the same graph.
    fn for_caller(&self, pack: ContextPack) -> ContextPack {
        if self.inputs.held_packs.is_empty() {
            return pack;
        }
        let mut told = ContextPack { held_packs: self.inputs.held_packs.clone(), ..pack.clone() };
        if !self.request.is_graph() {
            return told;
        }
        told.stats.tokens = 0;
        let rendered = (self.inputs.render)(&told);
        told.stats.tokens = self.budgets.tokenizer.count(&rendered) as u64;
        let fits = self.fits(&Measured {
            tokens: told.stats.tokens + STAMP.0,
            chars: rendered.chars().count() as u64 + STAMP.1,
            pack: told.clone(),
        });
        if fits { told } else { pack }
    }

    fn fitted(&mut self) -> Result<ContextPack, PackError> {
        let empty = self.make_room()?;
        // A budget that was raised for the empty pack is no room for items.
        let raised = self.budgets.clamped.iter().any(|clamp| clamp.used > clamp.requested);
        if self.pool.candidates.is_empty() || raised {
            return Ok(empty.pack);
        }
        let first = self.measured(&[Choice { candidate: 0, shown: Shown::Signature }]);
        let title = self.shop.signature(self.pool.candidates[0].symbol);
        let overhead = (first.tokens.saturating_sub(empty.tokens) as f64
            - self.budgets.tokenizer.count(&title) as f64)
            .max(4.0);
        if let Some(lines) = self.lines.take() {
            let limit = self.budgets.max_total_tokens as f64;
            let (layer, candidates) = (self.inputs.layer, &self.pool.candidates);
            let budgets = &self.budgets;
            let limits = MapLimits {
                tokens: limit,
                places: budgets.max_items.min(budgets.max_items_per_section) as usize,
                bytes: budgets.max_bytes_per_item as usize,
                overhead,
            };
            let map = Map::new(layer, self.shop, candidates, lines, limits);
            return Ok(self.mapped(&map, empty).pack);
        }
        let budgets = self.budgets.clone();
        let lambda = self.request.mmr_lambda.unwrap_or(self.inputs.defaults.lambda).clamp(0.0, 1.0);
        let terms = Terms {
            budgets: &budgets,
            plan: self.plan,
            lambda,
            overhead,
            notes: self.notes.len() as u64,
        };
        let selector = Selector::new(self.inputs.layer, &self.pool.candidates, self.shop, terms);
        Ok(self.fullest(&selector, empty).pack)
    }

    fn fullest(&self, selector: &Selector<'_>, empty: Measured) -> Measured {
        let limit = self.budgets.max_total_tokens as f64;
        let room = limit - empty.tokens as f64;
        let (base, mut best, mut factor) = (empty.tokens as f64, empty, 1.0);
        for _ in 0..CORRECTIONS {
            let choices = selector.choose(room * factor);
            let measured = self.measured(&choices);
            // Estimates err to both sides: the next try uses what they turned out to be.
            factor *= (room / (measured.tokens as f64 - base).max(1.0)).clamp(0.5, 1.6);
            let fits = self.fits(&measured);
            let measured = if fits { measured } else { self.shrink(selector, choices, measured) };
            if measured.tokens > best.tokens || best.pack.stats.items == 0 {
                best = measured;
            }
            if best.tokens as f64 >= FULL * limit
                || best.chars as f64 >= FULL * self.budgets.max_total_chars as f64
            {
                break;
            }
        }
        best
    }

    /// Returns the map that fills the budget: estimates are corrected until the rendered bytes fit.
    fn mapped(&self, map: &Map<'_>, empty: Measured) -> Measured {
        let limit = self.budgets.max_total_tokens as f64;
        let base = empty.tokens as f64;
        let mut room = (limit - base).max(0.0);
        let mut best = empty;
        for _ in 0..MAP_ROUNDS {
            let (choices, bodies) = map.choose(room);
            self.kept.bodies.replace(bodies);
            self.kept.items.borrow_mut().clear();
            let measured = self.measured(&choices);
            let over = (measured.tokens as f64 / limit)
                .max(measured.chars as f64 / self.budgets.max_total_chars as f64);
            if over <= 1.0 {
                let enough = measured.tokens <= best.tokens || over >= FULL_MAP;
                if measured.tokens > best.tokens {
                    best = measured;
                }
                if enough {
                    break;
                }
                room *= (0.98 / over).min(1.25);
            } else {
                room *= (0.97 / over).clamp(0.3, 0.95);
            }
        }
        best
    }

    fn fits(&self, measured: &Measured) -> bool {
        measured.tokens <= self.budgets.max_total_tokens
            && measured.chars <= self.budgets.max_total_chars
    }

    /// Returns the empty pack. One that does not fit loses its notes and its explanation; then its budget
    /// is raised, or it is refused.
    fn make_room(&mut self) -> Result<Measured, PackError> {
        let limit = self.budgets.max_total_tokens;
        let most = self.budgets.max_items.min(self.budgets.max_items_per_section) as usize;
        self.notes.truncate(most);
        let notes = std::mem::take(&mut self.notes);
        let mut empty = self.measured(&[]);
        if empty.tokens > limit && self.explain.is_some() {
            self.explain = None;
            empty = self.measured(&[]);
        }
        if self.fits(&empty) {
            return Ok(self.with_notes(notes, empty));
        }
        if self.request.strictness == Strictness::Strict {
            return Err(PackError::BudgetExceeded {
                message: format!(
                    "an empty pack takes {} tokens and {} characters in this format, the budget is {limit} and {}",
                    empty.tokens, empty.chars, self.budgets.max_total_chars
                ),
            });
        }
        // The note about the change takes room itself.
        for (field, needed) in
            [("maxTotalTokens", empty.tokens + 40), ("maxTotalChars", empty.chars + 160)]
        {
            let budget = if field == "maxTotalTokens" {
                &mut self.budgets.max_total_tokens
            } else {
                &mut self.budgets.max_total_chars
            };
            if *budget < needed {
                let requested = std::mem::replace(budget, needed);
                self.budgets.clamped.push(Clamp {
                    field: field.to_owned(),
                    requested,
                    used: needed,
                });
            }
        }
        Ok(self.measured(&[]))
    }

    /// Adds as many notes as their part of the budget allows.
    fn with_notes(&mut self, mut notes: Vec<Arc<ContextItem>>, empty: Measured) -> Measured {
        let limit = empty.tokens + (self.budgets.max_total_tokens - empty.tokens) / NOTES_SHARE;
        while !notes.is_empty() {
            self.notes = notes.clone();
            let measured = self.measured(&[]);
            if measured.tokens <= limit && measured.chars <= self.budgets.max_total_chars {
                return measured;
            }
            notes.pop();
        }
        self.notes = Vec::new();
        empty
    }

    /// Drops the least worthy until the rendered bytes fit; the pack without any fits.
    fn shrink(
        &self,
        selector: &Selector<'_>,
        mut choices: Vec<Choice>,
        mut measured: Measured,
    ) -> Measured {
        for _ in 0..ROUNDS {
            if self.fits(&measured) || choices.is_empty() {
                return measured;
            }
            let (tokens, chars) = (
                measured.tokens.saturating_sub(self.budgets.max_total_tokens),
                measured.chars.saturating_sub(self.budgets.max_total_chars),
            );
            selector.drop_least(&mut choices, (tokens as f64).max(chars as f64 / 4.0).max(1.0));
            measured = self.measured(&choices);
        }
        self.measured(&[])
    }

    fn measured(&self, choices: &[Choice]) -> Measured {
        let mut pack = self.assemble(choices);
        let rendered = (self.inputs.render)(&pack);
        let tokens = self.budgets.tokenizer.count(&rendered) as u64;
        // The count is part of some formats; counting with the field at 0 leaves out its own digits.
        let (more_tokens, more_chars) =
            if rendered.contains("\"tokens\":0") { STAMP } else { (0, 0) };
        pack.stats.tokens = tokens;
        // A count that stands in the text without its name is part of what has to fit.
        if self.request.is_graph() {
            let rendered = (self.inputs.render)(&pack);
            return Measured {
                tokens: self.budgets.tokenizer.count(&rendered) as u64,
                chars: rendered.chars().count() as u64,
                pack,
            };
        }
        Measured {
            pack,
            tokens: tokens + more_tokens,
            chars: rendered.chars().count() as u64 + more_chars,
        }
    }

    fn item(&self, choice: &Choice) -> Arc<ContextItem> {
        let candidate = &self.pool.candidates[choice.candidate];
        let view = View { symbol: candidate.symbol, lines: candidate.lines, shown: choice.shown };
        let make = || {
            let why = self.pool.why(self.inputs.layer, candidate);
            let mut item = self.shop.item(&view, &candidate.scores, why);
            if let Some(lines) = self.kept.bodies.borrow().get(&choice.candidate)
                && choice.shown == Shown::Lines
                && item.excerpt.detail != "held"
                && let Some(excerpt) = self.shop.numbered(candidate.symbol, lines)
            {
                item.excerpt = excerpt;
            }
            Arc::new(item)
        };
        self.kept
            .items
            .borrow_mut()
            .entry((choice.candidate, choice.shown))
            .or_insert_with(make)
            .clone()
    }

    fn assemble(&self, choices: &[Choice]) -> ContextPack {
        let mut sections: Sections = BTreeMap::new();
        for choice in choices {
            let candidate = &self.pool.candidates[choice.candidate];
            sections
                .entry(candidate.section)
                .or_default()
                .push((Some(candidate.symbol), self.item(choice)));
        }
        distinct(&mut sections);
        if let Some(known) = self.inputs.known {
            sections.values_mut().flatten().for_each(|(_, item)| known.mark(item));
        }
        for items in sections.values_mut() {
            items.sort_by(|a, b| order(self.request, &a.1, &b.1));
        }
        if !self.notes.is_empty() {
            sections
                .entry(Section::Related)
                .or_default()
                .extend(self.notes.iter().map(|note| (None, note.clone())));
        }
        let edges = self.edges(&sections);
        let sections: Vec<ContextSection> = sections
            .into_iter()
            .map(|(section, items)| ContextSection {
                kind: section.name().to_owned(),
                items: items.into_iter().map(|(_, item)| item).collect(),
            })
            .collect();
        let uids: Vec<&str> = sections
            .iter()
            .flat_map(|section| section.items.iter().map(|item| item.chunk_uid.as_str()))
            .collect();
        let root = pack_root(&self.request.query, &uids);
        let seeds = sections
            .iter()
            .filter(|section| section.kind == "seeds")
            .flat_map(|section| &section.items)
            .map(|item| SeedEntry {
                chunk_uid: item.chunk_uid.clone(),
                score: item.scores.seed_score,
            })
            .collect();
        ContextPack {
            format_version: 1,
            schema: "ContextPack".to_owned(),
            schema_version: "1.0.0".to_owned(),
            index_signature: self.inputs.versions.index_signature.clone(),
            pack_id: self.kept.id.clone(),
            pack_root: root,
            learned_state: if self.inputs.versions.learned.is_empty() {
                "cold".to_owned()
            } else {
                self.inputs.versions.learned.clone()
            },
            created_at: None,
            request: self.kept.request.clone(),
            budgets: self.budgets.clone(),
            seeds,
            layout: if self.is_map { "map".to_owned() } else { String::new() },
            stats: self.stats(&sections),
            notes: self.declared(&sections),
            sections,
            edges,
            explain: self.explain.clone(),
            held_packs: Arc::default(),
        }
    }

    /// Returns what is declared about the chosen files; it may take a tenth of the budget.
    fn declared(&self, sections: &[ContextSection]) -> Vec<Note> {
        let Some(notes) = self.inputs.notes else { return Vec::new() };
        let mut files: Vec<String> = Vec::new();
        for item in sections.iter().flat_map(|section| &section.items) {
            if !files.contains(&item.file_rel_path) {
                files.push(item.file_rel_path.clone());
            }
        }
        let mut left = self.budgets.max_total_tokens as usize / 10;
        let ask =
            |files: &Vec<String>| notes(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let mut kept = self.kept.declared.borrow_mut().entry(files).or_insert_with_key(ask).clone();
        // A rule that is an item is not said again.
        kept.retain(|note| {
            note.kind != "rule"
                || !self.notes.iter().any(|item| {
                    item.kind == "rule"
                        && note
                            .text
                            .strip_prefix(&item.name)
                            .is_some_and(|rest| rest.starts_with(':'))
                })
        });
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
        let left = (self.pool.candidates.len() as u32)
            .saturating_sub(items.saturating_sub(self.notes.len() as u32));
        if left > 0 {
            *dropped.entry("budget".to_owned()).or_default() += left;
        }
        PackStats {
            items,
            tokens: 0,
            sections: sections
                .iter()
                .map(|section| (section.kind.clone(), section.items.len() as u32))
                .collect(),
            dropped,
            candidates: self.pool.considered,
            max_hop: self.pool.expanded.max_hop,
            timings: None,
        }
    }

    fn edges(&self, sections: &Sections) -> Vec<PackEdge> {
        let chosen: BTreeMap<u32, &str> = sections
            .values()
            .flatten()
            .filter_map(|(symbol, item)| Some(((*symbol)?, item.chunk_uid.as_str())))
            .collect();
        // The surest first; they become texts when they are among the shown.
        let mut edges: Vec<(Reverse<u8>, &str, &str, &'static str, u32)> = Vec::new();
        for (&from, &uid) in &chosen {
            for edge in self
                .inputs
                .layer
                .out(from)
                .filter(|edge| !edge.kind().is_structural() && edge.target != from)
            {
                if let Some(&to) = chosen.get(&edge.target) {
                    edges.push((Reverse(edge.confidence), uid, to, edge.kind().name(), edge.line));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup_by(|a, b| (a.1, a.2, a.3) == (b.1, b.2, b.3));
        edges.truncate(MAX_EDGES);
        edges
            .into_iter()
            .map(|(Reverse(confidence), from, to, kind, line)| PackEdge {
                from: from.to_owned(),
                to: to.to_owned(),
                kind: kind.to_owned(),
                confidence: f64::from(confidence) / 100.0,
                line,
            })
            .collect()
    }
}

/// Items with the same text under the same name get ordinals.
fn distinct(sections: &mut Sections) {
    let mut items: Vec<&mut (Option<u32>, Arc<ContextItem>)> =
        sections.values_mut().flatten().collect();
    items.sort_by(|a, b| (&a.1.chunk_uid, &a.1.lines, a.0).cmp(&(&b.1.chunk_uid, &b.1.lines, b.0)));
    let (mut first, mut ordinal): (Option<Arc<ContextItem>>, u32) = (None, 0);
    for (_, item) in items {
        match first.as_ref().filter(|first| first.chunk_uid == item.chunk_uid) {
            Some(first) => {
                ordinal += 1;
                Arc::make_mut(item).chunk_uid = format!("{}-{ordinal}", first.chunk_uid);
            }
            None => (first, ordinal) = (Some(item.clone()), 0),
        }
    }
}

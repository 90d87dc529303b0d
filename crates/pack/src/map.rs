//! The answer to a task: the probable places with their ranges, and numbered bodies of the best.
//!
//! A place costs a line and is worth its chance to be meant; a body costs more and is worth the command
//! that it saves. So places are listed first, then bodies are filled in by rank, depth first.

use crate::held::Shown;
use crate::items::Shop;
use crate::layer::Layer;
use crate::select::{Candidate, Choice};
use contextd_retrieve::line_score::LineScorer;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Bytes of code a token stands for, on average; the rendered bytes decide.
const BYTES_PER_TOKEN: f64 = 3.3;
/// Tokens of the number in a margin.
const MARGIN: f64 = 2.0;
/// Share of the budget that the list of places may take.
const LIST_SHARE: f64 = 0.42;
/// The same of an answer that goes deep.
const LIST_SHARE_DEEP: f64 = 0.1;
/// Places that even a large budget lists, and candidates that are looked at for them.
const MOST_PLACES: usize = 80;
const LOOKED_AT: usize = 300;
/// Tokens of an item beside its text up to which a place without a body is worth its own.
const SHORT_ITEM: f64 = 60.0;
/// A place is listed when its chance is so much of the best one's.
const LEAST_CHANCE: f64 = 0.05;
/// A small answer shows a body when its chance is so much of the best one's.
const LEAST_BODY: f64 = 0.12;
/// Tokens of a single line with its number, and the longest that is worth them, in bytes.
const LINE_COST: f64 = 18.0;
const LONG_LINE: usize = 140;
/// Files of a small answer.
const FEW_FILES: usize = 6;
/// Budgets up to this many tokens get a small answer.
const SMALL: f64 = 1_500.0;
/// Bodies of a small answer that are more than a few lines.
const FEW_BODIES: usize = 5;
/// Lines of a body that does not count as one.
const SHORT_BODY: u32 = 8;
/// Lines above the best line of a window.
const ABOVE: u32 = 6;

/// How deep bodies are shown for a budget.
#[derive(Clone, Copy)]
struct Depth {
    /// Bodies up to so many lines are shown whole.
    whole: u32,
    /// Lines of the window of longer ones.
    window: u32,
}

/// Lines of a candidate that are shown.
pub type Lines = Vec<(u32, u32)>;

/// A map in the making.
#[derive(Default)]
struct Chosen {
    listed: Vec<usize>,
    files: Vec<u32>,
    bodies: BTreeMap<usize, Lines>,
    /// Tokens so far, as estimated.
    spent: f64,
}

impl Chosen {
    /// Returns how many bodies are more than a few lines.
    fn long_bodies(&self) -> usize {
        let count = |lines: &&Lines| lines.iter().map(|(from, to)| to - from + 1).sum::<u32>();
        self.bodies.values().filter(|lines| count(lines) > SHORT_BODY).count()
    }

    fn add(&mut self, at: usize, file: u32, cost: f64) {
        self.listed.push(at);
        self.spent += cost;
        if !self.files.contains(&file) {
            self.files.push(file);
        }
    }
}

/// Chooses places and bodies under estimated costs; the caller checks the rendered bytes.
pub struct Map<'a> {
    layer: &'a dyn Layer,
    shop: &'a Shop<'a>,
    candidates: &'a [Candidate],
    lines: RefCell<LineScorer>,
    limits: MapLimits,
}

/// What a map has to keep within.
#[derive(Clone, Copy)]
pub struct MapLimits {
    /// Tokens of the whole answer, which decide how deep bodies are shown.
    pub tokens: f64,
    /// Most places.
    pub places: usize,
    /// Largest body, in bytes.
    pub bytes: usize,
    /// Tokens of an item beside its text.
    pub overhead: f64,
}

impl<'a> Map<'a> {
    pub fn new(
        layer: &'a dyn Layer,
        shop: &'a Shop<'a>,
        candidates: &'a [Candidate],
        lines: LineScorer,
        limits: MapLimits,
    ) -> Map<'a> {
        Map { layer, shop, candidates, lines: lines.into(), limits }
    }

    /// Returns what to show for so many tokens, and the lines of each body.
    pub fn choose(&self, tokens: f64) -> (Vec<Choice>, BTreeMap<usize, Lines>) {
        let mut map = Chosen::default();
        if self.limits.tokens <= SMALL {
            self.list(&mut map, tokens * LIST_SHARE);
            self.fill(&mut map, tokens);
        } else {
            self.go_deep(&mut map, tokens);
        }
        let Chosen { listed, bodies, .. } = map;
        let choice = |candidate: usize| {
            let shown =
                if bodies.contains_key(&candidate) { Shown::Lines } else { Shown::Signature };
            Choice { candidate, shown }
        };
        (listed.into_iter().map(choice).collect(), bodies)
    }

    /// Lists places, best first.
    fn list(&self, map: &mut Chosen, limit: f64) {
        for at in self.probable() {
            if map.listed.len() >= self.most_places() {
                return;
            }
            let file = self.span(at).0;
            let is_new = !map.files.contains(&file);
            if self.is_listed(at, map) || is_new && map.files.len() >= FEW_FILES {
                continue;
            }
            let cost = self.place_cost(at, map);
            if map.spent + cost > limit && !map.listed.is_empty() {
                return;
            }
            map.add(at, file, cost);
            self.add_best_line(at, map);
        }
    }

    /// Shows the best line of a place that has no declaration to show: a window or code outside of
    /// functions.
    fn add_best_line(&self, at: usize, map: &mut Chosen) {
        let candidate = &self.candidates[at];
        let Some((first, last)) = candidate.lines else { return };
        let Some(texts) = self.shop.lines(candidate.symbol, first, last) else { return };
        let mut scorer = self.lines.borrow_mut();
        let mut best = (0.0, first);
        for (line, text) in (first..).zip(&texts) {
            let score = scorer.score(text);
            if score > best.0 && text.len() <= LONG_LINE.min(self.limits.bytes) {
                best = (score, line);
            }
        }
        if best.0 > 0.0 {
            map.bodies.insert(at, vec![(best.1, best.1)]);
            map.spent += LINE_COST;
        }
    }

    /// Fills in bodies of listed places, best first.
    fn fill(&self, map: &mut Chosen, tokens: f64) {
        let depth = self.depth();
        let best = map.listed.first().map_or(0.0, |&at| self.chance(at));
        for at in map.listed.clone() {
            if self.chance(at) < LEAST_BODY * best {
                return;
            }
            let (_, first, last) = self.span(at);
            // A body of a few lines costs little more than its declaration.
            if last - first >= SHORT_BODY && map.long_bodies() >= FEW_BODIES {
                continue;
            }
            let line = map.bodies.remove(&at);
            if !self.add_body(at, depth, map, tokens)
                && let Some(line) = line
            {
                map.bodies.insert(at, line);
            }
        }
    }

    /// Takes places in order, each with its body while it fits; then lists more with what is left.
    fn go_deep(&self, map: &mut Chosen, tokens: f64) {
        let (depth, list) = (self.depth(), tokens * (1.0 - LIST_SHARE_DEEP));
        for at in self.probable() {
            if map.listed.len() >= self.most_places() {
                return;
            }
            let cost = self.place_cost(at, map);
            if self.is_listed(at, map) || map.spent + cost > tokens {
                continue;
            }
            let file = self.span(at).0;
            // A place whose body does not fit is worth a line, not the many fields of an item.
            let is_shown = self.is_shown(at, &map.bodies);
            let deep = match self.body(at, depth).filter(|_| !is_shown) {
                Some((lines, more)) if map.spent + cost + more <= list => {
                    map.spent += more;
                    map.bodies.insert(at, lines);
                    true
                }
                Some(_) => false,
                None => !is_shown || map.spent + cost <= list,
            };
            if deep || self.limits.overhead < SHORT_ITEM {
                map.add(at, file, cost);
            }
        }
    }

    /// Returns the candidates that have a chance beside the best, in their order.
    fn probable(&self) -> impl Iterator<Item = usize> + '_ {
        let best = self.candidates.first().map_or(0.0, |_| self.chance(0));
        (0..self.candidates.len().min(LOOKED_AT))
            .filter(move |&at| self.chance(at) >= LEAST_CHANCE * best)
    }

    fn most_places(&self) -> usize {
        self.limits.places.min(MOST_PLACES)
    }

    /// Returns the tokens of a place's line, and of its path where it is the first of its file.
    fn place_cost(&self, at: usize, map: &Chosen) -> f64 {
        let file = self.span(at).0;
        let path = if map.files.contains(&file) { 0 } else { self.layer.file_path(file).len() };
        let name = self.layer.qualified(self.candidates[at].symbol).len();
        self.limits.overhead + (path + name) as f64 / BYTES_PER_TOKEN + 8.0
    }

    /// True when the place is there already, or all its lines are shown.
    fn is_listed(&self, at: usize, map: &Chosen) -> bool {
        map.listed.iter().any(|&other| self.is_same(at, other))
    }

    /// Adds the body of a place when it fits; true when its lines are shown.
    fn add_body(&self, at: usize, depth: Depth, map: &mut Chosen, tokens: f64) -> bool {
        if self.is_shown(at, &map.bodies) {
            return true;
        }
        let Some((lines, cost)) = self.body(at, depth) else { return false };
        let fits = map.spent + cost <= tokens;
        if fits {
            map.spent += cost;
            map.bodies.insert(at, lines);
        }
        fits
    }

    fn depth(&self) -> Depth {
        match self.limits.tokens {
            ..=1_500.0 => Depth { whole: 34, window: 20 },
            ..=3_000.0 => Depth { whole: 60, window: 40 },
            _ => Depth { whole: 130, window: 80 },
        }
    }

    /// The shown score is the root of the chance.
    fn chance(&self, at: usize) -> f64 {
        self.candidates[at].scores.seed_score.powi(2)
    }

    fn span(&self, at: usize) -> (u32, u32, u32) {
        let candidate = &self.candidates[at];
        let (first, last) = candidate.lines.unwrap_or_else(|| self.layer.lines(candidate.symbol));
        (self.layer.file_number(candidate.symbol), first, last)
    }

    /// True when two candidates are mostly the same lines.
    fn is_same(&self, one: usize, two: usize) -> bool {
        let ((file, first, last), (other, start, end)) = (self.span(one), self.span(two));
        let common = last.min(end).saturating_add(1).saturating_sub(first.max(start));
        file == other && 5 * common > 4 * (last - first + 1).max(end - start + 1)
    }

    /// True when all lines of a candidate stand in a body.
    fn is_shown(&self, at: usize, bodies: &BTreeMap<usize, Lines>) -> bool {
        let (file, first, last) = self.span(at);
        bodies.iter().any(|(&other, lines)| {
            self.span(other).0 == file
                && lines.iter().any(|&(start, end)| start <= first && last <= end)
        })
    }

    /// Returns the lines to show of a candidate, and their cost.
    fn body(&self, at: usize, depth: Depth) -> Option<(Lines, f64)> {
        let (_, first, last) = self.span(at);
        let candidate = &self.candidates[at];
        let count = last.saturating_sub(first) + 1;
        let is_type = self.layer.kind(candidate.symbol).is_type() && candidate.lines.is_none();
        if is_type && count > depth.whole {
            return None;
        }
        let texts = self.shop.lines(candidate.symbol, first, last)?;
        let lines = if count <= depth.whole {
            vec![(first, last)]
        } else {
            self.window(candidate, &texts, first, depth.window)
        };
        let lines = self.within_bytes(lines, &texts, first);
        let bytes: usize = lines
            .iter()
            .flat_map(|&(from, to)| from..=to)
            .filter_map(|line| texts.get((line - first) as usize))
            .map(|text| text.len().min(crate::items::LONGEST_LINE))
            .sum();
        if lines.is_empty() {
            return None;
        }
        let count: u32 = lines.iter().map(|&(from, to)| to - from + 1).sum();
        Some((lines, bytes as f64 / BYTES_PER_TOKEN + MARGIN * f64::from(count)))
    }

    /// Cuts lines off the end until the body is as small as an item may be.
    fn within_bytes(&self, lines: Lines, texts: &[String], first: u32) -> Lines {
        let mut left = self.limits.bytes;
        let mut kept: Lines = Vec::new();
        for (from, to) in lines {
            for line in from..=to {
                let size = texts.get((line - first) as usize).map_or(0, |text| text.len() + 1);
                if size > left {
                    return kept;
                }
                left -= size;
                match kept.last_mut() {
                    Some((start, end)) if *start >= from && *end + 1 == line => *end = line,
                    _ => kept.push((line, line)),
                }
            }
        }
        kept
    }

    /// Returns the head of a long body and the lines around the best ones, cut at blank lines or where
    /// the indentation comes back.
    fn window(&self, candidate: &Candidate, texts: &[String], first: u32, most: u32) -> Lines {
        let scores: Vec<f32> = {
            let mut lines = self.lines.borrow_mut();
            texts.iter().map(|text| lines.score(text)).collect()
        };
        let size = (most as usize).min(texts.len());
        let sum = |start: usize| scores[start..start + size].iter().sum::<f32>();
        let starts = 0..=texts.len() - size;
        // The densest stretch, and in it the best line with some above.
        let dense = starts.clone().max_by(|&a, &b| sum(a).total_cmp(&sum(b)).then(b.cmp(&a)));
        let mut start = dense.unwrap_or(0);
        let leading = scores[start..start + size].iter().take_while(|&&score| score <= 0.0).count();
        start = (start + leading.saturating_sub(ABOVE as usize)).min(texts.len() - size);
        // A statement is not cut at its second line: go up to the nearest line that begins a block.
        let limit = start.saturating_sub(4);
        while start > limit && !begins(texts, start) {
            start -= 1;
        }
        let end = (start + size).min(texts.len());
        let (from, to) = (first + start as u32, first + end as u32 - 1);
        let head = self.head(candidate, texts, first);
        match head {
            Some((_, last)) if from > last + 1 => vec![(first, last), (from, to)],
            _ if from > first && from <= first + 3 => vec![(first, to)],
            _ => vec![(from, to)],
        }
    }

    /// Returns the lines of a definition up to its body; windows of functions keep the function's head.
    fn head(&self, candidate: &Candidate, texts: &[String], first: u32) -> Option<(u32, u32)> {
        if candidate.lines.is_some_and(|(start, _)| start != self.layer.lines(candidate.symbol).0) {
            return None;
        }
        let open = texts.iter().take(6).position(|line| {
            let line = line.trim_end();
            line.ends_with(['{', ':']) || line.ends_with("do") || line.ends_with("=>")
        });
        Some((first, first + open.unwrap_or(0) as u32))
    }
}

/// True for a line with no deeper indentation than the one before, or behind a blank line.
fn begins(texts: &[String], at: usize) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some(before) = at.checked_sub(1).map(|before| &texts[before]) else { return true };
    before.trim().is_empty() || indent(&texts[at]) <= indent(before)
}

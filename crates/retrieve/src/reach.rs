//! What leans on something: the graph followed backwards, the surest way first.

use crate::catalog::{Catalog, flag};
use crate::namesakes::namesakes;
use crate::suite::Suite;
use crate::ties::owner_of;
use contextd_model::facts::modifier;
use contextd_model::{EdgeKind, SymbolKind};
use contextd_snapshot::Snapshot;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// How one symbol leans on the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Via {
    /// An edge of the graph.
    Edge(EdgeKind),
    /// Callers of what it overrides may mean it.
    Dispatch,
    /// Who uses the type runs the member: constructors, operators, members that no call names.
    Type,
    /// It stands inside the body.
    Inside,
    /// It runs when the file is loaded.
    Load,
    /// It runs before the test without being called.
    Fixture,
    /// The names of both say that they belong together.
    Name,
}

impl Via {
    /// Returns the word used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Via::Edge(kind) => kind.name(),
            Via::Dispatch => "dispatch",
            Via::Type => "type",
            Via::Inside => "inside",
            Via::Load => "load",
            Via::Fixture => "fixture",
            Via::Name => "name",
        }
    }
}

/// One symbol that leans on the start, with the last step of the surest way to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    pub symbol: u32,
    /// Steps from the start; 0 for the start itself.
    pub distance: u32,
    /// Product of the confidences on the way.
    pub confidence: f32,
    /// The symbol that it leans on.
    pub through: u32,
    pub via: Via,
    /// Line of the evidence, in the file of `symbol`; 0 without one.
    pub line: u32,
}

/// How far the graph is followed.
#[derive(Clone, Copy, Debug)]
pub struct ReachOptions {
    pub hops: u32,
    /// Least confidence of a way.
    pub least: f32,
    /// Symbols reached before the search is cut.
    pub most: usize,
    /// Follows what runs without being called: dispatch, constructors, loading, fixtures.
    pub running: bool,
}

impl ReachOptions {
    /// Everything that may run differently.
    pub const TESTS: ReachOptions =
        ReachOptions { hops: 40, least: 0.08, most: 200_000, running: true };
    /// What names the target, directly or not.
    pub const IMPACT: ReachOptions =
        ReachOptions { hops: 3, least: 0.05, most: 20_000, running: false };
}

/// Everything that was reached, by symbol.
pub struct Reach {
    found: FxHashMap<u32, Reached>,
    /// True when `most` was reached and more lies beyond.
    pub cut: bool,
}

impl Reach {
    /// Returns what was reached without the start, in the order of symbols.
    pub fn all(&self) -> Vec<Reached> {
        let mut all: Vec<Reached> =
            self.found.values().filter(|reached| reached.distance > 0).copied().collect();
        all.sort_by_key(|reached| reached.symbol);
        all
    }

    pub fn get(&self, symbol: u32) -> Option<&Reached> {
        self.found.get(&symbol)
    }

    /// Returns the way from a symbol to the start, the symbol first.
    pub fn way(&self, symbol: u32) -> Vec<Reached> {
        let mut way = Vec::new();
        let mut at = symbol;
        while let Some(reached) = self.found.get(&at).filter(|_| way.len() < 64) {
            way.push(*reached);
            if reached.distance == 0 {
                break;
            }
            at = reached.through;
        }
        way
    }
}

/// A reached symbol in the order of confidence.
struct Open(Reached);

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Open {}
impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        let (one, two) = (&self.0, &other.0);
        one.confidence
            .total_cmp(&two.confidence)
            .then(two.distance.cmp(&one.distance))
            .then(two.symbol.cmp(&one.symbol))
            .then(two.through.cmp(&one.through))
            .then(two.via.cmp(&one.via))
            .then(two.line.cmp(&one.line))
    }
}

/// Follows the graph backwards from `start`, symbols with how sure it is that they change.
pub fn reach(
    snapshot: &Snapshot,
    catalog: &Catalog,
    suite: &Suite,
    start: &[(u32, f32)],
    options: &ReachOptions,
) -> Reach {
    let walker = Walker { snapshot, catalog, suite, options };
    let mut reach = Reach { found: FxHashMap::default(), cut: false };
    let mut open: BinaryHeap<Open> = start
        .iter()
        .map(|&(symbol, confidence)| {
            Open(Reached {
                symbol,
                distance: 0,
                confidence,
                through: symbol,
                via: Via::Inside,
                line: 0,
            })
        })
        .collect();
    while let Some(Open(next)) = open.pop() {
        if reach.found.contains_key(&next.symbol) {
            continue;
        }
        if reach.found.len() >= options.most {
            reach.cut = true;
            break;
        }
        reach.found.insert(next.symbol, next);
        if next.distance < options.hops {
            walker.users(&next, |user| {
                if user.confidence >= options.least && !reach.found.contains_key(&user.symbol) {
                    open.push(Open(user));
                }
            });
        }
    }
    // Names tell little beside calls, and something where there are none.
    if options.running && !suite.tests.iter().any(|test| reach.found.contains_key(test)) {
        for namesake in namesakes(snapshot, suite, start) {
            reach.found.entry(namesake.symbol).or_insert(namesake);
        }
    }
    reach
}

struct Walker<'a> {
    snapshot: &'a Snapshot,
    catalog: &'a Catalog,
    suite: &'a Suite,
    options: &'a ReachOptions,
}

/// What one step costs beside the edge's own doubt: long ways are less sure.
const STEP: f32 = 0.98;

impl Walker<'_> {
    fn users(&self, from: &Reached, mut add: impl FnMut(Reached)) {
        let mut push = |symbol: u32, via: Via, confidence: f32, line: u32| {
            if symbol != from.symbol {
                add(Reached {
                    symbol,
                    distance: from.distance + 1,
                    confidence: from.confidence * confidence * STEP,
                    through: from.symbol,
                    via,
                    line,
                });
            }
        };
        let graph = self.snapshot.graph();
        let is_file = self.snapshot.symbol(from.symbol).parent().is_none();
        for (source, edge) in
            graph.incoming(from.symbol).filter(|(_, edge)| self.follows(edge.kind(), is_file))
        {
            if self.options.running && edge.kind() == EdgeKind::TypeHintOf {
                // A parameter's type says nothing about what runs, the type of a field does.
                let holder = owner_of(self.snapshot, source);
                if holder != source && !self.snapshot.symbol(source).kind().is_callable() {
                    push(holder, Via::Type, 0.7 * f32::from(edge.confidence) / 100.0, edge.line);
                }
                continue;
            }
            push(source, Via::Edge(edge.kind()), f32::from(edge.confidence) / 100.0, edge.line);
            if self.options.running && self.loads(source, edge.kind()) {
                let file = self.snapshot.symbols_of_file(self.catalog.file[source as usize]).start;
                push(file, Via::Load, 0.95 * f32::from(edge.confidence) / 100.0, edge.line);
            }
        }
        if self.options.running {
            self.runs(from, is_file, &mut push);
        }
    }

    fn follows(&self, kind: EdgeKind, is_file: bool) -> bool {
        use EdgeKind::*;
        match kind {
            Calls | References | Decorates | AccessesField | Extends | Implements | Throws => true,
            Imports => is_file || !self.options.running,
            TypeHintOf => true,
            Overrides | Tests | Dataflow => !self.options.running,
            _ => false,
        }
    }

    /// Code of a file or a class body runs when the file is loaded, and so do decorators.
    fn loads(&self, source: u32, kind: EdgeKind) -> bool {
        let by_itself = |symbol: u32| !self.snapshot.symbol(symbol).kind().is_callable();
        match kind {
            EdgeKind::Decorates => self.catalog.flags[source as usize] & flag::LOCAL == 0,
            EdgeKind::Calls => {
                by_itself(source) && self.snapshot.symbol(source).kind() != SymbolKind::File
            }
            _ => false,
        }
    }

    /// What runs a symbol without naming it.
    fn runs(&self, from: &Reached, is_file: bool, push: &mut impl FnMut(u32, Via, f32, u32)) {
        let symbol = self.snapshot.symbol(from.symbol);
        for &test in self.suite.after(from.symbol) {
            push(test, Via::Fixture, 1.0, symbol.start_line());
        }
        if is_file {
            self.suite
                .of_file(self.catalog.file[from.symbol as usize])
                .iter()
                .for_each(|&test| push(test, Via::Load, 1.0, 0));
            return;
        }
        if self.catalog.flags[from.symbol as usize] & flag::LOCAL != 0 {
            // What is defined inside a body runs with it or is handed out by it.
            if let Some(parent) =
                symbol.parent().filter(|&parent| self.snapshot.symbol(parent).parent().is_some())
            {
                push(parent, Via::Inside, 1.0, symbol.start_line());
            }
        }
        if !symbol.kind().is_callable() {
            return;
        }
        let mut overrides = false;
        for edge in self
            .snapshot
            .graph()
            .out(from.symbol)
            .iter()
            .filter(|edge| edge.kind() == EdgeKind::Overrides)
        {
            overrides = true;
            push(edge.target, Via::Dispatch, 0.9 * f32::from(edge.confidence) / 100.0, edge.line);
        }
        let owner = owner_of(self.snapshot, from.symbol);
        if owner == from.symbol && is_special(symbol.name(), symbol.kind()) {
            // A language calls it for whoever uses the module.
            push(
                self.snapshot.symbols_of_file(self.catalog.file[from.symbol as usize]).start,
                Via::Load,
                0.9,
                symbol.start_line(),
            );
        }
        if owner != from.symbol {
            let called = !self.is_foreign_duty(from.symbol, overrides)
                && (overrides || self.is_called(from.symbol));
            if is_special(symbol.name(), symbol.kind()) {
                push(owner, Via::Type, 0.95, symbol.start_line());
            } else if !called {
                push(owner, Via::Type, 0.8, symbol.start_line());
            }
        }
    }

    /// True for what a type does for an interface of another project: whoever has the type may run it.
    fn is_foreign_duty(&self, symbol: u32, overrides: bool) -> bool {
        let named = self.snapshot.symbol(symbol);
        let for_type = || {
            named.parent().map(|parent| self.snapshot.symbol(parent)).is_some_and(|parent| {
                parent.kind() == SymbolKind::Extension && parent.signature().contains(" for ")
            })
        };
        !overrides && (named.has(modifier::OVERRIDE) || for_type())
    }

    fn is_called(&self, symbol: u32) -> bool {
        self.snapshot.graph().incoming(symbol).any(|(source, edge)| {
            source != symbol
                && matches!(
                    edge.kind(),
                    EdgeKind::Calls | EdgeKind::References | EdgeKind::AccessesField
                )
        })
    }
}

/// Members that a language calls by itself.
fn is_special(name: &str, kind: SymbolKind) -> bool {
    kind == SymbolKind::Constructor
        || name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

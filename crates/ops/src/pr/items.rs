//! What a change's pack may show: changed symbols, who uses them, tests, documents, company.

use super::Facts;
use super::summary;
use crate::tests::{certainty, shown_name};
use contextd_engine::{ChangedSymbol, SymbolChange};
use contextd_lang::LanguageId;
use contextd_model::EdgeKind;
use contextd_pack::ids::chunk_uid;
use contextd_pack::pack::{Evidence, Excerpt, Range, Scores, Step, Why};
use contextd_pack::{ContextItem, Section, SymbolIds, Texts, Tokenizer};
use contextd_retrieve::{Reached, Via};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Something that may be shown, shortly or with its text.
pub struct Offer {
    pub section: Section,
    pub value: f64,
    pub item: ContextItem,
    /// Text shown instead of the short form when there is room; empty for none.
    pub text: String,
}

/// Users, tests and documents that are offered; later ones never fit.
const MOST_USERS: usize = 120;
const MOST_TESTS: usize = 60;
const MOST_DOCS: usize = 30;
/// Lines shown around a use.
const AROUND: u32 = 2;
/// Longest text of one item, in bytes.
const MAX_BYTES: usize = 4_096;

/// Makes offers, reading each file once.
pub struct Stall<'a> {
    facts: &'a Facts<'a>,
    ids: SymbolIds<'a>,
    files: RefCell<BTreeMap<String, Option<Vec<String>>>>,
}

impl<'a> Stall<'a> {
    pub fn new(facts: &'a Facts<'a>) -> Self {
        Self { facts, ids: SymbolIds::new(&facts.reader.snapshot), files: RefCell::default() }
    }

    /// Returns the summary, which is always shown.
    pub fn summary(&self, tokenizer: Tokenizer, most: usize) -> Offer {
        let text = summary::summary(self.facts, tokenizer, most);
        let mut item = blank("summary", "change", summary::title(self.facts), "change-summary");
        item.excerpt = Excerpt {
            text,
            detail: "body".to_owned(),
            truncated: false,
            truncation: None,
            redacted: false,
            lines: Vec::new(),
        };
        Offer { section: Section::Seeds, value: 10.0, item: named(item), text: String::new() }
    }

    /// Returns everything else, the most valuable first.
    pub fn offers(&self) -> Vec<Offer> {
        let mut offers: Vec<Offer> =
            self.facts.change.symbols.iter().map(|symbol| self.changed(symbol)).collect();
        offers.extend(self.loose());
        offers.extend(self.users());
        offers.extend(self.tests());
        offers.extend(self.docs());
        offers.extend(self.company());
        offers.sort_by(|a, b| {
            b.value.total_cmp(&a.value).then(a.section.cmp(&b.section)).then_with(|| {
                (&a.item.file_rel_path, a.item.lines, &a.item.chunk_uid).cmp(&(
                    &b.item.file_rel_path,
                    b.item.lines,
                    &b.item.chunk_uid,
                ))
            })
        });
        offers
    }

    fn changed(&self, symbol: &ChangedSymbol) -> Offer {
        let kind = match symbol.change {
            SymbolChange::Added => "symbol",
            SymbolChange::Removed => "removed",
            _ => "diff",
        };
        let title = if symbol.signature.is_empty() {
            format!("{} {}", symbol.kind.name(), symbol.name)
        } else {
            symbol.signature.clone()
        };
        let mut item = blank(kind, &symbol.name, title, rule(symbol.change));
        item.symbol_id = symbol.number.map(|number| self.ids.of(number));
        item.file_rel_path.clone_from(&symbol.path);
        item.lines = Range { start: symbol.lines.0, end: symbol.lines.1 };
        item.language_id = symbol.language.name().to_owned();
        item.symbol_kind = symbol.kind.name().to_owned();
        item.content_hash = self.hash(&symbol.path);
        let users = symbol
            .number
            .map_or(0, |number| self.facts.reader.snapshot.graph().sources(number).len());
        let base = match symbol.change {
            SymbolChange::Signature | SymbolChange::Removed => 0.95,
            SymbolChange::Body => 0.9,
            SymbolChange::Added => 0.85,
            SymbolChange::Doc => 0.5,
        };
        let value = base + 0.05 * (users as f64 / (users as f64 + 10.0))
            - if symbol.is_test { 0.35 } else { 0.0 };
        item.scores = Scores {
            seed_score: rounded(value.min(1.0)),
            graph_distance: 0,
            evidence_score: 1.0,
            hybrid_score: rounded(value.min(1.0)),
        };
        Offer {
            section: Section::Seeds,
            value,
            item: named(item),
            text: contextd_pack::texts::cut(&symbol.text, MAX_BYTES).0.to_owned(),
        }
    }

    /// Files whose difference no symbol shows.
    fn loose(&self) -> Vec<Offer> {
        let with_symbols: BTreeSet<&str> =
            self.facts.change.symbols.iter().map(|symbol| symbol.path.as_str()).collect();
        let bare = self
            .facts
            .change
            .files
            .iter()
            .filter(|file| !with_symbols.contains(file.path.as_str()) && !file.diff.is_empty());
        bare.map(|file| {
            let mut item = blank(
                "diff",
                &file.path,
                format!("{} +{} -{}", file.path, file.added, file.removed),
                "changed-file",
            );
            item.file_rel_path.clone_from(&file.path);
            item.symbol_kind = "file".to_owned();
            item.content_hash = self.hash(&file.path);
            item.language_id = contextd_lang::detect(&file.path, "").name().to_owned();
            item.scores = Scores {
                seed_score: 0.7,
                graph_distance: 0,
                evidence_score: 1.0,
                hybrid_score: 0.7,
            };
            Offer {
                section: Section::Seeds,
                value: 0.7,
                item: named(item),
                text: contextd_pack::texts::cut(&file.diff, MAX_BYTES).0.to_owned(),
            }
        })
        .collect()
    }

    /// Who leans on the changed symbols, tests and changed ones aside.
    fn users(&self) -> Vec<Offer> {
        let reader = self.facts.reader;
        let changed: BTreeSet<u32> =
            self.facts.change.symbols.iter().filter_map(|symbol| symbol.number).collect();
        let mut users: Vec<Reached> = self
            .facts
            .users
            .all()
            .into_iter()
            .filter(|reached| {
                !reader.catalog.is_test(reached.symbol)
                    && !changed.contains(&reached.symbol)
                    && reader.snapshot.symbol(reached.symbol).parent().is_some()
            })
            .collect();
        users.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.symbol.cmp(&b.symbol)));
        users
            .into_iter()
            .take(MOST_USERS)
            .map(|reached| {
                let section = if reached.via == Via::Edge(EdgeKind::Calls) {
                    Section::Callers
                } else {
                    Section::Usages
                };
                let mut offer =
                    self.symbol(reached.symbol, section, 0.8 * worth(&reached), "impact");
                self.reached(&mut offer.item, &reached);
                offer.text = self.around(&offer.item.file_rel_path, reached.line);
                offer
            })
            .collect()
    }

    fn tests(&self) -> Vec<Offer> {
        let reader = self.facts.reader;
        let find = |hit: &crate::answer::TestHit| {
            let file = reader.snapshot.find_file(&hit.file)?;
            reader.snapshot.symbols_of_file(file).find(|&symbol| {
                shown_name(reader, symbol) == hit.symbol
                    && reader.snapshot.symbol(symbol).start_line() == hit.line
            })
        };
        let changed: BTreeSet<u32> =
            self.facts.change.symbols.iter().filter_map(|symbol| symbol.number).collect();
        let shown = self
            .facts
            .tests
            .iter()
            .filter_map(|hit| Some((hit, find(hit)?)))
            .filter(|(_, symbol)| !changed.contains(symbol))
            .take(MOST_TESTS)
            .enumerate();
        shown
            .map(|(place, (hit, symbol))| {
                // One test after the other tells less.
                let value = 0.75 * hit.confidence / (1.0 + place as f64 / 12.0);
                let mut offer = self.symbol(symbol, Section::Tests, value, "test-of");
                offer.item.title = format!(
                    "{}{}",
                    hit.id,
                    hit.path.first().map(|step| format!(": {step}")).unwrap_or_default()
                );
                offer.item.excerpt.text.clone_from(&offer.item.title);
                offer.item.scores.graph_distance = hit.distance;
                offer.item.scores.evidence_score = hit.confidence;
                offer
            })
            .collect()
    }

    /// Documents that name what changed: they may no longer tell the truth.
    fn docs(&self) -> Vec<Offer> {
        let graph = self.facts.reader.snapshot.graph();
        let mut found: BTreeMap<u32, (f64, u32, Reached)> = BTreeMap::new();
        for symbol in
            self.facts.change.symbols.iter().filter(|symbol| symbol.change != SymbolChange::Added)
        {
            let Some(number) = symbol.number else { continue };
            for (section, edge) in
                graph.incoming(number).filter(|(_, edge)| edge.kind() == EdgeKind::Documents)
            {
                let weight = f64::from(edge.confidence) / 100.0
                    * if symbol.change == SymbolChange::Signature { 1.0 } else { 0.7 };
                let reached = Reached {
                    symbol: section,
                    distance: 1,
                    confidence: f32::from(edge.confidence) / 100.0,
                    through: number,
                    via: Via::Edge(EdgeKind::Documents),
                    line: edge.line,
                };
                let kept = found.entry(section).or_insert((weight, edge.line, reached));
                if weight > kept.0 {
                    *kept = (weight, edge.line, reached);
                }
            }
        }
        let mut docs: Vec<(f64, u32, Reached)> = found.into_values().collect();
        docs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.symbol.cmp(&b.2.symbol)));
        docs.into_iter()
            .take(MOST_DOCS)
            .map(|(weight, line, reached)| {
                let mut offer =
                    self.symbol(reached.symbol, Section::Docs, 0.7 * weight, "documents-changed");
                self.reached(&mut offer.item, &reached);
                offer.text = self.around(&offer.item.file_rel_path, line);
                offer
            })
            .collect()
    }

    /// Files that usually change too, and the commits of the change.
    fn company(&self) -> Vec<Offer> {
        let company = &self.facts.company;
        let mut offers = Vec::new();
        for left in &company.left_out {
            let title = format!(
                "usually changed together with {}: {} of {} commits ({:.0} %), left out here",
                left.with,
                left.together,
                left.of,
                100.0 * f64::from(left.together) / f64::from(left.of.max(1))
            );
            let mut item = blank("file", &left.path, title, "usually-changed-together");
            item.file_rel_path.clone_from(&left.path);
            item.symbol_kind = "file".to_owned();
            item.content_hash = self.hash(&left.path);
            let value = 0.72 * (f64::from(left.together) / (f64::from(left.of) + 2.0)).sqrt();
            item.scores.hybrid_score = rounded(value);
            offers.push(Offer {
                section: Section::Related,
                value,
                item: named(item),
                text: String::new(),
            });
        }
        for (place, commit) in company.commits.iter().enumerate() {
            let mut item = blank(
                "commit",
                &commit.id[..commit.id.len().min(12)],
                commit.subject.clone(),
                "commit-of-change",
            );
            item.symbol_kind = "commit".to_owned();
            let value = 0.6 / (1.0 + place as f64 / 8.0);
            item.scores.hybrid_score = rounded(value);
            let text = format!("{} ({})\n{}", commit.subject, commit.author, commit.body);
            offers.push(Offer {
                section: Section::Related,
                value,
                item: named(item),
                text: if commit.body.trim().is_empty() {
                    String::new()
                } else {
                    contextd_pack::texts::cut(text.trim(), 1_200).0.to_owned()
                },
            });
        }
        offers
    }

    fn symbol(&self, number: u32, section: Section, value: f64, rule: &str) -> Offer {
        let snapshot = &self.facts.reader.snapshot;
        let symbol = snapshot.symbol(number);
        let mut item = blank(
            if symbol.parent().is_some() { "symbol" } else { "chunk" },
            &shown_name(self.facts.reader, number),
            contextd_pack::title(snapshot, number),
            rule,
        );
        item.symbol_id = symbol.parent().map(|_| self.ids.of(number));
        item.file_rel_path = symbol.path().to_owned();
        item.lines = Range { start: symbol.start_line(), end: symbol.end_line() };
        item.language_id = LanguageId(symbol.language()).name().to_owned();
        item.symbol_kind = symbol.kind().name().to_owned();
        item.content_hash = symbol.file().hash().to_hex();
        item.scores.hybrid_score = rounded(value);
        Offer { section, value, item: named(item), text: String::new() }
    }

    fn reached(&self, item: &mut ContextItem, reached: &Reached) {
        let reader = self.facts.reader;
        item.scores.graph_distance = reached.distance;
        item.scores.evidence_score = rounded(f64::from(reached.confidence));
        let evidence_id = format!("{}:{}", item.file_rel_path, reached.line);
        item.why.path = vec![Step {
            edge_type: reached.via.name().to_owned(),
            kind: reached.via.name().to_owned(),
            from: shown_name(reader, reached.symbol),
            to: shown_name(reader, reached.through),
            evidence_id: evidence_id.clone(),
        }];
        item.why.evidence = vec![Evidence {
            kind: "span".to_owned(),
            evidence_id,
            confidence: rounded(f64::from(reached.confidence)),
            provenance: String::new(),
            certainty: certainty(reached.confidence).to_owned(),
        }];
    }

    /// Returns the lines around a place, when the file is as it was indexed.
    fn around(&self, path: &str, line: u32) -> String {
        if line == 0 {
            return String::new();
        }
        let mut files = self.files.borrow_mut();
        let lines = files.entry(path.to_owned()).or_insert_with(|| {
            let text = self.facts.context.engine.texts().read(path)?;
            (text.hash.to_hex() == self.hash(path))
                .then(|| text.scrubbed.lines().map(str::to_owned).collect())
        });
        let first = line.saturating_sub(AROUND + 1) as usize;
        let shown: Vec<&str> = lines
            .iter()
            .flatten()
            .skip(first)
            .take(2 * AROUND as usize + 1)
            .map(String::as_str)
            .collect();
        let least = shown
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start().len())
            .min()
            .unwrap_or(0);
        let text: Vec<&str> = shown.iter().map(|line| line.get(least..).unwrap_or("")).collect();
        contextd_pack::texts::cut(text.join("\n").trim_end(), 800).0.to_owned()
    }

    fn hash(&self, path: &str) -> String {
        let snapshot = &self.facts.reader.snapshot;
        snapshot.find_file(path).map(|file| snapshot.file(file).hash().to_hex()).unwrap_or_default()
    }
}

/// Returns the line at which the text of an item begins that shows the surroundings of a use.
pub fn window(item: &ContextItem) -> Option<u32> {
    let is_window = matches!(item.why.rule.as_str(), "impact" | "documents-changed")
        && item.excerpt.detail == "body";
    let line: u32 = item
        .why
        .evidence
        .first()
        .filter(|_| is_window)?
        .evidence_id
        .rsplit_once(':')?
        .1
        .parse()
        .ok()?;
    Some(line.saturating_sub(AROUND).max(1))
}

/// Near and sure users come first.
fn worth(reached: &Reached) -> f64 {
    f64::from(reached.confidence) / f64::from(reached.distance.max(1))
}

fn rule(change: SymbolChange) -> &'static str {
    match change {
        SymbolChange::Added => "changed:added",
        SymbolChange::Removed => "changed:removed",
        SymbolChange::Signature => "changed:signature",
        SymbolChange::Body => "changed:body",
        SymbolChange::Doc => "changed:doc",
    }
}

pub(crate) fn blank(kind: &str, name: &str, title: String, rule: &str) -> ContextItem {
    ContextItem {
        kind: kind.to_owned(),
        symbol_id: None,
        chunk_uid: String::new(),
        file_rel_path: String::new(),
        range: Range { start: 0, end: 0 },
        lines: Range { start: 0, end: 0 },
        language_id: "text".to_owned(),
        symbol_kind: kind.to_owned(),
        name: name.to_owned(),
        excerpt: Excerpt {
            text: contextd_pack::texts::cut(&title, 600).0.to_owned(),
            detail: "signature".to_owned(),
            truncated: false,
            truncation: None,
            redacted: false,
            lines: Vec::new(),
        },
        title,
        content_hash: String::new(),
        stale: false,
        known: Default::default(),
        scores: Scores::default(),
        why: Why { rule: rule.to_owned(), ..Why::default() },
    }
}

pub(crate) fn named(mut item: ContextItem) -> ContextItem {
    item.chunk_uid = chunk_uid(
        &item.file_rel_path,
        &item.kind,
        &format!("{} {}", item.name, item.lines.start),
        &item.title,
    );
    item
}

pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

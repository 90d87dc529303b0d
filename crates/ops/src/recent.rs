//! `recent_changes`: commits that lately touched something, with the symbols they changed and their diffs.

mod about;

use crate::answer::{Answer, Hits};
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::SearchInput;
use crate::pr::fit::{Frame, fit};
use crate::pr::items::{Offer, blank, named, rounded};
use crate::pr::versions;
use about::{About, about};
use contextd_engine::{ChangeSource, ChangedSymbol, Reader, SymbolChange};
use contextd_history::{CommitView, SymbolTouch};
use contextd_lang::LanguageId;
use contextd_pack::pack::{Excerpt, Range, Scores};
use contextd_pack::request::{Intent, Scope};
use contextd_pack::{ContextItem, ContextPack, PackRequest, Section, SymbolIds, Tokenizer, budget};
use contextd_retrieve::recent_topic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Commits shown when nothing else is asked for, and at most.
const COMMITS: u32 = 10;
const MOST_COMMITS: u32 = 50;
/// Newest commits whose differences are offered.
const DIFFS: usize = 5;
/// Names of symbols in the text of a commit.
const NAMES: usize = 12;
/// Symbols that are offered.
const MOST_SYMBOLS: usize = 40;

/// Input of `recent_changes`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RecentInput {
    /// A part in words, a path or a symbol; empty: everything
    #[serde(alias = "query", alias = "target", alias = "topic")]
    pub of: String,
    /// Commits, newest first
    pub k: Option<u32>,
    /// Most tokens of the answer
    #[serde(alias = "maxTokens")]
    pub budget: Option<u64>,
    #[schemars(skip)]
    pub tokenizer: Option<Tokenizer>,
    #[schemars(skip)]
    pub format: Option<String>,
}

pub fn recent(context: &Context, input: RecentInput) -> Result<Answer, OpError> {
    let reader = context.reader()?;
    if reader.history.view().is_empty() {
        return Err(OpError::not_found(
            "there is no history to look at: no git repository, or no commits",
            "Ask about the code itself: `contextd search`.",
        ));
    }
    let topic = recent_topic(&input.of).unwrap_or_else(|| input.of.trim().to_owned());
    let about =
        about(context, &reader, &topic, input.k.unwrap_or(COMMITS).clamp(1, MOST_COMMITS) as usize);
    if about.commits.is_empty() {
        return Err(OpError::not_found(
            format!("no commit touched what `{topic}` names"),
            "Name a path or a symbol, or ask without a topic: `contextd recent`.",
        ));
    }
    Ok(Answer::Pack(Box::new(build(context, &reader, &topic, &about, &input, Scope::default())?)))
}

/// Answers a search that asks what changed lately, as hits; `None` for other questions.
pub fn hits(context: &Context, input: &SearchInput) -> Result<Option<Hits>, OpError> {
    let Some(topic) = recent_topic(&input.query) else { return Ok(None) };
    let reader = context.reader()?;
    let k = input.k.unwrap_or(context.engine.config.query.default_k);
    let about = about(context, &reader, &topic, k.clamp(1, MOST_COMMITS) as usize);
    if about.commits.is_empty() {
        return Ok(None);
    }
    let tokenizer = input
        .tokenizer
        .or_else(|| Tokenizer::by_name(&context.engine.config.budget.tokenizer))
        .unwrap_or_default();
    let budget =
        input.filters.max_tokens.unwrap_or(u64::from(context.engine.config.budget.search_tokens));
    let format = if input.format.as_deref() == Some("json") { "json" } else { "text" };
    let asked = RecentInput {
        of: input.query.clone(),
        k: Some(k),
        budget: Some(budget),
        tokenizer: Some(tokenizer),
        format: Some(format.to_owned()),
    };
    let scope = Scope {
        paths: input.scope.paths.clone(),
        exclude: input.scope.exclude.clone(),
        ..Scope::default()
    };
    let pack = build(context, &reader, &input.query, &about, &asked, scope)?;
    let mut found = crate::search::hits(&pack, tokenizer);
    // The summary says in one text what the hits say one by one.
    found.hits.retain(|hit| hit.kind != "summary");
    found.query.clone_from(&input.query);
    found.hits.truncate(k as usize);
    Ok(Some(found))
}

fn build(
    context: &Context,
    reader: &Reader,
    topic: &str,
    about: &About,
    input: &RecentInput,
    scope: Scope,
) -> Result<ContextPack, OpError> {
    let mut request = PackRequest {
        repo_id: context.engine.repo_id(),
        query: format!("recent {topic}"),
        intent: Intent::Impact,
        tokenizer: input.tokenizer,
        scope,
        k: Some(about.commits.len() as u32),
        format: input
            .format
            .clone()
            .filter(|format| !format.is_empty())
            .unwrap_or_else(|| "text".to_owned()),
        ..PackRequest::default()
    };
    request.budgets.max_total_tokens = input.budget;
    let config = &context.engine.config.budget;
    let tokenizer =
        input.tokenizer.or_else(|| Tokenizer::by_name(&config.tokenizer)).unwrap_or_default();
    let budgets = budget::resolve(&request, u64::from(config.files_tokens), tokenizer)?;
    let format = request.format.clone();
    let render = |pack: &ContextPack| (context.render)(pack, &format);
    let frame = Frame { request: &request, budgets, versions: versions(reader), render: &render };
    let recent = Recent {
        context,
        reader,
        about,
        ids: SymbolIds::new(&reader.snapshot),
        touches: touches(context, reader, about),
    };
    let offers = recent.offers();
    fit(&frame, &|most| recent.summary(topic, tokenizer, most), &offers)
}

/// Symbols that the chosen commits touched, in the files that are meant.
fn touches(context: &Context, reader: &Reader, about: &About) -> Vec<SymbolTouch> {
    let mut touches = context.engine.symbol_touches(reader, &about.commits, about.files.as_deref());
    if let Some(symbol) = about.symbol {
        let inside = reader.snapshot.symbol(symbol).descendants();
        touches.retain(|touch| touch.label == symbol || inside.contains(&touch.label));
    }
    touches
}

struct Recent<'a> {
    context: &'a Context,
    reader: &'a Reader,
    about: &'a About,
    ids: SymbolIds<'a>,
    touches: Vec<SymbolTouch>,
}

impl Recent<'_> {
    fn commits(&self) -> impl Iterator<Item = CommitView<'_>> {
        self.about.commits.iter().filter_map(|&number| self.reader.history.view().commit(number))
    }

    /// One line a commit.
    fn summary(&self, topic: &str, tokenizer: Tokenizer, most: usize) -> Offer {
        let mut lines: Vec<String> = self
            .commits()
            .map(|commit| {
                format!(
                    "{} {} {} ({})",
                    short(&commit),
                    contextd_pack::time::date(commit.commit_time()),
                    commit.subject(),
                    commit.author_name()
                )
            })
            .collect();
        while lines.len() > 1 && tokenizer.count(&lines.join("\n")) > most {
            lines.pop();
        }
        let of = if topic.is_empty() { "the repository" } else { topic };
        let mut item = blank(
            "summary",
            "recent changes",
            format!("{} commits that touched {of}, newest first", self.about.commits.len()),
            "recent-summary",
        );
        item.excerpt = Excerpt {
            text: lines.join("\n"),
            detail: "body".to_owned(),
            truncated: false,
            truncation: None,
            redacted: false,
            lines: Vec::new(),
        };
        Offer { section: Section::Seeds, value: 10.0, item: named(item), text: String::new() }
    }

    fn offers(&self) -> Vec<Offer> {
        let mut offers: Vec<Offer> =
            self.commits().enumerate().map(|(place, commit)| self.commit(place, commit)).collect();
        offers.extend(self.symbols());
        offers.extend(self.diffs());
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

    fn commit(&self, place: usize, commit: CommitView<'_>) -> Offer {
        let value = 0.95 / (1.0 + place as f64 / 20.0);
        let mut item = blank(
            "commit",
            &short(&commit),
            format!("{} {}", contextd_pack::time::date(commit.commit_time()), commit.subject()),
            "touched-recently",
        );
        item.scores = scores(value);
        let mut text = format!(
            "{} {} {} ({})",
            short(&commit),
            contextd_pack::time::date(commit.commit_time()),
            commit.subject(),
            commit.author_name()
        );
        if !commit.body().trim().is_empty() {
            text.push_str(&format!("\n{}", contextd_pack::texts::cut(commit.body().trim(), 600).0));
        }
        let names = self.names(commit.number);
        if !names.is_empty() {
            text.push_str(&format!("\ntouched: {}", names.join(", ")));
        }
        Offer { section: Section::Seeds, value, item: named(item), text }
    }

    /// Names of what one commit touched, code outside of symbols by its file.
    fn names(&self, commit: u32) -> Vec<String> {
        let own: Vec<u32> = self
            .touches
            .iter()
            .filter(|touch| touch.commit == commit)
            .map(|touch| touch.label)
            .collect();
        let mut names: Vec<String> = own
            .iter()
            .take(NAMES)
            .map(|&label| crate::tests::shown_name(self.reader, label))
            .collect();
        if own.len() > NAMES {
            names.push(format!("{} more", own.len() - NAMES));
        }
        names
    }

    /// Symbols by how often and how lately the commits touched them.
    fn symbols(&self) -> Vec<Offer> {
        let mut counts: BTreeMap<u32, (f64, u32, u32)> = BTreeMap::new();
        for touch in self
            .touches
            .iter()
            .filter(|touch| self.reader.snapshot.symbol(touch.label).parent().is_some())
        {
            let place =
                self.about.commits.iter().position(|&commit| commit == touch.commit).unwrap_or(0);
            let entry = counts.entry(touch.label).or_insert((0.0, 0, touch.commit));
            entry.0 += 1.0 / (2.0 + place as f64);
            entry.1 += 1;
        }
        let mut found: Vec<(u32, (f64, u32, u32))> = counts.into_iter().collect();
        found.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(&b.0)));
        let best = found.first().map_or(1.0, |(_, (weight, _, _))| *weight);
        found
            .into_iter()
            .take(MOST_SYMBOLS)
            .map(|(symbol, (weight, count, newest))| {
                self.symbol(symbol, 0.85 * weight / best, count, newest)
            })
            .collect()
    }

    fn symbol(&self, number: u32, value: f64, count: u32, newest: u32) -> Offer {
        let snapshot = &self.reader.snapshot;
        let symbol = snapshot.symbol(number);
        let newest = self.reader.history.view().commit(newest);
        let last = newest
            .map(|commit| format!("last by {} {}", short(&commit), commit.subject()))
            .unwrap_or_default();
        let mut item = blank(
            "symbol",
            &crate::tests::shown_name(self.reader, number),
            format!("{}: {count} of these commits, {last}", contextd_pack::title(snapshot, number)),
            "touched-recently",
        );
        item.symbol_id = Some(self.ids.of(number));
        self.place(
            &mut item,
            symbol.path(),
            (symbol.start_line(), symbol.end_line()),
            LanguageId(symbol.language()),
            symbol.kind().name(),
        );
        item.scores = scores(value);
        Offer { section: Section::Related, value, item: named(item), text: String::new() }
    }

    /// What the newest commits did to the symbols that are meant.
    fn diffs(&self) -> Vec<Offer> {
        let history = self.reader.history.view();
        let meant = |path: &str| {
            self.about.files.as_ref().is_none_or(|files| {
                history.file(path).is_some_and(|file| files.binary_search(&file).is_ok())
            })
        };
        let mut offers = Vec::new();
        for (place, commit) in
            self.commits().filter(|commit| !commit.is_merge()).take(DIFFS).enumerate()
        {
            let change = self
                .context
                .engine
                .change(&ChangeSource::Range(format!("{}^!", commit.id())), &self.reader.snapshot);
            let shown = change.symbols.iter().filter(|symbol| {
                meant(&symbol.path)
                    && self.about.symbol.is_none_or(|wanted| symbol.number == Some(wanted))
            });
            offers.extend(shown.take(8).enumerate().map(|(at, symbol)| {
                self.diff(&commit, symbol, 0.7 / (1.0 + place as f64 / 3.0 + at as f64 / 10.0))
            }));
        }
        offers
    }

    fn diff(&self, commit: &CommitView<'_>, symbol: &ChangedSymbol, value: f64) -> Offer {
        let kind = if symbol.change == SymbolChange::Removed { "removed" } else { "diff" };
        let mut item = blank(
            kind,
            &symbol.name,
            format!(
                "{} {} in {}: {}",
                symbol.change.name(),
                symbol.name,
                short(commit),
                commit.subject()
            ),
            "changed-recently",
        );
        item.symbol_id = symbol.number.map(|number| self.ids.of(number));
        self.place(&mut item, &symbol.path, symbol.lines, symbol.language, symbol.kind.name());
        item.scores = scores(value);
        Offer {
            section: Section::Usages,
            value,
            item: named(item),
            text: contextd_pack::texts::cut(&symbol.text, 2_000).0.to_owned(),
        }
    }

    fn place(
        &self,
        item: &mut ContextItem,
        path: &str,
        lines: (u32, u32),
        language: LanguageId,
        kind: &str,
    ) {
        item.file_rel_path = path.to_owned();
        item.lines = Range { start: lines.0, end: lines.1 };
        item.language_id = language.name().to_owned();
        item.symbol_kind = kind.to_owned();
        item.content_hash = self
            .reader
            .snapshot
            .find_file(path)
            .map(|file| self.reader.snapshot.file(file).hash().to_hex())
            .unwrap_or_default();
    }
}

fn scores(value: f64) -> Scores {
    Scores {
        seed_score: rounded(value),
        graph_distance: 0,
        evidence_score: 1.0,
        hybrid_score: rounded(value),
    }
}

fn short(commit: &CommitView<'_>) -> String {
    commit.id().to_string()[..12].to_owned()
}

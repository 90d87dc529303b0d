//! Accounting: what every question cost and gave, written down behind the answer.
//!
//! An operation leaves notes while it runs; they go into a queue when it has answered. Where the process
//! stays, a thread writes the queue; else it is written when the process is done. Sessions take an answer in
//! within a second, and before their next question; measurements, which no answer depends on, are written
//! by dozens. Whoever reads accounts flushes first.

use crate::answer::Answer;
use crate::context::{Asker, Context};
use crate::error::OpError;
use crate::pack_cache::remember;
use contextd_engine::{Engine, KeptLedger, Reader, SessionView};
use contextd_pack::{ContextItem, ContextPack};
use contextd_retrieve::{Query, understand, understood};
use contextd_store::{Answered, Ledger, PackRecord, ReturnedItem, SqliteLedger, UsageRecord};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Entries that come in so close together are looked at as one; whoever reads them writes them first.
const GATHER: Duration = Duration::from_millis(1_000);
/// Entries from which on measurements are written: a transaction costs as much as several rows.
const ENOUGH: usize = 32;
/// How long measurements wait for others.
const LONGEST: Duration = Duration::from_secs(10);
/// Entries kept while they cannot be written; further ones are dropped.
const MOST: usize = 10_000;
/// Lines that a reader of whole files is taken to read of one file.
const WHOLE: u64 = 2_000;

/// What an answer held, noted while it was made.
pub(crate) struct Noted {
    query: String,
    understood: Arc<Query>,
    pack_id: String,
    tokens: u64,
    baseline: u64,
    /// The answer's own items, by the name of their section.
    sections: Vec<(String, Vec<Arc<ContextItem>>)>,
}

/// One question with its answer.
struct Entry {
    ts: i64,
    since: Instant,
    op: &'static str,
    asker: Asker,
    latency_ms: f64,
    warm: bool,
    noted: Option<Noted>,
    /// Its session has taken it in.
    stepped: bool,
}

/// The queue of what is to be written.
#[derive(Default)]
pub(crate) struct Accounts {
    pending: Mutex<Vec<Entry>>,
    wake: Condvar,
    /// Held while writing, so that a flush waits for what is under way.
    writing: Mutex<KeptLedger>,
    started: Mutex<bool>,
}

/// Runs an operation for whoever asks and puts it on the account.
pub(crate) fn asked(
    context: &Context,
    op: &'static str,
    mut input: Value,
    run: impl FnOnce(&Context, Value) -> Result<Answer, OpError>,
) -> Result<Answer, OpError> {
    let context = context.asking(&mut input)?;
    let start = Instant::now();
    let opened = context.opened();
    let answer = run(&context, input)?;
    let latency_ms = start.elapsed().as_secs_f64() * 1e3;
    let noted = lock(&context.noted).take();
    let counted = matches!(
        answer,
        Answer::Pack(_) | Answer::Hits(_) | Answer::Symbol(_) | Answer::Why(_) | Answer::Impact(_)
    );
    let measured = context.engine.config.metrics.enabled;
    let in_session = context.asker.session.is_some() && !context.asker.cold && noted.is_some();
    if counted && (measured || in_session) {
        // Sessions go on when nothing is measured.
        let op = if measured { op } else { "" };
        let entry = Entry {
            ts: (context.now)(),
            since: start,
            op,
            asker: context.asker.clone(),
            latency_ms,
            warm: context.opened() == opened,
            noted,
            stepped: false,
        };
        context.accounts.push(&context, entry);
    }
    Ok(answer)
}

impl Noted {
    /// Notes what a pack holds.
    pub(crate) fn of(reader: &Reader, query: &str, pack: &ContextPack) -> Noted {
        let sections = pack
            .sections
            .iter()
            .map(|section| (section.kind.clone(), section.items.clone()))
            .collect();
        Noted {
            query: query.to_owned(),
            understood: understood(query, &[]),
            pack_id: pack.pack_id.clone(),
            tokens: pack.stats.tokens,
            baseline: baseline(reader, pack),
            sections,
        }
    }

    fn returned(&self) -> impl Iterator<Item = ReturnedItem<'_>> {
        self.sections
            .iter()
            .flat_map(|(section, items)| items.iter().map(|item| returned(section, item)))
    }

    /// Returns id, name and text's identity of the symbols that it showed.
    fn symbols(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.sections.iter().flat_map(|(_, items)| items).filter_map(|item| {
            Some((item.symbol_id.as_deref()?, item.name.as_str(), item.chunk_uid.as_str()))
        })
    }
}

fn returned<'i>(section: &str, item: &'i ContextItem) -> ReturnedItem<'i> {
    ReturnedItem {
        target: Cow::Borrowed(item.symbol_id.as_deref().unwrap_or(&item.chunk_uid)),
        name: Cow::Borrowed(&item.name),
        path: Cow::Borrowed(&item.file_rel_path),
        provider: Cow::Borrowed(provider(section, item)),
        score: item.scores.hybrid_score,
        // Shown scores are the square root of the chance to be right.
        chance: Some(item.scores.seed_score * item.scores.seed_score)
            .filter(|chance| *chance > 0.0),
    }
}

/// Returns the provider whose signal spoke loudest for an item.
fn provider(section: &str, item: &ContextItem) -> &'static str {
    let loudest = item.why.signals.iter().max_by(|a, b| {
        (a.value * a.weight).total_cmp(&(b.value * b.weight)).then(b.name.cmp(&a.name))
    });
    match (section, loudest.map(|signal| signal.name.as_str())) {
        ("seeds", Some("ppr")) => "dependency",
        ("seeds", Some("git_file" | "git" | "activity")) => "git_history",
        ("seeds", Some("prose")) => "docs",
        ("seeds", Some("exact" | "qcov" | "ncov" | "definition" | "stem")) => "symbol",
        ("seeds", Some("declared")) => "declared",
        ("seeds", Some(name)) if name.starts_with("learned") || name == "session" => "learned",
        ("seeds", _) => "full_text",
        _ => "dependency",
    }
}

/// Returns what reading would have cost: each file that the pack shows text of, once, no more than a
/// reader's 2,000 lines of it, a token for four bytes. Searching and wrong turns are not counted.
fn baseline(reader: &Reader, pack: &ContextPack) -> u64 {
    let mut paths: Vec<&str> = pack
        .items()
        .filter(|item| item.excerpt.detail == "body")
        .map(|item| item.file_rel_path.as_str())
        .collect();
    paths.sort_unstable();
    paths.dedup();
    let cost = |path: &str| {
        let file = reader.snapshot.file(reader.snapshot.find_file(path)?);
        let (bytes, lines) = (u64::from(file.size()), u64::from(file.lines()).max(1));
        Some(bytes * lines.min(WHOLE) / lines / 4)
    };
    paths.into_iter().filter_map(cost).sum()
}

impl Accounts {
    fn push(self: &Arc<Self>, context: &Context, entry: Entry) {
        let mut pending = lock(&self.pending);
        if pending.len() < MOST {
            pending.push(entry);
        }
        drop(pending);
        if context.stays {
            self.start(&context.engine);
            self.wake.notify_one();
        }
    }

    /// Starts the thread that writes, once.
    fn start(self: &Arc<Self>, engine: &Arc<Engine>) {
        let mut started = lock(&self.started);
        if !*started {
            let (accounts, engine) = (Arc::downgrade(self), engine.clone());
            *started = std::thread::Builder::new()
                .name("accounts".to_owned())
                .spawn(move || {
                    while let Some(accounts) = accounts.upgrade() {
                        let pending = lock(&accounts.pending);
                        let waited = accounts.wake.wait_timeout_while(
                            pending,
                            Duration::from_secs(5),
                            |pending| pending.is_empty(),
                        );
                        let idle = waited.map_or(true, |(pending, _)| pending.is_empty());
                        if !idle {
                            std::thread::sleep(GATHER);
                            accounts.rest(&engine);
                        }
                    }
                })
                .is_ok();
        }
    }

    /// Opens the ledger for what will be written.
    pub(crate) fn prepare(&self, engine: &Engine) {
        // Who cannot open it now tries again when there is something to write.
        let _ = lock(&self.writing).open(engine).is_ok();
    }

    /// Writes what is pending and waits for what is being written.
    pub(crate) fn flush(&self, engine: &Engine) {
        self.write(engine, Vec::new());
    }

    /// Does the same, after packs that are to be remembered.
    pub(crate) fn write(&self, engine: &Engine, packs: Vec<PackRecord>) {
        let mut writing = lock(&self.writing);
        let mut entries = std::mem::take(&mut *lock(&self.pending));
        // What cannot be remembered or put on account must not stop the work it tells about.
        if !packs.is_empty() {
            let _ = writing.open(engine).and_then(|ledger| remember(ledger, &packs));
        }
        if !entries.is_empty() {
            let _ = writing.open(engine).and_then(|ledger| write(engine, ledger, &mut entries));
        }
    }

    /// Lets sessions take in what is pending, then asks the ledger something. Measurements, which no
    /// answer depends on, wait for others to be written with.
    pub(crate) fn ask<T>(
        &self,
        engine: &Engine,
        question: impl FnOnce(&SqliteLedger) -> contextd_engine::Result<T>,
    ) -> contextd_engine::Result<T> {
        let mut writing = lock(&self.writing);
        let ledger = writing.open(engine)?;
        self.step_sessions(ledger);
        question(ledger)
    }

    /// Lets sessions take in what is pending; the entries stay until they are written.
    fn step_sessions(&self, ledger: &mut SqliteLedger) {
        let mut entries = std::mem::take(&mut *lock(&self.pending));
        // What cannot be taken in now is tried again when the entries are written.
        let _ = take_steps(ledger, &mut entries);
        let mut pending = lock(&self.pending);
        entries.append(&mut pending);
        *pending = entries;
    }

    /// Writes what should not wait any longer.
    pub(crate) fn rest(&self, engine: &Engine) {
        let (enough, in_sessions) = {
            let pending = lock(&self.pending);
            let old = pending.first().is_some_and(|entry| entry.since.elapsed() >= LONGEST);
            (
                old || pending.len() >= ENOUGH,
                pending.iter().any(|entry| !entry.stepped && entry.session().is_some()),
            )
        };
        if enough {
            self.flush(engine);
        } else if in_sessions {
            // What cannot be written now is tried again.
            let _ = lock(&self.writing).open(engine).map(|ledger| self.step_sessions(ledger));
        }
    }
}

impl Entry {
    /// Returns the session that takes the answer in.
    fn session(&self) -> Option<(&str, &Noted)> {
        self.asker.session.as_deref().filter(|_| !self.asker.cold).zip(self.noted.as_ref())
    }
}

fn write(
    engine: &Engine,
    ledger: &mut SqliteLedger,
    entries: &mut [Entry],
) -> contextd_engine::Result<()> {
    let answers: Vec<Answered<'_>> = entries
        .iter()
        .filter(|entry| !entry.op.is_empty())
        .map(|entry| answered(engine, entry))
        .collect();
    ledger.usage_answered(&answers)?;
    take_steps(ledger, entries)
}

/// Takes entries into their sessions, in order, each once.
fn take_steps(ledger: &mut SqliteLedger, entries: &mut [Entry]) -> contextd_engine::Result<()> {
    for entry in entries.iter_mut().filter(|entry| !entry.stepped) {
        if let Some((id, noted)) = entry.session() {
            step(ledger, id, entry.ts, &mut |view| {
                view.answered(&noted.understood, noted.symbols())
            })?;
        }
        entry.stepped = true;
    }
    Ok(())
}

/// Changes a session as one step of the ledger.
pub(crate) fn step(
    ledger: &mut dyn Ledger,
    id: &str,
    now: i64,
    change: &mut dyn FnMut(&mut SessionView),
) -> contextd_engine::Result<()> {
    ledger.update_session(id, &mut |old| {
        let mut view = SessionView::of(id, old.as_ref());
        change(&mut view);
        view.stored(old.map_or(now, |old| old.started_at), now)
    })?;
    Ok(())
}

fn answered<'e>(engine: &Engine, entry: &'e Entry) -> Answered<'e> {
    let (asker, metrics) = (&entry.asker, &engine.config.metrics);
    let mut usage = UsageRecord {
        ts: entry.ts,
        op: entry.op.to_owned(),
        agent: asker.agent.clone(),
        task_id: asker.task_id.clone(),
        query_latency_ms: Some(entry.latency_ms).filter(|_| metrics.track_latency),
        cache_hit: Some(entry.warm).filter(|_| metrics.track_cache_hits),
        surface: Some(asker.surface.to_owned()),
        session_id: asker.session.clone(),
        ..UsageRecord::default()
    };
    let Some(noted) = &entry.noted else { return Answered { usage, ..Answered::default() } };
    let items: Vec<ReturnedItem<'_>> = noted.returned().collect();
    let providers: BTreeSet<&str> = items.iter().map(|item| &*item.provider).collect();
    usage.context_tokens = Some(noted.tokens).filter(|_| metrics.track_token_usage);
    usage.snippets_count = Some(items.len() as u32);
    usage.providers_used = providers.into_iter().map(str::to_owned).collect();
    usage.pack_id = Some(noted.pack_id.clone());
    let scrubbed = engine.scrubber.scrub(&noted.query, "query");
    // Words are those of what is kept: nothing of a secret is one.
    let words = if scrubbed.redactions.is_empty() {
        words(&noted.understood)
    } else {
        words(&understand(&scrubbed.text))
    };
    usage.query = Some(scrubbed.text.into_owned());
    usage.baseline_tokens = Some(noted.baseline).filter(|_| metrics.track_token_usage);
    Answered { words, usage, items }
}

/// Returns the distinct words of a request, sorted, as judgements keep them.
pub(crate) fn words(query: &Query) -> Vec<String> {
    let mut words: Vec<String> = query.words.iter().map(|(word, _)| word.clone()).collect();
    words.sort();
    words
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

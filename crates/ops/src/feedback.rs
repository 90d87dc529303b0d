//! `feedback`: what was useful, and everything that was learned: listed, explained, exported, forgotten.

use crate::accounts::words;
use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use contextd_engine::{LearnedState, Reader};
use contextd_pack::{SymbolIds, resolve};
use contextd_retrieve::understand;
use contextd_store::{Feedback, FeedbackFilter, Ledger, SqliteLedger, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is done with what was learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FeedbackAction {
    /// Takes judgements in.
    #[default]
    Judge,
    List,
    Explain,
    Export,
    Import,
    Forget,
}

/// Input of `feedback`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FeedbackInput {
    pub action: FeedbackAction,
    /// Symbols that were useful: names or symbolIds
    pub useful: Vec<String>,
    /// Symbols that were not
    pub not_useful: Vec<String>,
    /// The answer that is judged; by default the session's last
    pub pack_id: Option<String>,
    /// The request that the judgement is about, when no answer is named
    pub query: Option<String>,
    pub note: Option<String>,
    /// For explain and forget: a symbol
    pub symbol: Option<String>,
    /// For forget: what came before this time, in Unix milliseconds
    pub before: Option<i64>,
    /// For forget: everything
    pub all: bool,
    /// For forget: judgements of this session, and the session
    #[schemars(skip)]
    pub of_session: Option<String>,
    /// For import: rows as export wrote them
    #[schemars(skip)]
    pub rows: Vec<Row>,
    pub limit: Option<usize>,
}

/// A judgement as it is exported. Anchors travel with it: elsewhere it counts where the code is the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub target: String,
    pub verdict: String,
    pub anchor: String,
    #[serde(default)]
    pub words: Vec<String>,
    #[serde(default)]
    pub ts: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How likely the ranking took it to be needed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
}

/// Longest list of rows that is taken in at once.
const IMPORT: usize = 100_000;
/// Longest note that is kept.
const NOTE: usize = 1_000;

pub fn feedback(context: &Context, input: FeedbackInput) -> Result<Answer, OpError> {
    context.flush();
    match input.action {
        FeedbackAction::Judge => judge(context, &input),
        FeedbackAction::List => list(context, &input),
        FeedbackAction::Explain => explain(context, &input),
        FeedbackAction::Export => export(context),
        FeedbackAction::Import => import(context, input.rows),
        FeedbackAction::Forget => forget(context, &input),
    }
}

fn judge(context: &Context, input: &FeedbackInput) -> Result<Answer, OpError> {
    if input.useful.is_empty() && input.not_useful.is_empty() {
        return Err(OpError::request(
            "no symbol is judged",
            "Name symbols in `useful` or `notUseful`.",
        ));
    }
    let reader = context.reader()?;
    let mut ledger = context.engine.ledger()?;
    let judged =
        Judged::of(context, &reader, &ledger, input.pack_id.as_deref(), input.query.as_deref())?;
    let mut rows = Vec::new();
    for (names, verdict) in
        [(&input.useful, Verdict::Useful), (&input.not_useful, Verdict::NotUseful)]
    {
        for name in names {
            rows.push(judged.row(context, &reader, name, verdict, input.note.as_deref())?);
        }
    }
    ledger.put_feedback(&rows)?;
    Ok(Answer::Facts(
        json!({"recorded": rows.len(), "packId": judged.pack_id, "words": judged.words}),
        true,
    ))
}

/// What a judgement is about: an answer, a request, or code in general.
pub(crate) struct Judged {
    pub pack_id: Option<String>,
    pub words: Vec<String>,
    pub items: Vec<contextd_store::ReturnedItem<'static>>,
    state: std::sync::Arc<LearnedState>,
}

impl Judged {
    pub(crate) fn of(
        context: &Context,
        reader: &Reader,
        ledger: &SqliteLedger,
        pack_id: Option<&str>,
        query: Option<&str>,
    ) -> Result<Self, OpError> {
        let state = context.engine.learned_state(reader, ledger)?;
        let last = match (pack_id, query, &context.asker.session) {
            (Some(id), _, _) => Some(id.to_owned()),
            (None, None, Some(session)) => ledger.last_returned(session)?,
            _ => None,
        };
        let returned = last.as_deref().map(|id| ledger.returned(id)).transpose()?.flatten();
        if let (Some(id), None) = (pack_id, &returned) {
            return Err(OpError::not_found(
                format!("the answer `{id}` is not known here any more"),
                "Give the request as `query` instead.",
            ));
        }
        let scrubbed =
            query.map(|query| context.engine.scrubber.scrub(query, "query").text.into_owned());
        let (words_of, items) = returned.unwrap_or_default();
        let words = scrubbed.map_or(words_of, |query| words(&understand(&query)));
        Ok(Self { pack_id: last, words, items, state })
    }

    /// Makes a judgement of a symbol, anchored to the package as it is now.
    pub(crate) fn row(
        &self,
        context: &Context,
        reader: &Reader,
        name: &str,
        verdict: Verdict,
        note: Option<&str>,
    ) -> Result<Feedback, OpError> {
        let number = self.symbol(reader, name)?;
        let target = SymbolIds::new(&reader.snapshot).of(number);
        let anchor = self.state.packages.anchor(reader.snapshot.symbol(number).path()).to_owned();
        let note = note.map(|note| {
            context
                .engine
                .scrubber
                .scrub(contextd_pack::texts::cut(note, NOTE).0, "note")
                .text
                .into_owned()
        });
        let chance =
            self.items.iter().find(|item| item.target == target).and_then(|item| item.chance);
        Ok(Feedback {
            ts: (context.now)(),
            session_id: context.asker.session.clone(),
            pack_id: self.pack_id.clone(),
            target,
            verdict,
            anchor,
            words: self.words.clone(),
            note,
            chance,
        })
    }

    /// Finds a symbol by id or name; of several, the one that the answer held is meant.
    fn symbol(&self, reader: &Reader, name: &str) -> Result<u32, OpError> {
        let held = self.items.iter().find(|item| item.target == name || item.name == name);
        let wanted = held.map_or(name, |item| &*item.target);
        let found = resolve::symbols(&reader.snapshot, wanted)?;
        Ok(found[0])
    }
}

fn row(feedback: &Feedback) -> Row {
    let Feedback { ts, session_id, pack_id, target, verdict, anchor, words, note, chance } =
        feedback.clone();
    Row {
        target,
        verdict: verdict.name().to_owned(),
        anchor,
        words,
        ts,
        pack_id,
        session_id,
        note,
        chance,
    }
}

fn export(context: &Context) -> Result<Answer, OpError> {
    let rows = context.engine.ledger()?.feedback(&FeedbackFilter::default())?;
    let lines: Vec<String> = rows
        .iter()
        .map(|feedback| serde_json::to_string(&row(feedback)).unwrap_or_default())
        .collect();
    Ok(Answer::Lines(lines))
}

fn import(context: &Context, rows: Vec<Row>) -> Result<Answer, OpError> {
    if rows.len() > IMPORT {
        return Err(OpError::request(
            format!("{} rows are too many at once", rows.len()),
            format!("Import up to {IMPORT} at a time."),
        ));
    }
    let mut ledger = context.engine.ledger()?;
    let kept: std::collections::BTreeSet<String> = ledger
        .feedback(&FeedbackFilter::default())?
        .iter()
        .map(|feedback| identity(&row(feedback)))
        .collect();
    let mut fresh = Vec::new();
    for row in rows.into_iter().filter(|row| !kept.contains(&identity(row))) {
        let Some(verdict) = Verdict::from_name(&row.verdict) else {
            return Err(OpError::request(
                format!("`{}` is no verdict", row.verdict),
                "Known: useful, not_useful, used, unused.",
            ));
        };
        let words = row
            .words
            .iter()
            .take(64)
            .map(|word| context.engine.scrubber.scrub(word, "word").text.into_owned())
            .collect();
        fresh.push(Feedback {
            ts: row.ts,
            session_id: row.session_id,
            pack_id: row.pack_id,
            target: row.target,
            verdict,
            anchor: row.anchor,
            words,
            note: row.note,
            chance: row.chance.filter(|chance| (0.0..=1.0).contains(chance)),
        });
    }
    ledger.put_feedback(&fresh)?;
    Ok(Answer::Facts(json!({ "imported": fresh.len() }), true))
}

/// The same judgement is taken in once.
fn identity(row: &Row) -> String {
    serde_json::to_string(row).unwrap_or_default()
}

fn list(context: &Context, input: &FeedbackInput) -> Result<Answer, OpError> {
    let reader = context.reader()?;
    let ledger = context.engine.ledger()?;
    let state = context.engine.learned_state(&reader, &ledger)?;
    let rows = ledger.feedback(&FeedbackFilter::default())?;
    let limit = input.limit.unwrap_or(50);
    let name = |target: &str| {
        resolve::symbols(&reader.snapshot, target)
            .ok()
            .map(|found| reader.snapshot.symbol(found[0]).qualified().into_owned())
    };
    let counts = |target: &str| {
        let count = |verdict: Verdict| {
            rows.iter().filter(|row| row.target == target && row.verdict == verdict).count()
        };
        let valid = rows
            .iter()
            .filter(|row| row.target == target)
            .filter(|row| holds(&reader, &state, row))
            .count();
        json!({"symbolId": target, "symbol": name(target), "useful": count(Verdict::Useful), "notUseful": count(Verdict::NotUseful), "used": count(Verdict::Used), "unused": count(Verdict::Unused), "counts": valid})
    };
    let mut targets: Vec<&str> = rows.iter().map(|row| row.target.as_str()).collect();
    targets.sort_unstable();
    targets.dedup();
    let vocabulary: Vec<Value> = state.memory.words().into_iter().take(limit).map(|(word, symbol, count)| json!({"word": word, "symbol": reader.snapshot.symbol(symbol).qualified(), "observations": count})).collect();
    let sessions: Vec<Value> = ledger.sessions(limit)?.iter().map(|session| json!({"session": session.session_id, "steps": session.step, "lastSeenAt": session.last_seen_at})).collect();
    let value = json!({
        "learnedState": state.version,
        "judgements": rows.len(),
        "valid": state.valid,
        "expired": state.expired,
        "symbols": targets.iter().take(limit).map(|target| counts(target)).collect::<Vec<_>>(),
        "vocabulary": vocabulary,
        "sessions": sessions,
    });
    Ok(Answer::Facts(value, !rows.is_empty() || !sessions.is_empty()))
}

fn holds(reader: &Reader, state: &LearnedState, row: &Feedback) -> bool {
    resolve::symbols(&reader.snapshot, &row.target).is_ok_and(|found| {
        !row.anchor.is_empty()
            && state.packages.anchor(reader.snapshot.symbol(found[0]).path()) == row.anchor
    })
}

/// Everything that was learned about one symbol, with what it would add for a request.
fn explain(context: &Context, input: &FeedbackInput) -> Result<Answer, OpError> {
    let Some(symbol) = &input.symbol else {
        return Err(OpError::request(
            "no symbol is named",
            "Name one: contextd feedback explain Cart.total.",
        ));
    };
    let reader = context.reader()?;
    let ledger = context.engine.ledger()?;
    let state = context.engine.learned_state(&reader, &ledger)?;
    let number = resolve::symbols(&reader.snapshot, symbol)?[0];
    let id = SymbolIds::new(&reader.snapshot).of(number);
    let rows = ledger
        .feedback(&FeedbackFilter { target: Some(id.clone()), ..FeedbackFilter::default() })?;
    let judgements: Vec<Value> = rows.iter().map(|feedback| json!({"verdict": feedback.verdict.name(), "counts": holds(&reader, &state, feedback), "words": feedback.words, "packId": feedback.pack_id, "session": feedback.session_id, "ts": feedback.ts, "note": feedback.note})).collect();
    let words: Vec<Value> = state
        .memory
        .words()
        .into_iter()
        .filter(|(_, other, _)| *other == number)
        .map(|(word, _, count)| json!({"word": word, "observations": count}))
        .collect();
    let (weights, _) = context.engine.weights(None)?;
    let query = understand(input.query.as_deref().unwrap_or_default());
    let session =
        context.asker.session.as_ref().map(|id| context.engine.session(&ledger, id)).transpose()?;
    let learned =
        context.engine.learned(&reader, &state, session.as_ref(), &query, &weights.learned);
    let terms = learned.terms(number, reader.catalog.kind[number as usize]);
    let shown: Vec<Value> = contextd_retrieve::learned::LEARNED_NAMES.iter().zip(terms).zip(learned.weights()).map(|((name, value), weight)| json!({"term": name, "value": value, "weight": weight, "adds": value * weight})).collect();
    let found = !rows.is_empty();
    Ok(Answer::Facts(
        json!({"symbolId": id, "symbol": reader.snapshot.symbol(number).qualified(), "learnedState": learned.version, "judgements": judgements, "vocabulary": words, "terms": shown, "seen": session.and_then(|view| view.state.seen.get(&id).map(|seen| json!(seen)))}),
        found,
    ))
}

fn forget(context: &Context, input: &FeedbackInput) -> Result<Answer, OpError> {
    let named = input.symbol.is_some() || input.before.is_some() || input.of_session.is_some();
    if !named && !input.all {
        return Err(OpError::request(
            "nothing is named that should be forgotten",
            "Name a symbol, a session or a time, or say `all`.",
        ));
    }
    let mut ledger = context.engine.ledger()?;
    let target = match &input.symbol {
        Some(name) if !name.starts_with("scip-contextd ") => {
            let reader = context.reader()?;
            Some(SymbolIds::new(&reader.snapshot).of(resolve::symbols(&reader.snapshot, name)?[0]))
        }
        other => other.clone(),
    };
    let judgements = ledger.forget_feedback(&FeedbackFilter {
        target,
        session_id: input.of_session.clone(),
        before: input.before,
    })?;
    let sessions = match &input.of_session {
        Some(id) => ledger.forget_session(id)?,
        None if input.all => ledger.expire_sessions(i64::MAX)?,
        None => 0,
    };
    Ok(Answer::Facts(json!({"forgotten": judgements, "sessions": sessions}), true))
}

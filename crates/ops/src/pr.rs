//! `context_for_pr`: a change with what it reaches, inside one budget.

mod company;
pub(crate) mod fit;
pub(crate) mod items;
mod risk;
mod summary;

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::PrInput;
use crate::tests::{hits, keep_likely, refuse_unreadable, start_of};
use company::Company;
use contextd_engine::{Change, ChangeSource, Reader};
use contextd_model::ContentHash;
use contextd_pack::budget;
use contextd_pack::ids::Versions;
use contextd_pack::{ContextPack, PackRequest, Tokenizer};
use contextd_retrieve::{Reach, ReachOptions, reach};
use fit::{Frame, fit};
use items::Stall;
pub use items::window;
use risk::Risk;

pub fn pr(context: &Context, input: PrInput) -> Result<Answer, OpError> {
    let source = match (&input.patch, input.range.trim()) {
        (Some(patch), _) => ChangeSource::Patch(patch.clone().into_bytes()),
        (None, "") => ChangeSource::Branch,
        (None, range) => ChangeSource::Range(range.to_owned()),
    };
    let reader = context.reader()?;
    let change = context.engine.change(&source, &reader.snapshot);
    refuse_unreadable(&change)?;
    if change.files.is_empty() {
        let (message, remedy) = (
            format!("nothing differs in {}", change.label),
            "Name what to compare: `contextd pr HEAD~1`, `contextd pr main..feature`, or give a patch with `--patch FILE`.",
        );
        return Err(OpError::not_found(message, remedy));
    }
    let pack = build(context, &reader, &change, &input)?;
    Ok(Answer::Pack(Box::new(pack)))
}

/// Everything that is known about a change before it is cut to size.
pub(crate) struct Facts<'a> {
    pub context: &'a Context,
    pub reader: &'a Reader,
    pub change: &'a Change,
    /// What names the changed symbols, directly or not.
    pub users: Reach,
    pub tests: Vec<crate::answer::TestHit>,
    pub company: Company,
    pub risk: Risk,
}

fn build(
    context: &Context,
    reader: &Reader,
    change: &Change,
    input: &PrInput,
) -> Result<ContextPack, OpError> {
    let start = start_of(reader, change);
    // Loose code of a file is used by whoever loads the file: that says too little to be shown.
    let changed: Vec<(u32, f32)> = start
        .iter()
        .copied()
        .filter(|&(symbol, _)| reader.snapshot.symbol(symbol).parent().is_some())
        .collect();
    let users =
        reach(&reader.snapshot, &reader.catalog, reader.suite(), &changed, &ReachOptions::IMPACT);
    let running =
        reach(&reader.snapshot, &reader.catalog, reader.suite(), &start, &ReachOptions::TESTS);
    let mut tests = hits(reader, &running);
    keep_likely(&mut tests, reader.suite().tests.len());
    let company = Company::of(context, reader, change);
    let risk = Risk::of(reader, change, &users, &running, &company);
    let facts = Facts { context, reader, change, users, tests, company, risk };
    let request = request(&facts, input);
    let tokenizer = input
        .tokenizer
        .or_else(|| Tokenizer::by_name(&context.engine.config.budget.tokenizer))
        .unwrap_or_default();
    let budgets =
        budget::resolve(&request, u64::from(context.engine.config.budget.pr_tokens), tokenizer)?;
    let format = request.format.clone();
    let render = |pack: &ContextPack| (context.render)(pack, &format);
    let frame = Frame { request: &request, budgets, versions: versions(reader), render: &render };
    let stall = Stall::new(&facts);
    fit(&frame, &|most| stall.summary(tokenizer, most), &stall.offers())
}

/// The identity of a pack follows from its request, so the request names the difference by its hash.
fn request(facts: &Facts<'_>, input: &PrInput) -> PackRequest {
    let change = facts.change;
    let texts: Vec<String> = change
        .files
        .iter()
        .map(|file| format!("{}\0{:?}\0{:?}\0{}", file.path, file.from, file.kind, file.diff))
        .collect();
    let hash = ContentHash::of(texts.join("\0").as_bytes()).to_hex();
    let mut request = PackRequest {
        repo_id: facts.context.engine.repo_id(),
        query: format!("pr {} {}", change.label, &hash[..16]),
        intent: contextd_pack::request::Intent::Impact,
        tokenizer: input.tokenizer,
        strictness: input.strictness,
        format: input
            .format
            .clone()
            .filter(|format| !format.is_empty())
            .unwrap_or_else(|| "text".to_owned()),
        ..PackRequest::default()
    };
    request.budgets.max_total_tokens = input.budget;
    request
}

pub(crate) fn versions(reader: &Reader) -> Versions {
    Versions {
        index_signature: reader.snapshot.index_signature().to_hex(),
        history: reader.history.head.map(|head| head.to_string()).unwrap_or_default(),
        ..Versions::default()
    }
}

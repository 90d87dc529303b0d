//! `grep`: plain matches under the definitions that hold them.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::excerpts::{self, ExcerptPlace, Excerpts};
use contextd_engine::Reader;
use contextd_pack::Filter;
use contextd_pack::request::Scope;
use rayon::prelude::*;
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Matches shown unless something else is said.
const MATCHES: u32 = 60;
/// Most matches of one file that are looked at.
const OF_FILE: usize = 400;
/// Largest compiled pattern, in bytes.
const PATTERN: usize = 1 << 20;

/// Input of `grep`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GrepInput {
    /// A regular expression, or plain text with `fixed`
    pub pattern: String,
    /// The pattern is plain text
    pub fixed: bool,
    /// Upper and lower case are the same
    pub ignore_case: bool,
    /// Folders or globs to look in
    #[serde(alias = "path", alias = "paths")]
    pub within: Vec<String>,
    /// Folders or globs to leave out
    pub exclude: Vec<String>,
    /// Languages, such as `rust`
    #[serde(alias = "lang")]
    pub languages: Vec<String>,
    /// Most matches, 60 by default
    pub k: Option<u32>,
}

pub fn grep(context: &Context, input: GrepInput) -> Result<Answer, OpError> {
    let pattern = compiled(&input)?;
    let reader = context.reader()?;
    let filter = Filter::new(&Scope {
        paths: input.within.clone(),
        exclude: input.exclude.clone(),
        languages: input.languages.clone(),
        ..Scope::default()
    })?;
    let snapshot = &reader.snapshot;
    let mut files: Vec<u32> = (0..snapshot.file_count())
        .filter(|&file| filter.allows(snapshot, snapshot.symbols_of_file(file).start))
        .collect();
    files.sort_by_key(|&file| (is_test(&reader, file), snapshot.file(file).path()));
    let found: Vec<Vec<ExcerptPlace>> =
        files.par_iter().map(|&file| in_file(context, &reader, file, &pattern)).collect();
    context.go_on()?;
    let mut answer = Excerpts::default();
    let mut left = input.k.unwrap_or(MATCHES) as usize;
    for mut place in found.into_iter().flatten() {
        let fits = place.lines.len().min(left);
        answer.left_out += (place.lines.len() - fits) as u32;
        place.lines.truncate(fits);
        left -= fits;
        if fits > 0 {
            answer.places.push(place);
        }
    }
    if answer.left_out > 0 {
        answer.hint = format!(
            "{} more matches; narrow the pattern or the paths, or raise -k.",
            answer.left_out
        );
    }
    Ok(Answer::Excerpts(answer))
}

fn compiled(input: &GrepInput) -> Result<Regex, OpError> {
    if input.pattern.is_empty() {
        return Err(OpError::request("the pattern is empty", "Say what to look for."));
    }
    let pattern = if input.fixed { regex::escape(&input.pattern) } else { input.pattern.clone() };
    RegexBuilder::new(&pattern)
        .case_insensitive(input.ignore_case)
        .size_limit(PATTERN)
        .build()
        .map_err(|error| {
            OpError::request(
                format!("the pattern cannot be read: {error}"),
                "Escape what is meant literally, or say `fixed` (--fixed).",
            )
        })
}

fn is_test(reader: &Reader, file: u32) -> bool {
    reader.catalog.file_flags[file as usize] & contextd_retrieve::catalog::flag::TEST != 0
}

/// Returns the matches of a file, by the definitions that hold them.
fn in_file(context: &Context, reader: &Reader, file: u32, pattern: &Regex) -> Vec<ExcerptPlace> {
    let path = reader.snapshot.file(file).path();
    let texts = context.engine.texts();
    let Some(text) = texts.read_if(path, &|raw| raw.lines().any(|line| pattern.is_match(line)))
    else {
        return Vec::new();
    };
    let mut places: Vec<(Option<u32>, ExcerptPlace)> = Vec::new();
    let matches = (1..).zip(text.scrubbed.lines()).filter(|(_, line)| pattern.is_match(line));
    for (number, line) in matches.take(OF_FILE) {
        let symbol = excerpts::around(reader, file, number);
        let known = places.iter().position(|(other, _)| *other == symbol);
        let at = known.unwrap_or_else(|| {
            places.push((symbol, excerpts::place(reader, file, symbol, &text)));
            places.len() - 1
        });
        places[at].1.lines.push(excerpts::numbered(number, line));
    }
    places.into_iter().map(|(_, place)| place).collect()
}

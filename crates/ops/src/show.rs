//! `show`: numbered bodies of several places at once.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::excerpts::{self, ExcerptPlace, Excerpts, NotFound};
use contextd_engine::Reader;
use contextd_pack::{Texts, Tokenizer, resolve};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Definitions up to so many lines are shown whole when a line inside is asked for.
const WHOLE: u32 = 120;
/// Lines shown around a line of a longer one, or of no definition.
const AROUND: u32 = 30;
/// Most lines of a definition that is asked for by name.
const MOST: u32 = 300;
/// Symbols shown for one name.
const NAMESAKES: usize = 3;
/// Tokens of an answer unless something else is said.
const BUDGET: usize = 6_000;

/// Input of `show`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ShowInput {
    /// `path:line`, `path:first-last`, `path:line,line` or names of symbols
    #[serde(alias = "paths", alias = "symbols")]
    pub places: Vec<String>,
    /// Most tokens of the answer
    #[serde(alias = "maxTokens")]
    pub budget: Option<u64>,
    #[schemars(skip)]
    pub tokenizer: Option<Tokenizer>,
}

/// Lines of a file that are wanted, with the definition that they belong to.
struct Wanted {
    file: u32,
    symbol: Option<u32>,
    first: u32,
    last: u32,
}

pub fn show(context: &Context, input: ShowInput) -> Result<Answer, OpError> {
    if input.places.iter().all(|place| place.trim().is_empty()) {
        return Err(OpError::request(
            "no place is named",
            "Name places such as `src/user.py:40`, `src/user.py:40-80` or `User.save`.",
        ));
    }
    let reader = context.reader()?;
    let mut answer = Excerpts::default();
    let mut wanted: Vec<Wanted> = Vec::new();
    for asked in input.places.iter().map(|place| place.trim()).filter(|place| !place.is_empty()) {
        match places_of(context, &reader, asked) {
            Ok(found) => wanted.extend(found),
            Err(near) => answer.not_found.push(NotFound { asked: asked.to_owned(), near }),
        }
    }
    let tokenizer = input.tokenizer.unwrap_or_default();
    let mut left = input.budget.map_or(BUDGET, |budget| budget as usize);
    for want in &wanted {
        add(context, &reader, want, tokenizer, &mut left, &mut answer);
    }
    if answer.left_out > 0 {
        answer.hint = format!(
            "{} lines left out; ask for fewer places, or give a larger budget.",
            answer.left_out
        );
    }
    Ok(Answer::Excerpts(answer))
}

/// Adds the lines of a place that are not shown yet and fit.
fn add(
    context: &Context,
    reader: &Reader,
    want: &Wanted,
    tokenizer: Tokenizer,
    left: &mut usize,
    answer: &mut Excerpts,
) {
    let file = reader.snapshot.file(want.file);
    let Some(text) = context.engine.texts().read(file.path()) else {
        answer.not_found.push(NotFound { asked: file.path().to_owned(), near: Vec::new() });
        return;
    };
    let shown = |number: u32, answer: &Excerpts| {
        answer.places.iter().any(|place| {
            place.file == file.path() && place.lines.iter().any(|line| line.number == number)
        })
    };
    let mut place: ExcerptPlace = excerpts::place(reader, want.file, want.symbol, &text);
    for (number, line) in (1..).zip(text.scrubbed.lines()) {
        if number < want.first || number > want.last || shown(number, answer) {
            continue;
        }
        let line = excerpts::numbered(number, line);
        let cost = tokenizer.count(&line.text) + 3;
        if cost > *left {
            answer.left_out += want.last.min(file.lines()).saturating_sub(number) + 1;
            break;
        }
        *left -= cost;
        place.lines.push(line);
    }
    if !place.lines.is_empty() {
        answer.places.push(place);
    }
}

/// Returns the lines that a place means; near names when there is none.
fn places_of(context: &Context, reader: &Reader, asked: &str) -> Result<Vec<Wanted>, Vec<String>> {
    if let Some((path, numbers)) = asked.rsplit_once(':')
        && numbers.chars().all(|c| c.is_ascii_digit() || c == ',' || c == '-')
        && !numbers.is_empty()
    {
        let path = crate::packs::relative(context, path);
        let Some(file) = reader.snapshot.find_file(&path) else {
            return Err(near_paths(reader, &path));
        };
        let found = numbers.split(',').filter_map(|part| lines_of(reader, file, part)).collect();
        return Ok(found);
    }
    let path = crate::packs::relative(context, asked);
    if let Some(file) = reader.snapshot.find_file(&path) {
        let last = reader.snapshot.file(file).lines();
        return Ok(vec![Wanted { file, symbol: None, first: 1, last: last.min(MOST) }]);
    }
    let symbols = resolve::symbols(&reader.snapshot, asked)
        .map_err(|_| resolve::suggestions(&reader.snapshot, asked))?;
    Ok(symbols
        .into_iter()
        .take(NAMESAKES)
        .map(|symbol| {
            let of = reader.snapshot.symbol(symbol);
            let (first, last) = (of.start_line(), of.end_line());
            Wanted {
                file: reader.snapshot.file_of(symbol),
                symbol: Some(symbol),
                first,
                last: last.min(first + MOST - 1),
            }
        })
        .collect())
}

/// Returns the lines that `40` or `40-80` means: a single line stands for the definition around it.
fn lines_of(reader: &Reader, file: u32, part: &str) -> Option<Wanted> {
    let end = reader.snapshot.file(file).lines().max(1);
    if let Some((first, last)) = part.split_once('-') {
        let (first, last) = (first.parse::<u32>().ok()?.max(1), last.parse::<u32>().ok()?.min(end));
        let symbol = excerpts::around(reader, file, first);
        return (first <= last).then_some(Wanted { file, symbol, first, last });
    }
    let line = part.parse::<u32>().ok()?.clamp(1, end);
    let symbol = excerpts::around(reader, file, line);
    let whole = symbol.map(|symbol| reader.snapshot.symbol(symbol));
    let (first, last) = match whole.filter(|of| of.line_count() <= WHOLE) {
        Some(of) => (of.start_line(), of.end_line()),
        None => (line.saturating_sub(AROUND).max(1), (line + AROUND).min(end)),
    };
    Some(Wanted { file, symbol, first, last })
}

/// Returns files with the same name, or whose path ends alike.
pub(crate) fn near_paths(reader: &Reader, path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let files = (0..reader.snapshot.file_count()).map(|file| reader.snapshot.file(file).path());
    let mut found: Vec<(bool, &str)> = files
        .filter_map(|other| {
            let last = other.rsplit('/').next().unwrap_or(other);
            let same_stem = last.split('.').next() == Some(stem) && !stem.is_empty();
            (last == name || same_stem).then_some((last != name, other))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().take(5).map(|(_, path)| path.to_owned()).collect()
}

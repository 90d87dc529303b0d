//! Answers → text in a format. Pure: what is in an answer was chosen elsewhere.

mod facts;
mod hits;
mod markdown;
mod parts;
mod safe;
mod text;
mod xml;

pub use safe::safe;
pub use text::{marks, why};

use contextd_ops::Answer;
use contextd_pack::{ContextPack, Tokenizer, canonical};

/// How an answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    Json,
    Markdown,
    Xml,
    #[default]
    Text,
    /// Hits as `query_context` returns them.
    Hits,
}

impl Format {
    pub const ALL: &'static [Format] = &[Format::Json, Format::Markdown, Format::Xml, Format::Text, Format::Hits];

    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Markdown => "markdown",
            Format::Xml => "xml",
            Format::Text => "text",
            Format::Hits => "hits",
        }
    }

    /// Returns the format of that name.
    pub fn by_name(name: &str) -> Option<Format> {
        Self::ALL.iter().copied().find(|format| format.name() == name)
    }
}

/// Writes a pack in a format by name; this is what budgets are counted on.
pub fn pack(pack: &ContextPack, format: &str) -> Option<String> {
    Some(match format {
        "json" => canonical::to_string(pack),
        "markdown" => markdown::pack(pack),
        "xml" => xml::pack(pack),
        "text" => text::pack(pack),
        "hits" => canonical::to_string(&hits::wire(&contextd_ops::hits(pack, Tokenizer::Estimate))),
        "hits-text" => hits::text(&contextd_ops::hits(pack, Tokenizer::Estimate)),
        _ => return None,
    })
}

/// Writes an answer; a format that an answer does not have is written as text.
pub fn answer(answer: &Answer, format: Format) -> String {
    match (answer, format) {
        (Answer::Pack(own), format) => pack(own, format.name()).unwrap_or_default(),
        (Answer::Hits(own), Format::Hits) => canonical::to_string(&hits::wire(own)),
        (_, Format::Json) => canonical::to_string(&answer.to_json()),
        (Answer::Hits(own), Format::Xml) => xml::hits(own),
        (Answer::Hits(own), _) => hits::text(own),
        (Answer::Symbol(own), _) => parts::symbol(own),
        (Answer::Why(own), _) => parts::why(own),
        (Answer::Impact(own), _) => parts::impact(own),
        (Answer::Diff(own), _) => parts::diff(own),
        (Answer::Lines(lines), _) => lines.iter().map(|line| safe(line)).collect::<Vec<_>>().join("\n"),
        (Answer::Facts(value, _), _) => facts::text(value),
    }
}

//! Answers → text in a format. Pure: what is in an answer was chosen elsewhere.

mod facts;
mod hits;
mod markdown;
mod oracle;
mod parts;
mod safe;
mod scope;
mod text;
mod xml;

pub use parts::why_not;
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
    /// The bundle of a declared ref, as JSON.
    Bundle,
    /// Graphs for Mermaid.
    Mermaid,
    /// Graphs for Graphviz.
    Dot,
    /// Findings as annotations of a workflow run.
    Github,
    /// Findings as SARIF.
    Sarif,
    /// One line each, tabs between the parts.
    Porcelain,
    /// Lines that a test runner takes, by its name.
    Runner(&'static str),
}

impl Format {
    pub const ALL: &'static [Format] = &[Format::Json, Format::Markdown, Format::Xml, Format::Text, Format::Hits, Format::Bundle, Format::Mermaid, Format::Dot, Format::Github, Format::Sarif, Format::Porcelain];

    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Markdown => "markdown",
            Format::Xml => "xml",
            Format::Text => "text",
            Format::Hits => "hits",
            Format::Bundle => "bundle",
            Format::Mermaid => "mermaid",
            Format::Dot => "dot",
            Format::Github => "github",
            Format::Sarif => "sarif",
            Format::Porcelain => "porcelain",
            Format::Runner(name) => name,
        }
    }

    /// Returns the format of that name.
    pub fn by_name(name: &str) -> Option<Format> {
        let runner = || contextd_ops::RUNNER_FORMATS.iter().find(|known| **known == name).map(|known| Format::Runner(known));
        Self::ALL.iter().copied().find(|format| format.name() == name).or_else(runner)
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
        (Answer::Oracle(own), format) => oracle::text(own, format),
        (_, Format::Json) => canonical::to_string(&answer.to_json()),
        (Answer::Hits(own), Format::Xml) => xml::hits(own),
        (Answer::Hits(own), _) => hits::text(own),
        (Answer::Symbol(own), _) => parts::symbol(own),
        (Answer::Why(own), _) => parts::why(own),
        (Answer::Impact(own), _) => scope::impact(own),
        (Answer::Diff(own), _) => parts::diff(own),
        (Answer::Tests(own), _) => scope::tests(own),
        (Answer::Lines(lines), _) => lines.iter().map(|line| safe(line)).collect::<Vec<_>>().join("\n"),
        (Answer::Facts(value, _), _) => facts::text(value),
    }
}

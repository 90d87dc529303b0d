//! Answers → text in a format. Pure: what is in an answer was chosen elsewhere.

// No files, environment, processes or clocks: the lists are in clippy.toml.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod excerpts;
pub mod facts;
pub mod gcb;
pub mod gcf;
pub mod graph;
mod hits;
mod map;
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

/// Declares the formats, a line each: variant, name, and how a pack is written in it.
macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident $name:literal $write:expr;)+) => {
        /// How an answer is written.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum Format {
            $($(#[$doc])* $variant,)+
            /// Lines that a test runner takes, by its name.
            Runner(&'static str),
        }

        impl Format {
            pub const ALL: &'static [Format] = &[$(Format::$variant),+];

            pub fn name(self) -> &'static str {
                match self { $(Format::$variant => $name,)+ Format::Runner(name) => name }
            }

            fn writer(self) -> Option<fn(&ContextPack) -> String> {
                match self { $(Format::$variant => $write,)+ Format::Runner(_) => None }
            }
        }
    };
}

formats! {
    Json "json" Some(canonical::to_string);
    Markdown "markdown" Some(markdown::pack);
    Xml "xml" Some(xml::pack);
    #[default]
    Text "text" Some(text::pack);
    /// Hits as `query_context` returns them.
    Hits "hits" Some(hits::of_pack);
    /// The graph compact format: whole, or what is new to a caller that has packs.
    Gcf "gcf" Some(gcf::pack);
    /// The same in pieces, with its counts at the end.
    GcfStream "gcf-stream" Some(gcf::streamed);
    /// The graph binary format, as base64 where bytes cannot be written.
    Gcb "gcb" Some(gcb::base64);
    /// CodeGraphContext; it is made from the index, not from a pack.
    CodeGraph "codegraph" None;
    /// The bundle of a declared ref, as JSON.
    Bundle "bundle" None;
    /// Graphs for Mermaid.
    Mermaid "mermaid" None;
    /// Graphs for Graphviz.
    Dot "dot" None;
    /// Findings as annotations of a workflow run.
    Github "github" None;
    /// Findings as SARIF.
    Sarif "sarif" None;
    /// One line each, tabs between the parts.
    Porcelain "porcelain" None;
}

impl Format {
    /// True when packs can be written in it.
    pub fn writes_packs(self) -> bool {
        self.writer().is_some()
    }

    /// Returns the format of that name.
    pub fn by_name(name: &str) -> Option<Format> {
        let runner = || {
            contextd_ops::RUNNER_FORMATS
                .iter()
                .find(|known| **known == name)
                .map(|known| Format::Runner(known))
        };
        Self::ALL.iter().copied().find(|format| format.name() == name).or_else(runner)
    }
}

/// Writes a pack in a format by name; this is what budgets are counted on.
pub fn pack(pack: &ContextPack, format: &str) -> Option<String> {
    match Format::by_name(format) {
        Some(format) => format.writer().map(|write| write(pack)),
        None if format == "hits-text" => {
            Some(hits::text(&contextd_ops::hits(pack, Tokenizer::Estimate)))
        }
        None => None,
    }
}

/// Writes an answer; a format that an answer does not have is written as text.
pub fn answer(answer: &Answer, format: Format) -> String {
    match (answer, format) {
        (Answer::Pack(own), format) => pack(own, format.name()).unwrap_or_default(),
        (Answer::Hits(own), Format::Hits) => canonical::to_string(&hits::wire(own)),
        (Answer::Oracle(own), format) => oracle::text(own, format),
        (_, Format::Json | Format::CodeGraph) => canonical::to_string(&answer.to_json()),
        (Answer::Hits(own), Format::Xml) => xml::hits(own),
        (Answer::Hits(own), _) => hits::text(own),
        (Answer::Symbol(own), _) => parts::symbol(own),
        (Answer::Why(own), _) => parts::why(own),
        (Answer::Impact(own), _) => scope::impact(own),
        (Answer::Diff(own), _) => parts::diff(own),
        (Answer::Tests(own), _) => scope::tests(own),
        (Answer::Excerpts(own), _) => excerpts::text(own),
        (Answer::Lines(lines), _) => {
            lines.iter().map(|line| safe(line)).collect::<Vec<_>>().join("\n")
        }
        (Answer::Facts(value, _), _) => facts::text(value),
    }
}

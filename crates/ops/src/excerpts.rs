//! Lines of files under the definitions that hold them: the answer of `show` and `grep`.

use contextd_engine::Reader;
use contextd_pack::texts::FileText;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lines of files, each under its definition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Excerpts {
    pub places: Vec<ExcerptPlace>,
    /// What was asked for and is not there, each with near names that exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_found: Vec<NotFound>,
    /// Lines or matches that did not fit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
    /// How to get what was left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
}

/// A definition, or lines outside of any, with some of its lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExcerptPlace {
    pub file: String,
    /// Name with its scopes; empty for lines that no definition holds.
    pub symbol: String,
    pub kind: String,
    pub start_line: u32,
    pub end_line: u32,
    /// In rising order; a gap means that lines were left out.
    pub lines: Vec<NumberedLine>,
    /// The file on disk has changed since it was indexed; the lines are those of now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

/// A line with its number in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NumberedLine {
    pub number: u32,
    pub text: String,
}

/// A name or place that is not there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotFound {
    pub asked: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Returns a line of a file as it is shown.
pub(crate) fn numbered(number: u32, text: &str) -> NumberedLine {
    NumberedLine { number, text: contextd_pack::shortened(text) }
}

/// Returns the innermost definition of a file around a line: name, kind and lines.
pub(crate) fn around(reader: &Reader, file: u32, line: u32) -> Option<u32> {
    let holds = |&symbol: &u32| {
        let of = reader.snapshot.symbol(symbol);
        reader.catalog.is_code(symbol) && of.start_line() <= line && line <= of.end_line()
    };
    reader.snapshot.symbols_of_file(file).skip(1).filter(holds).last()
}

/// Returns a place without lines for a definition, or for the whole file.
pub(crate) fn place(
    reader: &Reader,
    file: u32,
    symbol: Option<u32>,
    text: &FileText,
) -> ExcerptPlace {
    let of_file = reader.snapshot.file(file);
    let stale = text.hash != of_file.hash();
    let file = of_file.path().to_owned();
    match symbol.map(|symbol| reader.snapshot.symbol(symbol)) {
        Some(of) => ExcerptPlace {
            file,
            symbol: of.qualified().into_owned(),
            kind: of.kind().name().to_owned(),
            start_line: of.start_line(),
            end_line: of.end_line(),
            lines: Vec::new(),
            stale,
        },
        None => ExcerptPlace {
            file,
            kind: "file".to_owned(),
            start_line: 1,
            end_line: of_file.lines(),
            stale,
            ..ExcerptPlace::default()
        },
    }
}

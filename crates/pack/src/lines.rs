//! The layer that packs read, as JSON lines: files, their symbols and edges, in the order of the index.

use crate::error::PackError;
use crate::layer::{Detail, Layer};
use contextd_lang::LanguageId;
use contextd_model::graph::EdgeRow;
use contextd_model::{ContentHash, EdgeKind, Provenance, SymbolKind, Visibility};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "record", rename_all = "camelCase")]
pub enum LayerLine {
    File(FileLine),
    Symbol(SymbolLine),
    Edge(EdgeLine),
}

/// A file; the symbols after it, up to the next file, are its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileLine {
    pub path: String,
    /// BLAKE3 of the original bytes, in hexadecimal digits.
    pub hash: String,
    pub language: String,
}

/// A symbol; the first of a file is the file itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SymbolLine {
    pub name: String,
    pub qualified_name: String,
    pub kind: String,
    pub visibility: String,
    pub modifiers: u32,
    pub start_line: u32,
    pub end_line: u32,
    /// Number of the enclosing symbol, counted over the whole index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// Bytes of the scrubbed file.
    pub start: u32,
    pub end: u32,
    pub doc_start: u32,
    pub complexity: u16,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
}

/// An edge between two symbols, by their numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EdgeLine {
    pub from: u32,
    pub to: u32,
    pub kind: String,
    /// Percent.
    pub confidence: u8,
    pub provenance: String,
    pub line: u32,
    pub count: u8,
}

impl LayerLine {
    /// Returns the line as JSON.
    pub fn to_json(&self) -> String {
        // The records hold strings and numbers, which all have a form in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads what [`LayerLine::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<LayerLine, PackError> {
        serde_json::from_str(text).map_err(|error| PackError::Request {
            message: format!("a line of the layer cannot be read: {error}"),
            remedy: "Export the layer again.".to_owned(),
        })
    }
}

/// Hands every line of a layer to `each`, files with their symbols first, then edges.
pub fn lines(layer: &dyn Layer, each: &mut dyn FnMut(LayerLine)) {
    for file in 0..layer.files() {
        each(LayerLine::File(FileLine {
            path: layer.file_path(file).to_owned(),
            hash: layer.file_hash(file).to_hex(),
            language: LanguageId(layer.file_language(file)).name().to_owned(),
        }));
        layer.file_range(file).for_each(|symbol| each(LayerLine::Symbol(line_of(layer, symbol))));
    }
    for from in 0..layer.symbols() {
        for edge in layer.out(from) {
            each(LayerLine::Edge(EdgeLine {
                from,
                to: edge.target,
                kind: edge.kind().name().to_owned(),
                confidence: edge.confidence,
                provenance: edge.provenance().name().to_owned(),
                line: edge.line,
                count: edge.count,
            }));
        }
    }
}

fn line_of(layer: &dyn Layer, symbol: u32) -> SymbolLine {
    let (detail, (start_line, end_line)) = (layer.detail(symbol), layer.lines(symbol));
    SymbolLine {
        name: layer.name(symbol).into_owned(),
        qualified_name: layer.qualified(symbol).into_owned(),
        kind: layer.kind(symbol).name().to_owned(),
        visibility: layer.visibility(symbol).name().to_owned(),
        modifiers: layer.modifiers(symbol),
        start_line,
        end_line,
        parent: layer.parent(symbol),
        start: detail.start,
        end: detail.end,
        doc_start: detail.doc_start,
        complexity: detail.complexity,
        signature: detail.signature,
        doc: detail.doc,
    }
}

/// A layer that was read from lines.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    files: Vec<(FileLine, ContentHash, u8, u32)>,
    symbols: Vec<SymbolLine>,
    /// File of each symbol.
    owners: Vec<u32>,
    edges: Vec<EdgeRow>,
    /// Where the edges of each symbol start.
    starts: Vec<u32>,
    incoming: Vec<Vec<(u32, EdgeRow)>>,
    names: BTreeMap<String, Vec<u32>>,
}

impl Lines {
    /// Puts a layer together; a line that does not fit what came before it is refused.
    pub fn read(records: impl IntoIterator<Item = LayerLine>) -> Result<Lines, PackError> {
        let bad = |message: String| PackError::Request {
            message,
            remedy: "Export the layer again.".to_owned(),
        };
        let mut own = Lines::default();
        let mut rows: Vec<(u32, EdgeRow)> = Vec::new();
        for record in records {
            match record {
                LayerLine::File(file) => {
                    let hash = ContentHash::from_hex(&file.hash)
                        .ok_or_else(|| bad(format!("`{}` is no hash", file.hash)))?;
                    let language = LanguageId::by_name(&file.language)
                        .ok_or_else(|| bad(format!("there is no language `{}`", file.language)))?;
                    own.files.push((file, hash, language.0, own.symbols.len() as u32));
                }
                LayerLine::Symbol(symbol) => {
                    let file = (own.files.len() as u32)
                        .checked_sub(1)
                        .ok_or_else(|| bad("a symbol stands before the first file".to_owned()))?;
                    own.names
                        .entry(symbol.name.to_lowercase())
                        .or_default()
                        .push(own.symbols.len() as u32);
                    own.owners.push(file);
                    own.symbols.push(symbol);
                }
                LayerLine::Edge(edge) => rows.push((
                    edge.from,
                    row(&edge).ok_or_else(|| {
                        bad(format!("an edge of kind `{}` cannot be read", edge.kind))
                    })?,
                )),
            }
        }
        let count = own.symbols.len() as u32;
        if rows.iter().any(|(from, edge)| *from >= count || edge.target >= count)
            || !rows.is_sorted_by_key(|(from, _)| *from)
        {
            return Err(bad(
                "edges name symbols that are not there, or stand out of order".to_owned()
            ));
        }
        own.index(rows);
        Ok(own)
    }

    fn index(&mut self, rows: Vec<(u32, EdgeRow)>) {
        self.incoming = vec![Vec::new(); self.symbols.len()];
        self.starts = (0..=self.symbols.len() as u32)
            .map(|symbol| rows.partition_point(|(from, _)| *from < symbol) as u32)
            .collect();
        for (from, edge) in rows {
            self.incoming[edge.target as usize].push((from, edge));
            self.edges.push(edge);
        }
    }

    fn symbol(&self, symbol: u32) -> &SymbolLine {
        &self.symbols[symbol as usize]
    }
}

fn row(edge: &EdgeLine) -> Option<EdgeRow> {
    Some(EdgeRow {
        target: edge.to,
        line: edge.line,
        kind: EdgeKind::from_name(&edge.kind)? as u8,
        confidence: edge.confidence,
        provenance: Provenance::from_name(&edge.provenance)? as u8,
        count: edge.count,
    })
}

impl Layer for Lines {
    fn files(&self) -> u32 {
        self.files.len() as u32
    }

    fn file_path(&self, file: u32) -> &str {
        &self.files[file as usize].0.path
    }

    fn file_hash(&self, file: u32) -> ContentHash {
        self.files[file as usize].1
    }

    fn file_language(&self, file: u32) -> u8 {
        self.files[file as usize].2
    }

    fn file_range(&self, file: u32) -> Range<u32> {
        let end =
            self.files.get(file as usize + 1).map_or(self.symbols.len() as u32, |next| next.3);
        self.files[file as usize].3..end
    }

    fn find_path(&self, path: &str) -> Option<u32> {
        self.files.iter().position(|(file, ..)| file.path == path).map(|at| at as u32)
    }

    fn symbols(&self) -> u32 {
        self.symbols.len() as u32
    }

    fn file_number(&self, symbol: u32) -> u32 {
        self.owners[symbol as usize]
    }

    fn name(&self, symbol: u32) -> Cow<'_, str> {
        Cow::Borrowed(&self.symbol(symbol).name)
    }

    fn qualified(&self, symbol: u32) -> Cow<'_, str> {
        Cow::Borrowed(&self.symbol(symbol).qualified_name)
    }

    fn kind(&self, symbol: u32) -> SymbolKind {
        SymbolKind::from_name(&self.symbol(symbol).kind).unwrap_or(SymbolKind::File)
    }

    fn visibility(&self, symbol: u32) -> Visibility {
        Visibility::from_name(&self.symbol(symbol).visibility).unwrap_or(Visibility::Unknown)
    }

    fn modifiers(&self, symbol: u32) -> u32 {
        self.symbol(symbol).modifiers
    }

    fn lines(&self, symbol: u32) -> (u32, u32) {
        let line = self.symbol(symbol);
        (line.start_line, line.end_line)
    }

    fn parent(&self, symbol: u32) -> Option<u32> {
        self.symbol(symbol).parent
    }

    fn detail(&self, symbol: u32) -> Detail {
        let line = self.symbol(symbol);
        Detail {
            start: line.start,
            end: line.end,
            doc_start: line.doc_start,
            complexity: line.complexity,
            signature: line.signature.clone(),
            doc: line.doc.clone(),
        }
    }

    fn named(&self, name: &str) -> Vec<u32> {
        self.named_like(name)
            .into_iter()
            .filter(|&symbol| self.symbol(symbol).name == name)
            .collect()
    }

    fn named_like(&self, name: &str) -> Vec<u32> {
        self.names.get(&name.to_lowercase()).cloned().unwrap_or_default()
    }

    fn with_prefix(&self, prefix: &str, limit: usize) -> Vec<u32> {
        let prefix = prefix.to_lowercase();
        let mut found: Vec<u32> = self
            .names
            .range(prefix.clone()..)
            .take_while(|(name, _)| name.starts_with(&prefix))
            .flat_map(|(_, symbols)| symbols.iter().copied())
            .collect();
        found.sort_unstable();
        found.truncate(limit);
        found
    }

    fn out(&self, symbol: u32) -> Box<dyn Iterator<Item = EdgeRow> + '_> {
        Box::new(
            self.edges
                [self.starts[symbol as usize] as usize..self.starts[symbol as usize + 1] as usize]
                .iter()
                .copied(),
        )
    }

    fn incoming(&self, symbol: u32) -> Box<dyn Iterator<Item = (u32, EdgeRow)> + '_> {
        Box::new(self.incoming[symbol as usize].iter().copied())
    }

    fn sources(&self, symbol: u32) -> usize {
        let mut sources: Vec<u32> =
            self.incoming[symbol as usize].iter().map(|(source, _)| *source).collect();
        sources.dedup();
        sources.len()
    }
}

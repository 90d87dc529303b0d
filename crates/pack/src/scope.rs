//! Which symbols a request wants at all.

use crate::error::PackError;
use crate::layer::Layer;
use crate::request::Scope;
use contextd_lang::LanguageId;
use contextd_model::SymbolKind;
use globset::{Glob, GlobSet, GlobSetBuilder};

/// A compiled [`Scope`].
pub struct Filter {
    paths: Option<GlobSet>,
    exclude: GlobSet,
    languages: Vec<String>,
    kinds: Vec<String>,
    pub min_score: f64,
}

impl Filter {
    /// Compiles a scope; a pattern that cannot be read is an error that names it.
    pub fn new(scope: &Scope) -> Result<Filter, PackError> {
        let paths = if scope.paths.is_empty() { None } else { Some(globs(&scope.paths)?) };
        let languages: Vec<String> =
            scope.languages.iter().map(|name| name.to_lowercase()).collect();
        if let Some(unknown) = languages.iter().find(|name| LanguageId::by_name(name).is_none()) {
            let known: Vec<&str> = LanguageId::all().map(LanguageId::name).collect();
            return Err(PackError::Request {
                message: format!("there is no language `{unknown}`"),
                remedy: format!("Known: {}.", known.join(", ")),
            });
        }
        let kinds: Vec<String> = scope.kinds.iter().map(|kind| kind.to_lowercase()).collect();
        if let Some(unknown) = kinds.iter().find(|kind| !is_kind(kind)) {
            let known: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.name()).collect();
            return Err(PackError::Request {
                message: format!("there is no kind `{unknown}`"),
                remedy: format!(
                    "Known: {}; or a kind of chunk such as CODE_FUNCTION.",
                    known.join(", ")
                ),
            });
        }
        Ok(Filter {
            paths,
            exclude: globs(&scope.exclude)?,
            languages,
            kinds,
            min_score: scope.min_score.unwrap_or(0.0),
        })
    }

    /// True when the file may be shown.
    pub fn allows_path(&self, path: &str) -> bool {
        self.paths.as_ref().is_none_or(|paths| paths.is_match(path)) && !self.exclude.is_match(path)
    }

    /// True when the symbol may be shown.
    pub fn allows(&self, layer: &dyn Layer, symbol: u32) -> bool {
        let language = layer.language(symbol);
        let own = layer.kind(symbol);
        self.allows_path(layer.path(symbol))
            && (self.languages.is_empty() || self.languages.iter().any(|name| name == language))
            && (self.kinds.is_empty()
                || self.kinds.iter().any(|kind| {
                    kind == own.name() || *kind == chunk_kind(own, language).to_lowercase()
                }))
    }
}

fn is_kind(kind: &str) -> bool {
    SymbolKind::from_name(kind).is_some()
        || contextd_model::ChunkKind::ALL
            .iter()
            .any(|chunk| chunk.name().eq_ignore_ascii_case(kind))
}

/// Returns the kind of chunk that shows a symbol.
pub fn chunk_kind(kind: SymbolKind, language: &str) -> &'static str {
    match kind {
        SymbolKind::Section => "MARKDOWN_SECTION",
        SymbolKind::Table | SymbolKind::Statement => "SQL_STATEMENT",
        SymbolKind::Key if language == "yaml" => "YAML_BLOCK",
        kind if kind.is_callable() => "CODE_FUNCTION",
        kind if kind.is_type() => "CODE_CLASS",
        SymbolKind::File if matches!(language, "markdown" | "text") => "PARAGRAPH",
        _ => "CODE_BLOCK",
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet, PackError> {
    let mut set = GlobSetBuilder::new();
    let bad = |error: globset::Error| PackError::Request {
        message: format!("a path pattern cannot be read: {error}"),
        remedy: "Write a folder (`src/api`) or a glob (`src/**/*.rs`).".to_owned(),
    };
    for pattern in patterns {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        // A folder stands for what is below it, a bare file name for that file anywhere.
        for form in [pattern.to_owned(), format!("{pattern}/**"), format!("**/{pattern}")] {
            // Folders may be called `[id]`: what is no glob stands for itself.
            set.add(Glob::new(&form).or_else(|_| Glob::new(&globset::escape(&form))).map_err(bad)?);
        }
    }
    set.build().map_err(bad)
}

/// Returns the kind of symbol with that name; what is unknown counts as a file.
pub fn symbol_kind(name: &str) -> SymbolKind {
    SymbolKind::from_name(name).unwrap_or(SymbolKind::File)
}

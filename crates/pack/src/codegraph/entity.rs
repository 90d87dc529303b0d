//! A symbol → an entity: its interface, how it can be tested, who uses it.

use super::keys::{Keys, module_path};
use super::walk::Reached;
use super::{
    Entity, Field, InterfaceSignature, LineRange, LspMetadata, Parameter, SemanticTokens,
    Signature, TddClassification, TraitImpls, TypeInformation, UsageAnalysis, formulas,
};
use crate::layer::Layer;
use contextd_lang::LanguageId;
use contextd_model::facts::{FactsView, SymbolRow, base_kind, binding, modifier};
use contextd_model::{EdgeKind, SymbolKind, Visibility};
use contextd_snapshot::{LinkRows, Snapshot, Wanted};
use std::collections::{BTreeMap, BTreeSet};

/// Fields, files of call sites and imports that are named.
const FIELDS: usize = 60;
const CALL_SITES: usize = 20;
const IMPORTS: usize = 12;

/// Describes what was reached, in that order; each file's facts are read once.
pub fn entities(snapshot: &Snapshot, keys: &Keys<'_>, reached: &[Reached]) -> Vec<Entity> {
    let mut by_file: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, entity) in reached.iter().enumerate() {
        by_file.entry(snapshot.file_of(entity.symbol)).or_default().push(at);
    }
    let mut made: BTreeMap<usize, Entity> = BTreeMap::new();
    for (file, places) in by_file {
        let mut rows = LinkRows::default();
        let Some(facts) = snapshot.file(file).facts(Wanted::All, &mut rows) else { continue };
        let first = snapshot.symbols_of_file(file).start;
        for at in places {
            let local = reached[at].symbol - first;
            if let Some(row) = facts.symbols.get(local as usize) {
                let maker =
                    Maker { snapshot, facts: &facts, first, local, row, reached: &reached[at] };
                made.insert(at, maker.entity(keys));
            }
        }
    }
    made.into_values().collect()
}

struct Maker<'a> {
    snapshot: &'a Snapshot,
    facts: &'a FactsView<'a>,
    /// Global number of the file's first symbol.
    first: u32,
    local: u32,
    row: &'a SymbolRow,
    reached: &'a Reached,
}

impl Maker<'_> {
    fn entity(&self, keys: &Keys<'_>) -> Entity {
        let symbol = self.snapshot.symbol(self.reached.symbol);
        let kind = self.row.kind();
        Entity {
            isgl1_key: keys.key(self.reached.symbol),
            interface_signature: InterfaceSignature {
                entity_type: kind.name().to_owned(),
                name: self.facts.str(self.row.name).to_owned(),
                visibility: self.row.visibility().name().to_owned(),
                file_path: symbol.path().to_owned(),
                line_range: LineRange { start: self.row.start_line, end: self.row.end_line },
                signature: self.signature(kind),
                module_path: module_path(symbol.path()),
                documentation: self.facts.str(self.row.doc).trim().to_owned(),
            },
            tdd_classification: self.tdd(kind),
            lsp_metadata: Some(self.lsp(kind)),
            relevance_score: self.reached.relevance,
            dependency_level: self.reached.level,
        }
    }

    fn signature(&self, kind: SymbolKind) -> Signature {
        let generics = self.generics();
        if kind.is_callable() {
            return Signature::Callable {
                parameters: self.parameters(),
                return_type: self.facts.str(self.row.type_text).to_owned(),
                is_async: self.row.has(modifier::ASYNC),
                is_unsafe: self.row.has(modifier::UNSAFE),
                is_const: self.row.has(modifier::CONST),
                generics,
            };
        }
        if kind.is_type() {
            let (explicit, derived) = self.bases();
            return Signature::Type {
                fields: self.fields(),
                generics,
                traits: explicit.into_iter().chain(derived).collect(),
            };
        }
        Signature::Value { type_text: self.facts.str(self.row.type_text).to_owned() }
    }

    fn generics(&self) -> Vec<String> {
        split_outside(self.facts.str(self.row.generics))
    }

    fn parameters(&self) -> Vec<Parameter> {
        let own = self
            .facts
            .bindings
            .iter()
            .filter(|row| row.owner == self.local && row.how == binding::PARAMETER);
        let mut rows: Vec<_> = own.collect();
        rows.sort_by_key(|row| row.position);
        rows.into_iter()
            .map(|row| {
                let type_text = self.facts.str(row.type_text).to_owned();
                let pattern = if row.flags & 1 != 0 { "variadic" } else { pattern(&type_text) };
                Parameter {
                    name: self.facts.str(row.name).to_owned(),
                    pattern: pattern.to_owned(),
                    type_text,
                }
            })
            .collect()
    }

    fn children(&self) -> impl Iterator<Item = &SymbolRow> {
        self.facts.symbols.iter().filter(|row| row.parent == self.local)
    }

    fn fields(&self) -> Vec<Field> {
        let data = self.children().filter(|row| {
            matches!(row.kind(), SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant)
        });
        data.take(FIELDS)
            .map(|row| Field {
                name: self.facts.str(row.name).to_owned(),
                type_text: self.facts.str(row.type_text).to_owned(),
                visibility: row.visibility().name().to_owned(),
            })
            .collect()
    }

    /// Bases as written: those that stand in the declaration, and those mixed in or derived.
    fn bases(&self) -> (Vec<String>, Vec<String>) {
        let (mut explicit, mut derived) = (Vec::new(), Vec::new());
        for row in self.facts.bases.iter().filter(|row| row.owner == self.local) {
            let name = self.facts.str(row.name).to_owned();
            if row.kind == base_kind::MIXIN { derived.push(name) } else { explicit.push(name) }
        }
        let graph = self.snapshot.graph();
        let linked = graph
            .out(self.reached.symbol)
            .iter()
            .filter(|edge| matches!(edge.kind(), EdgeKind::Implements | EdgeKind::Extends));
        for name in linked.map(|edge| self.snapshot.symbol(edge.target).name().to_owned()) {
            if !explicit.contains(&name) && !derived.contains(&name) {
                explicit.push(name);
            }
        }
        (explicit, derived)
    }

    fn tdd(&self, kind: SymbolKind) -> TddClassification {
        let graph = self.snapshot.graph();
        let symbol = self.reached.symbol;
        let dependencies = graph
            .out(symbol)
            .iter()
            .filter(|edge| !edge.kind().is_structural())
            .map(|edge| edge.target)
            .collect::<BTreeSet<u32>>()
            .len() as u32;
        let tests =
            graph.sources(symbol).filter(|&source| Layer::is_test(self.snapshot, source)).count();
        let references = graph.sources(symbol).len();
        let complexity = formulas::complexity(
            kind.is_callable().then_some(self.row.complexity),
            self.children().count(),
        );
        let coverage = formulas::coverage(tests);
        TddClassification {
            testability: formulas::testability(
                dependencies,
                complexity,
                self.row.visibility() == Visibility::Private,
            )
            .to_owned(),
            complexity: complexity.to_owned(),
            dependencies,
            test_coverage_estimate: coverage,
            critical_path: self.reached.critical,
            change_risk: formulas::risk(
                references,
                coverage,
                self.row.visibility() == Visibility::Public,
            )
            .to_owned(),
        }
    }

    fn lsp(&self, kind: SymbolKind) -> LspMetadata {
        let (explicit, inferred) = self.bases();
        let trait_impls = (kind.is_type() && !(explicit.is_empty() && inferred.is_empty()))
            .then_some(TraitImpls { inferred, explicit });
        LspMetadata {
            type_information: TypeInformation { resolved_types: self.resolved(kind), trait_impls },
            usage_analysis: self.usage(),
            semantic_tokens: self.tokens(kind),
        }
    }

    /// Names of parameters and fields, and `return`, with what their types resolve to.
    fn resolved(&self, kind: SymbolKind) -> BTreeMap<String, String> {
        let mut texts: Vec<(String, String)> = Vec::new();
        if kind.is_callable() {
            texts.extend(
                self.parameters()
                    .into_iter()
                    .map(|parameter| (parameter.name, parameter.type_text)),
            );
            texts.push(("return".to_owned(), self.facts.str(self.row.type_text).to_owned()));
        } else if kind.is_type() {
            texts.extend(self.fields().into_iter().map(|field| (field.name, field.type_text)));
        }
        texts.into_iter().filter_map(|(name, text)| Some((name, self.resolve(&text)?))).collect()
    }

    /// Finds the first word of a type text that the graph or an import explains.
    fn resolve(&self, text: &str) -> Option<String> {
        let words = text
            .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .filter(|word| !word.is_empty());
        words.into_iter().find_map(|word| self.in_graph(word).or_else(|| self.in_imports(word)))
    }

    fn in_graph(&self, word: &str) -> Option<String> {
        let snapshot = self.snapshot;
        let own = std::iter::once(self.reached.symbol).chain(
            self.facts
                .symbols
                .iter()
                .enumerate()
                .filter(|(_, row)| row.parent == self.local)
                .map(|(at, _)| self.first + at as u32),
        );
        let mut edges = own
            .flat_map(|symbol| snapshot.graph().out(symbol))
            .filter(|edge| matches!(edge.kind(), EdgeKind::TypeHintOf | EdgeKind::References));
        edges
            .find(|edge| {
                snapshot.symbol(edge.target).name() == word
                    && snapshot.symbol(edge.target).kind().is_type()
            })
            .map(|edge| {
                let target = snapshot.symbol(edge.target);
                format!("{}::{}", module_path(target.path()).join("::"), target.qualified())
            })
    }

    fn in_imports(&self, word: &str) -> Option<String> {
        let import = self.facts.imports.iter().find(|row| {
            self.facts.str(row.alias) == word && !self.facts.str(row.module).is_empty()
        })?;
        let (module, name) = (self.facts.str(import.module), self.facts.str(import.name));
        Some(if name.is_empty() { module.to_owned() } else { format!("{module}::{name}") })
    }

    fn usage(&self) -> UsageAnalysis {
        let (snapshot, symbol) = (self.snapshot, self.reached.symbol);
        let callers = snapshot
            .graph()
            .incoming(symbol)
            .filter(|(_, edge)| edge.kind() == EdgeKind::Calls)
            .map(|(source, _)| snapshot.symbol(source).path().to_owned());
        let files: BTreeSet<String> = callers.collect();
        UsageAnalysis {
            references: snapshot.graph().sources(symbol).len() as u32,
            call_sites: files.into_iter().take(CALL_SITES).collect(),
            imports: self.imports(),
        }
    }

    /// Imports whose name the entity mentions, as they are written in the language.
    fn imports(&self) -> Vec<String> {
        let within = |owner: u32| {
            owner == self.local
                || self
                    .facts
                    .symbols
                    .get(owner as usize)
                    .is_some_and(|row| row.parent == self.local)
        };
        let mut mentioned: BTreeSet<&str> = BTreeSet::new();
        for row in self.facts.refs.iter().filter(|row| within(row.owner)) {
            mentioned.insert(self.facts.str(row.name));
            mentioned.insert(self.facts.str(row.qualifier).split('.').next().unwrap_or_default());
        }
        let language = LanguageId(self.facts.language).name();
        let used = self.facts.imports.iter().filter(|row| {
            !self.facts.str(row.alias).is_empty() && mentioned.contains(self.facts.str(row.alias))
        });
        let lines: BTreeSet<String> = used
            .map(|row| import_line(language, self.facts.str(row.module), self.facts.str(row.name)))
            .collect();
        lines.into_iter().take(IMPORTS).collect()
    }

    fn tokens(&self, kind: SymbolKind) -> SemanticTokens {
        let names = [
            (modifier::ASYNC, "async"),
            (modifier::STATIC, "static"),
            (modifier::CONST, "const"),
            (modifier::UNSAFE, "unsafe"),
            (modifier::ABSTRACT, "abstract"),
            (modifier::DEPRECATED, "deprecated"),
            (modifier::TEST, "test"),
        ];
        let visible = self.row.visibility();
        let mut modifier: Vec<String> = if visible == Visibility::Unknown {
            Vec::new()
        } else {
            vec![visible.name().to_owned()]
        };
        modifier.push("declaration".to_owned());
        modifier.extend(
            names.iter().filter(|(bit, _)| self.row.has(*bit)).map(|(_, name)| (*name).to_owned()),
        );
        SemanticTokens { token_type: kind.name().to_owned(), modifier }
    }
}

fn pattern(type_text: &str) -> &'static str {
    let text = type_text.trim_start();
    let borrowed = text.strip_prefix('&').map(|rest| {
        if rest.trim_start().starts_with('\'') {
            rest.trim_start().split_once(' ').map_or("", |(_, rest)| rest)
        } else {
            rest
        }
    });
    match borrowed {
        Some(rest) if rest.trim_start().starts_with("mut ") => "borrowed_mut",
        Some(_) => "borrowed",
        None if text.starts_with('*') => "pointer",
        None => "owned",
    }
}

fn import_line(language: &str, module: &str, name: &str) -> String {
    match (language, name.is_empty()) {
        ("rust", true) => format!("use {module};"),
        ("rust", false) => format!("use {module}::{name};"),
        ("python", false) => format!("from {module} import {name}"),
        ("typescript" | "tsx" | "javascript", false) => {
            format!("import {{ {name} }} from \"{module}\"")
        }
        (_, true) => format!("import {module}"),
        (_, false) => format!("import {module}.{name}"),
    }
}

/// Splits at commas that stand outside of brackets.
fn split_outside(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0i32);
    for letter in text.chars() {
        depth += match letter {
            '<' | '(' | '[' | '{' => 1,
            '>' | ')' | ']' | '}' => -1,
            _ => 0,
        };
        match (letter, depth) {
            (',', 0) => parts.push(String::new()),
            // The first part is always there.
            _ => parts.last_mut().into_iter().for_each(|part| part.push(letter)),
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{pattern, split_outside};

    #[test]
    fn types_are_taken_apart() {
        for (text, expected) in [
            ("String", "owned"),
            ("&str", "borrowed"),
            ("&mut Vec<u8>", "borrowed_mut"),
            ("&'a mut T", "borrowed_mut"),
            ("&'a T", "borrowed"),
            ("*const u8", "pointer"),
        ] {
            assert_eq!(pattern(text), expected, "{text}");
        }
        assert_eq!(
            split_outside("'a, T: Into<Map<K, V>>, const N: usize"),
            ["'a", "T: Into<Map<K, V>>", "const N: usize"]
        );
    }
}

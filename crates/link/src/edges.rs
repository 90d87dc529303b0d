//! One file's edges: what its references, imports, bases and nesting come to.

mod dataflow;
mod documents;
mod guess;
mod outside;
mod overloads;
mod structure;
mod testing;

use crate::links::{Reason, Unresolved};
use crate::policy::Modules as Style;
use crate::resolve::{Kind, Resolver, Value, Want, sure};
use crate::world::{Look, Module};
use contextd_model::facts::{FILE_SYMBOL, RefRow, UNKNOWN_PARAMETERS, import_kind, modifier};
use contextd_model::graph::{EdgeRow, KNOWN_CONFIDENCE, OutsideEdge};
use contextd_model::{EdgeKind, Provenance, RefKind, SymbolKind};

/// What the facts of one file come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLinks {
    /// Edges as (source, edge), sorted and without repetition. Nearly all sources are the file's own
    /// symbols; `co_tested_with` and `dataflow` join others.
    pub edges: Vec<(u32, EdgeRow)>,
    /// Edges to what no file defines, sorted and without repetition.
    pub outside: Vec<OutsideEdge>,
    /// What could not be resolved.
    pub unresolved: Unresolved,
}

/// Returns the edges that a file's facts give rise to, and what could not be resolved in it.
pub(crate) fn link_file(world: Look<'_, '_>) -> FileLinks {
    let mut linker = FileLinker {
        world,
        file: world.file,
        resolver: Resolver::with_locals(world),
        edges: Vec::new(),
        outside: Vec::new(),
        unresolved: Unresolved::default(),
    };
    linker.structure();
    if world.policy(world.file).modules != Style::None {
        linker.imports();
        linker.bases();
        linker.references();
        linker.testing();
        linker.dataflow();
    } else {
        linker.documents();
    }
    FileLinks {
        edges: merge(linker.edges),
        outside: outside::merge(linker.outside),
        unresolved: linker.unresolved,
    }
}

pub(crate) struct FileLinker<'w, 'f> {
    world: Look<'w, 'f>,
    file: u32,
    resolver: Resolver<'w, 'f>,
    edges: Vec<(u32, EdgeRow)>,
    outside: Vec<OutsideEdge>,
    unresolved: Unresolved,
}

impl<'f> FileLinker<'_, 'f> {
    fn push(
        &mut self,
        source: u32,
        target: u32,
        kind: EdgeKind,
        line: u32,
        confidence: u8,
        count: u16,
    ) {
        if source == target {
            return;
        }
        let provenance = if confidence >= KNOWN_CONFIDENCE {
            Provenance::AstResolved
        } else {
            Provenance::AstInferred
        };
        self.edges.push((
            source,
            EdgeRow {
                target,
                line,
                kind: kind as u8,
                confidence,
                provenance: provenance as u8,
                count: count.min(255) as u8,
            },
        ));
    }

    fn references(&mut self) {
        let world = self.world;
        let view = world.own();
        for (at, row) in view.refs.iter().enumerate() {
            if matches!(row.kind(), RefKind::Env | RefKind::Process | RefKind::Route) {
                self.refer_outside(at);
                continue;
            }
            let value = self.resolve(row);
            self.refer(row, view.str(row.name), value);
        }
    }

    fn resolve(&mut self, row: &RefRow) -> Value<'f> {
        let want = match row.kind() {
            RefKind::Type => Want::Type,
            RefKind::Construct => Want::Make,
            RefKind::Call | RefKind::Macro => Want::Call,
            _ => Want::Any,
        };
        let name = self.world.own().str(row.name);
        match row.kind() {
            RefKind::Call => self.resolver.with_arguments(row.arguments),
            RefKind::Type | RefKind::Construct => self.resolver.with_arity(row.arguments),
            _ => self.resolver.with_arguments(UNKNOWN_PARAMETERS),
        }
        let value = self.resolve_name(row, name, want);
        if !self.world.policy(self.file).fields_apart || row.qualifier.is_empty() {
            return value;
        }
        // A field is what an accessor of its name declares, never a method; an accessor writes too.
        let world = self.world;
        let is_accessor = |value: &Value<'_>| matches!(value.kind, Kind::Symbol(found) if !world.kind(found).is_callable());
        let is_field = row.kind() == RefKind::Field;
        let other = match name.strip_suffix('=') {
            Some(read) if !matches!(value.kind, Kind::Symbol(_)) => read.to_owned(),
            None if is_field && !is_accessor(&value) => format!("{name}="),
            _ => return value,
        };
        let accessor = self.resolve_name(row, &other, want);
        match value.kind {
            _ if is_accessor(&accessor) && (is_field || self.is_written(&accessor)) => accessor,
            Kind::Symbol(_) => Value::LOCAL,
            _ => value,
        }
    }

    /// True for an accessor that can be assigned to.
    fn is_written(&self, value: &Value<'_>) -> bool {
        let writes = |found: u32| {
            self.world.has(found, modifier::SETTER) || self.world.kind(found) == SymbolKind::Field
        };
        matches!(value.kind, Kind::Symbol(found) if writes(found))
    }

    fn resolve_name(&mut self, row: &RefRow, name: &str, want: Want) -> Value<'f> {
        if row.qualifier.is_empty() {
            self.resolver.bare(row.owner, name, want, row.line)
        } else {
            self.resolver.qualified(row.owner, row.qualifier, name, want, row.line)
        }
    }

    fn refer(&mut self, row: &RefRow, name: &str, value: Value<'_>) {
        let language = self.world.own().language;
        match value.kind {
            Kind::Symbol(target) => self.refer_to(row, target, value.sure),
            Kind::Super(owner) => self.refer_to_base(row, owner),
            Kind::Module(module) if matches!(row.kind(), RefKind::Call | RefKind::Construct) => {
                if let Kind::Symbol(target) = self.resolver.default_of(module).kind {
                    self.refer_to(row, target, value.sure);
                }
            }
            Kind::External => self.unresolved.add(language, Reason::External, row.count),
            Kind::Ambiguous => self.guess_global(row, name, language),
            Kind::Unknown => self.guess_member(row, name, language),
            Kind::Module(_) | Kind::Instance(_) | Kind::Typed(..) | Kind::Local => {}
        }
    }

    fn refer_to(&mut self, row: &RefRow, target: u32, sure: u8) {
        let world = self.world;
        let source = world.global(self.file, row.owner);
        let (target, sure) = self.overload(target, row, sure);
        let found = world.kind(target);
        // What a macro names may be a variable of the place that uses it.
        let borrowed = found == SymbolKind::Variable
            && world.kind(source) == SymbolKind::Macro
            && world.file_of(target) != self.file;
        let sure = if borrowed {
            sure.min(crate::resolve::sure::UNION)
        } else if world.has(target, modifier::SPECIALIZED) {
            // Which arguments a template is used with is not asked.
            sure.min(crate::resolve::sure::TWIN)
        } else {
            sure
        };
        if !found.is_code() {
            return;
        }
        let (line, count) = (row.line, row.count);
        match row.kind() {
            RefKind::Call if found == SymbolKind::Object && self.is_term(target) => {
                self.push(source, target, EdgeKind::References, line, sure, count);
                if let Some(Value { kind: Kind::Symbol(made), sure: surely }) =
                    self.resolver.applied(target)
                {
                    self.refer_to(row, made, sure.min(surely));
                }
            }
            RefKind::Call | RefKind::Construct | RefKind::Macro if found.is_type() => {
                let constructor = self.constructor(target, row, sure);
                let (made_by, surely) = constructor.unwrap_or((target, sure));
                self.push(source, made_by, EdgeKind::Calls, line, surely, count);
                if constructor.is_some() {
                    self.push(source, target, EdgeKind::References, line, sure, count);
                }
            }
            RefKind::Call | RefKind::Construct | RefKind::Macro if found.is_callable() => {
                self.push(source, target, EdgeKind::Calls, line, sure, count)
            }
            RefKind::Name | RefKind::Field
                if found.is_callable() && world.policy(self.file).bare_calls =>
            {
                self.push(source, target, EdgeKind::Calls, line, sure, count)
            }
            // Types and values are named apart: a function of a type's name is not meant.
            RefKind::Type if found.is_callable() => {}
            RefKind::Type if found.is_type() => {
                self.push(source, target, EdgeKind::TypeHintOf, line, sure, count)
            }
            RefKind::Decorate => self.push(source, target, EdgeKind::Decorates, line, sure, count),
            RefKind::Throw => self.push(source, target, EdgeKind::Throws, line, sure, count),
            _ if matches!(found, SymbolKind::Field | SymbolKind::Property) => {
                self.push(source, target, EdgeKind::AccessesField, line, sure, count)
            }
            _ => self.push(source, target, EdgeKind::References, line, sure, count),
        }
    }

    fn is_term(&self, symbol: u32) -> bool {
        let file = self.world.file_of(symbol);
        self.world.policy(file).terms_apart
    }

    /// `super(…)` calls the constructor of the base.
    fn refer_to_base(&mut self, row: &RefRow, owner: u32) {
        // Where classes are called to make them, `super()` is only the way to the base's members.
        if self.world.policy(self.file).modules == Style::Dotted {
            return;
        }
        let Some(base) = self.world.supers(owner).and_then(|supers| supers.found.first().copied())
        else {
            return;
        };
        self.refer_to(row, base.target, base.sure);
    }

    fn imports(&mut self) {
        let world = self.world;
        let view = world.own();
        let this = world.global(self.file, FILE_SYMBOL);
        for (at, row) in view.imports.iter().enumerate() {
            let value = self.resolver.import(self.file, at as u32, Want::Any);
            if !row.module.is_empty() {
                self.imported_file(at, value);
            }
            let target = match value.kind {
                Kind::Symbol(target) => target,
                Kind::Module(found) if !row.name.is_empty() => match self.module_symbol(found) {
                    Some(target) => target,
                    None => continue,
                },
                _ => continue,
            };
            let exported = matches!(row.kind, import_kind::REEXPORT | import_kind::REEXPORT_ALL);
            let (source, kind) = if exported || self.is_package_export(row.module) {
                (this, EdgeKind::Exports)
            } else {
                (world.global(self.file, row.owner), EdgeKind::Imports)
            };
            self.push(source, target, kind, row.line, value.sure, 1);
        }
        for (at, row) in view
            .symbols
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(_, row)| row.parent == FILE_SYMBOL && row.has(modifier::EXPORTED))
        {
            let target = world.global(self.file, at as u32);
            self.push(this, target, EdgeKind::Exports, row.name_line, 100, 1);
        }
    }

    /// Leads from the file to the one that an import row is taken from. A package is many files: of a
    /// name in it, that is the one that defines the name.
    fn imported_file(&mut self, at: usize, value: Value<'_>) {
        let world = self.world;
        let row = &world.own().imports[at];
        let named = !row.name.is_empty() && world.policy(self.file).modules == Style::Declared;
        let (file, how_sure) = match value.kind {
            Kind::Symbol(target) if named => {
                let file = world.global(world.file_of(target), FILE_SYMBOL);
                (Some(file), value.sure)
            }
            _ if named => (None, 0),
            _ => (self.module_symbol(world.module(self.file, at as u32)), sure::IMPORT),
        };
        if let Some(file) = file {
            let this = world.global(self.file, FILE_SYMBOL);
            self.push(this, file, EdgeKind::Imports, row.line, how_sure, 1);
        }
    }

    /// A Python package shows what its `__init__` imports from within.
    fn is_package_export(&self, module: contextd_model::StrId) -> bool {
        crate::world::modules::basename(self.world.path(self.file)).starts_with("__init__.")
            && self.world.own().str(module).starts_with('.')
    }

    fn module_symbol(&self, module: Module) -> Option<u32> {
        match module {
            Module::File(file) => Some(self.world.global(file, FILE_SYMBOL)),
            Module::Package(package) => {
                let file = self.world.package_file(self.file, package)?;
                Some(self.world.global(file, FILE_SYMBOL))
            }
            Module::External => None,
        }
    }
}

/// Sorts by source, kind and target; of repeated edges the surest stays, with the first line.
pub(crate) fn merge(mut edges: Vec<(u32, EdgeRow)>) -> Vec<(u32, EdgeRow)> {
    edges.sort_unstable_by_key(|(source, edge)| {
        (*source, edge.kind, edge.target, edge.line, edge.confidence)
    });
    edges.dedup_by(|(later_source, later), (source, edge)| {
        let same = later_source == source && later.kind == edge.kind && later.target == edge.target;
        if same {
            edge.count = edge.count.saturating_add(later.count);
            if later.confidence > edge.confidence {
                (edge.confidence, edge.provenance) = (later.confidence, later.provenance);
            }
            edge.line = if edge.line == 0 { later.line } else { edge.line };
        }
        same
    });
    edges
}

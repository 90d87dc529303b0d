//! What one file says, independent of every other file.
//!
//! Facts are a function of the file's bytes, its language and the extractor's version, so they are
//! cached by content hash. Rows are plain data: the same bytes lie in the cache, in a segment of the
//! snapshot and in memory. Offsets are bytes, lines are one-based and inclusive.

mod codec;

use crate::strings::{CheckedStrings, StrId, StringTable};
use crate::{ChunkKind, RefKind, SymbolKind, Visibility};
use bytemuck::{Pod, Zeroable};

/// "No symbol": the parent of a file's own symbol, the owner of nothing.
pub const NONE: u32 = u32::MAX;

/// Index of the symbol that stands for the file itself; it owns what no other symbol owns.
pub const FILE_SYMBOL: u32 = 0;

/// Lines in one text block of the full-text index.
pub const BLOCK_LINES: u32 = 40;

/// Properties of a symbol, as bits of [`SymbolRow::modifiers`].
pub mod modifier {
    pub const ASYNC: u32 = 1;
    pub const STATIC: u32 = 1 << 1;
    pub const CONST: u32 = 1 << 2;
    pub const UNSAFE: u32 = 1 << 3;
    pub const ABSTRACT: u32 = 1 << 4;
    pub const FINAL: u32 = 1 << 5;
    pub const OVERRIDE: u32 = 1 << 6;
    pub const GENERATOR: u32 = 1 << 7;
    /// Made visible outside its module by an explicit `export` or `pub`.
    pub const EXPORTED: u32 = 1 << 8;
    pub const DEFAULT: u32 = 1 << 9;
    /// Part of a test: a test function, a test class, or code under a test module.
    pub const TEST: u32 = 1 << 10;
    /// A declaration without a body (prototype, abstract member, interface member).
    pub const DECLARATION: u32 = 1 << 11;
    pub const GETTER: u32 = 1 << 12;
    pub const SETTER: u32 = 1 << 13;
    /// Defined inside a function body, so not reachable by name from elsewhere.
    pub const LOCAL: u32 = 1 << 14;
    pub const DEPRECATED: u32 = 1 << 15;
    /// A function that is named where it is passed or returned: its name is known inside it alone.
    pub const EXPRESSION: u32 = 1 << 16;
    /// Declared once for all platforms, each of which has its own definition: Kotlin's `expect`.
    pub const EXPECTED: u32 = 1 << 17;
    /// No caller may use it: deprecated as an error, or hidden.
    pub const REFUSED: u32 = 1 << 18;
    /// Named by a string of the source, the title of a test: no code refers to it by name.
    pub const TITLE: u32 = 1 << 19;
    /// Meant only where no other of its name is: its language gives it a lower rank among overloads.
    pub const LOWERED: u32 = 1 << 20;
    /// A type for some arguments of a template, not the template itself.
    pub const SPECIALIZED: u32 = 1 << 21;
}

/// Properties of a file, as bits of [`FileFacts::flags`].
pub mod file_flag {
    /// Generated code, by its header.
    pub const GENERATED: u32 = 1;
    /// The parser reported errors; facts are what could be read.
    pub const PARSE_ERRORS: u32 = 1 << 1;
    /// Facts stop early because a limit (nesting, size, time) was reached.
    pub const TRUNCATED: u32 = 1 << 2;
    /// Secrets were replaced before extraction.
    pub const REDACTED: u32 = 1 << 3;
    /// Minified: very long lines.
    pub const MINIFIED: u32 = 1 << 4;
    /// The parser gave up on it: it is known by its text alone.
    pub const UNPARSED: u32 = 1 << 5;
}

/// One definition. Row 0 of a file is the file itself; a parent always precedes its children and
/// rows are in source order, so the symbols inside a symbol follow it without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct SymbolRow {
    pub name: StrId,
    /// Name with its enclosing scopes inside the file, joined by `.`: `Type.method`.
    pub qualified: StrId,
    /// The declaration up to its body, white space folded.
    pub signature: StrId,
    /// Text of the doc comment or docstring without its markers, cut at [`MAX_DOC`] bytes.
    pub doc: StrId,
    /// Declared return type of a callable, declared type of a field, property, variable or constant,
    /// the aliased type of an alias; of a key `name` in a data file its value, when that is one short word.
    pub type_text: StrId,
    /// Type parameters as written, without the brackets.
    pub generics: StrId,
    /// Annotation or decorator names, joined by a space.
    pub annotations: StrId,
    pub parent: u32,
    /// Whole declaration, annotations and modifiers included, doc comment not.
    pub start: u32,
    pub end: u32,
    /// Start of the doc comment, or `start`.
    pub doc_start: u32,
    /// Start of the body, or `end` when there is none.
    pub body_start: u32,
    /// Offset of the name itself.
    pub name_start: u32,
    pub start_line: u32,
    pub end_line: u32,
    pub name_line: u32,
    pub modifiers: u32,
    /// Branches plus one, for callables.
    pub complexity: u16,
    pub kind: u8,
    pub visibility: u8,
    /// Parameters of a callable as written, [`UNKNOWN_PARAMETERS`] where the syntax does not list them.
    pub parameters: u8,
    pub pad: [u8; 3],
}

/// [`SymbolRow::parameters`] of a callable whose parameters are not known.
pub const UNKNOWN_PARAMETERS: u8 = 255;

/// [`RefRow::arguments`] of a call that spreads a list over its arguments: `f(...all)`.
pub const SPREAD_ARGUMENTS: u8 = 254;

/// Longest doc text kept with a symbol.
pub const MAX_DOC: usize = 800;
/// Longest signature kept with a symbol.
pub const MAX_SIGNATURE: usize = 600;

impl SymbolRow {
    pub fn kind(&self) -> SymbolKind {
        SymbolKind::from_byte(self.kind)
    }

    pub fn visibility(&self) -> Visibility {
        Visibility::from_byte(self.visibility)
    }

    pub fn has(&self, modifier: u32) -> bool {
        self.modifiers & modifier != 0
    }
}

/// One mention of a name. Rows are grouped by owner, in the order of symbols, then by position;
/// an owner's repeated mention with the same name, qualifier and kind is kept once, the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct RefRow {
    /// Innermost symbol the mention stands in.
    pub owner: u32,
    /// Last component: `c` in `a.b.c()`.
    pub name: StrId,
    /// What stands before it, separators normalised to `.`: `a.b`; `()` marks a call in between
    /// (`a.b().c` has the qualifier `a.b()`); empty for a bare name.
    pub qualifier: StrId,
    pub line: u32,
    /// Offset of the name.
    pub start: u32,
    pub kind: u8,
    /// Arguments of a call, [`SPREAD_ARGUMENTS`] when a list is spread over them; type arguments of a
    /// type, where types are told apart by their number. 255 when unknown.
    pub arguments: u8,
    /// How often the owner mentions it, capped.
    pub count: u16,
}

impl RefRow {
    pub fn kind(&self) -> RefKind {
        RefKind::from_byte(self.kind)
    }
}

/// How an import makes names visible, as [`ImportRow::kind`].
pub mod import_kind {
    /// The module itself is bound: `import a.b`, `import * as x from`, Go imports.
    pub const MODULE: u8 = 0;
    /// One name of the module is bound: `from a import b`, `import { b } from`, `use a::b`.
    pub const NAME: u8 = 1;
    /// All public names: `from a import *`, `use a::*`, `using namespace`.
    pub const WILDCARD: u8 = 2;
    /// A re-export of one name: `export { b } from`, `pub use`.
    pub const REEXPORT: u8 = 3;
    /// A re-export of everything.
    pub const REEXPORT_ALL: u8 = 4;
    /// The text of another file: `#include`, `require_relative`, `source`.
    pub const INCLUDE: u8 = 5;
}

/// One imported name or module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ImportRow {
    /// Module as written, quotes off, separators as in the language: `./a`, `a.b`, `crate::a`.
    pub module: StrId,
    /// Imported name; empty when the module itself is imported.
    pub name: StrId,
    /// Name it is known by in this file; empty when nothing is bound.
    pub alias: StrId,
    /// Symbol in whose body the import stands; [`FILE_SYMBOL`] at file level.
    pub owner: u32,
    pub line: u32,
    pub kind: u8,
    pub pad: [u8; 3],
}

/// How a base is taken over, as [`BaseRow::kind`].
pub mod base_kind {
    pub const EXTENDS: u8 = 0;
    pub const IMPLEMENTS: u8 = 1;
    /// Mixed in: `include`, Go embedding, Rust derive, Scala `with`, PHP `use`.
    pub const MIXIN: u8 = 2;
}

/// One base type that a type names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct BaseRow {
    pub owner: u32,
    pub name: StrId,
    pub qualifier: StrId,
    pub line: u32,
    pub kind: u8,
    pub pad: [u8; 3],
}

/// How a local name got its type, as [`BindingRow::how`].
pub mod binding {
    /// Parameter; `type_text` is its declared type, maybe empty.
    pub const PARAMETER: u8 = 0;
    /// Declared with a type.
    pub const DECLARED: u8 = 1;
    /// Initialised by constructing: `type_text` names the type.
    pub const CONSTRUCTED: u8 = 2;
    /// Initialised by a call: `type_text` is the callee as written (`a.b`), without arguments.
    pub const CALLED: u8 = 3;
    /// Initialised by another name or member path: `type_text` is that path.
    pub const ALIAS: u8 = 4;
    /// Receiver of a method (Go), `self` of an impl.
    pub const RECEIVER: u8 = 5;
    /// No variable, and without a name: the owner is known only inside of a function that has no name,
    /// from `line` on for as many lines as the flags say.
    pub const SCOPE: u8 = 6;
}

/// What is known of a parameter's or local variable's type. For `self.x = Foo()` the name is
/// `self.x` (`this.x` is written `self.x` too).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct BindingRow {
    pub owner: u32,
    pub name: StrId,
    pub type_text: StrId,
    pub line: u32,
    pub how: u8,
    /// Position among the parameters, for [`binding::PARAMETER`].
    pub position: u8,
    /// Bit 0: variadic; bit 1: has a default value; above them a hash of the label that callers write,
    /// in languages that tell overloads apart by labels. Of a closure's parameter, which is no
    /// [`binding::PARAMETER`]: the number of lines it is known in, 0 when that is not known.
    pub flags: u16,
}

/// A piece of text that is stored, shown and cited as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ChunkRow {
    pub label: StrId,
    /// Symbol the chunk shows; [`FILE_SYMBOL`] when none in particular.
    pub symbol: u32,
    pub start: u32,
    pub end: u32,
    pub start_line: u32,
    pub end_line: u32,
    /// Estimated tokens.
    pub tokens: u32,
    pub kind: u8,
    /// Language of embedded code, as a language number, 255 for the file's own.
    pub language: u8,
    /// Position among pieces of one symbol that was split.
    pub part: u16,
}

impl ChunkRow {
    pub fn kind(&self) -> ChunkKind {
        ChunkKind::from_byte(self.kind)
    }
}

/// A run of lines that belongs to one innermost symbol and one text block: the unit of the
/// full-text index. Symbols, types, files and blocks are ranges of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CellRow {
    pub symbol: u32,
    /// Block number: (line − 1) / [`BLOCK_LINES`].
    pub block: u32,
    /// Word tokens in the cell.
    pub words: u32,
    /// Compound identifiers in the cell, counted beside the words.
    pub compounds: u32,
    /// End of the cell's terms in [`FileText::terms`]; they start where the cell before ends.
    pub terms_end: u32,
}

/// One term of a cell and how often it stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct TermRow {
    /// Id in [`FileText::strings`].
    pub term: StrId,
    pub count: u32,
}

/// The words of a file, cell by cell, from which segments build their full-text index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileText {
    pub strings: StringTable,
    pub cells: Vec<CellRow>,
    pub terms: Vec<TermRow>,
}

/// Everything one file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFacts {
    /// Number of the language in the extractor's table.
    pub language: u8,
    pub flags: u32,
    pub lines: u32,
    /// Bytes of the file after redaction.
    pub size: u32,
    /// Declared package, namespace or module of the whole file: Java `package`, Go `package`.
    pub package: StrId,
    pub strings: StringTable,
    pub symbols: Vec<SymbolRow>,
    pub refs: Vec<RefRow>,
    pub imports: Vec<ImportRow>,
    pub bases: Vec<BaseRow>,
    pub bindings: Vec<BindingRow>,
    pub chunks: Vec<ChunkRow>,
    pub text: FileText,
}

impl FileFacts {
    /// Returns the view that the linker and segments read.
    pub fn view(&self) -> FactsView<'_> {
        FactsView {
            language: self.language,
            flags: self.flags,
            lines: self.lines,
            size: self.size,
            package: self.package,
            strings: self.strings.checked(),
            symbols: &self.symbols,
            refs: &self.refs,
            imports: &self.imports,
            bases: &self.bases,
            bindings: &self.bindings,
            chunks: &self.chunks,
        }
    }

    #[inline]
    pub fn str(&self, id: StrId) -> &str {
        self.strings.get(id)
    }
}

/// Facts of one file without its words, borrowed from memory or from a mapped segment.
#[derive(Clone, Copy, Debug)]
pub struct FactsView<'a> {
    pub language: u8,
    pub flags: u32,
    pub lines: u32,
    pub size: u32,
    pub package: StrId,
    pub strings: CheckedStrings<'a>,
    pub symbols: &'a [SymbolRow],
    pub refs: &'a [RefRow],
    pub imports: &'a [ImportRow],
    pub bases: &'a [BaseRow],
    pub bindings: &'a [BindingRow],
    pub chunks: &'a [ChunkRow],
}

impl<'a> FactsView<'a> {
    #[inline]
    pub fn str(&self, id: StrId) -> &'a str {
        self.strings.get(id)
    }

    /// Returns the package the file declares, or the empty string.
    pub fn package_name(&self) -> &'a str {
        self.strings.get(self.package)
    }
}

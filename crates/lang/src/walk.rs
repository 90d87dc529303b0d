//! One walk over the syntax tree, driven by a language's table: no node is seen twice, and what one
//! means is looked up by its kind number.

mod bindings;
mod finish;
mod recover;
mod refs;
mod symbols;

pub use refs::literal;
pub use symbols::fold;

use crate::intern::Interner;
use crate::languages::Hooks;
use crate::rules::{Finder, KindRule, Rules, Step, brief};
use crate::tree::{Node, Syntax};
use contextd_model::facts::{BaseRow, BindingRow, FILE_SYMBOL, ImportRow, RefRow, SymbolRow};
use contextd_model::{RefKind, StrId, SymbolKind, Visibility};
use rustc_hash::FxHashMap;

/// What a hook wants done with its node afterwards.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// The table's rules for the kind apply too.
    Table,
    /// The table does not apply; children are visited.
    Descend,
    /// Neither; the subtree is done.
    Skip,
}

/// Nesting beyond this is not descended into: it is data or an attack, not code.
const MAX_DEPTH: usize = 4_000;

/// Gathers facts during the walk. Hooks add to it through its methods.
pub struct Walk<'t> {
    pub text: &'t str,
    pub rules: &'t Rules,
    hooks: &'t dyn Hooks,
    pub strings: Interner,
    pub symbols: Vec<SymbolRow>,
    pub refs: Vec<RefRow>,
    pub imports: Vec<ImportRow>,
    pub bases: Vec<BaseRow>,
    pub bindings: Vec<BindingRow>,
    pub package: StrId,
    pub truncated: bool,
    /// Symbols that are open at the current node, with the depth of their node.
    open: Vec<(u32, usize)>,
    depth: usize,
    /// Type parameters in scope, with how many symbols were open when they came in.
    type_parameters: Vec<(usize, String)>,
    /// Run of comments seen last: start, end, last line.
    comment: Option<(usize, usize, usize)>,
    /// Start of the outermost wrapper around the next declaration, and its end.
    wrapper: Option<(usize, usize)>,
    annotations: Vec<Annotation>,
    /// Offsets of names that a call, member or declaration has already taken, one bit each.
    taken: Vec<u64>,
    spare: Spare<'t>,
    /// What the node being visited stands in, from the root on.
    levels: Vec<Level<'t>>,
    type_until: usize,
    pattern_until: usize,
    /// Parameters before this offset belong to a function type, not to the owner.
    pub no_parameters_until: usize,
    /// End of the word that makes the next parameter take any number of arguments; 0 for none.
    pub variadic_at: usize,
    /// Hash of the label of the next parameter, see `BindingRow::flags`; 0 for none.
    pub label: u16,
    /// End of a type's path that has been reported whole.
    pub path_until: usize,
    annotation_until: usize,
    recovery: recover::Recovery,
    seen_refs: FxHashMap<(u32, StrId, StrId, u8), u32>,
    /// Declarations that stand after a part of their node that has to be visited first.
    deferred: Vec<Deferred<'t>>,
    sections: Vec<Section>,
    /// What the file's head lets others see, where it lists that: names, those of members as
    /// `Type.member`, `Type.*` for all of a type's.
    pub exports: Option<Vec<String>>,
    /// Blocks inside a type or file whose declarations are local: the owner and the block's end.
    local_blocks: Vec<(u32, usize)>,
    /// Functions without a name that the walk is in: the symbol around, the first line, the last, the end.
    unnamed: Vec<(u32, u32, u32, usize)>,
}

/// A node whose children are being visited.
struct Level<'t> {
    node: Node<'t>,
    /// How many children are still to come.
    left: usize,
    /// Tokens count too.
    tokens: bool,
}

/// Visibility that a section word (`private:`) gives to what follows it.
struct Section {
    owner: u32,
    from: u32,
    until: u32,
    visibility: Visibility,
}

/// A symbol without members that is added when the walk reaches its node: `Name` in
/// `typedef struct { … } Name`.
pub struct Deferred<'t> {
    pub node: Node<'t>,
    pub name: Node<'t>,
    pub kind: SymbolKind,
    pub type_text: String,
    pub signature: String,
}

struct Annotation {
    path: String,
    /// Offset of the name.
    start: u32,
    line: u32,
    /// The whole annotation, brackets included.
    whole: (u32, u32),
    is_test: bool,
}

impl<'t> Walk<'t> {
    pub fn new(text: &'t str, rules: &'t Rules, hooks: &'t dyn Hooks) -> Self {
        let mut strings = Interner::for_text(text.len());
        // The empty scope and the file symbol come first, so that ids do not depend on the walk.
        let name = strings.intern("");
        let file = SymbolRow {
            name,
            parent: contextd_model::facts::NONE,
            end: text.len() as u32,
            body_start: 0,
            start_line: 1,
            name_line: 1,
            ..SymbolRow::default()
        };
        Self {
            text,
            rules,
            hooks,
            strings,
            symbols: vec![file],
            refs: Vec::with_capacity(text.len() / 96),
            imports: Vec::new(),
            bases: Vec::new(),
            bindings: Vec::new(),
            package: StrId::EMPTY,
            truncated: false,
            open: vec![(FILE_SYMBOL, 0)],
            depth: 0,
            type_parameters: Vec::new(),
            comment: None,
            wrapper: None,
            annotations: Vec::new(),
            taken: vec![0; text.len() / 64 + 1],
            spare: Spare::default(),
            levels: Vec::new(),
            type_until: 0,
            pattern_until: 0,
            no_parameters_until: 0,
            variadic_at: 0,
            label: 0,
            path_until: 0,
            annotation_until: 0,
            recovery: recover::Recovery::default(),
            seen_refs: FxHashMap::with_capacity_and_hasher(text.len() / 96, Default::default()),
            deferred: Vec::new(),
            sections: Vec::new(),
            exports: None,
            local_blocks: Vec::new(),
            unnamed: Vec::new(),
        }
    }

    /// Visits the nodes of a tree, in source order; brackets and other tokens behind the last node with a
    /// name of its own say nothing and are left out, but for those of an error.
    pub fn run(&mut self, tree: &'t Syntax) {
        let rules: &'t Rules = self.rules;
        let has_type_fields = !rules.type_fields.is_empty();
        let mut node = tree.root();
        loop {
            self.depth = self.levels.len();
            let kind = node.kind_id() as usize;
            let brief = rules.brief.get(kind).copied().unwrap_or(brief::ERROR);
            if let Some(level) =
                self.levels.last_mut().filter(|level| level.tokens || brief & brief::NAMED != 0)
            {
                level.left = level.left.saturating_sub(1);
            }
            if has_type_fields
                && brief & brief::IDENTIFIER != 0
                && rules.type_fields.contains(&node.field_id())
            {
                // An identifier that stands where a type does.
                self.type_until = self.type_until.max(node.end_byte());
            }
            let is_passed = brief & brief::PLAIN != 0
                && self.deferred.is_empty()
                && self.depth != self.recovery.depth;
            if is_passed || self.visit(node, rules.kinds.get(kind)) {
                // What can still be read in an error begins with tokens.
                let tokens = brief == brief::ERROR;
                let left = if tokens { node.child_count() } else { node.named_child_count() };
                if let Some(child) =
                    node.first_child().filter(|_| self.depth < MAX_DEPTH && left > 0)
                {
                    self.levels.push(Level { node, left, tokens });
                    node = child;
                    continue;
                }
            }
            self.truncated |= self.depth >= MAX_DEPTH;
            match self.next(node) {
                Some(next) => node = next,
                None => return,
            }
        }
    }

    /// Returns the next node that is not below this one; nothing at the end.
    fn next(&mut self, mut node: Node<'t>) -> Option<Node<'t>> {
        loop {
            self.close(self.levels.len());
            let level = self.levels.last()?;
            if let Some(next) = node.next_in(level.node).filter(|_| level.left > 0) {
                return Some(next);
            }
            node = self.levels.pop()?.node;
        }
    }

    fn close(&mut self, depth: usize) {
        while self.open.len() > 1 && self.open.last().is_some_and(|&(_, at)| at >= depth) {
            self.open.pop();
        }
        while self.type_parameters.last().is_some_and(|&(open, _)| open > self.open.len()) {
            self.type_parameters.pop();
        }
    }

    fn visit(&mut self, node: Node<'t>, rule: Option<&'t KindRule>) -> bool {
        self.recover(node);
        let Some(rule) = rule else {
            // Only errors have a kind that the grammar does not list.
            self.enter_error(node);
            return true;
        };
        if !self.deferred.is_empty() {
            self.add_deferred(node.start_byte());
        }
        if rule.plain {
            return true;
        }
        if rule.comment {
            self.comment(node);
            return false;
        }
        if rule.hook {
            match self.hooks.visit(node, self) {
                Flow::Table => {}
                Flow::Descend => return true,
                Flow::Skip => return false,
            }
        }
        if rule.skip {
            return false;
        }
        self.apply(node, rule);
        // Most strings hold nothing but text; a third of the nodes of some files stand in them.
        !rule.string || may_interpolate(self.text_of(node))
    }

    /// Returns what the node being visited stands in: 1 for its parent, 2 for that one's. A node itself
    /// does not know its parent.
    pub fn ancestor(&self, level: usize) -> Option<Node<'t>> {
        self.levels
            .len()
            .checked_sub(level)
            .and_then(|at| self.levels.get(at))
            .map(|level| level.node)
    }

    fn apply(&mut self, node: Node<'t>, rule: &'t KindRule) {
        if rule.wrapper {
            self.wrap(node);
        }
        if rule.annotation {
            self.annotation(node);
        }
        if let Some(symbol) = &rule.symbol {
            self.declaration(node, symbol);
        }
        if rule.branch {
            self.branch();
        }
        if rule.type_context {
            self.type_until = self.type_until.max(node.end_byte());
        }
        if rule.pattern {
            self.pattern_until = self.pattern_until.max(node.end_byte());
        }
        if let Some(kind) = rule.base {
            self.base_container(node, kind);
        }
        if let Some(binding) = &rule.binding {
            self.binding(node, binding);
        }
        if let Some(call) = &rule.call {
            self.call(node, call);
        }
        if let Some(finder) = &rule.construct {
            self.construct(node, finder);
        }
        if let Some(finder) = &rule.member {
            self.member(node, finder);
        }
        if rule.throw {
            self.throw(node);
        }
        if rule.identifier || rule.type_identifier {
            self.identifier(node, rule.type_identifier);
        }
    }

    /// Returns the innermost open symbol.
    pub fn owner(&self) -> u32 {
        self.open.last().map_or(FILE_SYMBOL, |&(symbol, _)| symbol)
    }

    /// Returns the innermost open symbol that is a type, with its row.
    pub fn enclosing_type(&self) -> Option<u32> {
        self.open
            .iter()
            .rev()
            .map(|&(symbol, _)| symbol)
            .find(|&symbol| self.symbols[symbol as usize].kind().is_type())
    }

    pub fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    pub fn intern(&mut self, text: &str) -> StrId {
        self.strings.intern(text)
    }

    /// Marks the name at `start` as dealt with, so that the walk does not report it again.
    pub fn take(&mut self, start: usize) {
        if let Some(bits) = self.taken.get_mut(start / 64) {
            *bits |= 1 << (start % 64);
        }
    }

    /// Adds a declaration later, when everything before its node has been visited.
    pub fn defer(&mut self, deferred: Deferred<'t>) {
        self.deferred.push(deferred);
    }

    fn add_deferred(&mut self, reached: usize) {
        let (due, rest) = std::mem::take(&mut self.deferred)
            .into_iter()
            .partition(|later| later.node.start_byte() <= reached);
        self.deferred = rest;
        for later in due as Vec<Deferred<'t>> {
            let symbol = self.add_symbol(
                later.node,
                later.name.start_byte(),
                self.text_of(later.name),
                "",
                later.kind,
                None,
                &later.type_text,
                true,
            );
            self.symbols[symbol as usize].signature = self.intern(&later.signature);
        }
    }

    /// Returns the last symbol declared directly in the current one.
    pub fn last_sibling(&self) -> Option<u32> {
        let owner = self.owner();
        self.symbols.iter().rposition(|row| row.parent == owner).map(|at| at as u32)
    }

    /// Makes `node` a further part of the last symbol: another clause of one function.
    pub fn continue_symbol(&mut self, symbol: u32, node: Node<'t>) {
        let (end, end_line) = self.end_of(node);
        let row = &mut self.symbols[symbol as usize];
        row.end = row.end.max(end as u32);
        row.end_line = row.end_line.max(end_line);
        self.open.push((symbol, self.depth));
    }

    /// Takes `node` for the documentation of the next declaration.
    pub fn note_doc(&mut self, node: Node<'t>) {
        self.comment = Some((node.start_byte(), node.end_byte(), node.end_row()));
    }

    /// Sets the visibility of what the current symbol declares between two offsets.
    pub fn set_section(&mut self, from: usize, until: usize, visibility: Visibility) {
        let owner = self.owner();
        // Sections of symbols that are closed cannot matter again.
        let open = &self.open;
        self.sections.retain(|section| open.iter().any(|&(symbol, _)| symbol == section.owner));
        self.sections.push(Section { owner, from: from as u32, until: until as u32, visibility });
    }

    /// Returns the visibility that the last section word before `at` in `owner` gave.
    pub fn section(&self, owner: u32, at: u32) -> Option<Visibility> {
        let holds =
            |section: &&Section| section.owner == owner && section.from <= at && at < section.until;
        self.sections.iter().rev().find(holds).map(|section| section.visibility)
    }

    /// True when something else has reported the name at `start`.
    pub fn is_taken(&self, start: usize) -> bool {
        self.taken.get(start / 64).is_some_and(|bits| bits & (1 << (start % 64)) != 0)
    }

    /// Adds an import that stands in the current symbol.
    pub fn import(&mut self, module: &str, name: &str, alias: &str, kind: u8, line: u32) {
        let row = ImportRow {
            module: self.intern(module),
            name: self.intern(name),
            alias: self.intern(alias),
            owner: self.owner(),
            line,
            kind,
            pad: [0; 3],
        };
        self.imports.push(row);
    }

    /// Adds a base of the symbol `owner`; `path` is normalised already.
    pub fn base(&mut self, owner: u32, path: &str, kind: u8, line: u32) {
        let (qualifier, name) = crate::names::split_last(path);
        if is_name(name) {
            let row = BaseRow {
                owner,
                name: self.intern(name),
                qualifier: self.intern(qualifier),
                line,
                kind,
                pad: [0; 3],
            };
            self.bases.push(row);
        }
    }

    /// Adds a reference of the current symbol.
    pub fn reference(&mut self, path: &str, kind: RefKind, start: usize, line: u32, arguments: u8) {
        self.reference_of(self.owner(), path, kind, start, line, arguments);
    }
}

/// True when a string may hold code: every language marks it by one of these.
fn may_interpolate(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'{' | b'$' | b'#' | b'`' | b'\\'))
}

/// Returns the first child that a finder names.
pub fn find<'t>(node: Node<'t>, finder: &Finder) -> Option<Node<'t>> {
    finder.iter().find_map(|step| match *step {
        Step::Field(field) => node.child_by_field_id(field),
        Step::Deep(field) => {
            let mut found = node.child_by_field_id(field)?;
            while let Some(next) = found.child_by_field_id(field) {
                found = next;
            }
            Some(found)
        }
        Step::Kind(kind) => child_of_kind(node, kind),
        Step::KindInside(outer, inner) => child_of_kind(child_of_kind(node, outer)?, inner),
        Step::Inside(outer, inner) => node.child_by_field_id(outer)?.child_by_field_id(inner),
        Step::First => node.named_child(0),
        Step::Last => node.last_named_child(),
    })
}

fn child_of_kind(node: Node<'_>, kind: u16) -> Option<Node<'_>> {
    node.named_children().find(|child| child.kind_id() == kind)
}

/// Room for looking at children, kept from node to node.
#[derive(Default)]
struct Spare<'t> {
    names: Vec<Node<'t>>,
    values: Vec<Node<'t>>,
}

/// Adds every child that the first step of a finder names to `out`.
fn find_all<'t>(node: Node<'t>, finder: &Finder, out: &mut Vec<Node<'t>>) {
    match finder.first() {
        Some(&Step::Field(field)) => out.extend(in_field(node, field)),
        Some(&Step::Inside(outer, inner)) => {
            out.extend(in_field(node, outer).filter_map(|child| child.child_by_field_id(inner)))
        }
        Some(&Step::Kind(kind)) => {
            out.extend(node.named_children().filter(|child| child.kind_id() == kind))
        }
        _ => out.extend(find(node, finder)),
    }
}

/// Returns the named children in a field.
fn in_field<'t>(node: Node<'t>, field: u16) -> impl Iterator<Item = Node<'t>> {
    node.children_by_field_id(field).filter(Node::is_named)
}

/// Returns the one-based line a node starts in.
pub fn line_of(node: Node<'_>) -> u32 {
    node.start_row() as u32 + 1
}

/// True when `text` can be the name of something: no brackets, no digits in front.
pub fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'))
        && !text.ends_with([')', ']'])
}

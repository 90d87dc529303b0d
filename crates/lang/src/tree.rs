//! A file's syntax tree as a table: the nodes in the order of the source, each with where the next one behind it stands.
//!
//! A node's first child is the row after its own, its next sibling the row that `next` names, so that walking is reading
//! on. The table is written in one pass over what the parser made, see `tree/flatten.c`.

use crate::rules::Rules;
use std::ops::Range;

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Row {
    start: u32,
    end: u32,
    row: u32,
    end_row: u32,
    /// Behind the last node below this one.
    next: u32,
    named_children: u32,
    kind: u16,
    /// The field it stands in, 0 for none, and a further one by which it can be found.
    field: u16,
    also: u16,
    flags: u16,
}

const _: () = assert!(size_of::<Row>() == 32);

/// Flags of a row.
const NAMED: u16 = 1;
const HAS_FIELDS: u16 = 2;

/// The syntax tree of one file.
pub struct Syntax {
    rows: Vec<Row>,
    rules: &'static Rules,
    /// The parser could not read all of it.
    pub has_error: bool,
}

/// Bytes of a table that a thread keeps for its next file.
const KEPT: usize = 4 << 20;

thread_local! {
    /// The table of the last file.
    static SPARE: std::cell::Cell<Vec<Row>> = const { std::cell::Cell::new(Vec::new()) };
}

impl Syntax {
    /// Copies a tree of the parser's; nothing when there is no memory for going through it.
    #[allow(unsafe_code)]
    pub fn of(tree: &tree_sitter::Tree, rules: &'static Rules) -> Option<Syntax> {
        unsafe extern "C" {
            fn contextd_flatten(
                tree: *const tree_sitter::ffi::TSTree,
                out: *mut Row,
                capacity: u32,
            ) -> u32;
        }
        let root = tree.root_node();
        let count = u32::try_from(root.descendant_count()).ok()?;
        let mut rows = SPARE.take();
        rows.clear();
        if rows.capacity() < count as usize {
            // Growing would copy what is in the old room, which is of no use.
            let room = (count as usize).max(rows.capacity() * 2);
            drop(rows);
            rows = Vec::with_capacity(room);
        }
        // SAFETY: the tree lives until the call returns and is not changed by it; there is room for `count` rows behind
        // `rows`, no more are written, and those that are counted have been written whole.
        unsafe {
            let written = contextd_flatten(root.into_raw().tree, rows.as_mut_ptr(), count);
            rows.set_len(written as usize);
            debug_assert_eq!(written, count, "the library counts its visible nodes");
        }
        (!rows.is_empty()).then(|| Syntax { rows, rules, has_error: root.has_error() })
    }

    pub fn root(&self) -> Node<'_> {
        Node { tree: self, at: 0 }
    }

    /// Lets no node reach behind that place.
    pub fn end_at(&mut self, end: usize) {
        let end = end as u32;
        for row in &mut self.rows {
            (row.start, row.end) = (row.start.min(end), row.end.min(end));
        }
    }

    /// Returns the number of nodes that the table takes for declarations.
    pub fn declarations(&self) -> usize {
        self.rows
            .iter()
            .filter(|row| {
                self.rules.kinds.get(row.kind as usize).is_some_and(|rule| rule.symbol.is_some())
            })
            .count()
    }
}

impl Drop for Syntax {
    fn drop(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        if rows.capacity() * size_of::<Row>() <= KEPT {
            // A thread that is ending keeps nothing.
            let _ = SPARE.try_with(|spare| spare.set(rows));
        }
    }
}

/// One node of a tree.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    tree: &'t Syntax,
    at: u32,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl<'t> Node<'t> {
    fn row(&self) -> &'t Row {
        &self.tree.rows[self.at as usize]
    }

    /// Number of its kind, see [`Rules::kinds`]; errors have one that the grammar does not list.
    pub fn kind_id(&self) -> u16 {
        self.row().kind
    }

    pub fn kind(&self) -> &'t str {
        self.tree
            .rules
            .kinds
            .get(self.kind_id() as usize)
            .map_or("ERROR", |rule| rule.name.as_str())
    }

    /// True for a node with a name of its own, false for a token.
    pub fn is_named(&self) -> bool {
        self.row().flags & NAMED != 0
    }

    pub fn start_byte(&self) -> usize {
        self.row().start as usize
    }

    pub fn end_byte(&self) -> usize {
        self.row().end as usize
    }

    pub fn byte_range(&self) -> Range<usize> {
        self.start_byte()..self.end_byte()
    }

    /// The line it starts in, from 0.
    pub fn start_row(&self) -> usize {
        self.row().row as usize
    }

    pub fn end_row(&self) -> usize {
        self.row().end_row as usize
    }

    /// Number of the field it stands in; 0 for none.
    pub fn field_id(&self) -> u16 {
        self.row().field
    }

    pub fn field_name(&self) -> Option<&'t str> {
        let field = self.field_id();
        self.tree.rules.fields.iter().find(|&(_, &id)| id == field).map(|(name, _)| name.as_str())
    }

    /// Returns the sibling behind it; `parent` is the node that it stands in.
    pub fn next_in(&self, parent: Node<'t>) -> Option<Node<'t>> {
        let next = self.row().next;
        (next < parent.row().next).then_some(Node { tree: self.tree, at: next })
    }

    pub fn children(&self) -> Children<'t> {
        Children { tree: self.tree, at: self.at + 1, end: self.row().next }
    }

    pub fn named_children(&self) -> impl Iterator<Item = Node<'t>> + use<'t> {
        self.children().filter(Node::is_named)
    }

    pub fn child_count(&self) -> usize {
        self.children().count()
    }

    pub fn named_child_count(&self) -> usize {
        self.row().named_children as usize
    }

    pub fn first_child(&self) -> Option<Node<'t>> {
        self.children().next()
    }

    pub fn child(&self, index: usize) -> Option<Node<'t>> {
        self.children().nth(index)
    }

    pub fn named_child(&self, index: usize) -> Option<Node<'t>> {
        self.named_children().nth(index)
    }

    pub fn last_named_child(&self) -> Option<Node<'t>> {
        self.named_children().last()
    }

    /// Returns the first named child of a kind.
    pub fn first_of_kind(&self, kind: &str) -> Option<Node<'t>> {
        self.named_children().find(|child| child.kind() == kind)
    }

    /// Returns the first child in a field. What stands in an error has no place in it.
    pub fn child_by_field_id(&self, field: u16) -> Option<Node<'t>> {
        if self.row().flags & HAS_FIELDS == 0 || field == 0 {
            return None;
        }
        self.children().find(|child| child.row().field == field || child.row().also == field)
    }

    pub fn child_by_field_name(&self, name: &str) -> Option<Node<'t>> {
        self.child_by_field_id(*self.tree.rules.fields.get(name)?)
    }

    pub fn children_by_field_id(&self, field: u16) -> impl Iterator<Item = Node<'t>> + use<'t> {
        self.children().filter(move |child| child.row().field == field)
    }

    pub fn children_by_field_name(&self, name: &str) -> impl Iterator<Item = Node<'t>> + use<'t> {
        let field = self.tree.rules.fields.get(name).copied().unwrap_or(u16::MAX);
        self.children_by_field_id(field)
    }
}

/// A node's children, in source order.
pub struct Children<'t> {
    tree: &'t Syntax,
    at: u32,
    end: u32,
}

impl<'t> Iterator for Children<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        (self.at < self.end).then(|| {
            let node = Node { tree: self.tree, at: self.at };
            self.at = node.row().next;
            node
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::LanguageId;
    use proptest::prelude::*;
    use tree_sitter::{Parser, TreeCursor};

    /// Checks a table against what the parser's library itself says of the tree.
    fn check(text: &str, language: LanguageId) {
        let Some((grammar, text)) = crate::extract::readable(text, language) else { return };
        crate::arena::install();
        let mut parser = Parser::new();
        parser.set_language(&grammar).expect("the grammar loads");
        let tree = parser.parse(text.as_bytes(), None).expect("no limit is set");
        let syntax = Syntax::of(&tree, language.rules()).expect("the tree fits");
        assert_eq!(syntax.has_error, tree.root_node().has_error());
        let mut cursor = tree.walk();
        let mut seen = 0;
        compare(&mut cursor, syntax.root(), grammar.field_count() as u16, &mut seen, &text);
        assert_eq!(seen, syntax.rows.len(), "a row is no node");
    }

    fn compare(
        cursor: &mut TreeCursor<'_>,
        node: Node<'_>,
        fields: u16,
        seen: &mut usize,
        text: &str,
    ) {
        let theirs = cursor.node();
        *seen += 1;
        let told =
            |node: &tree_sitter::Node<'_>| (node.kind_id(), node.start_byte(), node.end_byte());
        let found = |node: Node<'_>| (node.kind_id(), node.start_byte(), node.end_byte());
        let context = || format!("{theirs:?} in {text:?}");
        assert_eq!(found(node), told(&theirs), "{}", context());
        assert_eq!(
            (node.kind(), node.is_named()),
            (theirs.kind(), theirs.is_named()),
            "{}",
            context()
        );
        assert_eq!(
            (node.start_row(), node.end_row()),
            (theirs.start_position().row, theirs.end_position().row),
            "{}",
            context()
        );
        assert_eq!(
            (node.child_count(), node.named_child_count()),
            (theirs.child_count() as usize, theirs.named_child_count()),
            "{}",
            context()
        );
        assert_eq!(node.named_children().count(), node.named_child_count(), "{}", context());
        assert_eq!(
            node.field_id(),
            cursor.field_id().map_or(0, std::num::NonZero::get),
            "{}",
            context()
        );
        for field in 1..=fields {
            let ours = node.child_by_field_id(field);
            match theirs.child_by_field_id(field) {
                // A hidden node that goes by another name is visible, and yet the library looks for its parent's fields
                // in it. Then the first child of the node's own counts.
                Some(inner) if inner.parent() != Some(theirs) => assert!(
                    ours == node.children().find(|child| child.field_id() == field),
                    "field {field} of {}",
                    context()
                ),
                theirs => assert_eq!(
                    ours.map(found),
                    theirs.as_ref().map(told),
                    "field {field} of {}",
                    context()
                ),
            }
        }
        let mut inside = cursor.goto_first_child();
        assert_eq!(inside, node.child(0).is_some());
        for child in node.children() {
            assert!(inside, "{}", context());
            compare(cursor, child, fields, seen, text);
            inside = cursor.goto_next_sibling();
            assert_eq!(inside, child.next_in(node).is_some(), "{}", context());
        }
        if node.child(0).is_some() {
            cursor.goto_parent();
        }
    }

    /// The case files of every language that has a grammar: code in fences, and much that is none.
    #[allow(clippy::disallowed_methods, reason = "a test reads its fixtures")]
    fn cases() -> Vec<(LanguageId, String)> {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages");
        let read = |id: LanguageId| {
            let folder =
                std::fs::read_dir(root.join(id.name()).join("cases")).into_iter().flatten();
            folder.filter_map(move |file| {
                Some((id, std::fs::read_to_string(file.ok()?.path()).ok()?))
            })
        };
        LanguageId::all().filter(|id| id.get().grammar.is_some()).flat_map(read).collect()
    }

    #[test]
    fn a_table_says_what_the_library_says() {
        let cases = cases();
        assert!(cases.len() > 20);
        for (language, text) in &cases {
            check(text, *language);
            for code in text.split("````").skip(1).step_by(2) {
                check(code.split_once('\n').map_or("", |(_, code)| code), *language);
            }
        }
    }

    #[test]
    fn a_child_by_another_name_keeps_its_fields() {
        check("let v: typeof a.b.c = x;", LanguageId::by_name("typescript").expect("known"));
    }

    #[test]
    fn a_tree_may_be_deep() {
        let deep = format!("{}1{}", "(".repeat(3_000), ")".repeat(3_000));
        std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn(move || check(&deep, LanguageId::by_name("python").expect("known")))
            .expect("a thread starts")
            .join()
            .expect("the table is right");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn broken_source_too(which in any::<prop::sample::Index>(), from in any::<prop::sample::Index>(), cut in 0usize..200, to in any::<prop::sample::Index>()) {
            let cases = cases();
            let (language, text) = which.get(&cases);
            let boundary = |at: usize| (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
            let from = boundary(from.index(text.len() + 1));
            let resume = boundary((from + cut).min(text.len()));
            let to = boundary(to.index(text.len() + 1)).max(resume);
            check(&format!("{}{}", &text[..from], &text[resume..to]), *language);
        }
    }
}
